// SPDX-License-Identifier: MIT

// Elimination with pivots of choice, and accelerations for many right-hand sides.

#include "analysis/chart.h"
#include "analysis/response.h"
#include "fault.h"
#include "rng.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
    MOST = 12
};

// Random rows of which the last `repeated` are combinations of the others.
static void fill_rows(Rng *rng, int rows, int repeated, int columns, double *W)
{
    for (int k = 0; k < rows * columns; k++) {
        W[k] = rng_entry(rng);
    }
    for (int i = rows - repeated; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            W[i * columns + j] = 0.0;
            for (int k = 0; k < rows - repeated; k++) {
                W[i * columns + j] += (k + i + 1.0) * W[k * columns + j];
            }
        }
    }
}

static int row_with_pivot(const KalEchelon *e, int column)
{
    for (int i = 0; i < e->rows; i++) {
        if (e->pivot[i] == column) {
            return i;
        }
    }
    return -1;
}

// Any choice of the columns that are no pivots gives a solution of all rows.
static void reduced_rows_solve_the_rows(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        Rng rng = {seed};
        double W[MOST * MOST];
        double before[MOST * MOST];
        double weights[MOST];
        double x[MOST];
        int pivot[MOST];
        const int columns = rng_int(&rng, 2, MOST - 1);
        const int rows = rng_int(&rng, 1, MOST - 1);
        const int repeated = rng_int(&rng, 0, rows - 1);
        const int width = columns + 1; // one follower
        fill_rows(&rng, rows, repeated, width, W);
        memcpy(before, W, sizeof before);
        for (int j = 0; j < columns; j++) {
            weights[j] = rng_scale(&rng, 1.0);
        }
        KalEchelon e = {.rows = rows,
                        .columns = columns,
                        .followers = 1,
                        .W = W,
                        .weights = weights,
                        .pivot = pivot};
        kal_echelon_reduce(&e);
        const int independent = rows - repeated;
        ok(e.rank == (independent < columns ? independent : columns));
        ok((e.misfit < 1e-9) == (independent <= columns));
        for (int j = 0; j < columns; j++) {
            x[j] = rng_entry(&rng);
        }
        for (int j = 0; j < columns; j++) {
            const int i = row_with_pivot(&e, j);
            if (i >= 0) {
                x[j] = -W[i * width + columns];
                for (int k = 0; k < columns; k++) {
                    x[j] -= row_with_pivot(&e, k) < 0 ? W[i * width + k] * x[k] : 0.0;
                }
            }
        }
        for (int i = 0; i < rows && independent <= columns; i++) {
            double sum = before[i * width + columns];
            double size = fabs(sum);
            for (int j = 0; j < columns; j++) {
                sum += before[i * width + j] * x[j];
                size += fabs(before[i * width + j] * x[j]);
            }
            near(sum, 0.0, 1e-9 * size);
        }
    }
}

static void pivots_come_in_groups(void)
{
    double W[] = {1.0, 2.0, 3.0, 9.0, 9.0, 9.0};
    const double weights[] = {1.0, 1.0, 1.0};
    const bool later[] = {false, true};
    const bool first[] = {true, false, false};
    int pivot[2];
    KalEchelon e = {.rows = 2,
                    .columns = 3,
                    .W = W,
                    .weights = weights,
                    .later_row = later,
                    .first_column = first,
                    .pivot = pivot};
    kal_echelon_reduce(&e);
    ok(e.rank == 2 && pivot[0] == 0 && pivot[1] > 0);
    double again[] = {1.0, 2.0, 3.0};
    const double unwanted[] = {1.0, 1.0, 0.0};
    e = (KalEchelon){
        .rows = 1, .columns = 3, .W = again, .weights = unwanted, .pivot = pivot};
    kal_echelon_reduce(&e);
    ok(pivot[0] == 1);
}

// A random problem, its mass singular now and then.
typedef struct Random {
    int n;
    int m;
    double M[MOST * MOST];
    double A[MOST * MOST];
    double masses[MOST];
    double Q[MOST];
    double b[MOST];
} Random;

static void make(Random *r, uint64_t seed)
{
    Rng rng = {seed};
    double B[MOST * MOST];
    r->n = rng_int(&rng, 1, MOST);
    r->m = rng_int(&rng, 0, r->n);
    const int n = r->n;
    const int rank = n - (r->m > 0 ? rng_int(&rng, 0, 1) : 0);
    fill_rows(&rng, n, 0, n, B);
    fill_rows(&rng, r->m, 0, n, r->A);
    for (int i = 0; i < n * n; i++) {
        r->M[i] = 0.0;
        for (int k = 0; k < rank; k++) {
            r->M[i] += B[k * n + i / n] * B[k * n + i % n];
        }
    }
    for (int i = 0; i < n; i++) {
        r->Q[i] = rng_entry(&rng);
        r->b[i] = rng_entry(&rng);
        r->masses[i] = fmax(r->M[i * n + i], 1e-3);
    }
}

static void compare(const Random *r, const KalMotionAnswer *answer,
                    KalResponder *responder)
{
    double a[MOST];
    double l[MOST];
    ok(kal_responder_factor(responder, r->M, r->A, r->m, r->masses));
    kal_responder_solve(responder, r->Q, r->b, a, l);
    for (int i = 0; i < r->n; i++) {
        near(a[i], answer->qdd[i], 1e-7 * fmax(1.0, fabs(a[i])));
    }
    for (int i = 0; i < r->m; i++) {
        near(l[i], answer->multipliers[i], 1e-7 * fmax(1.0, fabs(l[i])));
    }
}

// The same as the general solver gives, singular masses included.
static void responses_are_those_of_an_instant(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalArena *arena = NULL;
    KalMotion *motion = NULL;
    KalResponder responder;
    const double zero[] = {0.0, 0.0, 0.0, 0.0};
    const double one[] = {1.0, 1.0};
    int compared = 0;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_arena_create(ctx, 1 << 24, &arena) == KAL_OK);
    ok(kal_motion_create(ctx, NULL, MOST, MOST, &motion) == KAL_OK);
    for (uint64_t seed = 0; seed < 300; seed++) {
        Random r;
        KalMotionAnswer answer;
        make(&r, seed);
        const KalMotionProblem problem = {
            .n = r.n, .m = r.m, .M = r.M, .Q = r.Q, .A = r.A, .b = r.b};
        ok(kal_responder_init(&responder, ctx, arena, r.n, r.m) == KAL_OK);
        if (kal_motion_solve(motion, &problem, &answer) == KAL_OK && answer.unique) {
            compare(&r, &answer, &responder);
            compared++;
        }
    }
    ok(compared > 200);
    ok(kal_responder_init(&responder, ctx, arena, 2, 0) == KAL_OK);
    ok(!kal_responder_factor(&responder, zero, NULL, 0, one));
    kal_motion_destroy(motion);
    kal_arena_destroy(arena);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

TAP_RUN(TAP_CASE(reduced_rows_solve_the_rows), TAP_CASE(pivots_come_in_groups),
        TAP_CASE(responses_are_those_of_an_instant))
