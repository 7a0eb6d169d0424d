// SPDX-License-Identifier: MIT

#include "linalg/triangular.h"
#include "matrix.h"
#include "tap.h"

static const int SIZES[] = {1, 2, 5, 31, 32, 33, 64, 65, 100};

enum {
    COUNT = sizeof SIZES / sizeof SIZES[0]
};

static Matrix T; // lower or upper triangle, NaN in the other
static Matrix X;
static Matrix B;
static double inverse[MATRIX_MOST];

// A well-conditioned triangle: a strong diagonal, the rest small.  The other triangle
// must never be read: it holds NaN.
static void make_triangle(Rng *rng, int n, int ld, bool lower)
{
    matrix_zero(&T, ld, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < ld; i++) {
            const bool inside = i < n && (lower ? i >= j : i <= j);
            *entry(&T, i, j) = inside ? rng_entry(rng) / n : NAN;
        }
        *entry(&T, j, j) = 1.0 + rng_unit(rng);
        inverse[j] = 1.0 / value(&T, j, j);
    }
}

// Row i of T x, or of Tᵀx, over the triangle.
static double row_times(int n, int i, bool lower, bool transposed, const double *x)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        const bool inside = lower != transposed ? j <= i : j >= i;
        sum += inside ? (transposed ? value(&T, j, i) : value(&T, i, j)) * x[j] : 0.0;
    }
    return sum;
}

static void lower_triangles_are_solved_for_many_sides(void)
{
    const int columns[] = {0, 1, 2, 3, 8, 33};
    for (int k = 0; k < COUNT; k++) {
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            const int n = SIZES[k];
            Rng rng = {(uint64_t)(100 * n + columns[c])};
            static Matrix before;
            make_triangle(&rng, n, n, true);
            before = T;
            matrix_random(&B, &rng, n, columns[c]);
            X = B;
            kal_solve_lower(n, T.at, inverse, columns[c], X.at);
            ok(memcmp(before.at, T.at, (size_t)(n * n) * sizeof T.at[0]) == 0);
            for (int j = 0; j < columns[c]; j++) {
                for (int i = 0; i < n; i++) {
                    near(row_times(n, i, true, false, X.at + j * n), value(&B, i, j),
                         1e-14);
                }
            }
        }
    }
}

// A side is solved the same whether it comes alone or among others.
static void sides_do_not_touch_each_other(void)
{
    const int n = 65;
    Rng rng = {7};
    make_triangle(&rng, n, n, true);
    matrix_random(&B, &rng, n, 5);
    X = B;
    kal_solve_lower(n, T.at, inverse, 5, X.at);
    for (int j = 0; j < 5; j++) {
        double x[65];
        memcpy(x, B.at + j * n, sizeof x);
        kal_solve_lower(n, T.at, inverse, 1, x);
        for (int i = 0; i < n; i++) {
            near(x[i], value(&X, i, j), 1e-15);
        }
    }
}

static void lower_transposed_triangles_are_solved(void)
{
    for (int k = 0; k < COUNT; k++) {
        const int n = SIZES[k];
        Rng rng = {(uint64_t)n};
        make_triangle(&rng, n, n, true);
        matrix_random(&B, &rng, n, 1);
        X = B;
        kal_solve_lower_transposed(n, T.at, inverse, X.at);
        for (int i = 0; i < n; i++) {
            near(row_times(n, i, true, true, X.at), B.at[i], 1e-14);
        }
    }
}

static void upper_triangles_are_solved_inside_larger_matrices(void)
{
    for (int k = 0; k < COUNT; k++) {
        for (int transposed = 0; transposed < 2; transposed++) {
            const int n = SIZES[k];
            Rng rng = {(uint64_t)(10 * n + transposed)};
            make_triangle(&rng, n, n + 3, false);
            matrix_random(&B, &rng, n, 1);
            X = B;
            if (transposed) {
                kal_solve_upper_transposed(n, T.at, n + 3, X.at);
            } else {
                kal_solve_upper(n, T.at, n + 3, X.at);
            }
            for (int i = 0; i < n; i++) {
                near(row_times(n, i, false, transposed, X.at), B.at[i], 1e-14);
            }
        }
    }
}

static void nothing_is_solved_at_once(void)
{
    double x[] = {42.0};
    kal_solve_upper(0, NULL, 1, x);
    kal_solve_upper_transposed(0, NULL, 1, x);
    kal_solve_lower_transposed(0, NULL, NULL, x);
    ok(x[0] == 42.0);
}

TAP_RUN(TAP_CASE(lower_triangles_are_solved_for_many_sides),
        TAP_CASE(sides_do_not_touch_each_other),
        TAP_CASE(lower_transposed_triangles_are_solved),
        TAP_CASE(upper_triangles_are_solved_inside_larger_matrices),
        TAP_CASE(nothing_is_solved_at_once))
