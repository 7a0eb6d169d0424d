// SPDX-License-Identifier: MIT

/// @file
/// Gaussian elimination of a square matrix with partial pivoting.

#ifndef LINALG_LU_H
#define LINALG_LU_H

#include <stdbool.h>

/// Replace the n × n matrix `a`, row after row, by its triangular factors; perm[k] is the
/// row that came to place k.  False when the matrix is singular: a pivot is not larger
/// than rounding of the largest entry.  Scale rows and columns first.
bool kal_lu_factor(int n, double *a, int *perm);

/// x ← a⁻¹ x for factors of kal_lu_factor(); `work` has n entries.
void kal_lu_solve(int n, const double *a, const int *perm, double *work, double *x);

#endif
