// SPDX-License-Identifier: MIT

// Another right-hand side with the same masses and constraints has the answer of a solve of its
// own, whatever way the first one took.

#include "motion/again.h"
#include "rng.h"
#include "tap.h"

#include <string.h>

enum {
    N = 12,
    M = 5,
    PROBLEMS = 300
};

static KalContext *ctx;
static KalMotion *kept;
static KalMotion *fresh;
static double mass[N * N];
static double rows[M * N];
static double force[N];
static double b[M];

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_motion_create(ctx, NULL, N, M, &kept) == KAL_OK);
    ok(kal_motion_create(ctx, NULL, N, M, &fresh) == KAL_OK);
}

static void end(void)
{
    kal_motion_destroy(kept);
    kal_motion_destroy(fresh);
    kal_context_destroy(ctx);
}

// M = F Fᵀ with fewer columns than coordinates is singular: constraints hold what has no mass.
static void make(Rng *rng, int n, int m, int rank)
{
    double F[N * N];
    for (int i = 0; i < n * rank; i++) {
        F[i] = rng_entry(rng);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < rank; k++) {
                sum += F[i * rank + k] * F[j * rank + k];
            }
            mass[i * n + j] = sum;
            mass[j * n + i] = sum;
        }
    }
    for (int i = 0; i < m * n; i++) {
        rows[i] = rng_entry(rng);
    }
}

static void make_sides(Rng *rng, int n, int m)
{
    for (int j = 0; j < n; j++) {
        force[j] = rng_entry(rng);
    }
    for (int i = 0; i < m; i++) {
        b[i] = rng_entry(rng);
    }
}

static double largest(const double *x, int n)
{
    double most = 1.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void compare(const KalMotionAnswer *one, const KalMotionAnswer *other)
{
    const double size = largest(other->qdd, other->n);
    const double forces = largest(other->multipliers, other->m);
    ok(one->n == other->n && one->m == other->m && one->rank_A == other->rank_A);
    ok(one->unique == other->unique);
    for (int j = 0; j < one->n; j++) {
        near(one->qdd[j], other->qdd[j], 1e-7 * size);
    }
    for (int i = 0; i < one->m; i++) {
        near(one->multipliers[i], other->multipliers[i], 1e-7 * forces);
    }
}

static void other_sides_have_the_answer_of_their_own_solve(void)
{
    begin();
    for (int k = 0; k < PROBLEMS && tap_failures == 0; k++) {
        Rng rng = {(uint64_t)k};
        const int n = rng_int(&rng, 2, N);
        const int m = rng_int(&rng, 0, n < M ? n - 1 : M);
        const int rank = rng_int(&rng, n - m, n);
        KalMotionProblem problem = {
            .n = n, .m = m, .M = mass, .Q = force, .A = rows, .b = b};
        KalMotionAnswer one;
        KalMotionAnswer other;
        make(&rng, n, m, rank);
        make_sides(&rng, n, m);
        ok(kal_motion_solve(kept, &problem, &one) == KAL_OK);
        for (int side = 0; side < 3; side++) {
            make_sides(&rng, n, m);
            ok(kal_motion_solve_again(kept, &problem, &one) == KAL_OK);
            ok(kal_motion_solve(fresh, &problem, &other) == KAL_OK);
            compare(&one, &other);
        }
    }
    end();
}

static void other_arrays_are_a_usual_solve(void)
{
    double others[N * N];
    Rng rng = {1};
    KalMotionAnswer one;
    KalMotionAnswer other;
    begin();
    make(&rng, N, M, N);
    make_sides(&rng, N, M);
    KalMotionProblem problem = {
        .n = N, .m = M, .M = mass, .Q = force, .A = rows, .b = b};
    ok(kal_motion_solve(kept, &problem, &one) == KAL_OK);
    memcpy(others, mass, sizeof others);
    others[0] += 1.0;
    problem.M = others;
    ok(kal_motion_solve_again(kept, &problem, &one) == KAL_OK);
    ok(kal_motion_solve(fresh, &problem, &other) == KAL_OK);
    compare(&one, &other);
    problem.m = M - 1;
    ok(kal_motion_solve_again(kept, &problem, &one) == KAL_OK);
    ok(kal_motion_solve(fresh, &problem, &other) == KAL_OK);
    compare(&one, &other);
    force[0] = NAN;
    ok(kal_motion_solve_again(kept, &problem, &one) == KAL_ERR_NUMBER);
    end();
}

TAP_RUN(TAP_CASE(other_sides_have_the_answer_of_their_own_solve),
        TAP_CASE(other_arrays_are_a_usual_solve))
