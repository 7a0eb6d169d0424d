// SPDX-License-Identifier: MIT

/// @file
/// Where pulses in time have their peaks: theory (15.20).
///
/// A smooth pulse such as exp(-((t - 5)/w)^2) may be narrower than any step, and no error
/// estimate knows of what lies between the stages of a step.  But it is made of an even power, or
/// of a cosh, of something linear in t, whose zero is where the peak is; no step goes across it.

#ifndef SYSTEM_PEAK_H
#define SYSTEM_PEAK_H

#include "expr/node.h"
#include "system/system.h"

/// Whether a node has an extreme where its operand is zero: even powers and cosh.
bool kal_has_peak_at_zero(const KalExprNode *node);

/// Find what is linear in t below the even powers and cosh of formulas, with its slope:
/// system->pieces.peaks.
KAL_CHECKED KalStatus kal_system_find_peaks(KalSystem *system, const KalExpr *formulas,
                                            size_t count);

#endif
