// SPDX-License-Identifier: MIT

/// @file
/// Starts at the border of pieces (switch.h): velocities on the pieces that they lead to.

#ifndef SYSTEM_BORDER_H
#define SYSTEM_BORDER_H

#include "system/instant.h"

/// Finds velocities on the instant's modes, from those that it has; those that `held` says,
/// n of them, stay.  `out_failed` is how many constraints cannot be met.
typedef KalStatus (*KalFindRates)(KalInstant *instant, const bool *held,
                                  int *out_failed);

/// Find velocities where some switching functions may be zero: on the pieces that the
/// velocities found lead to, theory (13.7), or where there are none with formulas as they
/// come.  The instant has no modes when this returns.
KAL_CHECKED KalStatus kal_border_find_rates(KalInstant *instant, KalFindRates find,
                                            const bool *held, int *out_failed);

/// The pieces that the instant's velocities lead to from the borders that its state is at;
/// NaN for all others.  `out_modes` has as many as the system has switches.
KAL_CHECKED KalStatus kal_border_choose(KalInstant *instant, double *out_modes);

#endif
