// SPDX-License-Identifier: MIT

#include "linalg/cholesky.h"
#include "matrix.h"
#include "tap.h"

#include <stdbool.h>

static const int SIZES[] = {1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100};

enum {
    COUNT = sizeof SIZES / sizeof SIZES[0]
};

static Matrix A; // the matrix, kept
static Matrix F; // its factored copy
static Matrix L;
static Matrix Lt;
static Matrix product;

static void take_lower(int columns)
{
    matrix_zero(&L, F.rows, columns);
    for (int j = 0; j < columns; j++) {
        for (int i = j; i < F.rows; i++) {
            *entry(&L, i, j) = value(&F, i, j);
        }
    }
    matrix_transpose(&L, &Lt);
    matrix_multiply(&L, &Lt, &product);
}

static void factors_multiply_to_the_matrix(void)
{
    for (int k = 0; k < COUNT; k++) {
        const int n = SIZES[k];
        Rng rng = {(uint64_t)n};
        double inverse[MATRIX_MOST];
        matrix_semidefinite(&A, &rng, n, n, 1.0);
        F = A;
        const double pivot = kal_cholesky(n, F.at, inverse);
        ok(pivot > 1e-4 && pivot <= 1.0);
        take_lower(n);
        near(matrix_distance(&product, &A), 0.0, 1e-15 * n * matrix_largest(&A));
        for (int j = 0; j < n; j++) {
            ok(value(&F, j, j) > 0.0);
            near(inverse[j] * value(&F, j, j), 1.0, 1e-15);
        }
    }
}

// The factor is made of the lower triangle alone: what the upper one held shows nowhere.
static void the_upper_triangle_does_not_matter(void)
{
    for (int k = 0; k < COUNT; k++) {
        const int n = SIZES[k];
        Rng rng = {(uint64_t)n};
        double inverse[MATRIX_MOST];
        matrix_semidefinite(&A, &rng, n, n, 1.0);
        F = A;
        const double pivot = kal_cholesky(n, F.at, inverse);
        take_lower(n);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < j; i++) {
                *entry(&A, i, j) = NAN;
            }
        }
        ok(kal_cholesky(n, A.at, inverse) == pivot);
        bool same = true;
        for (int j = 0; j < n; j++) {
            for (int i = j; i < n; i++) {
                same &= value(&A, i, j) == value(&L, i, j);
            }
        }
        ok(same);
    }
}

// [1 c; c 1] leaves 1 − c² of its second diagonal entry.
static void the_smallest_relative_pivot_is_reported(void)
{
    const double c[] = {0.0, 0.5, -0.75, 0.9990234375};
    for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
        double a[] = {1.0, c[k], c[k], 1.0};
        double inverse[2];
        near(kal_cholesky(2, a, inverse), 1.0 - c[k] * c[k], 1e-15);
    }
}

// Units do not matter: with powers of two they change no bit of the pivots.
static void the_relative_pivot_has_no_units(void)
{
    for (int k = 0; k < COUNT; k++) {
        const int n = SIZES[k];
        Rng rng = {(uint64_t)n + 50U};
        double inverse[MATRIX_MOST];
        matrix_semidefinite(&A, &rng, n, n, 0.5);
        F = A;
        const double pivot = kal_cholesky(n, F.at, inverse);
        double unit[MATRIX_MOST];
        for (int j = 0; j < n; j++) {
            unit[j] = ldexp(1.0, rng_int(&rng, -60, 60));
        }
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                *entry(&A, i, j) *= unit[i] * unit[j];
            }
        }
        ok(kal_cholesky(n, A.at, inverse) == pivot);
    }
}

static void singular_and_indefinite_matrices_show(void)
{
    double inverse[MATRIX_MOST];
    for (int k = 2; k < COUNT; k++) {
        const int n = SIZES[k];
        Rng rng = {(uint64_t)n};
        matrix_semidefinite(&A, &rng, n, n - 1, 0.0);
        ok(kal_cholesky(n, A.at, inverse) < 1e-12);
        matrix_semidefinite(&A, &rng, n, n, 1.0);
        *entry(&A, n - 1, n - 1) = -1.0;
        ok(kal_cholesky(n, A.at, inverse) == 0.0);
    }
    double zero[] = {0.0};
    ok(kal_cholesky(1, zero, inverse) == 0.0);
    double swapped[] = {1.0, 2.0, 2.0, 1.0};
    ok(kal_cholesky(2, swapped, inverse) == 0.0);
    double poisoned[] = {1.0, NAN, NAN, 1.0};
    ok(kal_cholesky(2, poisoned, inverse) == 0.0);
}

static bool is_permutation(const int *perm, int n)
{
    bool seen[MATRIX_MOST] = {false};
    for (int i = 0; i < n; i++) {
        if (perm[i] < 0 || perm[i] >= n || seen[perm[i]]) {
            return false;
        }
        seen[perm[i]] = true;
    }
    return true;
}

// a(p,p) = L Lᵀ + what is left, where what is left is the trailing block.
static void check_pivoted(const int *perm, int rank)
{
    const int n = A.rows;
    ok(is_permutation(perm, n));
    take_lower(rank);
    bool zero_above = true;
    bool falling = true;
    double worst = 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double left = i >= rank && j >= rank ? value(&F, i, j) : 0.0;
            worst = fmax(worst, fabs(value(&A, perm[i], perm[j]) - left
                                     - value(&product, i, j)));
            zero_above &= !(j < rank && i < j) || value(&F, i, j) == 0.0;
        }
        falling &= j == 0 || j >= rank || value(&F, j, j) <= value(&F, j - 1, j - 1);
    }
    near(worst, 0.0, 4e-16 * (n + 4) * matrix_largest(&A));
    ok(zero_above);
    ok(falling);
}

static void pivoting_finds_the_rank(void)
{
    for (int k = 0; k < COUNT; k++) {
        const int n = SIZES[k];
        const int ranks[] = {0, 1, n / 3, n / 2, n - 1, n};
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
            Rng rng = {(uint64_t)(1000 * n + ranks[r])};
            int perm[MATRIX_MOST];
            matrix_semidefinite(&A, &rng, n, ranks[r], ranks[r] == n ? 0.25 : 0.0);
            F = A;
            const int rank = kal_cholesky_pivoted(n, F.at, 1e-12, perm);
            ok(rank == ranks[r]);
            check_pivoted(perm, rank);
            for (int i = rank; i < n; i++) {
                near(value(&F, i, i), 0.0, 1e-13);
            }
        }
    }
}

// What is left of an indefinite matrix cannot be mistaken for rounding: the caller sees
// a negative diagonal entry, or an entry beside a zero one.
static void what_is_left_shows_an_indefinite_matrix(void)
{
    int perm[MATRIX_MOST];
    double swapped[] = {1.0, 2.0, 2.0, 1.0};
    ok(kal_cholesky_pivoted(2, swapped, 1e-12, perm) == 1);
    near(swapped[3], -3.0, 1e-15); // 1 − 2²
    double hollow[] = {0.0, 1.0, 1.0, 0.0};
    ok(kal_cholesky_pivoted(2, hollow, 1e-12, perm) == 0);
    ok(hollow[1] == 1.0 && hollow[2] == 1.0);
    double negative[] = {-2.0};
    ok(kal_cholesky_pivoted(1, negative, 1e-12, perm) == 0);
    ok(negative[0] == -2.0);

    for (int n = 5; n <= 65; n += 15) {
        Rng rng = {(uint64_t)n};
        matrix_semidefinite(&A, &rng, n, n, 0.25);
        *entry(&A, 2, 2) = -1.0; // −1 − aᵀM⁻¹a is left of it
        F = A;
        const int rank = kal_cholesky_pivoted(n, F.at, 1e-12, perm);
        ok(rank == n - 1 && perm[n - 1] == 2);
        check_pivoted(perm, rank);
        ok(value(&F, n - 1, n - 1) <= -1.0);
    }
}

// A direction with a mass just above or below the tolerance.
static void the_tolerance_decides(void)
{
    int perm[2];
    const double e = 0x1p-30;
    double above[] = {1.0, 1.0, 1.0, 1.0 + e};
    ok(kal_cholesky_pivoted(2, above, 0.5 * e, perm) == 2);
    double below[] = {1.0, 1.0, 1.0, 1.0 + e};
    ok(kal_cholesky_pivoted(2, below, 2.0 * e, perm) == 1);
}

TAP_RUN(TAP_CASE(factors_multiply_to_the_matrix),
        TAP_CASE(the_upper_triangle_does_not_matter),
        TAP_CASE(the_smallest_relative_pivot_is_reported),
        TAP_CASE(the_relative_pivot_has_no_units),
        TAP_CASE(singular_and_indefinite_matrices_show),
        TAP_CASE(pivoting_finds_the_rank),
        TAP_CASE(what_is_left_shows_an_indefinite_matrix),
        TAP_CASE(the_tolerance_decides))
