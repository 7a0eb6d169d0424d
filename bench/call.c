// SPDX-License-Identifier: MIT

// What one acceleration takes in C, and one of many that are given side by side: of the model, at
// its start, in microseconds and in nanoseconds.  compare_calls.py sets Python beside it.
//
//     bench_call MODEL

#include "common.h"

#include <math.h>

enum {
    CALLS = 5000,
    STATES = 100000
};

// The state is set each time, as integrators do.
static double time_one(KalContext *ctx, KalInstant *instant)
{
    KalMotionAnswer answer;
    const double q = kal_instant_q(instant)[0];
    const double begin = bench_now();
    for (int i = 0; i < CALLS; i++) {
        kal_instant_q(instant)[0] = q;
        bench_check(ctx, kal_instant_solve(instant, &answer));
    }
    return (bench_now() - begin) / CALLS;
}

static double *copies_of(const double *state, size_t n)
{
    double *copies = malloc(n * STATES * sizeof *copies);
    for (size_t i = 0; copies && i < n * STATES; i++) {
        copies[i] = state[i / STATES];
    }
    return copies;
}

static double time_many(KalContext *ctx, KalInstant *instant, size_t n)
{
    double *q = copies_of(kal_instant_q(instant), n);
    double *qd = copies_of(kal_instant_qd(instant), n);
    double *qdd = malloc(n * STATES * sizeof *qdd);
    const KalManyStates many = {.count = STATES,
                                .t = kal_instant_t(instant),
                                .one_time = true,
                                .q = q,
                                .qd = qd,
                                .out_qdd = qdd};
    double best = INFINITY;
    for (int i = 0; i < 3 && q && qd && qdd; i++) {
        const double begin = bench_now();
        bench_check(ctx, kal_instant_solve_many(instant, &many));
        best = fmin(best, (bench_now() - begin) / STATES);
    }
    free(q);
    free(qd);
    free(qdd);
    return best;
}

int main(int argc, char **argv)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalInstant *instant = NULL;
    KalStartReport report;
    double best = INFINITY;
    if (argc != 2) {
        fputs("usage: bench_call MODEL\n", stderr);
        return 2;
    }
    bench_load(argv[1], &ctx, &system);
    bench_check(ctx, kal_instant_create(ctx, system, &instant));
    bench_check(ctx, kal_instant_start(instant, &report));
    for (int i = 0; i < 20; i++) {
        best = fmin(best, time_one(ctx, instant));
    }
    const size_t n = (size_t)kal_system_coordinates(system);
    printf("%.9g %.9g\n", best * 1e6, time_many(ctx, instant, n) * 1e9);
    kal_instant_destroy(instant);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return 0;
}
