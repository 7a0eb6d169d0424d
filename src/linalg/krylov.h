// SPDX-License-Identifier: MIT

/// @file
/// A few eigenvalues of a large operator that is known by what it does to vectors.
///
/// *Arnoldi's method, from several vectors at once* (docs/theory/linearization.md, 23): the
/// operator is applied to one vector of an orthonormal basis after the other, and what is
/// new in the result is added to the basis.  The eigenvalues of the largest size of the
/// operator on the span are those of the operator, the sooner the farther they are from
/// the others.  As eigenvalues that coincide have one vector each in the span of one
/// start, there are as many starts as KAL_KRYLOV_STARTS.  Nothing is restarted: the basis
/// grows until all that is wanted is exact.  (Y. Saad, Numerical Methods for Large
/// Eigenvalue Problems, 2nd ed., 2011, section 6.5.)

#ifndef LINALG_KRYLOV_H
#define LINALG_KRYLOV_H

#include "base/context.h"

#include <complex.h>
#include <stdint.h>

enum {
    KAL_KRYLOV_STARTS = 6 ///< eigenvalues that coincide and are all found
};

/// out_y ← operator × x, n numbers each.  A failure ends the search.
typedef KalStatus (*KalOperatorFn)(void *user, const double *x, double *out_y);

/// What is asked for.
typedef struct KalKrylovOptions {
    size_t n;
    KalOperatorFn apply;
    void *user;
    int wanted;       ///< eigenvalues of the largest size
    int most;         ///< vectors of the basis
    double tolerance; ///< of eigenvalues, relative
    uint64_t seed;    ///< of the first vectors
} KalKrylovOptions;

/// What was found.  Zeroed is nothing.
typedef struct KalKrylov {
    KalContext *ctx;
    int n_values;  ///< wanted ones and perhaps the conjugate of the last; fewer if the
                   ///< operator has no more, or if they were not found
    bool complete; ///< all that were wanted, or all there are but zeros
    int steps;     ///< how often the operator was applied
    double complex *values;  ///< n_values: falling sizes; conjugates are neighbors
    double *errors;          ///< n_values: by which they may be wrong
    double complex *vectors; ///< n_values × n, of largest entry 1
    size_t bytes;            ///< of all three
    size_t n;
} KalKrylov;

/// Search.  KAL_ERR_NOMEM, KAL_ERR_NUMBER when the operator gives what is no number, and
/// failures of the operator.  The caller clears it, whatever is returned.
KAL_CHECKED KalStatus kal_krylov_search(KalKrylov *krylov, KalContext *ctx,
                                        const KalKrylovOptions *options);

void kal_krylov_clear(KalKrylov *krylov);

#endif
