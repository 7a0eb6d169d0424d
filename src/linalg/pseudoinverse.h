// SPDX-License-Identifier: MIT

/// @file
/// The Moore–Penrose inverse of a matrix of known rank, kept in factors.
///
/// X P = U T with T of full row rank, and Tᵀ = V R; then X⁺ = P V R⁻ᵀ Uᵀ (first `rank`
/// rows).  With the rank known, two orthogonal factorizations give X⁺ as exactly as a
/// singular value decomposition would.

#ifndef LINALG_PSEUDOINVERSE_H
#define LINALG_PSEUDOINVERSE_H

#include "linalg/product.h"
#include "linalg/qr.h"

#include <stddef.h>

typedef struct KalPseudoinverse {
    KalQr outer;     ///< of X
    KalQr inner;     ///< of Tᵀ
    double *scratch; ///< max(rows, columns)
} KalPseudoinverse;

/// Doubles and ints that kal_pseudoinverse_factor takes for a rows × columns matrix.
size_t kal_pseudoinverse_doubles(int rows, int columns);
size_t kal_pseudoinverse_ints(int rows, int columns);

/// Factor X, which is copied, as a matrix of the given rank.  The two arrays must be as
/// large as the functions above say and are borrowed as long as the inverse is used.
void kal_pseudoinverse_factor(KalPseudoinverse *inverse, KalMatrix X, int rank,
                              double *doubles, int *ints);

/// y = X⁺ x, with x of `rows` and y of `columns` entries; they may not overlap.
void kal_pseudoinverse_apply(const KalPseudoinverse *inverse, const double *x,
                             double *y);

#endif
