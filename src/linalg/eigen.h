// SPDX-License-Identifier: MIT

/// @file
/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations.

#ifndef LINALG_EIGEN_H
#define LINALG_EIGEN_H

/// S = V diag(w) Vᵀ.  S (n × n, both triangles) is destroyed; V (n × n) gets the
/// eigenvectors as columns, w (n) the eigenvalues in the order they fall out.  The
/// small eigenvalues of a graded matrix D H D, H harmless with unit diagonal, come out to
/// high relative accuracy.
void kal_eigen_symmetric(int n, double *S, double *V, double *w);

#endif
