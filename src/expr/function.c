// SPDX-License-Identifier: MIT

// Functions and conditions: symmetry, inverse pairs and exact values, theory (8.9).

#include "expr/graph_impl.h"

#include <assert.h>

static KalExpr cons_1(KalGraph *g, KalOp op, KalExpr a)
{
    return kal_cons(g, op, a, KAL_NO_EXPR, KAL_NO_EXPR);
}

static KalExpr cons_2(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    return kal_cons(g, op, a, b, KAL_NO_EXPR);
}

// Whether e is a number of twelfths of 2π, and which one, 0 to 11.
static bool find_twelfths(const KalGraph *g, KalExpr e, int *out_count)
{
    const KalTerm t = kal_split(g, e);
    if (t.rest.index == 0 || !kal_is_op(g, t.rest, KAL_OP_PI)) {
        return false;
    }
    const KalRational k = kal_rational_mul(t.k, kal_rational(6, 1));
    if (k.den != 1) {
        return false;
    }
    *out_count = (int)((k.num % 12 + 12) % 12);
    return true;
}

// Twice the sine of n twelfths of a turn where that is a whole number, else 9.
static int double_sine(int n)
{
    static const int8_t twice[12] = {0, 1, 9, 2, 9, 1, 0, -1, 9, -2, 9, -1};
    return twice[n];
}

// The exact value of sin or cos of a multiple of π/6, if it is rational.
static bool find_round_value(const KalGraph *g, KalOp op, KalExpr a, int *out_twice)
{
    int n;
    if ((op != KAL_OP_SIN && op != KAL_OP_COS) || !find_twelfths(g, a, &n)) {
        return false;
    }
    *out_twice = double_sine(op == KAL_OP_SIN ? n : (n + 3) % 12);
    return *out_twice != 9;
}

static bool is_odd(KalOp op)
{
    return op == KAL_OP_SIN || op == KAL_OP_TAN || op == KAL_OP_ASIN
           || op == KAL_OP_ATAN || op == KAL_OP_SINH || op == KAL_OP_TANH;
}

static bool is_even(KalOp op)
{
    return op == KAL_OP_COS || op == KAL_OP_COSH;
}

static KalExpr elementary(KalGraph *g, KalOp op, KalExpr a)
{
    KalExpr negative;
    int twice;
    if (find_round_value(g, op, a, &twice)) {
        return kal_number(g, kal_rational(twice, 2));
    }
    if (kal_is_int(g, a, 0) && (is_odd(op) || is_even(op) || op == KAL_OP_EXP)) {
        return kal_int(g, is_odd(op) ? 0 : 1);
    }
    if (kal_is_int(g, a, 1) && (op == KAL_OP_LOG || op == KAL_OP_ACOS)) {
        return kal_int(g, 0);
    }
    const KalExprNode inner = *kal_node(g, a);
    if ((op == KAL_OP_EXP && inner.op == KAL_OP_LOG)
        || (op == KAL_OP_LOG && inner.op == KAL_OP_EXP)) {
        return inner.arg[0];
    }
    if (is_even(op) && kal_find_negative(g, a, &negative)) {
        return cons_1(g, op, negative);
    }
    if (is_odd(op) && kal_find_negative(g, a, &negative)) {
        return kal_neg(g, cons_1(g, op, negative));
    }
    return cons_1(g, op, a);
}

static KalExpr sign(KalGraph *g, KalExpr a)
{
    const KalTerm t = kal_split(g, a);
    const int of_number = (t.k.value > 0.0) - (t.k.value < 0.0);
    KalExpr rest = t.rest;
    if (rest.index == 0) {
        return kal_int(g, of_number);
    }
    if (!kal_is_op(g, rest, KAL_OP_SIGN)) {
        rest = cons_1(g, KAL_OP_SIGN, rest);
    }
    return rest.index == 0 ? rest : kal_scale(g, kal_rational(of_number, 1), rest);
}

static KalExpr opposite(KalGraph *g, KalExpr a)
{
    const KalExprNode n = *kal_node(g, a);
    if (n.op == KAL_OP_CONST) {
        return kal_int(g, kal_is_zero(g, a) ? 1 : 0);
    }
    if (n.op == KAL_OP_EQ || n.op == KAL_OP_NE) {
        return cons_2(g, n.op == KAL_OP_EQ ? KAL_OP_NE : KAL_OP_EQ, n.arg[0], n.arg[1]);
    }
    if (n.op == KAL_OP_NOT && kal_is_condition(g, n.arg[0])) {
        return n.arg[0];
    }
    return cons_1(g, KAL_OP_NOT, a);
}

KalExpr kal_unary(KalGraph *g, KalOp op, KalExpr a)
{
    assert(kal_op_arity(op) == 1 && op != KAL_OP_POWI);
    if (a.index == 0 || g->plain) {
        return cons_1(g, op, a);
    }
    switch (op) {
    case KAL_OP_NEG: return kal_neg(g, a);
    case KAL_OP_SQRT: return kal_sqrt(g, a);
    case KAL_OP_ABS: return kal_absolute(g, a);
    case KAL_OP_SIGN: return sign(g, a);
    case KAL_OP_NOT: return opposite(g, a);
    default: return elementary(g, op, a);
    }
}

KalExpr kal_sin(KalGraph *g, KalExpr a)
{
    return kal_unary(g, KAL_OP_SIN, a);
}

KalExpr kal_cos(KalGraph *g, KalExpr a)
{
    return kal_unary(g, KAL_OP_COS, a);
}

static bool both_numbers(const KalGraph *g, KalExpr a, KalExpr b)
{
    return kal_is_op(g, a, KAL_OP_CONST) && kal_is_op(g, b, KAL_OP_CONST);
}

static int compare(const KalGraph *g, KalExpr a, KalExpr b)
{
    return kal_rational_compare(kal_graph_number(g, a), kal_graph_number(g, b));
}

static bool relation_holds(KalOp op, int order)
{
    return op == KAL_OP_LT   ? order < 0
           : op == KAL_OP_LE ? order <= 0
           : op == KAL_OP_EQ ? order == 0
                             : order != 0;
}

static KalExpr relation(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    if (kal_same(a, b)) {
        return kal_int(g, relation_holds(op, 0));
    }
    if (both_numbers(g, a, b)) {
        return kal_int(g, relation_holds(op, compare(g, a, b)));
    }
    return cons_2(g, op, a, b);
}

static KalExpr logic(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    const bool deciding = op == KAL_OP_OR; // the value of one operand that decides
    for (int i = 0; i < 2; i++) {
        const KalExpr x = i == 0 ? a : b;
        const KalExpr y = i == 0 ? b : a;
        if (kal_is_op(g, x, KAL_OP_CONST)) {
            const bool holds = !kal_is_zero(g, x);
            if (holds == deciding) {
                return kal_int(g, holds);
            }
            if (kal_is_condition(g, y)) {
                return y;
            }
        }
    }
    return kal_same(a, b) && kal_is_condition(g, a) ? a : cons_2(g, op, a, b);
}

static KalExpr extreme(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    if (kal_same(a, b)) {
        return a;
    }
    if (both_numbers(g, a, b)) {
        const int order = compare(g, a, b);
        const bool first = order == 0 ? a.index < b.index : order < 0;
        return first == (op == KAL_OP_MIN) ? a : b;
    }
    return cons_2(g, op, a, b);
}

static KalExpr length(KalGraph *g, KalExpr a, KalExpr b)
{
    KalExpr negative;
    if (kal_is_int(g, a, 0) || kal_is_int(g, b, 0)) {
        return kal_absolute(g, kal_is_int(g, a, 0) ? b : a);
    }
    if (kal_find_negative(g, a, &negative)) {
        a = negative;
    }
    if (kal_find_negative(g, b, &negative)) {
        b = negative;
    }
    return cons_2(g, KAL_OP_HYPOT, a, b);
}

KalExpr kal_binary(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(kal_op_arity(op) == 2);
    if (a.index == 0 || b.index == 0) {
        return KAL_NO_EXPR;
    }
    if (g->plain && op != KAL_OP_DIV) {
        return cons_2(g, op, a, b);
    }
    switch (op) {
    case KAL_OP_ADD: return kal_add(g, a, b);
    case KAL_OP_SUB: return kal_sub(g, a, b);
    case KAL_OP_MUL: return kal_mul(g, a, b);
    case KAL_OP_DIV: return kal_div(g, a, b);
    case KAL_OP_POW: return kal_pow(g, a, b);
    case KAL_OP_MIN:
    case KAL_OP_MAX: return extreme(g, op, a, b);
    case KAL_OP_HYPOT: return length(g, a, b);
    case KAL_OP_AND:
    case KAL_OP_OR: return logic(g, op, a, b);
    case KAL_OP_ATAN2: return cons_2(g, op, a, b);
    case KAL_OP_WHERE: return kal_is_zero(g, a) ? a : cons_2(g, op, a, b);
    default: return relation(g, op, a, b);
    }
}

KalExpr kal_select(KalGraph *g, KalExpr condition, KalExpr a, KalExpr b)
{
    if (condition.index == 0 || a.index == 0 || b.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_SELECT, condition, a, b);
    }
    if (kal_is_op(g, condition, KAL_OP_CONST)) {
        return kal_is_zero(g, condition) ? b : a;
    }
    if (kal_same(a, b)) {
        return a;
    }
    if (kal_is_op(g, condition, KAL_OP_NOT)) {
        return kal_cons(g, KAL_OP_SELECT, kal_node(g, condition)->arg[0], b, a);
    }
    return kal_cons(g, KAL_OP_SELECT, condition, a, b);
}

KalExpr kal_build(KalGraph *g, KalOp op, const KalExpr arg[3])
{
    switch (kal_op_arity(op)) {
    case 1:
        return op == KAL_OP_POWI ? kal_powi(g, arg[0], (int32_t)arg[1].index)
                                 : kal_unary(g, op, arg[0]);
    case 2: return kal_binary(g, op, arg[0], arg[1]);
    case 3: return kal_select(g, arg[0], arg[1], arg[2]);
    default: break;
    }
    assert(false && "a leaf is not built from operands");
    return KAL_NO_EXPR;
}
