// SPDX-License-Identifier: MIT

// Motion in time, in processor time: models run through the library, and the same motions
// by programs written by hand for them alone.  Both integrate the same coordinates with
// the same method at the same tolerance and return to the constraints after every step;
// nothing is sampled.  Prints JSON, which bench/compare_run.py reads.
//
//     bench_run PENDULUM SLIDER_CRANK RTOL ATOL

#include "ode/integrator.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    REPEATS = 50, // of which the fastest was disturbed least
    MOST = 6,     // states
    TEXT = 1 << 14
};

// What one way to do it took and found.
typedef struct Result {
    double seconds; // from the start to the end
    double total;   // and from the text of the model, or from nothing
    long steps;
    long rejected;
    long evaluations;
    double y[MOST];
} Result;

typedef struct Tolerances {
    double rtol;
    double atol;
} Tolerances;

// A system written by hand: n states from the start `y` to `until`.
typedef struct Hand {
    const char *name;
    int n;
    double until;
    KalRateFn rate;
    KalProjectFn project;
    double y[MOST];
} Hand;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        fprintf(stderr, "failed: %s\n", ctx ? kal_context_message(ctx) : "no context");
        exit(1);
    }
}

// x² + y² = 1 under gravity: the acceleration of the centre is all that the rod does.
static KalStatus pendulum_rate(void *user, double t, const double *y, double *f)
{
    const double g = 9.81;
    (void)user;
    (void)t;
    const double square = y[0] * y[0] + y[1] * y[1];
    const double pull = (y[2] * y[2] + y[3] * y[3] - g * y[1]) / square;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -pull * y[0];
    f[3] = -pull * y[1] - g;
    return KAL_OK;
}

static KalStatus pendulum_project(void *user, double t, double *y)
{
    (void)user;
    (void)t;
    const double scale = 1.0 / sqrt(y[0] * y[0] + y[1] * y[1]);
    y[0] *= scale;
    y[1] *= scale;
    const double along = y[0] * y[2] + y[1] * y[3];
    y[2] -= along * y[0];
    y[3] -= along * y[1];
    return KAL_OK;
}

// The numbers of examples/slider_crank.kal.
static const double L1 = 0.1;
static const double L2 = 0.25;
static const double M1 = 0.4;
static const double M2 = 0.7;
static const double M3 = 0.9;
static const double TORQUE = 0.6;
static const double PUSH = -1.5;

// With φ'' = k θ'' + p and x'' = c θ'' + r, which is what the two constraints say, the
// work of all forces along (1, k, c) gives θ''.
static KalStatus crank_rate(void *user, double t, const double *y, double *f)
{
    const double g = 9.81;
    (void)user;
    (void)t;
    const double s1 = sin(y[0]);
    const double c1 = cos(y[0]);
    const double s2 = sin(y[1]);
    const double c2 = cos(y[1]);
    const double w1 = y[3] * y[3];
    const double w2 = y[4] * y[4];
    const double k = L1 * c1 / (L2 * c2);
    const double c = -2.0 * L1 * s1 + 2.0 * L2 * s2 * k;
    const double p = (L2 * s2 * w2 - L1 * s1 * w1) / (L2 * c2);
    const double r = 2.0 * (L2 * (s2 * p + c2 * w2) - L1 * c1 * w1);
    const double m11 = M1 * L1 * L1 * (4.0 / 3.0) + 4.0 * M2 * L1 * L1;
    const double m12 = -2.0 * M2 * L1 * L2 * (c1 * c2 + s1 * s2);
    const double m22 = M2 * L2 * L2 * (4.0 / 3.0);
    const double turn = 2.0 * M2 * L1 * L2 * (s1 * c2 - c1 * s2);
    const double q1 = TORQUE + turn * w2 - (M1 + 2.0 * M2) * L1 * g * c1;
    const double q2 = -turn * w1 + M2 * L2 * g * c2;
    const double inertia = m11 + 2.0 * k * m12 + k * k * m22 + c * c * M3;
    const double force = q1 - m12 * p + k * (q2 - m22 * p) + c * (PUSH - M3 * r);
    f[0] = y[3];
    f[1] = y[4];
    f[2] = y[5];
    f[3] = force / inertia;
    f[4] = k * f[3] + p;
    f[5] = c * f[3] + r;
    return KAL_OK;
}

// θ stays; the rest follows from it.
static KalStatus crank_project(void *user, double t, double *y)
{
    (void)user;
    (void)t;
    const double s1 = sin(y[0]);
    const double c1 = cos(y[0]);
    const double s2 = L1 / L2 * s1;
    const double c2 = -sqrt(1.0 - s2 * s2);
    const double k = L1 * c1 / (L2 * c2);
    y[1] = acos(-1.0) - asin(s2);
    y[2] = 2.0 * L1 * c1 - 2.0 * L2 * c2;
    y[4] = k * y[3];
    y[5] = (-2.0 * L1 * s1 + 2.0 * L2 * s2 * k) * y[3];
    return KAL_OK;
}

static Result run_hand(const Hand *hand, Tolerances tolerances)
{
    const KalOdeSystem system = {
        .n = hand->n, .rate = hand->rate, .project = hand->project};
    KalOdeOptions options = kal_ode_options();
    KalContext *ctx = NULL;
    KalIntegrator *solver = NULL;
    KalOdeStep step = {.finished = false};
    Result result = {.seconds = 0.0};
    double y[MOST];
    options.rtol = tolerances.rtol;
    options.atol = tolerances.atol;
    memcpy(y, hand->y, sizeof y);
    const double begin = now();
    check(NULL, kal_context_create(NULL, NULL, &ctx));
    check(ctx, kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, &options,
                                     &solver));
    check(ctx, system.project(NULL, 0.0, y));
    check(ctx, kal_integrator_start(solver, 0.0, y, hand->until));
    const double started = now();
    while (!step.finished) {
        check(ctx, kal_integrator_step(solver, &step));
    }
    const double end = now();
    const KalOdeCounts counts = kal_integrator_counts(solver);
    result.seconds = end - started;
    result.total = end - begin;
    result.steps = counts.steps;
    result.rejected = counts.rejected;
    result.evaluations = counts.evaluations;
    memcpy(result.y, step.y_new, (size_t)hand->n * sizeof(double));
    kal_integrator_destroy(solver);
    kal_context_destroy(ctx);
    return result;
}

static Result run_model(const char *text, const Hand *same, Tolerances tolerances)
{
    const size_t half = (size_t)same->n / 2;
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalRun *run = NULL;
    KalStartReport report;
    Result result = {.seconds = 0.0};
    const double begin = now();
    check(NULL, kal_context_create(NULL, NULL, &ctx));
    check(ctx, kal_system_load(ctx, "model", text, strlen(text), NULL, &system));
    KalRunOptions options = kal_run_options(system);
    options.rtol = tolerances.rtol;
    options.atol = tolerances.atol;
    options.until = same->until;
    check(ctx, kal_run_create(ctx, system, &options, &run));
    check(ctx, kal_run_start(run, &report));
    const double started = now();
    check(ctx, kal_run_advance(run, options.until));
    const double end = now();
    const KalRunStatistics statistics = kal_run_statistics(run);
    result.seconds = end - started;
    result.total = end - begin;
    result.steps = statistics.steps;
    result.rejected = statistics.rejected;
    result.evaluations = statistics.evaluations;
    memcpy(result.y, kal_instant_q(kal_run_instant(run)), half * sizeof(double));
    memcpy(result.y + half, kal_instant_qd(kal_run_instant(run)),
           half * sizeof(double));
    kal_run_destroy(run);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return result;
}

static void keep_faster(Result *best, const Result *next)
{
    const double seconds = fmin(best->seconds, next->seconds);
    const double total = fmin(best->total, next->total);
    *best = *next;
    best->seconds = seconds;
    best->total = total;
}

static void show(const char *name, const Result *result, int n)
{
    printf("  \"%s\": {\"seconds\": %.9f, \"total\": %.9f, \"steps\": %ld, "
           "\"rejected\": %ld, \"evaluations\": %ld, \"y\": [",
           name, result->seconds, result->total, result->steps, result->rejected,
           result->evaluations);
    for (int i = 0; i < n; i++) {
        printf("%s%.17g", i > 0 ? ", " : "", result->y[i]);
    }
    printf("]}");
}

// Both ways in turn, so that what else the machine does disturbs both.
static void compare(const char *text, const Hand *hand, Tolerances tolerances)
{
    const Tolerances tight = {1e-13, 1e-13};
    Result model = {.seconds = INFINITY, .total = INFINITY};
    Result program = model;
    for (int i = 0; i < REPEATS; i++) {
        const Result a = run_model(text, hand, tolerances);
        const Result b = run_hand(hand, tolerances);
        keep_faster(&model, &a);
        keep_faster(&program, &b);
    }
    const Result reference = run_hand(hand, tight);
    printf("\"%s\": {\"until\": %g,\n", hand->name, hand->until);
    show("kalaba", &model, hand->n);
    printf(",\n");
    show("hand", &program, hand->n);
    printf(",\n");
    show("reference", &reference, hand->n);
    printf("}");
}

static void read_text(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(text, 1, TEXT - 1, file) : 0;
    if (length == 0 || length == TEXT - 1) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    text[length] = '\0';
    fclose(file);
}

int main(int argc, char **argv)
{
    static const Hand hands[] = {
        {.name = "pendulum",
         .n = 4,
         .until = 10.0,
         .rate = pendulum_rate,
         .project = pendulum_project,
         .y = {-1.0, 0.0, 0.0, 0.0}               },
        {.name = "slider-crank",
         .n = 6,
         .until = 5.0,
         .rate = crank_rate,
         .project = crank_project,
         .y = {0.69813170079773183, 0.0, 0.0, 3.0}},
    };
    char text[TEXT];
    if (argc != 5) {
        fprintf(stderr, "usage: bench_run PENDULUM SLIDER_CRANK RTOL ATOL\n");
        return 2;
    }
    const Tolerances tolerances = {strtod(argv[3], NULL), strtod(argv[4], NULL)};
    for (int i = 0; i < 2; i++) {
        read_text(argv[1 + i], text);
        printf(i == 0 ? "{" : ",\n");
        compare(text, &hands[i], tolerances);
    }
    printf("}\n");
    return 0;
}
