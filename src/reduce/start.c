// SPDX-License-Identifier: MIT

// Which of the reduced formulas have no value at the start of the model.
//
// Speeds are chosen by formulas, and velocities in terms of them may have denominators that
// are zero in some states: theory (20.3).  The start is the one state that every model has,
// so all formulas are evaluated there; what is not finite is noted, for those who show them.

#include "expr/eval.h"
#include "reduce/reduction.h"

#include <kalaba/system.h>

#include <assert.h>
#include <math.h>

// The value of a symbol of the model; those that the start does not know are regular.
static double value_of(KalInstant *at, const KalSymbol *symbol)
{
    switch (symbol->kind) {
    case KAL_SYMBOL_TIME: return *kal_instant_t(at);
    case KAL_SYMBOL_PARAMETER: return kal_instant_parameters(at)[symbol->index];
    case KAL_SYMBOL_COORDINATE: return kal_instant_q(at)[symbol->index];
    case KAL_SYMBOL_VELOCITY: return kal_instant_qd(at)[symbol->index];
    case KAL_SYMBOL_STATE: return kal_instant_states(at)[symbol->index];
    case KAL_SYMBOL_HOLD: return kal_instant_holds(at)[symbol->index];
    case KAL_SYMBOL_ACCELERATION:
    case KAL_SYMBOL_REACTION:
    case KAL_SYMBOL_COORDINATE_FORCE:
    case KAL_SYMBOL_CONTROL:
    case KAL_SYMBOL_ENERGY:
    case KAL_SYMBOL_ACTIVE:
    case KAL_SYMBOL_PROMISE: break;
    }
    return 1.0;
}

// The value of a speed that has a formula, beside those of all symbols.
static KalStatus take_speed(KalReduction *r, const KalSpeed *speed, double *values)
{
    if (speed->value.index == 0) {
        return KAL_OK;
    }
    const uint32_t id = kal_graph_node(r->g, speed->symbol).arg[0].index;
    return kal_eval(r->g, &speed->value, 1, values, &values[id]);
}

// Values of all symbols, speeds among them.
static KalStatus take_values(KalReduction *r, KalInstant *at, double *values)
{
    const KalModel *model = r->eq->model;
    for (size_t id = 0; id < model->n_symbols; id++) {
        values[id] = value_of(at, &model->symbols[id]);
    }
    for (int i = 0; i < r->sheet.n_named; i++) {
        values[model->n_symbols + (size_t)i] = 1.0;
    }
    for (size_t i = 0; i < r->k; i++) {
        KAL_TRY(take_speed(r, &r->speeds[i], values));
    }
    return KAL_OK;
}

// Whether n formulas have values.
static KalStatus have_values(KalReduction *r, const KalExpr *e, size_t n,
                             const double *values, bool *out_have)
{
    for (size_t i = 0; i < n && *out_have; i++) {
        double value = NAN;
        KAL_TRY(kal_eval(r->g, &e[i], 1, values, &value));
        *out_have = isfinite(value);
    }
    return KAL_OK;
}

// Formulas that have no value at the start are told: whoever integrates them from there
// would divide by zero.
static KalStatus note(KalReduction *r, const double *values)
{
    bool motion = true;
    for (size_t i = 0; i < r->n; i++) {
        bool have = true;
        KAL_TRY(have_values(r, r->S + i * r->k, r->k, values, &have));
        KAL_TRY(have_values(r, r->s + i, 1, values, &have));
        r->start.lost[i] = !have;
    }
    KAL_TRY(have_values(r, r->M, r->k * r->k, values, &motion));
    KAL_TRY(have_values(r, r->F, r->k, values, &motion));
    for (size_t i = 0; i < r->k && r->explicit_form; i++) {
        KAL_TRY(have_values(r, &r->speeds[i].equation, 1, values, &motion));
    }
    r->start.lost_motion = !motion;
    return KAL_OK;
}

static KalStatus note_at(KalReduction *r, KalInstant *at)
{
    KalStartReport report;
    const size_t n = r->eq->model->n_symbols + KAL_SHEET_NAMES;
    const KalStatus start = kal_instant_start(at, &report);
    if (start != KAL_OK) { // there is none to look at: other commands say why
        return start == KAL_ERR_NOMEM ? start : KAL_OK;
    }
    double *values = kal_alloc(r->ctx, n, sizeof *values);
    if (!values) {
        return kal_no_memory(r->ctx, "for values at the start");
    }
    KalStatus status = take_values(r, at, values);
    if (status == KAL_OK) {
        status = note(r, values);
    }
    kal_free(r->ctx, values, n * sizeof *values);
    return status;
}

KalStatus kal_reduction_note_start(KalReduction *r, const KalSystem *system)
{
    assert(r && system);
    KalInstant *at = NULL;
    KAL_TRY(kal_instant_create(r->ctx, system, &at));
    const KalStatus status = note_at(r, at);
    kal_instant_destroy(at);
    return status;
}
