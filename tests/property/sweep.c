// SPDX-License-Identifier: MIT

// Sweeps of all examples over their parameters: each row is the same, bit for bit, with lanes
// or without, for any number of threads, and whatever ran before in the same thread.
// KAL_PROPERTY_PROBLEMS is the number of runs of each sweep.

#include "examples.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_SIZE = 1 << 16,
    INPUTS = 3,           // parameters of a sweep at most
    STEPS_MOST = 200,     // of a run
    COORDINATES_MOST = 50 // larger systems never step in lanes, and take long
};

static const char *folder;
static KalContext *ctx;
static char text[TEXT_SIZE];
static size_t length;
static uint64_t n_runs = 5;
static int n_models;
static int n_sweeps;
static int n_failed;

// What came of all runs of a sweep.
typedef struct Outcome {
    KalSweep *sweep;
    uint64_t bits[1000]; // of each row
    int rows;
} Outcome;

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static KalStatus take(void *user, const KalSweepRow *row)
{
    Outcome *outcome = (Outcome *)user;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = mix(hash, row->values, kal_sweep_kept(outcome->sweep) * sizeof(double));
    outcome->bits[row->run - 1] = mix(hash, row->reason, strlen(row->reason));
    outcome->rows++;
    n_failed += row->status != KAL_OK;
    return KAL_OK;
}

static void adjust(void *user, KalRunOptions *options)
{
    const double *part = (const double *)user;
    options->until = options->from + *part * (options->until - options->from);
    options->max_steps = STEPS_MOST;
}

// All rows of the same sweep are those of `first`.
static void compare(const char *name, const Outcome *first, KalSweepJob job)
{
    static Outcome other;
    other = (Outcome){.sweep = first->sweep};
    job.take = take;
    job.user = &other;
    const uint64_t step = job.shards > 0 ? job.shards : 1;
    ok(kal_sweep_go(first->sweep, &job) == KAL_OK);
    for (uint64_t i = job.shard > 0 ? job.shard - 1 : 0; i < n_runs; i += step) {
        if (!ok(other.bits[i] == first->bits[i])) {
            printf("# %s: run %d differs, %d threads, shard %d, %s\n", name, (int)i + 1,
                   job.threads, (int)job.shard, job.alone ? "alone" : "in lanes");
        }
    }
}

static void go(const char *name, const KalSystem *system,
               const KalSweepOptions *options)
{
    static Outcome first;
    first = (Outcome){.rows = 0};
    const KalStatus status = kal_sweep_create(ctx, system, options, &first.sweep);
    if (!ok(status == KAL_OK)) {
        printf("# %s: %s\n", name, kal_context_message(ctx));
        return;
    }
    const KalSweepJob alone = {
        .threads = 1, .alone = true, .take = take, .user = &first};
    ok(kal_sweep_go(first.sweep, &alone) == KAL_OK && first.rows == (int)n_runs);
    compare(name, &first, (KalSweepJob){.threads = 1});
    compare(name, &first, (KalSweepJob){.threads = 2});
    compare(name, &first, (KalSweepJob){.threads = 1, .shard = 2, .shards = 2});
    compare(name, &first,
            (KalSweepJob){.threads = 1, .alone = true, .shard = 1, .shards = 3});
    kal_sweep_destroy(first.sweep);
    n_sweeps++;
}

// Parameters that leave the structure alone, a little off their values; runs without any are
// all the same.
static void try_system(const char *name, const KalSystem *system)
{
    static double part = 0.2;
    char texts[INPUTS][200];
    const char *random[INPUTS];
    size_t count = 0;
    for (int i = 0; i < kal_system_parameters(system) && count < INPUTS; i++) {
        const KalParameterInfo p = kal_system_parameter(system, i);
        if (!p.fixed && p.value != 0.0 && strlen(p.name) < 100) {
            snprintf(texts[count], sizeof texts[count], "%s = uniform(%.9g, %.9g)",
                     p.name, p.value - 0.03 * fabs(p.value),
                     p.value + 0.03 * fabs(p.value));
            random[count] = texts[count];
            count++;
        }
    }
    if (count == 0) {
        return;
    }
    KalSweepOptions options = {.random = random,
                               .n_random = count,
                               .count = n_runs,
                               .seed = 7,
                               .keep = "final(*)",
                               .adjust = adjust,
                               .user = &part};
    // Of the rows that are taken at the end of runs and those that look at all of them each
    // example has one kind, by turns; both where the environment has KAL_TEST_ALL.
    const bool all = getenv("KAL_TEST_ALL") != NULL;
    const int kind = n_models++ % 2;
    if (all || kind == 0) {
        go(name, system, &options);
    }
    if (all || kind == 1) {
        options.keep = "final(*), max(*)";
        options.seed = 8;
        go(name, system, &options);
    }
}

static bool read_model(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) {
        fclose(file);
    }
    return length > 0 && length < sizeof text;
}

static void try_model(const char *name)
{
    KalSystem *system = NULL;
    if (!ok(read_model(name))) {
        return;
    }
    if (ok(kal_system_load(ctx, name, text, length, NULL, &system) == KAL_OK)
        && kal_system_coordinates(system) <= COORDINATES_MOST) {
        try_system(name, system);
    }
    kal_system_destroy(system);
}

static void rows_are_functions_of_their_numbers(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(examples_each(folder, try_model) > 0);
    kal_context_destroy(ctx);
    printf("# %d sweeps, %d rows of runs that failed\n", n_sweeps, n_failed);
    ok(n_sweeps * examples_share() > 30);
}

int main(int argc, char **argv)
{
    static const TapCase cases[] = {TAP_CASE(rows_are_functions_of_their_numbers)};
    const char *wish = getenv("KAL_PROPERTY_PROBLEMS");
    const long wanted = wish ? strtol(wish, NULL, 10) : 0;
    n_runs = wanted > 0 && wanted <= 1000 ? (uint64_t)wanted : n_runs;
    folder = argc > 1 ? argv[1] : "examples";
    return tap_run(cases, 1);
}
