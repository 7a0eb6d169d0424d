// SPDX-License-Identifier: MIT

// Automatic differentiation of graphs, with graphs as results: the forward mode carries
// rates from the symbols up, theory (9.1), the reverse mode adjoints from the root down,
// theory (9.2).  Both visit every node once and have one chain rule, kal_carry().
//
// Derivatives that are zero are not built: KAL_NO_EXPR stands for them on the way, so
// that what is constant costs nothing, and only results become nodes.  The reverse mode
// costs a small multiple of the formula for the derivatives by all symbols at once, the
// forward mode for those of all formulas along one direction (Griewank and Walther,
// Evaluating Derivatives, chapter 3).

#include "expr/diff.h"

#include "expr/diff_impl.h"
#include "expr/graph_impl.h"
#include "expr/switch.h"

#include <assert.h>

// 1 + k e², k = ±1.
static KalExpr one_and_square(KalGraph *g, int k, KalExpr e)
{
    assert(k == 1 || k == -1);
    const KalExpr one = kal_int(g, 1);
    const KalExpr square = kal_powi(g, e, 2);
    return k > 0 ? kal_add(g, one, square) : kal_sub(g, one, square);
}

// s × (b a^(b−1)) or s × (a^b log a): theory (9.4).
static KalExpr carry_power(KalGraph *g, KalExpr f, const KalExprNode *n, int k,
                           KalExpr s)
{
    assert(n->op == KAL_OP_POW && (k == 0 || k == 1));
    const KalExpr a = n->arg[0];
    const KalExpr b = n->arg[1];
    if (k == 1) {
        return kal_mul(g, kal_mul(g, f, kal_unary(g, KAL_OP_LOG, a)), s);
    }
    const KalExpr less = kal_pow(g, a, kal_sub(g, b, kal_int(g, 1)));
    return kal_mul(g, kal_mul(g, b, less), s);
}

// s × x/(x² + y²) or s × −y/(x² + y²), where f = atan2(y, x): theory (9.7).
static KalExpr carry_angle(KalGraph *g, const KalExprNode *n, int k, KalExpr s)
{
    assert(n->op == KAL_OP_ATAN2 && (k == 0 || k == 1));
    const KalExpr y = n->arg[0];
    const KalExpr x = n->arg[1];
    const KalExpr square = kal_add(g, kal_powi(g, x, 2), kal_powi(g, y, 2));
    return kal_div(g, kal_mul(g, s, k == 0 ? x : kal_neg(g, y)), square);
}

// s where the choice falls on operand k, else 0.
static KalExpr carry_choice(KalGraph *g, KalExpr condition, bool first, KalExpr s)
{
    const KalExpr zero = kal_int(g, 0);
    return kal_select(g, condition, first ? s : zero, first ? zero : s);
}

// Whether min or max takes its first operand.
static KalExpr takes_first(KalGraph *g, const KalExprNode *n)
{
    assert(n->op == KAL_OP_MIN || n->op == KAL_OP_MAX);
    const bool least = n->op == KAL_OP_MIN;
    return kal_binary(g, KAL_OP_LE, n->arg[least ? 0 : 1], n->arg[least ? 1 : 0]);
}

// s × (n a^(n−1)): theory (9.4).
static KalExpr carry_whole_power(KalGraph *g, const KalExprNode *n, KalExpr s)
{
    assert(n->op == KAL_OP_POWI);
    const int32_t power = kal_node_exponent(n);
    const KalExpr less = kal_powi(g, n->arg[0], power - 1);
    return kal_mul(g, kal_mul(g, kal_int(g, power), less), s);
}

// s / √(1 − a²), the slope of the inverse sine.
static KalExpr carry_arc(KalGraph *g, KalExpr a, KalExpr s)
{
    return kal_div(g, s, kal_sqrt(g, one_and_square(g, -1, a)));
}

// s × 2/√π e^(−a²), the slope of the error function.
static KalExpr carry_error(KalGraph *g, KalExpr a, KalExpr s)
{
    const KalExpr factor = kal_div(g, kal_int(g, 2), kal_sqrt(g, kal_pi(g)));
    const KalExpr bell = kal_unary(g, KAL_OP_EXP, kal_neg(g, kal_powi(g, a, 2)));
    return kal_mul(g, kal_mul(g, factor, bell), s);
}

// s, or s × −⌊a/b⌋.
static KalExpr carry_rest(KalGraph *g, const KalExprNode *n, int k, KalExpr s)
{
    assert(n->op == KAL_OP_MOD && (k == 0 || k == 1));
    if (k == 0) {
        return s;
    }
    const KalExpr ratio = kal_mod_ratio(g, n->arg[0], n->arg[1]);
    return kal_neg(g, kal_mul(g, kal_unary(g, KAL_OP_FLOOR, ratio), s));
}

// s × the next derivative of the table; the fourth is zero.
static KalExpr carry_spline(KalGraph *g, const KalExprNode *n, KalExpr s)
{
    const KalSplineFunction *f = kal_node_spline(n);
    assert(f->kind <= KAL_SPLINE_THIRD); // levels are not differentiated
    if (f->kind == KAL_SPLINE_THIRD) {
        return KAL_NO_EXPR;
    }
    const KalSplineFunctionKind next = (KalSplineFunctionKind)((int)f->kind + 1);
    return kal_mul(g, kal_spline(g, f->spline, next, n->arg[0]), s);
}

// The chain rule at one node: theory (9.3), (9.4), (9.6), (9.7).
KalExpr kal_carry(KalGraph *g, KalExpr f, int k, KalExpr s)
{
    const KalExprNode n = *kal_node(g, f); // a copy: building moves the table
    assert(k >= 0 && k < kal_op_arity((KalOp)n.op));
    const KalExpr a = n.arg[0];
    const KalExpr b = n.arg[1];
    switch ((KalOp)n.op) {
    case KAL_OP_ADD: return s;
    case KAL_OP_SUB: return k == 0 ? s : kal_neg(g, s);
    case KAL_OP_NEG: return kal_neg(g, s);
    case KAL_OP_MUL: return kal_mul(g, n.arg[1 - k], s);
    case KAL_OP_DIV:
        return k == 0 ? kal_div(g, s, b) : kal_neg(g, kal_div(g, kal_mul(g, f, s), b));
    case KAL_OP_POWI: return carry_whole_power(g, &n, s);
    case KAL_OP_POW: return carry_power(g, f, &n, k, s);
    case KAL_OP_SQRT: return kal_div(g, s, kal_mul(g, kal_int(g, 2), f));
    case KAL_OP_SIN: return kal_mul(g, kal_cos(g, a), s);
    case KAL_OP_COS: return kal_neg(g, kal_mul(g, kal_sin(g, a), s));
    case KAL_OP_TAN: return kal_mul(g, one_and_square(g, 1, f), s);
    case KAL_OP_ASIN: return carry_arc(g, a, s);
    case KAL_OP_ACOS: return kal_neg(g, carry_arc(g, a, s));
    case KAL_OP_ATAN: return kal_div(g, s, one_and_square(g, 1, a));
    case KAL_OP_ATAN2: return carry_angle(g, &n, k, s);
    case KAL_OP_SINH: return kal_mul(g, kal_unary(g, KAL_OP_COSH, a), s);
    case KAL_OP_COSH: return kal_mul(g, kal_unary(g, KAL_OP_SINH, a), s);
    case KAL_OP_TANH: return kal_mul(g, one_and_square(g, -1, f), s);
    case KAL_OP_EXP: return kal_mul(g, f, s);
    case KAL_OP_LOG: return kal_div(g, s, a);
    case KAL_OP_ERF: return carry_error(g, a, s);
    case KAL_OP_MOD: return carry_rest(g, &n, k, s);
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP: return carry_spline(g, &n, s);
    case KAL_OP_ABS: return kal_mul(g, kal_unary(g, KAL_OP_SIGN, a), s);
    case KAL_OP_HYPOT: return kal_div(g, kal_mul(g, n.arg[k], s), f);
    case KAL_OP_MIN:
    case KAL_OP_MAX: return carry_choice(g, takes_first(g, &n), k == 0, s);
    case KAL_OP_WHERE: return k == 0 ? kal_binary(g, KAL_OP_WHERE, s, b) : KAL_NO_EXPR;
    case KAL_OP_SELECT: return k == 0 ? KAL_NO_EXPR : carry_choice(g, a, k == 1, s);
    case KAL_OP_SIGN: // constant on each piece
    case KAL_OP_FLOOR:
    case KAL_OP_CEIL:
    case KAL_OP_LT:
    case KAL_OP_LE:
    case KAL_OP_EQ:
    case KAL_OP_NE:
    case KAL_OP_AND:
    case KAL_OP_OR:
    case KAL_OP_NOT:
    case KAL_OP_CONST: // no operands
    case KAL_OP_SYMBOL:
    case KAL_OP_PI:
    case KAL_OP_COUNT: break;
    }
    return KAL_NO_EXPR;
}

// Zeros are left out while derivatives are carried: most are.
static KalExpr nothing_if_zero(const KalGraph *g, KalExpr e)
{
    return kal_is_zero(g, e) ? KAL_NO_EXPR : e;
}

KalExpr kal_accumulate(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index == 0 || b.index == 0) {
        return a.index == 0 ? b : a;
    }
    return nothing_if_zero(g, kal_add(g, a, b));
}

// Both branches at once: if(c, a, b)' = if(c, a', b').
static KalExpr forward_choice(KalGraph *g, const KalStep *step, const KalExpr *d)
{
    const KalExprNode n = *kal_node(g, step->node);
    const int first = n.op == KAL_OP_SELECT ? 1 : 0;
    assert(first == 1 || n.op == KAL_OP_MIN || n.op == KAL_OP_MAX);
    const KalExpr a = d[step->arg[first]];
    const KalExpr b = d[step->arg[first + 1]];
    if (a.index == 0 && b.index == 0) {
        return KAL_NO_EXPR;
    }
    const KalExpr zero = kal_int(g, 0);
    const KalExpr condition = first == 1 ? n.arg[0] : takes_first(g, &n);
    return kal_select(g, condition, a.index ? a : zero, b.index ? b : zero);
}

// The rate of a step from those of its operands, by the chain rule; zeros are nodes that
// nobody makes.
KalExpr kal_forward(KalGraph *g, const KalStep *step, const KalExpr *d)
{
    const KalOp op = (KalOp)step->op;
    if (op == KAL_OP_SELECT || op == KAL_OP_MIN || op == KAL_OP_MAX) {
        return forward_choice(g, step, d);
    }
    KalExpr sum = KAL_NO_EXPR;
    for (int k = 0; k < kal_op_arity(op); k++) {
        const KalExpr inner = d[step->arg[k]];
        if (inner.index != 0) {
            const KalExpr part = kal_carry(g, step->node, k, inner);
            sum = kal_accumulate(g, sum, nothing_if_zero(g, part));
        }
    }
    return sum;
}

// Forward accumulation, theory (9.1): one pass meets every node after its operands.
static KalStatus run_forward(KalGraph *g, const KalOrder *order, const KalRates *rates,
                             const KalSeeds *seeds, KalExpr *d)
{
    assert(d && rates);
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        if (step->op == KAL_OP_SYMBOL) {
            const int64_t place = kal_seeds_find(seeds, step->node);
            d[i] = place < 0 ? KAL_NO_EXPR : nothing_if_zero(g, rates->rates[place]);
        } else {
            d[i] = kal_forward(g, step, d);
        }
    }
    return kal_graph_status(g);
}

// Zero becomes a node.
static KalStatus give_out(KalGraph *g, KalExpr *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        d[i] = d[i].index == 0 ? kal_int(g, 0) : d[i];
    }
    return kal_graph_status(g);
}

// The derivatives of all roots along the rates.
static KalStatus total_in_order(KalGraph *g, const KalOrder *order,
                                const KalRates *rates, const KalSeeds *seeds,
                                KalExpr *out_de)
{
    assert(out_de || order->n_roots == 0);
    const size_t count = (size_t)order->count + 1;
    KalExpr *d = kal_alloc(g->ctx, count, sizeof *d);
    if (!d) {
        return kal_no_memory(g->ctx, "to differentiate");
    }
    KalStatus status = run_forward(g, order, rates, seeds, d);
    if (status == KAL_OK) {
        status = give_out(g, d, count);
    }
    for (size_t r = 0; r < order->n_roots && status == KAL_OK; r++) {
        out_de[r] = d[order->roots[r]];
    }
    kal_free(g->ctx, d, count * sizeof *d);
    return status;
}

KalStatus kal_total(KalGraph *g, const KalExpr *e, size_t n, const KalRates *rates,
                    KalExpr *out_de)
{
    assert(rates->n == 0 || (rates->symbols && rates->rates));
    KalOrder order = {0};
    KalSeeds seeds = {0};
    KAL_TRY(kal_order_init(g, e, n, &order));
    KalStatus status = kal_seeds_init(g->ctx, rates->symbols, rates->n, &seeds);
    if (status == KAL_OK) {
        status = total_in_order(g, &order, rates, &seeds, out_de);
        kal_seeds_clear(&seeds);
    }
    kal_order_clear(&order);
    return status;
}

KalStatus kal_diff(KalGraph *g, KalExpr f, KalExpr x, KalExpr *out_df)
{
    const KalExpr one = kal_int(g, 1);
    const KalRates rates = {&x, &one, 1};
    return kal_total(g, &f, 1, &rates, out_df);
}

// Reverse accumulation, theory (9.2): from the root down, each node passes its
// derivative on to those of its operands that lead to a seed.
KalStatus kal_reverse(KalGraph *g, const KalOrder *order, const KalSeeds *seeds,
                      KalExpr *d)
{
    bool *leads = kal_alloc(g->ctx, order->count, sizeof *leads);
    if (!leads) {
        return kal_no_memory(g->ctx, "to differentiate");
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        leads[i] = step->op == KAL_OP_SYMBOL && kal_seeds_find(seeds, step->node) >= 0;
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            leads[i] = leads[i] || leads[step->arg[k]];
        }
    }
    assert(order->n_roots == 1 && order->roots[0] < order->count);
    d[order->roots[0]] = kal_int(g, 1);
    for (uint32_t i = order->count; i-- > 0;) {
        const KalStep *step = &order->steps[i];
        const int arity = d[i].index == 0 ? 0 : kal_op_arity((KalOp)step->op);
        for (int k = 0; k < arity; k++) {
            const uint32_t to = step->arg[k];
            if (leads[to]) {
                const KalExpr part = kal_carry(g, step->node, k, d[i]);
                d[to] = kal_accumulate(g, d[to], nothing_if_zero(g, part));
            }
        }
    }
    kal_free(g->ctx, leads, order->count * sizeof *leads);
    return kal_graph_status(g);
}

// The derivatives of one root by all seeds; symbols that do not occur have 0.
static KalStatus gradient_in_order(KalGraph *g, const KalOrder *order,
                                   const KalSeeds *seeds, KalExpr *out_df)
{
    KalExpr *d = kal_alloc(g->ctx, order->count, sizeof *d);
    if (!d) {
        return kal_no_memory(g->ctx, "to differentiate");
    }
    const KalExpr zero = kal_int(g, 0);
    const KalStatus status = kal_reverse(g, order, seeds, d);
    for (size_t i = 0; i < seeds->n && status == KAL_OK; i++) {
        out_df[i] = zero;
    }
    for (uint32_t i = 0; i < order->count && status == KAL_OK; i++) {
        const KalStep *step = &order->steps[i];
        const int64_t place =
            step->op == KAL_OP_SYMBOL ? kal_seeds_find(seeds, step->node) : -1;
        if (place >= 0 && d[i].index != 0) {
            out_df[place] = d[i];
        }
    }
    kal_free(g->ctx, d, order->count * sizeof *d);
    return status;
}

KalStatus kal_gradient(KalGraph *g, KalExpr f, const KalExpr *x, size_t n,
                       KalExpr *out_df)
{
    assert(n == 0 || (x && out_df));
    KalOrder order = {0};
    KalSeeds seeds = {0};
    KAL_TRY(kal_order_init(g, &f, 1, &order));
    KalStatus status = kal_seeds_init(g->ctx, x, n, &seeds);
    if (status == KAL_OK) {
        status = gradient_in_order(g, &order, &seeds, out_df);
        kal_seeds_clear(&seeds);
    }
    kal_order_clear(&order);
    return status;
}
