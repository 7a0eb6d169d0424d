// SPDX-License-Identifier: MIT

// A run in the reduced form beside one in the full form: from the start to the end with the
// samples of the model, in turn and in processor time, in runs that are started again; and the
// first of each, with all that is made for it.
//
//     bench_form MODEL…

#include "common.h"

#include <math.h>

enum {
    FORMS = 2,
    REPEATS = 25 // of which the fastest was disturbed least
};

static const KalRunForm forms[FORMS] = {KAL_RUN_FORM_FULL, KAL_RUN_FORM_REDUCED};

typedef struct Cost {
    double first;
    double seconds;
    long steps;
    long evaluations;
} Cost;

static KalStatus pass(void *user, KalRun *run)
{
    (void)user;
    (void)run;
    return KAL_OK;
}

static void go(KalContext *ctx, KalRun *run, Cost *cost)
{
    KalStartReport report;
    const double begin = bench_now();
    bench_check(ctx, kal_run_start(run, &report));
    bench_check(ctx, kal_run_sample(run, pass, NULL));
    const double seconds = bench_now() - begin;
    cost->first = cost->seconds == INFINITY ? seconds : cost->first;
    cost->seconds = fmin(cost->seconds, seconds);
    cost->steps = kal_run_statistics(run).steps;
    cost->evaluations = kal_run_statistics(run).evaluations;
}

static void measure(const char *path)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalRun *runs[FORMS] = {NULL};
    Cost costs[FORMS] = {{.seconds = INFINITY}, {.seconds = INFINITY}};
    bench_load(path, &ctx, &system);
    for (int k = 0; k < FORMS; k++) {
        KalRunOptions options = kal_run_options(system);
        options.form = forms[k];
        bench_check(ctx, kal_run_create(ctx, system, &options, &runs[k]));
    }
    for (int i = 0; i < FORMS * REPEATS; i++) {
        go(ctx, runs[i % FORMS], &costs[i % FORMS]);
    }
    printf("%-34s", kal_system_title(system));
    for (int k = 0; k < FORMS; k++) {
        printf(" %6ld %7ld %8.4f %8.4f", costs[k].steps, costs[k].evaluations,
               1e3 * costs[k].first, 1e3 * costs[k].seconds);
        kal_run_destroy(runs[k]);
    }
    printf(" %6.2f %6.2f\n", costs[1].first / costs[0].first,
           costs[1].seconds / costs[0].seconds);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    printf("%-34s %6s %7s %8s %8s %6s %7s %8s %8s %6s %6s\n", "", "steps", "evals",
           "first/ms", "full/ms", "steps", "evals", "first/ms", "red/ms", "first",
           "times");
    for (int i = 1; i < argc; i++) {
        measure(argv[i]);
    }
    return argc > 1 ? 0 : 2;
}
