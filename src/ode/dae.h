// SPDX-License-Identifier: MIT

/// @file
/// Implicit equations F(t, y, y') = 0, of differential and algebraic unknowns, by IDA of
/// SUNDIALS: backward differentiation formulas of orders 1 to 5 with error control
/// (docs/theory/verification.md).
///
/// Callbacks and their failures are as in ode.h.  Errors are controlled in differential
/// unknowns only; the Jacobian is found by differences.  SUNDIALS takes its own memory,
/// past the context.

#ifndef ODE_DAE_H
#define ODE_DAE_H

#include "base/context.h"

#include <stdbool.h>

enum {
    KAL_DAE_LIMIT = 2048 ///< unknowns at most, for matrices are full
};

/// The residual F(t, y, y'), n numbers.
typedef KalStatus (*KalResidualFn)(void *user, double t, const double *y,
                                   const double *yp, double *out_residual);

/// Equations in n unknowns.
typedef struct KalDaeSystem {
    int n;
    void *user; ///< passed to callbacks as it is
    KalResidualFn residual;
    bool (*may_retry)(KalStatus s); ///< whether a smaller step may help
    const double *kinds; ///< n: 1 for a differential unknown, 0 for an algebraic one
    double rtol;
    const double *atols; ///< n, > 0
} KalDaeSystem;

typedef struct KalDae KalDae;

/// Begin at a state (t, y) with derivatives yp that satisfy the equations.  Kinds and
/// tolerances are copied.  The caller owns the result.  KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_dae_create(KalContext *ctx, const KalDaeSystem *system,
                                     double t, const double *y, const double *yp,
                                     KalDae **out_dae);

/// Free it.  NULL is allowed.
void kal_dae_destroy(KalDae *dae);

/// Go on to time t, after all times before, and write the state there: n numbers.  Failures
/// of callbacks, KAL_ERR_STEP when no step succeeds or there were 50000 of them.
KAL_CHECKED KalStatus kal_dae_advance(KalDae *dae, double t, double *out_y);

#endif
