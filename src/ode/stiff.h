// SPDX-License-Identifier: MIT

/// @file
/// Backward differentiation formulas of orders 1 to 5 with error control and projection,
/// for stiff problems, by CVODE of SUNDIALS (docs/theory/integration.md).
///
/// Used like the integrator of dop853.h.  The system needs a Jacobian; the options
/// `fixed_step` and `project_stages` are not for this method.  Steps are projected before
/// their error is looked at, and the formula goes on from the projected state.
///
/// SUNDIALS takes its own memory, past the context: some 20 vectors and two n × n matrices,
/// which it gives back when the integrator is destroyed.  It asks for the last of it in
/// the first step.

#ifndef ODE_STIFF_H
#define ODE_STIFF_H

#include "ode/ode.h"

enum {
    KAL_STIFF_LIMIT = 4096 ///< states at most, for matrices are full
};

typedef struct KalStiff KalStiff;

/// Make an integrator.  `options` may be NULL, for kal_ode_options(); both are copied.
/// KAL_ERR_USAGE, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_stiff_create(KalContext *ctx, const KalOdeSystem *system,
                                       const KalOdeOptions *options,
                                       KalStiff **out_solver);

/// Free an integrator.  NULL is allowed.
void kal_stiff_destroy(KalStiff *solver);

/// The smallest tolerance that is kept for n states: with a smaller one errors are no
/// smaller, theory (12.11).
double kal_stiff_least_tolerance(int n);

/// Start at (t, y), or start anew after an event, towards t_end, which may lie before t
/// and may be infinite.  Nothing is remembered but the counts.  KAL_ERR_USAGE,
/// KAL_ERR_NUMBER.
KAL_CHECKED KalStatus kal_stiff_start(KalStiff *solver, double t, const double *y,
                                      double t_end);

/// Move the end of the integration; it must not lie behind the present time.
KAL_CHECKED KalStatus kal_stiff_set_end(KalStiff *solver, double t_end);

/// Take a step.  The last one ends exactly at t_end.  A failure leaves the state as it was
/// after the last step, and another call would start anew from there: those of callbacks,
/// KAL_ERR_STEP when the step size collapses, KAL_ERR_NOMEM, KAL_ERR_USAGE when there is
/// no way to go.
KAL_CHECKED KalStatus kal_stiff_step(KalStiff *solver, KalOdeStep *out_step);

/// The state at t within the last step.  At its ends it is exactly that of the step;
/// between them it is not projected.  After a start or a failure there is the present
/// time only.
KAL_CHECKED KalStatus kal_stiff_interpolate(KalStiff *solver, double t, double *out_y);

/// The order of the last step.
int kal_stiff_order(const KalStiff *solver);

/// The work done so far.
KalOdeCounts kal_stiff_counts(const KalStiff *solver);

#endif
