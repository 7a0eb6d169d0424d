// SPDX-License-Identifier: MIT

// Servos as constraints whose error decays, and actuators as columns of B.
//
// A servo demands e = 0 but the state may start with an error: as Baumgarte does for
// constraints, b gets terms that let the error decay at the rate k, critically damped where
// the servo is on positions: e'' + 2k e' + k²e = 0, theory (9.20) and (9.21).
//
// An actuator is given by its power, the input u times a linear form in the velocities; the
// factors of the q' are its column of B, theory (9.19).

#include "derive/derive_impl.h"
#include "derive/entries.h"
#include "derive/trace.h"
#include "zero/identity.h"

#include <assert.h>

// b with the terms that make the error decay at rate k: theory (9.20), (9.21).
static KalExpr decaying(const KalDerivation *d, const KalServo *servo, KalExpr b,
                        KalExpr psi)
{
    assert(servo->level != KAL_LEVEL_ACCELERATION && psi.index != 0);
    KalGraph *g = d->g;
    const KalExpr k = servo->rate;
    if (servo->level == KAL_LEVEL_VELOCITY) {
        return kal_sub(g, b, kal_mul(g, k, psi));
    }
    const KalExpr damping = kal_mul(g, kal_mul(g, kal_int(g, 2), k), psi);
    const KalExpr stiffness = kal_mul(g, kal_powi(g, k, 2), servo->residual);
    return kal_sub(g, kal_sub(g, b, damping), stiffness);
}

// An error at acceleration level is no state: it cannot decay.
static bool check_servos(const KalDerivation *d)
{
    bool fit = true;
    for (size_t i = 0; i < d->model->n_servos; i++) {
        const KalServo *servo = &d->model->servos[i];
        if (servo->level == KAL_LEVEL_ACCELERATION) {
            kal_diagnostics_add(d->diagnostics, KAL_SEVERITY_ERROR, servo->span,
                                "servo '%s' has accelerations in it: no error that "
                                "could decay; expected positions or velocities",
                                servo->name);
            fit = false;
        }
    }
    return fit;
}

// Servos go through the same derivation as constraints.
static KalStatus derive_servos(const KalDerivation *d)
{
    assert(d->eq->n_servos == d->model->n_servos);
    KalEquations *eq = d->eq;
    const size_t m = eq->n_servos;
    KalRowSet set = {.b = NULL};
    KalRow *rows = kal_arena_alloc(d->scratch, m, sizeof *rows);
    if (!rows) {
        return kal_no_memory(d->ctx, "for servos");
    }
    for (size_t i = 0; i < m; i++) {
        const KalServo *s = &d->model->servos[i];
        rows[i] = (KalRow){s->name, s->span, s->residual, s->level};
    }
    KAL_TRY(kal_derivation_vector(d, m, &eq->servo_e));
    const KalStatus status = kal_derive_rows(d, rows, m, &set);
    eq->servo_A = set.A;
    eq->servo_b = set.b;
    KAL_TRY(status);
    for (size_t i = 0; i < m; i++) {
        const KalServo *servo = &d->model->servos[i];
        eq->servo_e[i] = servo->residual;
        eq->servo_b[i] = decaying(d, servo, set.b[i], set.psi[i]);
    }
    return kal_graph_status(d->g);
}

// What a power is besides a linear form in the velocities, if slopes are free of them: what is
// left at rest, where it is linear as it stands; else the difference.
static KalStatus rest_of(const KalDerivation *d, KalExpr power, const KalSparse *J,
                         size_t row, KalExpr *out_rest)
{
    assert(row < J->rows);
    bool shows = false;
    KalExpr rest = power;
    KAL_TRY(kal_trace_is_linear(d->model, KAL_SYMBOL_VELOCITY, power, &shows));
    if (shows) {
        KAL_TRY(kal_trace_remove(d->model, KAL_SYMBOL_VELOCITY, &rest, 1, &shows));
    }
    for (int64_t k = J->start[row]; !shows && k < J->start[row + 1]; k++) {
        const KalExpr v = d->v[J->column[k]];
        rest = kal_sub(d->g, rest, kal_mul(d->g, J->value[k], v));
    }
    *out_rest = rest;
    return kal_graph_status(d->g);
}

// Whether the power is a linear form in the velocities: its derivatives have none in
// them, and they make up all of it.  Theory (9.19).
static KalStatus check_actuator(const KalDerivation *d, const KalActuator *actuator,
                                const KalSparse *J, size_t row)
{
    assert(row < J->rows);
    const int64_t start = J->start[row];
    const size_t count = (size_t)(J->start[row + 1] - start);
    KalTrace on = {.found = false};
    KalVerdict verdict = {.zero = false};
    KalExpr rest = KAL_NO_EXPR;
    KAL_TRY(
        kal_trace_find(d->model, KAL_SYMBOL_VELOCITY, J->value + start, count, &on));
    KAL_TRY(rest_of(d, actuator->power, J, row, &rest));
    KAL_TRY(kal_identities(d->g, &rest, 1, &verdict));
    if (on.found || !verdict.zero) {
        const bool open = (!on.found || on.open) && (verdict.zero || verdict.open);
        kal_diagnostics_add(d->diagnostics, KAL_SEVERITY_ERROR, actuator->span,
                            "actuator '%s' must be linear in the velocities, without "
                            "other terms: its power is the input times this%s",
                            actuator->name,
                            open ? "; that it is so is not proven: write it so that "
                                   "this shows"
                                 : "");
    }
    return KAL_OK;
}

// Row i of the Jacobian becomes column i of B.
static KalStatus add_column(const KalDerivation *d, const KalSparse *J, size_t i,
                            KalEntries *entries)
{
    assert(i < J->rows);
    for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
        KAL_TRY(kal_entries_add(d->g, entries, (size_t)J->column[k], i, J->value[k]));
    }
    return KAL_OK;
}

// B, and a diagnostic for each actuator that is not linear in the velocities.
static KalStatus transpose(const KalDerivation *d, const KalSparse *J,
                           KalEntries *entries)
{
    assert(J->rows == d->model->n_actuators);
    for (size_t i = 0; i < J->rows; i++) {
        KAL_TRY(check_actuator(d, &d->model->actuators[i], J, i));
        KAL_TRY(add_column(d, J, i, entries));
    }
    return kal_entries_finish(d->g, entries, d->eq->n, J->rows, &d->eq->B);
}

// All powers are differentiated together: they share their velocities.
static KalStatus derive_B(const KalDerivation *d)
{
    const size_t count = d->model->n_actuators;
    KalExpr *power = NULL;
    KalSparse J = {0};
    KalEntries entries = {0};
    KAL_TRY(kal_derivation_scratch(d, count, &power));
    for (size_t i = 0; i < count; i++) {
        power[i] = d->model->actuators[i].power;
    }
    KAL_TRY(kal_jacobian(d->g, power, count, d->v, d->eq->n, &J));
    const KalStatus status = transpose(d, &J, &entries);
    kal_entries_clear(d->g, &entries);
    kal_sparse_clear(&J);
    return status;
}

KalStatus kal_derive_control(KalDerivation *d)
{
    if (check_servos(d)) {
        KAL_TRY(derive_servos(d));
    }
    return derive_B(d);
}
