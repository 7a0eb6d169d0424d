// SPDX-License-Identifier: MIT

// Elimination of what constraints give outright.  Constraint after constraint is solved for
// a coordinate, and at velocity level for a velocity, that it has with a number as factor;
// earlier solutions go into it first, and it goes into them after (Gauss–Jordan).
//
// Invariant: wherever the constraints hold, each `from` is equal to its `to`.  Factors are
// numbers only: one that is a formula may vanish somewhere.

#include "derive/allowed.h"

#include "derive/values.h"

#include <assert.h>

enum {
    ROWS_MAX = 100 // more are not worth the time
};

// A search on its way.
typedef struct Solver {
    KalAllowed *allowed;
    const KalEquations *eq;
    KalGraph *g;
    KalExpr *q;      // n
    KalExpr *v;      // n
    KalExpr *slopes; // n
} Solver;

// Whether an event releases or engages a constraint: then it does not always hold.
static bool is_switched(const KalModel *model, size_t row)
{
    assert(row < model->n_constraints);
    bool switched = false;
    for (size_t i = 0; i < model->n_events; i++) {
        const KalEvent *event = &model->events[i];
        for (size_t k = 0; k < event->n_actions; k++) {
            const KalAction *action = &event->actions[k];
            const bool constraint =
                action->kind == KAL_ACTION_RELEASE || action->kind == KAL_ACTION_ENGAGE;
            switched = switched || (constraint && action->target == row);
        }
    }
    return switched;
}

KalStatus kal_allowed_put(const KalAllowed *allowed, KalGraph *g, KalExpr *e)
{
    assert(allowed->n <= allowed->room && e->index != 0);
    const KalReplacements all = {allowed->from, allowed->to, allowed->n};
    bool done = false; // else a division by zero came of it, and e stays as it is
    KAL_TRY(kal_graph_status(g));
    return all.n > 0 ? kal_values_replace(g, e, 1, &all, &done) : KAL_OK;
}

// Put x − e/slope in the place of x, where e = 0 is linear in x.
static KalStatus replace(const Solver *s, KalExpr x, KalExpr e, KalExpr slope)
{
    assert(s->allowed->n < s->allowed->room);
    KalAllowed *a = s->allowed;
    KalExpr to = kal_sub(s->g, x, kal_div(s->g, e, slope));
    const KalReplacements one = {&x, &to, 1};
    KAL_TRY(kal_graph_status(s->g));
    if (a->n > 0) {
        KAL_TRY(kal_substitute(s->g, a->to, a->n, &one, a->to));
    }
    a->from[a->n] = x;
    a->to[a->n++] = to;
    return KAL_OK;
}

// Solve e = 0 for one of the symbols x.  *out_solved: it could be, or e is no condition.
static KalStatus solve(const Solver *s, KalExpr e, const KalExpr *x, bool *out_solved)
{
    KAL_TRY(kal_values_insert(s->eq->model, &e, 1));
    KAL_TRY(kal_allowed_put(s->allowed, s->g, &e));
    KAL_TRY(kal_gradient(s->g, e, x, s->eq->n, s->slopes));
    *out_solved = kal_is_zero(s->g, e);
    for (size_t i = 0; i < s->eq->n && !*out_solved; i++) {
        const bool number = kal_graph_node(s->g, s->slopes[i]).op == KAL_OP_CONST;
        if (number && !kal_is_zero(s->g, s->slopes[i])) {
            *out_solved = true;
            return replace(s, x[i], e, s->slopes[i]);
        }
    }
    return KAL_OK;
}

// A constraint on positions holds for the velocities too, with ψ = φ'.  What could not be
// solved leaves the list incomplete: it may not be said that something depends on velocities
// that no motion has.
static KalStatus solve_row(const Solver *s, size_t row)
{
    assert(row < s->eq->m);
    const KalConstraint *c = &s->eq->model->constraints[row];
    bool solved = true;
    if (c->level == KAL_LEVEL_ACCELERATION || is_switched(s->eq->model, row)) {
        s->allowed->complete = false;
        return KAL_OK;
    }
    if (c->level == KAL_LEVEL_POSITION) {
        KAL_TRY(solve(s, s->eq->phi[row], s->q, &solved));
        s->allowed->complete = s->allowed->complete && solved;
    }
    KAL_TRY(solve(s, s->eq->psi[row], s->v, &solved));
    s->allowed->complete = s->allowed->complete && solved;
    return KAL_OK;
}

// Constraints in the order of the model; which unknown each is solved for depends on it.
static KalStatus solve_all(const Solver *s)
{
    for (size_t i = 0; i < s->eq->n; i++) {
        s->q[i] = s->eq->model->coordinates[i].q;
        s->v[i] = s->eq->model->coordinates[i].v;
    }
    for (size_t row = 0; row < s->eq->m; row++) {
        KAL_TRY(solve_row(s, row));
    }
    return KAL_OK;
}

// Room for one solution of each constraint at each of both levels; beyond ROWS_MAX, where
// the work grows with the square, nothing is eliminated.
KalStatus kal_allowed_init(KalAllowed *allowed, const KalEquations *eq)
{
    assert(eq->n == eq->model->n_coordinates && eq->m == eq->model->n_constraints);
    KalContext *ctx = eq->model->ctx;
    *allowed = (KalAllowed){.ctx = ctx, .complete = eq->m <= ROWS_MAX};
    if (eq->m == 0 || eq->m > ROWS_MAX) {
        return KAL_OK;
    }
    allowed->room = 2 * eq->m;
    allowed->from = (KalExpr *)kal_alloc(ctx, 2 * allowed->room, sizeof(KalExpr));
    KalExpr *block = (KalExpr *)kal_alloc(ctx, 3 * eq->n, sizeof *block);
    KalStatus status = KAL_OK;
    if (allowed->from && block) {
        const Solver s = {.allowed = allowed,
                          .eq = eq,
                          .g = eq->model->graph,
                          .q = block,
                          .v = block + eq->n,
                          .slopes = block + 2 * eq->n};
        allowed->to = allowed->from + allowed->room;
        status = solve_all(&s);
    } else {
        status = kal_no_memory(ctx, "to solve constraints");
    }
    kal_free(ctx, block, 3 * eq->n * sizeof *block);
    return status;
}

void kal_allowed_clear(KalAllowed *allowed)
{
    if (allowed->from) {
        kal_free(allowed->ctx, allowed->from, 2 * allowed->room * sizeof(KalExpr));
    }
}
