// SPDX-License-Identifier: MIT

// Time derivatives, and where nodes come from.

#include "expr/order.h"
#include "expr/switch.h"
#include "model/build_impl.h"

#include <assert.h>

static const unsigned NO_RATE = KAL_MARK(ACCELERATION) | KAL_MARK(REACTION)
                                | KAL_MARK(COORDINATE_FORCE) | KAL_MARK(CONTROL)
                                | KAL_MARK(ENERGY) | KAL_MARK(PROMISE);

// The derivative of a symbol that has one; KAL_NO_EXPR for other formulas.
static KalExpr symbol_rate(const KalBuild *b, KalExpr e)
{
    const KalExprNode node = kal_graph_node(b->graph, e);
    return node.op == KAL_OP_SYMBOL ? kal_model_symbol_rate(b->model, node.arg[0].index)
                                    : KAL_NO_EXPR;
}

// The derivative of a formula, remembered.
static KalExpr find_rate(KalBuild *b, KalExpr e, KalSpan span)
{
    assert(e.index != 0);
    uint64_t found;
    KalExpr rate = symbol_rate(b, e);
    if (rate.index != 0) {
        return rate;
    }
    if (kal_map_find(&b->formulas.rates, e.index, &found)) {
        return (KalExpr){(uint32_t)found};
    }
    KalOrder order = {.ctx = NULL};
    if (!kal_build_check(b, kal_order_init(b->graph, &e, 1, &order))) {
        return KAL_NO_EXPR;
    }
    const size_t size = order.count;
    kal_order_clear(&order);
    const uint32_t before = kal_graph_count(b->graph);
    if (!kal_build_step(b, span, size)) {
        return KAL_NO_EXPR;
    }
    if (kal_model_rate(b->model, &e, 1, &rate) != KAL_OK) {
        return KAL_NO_EXPR;
    }
    kal_build_origin(b, before, span);
    kal_build_check(b, kal_map_set(b->ctx, &b->formulas.rates, e.index, rate.index));
    return rate;
}

// The marks that the derivative can have.
static unsigned rate_marks(unsigned marks)
{
    static_assert(KAL_MARK(COORDINATE) << 1 == KAL_MARK(VELOCITY)
                      && KAL_MARK(VELOCITY) << 1 == KAL_MARK(ACCELERATION),
                  "positions, velocities and accelerations follow each other");
    const unsigned moving = marks & (KAL_MARK(COORDINATE) | KAL_MARK(VELOCITY));
    return marks | moving << 1
           | ((marks & KAL_MARK(STATE)) != 0 ? KAL_MARK(PROMISE) : 0U);
}

// The derivative of one number, with the marks that it really has where that shows.
static KalValue rate_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    (void)c;
    if ((a.marks & NO_RATE & ~KAL_MARK(ACCELERATION)) != 0) {
        return kal_build_bad(
            b, node->span,
            "reactions, constraint forces, inputs, derivatives of states and energy() "
            "have no derivative");
    }
    if ((a.marks & NO_RATE) != 0) {
        return kal_build_bad(
            b, node->span,
            "derivatives go to the second, but this has a third one of "
            "a coordinate");
    }
    const KalExpr e = find_rate(b, a.of.expr, node->span);
    if (b->status != KAL_OK) {
        return KAL_BAD_VALUE;
    }
    unsigned marks = rate_marks(a.marks);
    const KalExprNode kind =
        e.index == 0 ? (KalExprNode){.op = KAL_OP_CONST} : kal_graph_node(b->graph, e);
    if (kind.op == KAL_OP_SYMBOL) {
        marks = 1U << b->model->symbols[kind.arg[0].index].kind;
    } else if (kind.op == KAL_OP_CONST) {
        marks = 0;
    }
    return kal_build_scalar_of(b, e, marks,
                               kal_build_unit_over(b, a.unit, KAL_UNIT_TIME), node);
}

KalValue kal_build_rate(KalBuild *b, KalValue value, const KalNode *node)
{
    return kal_build_each(b, rate_scalar, value, (KalValue){.kind = KAL_VALUE_NONE},
                          node);
}

// Whether messages may be about a node: it can have no value, or is made of pieces.
static bool is_mentioned(KalExprNode node)
{
    const KalOp op = (KalOp)node.op;
    switch (kal_op_domain(op)) {
    case KAL_DOMAIN_GROWING:
    case KAL_DOMAIN_NONNEGATIVE:
    case KAL_DOMAIN_POSITIVE:
    case KAL_DOMAIN_UNIT:
    case KAL_DOMAIN_DIVISOR: return true;
    case KAL_DOMAIN_POWER: return op == KAL_OP_POW || (int32_t)node.arg[1].index < 0;
    case KAL_DOMAIN_EVERYWHERE: break;
    }
    return kal_op_switches(op) || kal_op_is_spline(op);
}

void kal_build_origin(KalBuild *b, uint32_t before, KalSpan span)
{
    const uint32_t after = kal_graph_count(b->graph);
    assert(before <= after);
    for (uint32_t i = before; i < after; i++) {
        const KalExpr node = {i};
        if (is_mentioned(kal_graph_node(b->graph, node))) {
            kal_build_check(
                b, kal_model_add_origin(b->model,
                                        (KalOrigin){node, kal_build_shown(b, span)}));
        }
    }
}
