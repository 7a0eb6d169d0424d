// SPDX-License-Identifier: MIT

// A model text is loaded, started and run for some steps; what it did is shown and
// recorded.  Whatever fails says why and leaves nothing behind.

#include "output.h"
#include "target.h"

#include <kalaba/kalaba.h>

#include <math.h>

enum {
    SIZE = 60,    // coordinates and constraints of systems that are run: for speed
    STEPS = 60,   // of a run
    SAMPLES = 40, // of a run
};

static const size_t MOST_BYTES = (size_t)1 << 30; // more is out of proportion

static char shown[OUTPUT_SIZE];
static char errors[OUTPUT_SIZE];

// Memory that is counted.
typedef struct Held {
    size_t bytes;
} Held;

static void *hold(void *user, void *block, size_t old_size, size_t new_size)
{
    Held *held = user;
    held->bytes += new_size - old_size;
    demand(held->bytes < MOST_BYTES);
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    demand(moved != NULL);
    return moved;
}

// Whatever fails says why.
static void demand_reason(const KalContext *ctx, KalStatus status)
{
    demand(status == KAL_OK || kal_context_message(ctx)[0] != '\0');
}

static bool watch(void *user, const KalRun *run)
{
    int *left = user;
    (void)run;
    return --*left > 0;
}

static void demand_finite(KalRun *run)
{
    KalInstant *instant = kal_run_instant(run);
    const KalRunStatistics s = kal_run_statistics(run);
    const int n = kal_instant_problem(instant).n;
    for (int i = 0; i < n; i++) {
        demand(isfinite(kal_instant_q(instant)[i]));
        demand(isfinite(kal_instant_qd(instant)[i]));
    }
    demand(isfinite(kal_run_time(run)) && s.steps >= 0 && s.events >= 0);
}

static void show(KalContext *ctx, KalRun *run, bool json)
{
    Output output = {.text = shown};
    const KalRunTimes times = {.starting = 0.0};
    const KalShowOptions options = {.format = json ? KAL_SHOW_JSON : KAL_SHOW_TEXT};
    const KalStatus status =
        kal_show_run(run, &times, &options, (KalSink){.write = keep, .user = &output});
    demand_reason(ctx, status);
    demand_plain(&output);
}

// Samples up to the end, to a failure, or until there are enough of them.
static void advance(KalContext *ctx, KalRun *run, KalRecord *record)
{
    const KalRunOptions o = kal_run_get_options(run);
    KalStatus status = KAL_OK;
    for (int k = 1; k <= SAMPLES && status == KAL_OK && !kal_run_is_over(run); k++) {
        status =
            k % 4 == 0 ? kal_run_step(run) : kal_run_advance(run, o.from + k * o.every);
        demand_reason(ctx, status);
        demand_finite(run);
        if (status == KAL_OK) {
            status = kal_record_take(record, run);
        }
    }
    demand_reason(ctx, kal_record_finish(record, run));
}

static void run_system(KalContext *ctx, const KalSystem *system, KalMethod method)
{
    static const char *const patterns[] = {"*"};
    KalRunOptions options = kal_run_options(system);
    KalRun *run = NULL;
    KalRecord *record = NULL;
    KalStartReport report;
    int left = STEPS;
    options.watch = watch;
    options.user = &left;
    options.method = method;
    KalStatus status = kal_run_create(ctx, system, &options, &run);
    demand_reason(ctx, status);
    if (status == KAL_OK) {
        status = kal_record_create(ctx, system, patterns, 1, &record);
        demand_reason(ctx, status);
    }
    if (status == KAL_OK) {
        status = kal_run_start(run, &report);
        demand_reason(ctx, status);
    }
    if (status == KAL_OK) {
        advance(ctx, run, record);
        show(ctx, run, true);
        show(ctx, run, false);
    }
    kal_record_destroy(record);
    kal_run_destroy(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Held held = {0};
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    Output output = {.text = errors};
    const KalSink sink = {.write = keep, .user = &output};
    const bool stiff = size % 3 == 0;
    const KalLoadOptions options = {.messages = sink, .stiff = stiff};
    demand(kal_context_create(hold, &held, &ctx) == KAL_OK);
    const KalStatus status =
        kal_system_load(ctx, "fuzz", (const char *)data, size, &options, &system);
    demand((status == KAL_OK) == (system != NULL));
    demand_reason(ctx, status);
    if (system
        && kal_system_coordinates(system) + kal_system_constraints(system) <= SIZE) {
        run_system(ctx, system, stiff ? KAL_METHOD_BDF : KAL_METHOD_AUTO);
    }
    kal_system_destroy(system);
    demand_plain(&output);
    kal_context_destroy(ctx);
    demand(held.bytes == 0);
    return 0;
}
