// SPDX-License-Identifier: MIT

// Topological order by depth-first search with a stack of its own: a node is listed when all
// of its operands are (Knuth, The Art of Computer Programming 1, 2.2.3).  Formulas may be as
// deep as memory allows; nothing here recurses.

#include "expr/order.h"

#include "expr/graph_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_STEPS = 64,
    FEW = 8 // one node in so many is few
};

// A node on the way down, and how many of its operands were visited.
typedef struct Visit {
    KalExpr e;
    uint32_t done;
} Visit;

typedef struct Walk {
    KalGraph *g;
    KalOrder *order;
    Visit *stack;
    uint32_t depth;
    size_t capacity;
} Walk;

// Marks need no clearing: one counts only where the order has the node at the position that it
// says.
static bool have_marks(KalGraph *g)
{
    assert(!g->frozen);
    if (g->mark_capacity < g->table.count) {
        const size_t old_size = g->mark_capacity * sizeof *g->marks;
        const size_t new_size = g->capacity * sizeof *g->marks;
        uint32_t *marks = kal_resize(g->ctx, g->marks, old_size, new_size);
        if (!marks) {
            return false;
        }
        memset(marks + g->mark_capacity, 0, new_size - old_size);
        g->marks = marks;
        g->mark_capacity = g->capacity;
    }
    return true;
}

// Marks that a walk had use of for a good part of the nodes are given back: making them anew
// takes less time than the walk.
static void leave_marks(KalGraph *g, const KalOrder *order)
{
    if (g->mark_capacity / FEW > order->count) {
        return;
    }
    kal_graph_forget_marks(g);
}

static bool is_marked(const Walk *w, KalExpr e)
{
    assert(e.index != 0 && e.index < w->g->table.count);
    const uint32_t at = w->g->marks[e.index];
    return at < w->order->count && w->order->steps[at].node.index == e.index;
}

static uint32_t position_of(const Walk *w, KalExpr e)
{
    assert(is_marked(w, e));
    return w->g->marks[e.index];
}

// One level down.
static bool enter(Walk *w, KalExpr e)
{
    assert(e.index != 0);
    if (w->depth == w->capacity) {
        Visit *stack = kal_grow(w->g->ctx, w->stack, sizeof *stack,
                                w->depth + FIRST_STEPS, &w->capacity);
        if (!stack) {
            return false;
        }
        w->stack = stack;
    }
    w->stack[w->depth++] = (Visit){e, 0};
    return true;
}

// All operands have their positions by now.
static bool add_step(Walk *w, KalExpr e)
{
    KalOrder *o = w->order;
    if (o->count == o->capacity) {
        KalStep *steps = kal_grow(o->ctx, o->steps, sizeof *steps,
                                  o->count + FIRST_STEPS, &o->capacity);
        if (!steps) {
            return false;
        }
        o->steps = steps;
    }
    const KalExprNode *n = kal_node(w->g, e);
    const int arity = kal_op_arity((KalOp)n->op);
    KalStep *step = &o->steps[o->count];
    *step = (KalStep){
        e, n->op, {n->arg[0].index, n->arg[1].index, n->arg[2].index}
    };
    for (int k = 0; k < arity; k++) {
        step->arg[k] = position_of(w, n->arg[k]);
    }
    assert(arity < 1 || step->arg[0] < o->count);
    w->g->marks[e.index] = o->count;
    o->count++;
    return true;
}

// Visit what is below e, in post order.  What is on the stack is not marked yet.
static bool visit(Walk *w, KalExpr e)
{
    bool fits = is_marked(w, e) || enter(w, e);
    while (fits && w->depth > 0) {
        Visit *top = &w->stack[w->depth - 1];
        const KalExprNode *n = kal_node(w->g, top->e);
        const uint32_t arity = (uint32_t)kal_op_arity((KalOp)n->op);
        while (top->done < arity && is_marked(w, n->arg[top->done])) {
            top->done++;
        }
        if (top->done < arity) {
            fits = enter(w, n->arg[top->done++]);
        } else {
            fits = add_step(w, top->e);
            w->depth--;
        }
    }
    return fits;
}

// All roots, one after the other; what several share is listed once.
static bool fill(KalGraph *g, const KalExpr *roots, KalOrder *order)
{
    Walk w = {.g = g, .order = order};
    bool fits = have_marks(g);
    for (size_t i = 0; i < order->n_roots && fits; i++) {
        assert(roots[i].index != 0 && roots[i].index < g->table.count);
        fits = visit(&w, roots[i]);
        order->roots[i] = fits ? position_of(&w, roots[i]) : 0;
    }
    leave_marks(g, order);
    kal_free(g->ctx, w.stack, w.capacity * sizeof *w.stack);
    return fits;
}

KalStatus kal_order_init(KalGraph *g, const KalExpr *roots, size_t n_roots,
                         KalOrder *out_order)
{
    assert(g && out_order && (roots || n_roots == 0));
    KAL_TRY(kal_graph_status(g));
    KalOrder order = {.ctx = g->ctx, .n_roots = n_roots};
    order.roots = kal_alloc(g->ctx, n_roots, sizeof *order.roots);
    if ((n_roots > 0 && !order.roots) || !fill(g, roots, &order)) {
        kal_order_clear(&order);
        return kal_no_memory(g->ctx, "to walk through formulas");
    }
    *out_order = order;
    return KAL_OK;
}

void kal_order_clear(KalOrder *order)
{
    if (order->ctx) {
        kal_free(order->ctx, order->steps, order->capacity * sizeof *order->steps);
        kal_free(order->ctx, order->roots, order->n_roots * sizeof *order->roots);
    }
    *order = (KalOrder){0};
}

KalStatus kal_order_visit(KalGraph *g, const KalExpr *roots, size_t n_roots,
                          KalStatus (*look)(void *user, const KalOrder *order),
                          void *user)
{
    KalOrder order = {.ctx = NULL};
    KAL_TRY(kal_order_init(g, roots, n_roots, &order));
    const KalStatus status = look(user, &order);
    kal_order_clear(&order);
    return status;
}

// Multiplications of a^n by repeated squaring.  For n = 13 = 1101 in binary three
// squares and two products.
static size_t power_products(int32_t n)
{
    size_t count = 0;
    for (uint32_t left = (uint32_t)(n < 0 ? -(int64_t)n : n); left > 1; left >>= 1) {
        count += 1 + (left & 1U);
    }
    return count;
}

KalOperations kal_order_operations(const KalOrder *order)
{
    KalOperations total = {0};
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        const KalOp op = (KalOp)step->op;
        if (op == KAL_OP_POWI) {
            const int32_t n = (int32_t)step->arg[1];
            total.products += power_products(n);
            total.quotients += n < 0;
        } else if (op == KAL_OP_DIV) {
            total.quotients++;
        } else if (kal_op_is_piecewise(op) || op == KAL_OP_WHERE) {
            total.choices++;
        } else {
            total.sums += kal_op_kind(op) == KAL_KIND_SUM;
            total.products += kal_op_kind(op) == KAL_KIND_PRODUCT;
            total.functions +=
                kal_op_kind(op) == KAL_KIND_CALL || kal_op_kind(op) == KAL_KIND_POWER;
        }
    }
    return total;
}

// By number.
static int compare_ids(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t kal_order_symbols(const KalOrder *order, uint32_t *out_ids)
{
    assert(out_ids || order->count == 0);
    size_t n = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        if (order->steps[i].op == KAL_OP_SYMBOL) {
            out_ids[n++] = order->steps[i].arg[0];
        }
    }
    qsort(out_ids, n, sizeof *out_ids, compare_ids);
    return n;
}

// A formula has the classes of all symbols in it, as bits.
KalStatus kal_order_classes(const KalOrder *order, const uint64_t *classes,
                            uint64_t *out_classes)
{
    assert(classes && (out_classes || order->n_roots == 0));
    uint64_t *of = kal_alloc(order->ctx, order->count, sizeof *of);
    if (order->count > 0 && !of) {
        return kal_no_memory(order->ctx, "to classify formulas");
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        if (step->op == KAL_OP_SYMBOL) {
            of[i] = classes[step->arg[0]];
        }
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            of[i] |= of[step->arg[k]];
        }
    }
    for (size_t r = 0; r < order->n_roots; r++) {
        out_classes[r] = of[order->roots[r]];
    }
    kal_free(order->ctx, of, order->count * sizeof *of);
    return KAL_OK;
}

KalStatus kal_depends_on(KalGraph *g, KalExpr e, KalExpr x, bool *out_depends)
{
    assert(x.index != 0 && out_depends);
    KalOrder order = {0};
    KAL_TRY(kal_order_init(g, &e, 1, &order));
    *out_depends = false;
    for (uint32_t i = 0; i < order.count; i++) {
        *out_depends = *out_depends || order.steps[i].node.index == x.index;
    }
    kal_order_clear(&order);
    return KAL_OK;
}
