// SPDX-License-Identifier: MIT

// A walk over all steps of a formula.  Steps that cannot change along a motion, because
// only parameters are below them, are passed over.  What is listed are differences that have
// to vanish where one branch takes over from another, theory (10.20): at a comparison
// x > a the branches are compared with x = a put in, if the comparison can be solved for a
// symbol; a number that jumps, such as sign, is listed as 1, which never vanishes.

#include "derive/jump.h"

#include "derive/values.h"
#include "expr/diff.h"
#include "expr/order.h"

#include <assert.h>
#include <string.h>

// A search for jumps.
typedef struct Search {
    const KalModel *model;
    KalGraph *g;
    KalContext *ctx;
    KalOrder order;
    bool *moves; // for each step: may change along a motion
    bool *marks; // for each step: scratch
    KalBlock *list;
} Search;

// and, or, not: made of conditions.
static bool is_logic(KalOp op)
{
    return kal_op_kind(op) == KAL_KIND_LOGIC;
}

// Comparisons: 0 or 1.
static bool is_relation(KalOp op)
{
    return kal_op_kind(op) == KAL_KIND_RELATION;
}

// A number that jumps, as sign does; conditions that do are judged where they count.
static bool is_jump(KalOp op)
{
    return kal_op_nature(op) == KAL_NATURE_JUMP && !is_relation(op);
}

// A difference that must vanish, unless it does as it stands.
static KalStatus add(const Search *s, KalExpr e)
{
    KAL_TRY(kal_graph_status(s->g));
    return kal_is_zero(s->g, e) ? KAL_OK : kal_block_add(s->ctx, s->list, &e, sizeof e);
}

// Time, coordinates, velocities, accelerations; all but parameters change.
static bool is_moving_symbol(const Search *s, const KalStep *step)
{
    return step->op == KAL_OP_SYMBOL
           && s->model->symbols[step->arg[0]].kind != KAL_SYMBOL_PARAMETER;
}

// Operands come before their users: one pass in order.
static void find_moving(const Search *s)
{
    for (uint32_t i = 0; i < s->order.count; i++) {
        const KalStep *step = &s->order.steps[i];
        assert(kal_op_arity((KalOp)step->op) <= 3);
        s->moves[i] = is_moving_symbol(s, step);
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            s->moves[i] = s->moves[i] || s->moves[step->arg[k]];
        }
    }
}

// A symbol that d has with a number as its factor, and what it is where d is zero.
static KalStatus solve(const Search *s, KalExpr d, KalExpr *out_x, KalExpr *out_value)
{
    KalOrder order = {0};
    KalStatus status = KAL_OK;
    KAL_TRY(kal_order_init(s->g, &d, 1, &order));
    *out_x = KAL_NO_EXPR;
    for (uint32_t i = 0; i < order.count && status == KAL_OK; i++) {
        KalExpr slope = KAL_NO_EXPR;
        if (is_moving_symbol(s, &order.steps[i]) && out_x->index == 0) {
            const KalExpr x = order.steps[i].node;
            status = kal_diff(s->g, d, x, &slope);
            if (status == KAL_OK && kal_graph_node(s->g, slope).op == KAL_OP_CONST
                && !kal_is_zero(s->g, slope)) {
                *out_x = x;
                *out_value = kal_sub(s->g, x, kal_div(s->g, d, slope));
            }
        }
    }
    kal_order_clear(&order);
    return status;
}

// What the difference of two branches is where the sides of a comparison are equal.
static KalStatus add_boundary(const Search *s, KalExpr difference, const KalStep *step)
{
    assert(is_relation((KalOp)step->op));
    const KalExprNode n = kal_graph_node(s->g, step->node);
    const KalExpr zero = kal_int(s->g, 0);
    const KalExpr d = kal_sub(s->g, n.arg[0], n.arg[1]);
    KalExpr x = KAL_NO_EXPR;
    KalExpr value = KAL_NO_EXPR;
    bool done = true;
    KAL_TRY(kal_graph_status(s->g));
    KAL_TRY(solve(s, d, &x, &value));
    if (x.index != 0) {
        const KalReplacements without = {&x, &zero, 1};
        KAL_TRY(kal_values_replace(s->g, &value, 1, &without, &done));
    }
    if (x.index != 0 && done) {
        const KalReplacements with = {&x, &value, 1};
        KAL_TRY(kal_values_replace(s->g, &difference, 1, &with, &done));
    }
    return add(s, difference);
}

// A part of a condition: a comparison, a number that is 0 or is not, or logic, whose own
// parts are marked.
static KalStatus add_part(const Search *s, KalExpr difference, const KalStep *part)
{
    if (is_relation((KalOp)part->op)) {
        return add_boundary(s, difference, part);
    }
    if (!is_logic((KalOp)part->op)) {
        return add(s, difference);
    }
    for (int a = 0; a < kal_op_arity((KalOp)part->op); a++) {
        s->marks[part->arg[a]] = true;
    }
    return KAL_OK;
}

// The comparisons that decide between the branches of step i, each on its own.
static KalStatus add_boundaries(const Search *s, uint32_t i)
{
    assert(i < s->order.count && s->order.steps[i].op == KAL_OP_SELECT);
    const KalStep *step = &s->order.steps[i];
    const KalExprNode n = kal_graph_node(s->g, step->node);
    const KalExpr difference = kal_sub(s->g, n.arg[1], n.arg[2]);
    KAL_TRY(kal_graph_status(s->g));
    memset(s->marks, 0, s->order.count * sizeof *s->marks);
    s->marks[step->arg[0]] = true;
    // Backward: parts of a condition come before it, and are marked when it is looked at.
    KalStatus status = KAL_OK;
    for (uint32_t k = step->arg[0] + 1; k-- > 0 && status == KAL_OK;) {
        if (s->marks[k] && s->moves[k]) {
            status = add_part(s, difference, &s->order.steps[k]);
        }
    }
    return status;
}

// Whether a step has a condition for a number.
static bool counts_conditions(const Search *s, const KalStep *step)
{
    bool counts = false;
    const int first = step->op == KAL_OP_SELECT ? 1 : 0;
    for (int k = first; k < kal_op_arity((KalOp)step->op); k++) {
        const KalOp op = (KalOp)s->order.steps[step->arg[k]].op;
        counts =
            counts || ((is_relation(op) || is_logic(op)) && s->moves[step->arg[k]]);
    }
    return counts && !is_logic((KalOp)step->op);
}

// Jumps as such, and the boundaries of every choice whose condition moves.
static KalStatus search(const Search *s)
{
    KalStatus status = KAL_OK;
    find_moving(s);
    for (uint32_t i = 0; i < s->order.count && status == KAL_OK; i++) {
        const KalStep *step = &s->order.steps[i];
        if (s->moves[i] && (is_jump((KalOp)step->op) || counts_conditions(s, step))) {
            status = add(s, kal_int(s->g, 1));
        }
        if (step->op == KAL_OP_SELECT && s->moves[step->arg[0]] && status == KAL_OK) {
            status = add_boundaries(s, i);
        }
    }
    return status;
}

KalStatus kal_jumps_list(const KalModel *model, KalExpr e, KalBlock *list)
{
    Search s = {.model = model, .g = model->graph, .ctx = model->ctx, .list = list};
    KAL_TRY(kal_order_init(s.g, &e, 1, &s.order));
    const size_t count = s.order.count;
    s.moves = kal_alloc(s.ctx, 2 * count + 1, sizeof *s.moves);
    s.marks = s.moves ? s.moves + count : NULL;
    const KalStatus status =
        s.moves ? search(&s) : kal_no_memory(s.ctx, "to look for jumps");
    kal_free(s.ctx, s.moves, (2 * count + 1) * sizeof *s.moves);
    kal_order_clear(&s.order);
    return status;
}
