// SPDX-License-Identifier: MIT

/// @file
/// Servos of large systems that any force meets: theory (14.2) by sparse factors of the natural
/// rows and the servo rows together.

#ifndef SYSTEM_LARGE_CONTROL_H
#define SYSTEM_LARGE_CONTROL_H

#include "system/instant.h"

/// A workspace.
typedef struct KalLargeControl KalLargeControl;

/// Make one for a system with servos and without actuators.  The caller owns it.
KAL_CHECKED KalStatus kal_large_control_create(KalContext *ctx, const KalSystem *system,
                                               KalLargeControl **out_control);

/// Free it.  NULL is allowed.
void kal_large_control_destroy(KalLargeControl *control);

/// The change of acceleration of least Gauss norm with which servo rows, of which these are the
/// entries, gain `gap` (one for each servo) and the natural rows that act in the instant nothing.
/// The answer holds until the next solve.  Statuses: as of kal_large_solve().
KAL_CHECKED KalStatus kal_large_control_solve(KalLargeControl *control,
                                              const KalInstant *instant,
                                              const double *servos, const double *gap,
                                              KalMotionAnswer *out_change);

/// Who is to blame when that fails: constraints of the system by their indices, servos by theirs
/// after all constraints.
KalMotionFault kal_large_control_fault(const KalLargeControl *control);

#endif
