// SPDX-License-Identifier: MIT

/// @file
/// Functions on a stretch by Chebyshev polynomials of degree 8, known by nine values (L. N.
/// Trefethen, Approximation Theory and Approximation Practice, 2013).

#ifndef SIM_SERIES_H
#define SIM_SERIES_H

#include <stddef.h>

enum {
    KAL_SERIES_NODES = 9,
    KAL_SERIES_DEGREE = KAL_SERIES_NODES - 1
};

/// Node j of −1 … 1, −cos(j π/8), both ends among them.
double kal_series_node(int j);

/// Coefficient k of the series through values at the nodes, `stride` apart.
double kal_series_coefficient(const double *values, size_t stride, int k);

/// The sum of the series at x, by Clenshaw's recurrence.
double kal_series_sum(const double c[KAL_SERIES_NODES], double x);

#endif
