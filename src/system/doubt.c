// SPDX-License-Identifier: MIT

// Which values depend on how dependent constraints share a force: theory (2.9).
//
// Multipliers λ of dependent rows are unique only up to vectors μ with Aᵀμ = 0.  A formula is
// unique if its slope by λ has no part along these, that is, lies in the range of A.  The
// columns of A, of the rows in question, are made orthonormal (Gram–Schmidt with the largest
// first); what is left of a slope without its parts along them decides.  Slopes tell of one
// piece of a formula only, and those of conditions nothing, so what chooses pieces is asked for
// besides: max(λ, 0) may be 0 for these shares alone.

#include "system/doubt.h"

#include "base/block.h"
#include "expr/order.h"
#include "expr/switch.h"
#include "linalg/kernels.h"
#include "linalg/span.h"
#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What is left of a vector below this, relative to all of it, is rounding.
static const double ROUNDING = 1e-7;

// Formulas of which derivatives are taken, and whose they are.
typedef struct Asked {
    const KalModel *model;
    KalBlock formulas; // KalExpr
    KalBlock owners;   // size_t
} Asked;

// Note a formula, unless no reaction is in it.
static KalStatus ask(Asked *asked, KalExpr e, size_t owner)
{
    uint64_t kinds = 0;
    KalContext *ctx = asked->model->ctx;
    KAL_TRY(kal_graph_status(asked->model->graph));
    KAL_TRY(kal_model_kinds_in(asked->model, e, &kinds));
    if ((kinds & (UINT64_C(1) << KAL_SYMBOL_REACTION)) == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_block_add(ctx, &asked->formulas, &e, sizeof e));
    return kal_block_add(ctx, &asked->owners, &owner, sizeof owner);
}

// What decides in a step whose slope does not tell, or of one piece only: that which parts its
// pieces, or the difference whose vanishing a condition asks for; 0 if nothing does.
static KalExpr decider(KalGraph *g, KalExpr node)
{
    assert(node.index != KAL_NO_EXPR.index);
    const KalExprNode n = kal_graph_node(g, node);
    const KalOp op = (KalOp)n.op;
    if (kal_op_switches(op)) {
        return kal_switch_form(g, node).function;
    }
    return kal_op_kind(op) == KAL_KIND_RELATION ? kal_sub(g, n.arg[0], n.arg[1])
                                                : kal_int(g, 0);
}

// The formula itself, and what decides in its jumps and conditions.
static KalStatus ask_inside(Asked *asked, KalExpr formula, size_t owner)
{
    assert(formula.index != KAL_NO_EXPR.index);
    KalOrder order = {.ctx = NULL};
    KalStatus status = ask(asked, formula, owner);
    KAL_TRY(status);
    KAL_TRY(kal_order_init(asked->model->graph, &formula, 1, &order));
    for (uint32_t i = 0; i < order.count && status == KAL_OK; i++) {
        status = ask(asked, decider(asked->model->graph, order.steps[i].node), owner);
    }
    kal_order_clear(&order);
    return status;
}

// Slopes of the formulas by reactions, as a program: theory (2.9) asks for their values
// in each state.
static KalStatus differentiate(KalDoubts *doubts, const KalSystem *system,
                               const Asked *asked)
{
    assert(asked->formulas.size / sizeof(KalExpr)
           == asked->owners.size / sizeof(size_t));
    const size_t m = (size_t)system->m;
    const size_t rows = asked->formulas.size / sizeof(KalExpr);
    KalExpr *reactions = (KalExpr *)kal_alloc(system->ctx, m + 1, sizeof *reactions);
    doubts->owner = (size_t *)kal_alloc(system->ctx, rows, sizeof *doubts->owner);
    KalStatus status = KAL_ERR_NOMEM;
    if (reactions && doubts->owner) {
        for (size_t i = 0; i < m; i++) {
            reactions[i] = system->model->constraints[i].reaction;
        }
        memcpy(doubts->owner, asked->owners.data, rows * sizeof *doubts->owner);
        doubts->rows = rows;
        status =
            kal_jacobian(system->model->graph, (const KalExpr *)asked->formulas.data,
                         rows, reactions, m, &doubts->slopes);
    } else {
        status = kal_no_memory(system->ctx, "for reactions");
    }
    kal_free(system->ctx, reactions, (m + 1) * sizeof *reactions);
    KAL_TRY(status);
    return kal_system_compile(system, doubts->slopes.value,
                              kal_sparse_entries(&doubts->slopes), &doubts->program);
}

// Most models have no formula with reactions, and so no program.
KalStatus kal_doubts_init(KalDoubts *doubts, const KalSystem *system,
                          const KalExpr *formulas, size_t n)
{
    assert(doubts && system && (formulas || n == 0));
    Asked asked = {.model = system->model};
    KalStatus status = KAL_OK;
    *doubts = (KalDoubts){.ctx = system->ctx, .n = n};
    for (size_t i = 0; i < n && status == KAL_OK; i++) {
        uint64_t kinds = 0;
        status = kal_model_kinds_in(system->model, formulas[i], &kinds);
        if (status == KAL_OK && (kinds & (UINT64_C(1) << KAL_SYMBOL_REACTION)) != 0) {
            status = ask_inside(&asked, formulas[i], i);
        }
    }
    if (status == KAL_OK && asked.formulas.size > 0) {
        status = differentiate(doubts, system, &asked);
    }
    kal_block_clear(system->ctx, &asked.formulas);
    kal_block_clear(system->ctx, &asked.owners);
    return status;
}

void kal_doubts_clear(KalDoubts *doubts)
{
    kal_program_destroy(doubts->program);
    kal_sparse_clear(&doubts->slopes);
    if (doubts->owner) {
        kal_free(doubts->ctx, doubts->owner, doubts->rows * sizeof *doubts->owner);
    }
}

static size_t count_numbers(const KalDoubts *doubts, const KalSystem *system,
                            bool dense)
{
    assert(doubts->rows > 0);
    const size_t m = (size_t)system->m;
    const size_t values = kal_sparse_entries(&doubts->slopes);
    const size_t basis = dense ? m * (size_t)system->n : 0;
    return kal_program_work(doubts->program) + values + basis + 2 * m;
}

KalStatus kal_doubter_init(KalDoubter *d, KalContext *ctx, const KalDoubts *doubts,
                           const KalSystem *system, bool dense)
{
    assert(d && ctx && doubts && system);
    const size_t m = (size_t)system->m;
    *d = (KalDoubter){.ctx = ctx, .doubts = doubts};
    d->marks = (bool *)kal_alloc(ctx, doubts->n + 1, sizeof *d->marks);
    if (!d->marks) {
        return kal_no_memory(ctx, "for reactions");
    }
    if (doubts->rows == 0) {
        return KAL_OK;
    }
    const size_t numbers = count_numbers(doubts, system, dense);
    d->place = (int *)kal_alloc(ctx, m, sizeof *d->place);
    d->block = (double *)kal_alloc(ctx, numbers, sizeof(double));
    if (!d->place || !d->block) {
        return kal_no_memory(ctx, "for reactions");
    }
    d->block_size = numbers * sizeof(double);
    d->work = d->block;
    d->values = d->work + kal_program_work(doubts->program);
    d->basis = d->values + kal_sparse_entries(&doubts->slopes);
    d->scale = d->basis + (dense ? m * (size_t)system->n : 0);
    d->slope = d->scale + m;
    return KAL_OK;
}

void kal_doubter_prepare(KalDoubter *d, const double *parameters)
{
    if (d->doubts->rows > 0) {
        kal_program_prepare(d->doubts->program, parameters, d->work);
    }
}

void kal_doubter_clear(KalDoubter *d, const KalSystem *system)
{
    if (!d->ctx) {
        return;
    }
    kal_free(d->ctx, d->block, d->block_size);
    kal_free(d->ctx, d->place, (size_t)system->m * sizeof *d->place);
    kal_free(d->ctx, d->marks, (d->doubts->n + 1) * sizeof *d->marks);
}

// Take away from x what it has along a unit vector.
static void remove_along(int n, const double *unit, double *x)
{
    assert(n >= 0 && unit != x);
    const double part = kal_dot(n, unit, x);
    for (int i = 0; i < n; i++) {
        x[i] -= part * unit[i];
    }
}

// A row of A in place `at` of `count`, scaled to a largest entry of 1.
static void put_row(KalDoubter *d, int n, const double *row, int at, int count)
{
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        largest = fmax(largest, fabs(row[j]));
    }
    for (int j = 0; j < n; j++) {
        d->basis[j * count + at] = largest > 0.0 ? row[j] / largest : 0.0;
    }
    d->scale[at] = largest > 0.0 ? 1.0 / largest : 1.0;
}

// The same where contacts that do not act have their share.
static int gather_shared(KalDoubter *d, const KalInstant *instant)
{
    const int m = instant->system->m;
    int count = 0;
    for (int i = 0; i < m; i++) {
        d->place[i] = kal_contacts_is_shared(instant, i) ? count++ : -1;
    }
    for (int i = 0; i < m; i++) {
        if (d->place[i] >= 0) {
            put_row(d, instant->system->n, kal_contacts_shared_row(instant, i),
                    d->place[i], count);
        }
    }
    return count;
}

// The rows of A that share forces, scaled to a largest entry of 1, column after column;
// returns how many there are.
static int gather(KalDoubter *d, const KalInstant *instant)
{
    assert(instant->n_active <= instant->system->m);
    const int n = instant->system->n;
    int count = 0;
    for (int i = 0; i < instant->system->m; i++) {
        d->place[i] = -1;
    }
    if (instant->contacts.sharing.doubtful) {
        return gather_shared(d, instant);
    }
    for (int k = 0; k < instant->n_active; k++) {
        if (instant->answer.dependent_set[k] >= 0) {
            d->place[instant->rows[k]] = count++;
        }
    }
    for (int k = 0; k < instant->n_active; k++) {
        const int at = d->place[instant->rows[k]];
        if (at >= 0) {
            put_row(d, n, instant->A + (size_t)k * (size_t)n, at, count);
        }
    }
    assert(count <= instant->n_active);
    return count;
}

static void swap(int count, double *x, double *y)
{
    for (int i = 0; i < count; i++) {
        const double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

// Orthonormal vectors that span the n columns, the largest first; returns how many.
static int orthonormalize(KalDoubter *d, int n, int count)
{
    assert(n >= 0 && count >= 0);
    double first = 0.0;
    for (int rank = 0; rank < n; rank++) {
        int best = rank;
        double most = 0.0;
        for (int j = rank; j < n; j++) {
            const double *x = d->basis + (size_t)j * (size_t)count;
            const double size = kal_length(count, x);
            best = size > most ? j : best;
            most = fmax(most, size);
        }
        first = rank == 0 ? most : first;
        if (most <= ROUNDING * first) {
            assert(rank <= count);
            return rank;
        }
        double *unit = d->basis + (size_t)rank * (size_t)count;
        swap(count, unit, d->basis + (size_t)best * (size_t)count);
        for (int i = 0; i < count; i++) {
            unit[i] /= most;
        }
        for (int j = rank + 1; j < n; j++) {
            remove_along(count, unit, d->basis + (size_t)j * (size_t)count);
        }
    }
    return n;
}

// Whether a row of slopes has a part that no force on coordinates sees: theory (2.9).
static bool is_arbitrary(KalDoubter *d, const KalInstant *instant, size_t row,
                         int count, int rank)
{
    assert(row < d->doubts->rows);
    const KalSparse *slopes = &d->doubts->slopes;
    memset(d->slope, 0, (size_t)count * sizeof *d->slope);
    for (int64_t k = slopes->start[row]; k < slopes->start[row + 1]; k++) {
        double factor = 1.0;
        const int normal =
            kal_contacts_normal_of(instant, (int)slopes->column[k], &factor);
        const int at = d->place[normal];
        if (at >= 0) {
            d->slope[at] += factor * d->values[k] * d->scale[at];
        }
    }
    const double whole = kal_length(count, d->slope);
    for (int k = 0; k < rank; k++) {
        remove_along(count, d->basis + (size_t)k * (size_t)count, d->slope);
    }
    const double left = kal_length(count, d->slope);
    return !(left <= 1e-6 * whole); // derivatives that have no value say nothing good
}

// Of a sparse instant: marks what changes along the change of multipliers that a dependent
// row allows, theory (2.9).
static void mark_along(void *user, int constraint, const int *ties,
                       const double *factors, int count)
{
    assert(count >= 0 && constraint >= 0);
    KalDoubter *d = (KalDoubter *)user;
    const KalSparse *slopes = &d->doubts->slopes;
    d->slope[constraint] = 1.0;
    for (int k = 0; k < count; k++) {
        d->slope[ties[k]] = -factors[k];
    }
    for (size_t row = 0; row < d->doubts->rows; row++) {
        double sum = 0.0;
        double size = 0.0;
        for (int64_t k = slopes->start[row]; k < slopes->start[row + 1]; k++) {
            const double term = d->values[k] * d->slope[slopes->column[k]];
            sum += term;
            size += fabs(term);
        }
        bool *mark = &d->marks[d->doubts->owner[row]];
        *mark = *mark || !(fabs(sum) <= 1e-6 * size);
    }
    d->slope[constraint] = 0.0;
    for (int k = 0; k < count; k++) {
        d->slope[ties[k]] = 0.0;
    }
}

static void judge_sparse(KalDoubter *d, const KalInstant *instant)
{
    assert(instant->large.solver);
    const KalLargeProblem problem = kal_large_instant_problem(
        instant, instant->system->equations->has_C ? instant->C : NULL);
    memset(d->slope, 0, (size_t)instant->system->m * sizeof *d->slope);
    kal_large_each_dependency(instant->large.solver, &problem, mark_along, d);
}

// The rows of A, orthonormalized once for the state; then each slope is compared with
// their span.
const bool *kal_doubter_judge(KalDoubter *d, const KalInstant *instant)
{
    assert(!instant->bare);
    const KalDoubts *doubts = d->doubts;
    memset(d->marks, 0, doubts->n * sizeof *d->marks);
    const bool any =
        instant->answer.n_dependent_sets > 0 || instant->contacts.sharing.doubtful;
    if (doubts->rows == 0 || !any) {
        return d->marks;
    }
    kal_program_eval(doubts->program, instant->variables, d->work, d->values);
    if (instant->large.solver) {
        judge_sparse(d, instant);
        return d->marks;
    }
    const int count = gather(d, instant);
    const int rank = orthonormalize(d, instant->system->n, count);
    for (size_t row = 0; row < doubts->rows; row++) {
        bool *mark = &d->marks[doubts->owner[row]];
        *mark = *mark || is_arbitrary(d, instant, row, count, rank);
    }
    return d->marks;
}
