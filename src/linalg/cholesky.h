// SPDX-License-Identifier: MIT

/// @file
/// Cholesky factors M = L Lᵀ, plain for definite and pivoted for semi-definite M.

#ifndef LINALG_CHOLESKY_H
#define LINALG_CHOLESKY_H

/// Replace the lower triangle of the n × n matrix `a` (leading dimension n) by its
/// factor L, and fill inverse[j] = 1 / L(j,j).  The upper triangle is scratch.
/// Returns the smallest pivot relative to the diagonal entry it came from: near 1 for a
/// harmless matrix, below rounding for a singular one; 0 when the factorization stopped
/// at a pivot that is not positive.  Both are independent of the scaling of rows.
double kal_cholesky(int n, double *restrict a, double *restrict inverse);

/// Factor a semi-definite matrix with pivoting: a(p,p) = L Lᵀ up to `tolerance`, where L
/// has `rank` columns.  On entry `a` (n × n, leading dimension n) holds both triangles;
/// on return its first rank columns hold L in pivoted order, zero above the diagonal, and
/// the trailing block what is left of a.  perm[i] is the row that came to place i.
/// `tolerance` is absolute: scale the matrix to a unit diagonal first.  Returns rank.
int kal_cholesky_pivoted(int n, double *restrict a, double tolerance,
                         int *restrict perm);

#endif
