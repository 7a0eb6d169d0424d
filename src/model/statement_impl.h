// SPDX-License-Identifier: MIT

/// @file
/// Statements, each by a function.

#ifndef MODEL_STATEMENT_IMPL_H
#define MODEL_STATEMENT_IMPL_H

#include "model/value_impl.h"

void kal_build_statements(KalBuild *b, const KalNode *first);
void kal_build_param(KalBuild *b, const KalNode *node);
void kal_build_coord(KalBuild *b, const KalNode *node);
void kal_build_let(KalBuild *b, const KalNode *node);
void kal_build_output(KalBuild *b, const KalNode *node);
void kal_build_title(KalBuild *b, const KalNode *node);
void kal_build_kinetic(KalBuild *b, const KalNode *node);
void kal_build_potential(KalBuild *b, const KalNode *node);
void kal_build_dissipation(KalBuild *b, const KalNode *node);
void kal_build_external_power(KalBuild *b, const KalNode *node);
void kal_build_nonideal_power(KalBuild *b, const KalNode *node);
void kal_build_along(KalBuild *b, const KalNode *node);
void kal_build_force(KalBuild *b, const KalNode *node);
void kal_build_mass(KalBuild *b, const KalNode *node);
void kal_build_constraint(KalBuild *b, const KalNode *node);
void kal_build_prescribe(KalBuild *b, const KalNode *node);
void kal_build_servo(KalBuild *b, const KalNode *node);
void kal_build_actuator(KalBuild *b, const KalNode *node);
void kal_build_state(KalBuild *b, const KalNode *node);
void kal_build_hold(KalBuild *b, const KalNode *node);
void kal_build_table(KalBuild *b, const KalNode *node);
void kal_build_contact(KalBuild *b, const KalNode *node);
void kal_build_friction(KalBuild *b, const KalNode *node);
void kal_build_init(KalBuild *b, const KalNode *node);
void kal_build_simulate(KalBuild *b, const KalNode *node);
void kal_build_event(KalBuild *b, const KalNode *node);
void kal_build_plot(KalBuild *b, const KalNode *node);
void kal_build_draw(KalBuild *b, const KalNode *node);
void kal_build_for(KalBuild *b, const KalNode *node);
void kal_build_definition(KalBuild *b, const KalNode *node);
void kal_build_part(KalBuild *b, const KalNode *node);
void kal_build_use(KalBuild *b, const KalNode *node);

/// The one of some words that a node is; reports what is none of them.
bool kal_build_word(KalBuild *b, const KalNode *node, const char *const *words,
                    int count, int *out_word);

#endif
