// SPDX-License-Identifier: MIT

// What is known of the atoms of a field, theory (11.1), and its use to shorten fractions.
//
// A relation says what the square of a variable is: sin² = 1 − cos², r² = u.  It is
// used forward to decide equality, where it makes polynomials unique, and in either
// direction to make them shorter.  No relation is used on a variable that its own
// square contains, so that reducing ends.

#include "algebra/field_impl.h"

#include <assert.h>

enum {
    ROUNDS_MAX = 8, // how often relations are tried again after one has helped
    JOIN_MAX = 60   // terms of a polynomial whose pairs are looked at
};

static void relate(KalField *field, KalRelation known)
{
    assert(known.v >= 0 && known.v < field->n_atoms && known.w < field->n_atoms);
    if (field->n_relations < KAL_FIELD_RELATIONS) {
        field->relation[field->n_relations++] = known;
    }
}

// sin² = 1 − cos² and sinh² = cosh² − 1, to be used forward, with the same for the
// partner, to be used back only.
void kal_field_relate_pair(KalField *field, int v)
{
    assert(v >= 0 && v < field->n_atoms);
    const KalExprNode n = *kal_node(field->g, field->atom[v]);
    const bool round = n.op == KAL_OP_SIN;
    if (!round && n.op != KAL_OP_SINH) {
        return;
    }
    const KalExpr partner =
        kal_find(field->g, round ? KAL_OP_COS : KAL_OP_COSH, n.arg[0], KAL_NO_EXPR);
    const int w = kal_field_find(field, partner);
    if (w >= 0) {
        const int one = round ? 1 : -1;
        relate(field, (KalRelation){v, w, one, -one, KAL_NO_POLY, KAL_USE_FORWARD});
        relate(field, (KalRelation){w, v, 1, -one, KAL_NO_POLY, KAL_USE_BACK});
    }
}

// a with every v² replaced.  The squares of partners are made when they are needed, for
// writing finds new ones, and what it makes in the ring does not last.
static KalPoly apply(KalField *field, const KalRelation *known, KalPoly a)
{
    assert(known->v >= 0);
    KalRing *ring = field->ring;
    if (kal_poly_degree(ring, a, known->v) < 2) {
        return a;
    }
    KalPoly square = known->square;
    if (known->w >= 0) {
        const KalPoly w2 = kal_poly_pow(ring, kal_poly_variable(ring, known->w), 2);
        const KalPoly one = kal_poly_int(ring, known->one);
        square =
            known->sign < 0 ? kal_poly_sub(ring, one, w2) : kal_poly_add(ring, one, w2);
    }
    return kal_poly_reduce(ring, a, known->v, square);
}

// With r² = u: a variable whose square is a term of u, and which is nowhere else in u, may
// go for r.
static void relate_back(KalField *field, int r, KalPoly u)
{
    assert(r >= 0 && r < field->n_atoms);
    KalRing *ring = field->ring;
    const KalPoly r2 = kal_poly_pow(ring, kal_poly_variable(ring, r), 2);
    KalUse use = KAL_USE_BACK;
    for (int v = 0; v < field->n_atoms; v++) {
        const KalPoly x2 = kal_poly_pow(ring, kal_poly_variable(ring, v), 2);
        const KalPoly rest = kal_poly_sub(ring, u, x2);
        if (kal_poly_degree(ring, u, v) == 2 && kal_poly_degree(ring, rest, v) <= 0) {
            const KalPoly square = kal_poly_sub(ring, r2, rest);
            relate(field, (KalRelation){v, -1, 0, 0, square, use});
            use = KAL_USE_TRY;
        }
    }
}

// A formula below a root; without denominator where it cannot be read.
static KalFraction read(KalField *field, KalExpr e)
{
    KalFraction a = {KAL_NO_POLY, KAL_NO_POLY};
    kal_field_note(field, kal_field_read(field, e, &a));
    return a;
}

static KalFraction square_of(KalField *field, KalExpr e)
{
    const KalFraction a = read(field, e);
    return kal_fraction_mul(field, a, a);
}

// (√u)² = u, hypot(a, b)² = a² + b², |u|² = u².
static void relate_root(KalField *field, int r)
{
    assert(r >= 0 && r < field->n_atoms);
    const KalExprNode n = *kal_node(field->g, field->atom[r]);
    KalFraction u;
    if (n.op == KAL_OP_SQRT) {
        u = read(field, n.arg[0]);
    } else if (n.op == KAL_OP_HYPOT) {
        u = kal_fraction_add(field, square_of(field, n.arg[0]),
                             square_of(field, n.arg[1]));
    } else if (n.op == KAL_OP_ABS) {
        u = square_of(field, n.arg[0]);
    } else {
        return;
    }
    if (kal_poly_is_one(field->ring, u.below)
        && kal_poly_degree(field->ring, u.above, r) <= 0) {
        relate(field, (KalRelation){r, -1, 0, 0, u.above, KAL_USE_FORWARD});
        relate_back(field, r, u.above);
    }
}

// Roots come first, the outermost of them foremost, for their squares hold other atoms.
void kal_field_relate(KalField *field)
{
    for (int v = field->n_atoms; v-- > 0;) {
        relate_root(field, v);
    }
    for (int v = 0; v < field->n_atoms; v++) {
        kal_field_relate_pair(field, v);
    }
}

// The polynomial with all relations of a use applied.
static KalPoly apply_all(KalField *field, KalPoly a, KalUse use)
{
    for (int i = 0; i < field->n_relations; i++) {
        if (field->relation[i].use == use) {
            a = apply(field, &field->relation[i], a);
        }
    }
    return a;
}

KalPoly kal_field_reduce(KalField *field, KalPoly a)
{
    return apply_all(field, a, KAL_USE_FORWARD);
}

bool kal_field_is_zero(KalField *field, KalPoly a)
{
    const uint32_t mark = kal_ring_mark(field->ring);
    const bool zero = kal_poly_is_zero(field->ring, kal_field_reduce(field, a));
    kal_ring_release(field->ring, mark, NULL, 0);
    return zero;
}

// Greedily: a relation that leaves fewer terms is applied, until none does.
KalPoly kal_field_contract(KalField *field, KalPoly a)
{
    KalRing *ring = field->ring;
    bool better = true;
    for (int round = 0; better && round < ROUNDS_MAX; round++) {
        better = false;
        for (int i = 0; i < field->n_relations; i++) {
            const KalPoly b = apply(field, &field->relation[i], a);
            if (kal_poly_terms(ring, b) < kal_poly_terms(ring, a)) {
                a = b;
                better = true;
            }
        }
    }
    return a;
}

// The exponents of a sine and cosine of two angles in a product of two of them.
typedef struct Angles {
    int s[2];
    int c[2];
} Angles;

// What is left of a term when sin or cos of both angles is taken from it: sines says
// which.  False if they are not in it.
static bool take(const KalPolyTerm *term, const Angles *angles, int sines,
                 KalPolyTerm *out_left)
{
    *out_left = *term;
    for (int i = 0; i < 2; i++) {
        const int v = sines >> i & 1 ? angles->s[i] : angles->c[i];
        assert(v >= 0);
        if (out_left->exponent[v] == 0) {
            return false;
        }
        out_left->exponent[v]--;
    }
    return true;
}

static bool same_exponents(const KalRing *ring, const KalPolyTerm *a,
                           const KalPolyTerm *b)
{
    for (int v = 0; v < kal_ring_variables(ring); v++) {
        if (a->exponent[v] != b->exponent[v]) {
            return false;
        }
    }
    return true;
}

// sin or cos of the sum or difference of the angles as a variable, −1 if there is none
// left, and the sign that comes with it.
static int joined(KalField *field, const Angles *angles, KalOp op, bool minus,
                  int *out_sign)
{
    KalGraph *g = field->g;
    const KalExpr a = kal_node(g, field->atom[angles->s[0]])->arg[0];
    const KalExpr b = kal_node(g, field->atom[angles->s[1]])->arg[0];
    const KalExpr angle = minus ? kal_sub(g, a, b) : kal_add(g, a, b);
    const KalTerm term = angle.index == 0 ? (KalTerm){{1, 1, 1.0}, KAL_NO_EXPR}
                                          : kal_split(g, kal_unary(g, op, angle));
    *out_sign = kal_rational_is(term.k, -1) ? -1 : 1;
    if (term.rest.index == 0 || (term.k.num != 1 && term.k.num != -1) || term.k.den != 1
        || !kal_is_op(g, term.rest, op)) {
        return -1;
    }
    const KalExpr inner = kal_node(g, term.rest)->arg[0];
    const KalOp other = op == KAL_OP_SIN ? KAL_OP_COS : KAL_OP_SIN;
    const KalExpr partner = kal_cons(g, other, inner, KAL_NO_EXPR, KAL_NO_EXPR);
    const int before = field->n_atoms;
    const int v = kal_field_add(field, term.rest);
    const int w = kal_field_add(field, partner);
    if (v >= 0 && w >= 0 && field->n_atoms > before) {
        kal_field_relate_pair(field, op == KAL_OP_SIN ? v : w);
    }
    return v;
}

// Two terms k c cos a cos b ± k c sin a sin b, or k c sin a cos b ± k c cos a sin b, as one
// term in place of the first: theory (11.4).
static bool join_terms(KalField *field, const Angles *angles, KalPolyTerm *x,
                       const KalPolyTerm *y)
{
    assert(x->coefficient != 0 && y->coefficient != 0);
    KalPolyTerm left;
    KalPolyTerm right;
    if (x->coefficient != y->coefficient && x->coefficient != -y->coefficient) {
        return false;
    }
    const bool equal = x->coefficient == y->coefficient;
    for (int sines = 0; sines < 2; sines++) { // of x; y has the others
        if (!take(x, angles, sines, &left) || !take(y, angles, 3 - sines, &right)
            || !same_exponents(field->ring, &left, &right)) {
            continue;
        }
        int sign;
        const KalOp op = sines == 0 ? KAL_OP_COS : KAL_OP_SIN;
        const int v = joined(field, angles, op, (op == KAL_OP_COS) == equal, &sign);
        if (v < 0) {
            return false;
        }
        *x = left;
        x->exponent[v]++;
        x->coefficient = sign < 0 ? -x->coefficient : x->coefficient;
        return true;
    }
    return false;
}

static KalPoly replace_terms(KalField *field, KalPoly a, const KalPolyTerm *x,
                             const KalPolyTerm *y, const KalPolyTerm *by)
{
    KalRing *ring = field->ring;
    a = kal_poly_sub(ring, a, kal_poly_term(ring, x));
    a = kal_poly_sub(ring, a, kal_poly_term(ring, y));
    return kal_poly_add(ring, a, kal_poly_term(ring, by));
}

// Join one pair of terms of a.  False when there is none.
static bool join_once(KalField *field, const Angles *angles, KalPoly *a)
{
    const int n = kal_poly_terms(field->ring, *a);
    for (int i = 0; i < n; i++) {
        KalPolyTerm x;
        for (int j = 0; j < n && kal_poly_get(field->ring, *a, i, &x); j++) {
            KalPolyTerm y;
            KalPolyTerm one = x;
            if (i != j && kal_poly_get(field->ring, *a, j, &y)
                && join_terms(field, angles, &one, &y)) {
                *a = replace_terms(field, *a, &x, &y, &one);
                return true;
            }
        }
    }
    return false;
}

// Two sines with their cosines that a polynomial has in it, such as those of sums of
// angles.
static bool find_angles(const KalField *field, int s, int t, KalPoly a, Angles *out)
{
    assert(s >= 0 && t >= 0 && s != t);
    const KalExprNode *x = kal_node(field->g, field->atom[s]);
    const KalExprNode *y = kal_node(field->g, field->atom[t]);
    if (x->op != KAL_OP_SIN || y->op != KAL_OP_SIN
        || kal_poly_degree(field->ring, a, s) < 1
        || kal_poly_degree(field->ring, a, t) < 1) {
        return false;
    }
    const KalExpr c = kal_find(field->g, KAL_OP_COS, x->arg[0], KAL_NO_EXPR);
    const KalExpr d = kal_find(field->g, KAL_OP_COS, y->arg[0], KAL_NO_EXPR);
    *out = (Angles){
        {s,                     t },
        { kal_field_find(field, c), kal_field_find(field, d)}
    };
    return out->c[0] >= 0 && out->c[1] >= 0
           && kal_poly_degree(field->ring, a, out->c[0]) > 0
           && kal_poly_degree(field->ring, a, out->c[1]) > 0;
}

// Join all pairs of terms that have angles s and t.
static KalPoly join_pairs(KalField *field, int s, int t, KalPoly a)
{
    Angles angles;
    if (find_angles(field, s, t, a, &angles)) {
        while (join_once(field, &angles, &a)) {
            a = kal_field_contract(field, a);
        }
    }
    return a;
}

KalPoly kal_field_join_angles(KalField *field, KalPoly a)
{
    const int n = field->n_atoms;
    if (kal_poly_terms(field->ring, a) > JOIN_MAX) {
        return a;
    }
    for (int s = 0; s < n; s++) {
        for (int t = s + 1; t < n; t++) {
            a = join_pairs(field, s, t, a);
        }
    }
    return a;
}

// The same for each factor by itself, for relations between products are hard to see.
static KalPoly contract_factors(KalField *field, KalPoly a)
{
    KalRing *ring = field->ring;
    if (kal_poly_is_zero(ring, a)) {
        return a;
    }
    const KalPolyFactors f = kal_poly_factor(ring, a);
    KalPoly product = f.constant;
    for (int i = 0; i < f.n; i++) {
        const KalPoly factor = kal_field_contract(field, f.factor[i]);
        product = kal_poly_mul(ring, product, kal_poly_pow(ring, factor, f.power[i]));
    }
    return product;
}

// One candidate: relations applied in a way, what is common canceled, then terms joined.
static KalFraction candidate(KalField *field, KalFraction a, int way)
{
    assert(way >= 0 && way < 4);
    if (way == 2 || way == 3) {
        const KalUse use = way == 2 ? KAL_USE_FORWARD : KAL_USE_BACK;
        a.above = apply_all(field, a.above, use);
        a.below = apply_all(field, a.below, use);
        a = kal_fraction_cancel(field, a);
    }
    if (way > 0) {
        a.above = contract_factors(field, a.above);
        a.below = contract_factors(field, a.below);
        a = kal_fraction_cancel(field, a);
    }
    return a;
}

static int count_terms(const KalField *field, KalFraction a)
{
    return kal_poly_terms(field->ring, a.above) + kal_poly_terms(field->ring, a.below);
}

// Several ways to apply the relations, the shortest text wins: which way is best depends on
// the formula, and no rule that looks at polynomials tells.
KalFraction kal_field_shorten(KalField *field, KalFraction a)
{
    const uint32_t mark = kal_ring_mark(field->ring);
    size_t shortest = SIZE_MAX;
    KalFraction best = a;
    for (int way = 0; way < 4 && kal_ring_is_sound(field->ring); way++) {
        const KalFraction b = candidate(field, a, way);
        if (!kal_fraction_is_sound(field, b)
            || (way > 0 && kal_poly_same(field->ring, b.above, best.above)
                && kal_poly_same(field->ring, b.below, best.below))) {
            continue;
        }
        const size_t length = kal_field_length(field, b);
        // What cancels in the text only is better canceled here.
        if (length < shortest
            || (length == shortest
                && count_terms(field, b) < count_terms(field, best))) {
            shortest = length;
            best = b;
        }
    }
    KalPoly kept[2] = {best.above, best.below};
    kal_ring_release(field->ring, mark, kept, 2);
    return (KalFraction){kept[0], kept[1]};
}
