// SPDX-License-Identifier: MIT

// Sums and differences.  Terms are number × rest.  A new term is compared with the terms
// that a bounded walk into the other operand meets; like terms and squares of sine and
// cosine become one, common factors come out: theory (8.5) to (8.8).
//
// What holds of a sum that is built here: no two terms within the walk are multiples of
// each other, a number is its outermost term, and the first operand has no minus.  The
// walks are bounded, so that building stays fast; two equal long sums may thus be two
// nodes, which costs size and not correctness.

#include "expr/graph_impl.h"

#include <assert.h>

enum {
    WALK_MAX = 4,  // levels of a sum that a new term is compared with
    ROUNDS_MAX = 4 // how often what two terms became is compared again
};

static const KalRational ONE = {1, 1, 1.0};

// ADD or SUB.
static bool is_sum(const KalGraph *g, KalExpr e)
{
    assert(e.index != 0);
    const KalExprNode *n = kal_node(g, e);
    return n->op == KAL_OP_ADD || n->op == KAL_OP_SUB;
}

static bool is_unit(KalRational k)
{
    return k.den == 1 && (k.num == 1 || k.num == -1);
}

static bool is_opposite(KalRational x, KalRational y)
{
    return kal_rational_same(x, kal_rational_neg(y));
}

static bool is_negative(KalTerm t)
{
    return t.k.value < 0.0;
}

static KalTerm negated(KalTerm t)
{
    return (KalTerm){kal_rational_neg(t.k), t.rest};
}

static KalExpr node_of(KalGraph *g, KalTerm t)
{
    return kal_scale(g, t.k, t.rest);
}

static bool is_nothing(KalTerm t)
{
    return kal_rational_is(t.k, 0);
}

// x + y as a node, with signs moved to where they cost nothing.
static KalTerm emit(KalGraph *g, KalTerm x, KalTerm y)
{
    if (is_nothing(x) || is_nothing(y)) {
        return is_nothing(x) ? y : x;
    }
    const bool both = is_negative(x) && is_negative(y);
    if (both) {
        x = negated(x);
        y = negated(y);
    } else if (is_negative(x)) {
        const KalTerm swap = x;
        x = y;
        y = swap;
    }
    const KalOp op = is_negative(y) ? KAL_OP_SUB : KAL_OP_ADD;
    const KalExpr a = node_of(g, x);
    const KalExpr b = node_of(g, op == KAL_OP_SUB ? negated(y) : y);
    const KalExpr sum = kal_cons(g, op, a, b, KAL_NO_EXPR);
    return (KalTerm){both ? kal_rational_neg(ONE) : ONE, sum};
}

static bool is_round(KalOp op)
{
    return op == KAL_OP_SIN || op == KAL_OP_COS;
}

// x.rest / s², times to² if `to` is given; s² is a factor of x.rest.
static bool replace_square(KalGraph *g, KalTerm x, KalExpr s, KalExpr to, KalExpr *out)
{
    KalFactors f = kal_factors_none();
    if (!kal_factors_add(g, &f, x.rest, 1) || !kal_factors_add(g, &f, s, -2)
        || (to.index != 0 && !kal_factors_add(g, &f, to, 2))) {
        return false;
    }
    *out = f.n == 0 ? KAL_NO_EXPR : kal_factors_build(g, &f);
    return kal_rational_is(f.k, 1);
}

// x = kx c s², y = ky c r², with s and r partners: theory (8.6).
static bool join_squares(KalGraph *g, KalTerm x, KalTerm y, const KalExpr sr[2],
                         KalTerm *out)
{
    assert(sr[0].index != 0 && sr[1].index != 0);
    const KalExprNode s = *kal_node(g, sr[0]);
    const KalExprNode r = *kal_node(g, sr[1]);
    if (kal_op_partner((KalOp)s.op) != r.op || r.op == KAL_OP_CONST
        || !kal_same(s.arg[0], r.arg[0])) {
        return false;
    }
    const bool fits =
        is_round((KalOp)s.op) ? kal_rational_same(x.k, y.k) : is_opposite(x.k, y.k);
    if (!fits || !replace_square(g, x, sr[0], KAL_NO_EXPR, &out->rest)) {
        return false;
    }
    out->k = s.op == KAL_OP_SINH ? y.k : x.k;
    return true;
}

// x = kx c s², y = ky c: theory (8.7).
static bool join_square_and_one(KalGraph *g, KalTerm x, KalTerm y, KalExpr s,
                                KalTerm *out)
{
    assert(s.index != 0);
    const KalExprNode n = *kal_node(g, s);
    const KalOp partner = kal_op_partner((KalOp)n.op);
    const bool fits =
        n.op == KAL_OP_SINH ? kal_rational_same(x.k, y.k) : is_opposite(x.k, y.k);
    if (partner == KAL_OP_CONST || !fits) {
        return false;
    }
    const KalExpr other = kal_cons(g, partner, n.arg[0], KAL_NO_EXPR, KAL_NO_EXPR);
    if (other.index == 0 || !replace_square(g, x, s, other, &out->rest)) {
        return false;
    }
    out->k = is_round((KalOp)n.op) ? y.k : x.k;
    return true;
}

// The quotient of the terms shows whether they differ by squares alone.
static bool join_by_squares(KalGraph *g, KalTerm x, KalTerm y, KalTerm *out)
{
    KalFactors q = kal_factors_none();
    if ((x.rest.index != 0 && !kal_factors_add(g, &q, x.rest, 1))
        || (y.rest.index != 0 && !kal_factors_add(g, &q, y.rest, -1)) || q.n > 2
        || q.n < 1 || !kal_rational_is(q.k, 1)) {
        return false;
    }
    for (int i = 0; i < q.n; i++) {
        if (q.exponent[i].den != 1
            || (q.exponent[i].num != 2 && q.exponent[i].num != -2)) {
            return false;
        }
    }
    const bool first = q.exponent[0].num > 0;
    if (q.n == 1) {
        return join_square_and_one(g, first ? x : y, first ? y : x, q.base[0], out);
    }
    const KalExpr sr[2] = {q.base[first ? 0 : 1], q.base[first ? 1 : 0]};
    return q.exponent[0].num + q.exponent[1].num == 0 && join_squares(g, x, y, sr, out);
}

static bool is_reverse(const KalGraph *g, KalExpr a, KalExpr b)
{
    const KalExprNode *x = kal_node(g, a);
    const KalExprNode *y = kal_node(g, b);
    return x->op == KAL_OP_SUB && y->op == KAL_OP_SUB && kal_same(x->arg[0], y->arg[1])
           && kal_same(x->arg[1], y->arg[0]);
}

// Whether x + y is one term, and which.
static bool join(KalGraph *g, KalTerm x, KalTerm y, KalTerm *out)
{
    const bool reverse = is_reverse(g, x.rest, y.rest);
    if (kal_same(x.rest, y.rest) || reverse) {
        const KalRational k =
            kal_rational_add(x.k, reverse ? kal_rational_neg(y.k) : y.k);
        *out = (KalTerm){k, x.rest};
        return kal_rational_usable(k);
    }
    const int flags = kal_node(g, x.rest)->flags | kal_node(g, y.rest)->flags;
    return (flags & KAL_FLAG_SQUARE) != 0 && join_by_squares(g, x, y, out);
}

// The operands of a sum with their signs, k being ±1 times the sum.
static void operands(const KalGraph *g, KalTerm sum, KalTerm out[2])
{
    const KalExprNode *n = kal_node(g, sum.rest);
    assert(is_unit(sum.k) && is_sum(g, sum.rest));
    for (int i = 0; i < 2; i++) {
        out[i] = kal_split(g, n->arg[i]);
        const bool minus = is_negative(sum) != (i == 1 && n->op == KAL_OP_SUB);
        out[i] = minus ? negated(out[i]) : out[i];
    }
}

// A sum or its negative.
static bool is_signed_sum(const KalGraph *g, KalTerm t)
{
    return t.rest.index != 0 && is_unit(t.k) && is_sum(g, t.rest);
}

// Find a term of the sum x that makes one term with y.  Then x becomes the sum without
// it, and y the new term.
static bool join_inside(KalGraph *g, KalTerm *x, KalTerm *y)
{
    KalTerm passed[WALK_MAX];
    KalTerm at = *x;
    for (int depth = 0; depth < WALK_MAX && is_signed_sum(g, at); depth++) {
        KalTerm part[2];
        operands(g, at, part);
        for (int i = 0; i < 2; i++) {
            KalTerm joined;
            if (!join(g, part[i], *y, &joined)) {
                continue;
            }
            KalTerm left = part[1 - i];
            while (depth-- > 0) {
                left = emit(g, left, passed[depth]);
            }
            *x = left;
            *y = joined;
            return true;
        }
        const int next = is_signed_sum(g, part[0]) ? 0 : 1;
        at = part[next];
        passed[depth] = part[1 - next];
    }
    return false;
}

// The same for a term of the sum y, which then goes over to x.
static bool join_across(KalGraph *g, KalTerm *x, KalTerm *y)
{
    KalTerm passed[WALK_MAX];
    KalTerm at = *y;
    if (!is_signed_sum(g, *x)) {
        return false;
    }
    for (int depth = 0; depth < WALK_MAX && is_signed_sum(g, at); depth++) {
        KalTerm part[2];
        operands(g, at, part);
        for (int i = 0; i < 2; i++) {
            if (!join_inside(g, x, &part[i])) {
                continue;
            }
            *x = emit(g, *x, part[i]);
            KalTerm left = part[1 - i];
            while (depth-- > 0) {
                left = emit(g, left, passed[depth]);
            }
            *y = left;
            return true;
        }
        const int next = is_signed_sum(g, part[0]) ? 0 : 1;
        at = part[next];
        passed[depth] = part[1 - next];
    }
    return false;
}

// x + y without looking for common factors.  `turned`: if nothing joins, y was given
// first and is to be shown first.
static KalTerm add_terms(KalGraph *g, KalTerm x, KalTerm y, bool turned)
{
    KalTerm joined;
    for (int round = 0; round < ROUNDS_MAX && g->status == KAL_OK; round++) {
        if (is_nothing(x) || is_nothing(y)) {
            break;
        }
        if (join(g, x, y, &joined)) {
            return joined;
        }
        if (!join_inside(g, &x, &y) && !join_inside(g, &y, &x)
            && !join_across(g, &x, &y)) {
            break;
        }
    }
    return turned ? emit(g, y, x) : emit(g, x, y);
}

// Take the number off a sum; it is kept outermost, so that numbers meet.
static KalRational peel_number(const KalGraph *g, KalTerm *t)
{
    const KalRational k = t->k;
    if (t->rest.index == 0) {
        t->k = kal_rational(0, 1);
        return k;
    }
    if (is_signed_sum(g, *t)) {
        KalTerm part[2];
        operands(g, *t, part);
        for (int i = 0; i < 2; i++) {
            if (part[i].rest.index == 0) {
                *t = part[1 - i];
                return part[i].k;
            }
        }
    }
    return kal_rational(0, 1);
}

// Numbers of both are added apart and come last.
static KalTerm add_with_numbers(KalGraph *g, KalTerm x, KalTerm y, bool turned)
{
    KalTerm a = x;
    KalTerm b = y;
    const KalRational kx = peel_number(g, &a);
    const KalRational ky = peel_number(g, &b);
    const KalRational k = kal_rational_add(kx, ky);
    if (!kal_rational_usable(k)) {
        return emit(g, x, y);
    }
    const KalTerm sum = add_terms(g, a, b, turned);
    if (g->status != KAL_OK) {
        return sum;
    }
    return add_terms(g, sum, (KalTerm){k, KAL_NO_EXPR}, false);
}

static bool is_positive(KalExponent x)
{
    return x.num > 0;
}

static bool same_exponent(KalExponent x, KalExponent y)
{
    return x.num == y.num && x.den == y.den;
}

static void add_factor(KalFactors *f, const KalFactors *from, int i, KalExponent x)
{
    f->key[f->n] = from->key[i];
    assert(f->n < KAL_FACTORS_MAX && i < KAL_FACTORS_MAX);
    f->base[f->n] = from->base[i];
    f->exponent[f->n++] = x;
}

// What two exponents of a base share: the lesser if both are whole and positive, or the
// same; 0 for nothing.
static KalExponent common_exponent(KalExponent x, KalExponent y)
{
    const bool whole = x.den == 1 && y.den == 1 && is_positive(x) && is_positive(y);
    if (whole) {
        return x.num < y.num ? x : y;
    }
    return same_exponent(x, y) ? x : (KalExponent){0, 1};
}

// Two sorted lists, merged.
static void find_shared(const KalFactors *x, const KalFactors *y, KalFactors *out)
{
    assert(out->n == 0);
    for (int i = 0, j = 0; i < x->n && j < y->n;) {
        if (x->key[i] == y->key[j]) {
            const KalExponent e = common_exponent(x->exponent[i], y->exponent[j]);
            if (e.num != 0) {
                add_factor(out, x, i, e);
            }
            i++;
            j++;
        } else {
            const bool less = x->key[i] < y->key[j];
            i += less;
            j += !less;
        }
    }
}

// f / h, where every factor of h is part of one of f.
static void divide(KalFactors *f, const KalFactors *h)
{
    assert(h->n <= f->n);
    const int n = f->n;
    f->n = 0;
    for (int i = 0, j = 0; i < n; i++) {
        KalExponent x = f->exponent[i];
        if (j < h->n && f->key[i] == h->key[j]) {
            x.num -= h->exponent[j].num; // the denominators are the same
            j++;
        }
        if (x.num != 0) {
            add_factor(f, f, i, x);
        }
    }
}

// How many factors f / h has.
static int count_left(const KalFactors *f, const KalFactors *h)
{
    int left = f->n;
    for (int i = 0, j = 0; i < f->n && j < h->n; i++) {
        if (f->key[i] == h->key[j]) {
            left -= same_exponent(f->exponent[i], h->exponent[j]);
            j++;
        }
    }
    return left;
}

static int count_below(const KalFactors *f)
{
    int count = 0;
    for (int i = 0; i < f->n; i++) {
        count += !is_positive(f->exponent[i]);
    }
    return count;
}

// Only the factors of the denominator.
static void keep_below(KalFactors *f)
{
    const int n = f->n;
    f->n = 0;
    for (int i = 0; i < n; i++) {
        if (!is_positive(f->exponent[i])) {
            add_factor(f, f, i, f->exponent[i]);
        }
    }
}

// Common factors come out when few factors are left in each term, so that what is left
// can still be compared with further terms; a common denominator comes out always:
// theory (8.8).
static bool find_common(const KalFactors *x, const KalFactors *y, int most_left,
                        KalFactors *out)
{
    assert(most_left >= 0);
    find_shared(x, y, out);
    if (out->n > 0
        && (count_left(x, out) > most_left || count_left(y, out) > most_left)) {
        const int below = count_below(out);
        out->n = below == count_below(x) && below == count_below(y) ? out->n : 0;
        keep_below(out);
    }
    return out->n > 0;
}

// Equal numbers come out with the factors.
static void share_number(KalRational *x, KalRational *y, KalRational *out_common)
{
    if (kal_rational_same(*x, *y)) {
        *out_common = *x;
        *x = ONE;
        *y = ONE;
    } else if (is_opposite(*x, *y)) {
        *out_common = x->value < 0.0 ? *y : *x;
        *x = x->value < 0.0 ? kal_rational_neg(ONE) : ONE;
        *y = kal_rational_neg(*x);
    }
}

// x + y = common × (what is left of both).
static bool add_factored(KalGraph *g, KalTerm x, KalTerm y, bool turned,
                         KalExpr *out_sum)
{
    if (x.rest.index == 0 || y.rest.index == 0) {
        return false;
    }
    KalFactors fx = kal_factors_none();
    KalFactors fy = kal_factors_none();
    KalFactors c = kal_factors_none();
    const int flags = kal_node(g, x.rest)->flags | kal_node(g, y.rest)->flags;
    const int most_left = flags & KAL_FLAG_SQUARE ? 1 : 2; // keep squares in sight
    if (!kal_factors_add(g, &fx, x.rest, 1) || !kal_factors_add(g, &fy, y.rest, 1)
        || !kal_rational_is(fx.k, 1) || !kal_rational_is(fy.k, 1)
        || !find_common(&fx, &fy, most_left, &c)) {
        return false;
    }
    divide(&fx, &c);
    divide(&fy, &c);
    share_number(&x.k, &y.k, &c.k);
    x.rest = fx.n == 0 ? KAL_NO_EXPR : kal_factors_build(g, &fx);
    y.rest = fy.n == 0 ? KAL_NO_EXPR : kal_factors_build(g, &fy);
    const KalExpr common = kal_factors_build(g, &c);
    if (g->status != KAL_OK) {
        *out_sum = KAL_NO_EXPR;
        return true;
    }
    *out_sum = kal_mul(g, common, node_of(g, add_with_numbers(g, x, y, turned)));
    return true;
}

// The operands are taken in the order of their nodes, so that their order as given
// matters for nothing but how the sum is shown.
static KalExpr add(KalGraph *g, KalTerm first, KalTerm second)
{
    const bool turned = first.rest.index > second.rest.index;
    const KalTerm x = turned ? second : first;
    const KalTerm y = turned ? first : second;
    KalTerm joined;
    KalExpr sum;
    if (is_nothing(x) || is_nothing(y)) {
        return node_of(g, is_nothing(x) ? y : x);
    }
    if (join(g, x, y, &joined)) {
        return g->status == KAL_OK ? node_of(g, joined) : KAL_NO_EXPR;
    }
    if (add_factored(g, x, y, turned, &sum)) {
        return sum;
    }
    const KalTerm whole = add_with_numbers(g, x, y, turned);
    return g->status == KAL_OK ? node_of(g, whole) : KAL_NO_EXPR;
}

KalExpr kal_add(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index == 0 || b.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_ADD, a, b, KAL_NO_EXPR);
    }
    return add(g, kal_split(g, a), kal_split(g, b));
}

KalExpr kal_sub(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index == 0 || b.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_SUB, a, b, KAL_NO_EXPR);
    }
    return add(g, kal_split(g, a), negated(kal_split(g, b)));
}
