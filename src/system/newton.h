// SPDX-License-Identifier: MIT

/// @file
/// The linear equations of implicit methods, for systems of some size: theory (15.35).
///
/// With f = (q', a, s') the matrix 1 − γ ∂f/∂y is full, for each acceleration depends on all
/// positions that constraints connect.  Written with the multipliers as unknowns it is sparse:
/// the equations of motion, differentiated, have the structure of M, A and the derivatives of
/// residuals (system/tangent.h).

#ifndef SYSTEM_NEWTON_H
#define SYSTEM_NEWTON_H

#include "sparse/gather.h"
#include "system/instant.h"

/// A workspace.  Zeroed is none.
typedef struct KalNewton {
    KalInstant *instant;
    KalWorkspace workspace;
    KalGather gather;
    KalSparseLu lu;
    double factor; ///< γ of the factors
    int n_rows;    ///< constraints that are independent
    int *rows;     ///< n_rows: their indices
    int *places;   ///< n_rows: among the active ones
    double *M;     ///< entries
    double *A;     ///< entries
    double *R;     ///< entries of ∂R/∂y, then of ∂S/∂y and of ∂F/∂y
    double *S;
    double *F;
    double *kept; ///< n
    double *b;    ///< n, m and n_states
    double *x;    ///< as many
} KalNewton;

/// Whether it is for an instant: for large ones, and for others with so many coordinates that it
/// pays, as long as there are no non-ideal forces.
bool kal_newton_serves(const KalInstant *instant);

/// Make a workspace for an instant that it serves, which stays longer.  The caller clears it,
/// whatever is returned.
KAL_CHECKED KalStatus kal_newton_init(KalNewton *newton, KalInstant *instant);

void kal_newton_clear(KalNewton *newton);

/// Factor for the factor γ at the instant, whose answer this is, by all rows or the independent
/// ones.
/// KAL_ERR_NUMBER when the matrix is singular.  What the instant was solved for is lost.
KAL_CHECKED KalStatus kal_newton_factor(KalNewton *newton,
                                        const KalMotionAnswer *answer, double factor);

/// Solve (1 − γ ∂f/∂y) x = x in place.
void kal_newton_solve(KalNewton *newton, double *x);

#endif
