// SPDX-License-Identifier: MIT

// What no motion can reach: ranges of gaps, limits of frictions and arguments of tables over all
// states, and over the time that the model asks for.  Theory (12.17).
//
// What interval arithmetic cannot tell is not warned of.

#include "system/reach.h"

#include "base/block.h"
#include "expr/node.h"
#include "expr/spline.h"
#include "system/warn.h"

#include <assert.h>
#include <math.h>

// A table where it is used.
typedef struct Use {
    const KalSpline *spline;
} Use;

typedef struct Reach {
    const KalSystem *system;
    KalBlock
        formulas;    // KalExpr: gap and limit of each contact, then arguments of tables
    KalBlock tables; // const KalSpline *: that they are arguments of
    KalProgram *program;
    double *work;
    size_t work_size;
    KalRange *ranges; // of variables, of work, of formulas
    size_t ranges_size;
    KalRange *results; // among these
} Reach;

static KalStatus add(Reach *r, KalExpr e)
{
    const KalExpr formula =
        e.index == KAL_NO_EXPR.index ? kal_int(r->system->model->graph, 0) : e;
    return kal_block_add(r->system->ctx, &r->formulas, &formula, sizeof formula);
}

static KalStatus gather_contacts(Reach *r)
{
    const KalModel *model = r->system->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i];
        const bool gap = contact->gap != KAL_NO_GAP;
        KAL_TRY(add(r, gap ? model->constraints[contact->gap].residual : KAL_NO_EXPR));
        KAL_TRY(add(r, contact->limit));
    }
    return KAL_OK;
}

// The argument of a node, if that is a table whose points may be missed.
static KalStatus add_table(Reach *r, KalExprNode node)
{
    const KalSplineFunction *f = kal_spline_of(node.arg[1].index, node.arg[2].index);
    const Use use = {f->spline};
    if (f->kind != KAL_SPLINE_VALUE || f->spline->outside == KAL_OUTSIDE_REPEAT) {
        return KAL_OK;
    }
    KAL_TRY(add(r, node.arg[0]));
    return kal_block_add(r->system->ctx, &r->tables, &use, sizeof use);
}

// What was written before something else was put in the place of a promise is no formula of the
// model.
static KalStatus add_if_meant(Reach *r, KalExprNode node)
{
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(r->system->model, node.arg[0], &kinds));
    return kinds >> KAL_SYMBOL_PROMISE & 1 ? KAL_OK : add_table(r, node);
}

static KalStatus gather_tables(Reach *r)
{
    const KalGraph *g = r->system->model->graph;
    const uint32_t count = r->system->model->n_tables > 0 ? kal_graph_count(g) : 0;
    for (uint32_t i = 1; i < count; i++) { // 0 is no formula
        const KalExprNode node = kal_graph_node(g, (KalExpr){i});
        KAL_TRY(kal_op_is_spline((KalOp)node.op) ? add_if_meant(r, node) : KAL_OK);
    }
    return KAL_OK;
}

// All states; reactions of what never acts are 0, those of contacts do not pull.
static void fill_box(Reach *r, const bool *never)
{
    const KalSystem *system = r->system;
    const KalModel *model = system->model;
    for (size_t i = 0; i < system->layout.count; i++) {
        r->ranges[i] = (KalRange){-INFINITY, INFINITY};
    }
    r->ranges[0] =
        (KalRange){system->settings.asked.from, system->settings.asked.until};
    for (size_t i = 0; i < model->n_constraints; i++) {
        const bool gap = model->constraints[i].role == KAL_ROLE_GAP;
        KalRange *range = &r->ranges[system->layout.reactions + i];
        range->low = gap || never[i] ? 0.0 : range->low;
        range->high = never[i] ? 0.0 : range->high;
    }
}

static void bound(Reach *r, const bool *never)
{
    fill_box(r, never);
    kal_program_bound(r->program, r->ranges, r->work,
                      r->ranges + r->system->layout.count, r->results);
}

// The formulas as a program, whose ranges for ranges of the state kal_program_bound()
// finds.
static KalStatus prepare(Reach *r)
{
    assert(!r->program && r->formulas.size > 0);
    KalContext *ctx = r->system->ctx;
    const size_t count = r->formulas.size / sizeof(KalExpr);
    KAL_TRY(kal_system_compile(r->system, (const KalExpr *)r->formulas.data, count,
                               &r->program));
    const size_t work = kal_program_work(r->program);
    const size_t ranges = r->system->layout.count + work + count;
    r->work = (double *)kal_alloc(ctx, work + 1, sizeof *r->work);
    r->work_size = (work + 1) * sizeof *r->work;
    r->ranges = (KalRange *)kal_alloc(ctx, ranges, sizeof *r->ranges);
    r->ranges_size = ranges * sizeof *r->ranges;
    if (!r->work || !r->ranges) {
        return kal_no_memory(ctx, "to look at contacts");
    }
    r->results = r->ranges + r->system->layout.count + work;
    kal_program_prepare(r->program, r->system->settings.parameters, r->work);
    return KAL_OK;
}

// Contacts whose gap is never 0, and constraints that are off and stay so.
static void find_never(const Reach *r, bool *never)
{
    const KalModel *model = r->system->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i];
        const double least = r->results[2 * i].low;
        if (contact->gap != KAL_NO_GAP && least > 0.0) {
            never[contact->gap] = true;
            kal_diagnostics_add(r->system->diagnostics, KAL_SEVERITY_WARNING,
                                contact->span,
                                "contact '%s' can never close: its gap is never less "
                                "than %.6g%s",
                                contact->name, least,
                                contact->n_slips > 0 ? ", so that its friction has no "
                                                       "normal force"
                                                     : "");
        }
    }
}

static void warn_of_frictions(const Reach *r)
{
    const KalModel *model = r->system->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i];
        if (contact->gap == KAL_NO_GAP && r->results[2 * i + 1].high <= 0.0) {
            kal_diagnostics_add(r->system->diagnostics, KAL_SEVERITY_WARNING,
                                contact->span,
                                "friction '%s' never does anything: its limit is "
                                "always 0, as without a normal force",
                                contact->name);
        }
    }
}

// Whether no argument of a table comes to its points.
static bool is_missed(const Reach *r, const KalSpline *spline)
{
    const Use *uses = (const Use *)r->tables.data;
    const size_t first = 2 * r->system->model->n_contacts;
    bool used = false;
    for (size_t i = 0; i < r->tables.size / sizeof *uses; i++) {
        const KalRange range = r->results[first + i];
        const bool meets = range.high >= spline->knots[0]
                           && range.low <= spline->knots[spline->pieces];
        used = used || uses[i].spline == spline;
        if (uses[i].spline == spline && meets) {
            return false;
        }
    }
    return used;
}

static void warn_of_tables(const Reach *r)
{
    const KalModel *model = r->system->model;
    for (size_t i = 0; i < model->n_tables; i++) {
        const KalModelTable *table = &model->tables[i];
        const KalSpline *spline = table->spline;
        if (is_missed(r, spline)) {
            kal_diagnostics_add(
                r->system->diagnostics, KAL_SEVERITY_WARNING, table->span,
                "table '%s' is never reached: its points lie from "
                "%.6g to %.6g, and what it is used with never does",
                table->name, spline->knots[0], spline->knots[spline->pieces]);
        }
    }
}

static KalStatus look(Reach *r, bool *never)
{
    KAL_TRY(gather_contacts(r));
    KAL_TRY(gather_tables(r));
    if (r->formulas.size == 0) {
        return KAL_OK;
    }
    KAL_TRY(prepare(r));
    bound(r, never);
    find_never(r, never);
    bound(r, never);
    warn_of_frictions(r);
    warn_of_tables(r);
    return KAL_OK;
}

KalStatus kal_system_warn_of_reach(const KalSystem *system)
{
    KalContext *ctx = system->ctx;
    const size_t m = system->model->n_constraints + 1;
    Reach r = {.system = system};
    if (system->model->n_contacts == 0 && system->model->n_tables == 0) {
        return KAL_OK;
    }
    kal_graph_unpack(system->model->graph);
    bool *never = (bool *)kal_alloc(ctx, m, sizeof *never);
    if (!never) {
        return kal_no_memory(ctx, "to look at contacts");
    }
    for (size_t i = 0; i < m; i++) {
        never[i] = i + 1 < m && kal_constraint_stays_off(system->model, i);
    }
    const KalStatus status = look(&r, never);
    kal_program_destroy(r.program);
    kal_free(ctx, r.work, r.work_size);
    kal_free(ctx, r.ranges, r.ranges_size);
    kal_block_clear(ctx, &r.formulas);
    kal_block_clear(ctx, &r.tables);
    kal_free(ctx, never, m * sizeof *never);
    return status;
}
