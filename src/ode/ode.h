// SPDX-License-Identifier: MIT

/// @file
/// What the integrators of integrator.h work with: systems of differential equations
/// y' = f(t, y) or F(t, y, y') = 0 as callbacks, options, and steps.
///
/// Integrators know no models.  They see a rate, and optionally a projection that brings a
/// state back to a manifold on which the true solution lies.
///
/// Callbacks return a KalStatus and explain failures in the context, as every call does.
/// A failure stops the step, and status and explanation go to whoever asked for it; unless
/// `may_retry` holds for the status: then the state tried is taken to lie outside of the
/// domain of f, and the step is tried again, a quarter as long, a bounded number of times.
/// A rate that is not finite is such a failure too (KAL_ERR_NUMBER).
///
/// Times may run forward or backward.  Nothing here depends on anything but the arguments:
/// the same input gives the same bits.

#ifndef ODE_ODE_H
#define ODE_ODE_H

#include "base/context.h"

#include <stdbool.h>

enum {
    KAL_ODE_LIMIT = 1 << 20 ///< states at most, unless models may be larger than usual
};

/// The rate f(t, y), n numbers.
typedef KalStatus (*KalRateFn)(void *user, double t, const double *y, double *out_rate);

/// The rates of all stages of an explicit method at once: (t, y, h, t + h, rate at y) in `begin`.
/// Answers the rates of the stages behind the first, and then the state of the last, each n
/// numbers, with the bits of rates taken one by one; NULL: they have to be.
typedef const double *(*KalStagesFn)(void *user, const double *begin);

/// Bring y to the manifold.  What is on it must stay there to rounding.
typedef KalStatus (*KalProjectFn)(void *user, double t, double *y);

/// ∂f/∂y at (t, y), n × n, column after column; it comes filled with zeros.
typedef KalStatus (*KalRateJacobianFn)(void *user, double t, const double *y,
                                       double *out_J);

/// The residual F(t, y, y') of implicit equations, n numbers.
typedef KalStatus (*KalResidualFn)(void *user, double t, const double *y,
                                   const double *yp, double *out_residual);

/// Where an implicit method has linear equations to be solved.
typedef struct KalNewtonPlace {
    double t;
    const double *y;
    const double *yp; ///< of implicit equations, else NULL
    double factor;
} KalNewtonPlace;

/// Get ready to solve by the matrix 1 − factor ∂f/∂y or, of implicit equations, by
/// ∂F/∂y + factor ∂F/∂y'.
typedef KalStatus (*KalNewtonPrepareFn)(void *user, const KalNewtonPlace *place);

/// Solve by that matrix in place: n numbers.
typedef void (*KalNewtonSolveFn)(void *user, double *x);

/// A system of n equations.
typedef struct KalOdeSystem {
    int n;
    int n_integrals; ///< the last of the n are integrals along the solution: no rate
                     ///< depends on them, and the choice of steps does not either
    void *user;      ///< passed to all callbacks as it is
    KalRateFn rate; ///< of implicit equations: y' at the start, which solves them there
    KalStagesFn stages;         ///< of DOP853 (kal_dop853_rows); NULL: rates one by one
    KalProjectFn project;       ///< after every step; NULL: none
    KalRateJacobianFn jacobian; ///< for methods that need it, else NULL
    KalResidualFn residual;     ///< likewise
    KalNewtonPrepareFn
        prepare; ///< in place of a Jacobian, for systems of any size: no array
                 ///< has n × n numbers then.  NULL: none
    KalNewtonSolveFn solve; ///< comes with it
    const double *kinds; ///< n, with a residual: 1 for a differential unknown, 0 for an
                         ///< algebraic one.  Copied
    bool (*may_retry)(KalStatus s); ///< NULL: for KAL_ERR_NUMBER only
} KalOdeSystem;

/// How to integrate.  In every step the estimated error of every component is at most
/// atol + rtol |y|.
typedef struct KalOdeOptions {
    double rtol;         ///< ≥ 0
    double atol;         ///< > 0
    const double *atols; ///< n values > 0 in place of atol, copied; NULL: atol for all
    double first_step;   ///< > 0, or 0: found automatically
    double max_step;     ///< > 0, or 0: no bound
    double fixed_step;   ///< > 0: all steps have this size and errors are not looked at
                         ///< (for integrators that take it), or 0
    bool project_stages; ///< project states also before each rate (DOP853 only)
} KalOdeOptions;

/// An accepted step.  The arrays belong to the integrator and hold until its next call.
typedef struct KalOdeStep {
    double t_old;
    double t_new;
    const double *y_old;
    const double *y_new; ///< projected
    bool finished;       ///< t_new is the end
    bool stiff; ///< stability, not accuracy, has held the steps small for a while
} KalOdeStep;

/// Work done since the integrator was made, restarts included.
typedef struct KalOdeCounts {
    long steps;       ///< accepted
    long rejected;    ///< for their error, or because a nonlinear system was not solved
    long retries;     ///< because a callback asked for it
    long evaluations; ///< of the rate
    long projections;
    long jacobians;
} KalOdeCounts;

/// rtol 1e-9, atol 1e-12, steps as they come.
KalOdeOptions kal_ode_options(void);

#endif
