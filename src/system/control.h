// SPDX-License-Identifier: MIT

/// @file
/// Servo constraints at one instant: the control that makes their errors obey their laws.
///
/// Nature's part is solved first.  Without actuators the control is the generalized force
/// of least Gauss norm, theory (14.2); it leaves the reactions of nature as they are.
/// With actuators it is the input of least weighted norm, theory (14.4), which is refused
/// where the actuators cannot reach the servos.

#ifndef SYSTEM_CONTROL_H
#define SYSTEM_CONTROL_H

#include "system/contact.h"

/// What control does at an instant.  Arrays hold until the next solve.
typedef struct KalControlAnswer {
    const double *force;    ///< n: generalized force of the control
    const double *demanded; ///< an input per actuator, as the servos need it
    const double *inputs;   ///< as delivered within the limits
    bool saturated;         ///< they differ: the servos are not met
    const char *kept;       ///< a servo that contacts keep from being met, or NULL
} KalControlAnswer;

/// The workspace of servo constraints.
typedef struct KalControl KalControl;

/// Make one for a system with servos, for instants that are dense or, if it is large, sparse.  The
/// caller owns it.
KAL_CHECKED KalStatus kal_control_create(KalContext *ctx, const KalSystem *system,
                                         bool is_large, KalControl **out_control);

/// Set the weights of the actuators, which it needs before the first solve.
void kal_control_set_weights(KalControl *control, const double *weights);

/// Free it.  NULL is allowed.
void kal_control_destroy(KalControl *control);

/// The servos and constraints that the last solve could not meet together; returns how
/// many.
int kal_control_blamed(const KalControl *control, const char *const **out_names);

/// Take servo A, servo b and B from the results of the system's GIVENS.
void kal_control_read(KalControl *control, const double *values);

/// Add the control to the answer that `instant` has of nature alone, by `solve`.
KAL_CHECKED KalStatus kal_control_solve(KalControl *control, KalInstant *instant,
                                        KalInstantSolve solve);

/// Let solves keep the inputs that were demanded last, whatever the servos need, or not any
/// more: while it is decided which contacts act.
void kal_control_freeze(KalControl *control, bool frozen);

/// The power of an actuator in the last solve, for velocities v.
double kal_control_power(const KalControl *control, int actuator, const double *v);

/// What the last solve came to.
KalControlAnswer kal_control_get(const KalControl *control);

#endif
