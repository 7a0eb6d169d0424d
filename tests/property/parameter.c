// SPDX-License-Identifier: MIT

// Every parameter of every example, set for a run and given to a load: the same motion, bit
// for bit, or a refusal that says that the structure depends on it.

#include "examples.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_SIZE = 1 << 16,
    PIECES = 3,      // of a run
    STEPS_MOST = 400 // of a run
};

static const char *folder;
static KalContext *ctx;
static char text[TEXT_SIZE];
static size_t length;
static int n_set;
static int n_refused;

// What came of a run.
typedef struct Outcome {
    KalStatus status;
    uint64_t bits;
    KalRunStatistics statistics;
    char message[400];
} Outcome;

static void add_bits(Outcome *outcome, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &x[i], sizeof bits);
        outcome->bits = (outcome->bits ^ bits) * UINT64_C(0x100000001b3);
    }
}

static Outcome follow(KalRun *run, const KalSystem *system)
{
    const int n = kal_system_coordinates(system);
    const KalRunOptions options = kal_run_get_options(run);
    KalStartReport report;
    Outcome outcome = {.bits = UINT64_C(0xcbf29ce484222325)};
    outcome.status = kal_run_start(run, &report);
    for (int k = 1; k <= PIECES && outcome.status == KAL_OK && !kal_run_is_over(run);
         k++) {
        const double part = (double)k / PIECES;
        const double *values = NULL;
        outcome.status =
            kal_run_advance(run, options.from + part * (options.until - options.from));
        add_bits(&outcome, kal_instant_t(kal_run_instant(run)), 1);
        add_bits(&outcome, kal_instant_q(kal_run_instant(run)), 2 * n);
        if (outcome.status == KAL_OK) {
            outcome.status = kal_instant_outputs(kal_run_instant(run), &values);
        }
        if (outcome.status == KAL_OK) {
            add_bits(&outcome, values, kal_system_outputs(system));
        }
    }
    if (outcome.status != KAL_OK) {
        snprintf(outcome.message, sizeof outcome.message, "%s",
                 kal_context_message(ctx));
    }
    outcome.statistics = kal_run_statistics(run);
    return outcome;
}

static bool is_same(const Outcome *a, const Outcome *b)
{
    return a->status == b->status && a->bits == b->bits
           && a->statistics.steps == b->statistics.steps
           && a->statistics.rejected == b->statistics.rejected
           && a->statistics.events == b->statistics.events
           && strcmp(a->message, b->message) == 0;
}

static KalSystem *load(const char *name, const KalOverride *override)
{
    KalSystem *system = NULL;
    const KalLoadOptions options = {.overrides = override,
                                    .n_overrides = override ? 1 : 0,
                                    .stiff = true,
                                    .balance = true};
    const KalStatus status =
        kal_system_load(ctx, name, text, length, &options, &system);
    return status == KAL_OK ? system : NULL;
}

// The beginning of what the model asks for.
static KalRun *make_run(const KalSystem *system, KalRunOptions options)
{
    KalRun *run = NULL;
    options.until = options.from + 0.1 * (options.until - options.from);
    options.max_steps = STEPS_MOST;
    ok(kal_run_create(ctx, system, &options, &run) == KAL_OK);
    return run;
}

// A run that gets a parameter against one of a model that was loaded with it; then the run
// gets its own value back.
static void compare(const char *name, const KalSystem *system, const KalSystem *other,
                    int index)
{
    const KalParameterInfo p = kal_system_parameter(system, index);
    const KalSetting setting = {p.name, kal_system_parameter(other, index).value};
    KalRun *run = make_run(system, kal_run_options(other));
    const KalStatus status = kal_run_set_parameters(run, &setting, 1);
    if (status == KAL_ERR_FORMULATION) {
        ok(p.fixed);
        has_text(kal_context_message(ctx), p.name);
        n_refused++;
    } else if (ok(status == KAL_OK)) {
        KalRun *fresh = make_run(other, kal_run_options(other));
        const Outcome got = follow(run, system);
        const Outcome want = follow(fresh, other);
        if (!ok(is_same(&got, &want))) {
            printf("# %s: %s = %g: %s | %s, %ld | %ld steps\n", name, p.name,
                   setting.value, got.message, want.message, got.statistics.steps,
                   want.statistics.steps);
        }
        for (int i = 0; i < kal_system_parameters(system); i++) {
            ok(kal_instant_parameters(kal_run_instant(run))[i]
               == kal_system_parameter(other, i).value);
        }
        n_set++;
        kal_run_destroy(fresh);
    } else {
        printf("# %s: %s = %g: %s\n", name, p.name, setting.value,
               kal_context_message(ctx));
    }
    kal_run_destroy(run);
}

static void try_parameter(const char *name, const KalSystem *system, int index)
{
    const KalParameterInfo p = kal_system_parameter(system, index);
    char value[40];
    const double changed = p.value == 0.0 ? 0.3 : 1.0625 * p.value;
    snprintf(value, sizeof value, "%.17g", p.fixed ? p.value + 1.0 : changed);
    const KalOverride override = {p.name, value};
    KalSystem *other = load(name, &override);
    if (other) {
        compare(name, system, other, index);
    }
    kal_system_destroy(other);
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
    if (!ok(read_model(name))) {
        return;
    }
    KalSystem *system = load(name, NULL);
    if (ok(system != NULL)) {
        for (int i = 0; i < kal_system_parameters(system); i++) {
            try_parameter(name, system, i);
        }
    }
    kal_system_destroy(system);
}

static void to_set_is_to_load(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(examples_each(folder, try_model) > 0);
    kal_context_destroy(ctx);
    printf("# %d set, %d refused\n", n_set, n_refused);
    ok(n_set * examples_share() > 100);
    ok(n_refused > 0 || examples_share() > 1); // few examples have such parameters
}

int main(int argc, char **argv)
{
    static const TapCase cases[] = {TAP_CASE(to_set_is_to_load)};
    folder = argc > 1 ? argv[1] : "examples";
    return tap_run(cases, 1);
}
