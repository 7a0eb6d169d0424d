// SPDX-License-Identifier: MIT

// What a sample of a run costs, in accelerations: the same run to its end with many samples,
// kept in a table, and with none, in turn and in processor time; and one acceleration by
// the program, at the end of the run.
//
//     bench_sample MODEL…

#include "common.h"
#include "system/instant.h"

#include <math.h>

enum {
    SAMPLES = 2000,
    REPEATS = 25, // of which the fastest was disturbed least
    CALLS = 20000
};

typedef struct Cost {
    double seconds;
    long evaluations;
} Cost;

static KalStatus take(void *user, KalRun *run)
{
    return kal_record_take((KalRecord *)user, run);
}

// The run from the start to the end, with samples or without.
static void go(KalContext *ctx, const KalSystem *system, KalRun *run, bool samples,
               Cost *cost)
{
    KalRecord *record = NULL;
    KalStartReport report;
    bench_check(ctx, kal_record_create(ctx, system, NULL, 0, &record));
    bench_check(ctx, kal_run_start(run, &report));
    const double begin = bench_now();
    bench_check(ctx, samples ? kal_run_sample(run, take, record)
                             : kal_run_advance(run, kal_run_get_options(run).until));
    cost->seconds = fmin(cost->seconds, bench_now() - begin);
    cost->evaluations = kal_run_statistics(run).evaluations;
    kal_record_destroy(record);
}

// One acceleration of the instant by its program; NaN where there is none.
static double time_acceleration(KalInstant *instant)
{
    double best = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        const double begin = bench_now();
        for (int i = 0; i < CALLS; i++) {
            instant->road.back.knows = false; // no answer that is there already
            if (!kal_instant_rush(instant, false)) {
                return NAN;
            }
        }
        best = fmin(best, (bench_now() - begin) / CALLS);
    }
    return best;
}

static void measure(const char *path)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalRun *run = NULL;
    Cost costs[2] = {{.seconds = INFINITY}, {.seconds = INFINITY}};
    bench_load(path, &ctx, &system);
    KalRunOptions options = kal_run_options(system);
    options.every = (options.until - options.from) / SAMPLES;
    bench_check(ctx, kal_run_create(ctx, system, &options, &run));
    for (int i = 0; i < 2 * REPEATS; i++) { // in turn, so that all else disturbs both
        go(ctx, system, run, i % 2 == 1, &costs[i % 2]);
    }
    const double sample = (costs[1].seconds - costs[0].seconds) / SAMPLES;
    const double one = time_acceleration(kal_run_instant(run));
    printf("%-40s %8ld %8ld %8.1f %8.1f %6.2f\n", kal_system_title(system),
           costs[0].evaluations, costs[1].evaluations, 1e9 * one, 1e9 * sample,
           sample / one);
    kal_run_destroy(run);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    printf("%-40s %8s %8s %8s %8s %6s\n", "", "without", "with", "one/ns", "ns",
           "times");
    for (int i = 1; i < argc; i++) {
        measure(argv[i]);
    }
    return argc > 1 ? 0 : 2;
}
