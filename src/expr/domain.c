// SPDX-License-Identifier: MIT

// Where formulas have values, as far as their form shows it: theory (8.10).
//
// A need is a condition on a part of a formula, such as x ≥ 0 under a root.  Signs are found
// by a bounded walk from the formula down, by rules for each operator; what is not found is
// taken for possible.  So a need that is dropped is met, and a guard too many does no harm.

#include "expr/domain.h"

#include "expr/graph_impl.h"

#include <assert.h>
#include <math.h>

enum {
    WALK_MAX = 256 // nodes that are looked at
};

// The one that says less.
static KalSign least(KalSign a, KalSign b)
{
    return a < b ? a : b;
}

// The one that says more.
static KalSign most(KalSign a, KalSign b)
{
    return a < b ? b : a;
}

KalSign kal_sign_by_form(const KalGraph *g, KalExpr e, KalSign a, KalSign b)
{
    const KalExprNode *n = kal_node(g, e);
    const double number =
        n->op == KAL_OP_CONST ? kal_graph_number(g, e).value : (double)NAN;
    switch ((KalOp)n->op) {
    case KAL_OP_CONST:
        return number > 0.0 ? KAL_SIGN_POSITIVE
                            : (number == 0.0 ? KAL_SIGN_NONNEGATIVE : KAL_SIGN_ANY);
    case KAL_OP_POWI:
        return a == KAL_SIGN_POSITIVE || kal_node_exponent(n) % 2 != 0
                   ? a
                   : KAL_SIGN_NONNEGATIVE;
    case KAL_OP_ADD: return least(a, b) == KAL_SIGN_ANY ? KAL_SIGN_ANY : most(a, b);
    case KAL_OP_MUL:
    case KAL_OP_DIV:
    case KAL_OP_MIN: return least(a, b);
    case KAL_OP_MAX: return most(a, b);
    case KAL_OP_POW: // as the operand, of which no more is known
    case KAL_OP_ASIN:
    case KAL_OP_ATAN:
    case KAL_OP_SINH:
    case KAL_OP_TANH:
    case KAL_OP_SIGN:
    case KAL_OP_CEIL:
    case KAL_OP_ERF:
    case KAL_OP_WHERE: return a;
    case KAL_OP_FLOOR: return least(a, KAL_SIGN_NONNEGATIVE);
    case KAL_OP_MOD: return least(b, KAL_SIGN_NONNEGATIVE);
    case KAL_OP_SQRT:
    case KAL_OP_ABS: return most(a, KAL_SIGN_NONNEGATIVE);
    case KAL_OP_HYPOT: return most(most(a, b), KAL_SIGN_NONNEGATIVE);
    case KAL_OP_PI:
    case KAL_OP_EXP:
    case KAL_OP_COSH: return KAL_SIGN_POSITIVE;
    case KAL_OP_ACOS:
    case KAL_OP_LT:
    case KAL_OP_LE:
    case KAL_OP_EQ:
    case KAL_OP_NE:
    case KAL_OP_AND:
    case KAL_OP_OR:
    case KAL_OP_NOT: return KAL_SIGN_NONNEGATIVE;
    case KAL_OP_SYMBOL:
    case KAL_OP_SUB:
    case KAL_OP_NEG:
    case KAL_OP_SIN:
    case KAL_OP_COS:
    case KAL_OP_TAN:
    case KAL_OP_ATAN2:
    case KAL_OP_LOG:
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP:
    case KAL_OP_SELECT: // its branches are not both looked at
    case KAL_OP_COUNT: break;
    }
    return KAL_SIGN_ANY;
}

// The sign by form, from a bounded list of nodes, users first; what is beyond it has any.
static KalSign sign_of(const KalGraph *g, KalExpr e)
{
    KalExpr list[WALK_MAX];
    int operand[WALK_MAX][2]; // where the operands are, −1 for nowhere
    KalSign sign[WALK_MAX];
    assert(e.index != 0);
    int n = 0;
    list[n++] = e;
    for (int i = 0; i < n; i++) {
        const KalExprNode node = *kal_node(g, list[i]);
        for (int k = 0; k < 2; k++) {
            const bool there = k < kal_op_arity((KalOp)node.op) && n < WALK_MAX;
            operand[i][k] = there ? n : -1;
            if (there) {
                list[n++] = node.arg[k];
            }
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        const KalSign a = operand[i][0] < 0 ? KAL_SIGN_ANY : sign[operand[i][0]];
        const KalSign b = operand[i][1] < 0 ? KAL_SIGN_ANY : sign[operand[i][1]];
        sign[i] = kal_sign_by_form(g, list[i], a, b);
    }
    assert(n >= 1 && n <= WALK_MAX);
    return sign[0];
}

// Whether the form alone shows that a need is met.
static bool is_met(const KalGraph *g, KalNeed need)
{
    const KalSign sign = sign_of(g, need.of);
    return need.kind != KAL_NEED_AT_MOST_ONE
           && sign >= (need.kind == KAL_NEED_NONNEGATIVE ? KAL_SIGN_NONNEGATIVE
                                                         : KAL_SIGN_POSITIVE);
}

// Needs beyond the room are forgotten: whoever lists them takes few factors.
static void add(KalNeeds *needs, KalExpr of, KalNeedKind kind)
{
    if (needs->n < KAL_NEEDS_MAX) {
        needs->list[needs->n++] = (KalNeed){of, kind};
    }
}

// base^exponent.
static void add_factor(const KalGraph *g, KalNeeds *needs, KalExpr base, KalExponent x)
{
    assert(x.den > 0);
    const KalExprNode n = *kal_node(g, base);
    if (x.den > 1) {
        add(needs, base, x.num < 0 ? KAL_NEED_POSITIVE : KAL_NEED_NONNEGATIVE);
    } else if (x.num < 0) {
        add(needs, base, KAL_NEED_NONZERO);
    }
    switch (kal_op_domain((KalOp)n.op)) {
    case KAL_DOMAIN_NONNEGATIVE: add(needs, n.arg[0], KAL_NEED_NONNEGATIVE); break;
    case KAL_DOMAIN_POSITIVE: add(needs, n.arg[0], KAL_NEED_POSITIVE); break;
    case KAL_DOMAIN_UNIT: add(needs, n.arg[0], KAL_NEED_AT_MOST_ONE); break;
    case KAL_DOMAIN_DIVISOR: add(needs, n.arg[1], KAL_NEED_NONZERO); break;
    case KAL_DOMAIN_EVERYWHERE:
    case KAL_DOMAIN_GROWING:
    case KAL_DOMAIN_POWER: break;
    }
}

// What the factors of e^power need, met or not.
static void list_needs(const KalGraph *g, KalExpr e, int32_t power, KalNeeds *needs)
{
    KalFactors f = kal_factors_none();
    if (e.index == 0 || !kal_factors_add(g, &f, e, power)) {
        return;
    }
    for (int i = 0; i < f.n; i++) {
        add_factor(g, needs, f.base[i], f.exponent[i]);
    }
}

void kal_needs_add(const KalGraph *g, KalExpr e, int32_t power, KalNeeds *needs)
{
    const int before = needs->n;
    int kept = before;
    assert(before >= 0 && before <= KAL_NEEDS_MAX);
    list_needs(g, e, power, needs);
    for (int i = before; i < needs->n; i++) {
        if (!is_met(g, needs->list[i])) {
            needs->list[kept++] = needs->list[i];
        }
    }
    needs->n = kept;
}

void kal_needs_add_power(const KalGraph *g, KalExpr a, KalExpr x, KalNeeds *needs)
{
    const KalExprNode *n = a.index != 0 ? kal_node(g, a) : NULL;
    if (n && n->op == KAL_OP_POWI && kal_node_exponent(n) % 2 != 0
        && kal_is_op(g, x, KAL_OP_CONST) && kal_graph_number(g, x).den > 1) {
        add(needs, n->arg[0], KAL_NEED_NONNEGATIVE);
    }
}

// Whether two formulas are equal but for the sign.
static bool are_opposite(const KalGraph *g, KalExpr a, KalExpr b)
{
    const KalExprNode *x = kal_node(g, a);
    const KalExprNode *y = kal_node(g, b);
    return x->op == KAL_OP_SUB && y->op == KAL_OP_SUB && kal_same(x->arg[0], y->arg[1])
           && kal_same(x->arg[1], y->arg[0]);
}

// A need is met where another one is: what is positive is neither zero nor negative.
static bool implies(const KalGraph *g, KalNeed a, KalNeed b)
{
    assert(a.of.index != 0 && b.of.index != 0);
    const bool same = kal_same(a.of, b.of);
    return (same && (a.kind == b.kind || a.kind == KAL_NEED_POSITIVE))
           || (a.kind == KAL_NEED_NONZERO && b.kind == KAL_NEED_NONZERO
               && are_opposite(g, a.of, b.of));
}

// Whether one of some needs implies another.
static bool has_need(const KalGraph *g, const KalNeeds *needs, KalNeed need)
{
    bool has = false;
    for (int i = 0; i < needs->n; i++) {
        has = has || implies(g, needs->list[i], need);
    }
    return has;
}

bool kal_need_is_met(KalNeedKind kind, double number)
{
    switch (kind) {
    case KAL_NEED_NONZERO: return number != 0.0;
    case KAL_NEED_NONNEGATIVE: return number >= 0.0;
    case KAL_NEED_POSITIVE: return number > 0.0;
    case KAL_NEED_AT_MOST_ONE: break;
    }
    return number >= -1.0 && number <= 1.0;
}

// Whether e has no value where the need is not met, by its form: some node of it has the
// same need. A formula too large for the walk is taken to show it, for then no guard is
// added.
bool kal_need_shows(const KalGraph *g, KalExpr e, KalNeed need)
{
    KalExpr list[WALK_MAX];
    int n = 0;
    if (e.index == 0) {
        return true;
    }
    list[n++] = e;
    for (int next = 0; next < n; next++) {
        KalNeeds needs = {.n = 0};
        const KalExprNode node = *kal_node(g, list[next]);
        list_needs(g, list[next], 1, &needs);
        if (has_need(g, &needs, need)) {
            return true;
        }
        for (int k = 0; k < kal_op_arity((KalOp)node.op); k++) {
            if (n == WALK_MAX) {
                return true;
            }
            list[n++] = node.arg[k];
        }
    }
    return false;
}

static bool is_among(const KalExpr *list, int n, KalExpr e)
{
    for (int i = 0; i < n; i++) {
        if (kal_same(list[i], e)) {
            return true;
        }
    }
    return false;
}

// Whether a node may have no value though its operands have.
static bool may_lack_here(const KalGraph *g, KalExpr e)
{
    KalNeeds needs = {.n = 0};
    const KalExprNode *node = kal_node(g, e);
    if (node->op == KAL_OP_SPLINE) {
        return kal_node_spline(node)->spline->outside == KAL_OUTSIDE_ERROR;
    }
    kal_needs_add(g, e, 1, &needs);
    return needs.n > 0 || kal_op_domain((KalOp)node->op) == KAL_DOMAIN_POWER;
}

// Whether some node may have no value where all symbols have one.
bool kal_may_lack_value(const KalGraph *g, KalExpr e)
{
    KalExpr list[WALK_MAX];
    int n = 0;
    assert(e.index != 0);
    list[n++] = e;
    for (int next = 0; next < n; next++) {
        const KalExprNode node = *kal_node(g, list[next]);
        const int arity = kal_op_arity((KalOp)node.op);
        if (may_lack_here(g, list[next]) || n + arity > WALK_MAX) {
            return true;
        }
        for (int k = 0; k < arity; k++) {
            list[n++] = node.arg[k];
        }
    }
    return false;
}

// The nodes of a formula from the formula down, at most WALK_MAX, each once; how many.
static int walk(const KalGraph *g, KalExpr e, KalExpr list[WALK_MAX])
{
    int n = 0;
    list[n++] = e;
    for (int next = 0; next < n; next++) {
        const KalExprNode node = *kal_node(g, list[next]);
        for (int k = 0; k < kal_op_arity((KalOp)node.op); k++) {
            if (n < WALK_MAX && !is_among(list, n, node.arg[k])) {
                list[n++] = node.arg[k];
            }
        }
    }
    return n;
}

// A walk of e that is cut short may not have seen the part: a guard too many does no harm.
KalExpr kal_keep_parts(KalGraph *g, KalExpr e, KalExpr a,
                       bool (*is_kept)(void *user, KalExpr part), void *user)
{
    KalExpr parts[WALK_MAX];
    KalExpr kept[WALK_MAX];
    assert(e.index != 0 && a.index != 0);
    const int n = walk(g, a, parts);
    for (int i = 0; i < n && e.index != 0; i++) {
        if (may_lack_here(g, parts[i]) && is_kept(user, parts[i])
            && !is_among(kept, walk(g, e, kept), parts[i])) {
            e = kal_where(g, e, parts[i]);
        }
    }
    return e;
}

KalExpr kal_where(KalGraph *g, KalExpr value, KalExpr of)
{
    return value.index == 0 || of.index == 0
               ? KAL_NO_EXPR
               : kal_cons(g, KAL_OP_WHERE, value, of, KAL_NO_EXPR);
}

// What has no value where the need is not met.
static KalExpr failing(KalGraph *g, KalNeed need)
{
    assert(need.of.index != 0);
    switch (need.kind) {
    case KAL_NEED_NONZERO: return kal_div(g, kal_int(g, 1), need.of);
    case KAL_NEED_NONNEGATIVE: return kal_sqrt(g, need.of);
    case KAL_NEED_POSITIVE: return kal_unary(g, KAL_OP_LOG, need.of);
    case KAL_NEED_AT_MOST_ONE: break;
    }
    return kal_unary(g, KAL_OP_ASIN, need.of);
}

KalExpr kal_need_guard(KalGraph *g, KalNeed need, KalExpr value)
{
    return value.index == 0 ? value : kal_where(g, value, failing(g, need));
}
