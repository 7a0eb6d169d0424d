// SPDX-License-Identifier: MIT

/// @file
/// Householder QR with column pivoting: the library's way to a rank.
///
/// W P = U T, where U is a product of reflectors I − tau v vᵀ with v(0) = 1, stored below
/// the diagonal of T in the place of W.  Pivoting takes the column with the largest part
/// outside the span of those before it, so that the diagonal of T falls, and what is left
/// when the factorization stops at the tolerance is the distance of the remaining columns
/// from that span.
///
/// Where rows differ in size by many orders of magnitude, rounding in the large ones would
/// drown the small ones.  With `swaps` the largest entry of the pivot column is brought to
/// the top first, which keeps the errors of each row at the level of that row.

#ifndef LINALG_QR_H
#define LINALG_QR_H

/// A factored matrix; all arrays are borrowed.
typedef struct KalQr {
    int rows;
    int columns;
    int rank;    ///< columns taken
    double *W;   ///< rows × columns, leading dimension rows: T above, reflectors below
    double *tau; ///< min(rows, columns)
    int *swaps;  ///< min(rows, columns), or NULL: row k changed places with swaps[k]
    int *perm;   ///< columns: perm[j] is the column that came to place j
    double *norms;   ///< 2 × columns: scratch
    double smallest; ///< last diagonal entry taken, in size
    double dropped;  ///< largest distance of a column not taken; 0 when there is none
} KalQr;

/// Factor qr->W with pivoting until no column is further than `tolerance` from the span
/// of those taken.  The `followers` columns stored behind W's own take part in the
/// reflections (they become Uᵀ times themselves) but not in the pivoting.
void kal_qr_factor(KalQr *qr, double tolerance, int followers);

/// The same, but stop after `rank` columns whatever their size.
void kal_qr_factor_to_rank(KalQr *qr, int rank, int followers);

/// x ← U x, for x with qr->rows entries.
void kal_qr_apply(const KalQr *qr, double *x);

/// x ← Uᵀ x.
void kal_qr_apply_transposed(const KalQr *qr, double *x);

/// Write column j of U (rows entries) to x.
void kal_qr_basis(const KalQr *qr, int j, double *x);

#endif
