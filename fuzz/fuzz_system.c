// SPDX-License-Identifier: MIT

// The whole chain: a model text is loaded, examined, its equations shown, started, solved
// and its instant shown; then the same with too little memory.

#include "fault.h"
#include "output.h"
#include "target.h"

#include <kalaba/kalaba.h>

enum {
    SOLVED = 40, // coordinates and constraints of systems that are solved: for speed
    FAULTS = 12, // allocations that fail
    FAULT_STEP = 37, // one in so many
    CLOSED = 300,    // bytes of texts whose closed form is looked for: for speed
};

static char shown[OUTPUT_SIZE];
static char errors[OUTPUT_SIZE];

// Whatever fails says why.
static void demand_reason(const KalContext *ctx, KalStatus status)
{
    demand(status == KAL_OK || kal_context_message(ctx)[0] != '\0');
}

static void show_instant(KalInstant *instant, const KalMotionAnswer *answer, bool json)
{
    Output output = {.text = shown};
    const KalShowOptions options = {.format = json ? KAL_SHOW_JSON : KAL_SHOW_TEXT};
    const KalStatus status = kal_show_instant(
        instant, answer, &options, (KalSink){.write = keep, .user = &output});
    demand(status != KAL_OK || output.length > 0);
}

static void solve(KalContext *ctx, const KalSystem *system)
{
    KalInstant *instant = NULL;
    KalStartReport report;
    KalMotionAnswer answer;
    KalStatus status = kal_instant_create(ctx, system, &instant);
    if (status == KAL_OK) {
        status = kal_instant_start(instant, &report);
        demand_reason(ctx, status);
        status = kal_instant_solve(instant, &answer);
        demand_reason(ctx, status);
    }
    if (status == KAL_OK) {
        show_instant(instant, &answer, true);
        show_instant(instant, &answer, false);
    }
    kal_instant_destroy(instant);
}

// Equations in every format, and what check says.
static void examine(KalContext *ctx, KalSystem *system, bool closed)
{
    static const KalShowFormat formats[] = {KAL_SHOW_TEXT, KAL_SHOW_JSON,
                                            KAL_SHOW_LATEX, KAL_SHOW_MARKDOWN};
    for (int i = 0; i < 4; i++) {
        Output output = {.text = shown};
        const KalShowOptions options = {.format = formats[i],
                                        .closed_form = closed && i == 0};
        const KalStatus status = kal_show_system(
            ctx, system, &options, (KalSink){.write = keep, .user = &output});
        demand_reason(ctx, status);
        demand((status == KAL_OK) == (output.length > 0));
    }
    KalCheck *check = NULL;
    const KalStatus status = kal_check_create(ctx, system, &check);
    demand_reason(ctx, status);
    for (int i = 0; i < 2 && check; i++) {
        Output output = {.text = shown};
        const KalShowOptions options = {.format = formats[i]};
        kal_show_check(check, &options, (KalSink){.write = keep, .user = &output});
        demand(output.length > 0);
    }
    kal_check_destroy(check);
}

static KalStatus load(KalContext *ctx, const char *text, size_t size, bool closed)
{
    KalSystem *system = NULL;
    Output output = {.text = errors};
    const KalSink sink = {.write = keep, .user = &output};
    const KalLoadOptions options = {.messages = sink};
    const KalStatus status =
        kal_system_load(ctx, "fuzz", text, size, &options, &system);
    demand((status == KAL_OK) == (system != NULL));
    demand_reason(ctx, status);
    demand(status != KAL_ERR_SYNTAX || output.length > 0);
    if (system) {
        kal_system_write_warnings(system, sink);
        if (kal_system_coordinates(system) + kal_system_constraints(system) <= SOLVED) {
            solve(ctx, system);
            examine(ctx, system, closed);
        }
    }
    kal_system_destroy(system);
    demand_plain(&output);
    return status;
}

// Load with `calls_left` allocations, negative for any number.
static KalStatus try_load(const char *text, size_t size, long calls_left)
{
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    KalStatus status = kal_context_create(fault_alloc, &fault, &ctx);
    if (status == KAL_OK) {
        status = load(ctx, text, size, calls_left < 0 && size < CLOSED);
        kal_context_destroy(ctx);
    }
    demand(fault.live_bytes == 0);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const KalStatus status = try_load(text, size, -1);
    for (long i = 0; i < FAULTS; i++) {
        const KalStatus starved =
            try_load(text, size, FAULT_STEP * i + (long)(size % FAULT_STEP));
        demand(starved == status || starved == KAL_ERR_NOMEM || status != KAL_OK);
    }
    return 0;
}
