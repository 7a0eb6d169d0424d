// SPDX-License-Identifier: MIT

// Functions and conditions: symmetry, inverse pairs and exact values, theory (8.9).
//
// Every rule looks at one node and its operands, so that building is quick however large a
// formula is; a rule holds wherever both sides have a value.

#include "expr/eval.h"
#include "expr/graph_impl.h"

#include <assert.h>
#include <math.h>

static KalExpr cons_1(KalGraph *g, KalOp op, KalExpr a)
{
    assert(kal_op_arity(op) == 1);
    return kal_cons(g, op, a, KAL_NO_EXPR, KAL_NO_EXPR);
}

static KalExpr cons_2(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(kal_op_arity(op) == 2);
    return kal_cons(g, op, a, b, KAL_NO_EXPR);
}

// Whether e is a number of twelfths of 2π, and which one, 0 to 11.
static bool find_twelfths(const KalGraph *g, KalExpr e, int *out_count)
{
    assert(e.index != 0);
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
    assert(n >= 0 && n < 12);
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

// Values at 0 and 1 that are whole numbers; odd functions are 0 at 0 anyway.
static bool find_whole_value(const KalGraph *g, KalOp op, KalExpr a, int *out_value)
{
    static const struct {
        KalOp op;
        int at;
        int value;
    } known[] = {
        {KAL_OP_COS,  0, 1},
        {KAL_OP_COSH, 0, 1},
        {KAL_OP_EXP,  0, 1},
        {KAL_OP_LOG,  1, 0},
        {KAL_OP_ACOS, 1, 0},
    };

    if (kal_op_parity(op) == KAL_PARITY_ODD && kal_is_int(g, a, 0)) {
        *out_value = 0;
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].op == op && kal_is_int(g, a, known[i].at)) {
            *out_value = known[i].value;
            return true;
        }
    }
    return false;
}

// Exact values first, then inverse pairs, then parity: f(−u) becomes ±f(u) where −u is the
// simpler argument.
static KalExpr elementary(KalGraph *g, KalOp op, KalExpr a)
{
    assert(a.index != 0 && kal_op_kind(op) == KAL_KIND_CALL);
    const KalParity parity = kal_op_parity(op);
    KalExpr negative;
    int value;
    if (find_round_value(g, op, a, &value)) {
        return kal_number(g, kal_rational(value, 2));
    }
    if (find_whole_value(g, op, a, &value)) {
        return kal_int(g, value);
    }
    const KalExprNode inner = *kal_node(g, a);
    if ((op == KAL_OP_EXP && inner.op == KAL_OP_LOG)
        || (op == KAL_OP_LOG && inner.op == KAL_OP_EXP)) {
        return inner.arg[0];
    }
    if (parity == KAL_PARITY_NEITHER || !kal_find_negative(g, a, &negative)) {
        return cons_1(g, op, a);
    }
    const KalExpr turned = cons_1(g, op, negative);
    return parity == KAL_PARITY_ODD ? kal_neg(g, turned) : turned;
}

// Towards −∞; exact for exact numbers.
static KalRational floor_of(KalRational x)
{
    if (x.den == 0) {
        return kal_rational_of(floor(x.value));
    }
    const int64_t whole = x.num / x.den; // towards zero
    return kal_rational(whole - (x.num % x.den < 0), 1);
}

// ⌊a⌋ or ⌈a⌉ = −⌊−a⌋.
static KalExpr whole(KalGraph *g, KalOp op, KalExpr a)
{
    assert(op == KAL_OP_FLOOR || op == KAL_OP_CEIL);
    KalExpr negative;
    if (kal_is_op(g, a, KAL_OP_CONST)) {
        const KalRational x = kal_graph_number(g, a);
        return kal_number(g, op == KAL_OP_FLOOR
                                 ? floor_of(x)
                                 : kal_rational_neg(floor_of(kal_rational_neg(x))));
    }
    if (kal_is_op(g, a, KAL_OP_FLOOR) || kal_is_op(g, a, KAL_OP_CEIL)) {
        return a;
    }
    if (kal_find_negative(g, a, &negative)) {
        const KalOp other = op == KAL_OP_FLOOR ? KAL_OP_CEIL : KAL_OP_FLOOR;
        return kal_neg(g, cons_1(g, other, negative));
    }
    return cons_1(g, op, a);
}

// a − b ⌊a/b⌋, of numbers exactly as long as they are.
static KalExpr modulo(KalGraph *g, KalExpr a, KalExpr b)
{
    if (kal_is_zero(g, b)) {
        return kal_div(g, a, b); // spoils the graph
    }
    if (!kal_is_op(g, a, KAL_OP_CONST) || !kal_is_op(g, b, KAL_OP_CONST)) {
        return cons_2(g, KAL_OP_MOD, a, b);
    }
    const KalRational x = kal_graph_number(g, a);
    const KalRational y = kal_graph_number(g, b);
    const KalRational times = floor_of(kal_rational_div(x, y));
    const KalRational rest =
        kal_rational_add(x, kal_rational_neg(kal_rational_mul(y, times)));
    return rest.den != 0
               ? kal_number(g, rest)
               : kal_const(g, kal_op_value(KAL_OP_MOD, x.value, y.value, 0.0, 0));
}

// sign(k u) = sign(k) sign(u), and sign of a sign is itself.
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

// not: exchanges = and ≠, undoes itself, keeps what else there is.  not(a < b) is no a >= b:
// where a is NaN neither holds.
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

static bool both_numbers(const KalGraph *g, KalExpr a, KalExpr b)
{
    return kal_is_op(g, a, KAL_OP_CONST) && kal_is_op(g, b, KAL_OP_CONST);
}

// The order of two numbers, exactly where they are exact.
static int compare(const KalGraph *g, KalExpr a, KalExpr b)
{
    assert(both_numbers(g, a, b));
    return kal_rational_compare(kal_graph_number(g, a), kal_graph_number(g, b));
}

static bool relation_holds(KalOp op, int order)
{
    assert(order >= -1 && order <= 1);
    return op == KAL_OP_LT   ? order < 0
           : op == KAL_OP_LE ? order <= 0
           : op == KAL_OP_EQ ? order == 0
                             : order != 0;
}

// Decided for numbers, and for a formula compared with itself.
static KalExpr relation(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(kal_op_kind(op) == KAL_KIND_RELATION);
    if (kal_same(a, b)) {
        return kal_int(g, relation_holds(op, 0));
    }
    if (both_numbers(g, a, b)) {
        return kal_int(g, relation_holds(op, compare(g, a, b)));
    }
    return cons_2(g, op, a, b);
}

// An operand that is a number decides, or leaves the other.
static KalExpr logic(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(op == KAL_OP_AND || op == KAL_OP_OR);
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

// Of equal numbers, that of the older node: the result does not depend on their order.
static KalExpr extreme(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(op == KAL_OP_MIN || op == KAL_OP_MAX);
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

// hypot: signs do not count.
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

// Exact choices only: a condition that is known, branches that are the same, a `not` that
// exchanges them.
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

// Which derivative of which table; whether it bends or jumps at knots decides which
// operator it is.
KalExpr kal_spline(KalGraph *g, const KalSpline *spline, KalSplineFunctionKind kind,
                   KalExpr x)
{
    assert(kind < KAL_SPLINE_FUNCTIONS);
    const bool straight = spline->method == KAL_SPLINE_LINEAR;
    if (straight && (kind == KAL_SPLINE_SECOND || kind == KAL_SPLINE_THIRD)) {
        return x.index == 0 ? x : kal_int(g, 0);
    }
    bool jumps = false;
    KalOp op = KAL_OP_SPLINE;
    const KalSplineFunction *f = &spline->functions[kind];
    KalSplineAddress address = {
        .halves = {0, 0}
    };
    address.function = f;
    if (kind <= KAL_SPLINE_THIRD && kal_spline_borders(f, &jumps) != KAL_BORDERS_NONE) {
        op = jumps ? KAL_OP_SPLINE_JUMP : KAL_OP_SPLINE_KINK;
    }
    return kal_cons(g, op, x, (KalExpr){address.halves[0]},
                    (KalExpr){address.halves[1]});
}

// What an operator makes of operands that are there.
static KalExpr simplify(KalGraph *g, KalOp op, const KalExpr x[3])
{
    switch (op) {
    case KAL_OP_ADD: return kal_add(g, x[0], x[1]);
    case KAL_OP_SUB: return kal_sub(g, x[0], x[1]);
    case KAL_OP_NEG: return kal_neg(g, x[0]);
    case KAL_OP_MUL: return kal_mul(g, x[0], x[1]);
    case KAL_OP_DIV: return kal_div(g, x[0], x[1]);
    case KAL_OP_POWI: return kal_powi(g, x[0], (int32_t)x[1].index);
    case KAL_OP_POW: return kal_pow(g, x[0], x[1]);
    case KAL_OP_SQRT: return kal_sqrt(g, x[0]);
    case KAL_OP_SIN:
    case KAL_OP_COS:
    case KAL_OP_TAN:
    case KAL_OP_ASIN:
    case KAL_OP_ACOS:
    case KAL_OP_ATAN:
    case KAL_OP_SINH:
    case KAL_OP_COSH:
    case KAL_OP_TANH:
    case KAL_OP_EXP:
    case KAL_OP_LOG:
    case KAL_OP_ERF: return elementary(g, op, x[0]);
    case KAL_OP_ATAN2: return cons_2(g, op, x[0], x[1]);
    case KAL_OP_ABS: return kal_absolute(g, x[0]);
    case KAL_OP_SIGN: return sign(g, x[0]);
    case KAL_OP_MIN:
    case KAL_OP_MAX: return extreme(g, op, x[0], x[1]);
    case KAL_OP_HYPOT: return length(g, x[0], x[1]);
    case KAL_OP_FLOOR:
    case KAL_OP_CEIL: return whole(g, op, x[0]);
    case KAL_OP_MOD: return modulo(g, x[0], x[1]);
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP: return kal_cons(g, op, x[0], x[1], x[2]);
    case KAL_OP_WHERE: return kal_is_zero(g, x[0]) ? x[0] : cons_2(g, op, x[0], x[1]);
    case KAL_OP_SELECT: return kal_select(g, x[0], x[1], x[2]);
    case KAL_OP_LT:
    case KAL_OP_LE:
    case KAL_OP_EQ:
    case KAL_OP_NE: return relation(g, op, x[0], x[1]);
    case KAL_OP_AND:
    case KAL_OP_OR: return logic(g, op, x[0], x[1]);
    case KAL_OP_NOT: return opposite(g, x[0]);
    case KAL_OP_CONST:
    case KAL_OP_SYMBOL:
    case KAL_OP_PI:
    case KAL_OP_COUNT: break;
    }
    assert(false && "a leaf is not built from operands");
    return KAL_NO_EXPR;
}

// The node of an operator, simplified unless the graph is a plain one.
KalExpr kal_build(KalGraph *g, KalOp op, const KalExpr arg[3])
{
    assert(op < KAL_OP_COUNT);
    const int arity = kal_op_arity(op);
    for (int k = 0; k < arity; k++) {
        if (arg[k].index == 0) {
            return KAL_NO_EXPR;
        }
    }
    assert(arity > 0);
    if (g->plain && op != KAL_OP_DIV && op != KAL_OP_POWI && !kal_op_is_spline(op)) {
        return kal_cons(g, op, arg[0], arity > 1 ? arg[1] : KAL_NO_EXPR,
                        arity > 2 ? arg[2] : KAL_NO_EXPR);
    }
    return simplify(g, op, arg);
}

KalExpr kal_unary(KalGraph *g, KalOp op, KalExpr a)
{
    assert(kal_op_arity(op) == 1 && op != KAL_OP_POWI && !kal_op_is_spline(op));
    return kal_build(g, op, (const KalExpr[3]){a});
}

KalExpr kal_binary(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(kal_op_arity(op) == 2);
    return kal_build(g, op, (const KalExpr[3]){a, b});
}

KalExpr kal_sin(KalGraph *g, KalExpr a)
{
    return kal_unary(g, KAL_OP_SIN, a);
}

KalExpr kal_cos(KalGraph *g, KalExpr a)
{
    return kal_unary(g, KAL_OP_COS, a);
}
