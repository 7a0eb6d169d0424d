// SPDX-License-Identifier: MIT

// Going to a state.

#include "analysis/analysis_impl.h"
#include "system/start.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The values that a text names: the others become NaN.
static KalStatus find_named(KalAnalysis *a, const char *values, double *y, bool *held)
{
    const size_t count = 2 * (size_t)a->system->n;
    double *state = kal_instant_q(a->instant); // velocities follow
    bool complete = false;
    assert(y != state);
    memcpy(y, state, count * sizeof *y);
    for (size_t i = 0; i < count; i++) {
        state[i] = NAN;
    }
    const KalStatus status = kal_instant_set(a->instant, values, &complete);
    for (size_t i = 0; i < count; i++) {
        held[i] = !isnan(state[i]);
        state[i] = held[i] ? state[i] : y[i];
    }
    return status;
}

// Onto the constraints, with the named values held or, failing that, none.
static KalStatus settle(KalAnalysis *a, double *y, bool *held)
{
    const size_t count = 2 * (size_t)a->system->n;
    double *state = kal_instant_q(a->instant);
    memcpy(y, state, count * sizeof *y);
    const KalStatus status = kal_instant_settle(a->instant, held);
    if (status != KAL_ERR_CONTRADICTION) {
        return status;
    }
    memcpy(state, y, count * sizeof *y);
    memset(held, 0, count * sizeof *held);
    return kal_instant_settle(a->instant, held);
}

// How many states there are at the start; there may be none to linearize about.
static KalStatus count_usual(KalAnalysis *a)
{
    if (a->chart.usual_states >= 0 || a->pencil) {
        return KAL_OK;
    }
    const KalStatus status = kal_analysis_count_states(a, &a->chart.usual_states);
    return status == KAL_ERR_NOMEM ? status : KAL_OK;
}

// The velocities of coordinates that stand for states are their rates.
static KalStatus follow_states(KalAnalysis *a)
{
    const KalModel *model = a->system->model;
    bool any = false;
    for (size_t i = 0; i < model->n_constraints; i++) {
        any = any || model->constraints[i].state > 0;
    }
    KAL_TRY(any ? kal_instant_residuals(a->instant, KAL_PROGRAM_VELOCITY) : KAL_OK);
    for (size_t i = 0; any && i < model->n_constraints; i++) {
        const uint32_t state = model->constraints[i].state;
        if (state > 0) {
            kal_instant_qd(a->instant)[state - 1] -= a->instant->residuals[i];
        }
    }
    return KAL_OK;
}

// The model's start with the values of a text in their places, as they are.
KalStatus kal_analysis_place(KalAnalysis *a, const char *values, KalMisfit *out_misfit)
{
    KAL_NEED(a ? a->ctx : NULL, a);
    KalStartReport report;
    KalMisfit misfit = {.count = 0};
    bool complete = false;
    if (values) { // a state that is given whole needs no start
        KAL_TRY(kal_instant_set(a->instant, values, &complete));
    }
    if (!complete) {
        KAL_TRY(kal_instant_start(a->instant, &report));
        KAL_TRY(count_usual(a));
    }
    if (values) {
        KAL_TRY(kal_instant_set(a->instant, values, NULL));
        KAL_TRY(follow_states(a));
        KAL_TRY(kal_instant_misfit(a->instant, &misfit));
    }
    if (out_misfit) {
        *out_misfit = misfit;
    }
    return KAL_OK;
}

static KalStatus bring(KalAnalysis *a, const char *values, double *y, bool *held)
{
    KalMisfit misfit = {.count = 0};
    KAL_TRY(kal_analysis_place(a, values, NULL));
    KAL_TRY(find_named(a, values, y, held));
    KAL_TRY(kal_instant_misfit(a->instant, &misfit));
    return misfit.count == 0 ? KAL_OK : settle(a, y, held);
}

KalStatus kal_analysis_bring(KalAnalysis *a, const char *values)
{
    KAL_NEED(a ? a->ctx : NULL, a);
    const size_t count = 2 * (size_t)a->system->n;
    double *y = (double *)kal_alloc(a->ctx, count, sizeof *y);
    bool *held = (bool *)kal_alloc(a->ctx, count, sizeof *held);
    const KalStatus status =
        y && held ? bring(a, values, y, held) : kal_no_memory(a->ctx, "for a state");
    kal_free(a->ctx, held, held ? count * sizeof *held : 0);
    kal_free(a->ctx, y, y ? count * sizeof *y : 0);
    return status;
}
