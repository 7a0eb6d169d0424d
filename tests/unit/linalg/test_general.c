// SPDX-License-Identifier: MIT

#include "linalg/general.h"
#include "matrix.h"
#include "tap.h"

static Matrix A;
static double complex values[MATRIX_MOST];
static double complex vectors[MATRIX_MOST * MATRIX_MOST];
static double conditions[MATRIX_MOST];
static KalSpectrum spectrum = {.values = values,
                               .vectors = vectors,
                               .conditions = conditions};

// Find the spectrum of a copy of A; the largest residual |A x − λ x| relative to |A|.
static double decompose(void)
{
    static Matrix copy;
    static double complex work[4 * MATRIX_MOST * MATRIX_MOST];
    const int n = A.rows;
    copy = A;
    ok(kal_eigen_general_work(n) <= sizeof work);
    ok(kal_eigen_general(n, copy.at, work, &spectrum));
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        const double complex *x = vectors + k * n;
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            double complex sum = -values[k] * x[i];
            for (int j = 0; j < n; j++) {
                sum += value(&A, i, j) * x[j];
            }
            worst = fmax(worst, cabs(sum) / fmax(matrix_largest(&A), 1e-300));
            size = fmax(size, cabs(x[i]));
        }
        near(size, 1.0, 1e-8);
    }
    return worst;
}

static double complex sum_of_values(void)
{
    double complex sum = 0.0;
    for (int k = 0; k < A.rows; k++) {
        sum += values[k];
    }
    return sum;
}

// How far the nearest eigenvalue is.
static double distance_to(double complex want)
{
    double least = INFINITY;
    for (int k = 0; k < A.rows; k++) {
        least = fmin(least, cabs(values[k] - want));
    }
    return least;
}

static void vectors_solve_the_equation(void)
{
    for (int n = 1; n <= 60; n += n < 12 ? 1 : 12) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            Rng rng = {1000 * (uint64_t)n + seed};
            matrix_random(&A, &rng, n, n);
            near(decompose(), 0.0, 1e-14 * (n + 5));
            double trace = 0.0;
            for (int i = 0; i < n; i++) {
                trace += value(&A, i, i);
            }
            near(cabs(sum_of_values() - trace), 0.0, 1e-14 * n * n);
        }
    }
}

// Values that are not real come in exact pairs, next to each other.
static void pairs_are_conjugate(void)
{
    Rng rng = {7};
    matrix_random(&A, &rng, 30, 30);
    (void)decompose();
    for (int k = 0; k < 30; k++) {
        if (cimag(values[k]) > 0.0) {
            ok(k + 1 < 30 && values[k + 1] == conj(values[k]));
            ok(vectors[(k + 1) * 30 + 3] == conj(vectors[k * 30 + 3]));
            ok(conditions[k] == conditions[k + 1]);
            k++;
        } else {
            ok(cimag(values[k]) == 0.0);
        }
    }
}

// X⁻¹ diag(1 … n) X with X a product of shears, whose inverse is known.
static void known_values_are_found(void)
{
    for (int n = 2; n <= 20; n += 3) {
        Rng rng = {(uint64_t)n};
        matrix_zero(&A, n, n);
        for (int i = 0; i < n; i++) {
            *entry(&A, i, i) = i + 1.0;
        }
        for (int k = 0; k < 3 * n; k++) {
            const int i = rng_int(&rng, 0, n - 1);
            const int j = (i + rng_int(&rng, 1, n - 1)) % n;
            const double f = 0.5 * rng_entry(&rng);
            for (int c = 0; c < n; c++) { // row i += f row j
                *entry(&A, i, c) += f * value(&A, j, c);
            }
            for (int r = 0; r < n; r++) { // column j −= f column i
                *entry(&A, r, j) -= f * value(&A, r, i);
            }
        }
        near(decompose(), 0.0, 1e-13 * n);
        for (int i = 0; i < n; i++) {
            near(distance_to(i + 1.0), 0.0, 1e-9);
        }
    }
}

// A ring of n places, each passed on to the next: the n-th roots of 1.
static void rings_have_roots_of_one(void)
{
    for (int n = 2; n <= 40; n += 6) {
        matrix_zero(&A, n, n);
        for (int i = 0; i < n; i++) {
            *entry(&A, (i + 1) % n, i) = 1.0;
        }
        near(decompose(), 0.0, 1e-14 * n);
        for (int i = 0; i < n; i++) {
            const double angle = 2.0 * acos(-1.0) * i / n;
            near(distance_to(cexp(angle * I)), 0.0, 1e-13);
        }
        for (int i = 0; i < n; i++) {
            near(conditions[i], 1.0, 1e-12); // it is orthogonal
        }
    }
}

// What can be read off is exact: cyclic coordinates have zeros, not rounding.
static void triangles_are_exact(void)
{
    Rng rng = {3};
    matrix_random(&A, &rng, 12, 12);
    for (int j = 0; j < 12; j++) {
        for (int i = j + 1; i < 12; i++) {
            *entry(&A, i, j) = 0.0;
        }
        *entry(&A, j, j) = j / 3; // three of each
    }
    static Matrix shuffled;
    static const int order[12] = {7, 2, 11, 0, 5, 9, 1, 10, 3, 8, 6, 4};
    matrix_zero(&shuffled, 12, 12);
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            *entry(&shuffled, i, j) = value(&A, order[i], order[j]);
        }
    }
    A = shuffled;
    (void)decompose();
    int count[4] = {0};
    for (int k = 0; k < 12; k++) {
        for (int i = 0; i < 4; i++) {
            count[i] += values[k] == (double)i;
        }
    }
    ok(count[0] == 3 && count[1] == 3 && count[2] == 3 && count[3] == 3);
}

// Jordan blocks turned by an orthogonal matrix: values are off by a root of rounding, and
// the condition tells by how much.
static void conditions_tell_of_defective_values(void)
{
    for (int n = 2; n <= 4; n++) {
        static Matrix X;
        static Matrix product;
        Rng rng = {(uint64_t)(10 + n)};
        matrix_zero(&A, n, n);
        for (int i = 0; i < n; i++) {
            *entry(&A, i, i) = 0.75;
            if (i + 1 < n) {
                *entry(&A, i, i + 1) = 1.0;
            }
        }
        for (int k = 0; k < 10; k++) { // plane rotations
            const int i = rng_int(&rng, 0, n - 1);
            const int j = (i + rng_int(&rng, 1, n - 1)) % n;
            const double angle = 3.0 * rng_entry(&rng);
            matrix_zero(&X, n, n);
            for (int r = 0; r < n; r++) {
                *entry(&X, r, r) = r == i || r == j ? cos(angle) : 1.0;
            }
            *entry(&X, i, j) = sin(angle);
            *entry(&X, j, i) = -sin(angle);
            matrix_multiply(&X, &A, &product);
            static Matrix Xt;
            matrix_transpose(&X, &Xt);
            matrix_multiply(&product, &Xt, &A);
        }
        near(decompose(), 0.0, 1e-14 * n);
        for (int k = 0; k < n; k++) {
            const double error = cabs(values[k] - 0.75);
            ok(error < 100.0 * pow(2e-16, 1.0 / n));
            ok(error <= 100.0 * 2e-16 * spectrum.norm / conditions[k]);
            ok(conditions[k] < 1e-3);
        }
    }
}

// A reflection 1 − 2 v vᵀ/|v|² from both sides.
static void mirror(Rng *rng)
{
    static Matrix R;
    static Matrix product;
    static double v[MATRIX_MOST];
    const int n = A.rows;
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        v[i] = rng_entry(rng);
        square += v[i] * v[i];
    }
    matrix_zero(&R, n, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            *entry(&R, i, j) = (i == j) - 2.0 * v[i] * v[j] / square;
        }
    }
    matrix_multiply(&R, &A, &product);
    matrix_multiply(&product, &R, &A);
}

// As of many parts that move freely: one value many times, in blocks of two without a second
// eigenvector each, beside others or alone.
static void many_values_that_coincide_are_found(void)
{
    for (int seed = 1; seed <= 100; seed++) {
        const int n = 20 + seed % 3 * 10;
        Rng rng = {(uint64_t)seed};
        matrix_zero(&A, n, n);
        for (int i = 0; i < n; i++) {
            const bool other = seed % 2 == 0 && i >= n - n / 3;
            *entry(&A, i, i) = other ? rng_entry(&rng) : -9.6;
            if (i % 2 == 0 && i + 1 < n) {
                *entry(&A, i, i + 1) = seed % 3 == 0 ? 9.6 : rng_entry(&rng);
            }
        }
        for (int k = 0; k < 5; k++) {
            mirror(&rng);
        }
        near(decompose(), 0.0, 1e-13 * n);
        near(distance_to(-9.6), 0.0, 1e-4);
    }
}

// Another unit for each state changes no eigenvalue.
static void units_do_not_matter(void)
{
    static double complex before[10];
    Rng rng = {77};
    matrix_random(&A, &rng, 10, 10);
    (void)decompose();
    memcpy(before, values, sizeof before);
    for (int i = 0; i < 10; i++) {
        const double unit = rng_scale(&rng, 8.0);
        for (int k = 0; k < 10; k++) {
            *entry(&A, i, k) *= unit;
            *entry(&A, k, i) /= unit;
        }
    }
    static Matrix copy;
    static double complex work[1000];
    copy = A;
    ok(kal_eigen_general(10, copy.at, work, &spectrum));
    for (int i = 0; i < 10; i++) {
        near(distance_to(before[i]), 0.0, 1e-12);
    }
}

static void nothing_but_zeros(void)
{
    matrix_zero(&A, 8, 8);
    (void)decompose();
    for (int k = 0; k < 8; k++) {
        ok(values[k] == 0.0);
    }
    *entry(&A, 2, 5) = 3.0; // nilpotent
    *entry(&A, 5, 7) = 1e6;
    (void)decompose();
    for (int k = 0; k < 8; k++) {
        ok(values[k] == 0.0);
    }
}

TAP_RUN(TAP_CASE(vectors_solve_the_equation), TAP_CASE(pairs_are_conjugate),
        TAP_CASE(known_values_are_found), TAP_CASE(rings_have_roots_of_one),
        TAP_CASE(triangles_are_exact), TAP_CASE(conditions_tell_of_defective_values),
        TAP_CASE(many_values_that_coincide_are_found), TAP_CASE(units_do_not_matter),
        TAP_CASE(nothing_but_zeros))
