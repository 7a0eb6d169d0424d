// SPDX-License-Identifier: MIT

/// @file
/// Solves with triangular matrices, in place, for one or many right-hand sides.

#ifndef LINALG_TRIANGULAR_H
#define LINALG_TRIANGULAR_H

/// X ← L⁻¹ X for the lower triangle of L (n × n, leading dimension n) with
/// inverse[j] = 1 / L(j,j), and X n × columns with leading dimension n.  L is only read.
void kal_solve_lower(int n, double *L, const double *inverse, int columns, double *X);

/// x ← L⁻ᵀ x.
void kal_solve_lower_transposed(int n, const double *L, const double *inverse,
                                double *x);

/// x ← T⁻¹ x for the upper triangle of T (k × k, leading dimension ld).
void kal_solve_upper(int k, const double *T, int ld, double *x);

/// x ← T⁻ᵀ x.
void kal_solve_upper_transposed(int k, const double *T, int ld, double *x);

#endif
