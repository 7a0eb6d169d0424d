// SPDX-License-Identifier: MIT

/// @file
/// What constraints and contacts share.

#ifndef MODEL_CONSTRAINT_IMPL_H
#define MODEL_CONSTRAINT_IMPL_H

#include "model/expression_impl.h"

/// left − right of an equation, or of the inequality of a contact.
KalValue kal_build_residual(KalBuild *b, const KalNode *node, KalUsage usage);

/// The unit of the reaction of a constraint whose residual has a unit.
KalUnitId kal_build_reaction_unit(KalBuild *b, uint32_t constraint, KalUnitId residual);

/// The constraint whose reaction a value is; false if it is none.
bool kal_build_is_reaction(const KalBuild *b, KalValue value, uint32_t *out_constraint);

#endif
