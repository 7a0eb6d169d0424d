// SPDX-License-Identifier: MIT

// Conditions of every level brought to acceleration level (theory (9.16) to (9.18)).
//
// A residual φ of position level is differentiated twice, ψ of velocity level once; what is
// typed at acceleration level must be linear in q'' and is taken apart.  The rows of A are
// the derivatives by the highest rates, at each level by symbols of their own: ∂φ/∂q, ∂ψ/∂q'
// and ∂χ/∂q''.  b collects the rest with its sign changed.

#include "derive/derive_impl.h"
#include "derive/entries.h"
#include "derive/trace.h"

#include <assert.h>

// The rows of one level.
typedef struct Level {
    const KalExpr *x;  // n: the symbols that A belongs to
    KalExpr *residual; // count
    size_t *row;       // count: which row each of them is
    size_t count;
} Level;

// The rows of one level, with the symbols that A is the derivative by.
static KalStatus gather(const KalDerivation *d, const KalRow *rows, size_t m,
                        KalConstraintLevel level, Level *out_level)
{
    assert(level <= KAL_LEVEL_ACCELERATION);
    const KalExpr *const x[] = {
        [KAL_LEVEL_POSITION] = d->q,
        [KAL_LEVEL_VELOCITY] = d->v,
        [KAL_LEVEL_ACCELERATION] = d->a,
    };
    Level found = {.x = x[level]};
    KAL_TRY(kal_derivation_scratch(d, m, &found.residual));
    found.row = kal_arena_alloc(d->scratch, m, sizeof *found.row);
    if (!found.row) {
        return kal_no_memory(d->ctx, "for constraints");
    }
    for (size_t i = 0; i < m; i++) {
        if (rows[i].level == level) {
            assert(found.count < m);
            found.residual[found.count] = rows[i].residual;
            found.row[found.count++] = i;
        }
    }
    *out_level = found;
    return KAL_OK;
}

// The derivatives of a level's residuals are its rows of A: theory (9.16) to (9.18).
static KalStatus add_level(const KalDerivation *d, const Level *level,
                           KalEntries *entries)
{
    assert(level->count == 0 || level->x);
    KalSparse J = {0};
    KAL_TRY(kal_jacobian(d->g, level->residual, level->count, level->x, d->eq->n, &J));
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < level->count && status == KAL_OK; i++) {
        status = kal_entries_add_row(d->g, entries, level->row[i], &J, i);
    }
    kal_sparse_clear(&J);
    return status;
}

// Residuals at velocity level: those of position level differentiated, others as typed.
static KalStatus fill_psi(const KalDerivation *d, const Level *position,
                          const Level *velocity, KalExpr *psi)
{
    KalExpr *rate = NULL;
    KAL_TRY(kal_derivation_scratch(d, position->count, &rate));
    KAL_TRY(kal_derivation_drift(d, position->residual, position->count, rate));
    for (size_t i = 0; i < position->count; i++) {
        assert(psi[position->row[i]].index == 0); // each row has one level
        psi[position->row[i]] = rate[i];
    }
    for (size_t i = 0; i < velocity->count; i++) {
        psi[velocity->row[i]] = velocity->residual[i];
    }
    return KAL_OK;
}

// b = −(drift of ψ): theory (9.16), (9.17).
static KalStatus fill_b(const KalDerivation *d, size_t m, const KalExpr *psi,
                        KalExpr *b)
{
    KalExpr *known = NULL;
    KAL_TRY(kal_derivation_scratch(d, m, &known));
    size_t count = 0;
    for (size_t i = 0; i < m; i++) {
        if (psi[i].index != 0) {
            known[count++] = psi[i];
        }
    }
    KAL_TRY(kal_derivation_drift(d, known, count, known));
    count = 0;
    for (size_t i = 0; i < m; i++) {
        if (psi[i].index != 0) {
            b[i] = kal_neg(d->g, known[count++]);
        }
    }
    return kal_graph_status(d->g);
}

// Whether a row of A is free of accelerations; if not, say so.
static KalStatus check_row(const KalDerivation *d, const KalRow *row, size_t i,
                           const KalSparse *A, bool *linear)
{
    const int64_t start = A->start[i];
    assert(start <= A->start[i + 1] && i < A->rows);
    const KalCoordinate *c = d->model->coordinates;
    KalTrace on = {.found = false};
    KAL_TRY(kal_trace_find(d->model, KAL_SYMBOL_ACCELERATION, A->value + start,
                           (size_t)(A->start[i + 1] - start), &on));
    if (on.found) {
        const int64_t column = A->column[start + (int64_t)on.formula];
        kal_diagnostics_add(d->diagnostics, KAL_SEVERITY_ERROR, row->span,
                            on.open
                                ? "'%s' must be linear in the accelerations, and it "
                                  "is not proven that the factor of %s'' does not "
                                  "depend on %s''; write it so that this shows"
                                : "'%s' is not linear in the accelerations: the "
                                  "factor of %s'' depends on %s''",
                            row->name, c[column].name, c[on.coordinate].name);
        *linear = false;
    }
    return KAL_OK;
}

// Whether a row of A makes up all of a residual that depends on accelerations.  Slopes do
// not show steps.
static KalStatus check_rest(const KalDerivation *d, const KalRow *row, size_t i,
                            const KalSparse *A, bool *linear)
{
    assert(i < A->rows);
    KalExpr rest = row->residual;
    KalTrace on = {.found = false};
    bool shows = false;
    KAL_TRY(kal_trace_is_linear(d->model, KAL_SYMBOL_ACCELERATION, rest, &shows));
    if (shows) {
        return KAL_OK;
    }
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        rest = kal_sub(d->g, rest, kal_mul(d->g, A->value[k], d->a[A->column[k]]));
    }
    KAL_TRY(kal_graph_status(d->g));
    KAL_TRY(kal_trace_find(d->model, KAL_SYMBOL_ACCELERATION, &rest, 1, &on));
    if (on.found) {
        kal_diagnostics_add(d->diagnostics, KAL_SEVERITY_ERROR, row->span,
                            "'%s' must be linear in the accelerations, but it jumps as "
                            "%s'' changes, or that it does not is not proven",
                            row->name, d->model->coordinates[on.coordinate].name);
        *linear = false;
    }
    return KAL_OK;
}

// b of a row of acceleration level, theory (9.18): A q'' − b as typed.
static KalStatus finish_row(const KalDerivation *d, const KalRow *row, bool linear,
                            KalExpr *b)
{
    KalExpr rest = row->residual;
    bool defined = false;
    if (!linear) {
        return KAL_OK;
    }
    KAL_TRY(kal_trace_remove(d->model, KAL_SYMBOL_ACCELERATION, &rest, 1, &defined));
    if (!defined) {
        kal_diagnostics_add(d->diagnostics, KAL_SEVERITY_ERROR, row->span,
                            "'%s' has no value where all accelerations are zero",
                            row->name);
    }
    *b = kal_neg(d->g, rest);
    return kal_graph_status(d->g);
}

// Both tests; the second costs more and is for rows that pass the first.
static KalStatus check_linear(const KalDerivation *d, const KalRow *row, size_t i,
                              const KalSparse *A, bool *linear)
{
    KAL_TRY(check_row(d, row, i, A, linear));
    return *linear ? check_rest(d, row, i, A, linear) : KAL_OK;
}

// b of the rows of acceleration level, or a diagnostic for each that is not linear.
static KalStatus finish_acceleration(const KalDerivation *d, const KalRow *rows,
                                     const Level *level, KalRowSet *set)
{
    for (size_t i = 0; i < level->count; i++) {
        const size_t row = level->row[i];
        assert(rows[row].level == KAL_LEVEL_ACCELERATION && set->psi[row].index == 0);
        bool linear = true;
        KAL_TRY(check_linear(d, &rows[row], row, &set->A, &linear));
        KAL_TRY(finish_row(d, &rows[row], linear, &set->b[row]));
    }
    return KAL_OK;
}

// A from the Jacobians of all three levels.
static KalStatus derive_levels(const KalDerivation *d, const Level levels[3], size_t m,
                               KalRowSet *set)
{
    KalEntries entries = {0};
    KalStatus status = KAL_OK;
    for (int k = 0; k < 3 && status == KAL_OK; k++) {
        status = add_level(d, &levels[k], &entries);
    }
    if (status == KAL_OK) {
        status = kal_entries_finish(d->g, &entries, m, d->eq->n, &set->A);
    }
    kal_entries_clear(d->g, &entries);
    return status;
}

KalStatus kal_derive_rows(const KalDerivation *d, const KalRow *rows, size_t m,
                          KalRowSet *out_rows)
{
    assert(rows || m == 0);
    Level levels[3] = {0};
    for (int k = 0; k < 3; k++) {
        KAL_TRY(gather(d, rows, m, (KalConstraintLevel)k, &levels[k]));
    }
    KAL_TRY(kal_derivation_vector(d, m, &out_rows->b));
    KAL_TRY(kal_derivation_vector(d, m, &out_rows->psi));
    KAL_TRY(derive_levels(d, levels, m, out_rows));
    KAL_TRY(fill_psi(d, &levels[KAL_LEVEL_POSITION], &levels[KAL_LEVEL_VELOCITY],
                     out_rows->psi));
    KAL_TRY(fill_b(d, m, out_rows->psi, out_rows->b));
    return finish_acceleration(d, rows, &levels[KAL_LEVEL_ACCELERATION], out_rows);
}

// ∂ψ/∂q, with empty rows where there is no ψ.
static KalStatus derive_psi_q(const KalDerivation *d)
{
    KalEquations *eq = d->eq;
    KalExpr *psi = NULL;
    KAL_TRY(kal_derivation_scratch(d, eq->m, &psi));
    for (size_t i = 0; i < eq->m; i++) {
        psi[i] = eq->psi[i].index != 0 ? eq->psi[i] : kal_int(d->g, 0);
    }
    return kal_jacobian(d->g, psi, eq->m, d->q, eq->n, &eq->psi_q);
}

// φ of position level with its explicit rate ∂φ/∂t.
static KalStatus derive_phi(const KalDerivation *d, const Level *position)
{
    assert(position->count <= d->eq->m);
    const KalExpr one = kal_int(d->g, 1);
    const KalRates rates = {&d->model->time, &one, 1};
    KalExpr *phi_t = NULL;
    KAL_TRY(kal_derivation_vector(d, d->eq->m, &d->eq->phi));
    KAL_TRY(kal_derivation_vector(d, d->eq->m, &d->eq->psi_t));
    KAL_TRY(kal_derivation_scratch(d, position->count, &phi_t));
    KAL_TRY(kal_total(d->g, position->residual, position->count, &rates, phi_t));
    for (size_t i = 0; i < position->count; i++) {
        d->eq->phi[position->row[i]] = position->residual[i];
        d->eq->psi_t[position->row[i]] = phi_t[i];
    }
    return KAL_OK;
}

// What events do to constraints decides how these begin.
static void mark_targets(const KalDerivation *d, KalActionKind kind, bool acts)
{
    for (size_t i = 0; i < d->model->n_events; i++) {
        for (size_t k = 0; k < d->model->events[i].n_actions; k++) {
            const KalAction *action = &d->model->events[i].actions[k];
            if (action->kind == kind) {
                assert(action->target < d->eq->m);
                d->eq->acts[action->target] = acts;
            }
        }
    }
}

// Which constraints act from the start.
static KalStatus find_acting(const KalDerivation *d)
{
    KalEquations *eq = d->eq;
    eq->acts = kal_arena_alloc(eq->arena, eq->m, sizeof *eq->acts);
    if (eq->m > 0 && !eq->acts) {
        return kal_no_memory(d->ctx, "for constraints");
    }
    for (size_t i = 0; i < eq->m; i++) {
        eq->acts[i] = d->model->constraints[i].role == KAL_ROLE_USUAL;
    }
    mark_targets(d, KAL_ACTION_ENGAGE, false);
    mark_targets(d, KAL_ACTION_RELEASE, true);
    for (size_t i = 0; i < eq->m; i++) {
        eq->acts[i] = eq->acts[i] && !d->model->constraints[i].off;
        eq->n_waiting += !eq->acts[i];
    }
    return KAL_OK;
}

// Rows of acceleration level first, for all constraints; then φ and ψ with their own
// derivatives, which projections and starts need.
KalStatus kal_derive_constraints(KalDerivation *d)
{
    const size_t m = d->eq->m;
    KalRowSet set = {.b = NULL};
    Level position = {0};
    KalRow *rows = kal_arena_alloc(d->scratch, m, sizeof *rows);
    if (!rows) {
        return kal_no_memory(d->ctx, "for constraints");
    }
    for (size_t i = 0; i < m; i++) {
        const KalConstraint *c = &d->model->constraints[i];
        rows[i] = (KalRow){c->name, c->span, c->residual, c->level};
    }
    KAL_TRY(find_acting(d));
    const KalStatus status = kal_derive_rows(d, rows, m, &set);
    d->eq->A = set.A;
    d->eq->b = set.b;
    d->eq->psi = set.psi;
    KAL_TRY(status);
    KAL_TRY(gather(d, rows, m, KAL_LEVEL_POSITION, &position));
    KAL_TRY(derive_phi(d, &position));
    return derive_psi_q(d);
}
