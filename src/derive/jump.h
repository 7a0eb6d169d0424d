// SPDX-License-Identifier: MIT

/// @file
/// Where formulas may jump.
///
/// Derivatives are those of the branches, and say nothing of what happens where one branch
/// takes over from another: the derivative of if(x > 1, 2, 0) is zero.  What is concluded
/// from derivatives alone holds along a motion only if the formula is continuous, theory
/// (10.20).

#ifndef DERIVE_JUMP_H
#define DERIVE_JUMP_H

#include "base/block.h"
#include "model/model.h"

/// Append to a list of KalExpr formulas that are all zero only if e does not jump along
/// any motion; none if that shows in the form.
KAL_CHECKED KalStatus kal_jumps_list(const KalModel *model, KalExpr e, KalBlock *list);

#endif
