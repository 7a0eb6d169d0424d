// SPDX-License-Identifier: MIT

#include "linalg/lu.h"
#include "rng.h"
#include "tap.h"

#include <string.h>

enum {
    MOST = 40
};

static double a[MOST * MOST];
static double factors[MOST * MOST];
static double work[MOST];
static int perm[MOST];

static void systems_are_solved_to_rounding(void)
{
    for (int n = 1; n <= MOST; n++) {
        Rng rng = {(uint64_t)n};
        double x[MOST];
        double side[MOST];
        for (int i = 0; i < n * n; i++) {
            a[i] = rng_entry(&rng);
        }
        a[0] = 0.0; // a pivot that has to be found elsewhere
        a[0] = n == 1 ? 2.0 : a[0];
        for (int i = 0; i < n; i++) {
            side[i] = rng_entry(&rng);
        }
        memcpy(factors, a, sizeof a);
        memcpy(x, side, sizeof x);
        ok(kal_lu_factor(n, factors, perm));
        kal_lu_solve(n, factors, perm, work, x);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            double size = 0.0;
            for (int j = 0; j < n; j++) {
                sum += a[i * n + j] * x[j];
                size += fabs(a[i * n + j] * x[j]);
            }
            near(sum, side[i], 1e-14 * size * n);
        }
    }
}

static void a_dependent_row_is_noticed(void)
{
    for (int n = 2; n <= MOST; n++) {
        Rng rng = {(uint64_t)(100 + n)};
        for (int i = 0; i < n * n; i++) {
            a[i] = rng_entry(&rng);
        }
        for (int j = 0; j < n; j++) { // the last row is a multiple of the first
            a[(n - 1) * n + j] = 0.5 * a[j];
        }
        ok(!kal_lu_factor(n, a, perm));
    }
}

static void zeros_are_singular(void)
{
    double zero[4] = {0.0, 0.0, 0.0, 0.0};
    ok(!kal_lu_factor(2, zero, perm));
}

TAP_RUN(TAP_CASE(systems_are_solved_to_rounding), TAP_CASE(a_dependent_row_is_noticed),
        TAP_CASE(zeros_are_singular))
