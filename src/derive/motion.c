// SPDX-License-Identifier: MIT

// Lagrange's equations: the mass matrix, the impressed force and the non-ideal one.

#include "derive/derive_impl.h"
#include "derive/entries.h"
#include "derive/trace.h"
#include "expr/order.h"

#include <assert.h>

// What a contribution is called in messages.
static const char *word_of(KalTermKind kind)
{
    switch (kind) {
    case KAL_TERM_KINETIC: return "kinetic energy";
    case KAL_TERM_POTENTIAL: return "potential energy";
    case KAL_TERM_DISSIPATION: return "dissipation";
    case KAL_TERM_POWER: return "power";
    case KAL_TERM_NONIDEAL_POWER: return "the power of a non-ideal force";
    case KAL_TERM_FORCE: return "a force";
    case KAL_TERM_NONIDEAL: return "a non-ideal force";
    case KAL_TERM_MASS: return "a mass";
    }
    return "";
}

// The kinds of symbols in each contribution, as sets of bits.
static KalStatus find_kinds(const KalDerivation *d, const KalExpr *values,
                            uint64_t *out_kinds)
{
    const KalModel *model = d->model;
    KalOrder order = {0};
    uint64_t *classes = kal_alloc(d->ctx, model->n_symbols, sizeof *classes);
    if (!classes) {
        return kal_no_memory(d->ctx, "for equations of motion");
    }
    for (size_t id = 0; id < model->n_symbols; id++) {
        classes[id] = UINT64_C(1) << model->symbols[id].kind;
    }
    KalStatus status = kal_order_init(d->g, values, model->n_contributions, &order);
    if (status == KAL_OK) {
        status = kal_order_classes(&order, classes, out_kinds);
        kal_order_clear(&order);
    }
    kal_free(d->ctx, classes, model->n_symbols * sizeof *classes);
    return status;
}

// What drives motion must not depend on the accelerations that it causes.
static KalStatus check_contributions(const KalDerivation *d)
{
    const KalModel *model = d->model;
    const size_t n = model->n_contributions;
    KalExpr *values = NULL;
    KAL_TRY(kal_derivation_scratch(d, n, &values));
    uint64_t *kinds = kal_arena_alloc(d->scratch, n, sizeof *kinds);
    if (!kinds) {
        return kal_no_memory(d->ctx, "for equations of motion");
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = model->contributions[i].value;
    }
    KAL_TRY(find_kinds(d, values, kinds));
    for (size_t i = 0; i < n; i++) {
        const KalContribution *c = &model->contributions[i];
        if (kinds[i] & (UINT64_C(1) << KAL_SYMBOL_ACCELERATION)) {
            kal_diagnostics_add(d->diagnostics, KAL_SEVERITY_ERROR, c->span,
                                "%s cannot depend on accelerations", word_of(c->kind));
        }
        if (kinds[i] & (UINT64_C(1) << KAL_SYMBOL_REACTION)) {
            d->eq->has_reactions = true;
        }
    }
    return KAL_OK;
}

// A power that is not linear in velocities is not the power of the force that it gives: of
// c x'², for one, that force has twice as much.  Theory (9.14).  Its slopes are a row of J.
static KalStatus check_power(const KalDerivation *d, const KalContribution *c,
                             const KalSparse *J, size_t row)
{
    const int64_t first = J->start[row];
    const size_t count = (size_t)(J->start[row + 1] - first);
    KalTrace on = {.found = false};
    if (count > 0) {
        KAL_TRY(kal_trace_find(d->model, KAL_SYMBOL_VELOCITY, J->value + first, count,
                               &on));
    }
    if (on.found) {
        const size_t slope = (size_t)J->column[first + (int64_t)on.formula];
        const bool ideal = c->kind == KAL_TERM_POWER;
        kal_diagnostics_add(
            d->diagnostics, KAL_SEVERITY_ERROR, c->span,
            "%s has to be linear in velocities, but its slope for %s' depends on %s'; "
            "for a force F that depends on velocities write '%s F along v', %s",
            word_of(c->kind), d->model->coordinates[slope].name,
            d->model->coordinates[on.coordinate].name,
            ideal ? "power" : "nonideal power",
            ideal ? "force or dissipation" : "or nonideal");
    }
    return KAL_OK;
}

static bool is_power(const KalContribution *c)
{
    return c->kind == KAL_TERM_POWER || c->kind == KAL_TERM_NONIDEAL_POWER;
}

// Each power on its own, so that messages can say which; their slopes are found together.
static KalStatus check_powers(const KalDerivation *d)
{
    const size_t n = d->model->n_contributions;
    size_t count = 0;
    KalSparse J = {0};
    KalExpr *powers = NULL;
    KAL_TRY(kal_derivation_scratch(d, n, &powers));
    for (size_t i = 0; i < n; i++) {
        const KalContribution *c = &d->model->contributions[i];
        if (is_power(c)) {
            powers[count++] = c->value;
        }
    }
    KAL_TRY(kal_jacobian(d->g, powers, count, d->v, d->eq->n, &J));
    KalStatus status = KAL_OK;
    size_t row = 0;
    for (size_t i = 0; i < n && status == KAL_OK; i++) {
        const KalContribution *c = &d->model->contributions[i];
        if (is_power(c)) {
            status = check_power(d, c, &J, row++);
        }
    }
    kal_sparse_clear(&J);
    return status;
}

// Entries of M that are given directly, as the lower triangle has them.
static KalStatus add_masses(const KalDerivation *d, KalEntries *entries)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < d->model->n_contributions && status == KAL_OK; i++) {
        const KalContribution *c = &d->model->contributions[i];
        if (c->kind == KAL_TERM_MASS) {
            const bool lower = c->row >= c->column;
            assert(c->row < d->eq->n && c->column < d->eq->n);
            status = kal_entries_add(d->g, entries, lower ? c->row : c->column,
                                     lower ? c->column : c->row, c->value);
        }
    }
    return status;
}

// The Hessian of the motive energy and the masses that were given.
static KalStatus merge_masses(const KalDerivation *d, const KalSparse *H,
                              KalEntries *entries)
{
    for (size_t row = 0; row < d->eq->n; row++) {
        KAL_TRY(kal_entries_add_row(d->g, entries, row, H, row));
    }
    KAL_TRY(add_masses(d, entries));
    return kal_entries_finish(d->g, entries, d->eq->n, d->eq->n, &d->eq->M);
}

// M = ∂²K/∂q'², the lower triangle, with masses that were given: theory (9.11).
static KalStatus derive_masses(const KalDerivation *d)
{
    KalSparse H = {0};
    KalEntries entries = {0};
    KAL_TRY(kal_hessian(d->g, d->motive, d->v, d->eq->n, &H));
    const KalStatus status = merge_masses(d, &H, &entries);
    kal_entries_clear(d->g, &entries);
    kal_sparse_clear(&H);
    return status;
}

// Add what single coordinates are given by contributions of a kind.
static void add_components(const KalModel *model, KalTermKind kind, KalExpr *vector)
{
    for (size_t i = 0; i < model->n_contributions; i++) {
        const KalContribution *c = &model->contributions[i];
        assert(c->kind != kind || c->row < model->n_coordinates);
        if (c->kind == kind) {
            vector[c->row] = kal_add(model->graph, vector[c->row], c->value);
        }
    }
}

KalStatus kal_forces_derive(const KalModel *model, const KalExpr *v, KalExpr *out_F)
{
    KalGraph *g = model->graph;
    const KalExpr power = kal_model_total(model, KAL_TERM_POWER);
    const KalExpr loss = kal_model_total(model, KAL_TERM_DISSIPATION);
    KAL_TRY(kal_gradient(g, kal_sub(g, power, loss), v, model->n_coordinates, out_F));
    add_components(model, KAL_TERM_FORCE, out_F);
    return kal_graph_status(g);
}

// Q = F − ∂V/∂q and the inertial forces: theory (9.12).
static KalStatus derive_Q(const KalDerivation *d)
{
    const size_t n = d->eq->n;
    KalGraph *g = d->g;
    KalExpr *inertia = NULL;
    KalExpr *V_q = NULL;
    KAL_TRY(kal_derivation_vector(d, n, &d->eq->Q));
    KAL_TRY(kal_derivation_scratch(d, n, &inertia));
    KAL_TRY(kal_derivation_scratch(d, n, &V_q));
    KAL_TRY(kal_forces_derive(d->model, d->v, d->eq->Q));
    KAL_TRY(kal_inertia_derive(d, inertia));
    KAL_TRY(kal_gradient(g, d->static_potential, d->q, n, V_q));
    for (size_t i = 0; i < n; i++) {
        const KalExpr given = kal_sub(g, d->eq->Q[i], V_q[i]);
        d->eq->Q[i] = kal_add(g, given, inertia[i]);
    }
    return kal_graph_status(g);
}

// C, and whether the model has non-ideal forces at all: theory (9.15).
static KalStatus derive_C(const KalDerivation *d)
{
    KAL_TRY(kal_derivation_vector(d, d->eq->n, &d->eq->C));
    const KalExpr power = kal_model_total(d->model, KAL_TERM_NONIDEAL_POWER);
    KAL_TRY(kal_gradient(d->g, power, d->v, d->eq->n, d->eq->C));
    add_components(d->model, KAL_TERM_NONIDEAL, d->eq->C);
    for (size_t i = 0; i < d->model->n_contributions; i++) {
        const KalTermKind kind = d->model->contributions[i].kind;
        if (kind == KAL_TERM_NONIDEAL || kind == KAL_TERM_NONIDEAL_POWER) {
            d->eq->has_C = true;
        }
    }
    return kal_graph_status(d->g);
}

// A potential with velocities in it belongs to the motive part K: theory (9.24).
static KalStatus split_lagrangian(KalDerivation *d)
{
    d->motive = d->eq->kinetic;
    d->static_potential = kal_int(d->g, 0);
    for (size_t i = 0; i < d->model->n_contributions; i++) {
        const KalContribution *c = &d->model->contributions[i];
        uint64_t kinds = 0;
        if (c->kind != KAL_TERM_POTENTIAL) {
            continue;
        }
        KAL_TRY(kal_model_kinds_in(d->model, c->value, &kinds));
        if (kinds & (UINT64_C(1) << KAL_SYMBOL_VELOCITY)) {
            d->motive = kal_sub(d->g, d->motive, c->value);
        } else {
            d->static_potential = kal_add(d->g, d->static_potential, c->value);
        }
    }
    return kal_graph_status(d->g);
}

// What V adds to the energy: theory (16.2).
static KalStatus derive_stored(const KalDerivation *d)
{
    KalExpr *V_v = NULL;
    KalExpr stored = d->eq->potential;
    KAL_TRY(kal_derivation_scratch(d, d->eq->n, &V_v));
    KAL_TRY(kal_gradient(d->g, d->eq->potential, d->v, d->eq->n, V_v));
    for (size_t i = 0; i < d->eq->n; i++) {
        stored = kal_sub(d->g, stored, kal_mul(d->g, V_v[i], d->v[i]));
    }
    d->eq->stored = stored;
    return kal_graph_status(d->g);
}

// Lagrange's equations of the second kind; checks come before what they are about.
KalStatus kal_derive_motion(KalDerivation *d)
{
    d->eq->kinetic = kal_model_total(d->model, KAL_TERM_KINETIC);
    d->eq->potential = kal_model_total(d->model, KAL_TERM_POTENTIAL);
    KAL_TRY(kal_graph_status(d->g));
    KAL_TRY(split_lagrangian(d));
    KAL_TRY(derive_stored(d));
    KAL_TRY(check_contributions(d));
    KAL_TRY(check_powers(d));
    KAL_TRY(derive_masses(d));
    KAL_TRY(derive_Q(d));
    return derive_C(d);
}
