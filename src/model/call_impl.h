// SPDX-License-Identifier: MIT

/// @file
/// Calls of functions that are no operators: what call.c and call_motion.c share.

#ifndef MODEL_CALL_IMPL_H
#define MODEL_CALL_IMPL_H

#include "model/build_impl.h"

/// Exactly so many arguments, else an error.
bool kal_build_demand_arguments(KalBuild *b, const KalNode *node, uint32_t wanted);

/// The functions of call_motion.c, by their words.
KalValue kal_build_call_reaction(KalBuild *b, const KalNode *node);
KalValue kal_build_call_gap(KalBuild *b, const KalNode *node);
KalValue kal_build_call_friction(KalBuild *b, const KalNode *node);
KalValue kal_build_call_sticks(KalBuild *b, const KalNode *node);
KalValue kal_build_call_cforce(KalBuild *b, const KalNode *node);
KalValue kal_build_call_drive(KalBuild *b, const KalNode *node);
KalValue kal_build_call_control(KalBuild *b, const KalNode *node);
KalValue kal_build_call_energy(KalBuild *b, const KalNode *node);
KalValue kal_build_call_active(KalBuild *b, const KalNode *node);
KalValue kal_build_call_demand(KalBuild *b, const KalNode *node);

#endif
