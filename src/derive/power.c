// SPDX-License-Identifier: MIT

// The power of everything but constraints and control, term by term: theory (16.3).  Each
// term is a formula of states and, for masses that are given directly, accelerations.

#include "derive/power.h"

#include "zero/identity.h"

#include <assert.h>

// Formulas on their way.
typedef struct Work {
    const KalEquations *eq;
    const KalModel *model;
    KalGraph *g;
    KalExpr *v;      // n: velocities
    KalExpr *slopes; // n
} Work;

// ∂e/∂q'·q'.
static KalStatus along(const Work *w, KalExpr e, KalExpr *out_sum)
{
    assert(w->v && w->slopes);
    KalExpr sum = kal_int(w->g, 0);
    KAL_TRY(kal_gradient(w->g, e, w->v, w->eq->n, w->slopes));
    for (size_t i = 0; i < w->eq->n; i++) {
        sum = kal_add(w->g, sum, kal_mul(w->g, w->slopes[i], w->v[i]));
    }
    *out_sum = sum;
    return kal_graph_status(w->g);
}

// Of powers as declared and of forces on coordinates, but for those of laws.
static KalStatus derive_forces(const Work *w, KalExpr *out_power)
{
    KalExpr sum = KAL_NO_EXPR;
    KAL_TRY(along(w, kal_model_total(w->model, KAL_TERM_POWER), &sum));
    for (size_t i = 0; i < w->model->n_contributions; i++) {
        const KalContribution *c = &w->model->contributions[i];
        if (c->kind == KAL_TERM_FORCE && c->law == 0) {
            sum = kal_add(w->g, sum, kal_mul(w->g, c->value, w->v[c->row]));
        }
    }
    *out_power = sum;
    return kal_graph_status(w->g);
}

// Energies that depend on time explicitly gain ∂V/∂t − ∂T/∂t, theory (16.3).
static KalStatus derive_time(const Work *w, KalExpr *out_power)
{
    const KalExpr t = w->model->time;
    KalExpr T_t = KAL_NO_EXPR;
    KalExpr V_t = KAL_NO_EXPR;
    KAL_TRY(kal_diff(w->g, w->eq->kinetic, t, &T_t));
    KAL_TRY(kal_diff(w->g, w->eq->potential, t, &V_t));
    *out_power = kal_sub(w->g, V_t, T_t);
    return kal_graph_status(w->g);
}

// v·M a, with M as it was given.
static KalExpr derive_masses(const Work *w)
{
    KalGraph *g = w->g;
    KalExpr sum = kal_int(g, 0);
    for (size_t i = 0; i < w->model->n_contributions; i++) {
        const KalContribution *c = &w->model->contributions[i];
        if (c->kind == KAL_TERM_MASS) {
            const KalCoordinate *row = &w->model->coordinates[c->row];
            const KalCoordinate *column = &w->model->coordinates[c->column];
            KalExpr both = kal_mul(g, row->v, column->a);
            if (c->row != c->column) {
                both = kal_add(g, both, kal_mul(g, column->v, row->a));
            }
            sum = kal_sub(g, sum, kal_mul(g, c->value, both));
        }
    }
    return sum;
}

// Theory (16.3).
static KalStatus derive(const Work *w, KalExpr *term)
{
    KalGraph *g = w->g;
    const KalExpr twice = kal_mul(g, kal_int(g, 2), w->eq->kinetic);
    KalExpr loss = KAL_NO_EXPR;
    KalExpr product = KAL_NO_EXPR;
    KAL_TRY(derive_forces(w, &term[KAL_POWER_FORCES]));
    KAL_TRY(along(w, kal_model_total(w->model, KAL_TERM_DISSIPATION), &loss));
    term[KAL_POWER_DISSIPATION] = kal_neg(g, loss);
    KAL_TRY(derive_time(w, &term[KAL_POWER_TIME]));
    term[KAL_POWER_MASSES] = derive_masses(w);
    KAL_TRY(along(w, w->eq->kinetic, &product));
    term[KAL_POWER_EXCESS] = kal_sub(g, twice, product);
    return kal_graph_status(g);
}

// What is zero for all states need not be computed.
static KalStatus drop_zeros(const Work *w, KalExpr *term)
{
    KalVerdict verdicts[KAL_POWER_TERMS];
    KAL_TRY(kal_identities(w->g, term, KAL_POWER_TERMS, verdicts));
    for (int i = 0; i < KAL_POWER_TERMS; i++) {
        term[i] = verdicts[i].zero ? kal_int(w->g, 0) : term[i];
    }
    return kal_graph_status(w->g);
}

KalStatus kal_powers_derive(const KalEquations *equations, KalPowers *out_powers)
{
    const KalModel *model = equations->model;
    const size_t n = equations->n;
    KalPowers powers;
    KalExpr *block = (KalExpr *)kal_alloc(model->ctx, 2 * n, sizeof *block);
    if (!block) {
        return kal_no_memory(model->ctx, "for powers");
    }
    const Work w = {.eq = equations,
                    .model = model,
                    .g = model->graph,
                    .v = block,
                    .slopes = block + n};
    for (size_t i = 0; i < n; i++) {
        w.v[i] = model->coordinates[i].v;
    }
    KalStatus status = derive(&w, powers.term);
    if (status == KAL_OK) {
        status = drop_zeros(&w, powers.term);
    }
    kal_free(model->ctx, block, 2 * n * sizeof *block);
    KAL_TRY(status);
    *out_powers = powers;
    return KAL_OK;
}
