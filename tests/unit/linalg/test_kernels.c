// SPDX-License-Identifier: MIT

// On small whole numbers every sum is exact, whatever its order.

#include "linalg/kernels.h"
#include "rng.h"
#include "tap.h"

enum {
    MOST = 37
};

static double x[MOST + 1];
static double y[MOST + 1];

static void fill(int seed)
{
    Rng rng = {(uint64_t)seed};
    for (int i = 0; i <= MOST; i++) {
        x[i] = rng_int(&rng, -9, 9);
        y[i] = rng_int(&rng, -9, 9);
    }
}

static void sums_of_products_are_exact(void)
{
    for (int n = 0; n <= MOST; n++) {
        fill(n);
        double sum = 0.0;
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            sum += x[i] * y[i];
            size += fabs(x[i] * y[i]);
        }
        double got = -1.0;
        ok(kal_dot(n, x, y) == sum);
        ok(kal_dot_with_size(n, x, y, &got) == sum);
        ok(got == size);
    }
}

static void vectors_are_added_scaled_and_exchanged(void)
{
    for (int n = 0; n <= MOST; n++) {
        double a[MOST + 1];
        double b[MOST + 1];
        fill(n);
        memcpy(a, x, sizeof a);
        memcpy(b, y, sizeof b);
        kal_axpy(n, -3.0, a, b);
        kal_vector_scale(n, 5.0, a);
        for (int i = 0; i <= MOST; i++) {
            ok(b[i] == (i < n ? y[i] - 3.0 * x[i] : y[i]));
            ok(a[i] == (i < n ? 5.0 * x[i] : x[i]));
        }
        kal_swap(n, a, b);
        for (int i = 0; i <= MOST; i++) {
            ok(b[i] == (i < n ? 5.0 * x[i] : y[i]));
            ok(a[i] == (i < n ? y[i] - 3.0 * x[i] : x[i]));
        }
    }
}

static void columns_start_a_leading_dimension_apart(void)
{
    double a[12];
    ok(kal_column(a, 4, 0) == a);
    ok(kal_column(a, 4, 2) == a + 8);
    ok(kal_const_column(a, 3, 1) == a + 3);
}

TAP_RUN(TAP_CASE(sums_of_products_are_exact),
        TAP_CASE(vectors_are_added_scaled_and_exchanged),
        TAP_CASE(columns_start_a_leading_dimension_apart))
