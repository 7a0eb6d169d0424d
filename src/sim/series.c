// SPDX-License-Identifier: MIT

#include "sim/series.h"

#include <assert.h>

// cos(m π/8)
#define C0 1.0
#define C1 0.92387953251128675613
#define C2 0.70710678118654752440
#define C3 0.38268343236508977173

double kal_series_node(int j)
{
    static const double nodes[KAL_SERIES_NODES] = {-C0, -C1, -C2, -C3, 0.0,
                                                   C3,  C2,  C1,  C0};
    assert(j >= 0 && j < KAL_SERIES_NODES);
    return nodes[j];
}

double kal_series_coefficient(const double *values, size_t stride, int k)
{
    assert(k >= 0 && k <= KAL_SERIES_DEGREE && stride > 0);

    enum {
        DEGREE = KAL_SERIES_DEGREE
    };

    // cos(m π/8) for m from 0 to 15
    static const double cosines[2 * DEGREE] = {C0,  C1,  C2,  C3,  0.0, -C3, -C2, -C1,
                                               -C0, -C1, -C2, -C3, 0.0, C3,  C2,  C1};
    double sum = 0.0;
    for (int j = 0; j <= DEGREE; j++) {
        const double weight = j == 0 || j == DEGREE ? 0.5 : 1.0;
        const int m = k * (DEGREE - j) % (2 * DEGREE);
        sum += weight * values[(size_t)j * stride] * cosines[m];
    }
    return sum * (k == 0 || k == DEGREE ? 1.0 : 2.0) / DEGREE;
}

double kal_series_sum(const double c[KAL_SERIES_NODES], double x)
{
    double b1 = 0.0;
    double b2 = 0.0;
    for (int k = KAL_SERIES_DEGREE; k > 0; k--) {
        const double b = c[k] + 2.0 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + x * b1 - b2;
}
