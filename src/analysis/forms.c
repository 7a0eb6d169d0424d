// SPDX-License-Identifier: MIT

// The formulas that a linearization evaluates, theory (17.1) and (17.2): R and S, their
// Jacobians by states, those of non-ideal forces and outputs, and derivatives along inputs.
// Each group is one program, whose results stand in the order in which list_matrices() and
// list_formulas() put them; whoever reads them scatters them in the same order.

#include "analysis/forms.h"

#include "base/block.h"
#include "expr/order.h"
#include "expr/substitute.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for derivatives";

enum {
    FORMULA_BYTES = 1 << 28 // for lists of formulas
};

static KalExpr *take(KalForms *forms, size_t count)
{
    return (KalExpr *)kal_arena_alloc(forms->arena, count, sizeof(KalExpr));
}

static void add_product(KalGraph *g, KalExpr *sum, KalExpr a, KalExpr b)
{
    *sum = kal_add(g, *sum, kal_mul(g, a, b));
}

static void subtract_product(KalGraph *g, KalExpr *sum, KalExpr a, KalExpr b)
{
    *sum = kal_sub(g, *sum, kal_mul(g, a, b));
}

// M a − Q − B u: the constraint force; M is kept as its lower triangle.
static void form_force(const KalSystem *system, KalExpr *F)
{
    const KalEquations *e = system->equations;
    const KalModel *model = system->model;
    KalGraph *g = model->graph;
    for (size_t i = 0; i < e->n; i++) {
        F[i] = kal_neg(g, e->Q[i]);
        for (int64_t k = e->B.start[i]; k < e->B.start[i + 1]; k++) {
            subtract_product(g, &F[i], e->B.value[k],
                             model->actuators[e->B.column[k]].input);
        }
    }
    for (size_t i = 0; i < e->n; i++) {
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            const size_t j = (size_t)e->M.column[k];
            add_product(g, &F[i], e->M.value[k], model->coordinates[j].a);
            assert(j <= i); // the lower triangle
            if (i != j) {
                add_product(g, &F[j], e->M.value[k], model->coordinates[i].a);
            }
        }
    }
}

// R = F − Aᵀλ and S = A a − b, theory (17.1).
static void form_residuals(KalForms *forms)
{
    const KalEquations *e = forms->system->equations;
    const KalModel *model = forms->system->model;
    KalGraph *g = model->graph;
    for (size_t i = 0; i < e->m; i++) {
        forms->S[i] = kal_neg(g, e->b[i]);
        for (int64_t k = e->A.start[i]; k < e->A.start[i + 1]; k++) {
            const size_t j = (size_t)e->A.column[k];
            subtract_product(g, &forms->R[j], e->A.value[k],
                             model->constraints[i].reaction);
            add_product(g, &forms->S[i], e->A.value[k], model->coordinates[j].a);
        }
    }
}

// Outputs with energy() and cforce(…) replaced by what they stand for.
static KalStatus form_outputs(KalForms *forms, const KalExpr *F)
{
    const KalSystem *system = forms->system;
    const KalModel *model = system->model;
    const size_t count = 1 + system->n_forces;
    KalExpr *from = take(forms, 2 * count + model->n_outputs);
    if (!from) {
        return kal_no_memory(forms->ctx, PURPOSE);
    }
    KalExpr *to = from + count;
    KalExpr *values = to + count;
    from[0] = model->energy;
    to[0] =
        kal_add(model->graph, system->equations->kinetic, system->equations->stored);
    for (size_t i = 0; i < system->n_forces; i++) {
        from[1 + i] = model->coordinates[system->forces[i]].force;
        to[1 + i] = F[system->forces[i]];
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        values[i] = model->outputs[i].value;
    }
    const KalReplacements replacements = {from, to, count};
    return kal_substitute(model->graph, values, model->n_outputs, &replacements,
                          forms->o);
}

// F first, since outputs may contain it; then R takes its place.
static KalStatus form(KalForms *forms)
{
    const KalSystem *system = forms->system;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    forms->R = take(forms, n);
    forms->S = take(forms, m);
    forms->o = take(forms, (size_t)system->n_outputs);
    if (!forms->R || !forms->S || !forms->o) {
        return kal_no_memory(forms->ctx, PURPOSE);
    }
    form_force(system, forms->R);
    KAL_TRY(form_outputs(forms, forms->R));
    form_residuals(forms);
    return kal_graph_status(system->model->graph);
}

// Lists of symbols: y, a, λ.
typedef struct Symbols {
    KalExpr *y; // 2 n
    KalExpr *a; // n
    KalExpr *l; // m
} Symbols;

static KalStatus list_symbols(KalForms *forms, Symbols *symbols)
{
    assert(forms->system->model);
    const KalModel *model = forms->system->model;
    const size_t n = model->n_coordinates;
    symbols->y = take(forms, 3 * n + model->n_constraints);
    if (!symbols->y) {
        return kal_no_memory(forms->ctx, PURPOSE);
    }
    symbols->a = symbols->y + 2 * n;
    symbols->l = symbols->a + n;
    for (size_t i = 0; i < n; i++) {
        symbols->y[i] = model->coordinates[i].q;
        symbols->y[n + i] = model->coordinates[i].v;
        symbols->a[i] = model->coordinates[i].a;
    }
    for (size_t i = 0; i < model->n_constraints; i++) {
        symbols->l[i] = model->constraints[i].reaction;
    }
    return KAL_OK;
}

// All Jacobians by y, a and λ.
static KalStatus differentiate(KalForms *forms)
{
    const KalSystem *system = forms->system;
    KalGraph *g = system->model->graph;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t p = (size_t)system->n_outputs;
    const KalExpr *C = system->equations->C;
    Symbols s = {.y = NULL};
    KAL_TRY(list_symbols(forms, &s));
    KAL_TRY(kal_jacobian(g, forms->R, n, s.y, 2 * n, &forms->R_y));
    KAL_TRY(kal_jacobian(g, forms->S, m, s.y, 2 * n, &forms->S_y));
    KAL_TRY(kal_jacobian(g, C, n, s.y, 2 * n, &forms->C_y));
    KAL_TRY(kal_jacobian(g, C, n, s.l, m, &forms->C_l));
    KAL_TRY(kal_jacobian(g, forms->o, p, s.y, 2 * n, &forms->o_y));
    KAL_TRY(kal_jacobian(g, forms->o, p, s.a, n, &forms->o_a));
    return kal_jacobian(g, forms->o, p, s.l, m, &forms->o_l);
}

// Formulas of a form that inputs may be in; KAL_NO_EXPR stands for 0.
static KalStatus list_formulas(const KalForms *forms, KalFormId id, KalBlock *list)
{
    const KalEquations *e = forms->system->equations;
    const size_t n = e->n * sizeof(KalExpr);
    const size_t m = e->m * sizeof(KalExpr);
    switch (id) {
    case KAL_FORM_MOTION:
        KAL_TRY(kal_block_add(forms->ctx, list, forms->R, n));
        return kal_block_add(forms->ctx, list, forms->S, m);
    case KAL_FORM_NONIDEAL: return kal_block_add(forms->ctx, list, e->C, n);
    case KAL_FORM_MANIFOLD:
        KAL_TRY(kal_block_add(forms->ctx, list, e->phi, m));
        return kal_block_add(forms->ctx, list, e->psi, m);
    case KAL_FORM_OUTPUT:
        return kal_block_add(forms->ctx, list, forms->o,
                             (size_t)forms->system->n_outputs * sizeof(KalExpr));
    case KAL_FORM_INTEGRAL:
    case KAL_FORMS: return KAL_OK;
    }
    return KAL_OK;
}

// An input may be a parameter that others depend on: its rates carry these along.
static KalStatus differentiate_by_inputs(KalForms *forms, KalFormId id)
{
    assert(id < KAL_FORMS && forms->inputs->count >= 0);
    KalGraph *g = forms->system->model->graph;
    KalBlock list = {.data = NULL};
    KalStatus status = list_formulas(forms, id, &list);
    KalExpr *e = (KalExpr *)list.data;
    const size_t count = list.size / sizeof *e;
    forms->by[id] = take(forms, count * (size_t)forms->inputs->count);
    if (status == KAL_OK && !forms->by[id]) {
        status = kal_no_memory(forms->ctx, PURPOSE);
    }
    for (size_t i = 0; i < count && status == KAL_OK; i++) {
        e[i] = e[i].index == KAL_NO_EXPR.index ? kal_int(g, 0) : e[i];
    }
    for (int i = 0; i < forms->inputs->count && status == KAL_OK; i++) {
        status = kal_total(g, e, count, &forms->inputs->list[i].rates,
                           forms->by[id] + (size_t)i * count);
    }
    kal_block_clear(forms->ctx, &list);
    return status;
}

// The entries of a matrix, row after row.
static KalStatus add_sparse(KalForms *forms, KalBlock *list, const KalSparse *matrix)
{
    return kal_block_add(forms->ctx, list, matrix->value,
                         kal_sparse_entries(matrix) * sizeof(KalExpr));
}

// What a program computes before the derivatives with respect to inputs.
static KalStatus list_matrices(KalForms *forms, KalFormId id, KalBlock *list)
{
    assert(id < KAL_FORMS);
    switch (id) {
    case KAL_FORM_MOTION:
        KAL_TRY(add_sparse(forms, list, &forms->R_y));
        return add_sparse(forms, list, &forms->S_y);
    case KAL_FORM_NONIDEAL:
        KAL_TRY(add_sparse(forms, list, &forms->C_y));
        return add_sparse(forms, list, &forms->C_l);
    case KAL_FORM_MANIFOLD:
        return add_sparse(forms, list, &forms->system->equations->psi_q);
    case KAL_FORM_INTEGRAL:
        return forms->classes ? add_sparse(forms, list, &forms->classes->integrals)
                              : KAL_OK;
    case KAL_FORM_OUTPUT:
        KAL_TRY(add_sparse(forms, list, &forms->o_y));
        KAL_TRY(add_sparse(forms, list, &forms->o_a));
        return add_sparse(forms, list, &forms->o_l);
    case KAL_FORMS: break;
    }
    return KAL_OK;
}

// How many formulas differentiate_by_inputs() made.
static size_t count_by_inputs(const KalForms *forms, KalFormId id)
{
    assert(id < KAL_FORMS);
    const size_t n = (size_t)forms->system->n;
    const size_t m = (size_t)forms->system->m;
    const size_t inputs = (size_t)forms->inputs->count;
    switch (id) {
    case KAL_FORM_MOTION: return inputs * (n + m);
    case KAL_FORM_NONIDEAL: return inputs * n;
    case KAL_FORM_MANIFOLD: return inputs * 2 * m;
    case KAL_FORM_OUTPUT: return inputs * (size_t)forms->system->n_outputs;
    case KAL_FORM_INTEGRAL:
    case KAL_FORMS: return 0;
    }
    return 0;
}

// One program for all matrices of a form, its results in the order in which
// list_matrices() has them, followed by derivatives by inputs.
static KalStatus compile(KalForms *forms, KalFormId id)
{
    assert((int)id >= 0 && id < KAL_FORMS && !forms->forms[id].program);
    KalForm *form = &forms->forms[id];
    KalBlock list = {.data = NULL};
    KalStatus status = list_matrices(forms, id, &list);
    if (status == KAL_OK) {
        status = kal_block_add(forms->ctx, &list, forms->by[id],
                               count_by_inputs(forms, id) * sizeof(KalExpr));
    }
    assert(status != KAL_OK || list.size % sizeof(KalExpr) == 0);
    form->n_results = list.size / sizeof(KalExpr);
    if (status == KAL_OK) {
        status = kal_system_compile(forms->system, (const KalExpr *)list.data,
                                    form->n_results, &form->program);
    }
    kal_block_clear(forms->ctx, &list);
    KAL_TRY(status);
    const size_t work = kal_program_work(form->program);
    form->n_numbers = work + form->n_results + 1;
    form->numbers = (double *)kal_alloc(forms->ctx, form->n_numbers, sizeof(double));
    if (!form->numbers) {
        return kal_no_memory(forms->ctx, PURPOSE);
    }
    form->results = form->numbers + work;
    return KAL_OK;
}

// Whether time is in any of some formulas, or was found before.
static KalStatus look_for_time(const KalModel *model, const KalExpr *e, size_t count,
                               bool *out_found)
{
    KalOrder order = {.ctx = NULL};
    KAL_TRY(kal_order_init(model->graph, e, count, &order));
    for (uint32_t i = 0; i < order.count; i++) {
        const KalStep *step = &order.steps[i];
        const bool time =
            step->op == KAL_OP_SYMBOL
            && kal_symbol(model->graph, step->arg[0]).index == model->time.index;
        *out_found = *out_found || time;
    }
    kal_order_clear(&order);
    return KAL_OK;
}

KalStatus kal_find_time(const KalSystem *system, const KalExpr *motion, bool *out_found)
{
    const KalEquations *e = system->equations;
    const KalModel *model = system->model;
    *out_found = false;
    KAL_TRY(look_for_time(model, motion, e->n, out_found));
    KAL_TRY(look_for_time(model, e->C, e->n, out_found));
    for (size_t i = 0; i < e->m; i++) {
        KAL_TRY(look_for_time(model, &model->constraints[i].residual, 1, out_found));
    }
    return KAL_OK;
}

// Whether the equations depend on time explicitly.
static KalStatus find_time(KalForms *forms)
{
    bool found = false;
    KAL_TRY(kal_find_time(forms->system, forms->R, &found));
    forms->timeless = !found;
    return KAL_OK;
}

// Constraints on velocities may be constraints on positions in disguise.
static KalStatus classify(KalForms *forms)
{
    const KalModel *model = forms->system->model;
    bool any = false;
    for (size_t i = 0; i < model->n_constraints; i++) {
        any = any || model->constraints[i].level == KAL_LEVEL_VELOCITY;
    }
    return any ? kal_classify(forms->system->equations, &forms->classes) : KAL_OK;
}

KalStatus kal_forms_init(KalForms *forms, const KalSystem *system,
                         const KalInputs *inputs)
{
    assert(system && inputs);
    *forms = (KalForms){.ctx = system->ctx, .system = system, .inputs = inputs};
    KAL_TRY(kal_arena_create(forms->ctx, FORMULA_BYTES, &forms->arena));
    KAL_TRY(form(forms));
    KAL_TRY(differentiate(forms));
    KAL_TRY(classify(forms));
    KAL_TRY(find_time(forms));
    for (int id = 0; id < KAL_FORMS; id++) {
        KAL_TRY(differentiate_by_inputs(forms, (KalFormId)id));
        KAL_TRY(compile(forms, (KalFormId)id));
    }
    return KAL_OK;
}

void kal_forms_clear(KalForms *forms)
{
    for (int id = 0; id < KAL_FORMS; id++) {
        KalForm *form = &forms->forms[id];
        kal_program_destroy(form->program);
        kal_free(forms->ctx, form->numbers,
                 form->numbers ? form->n_numbers * sizeof(double) : 0);
    }
    kal_sparse_clear(&forms->R_y);
    kal_sparse_clear(&forms->S_y);
    kal_sparse_clear(&forms->C_y);
    kal_sparse_clear(&forms->C_l);
    kal_sparse_clear(&forms->o_y);
    kal_sparse_clear(&forms->o_a);
    kal_sparse_clear(&forms->o_l);
    kal_classification_destroy(forms->classes);
    kal_arena_destroy(forms->arena);
}

KalStatus kal_forms_evaluate(KalForms *forms, KalFormId id, const KalInstant *instant)
{
    assert(id < KAL_FORMS && forms->forms[id].program);
    KalForm *form = &forms->forms[id];
    kal_program_eval(form->program, instant->variables, form->numbers, form->results);
    for (size_t i = 0; i < form->n_results && id != KAL_FORM_OUTPUT; i++) {
        if (!isfinite(form->results[i])) {
            return kal_fail(forms->ctx, KAL_ERR_NUMBER,
                            "a derivative of the equations of motion has no finite "
                            "value in this state");
        }
    }
    return KAL_OK;
}
