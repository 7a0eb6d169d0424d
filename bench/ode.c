// SPDX-License-Identifier: MIT

// What integrators cost besides the rates they ask for: time per evaluation of two
// oscillators (4 states), of a chain of 100 states, with dense output and with projection,
// less the time that the rates take alone.

#include "ode/integrator.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    N_MAX = 100,
    REPEATS = 100 // short runs, of which the fastest was disturbed least
};

typedef struct Oscillators {
    int n;
} Oscillators;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(KalStatus status)
{
    if (status != KAL_OK) {
        printf("failed: %s\n", kal_status_text(status));
        exit(1);
    }
}

static KalStatus rate(void *user, double t, const double *y, double *f)
{
    const Oscillators *o = user;
    (void)t;
    for (int i = 0; i < o->n; i += 2) {
        f[i] = y[i + 1];
        f[i + 1] = -y[i];
    }
    return KAL_OK;
}

static KalStatus jacobian(void *user, double t, const double *y, double *J)
{
    const Oscillators *o = user;
    (void)t;
    (void)y;
    for (int i = 0; i < o->n; i += 2) {
        J[(i + 1) * o->n + i] = 1.0;
        J[i * o->n + i + 1] = -1.0;
    }
    return KAL_OK;
}

static KalStatus project(void *user, double t, double *y)
{
    (void)user;
    (void)t;
    (void)y;
    return KAL_OK;
}

static double rate_alone(Oscillators *o)
{
    enum {
        CALLS = 1 << 14
    };

    KalRateFn volatile call = rate; // as integrators do: through a pointer
    double y[N_MAX] = {1.0};
    double f[N_MAX];
    const double begin = now();
    for (int i = 0; i < CALLS; i++) {
        check(call(o, 0.0, y, f));
        y[0] = f[1];
    }
    return (now() - begin) / CALLS;
}

// What is measured: a run, and the evaluations it took.
typedef struct Run {
    const char *name;
    int n;
    bool dense;
    bool projected;
    bool stiff;
} Run;

static KalOdeCounts run_explicit(KalContext *ctx, const KalOdeSystem *system,
                                 bool dense)
{
    KalIntegrator *solver = NULL;
    KalOdeStep step = {.finished = false};
    double y[N_MAX] = {1.0, 0.0, 0.5, 0.5};
    check(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, system, NULL, &solver));
    check(kal_integrator_start(solver, 0.0, y, 400.0));
    while (!step.finished) {
        check(kal_integrator_step(solver, &step));
        if (dense) {
            check(
                kal_integrator_interpolate(solver, 0.5 * (step.t_old + step.t_new), y));
        }
    }
    const KalOdeCounts counts = kal_integrator_counts(solver);
    kal_integrator_destroy(solver);
    return counts;
}

static KalOdeCounts run_stiff(KalContext *ctx, const KalOdeSystem *system)
{
    KalIntegrator *solver = NULL;
    KalOdeStep step = {.finished = false};
    const double y[N_MAX] = {1.0, 0.0, 0.5, 0.5};
    check(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, system, NULL, &solver));
    check(kal_integrator_start(solver, 0.0, y, 20.0));
    while (!step.finished) {
        check(kal_integrator_step(solver, &step));
    }
    const KalOdeCounts counts = kal_integrator_counts(solver);
    kal_integrator_destroy(solver);
    return counts;
}

static void measure(KalContext *ctx, const Run *run)
{
    Oscillators o = {run->n};
    const KalOdeSystem system = {.n = run->n,
                                 .user = &o,
                                 .rate = rate,
                                 .jacobian = jacobian,
                                 .project = run->projected ? project : NULL};
    double best = 1e9;
    double alone = 1e9;
    KalOdeCounts counts = {0};
    for (int i = 0; i < REPEATS; i++) {
        const double begin = now();
        counts = run->stiff ? run_stiff(ctx, &system)
                            : run_explicit(ctx, &system, run->dense);
        const double time = (now() - begin) / (double)counts.evaluations;
        const double call = rate_alone(&o);
        best = time < best ? time : best;
        alone = call < alone ? call : alone;
    }
    printf("%-28s %4d %9ld %9ld %8.1f %8.1f\n", run->name, run->n, counts.steps,
           counts.evaluations, 1e9 * alone, 1e9 * (best - alone));
}

int main(void)
{
    static const Run runs[] = {
        {.name = "DOP853", .n = 4           },
        {                    .name = "DOP853, dense output",          .n = 4,     .dense = true},
        {                    .name = "DOP853, projected",          .n = 4, .projected = true},
        {                    .name = "CVODE, BDF",          .n = 4,     .stiff = true},
        {                    .name = "CVODE, BDF, projected",          .n = 4,     .stiff = true, .projected = true},
        {   .name = "DOP853", .n = 20          },
        {                 .name = "DOP853",        .n = 100                 },
        { .name = "CVODE, BDF",   .n = 20,                    .stiff = true},
    };
    KalContext *ctx = NULL;
    check(kal_context_create(NULL, NULL, &ctx));
    printf("%-28s %4s %9s %9s %8s %8s\n", "method", "n", "steps", "rates", "rate ns",
           "more ns");
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        measure(ctx, &runs[i]);
    }
    kal_context_destroy(ctx);
    return 0;
}
