// SPDX-License-Identifier: MIT

#include "linalg/eigen.h"
#include "matrix.h"
#include "tap.h"

static Matrix S;
static Matrix V;
static double w[MATRIX_MOST];

// Decompose a copy of S and check S = V w Vᵀ and VᵀV = I.
static void decompose(void)
{
    static Matrix copy;
    static Matrix Vw;
    static Matrix Vt;
    static Matrix product;
    const int n = S.rows;
    copy = S;
    matrix_zero(&V, n, n);
    kal_eigen_symmetric(n, copy.at, V.at, w);
    near(matrix_skewness(&V), 0.0, 2e-15 * (n + 4));
    Vw = V;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            *entry(&Vw, i, j) *= w[j];
        }
    }
    matrix_transpose(&V, &Vt);
    matrix_multiply(&Vw, &Vt, &product);
    near(matrix_distance(&product, &S), 0.0, 2e-15 * (n + 4) * matrix_largest(&S));
}

static double smallest_value(void)
{
    double least = w[0];
    for (int j = 1; j < S.rows; j++) {
        least = fmin(least, w[j]);
    }
    return least;
}

static void random_symmetric(Rng *rng, int n)
{
    static Matrix X;
    matrix_random(&X, rng, n, n);
    matrix_transpose(&X, &S);
    for (int k = 0; k < n * n; k++) {
        S.at[k] += X.at[k];
    }
}

static void factors_multiply_to_the_matrix(void)
{
    for (int n = 1; n <= 40; n += n < 8 ? 1 : 8) {
        Rng rng = {(uint64_t)n};
        random_symmetric(&rng, n);
        decompose();
        double trace = 0.0;
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            trace += value(&S, j, j);
            sum += w[j];
        }
        near(sum, trace, 1e-14 * n * n);
    }
}

static void one_by_one_is_its_own_value(void)
{
    const double values[] = {3.0, 0.0, -7.5};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        matrix_zero(&S, 1, 1);
        S.at[0] = values[k];
        decompose();
        ok(w[0] == values[k] && fabs(V.at[0]) == 1.0);
    }
}

// Reflections and rotations of diag(d) by hand: I − 2 v vᵀ has the values 1 and −1.
static void equal_values_are_found_as_often_as_they_occur(void)
{
    const int n = 9;
    Rng rng = {9};
    double v[9];
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        v[i] = rng_entry(&rng);
        square += v[i] * v[i];
    }
    matrix_zero(&S, n, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            *entry(&S, i, j) = (i == j) - 2.0 * v[i] * v[j] / square;
        }
    }
    decompose();
    int ones = 0;
    for (int j = 0; j < n; j++) {
        near(fabs(w[j]), 1.0, 1e-14);
        ones += w[j] > 0.0;
    }
    ok(ones == n - 1);

    matrix_zero(&S, n, n);
    decompose(); // nothing but zeros
    near(smallest_value(), 0.0, 0.0);
    for (int j = 0; j < n; j++) {
        *entry(&S, j, j) = 2.5;
    }
    decompose();
    near(smallest_value(), 2.5, 0.0);
}

// Semi-definite matrices: as many values above rounding as the rank, none far below.
static void zero_values_count_what_the_rank_lacks(void)
{
    for (int n = 2; n <= 30; n += 7) {
        for (int rank = 0; rank <= n; rank += 1 + n / 5) {
            Rng rng = {(uint64_t)(100 * n + rank)};
            matrix_semidefinite(&S, &rng, n, rank, 0.0);
            decompose();
            int positive = 0;
            for (int j = 0; j < n; j++) {
                ok(w[j] > -1e-14 * n);
                positive += w[j] > 1e-9;
            }
            ok(positive == rank);
        }
    }
}

// [1 1−e; 1−e 1] has the values e and 2 − e.  An error of rounding in its entries moves
// the small one by rounding, not by a fraction of itself.
static void small_values_are_right_to_rounding_of_the_entries(void)
{
    for (int k = 4; k <= 50; k++) {
        const double e = ldexp(1.0, -k);
        matrix_zero(&S, 2, 2);
        *entry(&S, 0, 0) = 1.0;
        *entry(&S, 1, 1) = 1.0;
        *entry(&S, 0, 1) = 1.0 - e;
        *entry(&S, 1, 0) = 1.0 - e;
        decompose();
        near(smallest_value(), e, 4e-16);
        near(fmax(w[0], w[1]), 2.0 - e, 1e-15);
    }
}

// D H D with a harmless H and units D over 80 binary orders: each value is known to many
// digits of itself (Demmel and Veselić 1992).  With H = [1 h; h 1] and D = diag(1, d),
// the values are roots of x² − (1 + d²) x + d²(1 − h²).
static void graded_matrices_keep_the_digits_of_small_values(void)
{
    const double h = 0.5;
    for (int k = 5; k <= 40; k += 5) {
        const double d = ldexp(1.0, -k);
        matrix_zero(&S, 2, 2);
        *entry(&S, 0, 0) = 1.0;
        *entry(&S, 1, 1) = d * d;
        *entry(&S, 0, 1) = d * h;
        *entry(&S, 1, 0) = d * h;
        decompose();
        const double sum = 1.0 + d * d;
        const double product = d * d * (1.0 - h * h);
        const double large = 0.5 * (sum + sqrt(sum * sum - 4.0 * product));
        near(smallest_value() / (product / large), 1.0, 1e-14);
    }
}

TAP_RUN(TAP_CASE(factors_multiply_to_the_matrix), TAP_CASE(one_by_one_is_its_own_value),
        TAP_CASE(equal_values_are_found_as_often_as_they_occur),
        TAP_CASE(zero_values_count_what_the_rank_lacks),
        TAP_CASE(small_values_are_right_to_rounding_of_the_entries),
        TAP_CASE(graded_matrices_keep_the_digits_of_small_values))
