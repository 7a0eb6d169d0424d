// SPDX-License-Identifier: MIT

/// @file
/// Eigenvalues and eigenvectors of a general real matrix: balancing, Hessenberg form,
/// shifted QR steps to the real Schur form, substitution (theory, section 17).

#ifndef LINALG_GENERAL_H
#define LINALG_GENERAL_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/// What there is to know of the spectrum of an n × n matrix; arrays are the caller's.
/// Eigenvalues come in the order in which they fall out; conjugate pairs are exact
/// conjugates and neighbors, the one with positive imaginary part first.
typedef struct KalSpectrum {
    double complex *values;  ///< n
    double complex *vectors; ///< n × n: columns, of largest entry 1
    double *conditions;      ///< n: |yᴴx| of unit left and right eigenvectors of the
                             ///< balanced matrix: 1 is best, near 0 is nearly defective
    double norm;             ///< Frobenius norm of the balanced matrix
} KalSpectrum;

/// Bytes of work memory for a matrix of this size.
size_t kal_eigen_general_work(int n);

/// Find the spectrum of A (n × n, column after column), which is destroyed.  False when
/// the QR steps do not converge, which is not known to happen for finite entries.
bool kal_eigen_general(int n, double *A, void *work, KalSpectrum *spectrum);

#endif
