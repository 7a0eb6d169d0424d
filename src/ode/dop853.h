// SPDX-License-Identifier: MIT

/// @file
/// DOP853: an explicit Runge–Kutta method of order 8 with error control, dense output of
/// order 7 and projection; for problems that are not stiff (docs/theory/integration.md).
///
/// A KalDop853 is a workspace, sized once: a step allocates nothing.  Use:
///
///     start(t, y, t_end); do { step(&s); interpolate(t, y)…; } while (!s.finished);
///
/// A step whose error is small enough is projected, if the system has a projection, and
/// the next one begins with the projected state and its rate.  The way to there counts as
/// an error too: a step that is moved by more than the tolerances is rejected.  The
/// polynomial of dense output is that of the step as the method took it.

#ifndef ODE_DOP853_H
#define ODE_DOP853_H

#include "ode/ode.h"

typedef struct KalDop853 KalDop853;

/// Make an integrator.  `options` may be NULL, for kal_ode_options(); both are copied.
/// KAL_ERR_USAGE, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_dop853_create(KalContext *ctx, const KalOdeSystem *system,
                                        const KalOdeOptions *options,
                                        KalDop853 **out_solver);

/// Free an integrator.  NULL is allowed.
void kal_dop853_destroy(KalDop853 *solver);

/// Start at (t, y), or start anew after an event, towards t_end, which may lie before t
/// and may be infinite.  Nothing is remembered but the counts.  Evaluates the rate at y:
/// its failures, KAL_ERR_USAGE, KAL_ERR_NUMBER.
KAL_CHECKED KalStatus kal_dop853_start(KalDop853 *solver, double t, const double *y,
                                       double t_end);

/// Move the end of the integration; it must not lie behind the present time.
KAL_CHECKED KalStatus kal_dop853_set_end(KalDop853 *solver, double t_end);

/// No step is longer than this from now on, unless steps are fixed; positive, or 0 for any
/// length.
void kal_dop853_set_max_step(KalDop853 *solver, double longest);

/// Take a step.  The last one ends exactly at t_end.  A failure leaves the state as it
/// was after the last step: those of callbacks, KAL_ERR_STEP when the step size collapses,
/// KAL_ERR_USAGE when there is no way to go.
KAL_CHECKED KalStatus kal_dop853_step(KalDop853 *solver, KalOdeStep *out_step);

/// The state at t within the last step.  At its ends it is exactly that of the step;
/// between them it is not projected.  After a start or a failure there is the present
/// time only.  The first call in a step evaluates the rate three times, and passes on its
/// failures.
KAL_CHECKED KalStatus kal_dop853_interpolate(KalDop853 *solver, double t,
                                             double *out_y);

/// The work done so far.
KalOdeCounts kal_dop853_counts(const KalDop853 *solver);

#endif
