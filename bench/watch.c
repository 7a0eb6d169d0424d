// SPDX-License-Identifier: MIT

// What watching for losses of rank costs, as a part of the steps themselves: after every
// step of a run the watch is made to look at it several times more, and that is timed.  Both
// times are of one run, so what else the machine does disturbs both.
//
//     bench_watch MODEL…

#include "sim/run_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TEXT = 1 << 16,
    LOOKS = 16 // at each step: one is too short for the clock
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        fprintf(stderr, "failed: %s\n", ctx ? kal_context_message(ctx) : "no context");
        exit(1);
    }
}

// What reading the clock takes, which is in every time: the least of many.
static double clock_cost(void)
{
    double least = INFINITY;
    for (int i = 0; i < 1000; i++) {
        const double begin = now();
        least = fmin(least, now() - begin);
    }
    return least;
}

// Steps, and those after which rows had to be looked at closely.
typedef struct Cost {
    double steps;
    double watch;
    long count;
    long close;
} Cost;

static Cost follow(KalContext *ctx, KalRun *run)
{
    Cost cost = {.count = 0};
    const double reading = clock_cost();
    while (run->t < run->options.until) {
        const double before = run->t;
        const double begin = now();
        check(ctx, kal_run_step(run));
        const double middle = now();
        const bool close = run->rank.keeps;
        for (int i = 0; i < LOOKS; i++) {
            run->rank.t = before;
            run->rank.keeps = false;
            check(ctx, kal_run_watch_rank(run, false));
        }
        const double end = now();
        cost.steps += middle - begin - reading;
        cost.watch += close ? 0.0 : (end - middle - reading) / LOOKS;
        cost.count++;
        cost.close += close;
    }
    return cost;
}

static void measure(const char *path, bool last)
{
    static char text[TEXT];
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalRun *run = NULL;
    KalStartReport report;
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(text, 1, TEXT - 1, file) : 0;
    if (length == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    check(NULL, kal_context_create(NULL, NULL, &ctx));
    check(ctx, kal_system_load(ctx, path, text, length, NULL, &system));
    check(ctx, kal_run_create(ctx, system, NULL, &run));
    check(ctx, kal_run_start(run, &report));
    const Cost cost = follow(ctx, run);
    printf("\"%s\": {\"steps\": %ld, \"close\": %ld, \"part\": %.4f}%s\n", path,
           cost.count, cost.close, cost.watch / cost.steps, last ? "" : ",");
    kal_run_destroy(run);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    printf("{");
    for (int i = 1; i < argc; i++) {
        measure(argv[i], i + 1 == argc);
    }
    printf("}\n");
    return 0;
}
