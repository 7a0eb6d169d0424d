// SPDX-License-Identifier: MIT

// Products, quotients and powers.  An operation takes its operands apart into factors,
// merges those, and builds the one chain that stands for them: theory (8.2).
//
// Invariants of KalFactors: keys rise strictly, so that each base stands once and the same
// product gives the same chain whatever the order of its factors; exponents are fractions in
// lowest terms, none is 0.  What does not fit, for the number of factors or the size of an
// exponent, stays as it was written.

#include "expr/graph_impl.h"

#include <assert.h>

enum {
    PENDING_MAX = 2 * KAL_FACTORS_MAX, // operands not yet taken apart
    EXPONENT_MAX = 1 << 20
};

// Operands still to be multiplied in, each to a whole power.
typedef struct Pending {
    int n;
    KalExpr e[PENDING_MAX];
    int64_t power[PENDING_MAX];
} Pending;

// One more operand; false when that is too much.
static bool push(Pending *p, KalExpr e, int64_t power)
{
    assert(p->n >= 0 && p->n <= PENDING_MAX);
    if (p->n == PENDING_MAX || power > EXPONENT_MAX || power < -EXPONENT_MAX) {
        return false;
    }
    p->e[p->n] = e;
    p->power[p->n] = power;
    p->n++;
    return true;
}

// Euclid's algorithm.
static int32_t gcd(int32_t a, int32_t b)
{
    while (b != 0) {
        const int32_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

// x + num/den; false if it leaves the range.
static bool add_exponent(KalExponent *x, int64_t num, int64_t den)
{
    assert(x->den > 0 && den > 0);
    num = num * x->den + x->num * den;
    den *= x->den;
    assert(den > 0);
    if (den == 1) { // as always but for roots
        x->num = (int32_t)num;
        return num <= EXPONENT_MAX && num >= -EXPONENT_MAX;
    }
    if (num > INT32_MAX || num < -INT32_MAX || den > INT32_MAX) {
        return false;
    }
    const int32_t common = gcd((int32_t)num, (int32_t)den);
    x->num = (int32_t)num / common;
    x->den = (int32_t)den / common;
    return x->num <= EXPONENT_MAX && x->num >= -EXPONENT_MAX && x->den <= EXPONENT_MAX;
}

// Its exponent has become 0.
static void remove_factor(KalFactors *f, int at)
{
    assert(at >= 0 && at < f->n);
    f->n--;
    for (int i = at; i < f->n; i++) {
        f->key[i] = f->key[i + 1];
        f->base[i] = f->base[i + 1];
        f->exponent[i] = f->exponent[i + 1];
    }
}

uint64_t kal_factor_key(const KalGraph *g, KalExpr base)
{
    const KalExprNode *n = kal_node(g, base);
    const KalKind kind = kal_op_kind((KalOp)n->op);
    if (kind == KAL_KIND_LEAF) {
        const uint64_t symbol = n->op == KAL_OP_SYMBOL;
        return symbol << 32 | (symbol ? n->arg[0].index : base.index);
    }
    const uint64_t rank = kind == KAL_KIND_SUM ? 3 : 2;
    return rank << 32 | base.index;
}

// The place of a base, made if need be; −1 when there is none left.
static int place_of(const KalGraph *g, KalFactors *f, KalExpr base)
{
    assert(f->n >= 0 && f->n <= KAL_FACTORS_MAX);
    const uint64_t key = kal_factor_key(g, base);
    int at = f->n;
    while (at > 0 && f->key[at - 1] > key) {
        at--;
    }
    if (at > 0 && f->key[at - 1] == key) {
        return at - 1;
    }
    if (f->n == KAL_FACTORS_MAX) {
        return -1;
    }
    for (int i = f->n; i > at; i--) {
        f->key[i] = f->key[i - 1];
        f->base[i] = f->base[i - 1];
        f->exponent[i] = f->exponent[i - 1];
    }
    f->n++;
    assert((at == 0 || f->key[at - 1] < key) && f->n <= KAL_FACTORS_MAX);
    f->key[at] = key;
    f->base[at] = base;
    f->exponent[at] = (KalExponent){0, 1};
    return at;
}

// Bases that have whole powers of their own, which may show once roots are squared.
static bool comes_apart(KalOp op)
{
    return op == KAL_OP_CONST || op == KAL_OP_NEG || op == KAL_OP_MUL
           || op == KAL_OP_DIV || op == KAL_OP_POWI || op == KAL_OP_SQRT
           || op == KAL_OP_POW;
}

// Multiply by base^(num/den).  What the new exponent sets free goes back to be taken
// apart: whole powers of a product below a root, the even part of a power of |u|.
static bool insert(const KalGraph *g, KalFactors *f, Pending *p, KalExpr base,
                   KalExponent by)
{
    assert(by.den > 0);
    const int at = place_of(g, f, base);
    if (at < 0 || !add_exponent(&f->exponent[at], by.num, by.den)) {
        return false;
    }
    const KalExponent now = f->exponent[at];
    const KalExprNode *n = kal_node(g, base);
    if (now.num == 0) {
        remove_factor(f, at);
    } else if (by.den != 1 && now.num / now.den != 0 && comes_apart((KalOp)n->op)) {
        f->exponent[at].num = now.num % now.den;
        if (now.den == 1) {
            remove_factor(f, at);
        }
        return push(p, base, now.num / now.den);
    } else if (n->op == KAL_OP_ABS && now.den == 1 && now.num / 2 != 0) {
        f->exponent[at].num = now.num % 2;
        if (now.num % 2 == 0) {
            remove_factor(f, at);
        }
        return push(p, n->arg[0], now.num - now.num % 2);
    }
    return true;
}

// False where that divides by zero or is not a number to work with.
static bool multiply_number(KalFactors *f, KalRational k, int64_t power)
{
    if (k.value == 0.0 && power < 0) {
        return false;
    }
    f->k = kal_rational_mul(f->k, kal_rational_pow(k, power));
    return kal_rational_usable(f->k);
}

// A power with an exact exponent is a factor of its base.
static bool insert_power(const KalGraph *g, KalFactors *f, Pending *p, KalExpr e,
                         int64_t power)
{
    assert(kal_is_op(g, e, KAL_OP_POW));
    const KalExprNode *n = kal_node(g, e);
    if (kal_is_op(g, n->arg[1], KAL_OP_CONST)) {
        const KalRational x = kal_graph_number(g, n->arg[1]);
        if (x.den > 0 && x.den <= EXPONENT_MAX && x.num <= EXPONENT_MAX
            && x.num >= -EXPONENT_MAX && x.num * power <= INT32_MAX
            && x.num * power >= -INT32_MAX) {
            return insert(g, f, p, n->arg[0],
                          (KalExponent){(int32_t)(x.num * power), (int32_t)x.den});
        }
    }
    return insert(g, f, p, e, (KalExponent){(int32_t)power, 1});
}

// The last operand on the list: numbers and signs to the number, products and quotients to
// their parts, powers and roots to their bases.
static bool take_apart(const KalGraph *g, KalFactors *f, Pending *p)
{
    assert(p->n > 0);
    p->n--;
    const KalExpr e = p->e[p->n];
    const int64_t power = p->power[p->n];
    const KalExprNode *n = kal_node(g, e);
    const KalOp op = (KalOp)n->op;
    if (op == KAL_OP_CONST) {
        return multiply_number(f, kal_graph_number(g, e), power);
    }
    if (op == KAL_OP_NEG) {
        f->k = power % 2 != 0 ? kal_rational_neg(f->k) : f->k;
        return push(p, n->arg[0], power);
    }
    if (op == KAL_OP_MUL || op == KAL_OP_DIV) {
        return push(p, n->arg[0], power)
               && push(p, n->arg[1], op == KAL_OP_MUL ? power : -power);
    }
    if (op == KAL_OP_POWI) {
        return push(p, n->arg[0], power * kal_node_exponent(n));
    }
    if (op == KAL_OP_SQRT && power % 2 == 0) {
        return push(p, n->arg[0], power / 2);
    }
    if (op == KAL_OP_SQRT) {
        return insert(g, f, p, n->arg[0], (KalExponent){(int32_t)power, 2});
    }
    return op == KAL_OP_POW ? insert_power(g, f, p, e, power)
                            : insert(g, f, p, e, (KalExponent){(int32_t)power, 1});
}

bool kal_factors_add(const KalGraph *g, KalFactors *f, KalExpr e, int32_t n)
{
    Pending p;
    p.n = 0;
    bool fits = push(&p, e, n);
    while (fits && p.n > 0) {
        fits = take_apart(g, f, &p);
    }
    return fits;
}

// Even powers have the simpler of ±base.
static KalExpr whole_power(KalGraph *g, KalExpr base, int32_t n)
{
    assert(n > 0);
    KalExpr negative;
    if (n == 1) {
        return base;
    }
    if (n % 2 == 0 && kal_find_negative(g, base, &negative)) {
        base = negative;
    }
    return kal_cons(g, KAL_OP_POWI, base, (KalExpr){(uint32_t)n}, KAL_NO_EXPR);
}

// A chain from the left; KAL_NO_EXPR is 1.
static KalExpr times(KalGraph *g, KalExpr product, KalExpr factor)
{
    return product.index == 0 ? factor
                              : kal_cons(g, KAL_OP_MUL, product, factor, KAL_NO_EXPR);
}

// product × base^exponent, exponent > 0.
static KalExpr times_power(KalGraph *g, KalExpr product, KalExpr base, KalExponent x)
{
    assert(x.num > 0 && x.den > 0);
    if (x.den > 2) {
        const KalExpr exponent = kal_number(g, kal_rational(x.num, x.den));
        return times(g, product, kal_cons(g, KAL_OP_POW, base, exponent, KAL_NO_EXPR));
    }
    if (x.num / x.den > 0) {
        product = times(g, product, whole_power(g, base, x.num / x.den));
    }
    if (x.den == 2) {
        product =
            times(g, product, kal_cons(g, KAL_OP_SQRT, base, KAL_NO_EXPR, KAL_NO_EXPR));
    }
    return product;
}

// The chain of numerators over the chain of denominators, times the number: the one
// form of a product.
KalExpr kal_factors_build(KalGraph *g, KalFactors *f)
{
    assert(f->n >= 0 && f->n <= KAL_FACTORS_MAX);
    KalExpr above = KAL_NO_EXPR;
    KalExpr below = KAL_NO_EXPR;
    if (kal_rational_is(f->k, 0)) {
        return kal_int(g, 0);
    }
    for (int i = 0; i < f->n; i++) {
        KalExponent x = f->exponent[i];
        if (x.num > 0) {
            above = times_power(g, above, f->base[i], x);
        } else {
            x.num = -x.num;
            below = times_power(g, below, f->base[i], x);
        }
    }
    if (g->status != KAL_OK) {
        return KAL_NO_EXPR;
    }
    if (below.index != 0) {
        above = above.index == 0 ? kal_int(g, 1) : above;
        above = kal_cons(g, KAL_OP_DIV, above, below, KAL_NO_EXPR);
    }
    return kal_scale(g, f->k, above);
}

// A product as a number times the rest.
KalTerm kal_split(const KalGraph *g, KalExpr e)
{
    const KalExprNode *n = kal_node(g, e);
    if (n->op == KAL_OP_CONST) {
        return (KalTerm){kal_graph_number(g, e), KAL_NO_EXPR};
    }
    if (n->op == KAL_OP_NEG) {
        return (KalTerm){
            {-1, 1, -1.0},
            n->arg[0]
        };
    }
    if (n->op == KAL_OP_MUL && kal_is_op(g, n->arg[0], KAL_OP_CONST)) {
        return (KalTerm){kal_graph_number(g, n->arg[0]), n->arg[1]};
    }
    return (KalTerm){
        {1, 1, 1.0},
        e
    };
}

KalExpr kal_scale(KalGraph *g, KalRational k, KalExpr rest)
{
    if (rest.index == 0 || kal_rational_is(k, 0)) {
        return g->status == KAL_OK ? kal_number(g, k) : KAL_NO_EXPR;
    }
    if (kal_rational_is(k, 1)) {
        return rest;
    }
    if (!kal_rational_is(k, -1)) {
        return kal_cons(g, KAL_OP_MUL, kal_number(g, k), rest, KAL_NO_EXPR);
    }
    const KalExprNode n = *kal_node(g, rest);
    return n.op == KAL_OP_SUB ? kal_cons(g, KAL_OP_SUB, n.arg[1], n.arg[0], KAL_NO_EXPR)
                              : kal_cons(g, KAL_OP_NEG, rest, KAL_NO_EXPR, KAL_NO_EXPR);
}

bool kal_find_negative(KalGraph *g, KalExpr e, KalExpr *out_negative)
{
    const KalExprNode *n = kal_node(g, e);
    if (n->op == KAL_OP_SUB) {
        const KalExpr other = kal_find(g, KAL_OP_SUB, n->arg[1], n->arg[0]);
        *out_negative = other;
        return other.index != 0 && other.index < e.index;
    }
    const KalTerm t = kal_split(g, e);
    if (t.k.value >= 0.0) {
        return false;
    }
    *out_negative = kal_scale(g, kal_rational_neg(t.k), t.rest);
    return true;
}

// k × e, where the number of e may be merged with k.
static KalExpr multiply(KalGraph *g, KalRational k, KalExpr e)
{
    const KalTerm t = kal_split(g, e);
    const KalRational both = kal_rational_mul(k, t.k);
    if (kal_rational_usable(both)) {
        return kal_scale(g, both, t.rest);
    }
    return kal_cons(g, KAL_OP_MUL, kal_number(g, k), e, KAL_NO_EXPR);
}

KalExpr kal_neg(KalGraph *g, KalExpr a)
{
    if (a.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_NEG, a, KAL_NO_EXPR, KAL_NO_EXPR);
    }
    return multiply(g, kal_rational(-1, 1), a);
}

// Factors of both sides are collected, so that powers of equal bases become one; a
// product of too many factors is left as it is.
KalExpr kal_mul(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index == 0 || b.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_MUL, a, b, KAL_NO_EXPR);
    }
    if (kal_is_op(g, a, KAL_OP_CONST)) {
        return multiply(g, kal_graph_number(g, a), b);
    }
    if (kal_is_op(g, b, KAL_OP_CONST)) {
        return multiply(g, kal_graph_number(g, b), a);
    }
    KalFactors f = kal_factors_none();
    if (kal_factors_add(g, &f, a, 1) && kal_factors_add(g, &f, b, 1)) {
        return kal_factors_build(g, &f);
    }
    return kal_cons(g, KAL_OP_MUL, a, b, KAL_NO_EXPR);
}

KalExpr kal_div(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index != 0 && kal_is_zero(g, b)) {
        return kal_spoil(g, KAL_ERR_NUMBER, a);
    }
    if (a.index == 0 || b.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_DIV, a, b, KAL_NO_EXPR);
    }
    KalFactors f = kal_factors_none();
    if (kal_factors_add(g, &f, a, 1) && kal_factors_add(g, &f, b, -1)) {
        return kal_factors_build(g, &f);
    }
    return kal_cons(g, KAL_OP_DIV, a, b, KAL_NO_EXPR);
}

KalExpr kal_powi(KalGraph *g, KalExpr a, int32_t n)
{
    if (a.index != 0 && n < 0 && kal_is_zero(g, a)) {
        return kal_spoil(g, KAL_ERR_NUMBER, kal_int(g, 1));
    }
    if (a.index != 0 && !g->plain) {
        KalFactors f = kal_factors_none();
        if (n == 0 || kal_factors_add(g, &f, a, n)) {
            return kal_factors_build(g, &f);
        }
    }
    return kal_cons(g, KAL_OP_POWI, a, (KalExpr){(uint32_t)n}, KAL_NO_EXPR);
}

// |k e| = |k| |e|; |e| is e where its form shows that it is not negative, and of e and −e
// one is chosen, so that both have the same absolute value.
KalExpr kal_absolute(KalGraph *g, KalExpr e)
{
    KalTerm t = kal_split(g, e);
    KalExpr negative;
    if (t.rest.index != 0
        && kal_sign_by_form(g, t.rest, KAL_SIGN_ANY, KAL_SIGN_ANY) == KAL_SIGN_ANY) {
        if (kal_find_negative(g, t.rest, &negative)) {
            t.rest = negative;
        }
        t.rest = kal_cons(g, KAL_OP_ABS, t.rest, KAL_NO_EXPR, KAL_NO_EXPR);
    }
    if (g->status != KAL_OK) {
        return KAL_NO_EXPR;
    }
    return kal_scale(g, t.k.value < 0.0 ? kal_rational_neg(t.k) : t.k, t.rest);
}

// Multiply by a^x, where x is no whole number: theory (8.4).  Products stay together,
// for the root of one may exist where those of its factors do not.
static bool add_root(KalGraph *g, KalFactors *f, KalExpr a, KalExponent x)
{
    assert(x.den > 1 && a.index != 0);
    Pending p;
    p.n = 0;
    const KalExprNode n = *kal_node(g, a);
    KalExponent whole = {0, 1};
    bool fits = true;
    if (n.op == KAL_OP_POWI) {
        const int32_t power = kal_node_exponent(&n);
        fits = add_exponent(&whole, (int64_t)power * x.num, x.den);
        a = power % 2 == 0 ? kal_absolute(g, n.arg[0]) : n.arg[0];
    } else if (n.op == KAL_OP_SQRT) {
        fits = add_exponent(&whole, x.num, 2 * (int64_t)x.den);
        a = n.arg[0];
    } else {
        whole = x;
    }
    if (a.index == 0 || !fits) {
        return false;
    }
    fits = whole.den == 1 ? push(&p, a, whole.num) : insert(g, f, &p, a, whole);
    while (fits && p.n > 0) {
        fits = take_apart(g, f, &p);
    }
    return fits;
}

// a^x for an x that is no whole number.  A number that is a square comes out of a square
// root.
static KalExpr fractional_power(KalGraph *g, KalExpr a, KalExponent x)
{
    assert(x.den > 1);
    KalFactors f = kal_factors_none();
    const KalTerm t = kal_split(g, a);
    KalExpr rest = a;
    KalRational root;
    if (x.den == 2 && t.k.value > 0.0 && kal_rational_find_sqrt(t.k, &root)) {
        f.k = kal_rational_pow(root, x.num);
        rest = t.rest;
    }
    const bool fits = rest.index == 0 || add_root(g, &f, rest, x);
    if (fits && kal_rational_usable(f.k)) {
        return kal_factors_build(g, &f);
    }
    if (x.num == 1 && x.den == 2) {
        return kal_cons(g, KAL_OP_SQRT, a, KAL_NO_EXPR, KAL_NO_EXPR);
    }
    const KalExpr exponent = kal_number(g, kal_rational(x.num, x.den));
    return kal_cons(g, KAL_OP_POW, a, exponent, KAL_NO_EXPR);
}

// An exponent that is a small fraction is written with whole powers and roots, which have
// rules; any other stays a general power.
KalExpr kal_pow(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index == 0 || b.index == 0 || g->plain || kal_is_int(g, a, 1)) {
        return kal_is_int(g, a, 1) && b.index != 0
                   ? a
                   : kal_cons(g, KAL_OP_POW, a, b, KAL_NO_EXPR);
    }
    if (!kal_is_op(g, b, KAL_OP_CONST)) {
        return kal_cons(g, KAL_OP_POW, a, b, KAL_NO_EXPR);
    }
    const KalRational x = kal_graph_number(g, b);
    if (x.value < 0.0 && kal_is_zero(g, a)) {
        return kal_spoil(g, KAL_ERR_NUMBER, kal_int(g, 1));
    }
    if (x.den == 0 || x.den > EXPONENT_MAX || x.num > EXPONENT_MAX
        || x.num < -EXPONENT_MAX) {
        return kal_cons(g, KAL_OP_POW, a, b, KAL_NO_EXPR);
    }
    return x.den == 1
               ? kal_powi(g, a, (int32_t)x.num)
               : fractional_power(g, a, (KalExponent){(int32_t)x.num, (int32_t)x.den});
}

KalExpr kal_sqrt(KalGraph *g, KalExpr a)
{
    if (a.index == 0 || g->plain) {
        return kal_cons(g, KAL_OP_SQRT, a, KAL_NO_EXPR, KAL_NO_EXPR);
    }
    return kal_is_zero(g, a) ? a : fractional_power(g, a, (KalExponent){1, 2});
}
