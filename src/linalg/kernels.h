// SPDX-License-Identifier: MIT

/// @file
/// The inner loops of all dense algebra, small enough to be inlined.
///
/// Matrices are stored column after column throughout the library's inside, with a
/// leading dimension; vectors are contiguous.  Sums run in four fixed lanes, so that the
/// compiler may use vector registers of any width and the bits stay the same.

#ifndef LINALG_KERNELS_H
#define LINALG_KERNELS_H

#include <math.h>
#include <stddef.h>

/// Σ x y.
static inline double kal_dot(int n, const double *restrict x, const double *restrict y)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int lane = 0; lane < 4; lane++) {
            s[lane] += x[i + lane] * y[i + lane];
        }
    }
    for (; i < n; i++) {
        s[0] += x[i] * y[i];
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/// Σ x y, and Σ |x y|: what the sum is to be measured by.
static inline double kal_dot_with_size(int n, const double *restrict x,
                                       const double *restrict y, double *restrict size)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    double a[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int lane = 0; lane < 4; lane++) {
            const double p = x[i + lane] * y[i + lane];
            s[lane] += p;
            a[lane] += fabs(p);
        }
    }
    for (; i < n; i++) {
        const double p = x[i] * y[i];
        s[0] += p;
        a[0] += fabs(p);
    }
    *size = (a[0] + a[1]) + (a[2] + a[3]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/// y += f x.
static inline void kal_axpy(int n, double f, const double *restrict x,
                            double *restrict y)
{
    for (int i = 0; i < n; i++) {
        y[i] += f * x[i];
    }
}

/// x *= f.
static inline void kal_vector_scale(int n, double f, double *restrict x)
{
    for (int i = 0; i < n; i++) {
        x[i] *= f;
    }
}

/// Exchange x and y.
static inline void kal_swap(int n, double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        const double keep = x[i];
        x[i] = y[i];
        y[i] = keep;
    }
}

/// The column j of a matrix with leading dimension ld.
static inline double *kal_column(double *a, int ld, int j)
{
    return a + (size_t)ld * (size_t)j;
}

/// The same for a matrix that is only read.
static inline const double *kal_const_column(const double *a, int ld, int j)
{
    return a + (size_t)ld * (size_t)j;
}

#endif
