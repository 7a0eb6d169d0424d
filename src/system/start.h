// SPDX-License-Identifier: MIT

/// @file
/// States that satisfy the constraints, near a guess.

#ifndef SYSTEM_START_H
#define SYSTEM_START_H

#include "system/projector.h"

/// Start values other than those of the model, by their places in the state: coordinate i
/// is i, its velocity n + i, then states and holds.
typedef struct KalStartPoint {
    const int *places;
    const double *values; ///< finite
    size_t n;
} KalStartPoint;

/// As kal_instant_start_from(), with values by their places.
KAL_CHECKED KalStatus kal_instant_start_at(KalInstant *instant,
                                           const KalStartPoint *point,
                                           KalStartReport *out_report);

/// Move the instant's positions, but for those held, onto the constraints of position
/// level, theory (13.1) to (13.3); where that gets stuck, from many other places.
/// `out_met` says whether all are met; else the positions are the best that were found
/// from the guess itself.  Fails when a formula has no value at the guess.
KAL_CHECKED KalStatus kal_seek_positions(KalInstant *instant, const bool *held,
                                         bool *out_met);

/// The same with a few steps from the guess alone: onto constraints that are near, or not at all.
/// NULL: all positions may move.
KAL_CHECKED KalStatus kal_seek_near(KalInstant *instant, const bool *held,
                                    bool *out_met);

/// Move the instant's velocities, but for those held, to where constraints that cannot be
/// met together miss each other least; instant->residuals say by how much.
KAL_CHECKED KalStatus kal_seek_least_miss(KalInstant *instant, const bool *held);

/// The same for velocities and the constraints of velocity level, in a large system: where
/// constraints are linear in the velocities one step is that of theory (13.4).
KAL_CHECKED KalStatus kal_seek_velocities(KalInstant *instant, const bool *held,
                                          bool *out_met);

/// Bring the instant's state to the constraints that are active now, as a start does, at
/// the time that it has; of its 2 n numbers those stay that `held` says.  For velocities
/// that is a plastic impact, theory (15.6).  KAL_ERR_CONTRADICTION.
KAL_CHECKED KalStatus kal_instant_settle(KalInstant *instant, const bool *held);

/// The same for velocities alone, of which those stay that `held` says, n of them, or none
/// if it is NULL; positions stay as they are, on the constraints or not.
KAL_CHECKED KalStatus kal_instant_impact(KalInstant *instant, const bool *held);

#endif
