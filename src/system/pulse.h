// SPDX-License-Identifier: MIT

/// @file
/// Where the motion may meet narrow pulses and poles: theory (15.32).
///
/// A smooth pulse that depends on the motion, such as exp(-((x - 3)/w)^2), may be narrower than
/// any step, as one in time may be (system/peak.h); but when it is met is not known beforehand.
/// What is known is the function whose zeros or turning points are where it peaks.

#ifndef SYSTEM_PULSE_H
#define SYSTEM_PULSE_H

#include "system/system.h"

/// Find the functions of t, q, q' and states below the even powers, cosh and hypot that formulas
/// put into something else than a polynomial, and those that formulas divide by, with their
/// slopes in time: system->pieces.pulses.
KAL_CHECKED KalStatus kal_system_find_pulses(KalSystem *system, const KalExpr *formulas,
                                             size_t count);

#endif
