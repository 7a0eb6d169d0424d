// SPDX-License-Identifier: MIT

// Forward differentiation of the equations of motion as a whole: one directional derivative of
// every residual, with accelerations and reactions as variables that stay, instead of the
// derivatives of M, Q, A and b one by one.  The cost is a small multiple of the equations
// themselves, whatever the number of variables (Griewank and Walther, Evaluating Derivatives,
// chapter 3).

#include "export/tangent.h"

#include "expr/diff.h"
#include "system/contact.h"

#include <assert.h>
#include <string.h>

// Places in KalContactValues.
enum {
    OF_SLIP = 2,
    OF_LIMIT = 5
};

// Formulas that are differentiated, and the direction.
typedef struct Making {
    const KalExportPlan *plan;
    KalGraph *g;
    const KalEquations *e;
    KalExpr *symbols; // layout.count variables, then as many seeds
    KalExpr *roots;
    size_t count; // of roots
} Making;

static void add(Making *m, KalExpr e)
{
    m->roots[m->count++] = e;
}

// Q - M q'' + A'lambda, or M q'' - Q.
static void add_forces(Making *m, bool whole)
{
    const KalModel *model = m->plan->draft.model;
    KalExpr *R = m->roots + m->count;
    for (size_t i = 0; i < m->e->n; i++) {
        add(m, m->e->Q[i]);
    }
    for (size_t i = 0; i < m->e->n; i++) {
        for (int64_t k = m->e->M.start[i]; k < m->e->M.start[i + 1]; k++) {
            const size_t j = (size_t)m->e->M.column[k];
            const KalExpr value = m->e->M.value[k];
            R[i] = kal_sub(m->g, R[i], kal_mul(m->g, value, model->coordinates[j].a));
            if (i != j) {
                R[j] =
                    kal_sub(m->g, R[j], kal_mul(m->g, value, model->coordinates[i].a));
            }
        }
    }
    for (size_t i = 0; i < m->e->m && whole; i++) {
        for (int64_t k = m->e->A.start[i]; k < m->e->A.start[i + 1]; k++) {
            const size_t j = (size_t)m->e->A.column[k];
            R[j] = kal_add(
                m->g, R[j],
                kal_mul(m->g, m->e->A.value[k], model->constraints[i].reaction));
        }
    }
    for (size_t i = 0; i < m->e->n && !whole; i++) {
        R[i] = kal_neg(m->g, R[i]);
    }
}

// b - A q''.
static void add_rows(Making *m)
{
    const KalModel *model = m->plan->draft.model;
    for (size_t i = 0; i < m->e->m; i++) {
        KalExpr S = m->e->b[i];
        for (int64_t k = m->e->A.start[i]; k < m->e->A.start[i + 1]; k++) {
            const size_t j = (size_t)m->e->A.column[k];
            S = kal_sub(m->g, S,
                        kal_mul(m->g, m->e->A.value[k], model->coordinates[j].a));
        }
        add(m, S);
    }
}

static void add_results(Making *m)
{
    const KalModel *model = m->plan->draft.model;
    add(m, m->e->kinetic);
    add(m, m->e->stored);
    for (size_t i = 0; i < model->n_states; i++) {
        add(m, model->states[i].rate);
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        add(m, model->outputs[i].value);
    }
}

static void add_or_zero(Making *m, KalExpr e)
{
    add(m, e.index == KAL_NO_EXPR.index ? kal_int(m->g, 0) : e);
}

// Slips and limits of frictions, whose directions and sizes change.
static void add_frictions(Making *m)
{
    const KalModel *model = m->plan->draft.model;
    for (size_t i = 0; i < model->n_contacts && kal_export_has_friction(m->plan); i++) {
        const size_t first = i * KAL_CONTACT_VALUES;
        add_or_zero(m, kal_contact_formula(m->e, first + OF_SLIP));
        add_or_zero(m, kal_contact_formula(m->e, first + OF_SLIP + 1));
        add_or_zero(m, kal_contact_formula(m->e, first + OF_LIMIT));
    }
}

static void add_entries(Making *m, const KalSparse *entries, size_t rows)
{
    for (int64_t k = 0; k < entries->start[rows]; k++) {
        add(m, entries->value[k]);
    }
}

// Rows of servos and columns of actuators, as the givens have them.
static void add_servos(Making *m)
{
    if (m->e->n_servos > 0) {
        add_entries(m, &m->e->servo_A, m->e->n_servos);
        for (size_t i = 0; i < m->e->n_servos; i++) {
            add(m, m->e->servo_b[i]);
        }
        add_entries(m, &m->e->B, m->e->n);
    }
}

static void add_all(Making *m)
{
    add_forces(m, true);
    add_rows(m);
    for (size_t i = 0; i < m->e->n && m->e->has_C; i++) {
        add(m, m->e->C[i]);
    }
    add_forces(m, false);
    add_results(m);
    add_frictions(m);
    add_servos(m);
}

// How many formulas there are at most.
static size_t count_most(const KalEquations *e, const KalModel *model)
{
    const size_t control = e->n_servos > 0
                               ? (size_t)e->servo_A.start[e->n_servos] + e->n_servos
                                     + (size_t)e->B.start[e->n]
                               : 0;
    return 3 * e->n + e->m + 2 + model->n_states + model->n_outputs
           + KAL_EXPORT_FRICTION_CHANGES * model->n_contacts + control;
}

static KalStatus compile(Making *m, KalProgram **out_program)
{
    assert(m->roots && m->symbols && out_program);
    const KalModel *model = m->plan->draft.model;
    const size_t variables = m->plan->system->layout.count;
    const size_t parameters = model->n_parameters;
    KalExpr *symbols = kal_arena_alloc(m->plan->arena, parameters + 1, sizeof *symbols);
    if (!symbols) {
        return kal_no_memory(m->plan->ctx, "for an export");
    }
    for (size_t i = 0; i < parameters; i++) {
        symbols[i] = model->parameters[i].symbol;
    }
    const KalProgramSpec spec = {.outputs = m->roots,
                                 .n_outputs = m->count,
                                 .parameters = symbols,
                                 .n_parameters = parameters,
                                 .variables = m->symbols,
                                 .n_variables = 2 * variables};
    return kal_program_create(m->g, &spec, out_program);
}

static KalStatus make(Making *m, KalProgram **out_program)
{
    const size_t variables = m->plan->system->layout.count;
    kal_system_variables(&m->plan->draft.system, m->symbols);
    for (size_t i = 0; i < variables; i++) {
        m->symbols[variables + i] =
            kal_symbol(m->g, (uint32_t)(m->plan->draft.model->n_symbols + i));
    }
    add_all(m);
    KAL_TRY(kal_graph_status(m->g));
    const KalRates rates = {
        .symbols = m->symbols, .rates = m->symbols + variables, .n = variables};
    KAL_TRY(kal_total(m->g, m->roots, m->count, &rates, m->roots));
    return compile(m, out_program);
}

KalStatus kal_export_make_tangent(KalExportPlan *plan)
{
    const KalEquations *e = &plan->draft.equations;
    Making m = {.plan = plan, .g = plan->draft.model->graph, .e = e};
    const size_t most = count_most(e, plan->draft.model);
    m.roots = kal_arena_alloc(plan->arena, most, sizeof *m.roots);
    m.symbols =
        kal_arena_alloc(plan->arena, 2 * plan->system->layout.count, sizeof *m.symbols);
    if (!m.roots || !m.symbols) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    const KalStatus status = make(&m, &plan->tangent);
    assert(m.count <= most);
    return status == KAL_ERR_LIMIT ? KAL_OK : status;
}
