// SPDX-License-Identifier: MIT

// Forms for the test of integrability, theory (10.8).  To decide as much as possible the
// factors are made as simple as the model allows: parameters with exact values are replaced,
// and so are coordinates that a constraint gives outright, one after the other.  The forms
// as typed stay in W; what the search looks at is in `value`, in the same order.

#include "derive/pfaffian.h"

#include "derive/entries.h"
#include "derive/trace.h"
#include "derive/values.h"
#include "expr/order.h"
#include "expr/substitute.h"

#include <assert.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to classify constraints";

static const double work_max = 1e8; // steps of replacing one coordinate after the other

// Forms on their way.
typedef struct Forming {
    const KalEquations *eq;
    const KalModel *model;
    KalGraph *g;
    KalContext *ctx;
    KalArena *arena;
    KalPfaffian *made;
    KalEntries entries;
    KalExpr *all; // values of all entries, then φ of the forms
    size_t n_all;
    size_t n_values;
    KalExpr *q;     // n: coordinates
    KalExpr *roots; // n_values: scratch
    bool *occurs;   // n: scratch
} Forming;

// The form of a constraint on positions: dφ.
static KalStatus add_position(Forming *f, size_t i)
{
    const size_t row = f->made->count;
    KAL_TRY(kal_entries_add_row(f->g, &f->entries, row, &f->eq->A, i));
    return kal_entries_add(f->g, &f->entries, row, f->eq->n, f->eq->psi_t[i]);
}

// The form of a constraint on velocities: ψ = Σ W_j q'_j + w₀, taken apart at rest.
static KalStatus add_velocity(Forming *f, size_t i, bool *out_defined)
{
    const KalSparse *A = &f->eq->A;
    const size_t row = f->made->count;
    const size_t count = (size_t)(A->start[i + 1] - A->start[i]);
    KalExpr *parts = kal_arena_alloc(f->arena, count + 1, sizeof *parts);
    if (!parts) {
        return kal_no_memory(f->ctx, PURPOSE);
    }
    if (count > 0) {
        memcpy(parts, A->value + A->start[i], count * sizeof *parts);
    }
    parts[count] = f->eq->psi[i];
    KAL_TRY(
        kal_trace_remove(f->model, KAL_SYMBOL_VELOCITY, parts, count + 1, out_defined));
    for (size_t k = 0; k <= count && *out_defined; k++) {
        const size_t column =
            k < count ? (size_t)A->column[A->start[i] + (int64_t)k] : f->eq->n;
        KAL_TRY(kal_entries_add(f->g, &f->entries, row, column, parts[k]));
    }
    return KAL_OK;
}

// By level; a form that has no value at rest is no form.
static KalStatus add_form(Forming *f, size_t i, bool *out_defined)
{
    *out_defined = true;
    return f->model->constraints[i].level == KAL_LEVEL_POSITION
               ? add_position(f, i)
               : add_velocity(f, i, out_defined);
}

// use[i] becomes false where constraint i turned out to have no form.
static KalStatus add_forms(Forming *f, bool *use)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < f->eq->m && status == KAL_OK; i++) {
        if (use[i]) {
            status = add_form(f, i, &use[i]);
        }
        if (use[i]) {
            assert(f->made->count < f->eq->m);
            f->made->constraint[f->made->count++] = i;
        }
    }
    return status;
}

// Formulas to replace in: entries, and the φ of those forms that have one.
static KalStatus list_all(Forming *f)
{
    const KalPfaffian *made = f->made;
    f->n_values = (size_t)made->W.start[made->count];
    f->n_all = f->n_values + made->count;
    assert(f->n_all >= f->n_values);
    f->all = kal_arena_alloc(f->arena, f->n_all, sizeof *f->all);
    if (!f->all) {
        return kal_no_memory(f->ctx, PURPOSE);
    }
    for (size_t k = 0; k < f->n_values; k++) {
        f->all[k] = made->W.value[k];
    }
    for (size_t i = 0; i < made->count; i++) {
        const KalExpr phi = f->eq->phi[made->constraint[i]];
        f->all[f->n_values + i] = phi.index != 0 ? phi : kal_int(f->g, 0);
    }
    return kal_graph_status(f->g);
}

// Which coordinates occur in the factors of constraints on velocities.
static KalStatus find_occurring(const Forming *f, double *work)
{
    KalOrder order = {0};
    const KalPfaffian *made = f->made;
    size_t n = 0;
    for (size_t i = 0; i < made->count; i++) {
        const bool velocity = f->eq->phi[made->constraint[i]].index == 0;
        for (int64_t k = made->W.start[i]; k < made->W.start[i + 1] && velocity; k++) {
            f->roots[n++] = f->all[k];
        }
    }
    KAL_TRY(kal_order_init(f->g, f->roots, n, &order));
    memset(f->occurs, 0, f->eq->n * sizeof *f->occurs);
    for (uint32_t s = 0; s < order.count; s++) {
        const KalStep *step = &order.steps[s];
        if (step->op == KAL_OP_SYMBOL
            && f->model->symbols[step->arg[0]].kind == KAL_SYMBOL_COORDINATE) {
            f->occurs[f->model->symbols[step->arg[0]].index] = true;
        }
    }
    *work -= (double)order.count + (double)f->n_all;
    kal_order_clear(&order);
    return KAL_OK;
}

// A coordinate that occurs and that φ has with a number as its factor.
static KalStatus find_given(const Forming *f, KalExpr phi, KalExpr *out_q,
                            KalExpr *out_factor)
{
    KalSparse J = {0};
    KAL_TRY(kal_jacobian(f->g, &phi, 1, f->q, f->eq->n, &J));
    *out_q = KAL_NO_EXPR;
    for (int64_t k = 0; k < J.start[1]; k++) {
        if (f->occurs[J.column[k]]
            && kal_graph_node(f->g, J.value[k]).op == KAL_OP_CONST) {
            *out_q = f->q[J.column[k]];
            *out_factor = J.value[k];
        }
    }
    kal_sparse_clear(&J);
    return KAL_OK;
}

// Replace a coordinate by what φ gives for it: q = −(φ without q)/factor.
static KalStatus replace_coordinate(Forming *f, KalExpr phi, KalExpr q, KalExpr factor)
{
    const KalExpr zero = kal_int(f->g, 0);
    const KalReplacements without = {&q, &zero, 1};
    bool done = false;
    KAL_TRY(kal_values_replace(f->g, &phi, 1, &without, &done));
    if (!done) {
        return KAL_OK;
    }
    const KalExpr given = kal_neg(f->g, kal_div(f->g, phi, factor));
    const KalReplacements with = {&q, &given, 1};
    KAL_TRY(kal_graph_status(f->g));
    return kal_values_replace(f->g, f->all, f->n_all, &with, &done);
}

// Replace a coordinate that the constraint of a form gives, if there is one.
static KalStatus replace_given(Forming *f, size_t form, double *work)
{
    assert(form < f->made->count);
    const KalExpr phi = f->all[f->n_values + form];
    KalExpr q = KAL_NO_EXPR;
    KalExpr factor = KAL_NO_EXPR;
    if (f->eq->phi[f->made->constraint[form]].index == 0) {
        return KAL_OK;
    }
    KAL_TRY(find_occurring(f, work));
    KAL_TRY(find_given(f, phi, &q, &factor));
    return q.index != 0 ? replace_coordinate(f, phi, q, factor) : KAL_OK;
}

// Each form once, while there is work left: a long chain costs the square of its length.
static KalStatus replace_coordinates(Forming *f)
{
    const size_t n = f->eq->n;
    double work = work_max;
    f->q = kal_arena_alloc(f->arena, n, sizeof *f->q);
    f->roots = kal_arena_alloc(f->arena, f->n_values, sizeof *f->roots);
    f->occurs = kal_arena_alloc(f->arena, n, sizeof *f->occurs);
    if (!f->q || !f->roots || !f->occurs) {
        return kal_no_memory(f->ctx, PURPOSE);
    }
    for (size_t j = 0; j < n; j++) {
        f->q[j] = f->model->coordinates[j].q;
    }
    for (size_t i = 0; i < f->made->count && work > 0.0; i++) {
        KAL_TRY(replace_given(f, i, &work));
    }
    return KAL_OK;
}

// Parameters, and coordinates that constraints give.  Only constraints on velocities care.
static KalStatus replace_all(Forming *f)
{
    bool velocities = false;
    for (size_t i = 0; i < f->made->count && !velocities; i++) {
        velocities = f->eq->phi[f->made->constraint[i]].index == 0;
    }
    if (!velocities) {
        return KAL_OK;
    }
    KAL_TRY(kal_values_insert(f->model, f->all, f->n_all));
    return replace_coordinates(f);
}

// Forms as typed, then their values; entries that became zero are KAL_NO_EXPR.
static KalStatus fill(Forming *f, bool *use)
{
    KalPfaffian *made = f->made;
    made->constraint = kal_arena_alloc(f->arena, f->eq->m, sizeof *made->constraint);
    if (!made->constraint) {
        return kal_no_memory(f->ctx, PURPOSE);
    }
    KAL_TRY(add_forms(f, use));
    KAL_TRY(kal_entries_finish(f->g, &f->entries, made->count, f->eq->n + 1, &made->W));
    KAL_TRY(list_all(f));
    KAL_TRY(replace_all(f));
    for (size_t k = 0; k < f->n_values; k++) {
        f->all[k] = kal_is_zero(f->g, f->all[k]) ? KAL_NO_EXPR : f->all[k];
    }
    made->value = f->all;
    return KAL_OK;
}

KalStatus kal_pfaffian_init(const KalEquations *eq, KalArena *arena, bool *use,
                            KalPfaffian *out_pfaffian)
{
    KalPfaffian made = {.count = 0};
    Forming f = {.eq = eq,
                 .model = eq->model,
                 .g = eq->model->graph,
                 .ctx = eq->model->ctx,
                 .arena = arena,
                 .made = &made};
    const KalStatus status = fill(&f, use);
    kal_entries_clear(f.g, &f.entries);
    if (status != KAL_OK) {
        kal_sparse_clear(&made.W);
        return status;
    }
    *out_pfaffian = made;
    return KAL_OK;
}
