// SPDX-License-Identifier: MIT

// A model text: build it, show its errors, look at what came of it; then the same with too
// little memory.

#include "fault.h"
#include "model/build.h"
#include "output.h"
#include "target.h"

static char errors[OUTPUT_SIZE];

// Lists hold what the model's header promises.
static void demand_model(const KalModel *model)
{
    for (size_t i = 0; i < model->n_symbols; i++) {
        demand(model->symbols[i].name[0] != '\0');
    }
    for (size_t i = 0; i < model->n_parameters; i++) {
        uint64_t kinds = 0;
        demand(kal_model_kinds_in(model, model->parameters[i].value, &kinds) == KAL_OK);
        demand((kinds & ~(UINT64_C(1) << KAL_SYMBOL_PARAMETER)) == 0);
    }
    for (size_t i = 0; i < model->n_constraints; i++) {
        demand(model->constraints[i].residual.index != 0);
        demand(model->constraints[i].reaction.index != 0);
    }
    for (size_t i = 0; i < model->n_contributions; i++) {
        demand(model->contributions[i].value.index != 0);
        demand(model->contributions[i].row < model->n_coordinates
               || model->contributions[i].kind < KAL_TERM_FORCE);
    }
    for (size_t i = 0; i < model->n_events; i++) {
        demand(model->events[i].n_actions > 0);
    }
}

static void demand_errors(KalContext *ctx, const KalDiagnostics *diagnostics)
{
    Output output = {.text = errors};
    demand(kal_context_message(ctx)[0] != '\0');
    demand(kal_diagnostics_count(diagnostics, KAL_SEVERITY_ERROR) > 0);
    kal_diagnostics_write(diagnostics, (KalSink){.write = keep, .user = &output});
    demand(output.length > 0);
    demand_plain(&output);
}

typedef struct Attempt {
    KalSources *sources;
    KalDiagnostics *diagnostics;
    const KalSource *source;
    KalModel *model;
} Attempt;

static KalStatus attempt(KalContext *ctx, const char *text, size_t size, Attempt *a)
{
    const KalOverride override = {"m", "2"};
    const KalBuildOptions options = {.overrides = &override,
                                     .n_overrides = size % 5 == 0};
    KAL_TRY(kal_sources_create(ctx, &a->sources));
    KAL_TRY(kal_diagnostics_create(ctx, &a->diagnostics));
    KAL_TRY(kal_sources_add(a->sources, "fuzz", text, size, &a->source));
    return kal_model_build(a->sources, a->source, &options, a->diagnostics, &a->model);
}

// Build with `calls_left` allocations, negative for any number.
static void run(const uint8_t *data, size_t size, long calls_left)
{
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    Attempt a = {.model = NULL};
    if (kal_context_create(fault_alloc, &fault, &ctx) != KAL_OK) {
        return;
    }
    const KalStatus status = attempt(ctx, (const char *)data, size, &a);
    demand((status == KAL_OK) == (a.model != NULL));
    if (status == KAL_OK && calls_left < 0) {
        demand_model(a.model);
    } else if (calls_left < 0 && a.source) {
        demand(status == KAL_ERR_SYNTAX || status == KAL_ERR_LIMIT);
        demand_errors(ctx, a.diagnostics);
    }
    kal_model_destroy(a.model);
    kal_diagnostics_destroy(a.diagnostics);
    kal_sources_destroy(a.sources);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size, -1);
    run(data, size, 1 + (long)(size % 61));
    return 0;
}
