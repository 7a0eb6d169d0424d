// SPDX-License-Identifier: MIT

// The weights of constraints in the metric M + AᵀWA: what they promise, and that masses
// and entries which are but rounding have no say.

#include "linalg/cholesky.h"
#include "motion/weights.h"
#include "rng.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum {
    N = 6,
    M = 4
};

typedef struct Problem {
    double M[N * N];
    double A[M * N];
} Problem;

typedef struct Metric {
    bool known;
    double mass[N];
    double weights[M];
} Metric;

static Problem random_problem(Rng *rng)
{
    Problem p = {{0.0}, {0.0}};
    for (int j = 0; j < N; j++) {
        p.M[j * N + j] = 1.0 + fabs(rng_entry(rng));
    }
    for (int i = 0; i < M * N; i++) {
        p.A[i] = rng_entry(rng);
    }
    return p;
}

static Metric metric_of(const Problem *p)
{
    Metric x;
    double scale[N + M];
    int said[N];
    KalMetric metric = {x.mass, x.weights, scale, said};
    x.known = kal_metric_weights(N, M, p->M, p->A, &metric);
    return x;
}

static void weights_are_powers_of_two_and_repeat(void)
{
    for (uint64_t number = 1; number <= 100; number++) {
        Rng rng = {number};
        const Problem p = random_problem(&rng);
        const Metric x = metric_of(&p);
        const Metric again = metric_of(&p);
        ok(x.known);
        ok(memcmp(x.weights, again.weights, sizeof x.weights) == 0);
        for (int i = 0; i < M; i++) {
            int exponent;
            ok(frexp(x.weights[i], &exponent) == 0.5);
        }
    }
}

static void weights_do_not_know_units(void)
{
    for (uint64_t number = 1; number <= 100; number++) {
        Rng rng = {number};
        Problem p = random_problem(&rng);
        const Metric before = metric_of(&p);
        const int row = rng_int(&rng, 0, M - 1);
        const int column = rng_int(&rng, 0, N - 1);
        for (int j = 0; j < N; j++) {
            p.A[row * N + j] = ldexp(p.A[row * N + j], 30);
        }
        for (int i = 0; i < M; i++) {
            p.A[i * N + column] = ldexp(p.A[i * N + column], -20);
        }
        p.M[column * N + column] = ldexp(p.M[column * N + column], -40);
        const Metric after = metric_of(&p);
        for (int i = 0; i < M; i++) {
            ok(ldexp(after.weights[i], i == row ? 60 : 0) == before.weights[i]);
        }
    }
}

// Whatever rounding leaves as the mass of a coordinate that constraints hold, and in
// entries that should be zero, the metric stays as it is for zeros, but for a few bits.
static void dust_has_no_say(void)
{
    static const double dust[] = {0.0, 5e-324, 1e-300, 1e-100, 1e-34, 1e-28};
    for (uint64_t number = 1; number <= 100; number++) {
        Rng rng = {number};
        Problem p = random_problem(&rng);
        p.A[1] = 0.0;
        p.A[N + 2] = 0.0;
        p.M[0] = 0.0;
        const Metric clean = metric_of(&p);
        for (size_t k = 0; k < sizeof dust / sizeof dust[0]; k++) {
            p.A[1] = dust[k];
            p.A[N + 2] = -dust[k];
            p.M[0] = dust[k];
            const Metric x = metric_of(&p);
            for (int i = 0; i < M; i++) {
                ok(fabs(log2(x.weights[i] / clean.weights[i])) <= 4.0);
            }
            ok(fabs(log2(x.mass[0] / clean.mass[0])) <= 6.0);
        }
    }
}

// The metric is definite though one coordinate has no mass, and its pivots are no matter
// of luck.
static void the_metric_is_definite(void)
{
    for (uint64_t number = 1; number <= 100; number++) {
        Rng rng = {number};
        Problem p = random_problem(&rng);
        p.M[0] = 0.0;
        const Metric x = metric_of(&p);
        double metric[N * N];
        double inverse[N];
        memcpy(metric, p.M, sizeof metric);
        kal_metric_add_rows(N, M, p.A, x.weights, metric);
        ok(kal_cholesky(N, metric, inverse) > 1e-6);
    }
}

// Nothing to compare with, and numbers beyond any use: an answer all the same.
static void weights_are_finite_whatever_is_given(void)
{
    Problem p = {{0.0}, {0.0}};
    for (int kind = 0; kind < 4; kind++) {
        const double entry[] = {0.0, 1e300, 1e-300, NAN};
        for (int i = 0; i < M * N; i++) {
            p.A[i] = entry[kind];
        }
        p.M[0] = entry[(kind + 1) % 4];
        const Metric x = metric_of(&p);
        for (int i = 0; i < M; i++) {
            ok(x.weights[i] > 0.0 && isfinite(x.weights[i]));
        }
        for (int j = 0; j < N; j++) {
            ok(x.mass[j] > 0.0 && isfinite(x.mass[j]));
        }
    }
}

TAP_RUN(TAP_CASE(weights_are_powers_of_two_and_repeat),
        TAP_CASE(weights_do_not_know_units), TAP_CASE(dust_has_no_say),
        TAP_CASE(the_metric_is_definite),
        TAP_CASE(weights_are_finite_whatever_is_given))
