// SPDX-License-Identifier: MIT

/// @file
/// What the integrators have in common inside.

#ifndef ODE_ODE_IMPL_H
#define ODE_ODE_IMPL_H

#include "ode/ode.h"

/// Whether a system and options can be worked with: KAL_ERR_USAGE, KAL_ERR_LIMIT.
KAL_CHECKED KalStatus kal_ode_check(KalContext *ctx, const KalOdeSystem *system,
                                    const KalOdeOptions *options);

/// Whether a time and a state are finite numbers and lie before the end.
KAL_CHECKED KalStatus kal_ode_check_start(KalContext *ctx, int n, double t,
                                          const double *y, double t_end);

/// A step of no length at the present state.
KalOdeStep kal_ode_no_step(double t, const double *y);

/// Whether t lies in the last step, one of no length included.  Before the start there
/// is none, and it has no states.
KAL_CHECKED KalStatus kal_ode_check_inside(KalContext *ctx, const KalOdeStep *step,
                                           double t);

/// Whether a failure with this status may pass with a smaller step.
bool kal_ode_may_retry(const KalOdeSystem *system, KalStatus status);

/// Call the rate and see that all of it is finite.
KAL_CHECKED KalStatus kal_ode_rate(KalContext *ctx, const KalOdeSystem *system,
                                   double t, const double *y, double *out_rate);

/// How far a projection moved n numbers, in units of what is allowed for each, theory
/// (12.19).
double kal_ode_shift(int n, double rtol, const double *atol, const double *from,
                     const double *to);

/// The steps that can be told from none at time t are longer than this.
double kal_ode_least_step(double t);

/// Fail because steps became too small at time t.
KalStatus kal_ode_collapse(KalContext *ctx, double t, double h);

#endif
