// SPDX-License-Identifier: MIT

/// @file
/// Positions that satisfy the constraints, near a guess.

#ifndef SIM_START_H
#define SIM_START_H

#include "sim/projector.h"

/// Move the instant's positions, but for those held, onto the constraints of position
/// level, theory (13.1) to (13.3); where that gets stuck, from many other places.
/// `out_met` says whether all are met; else the positions are the best that were found
/// from the guess itself.  Fails when a formula has no value at the guess.
KAL_CHECKED KalStatus kal_seek_positions(KalInstant *instant, const bool *held,
                                         bool *out_met);

#endif
