// SPDX-License-Identifier: MIT

// Results on the constraints: multiples of constraints are subtracted from their factors.
//
// What is zero on the constraints may be added to any polynomial.  A full reduction would
// take a Gröbner basis, which may be huge; here single multiples are subtracted as long as
// each leaves fewer terms, theory (11.12), and what the constraints give outright is put
// in.  A result may so get shorter on the constraints, or not; it stays right either way.

#include "closed/solver_impl.h"

#include <assert.h>

enum {
    ROUNDS_MAX = 8,    // multiples subtracted from one factor
    TERMS_MAX = 60,    // of a factor that is looked at
    RELATIONS_MAX = 24 // polynomials that are zero on the constraints
};

typedef struct Relations {
    KalPoly p[RELATIONS_MAX];
    int n;
} Relations;

static bool is_parameter(const KalSolver *s, int v)
{
    assert(v >= 0 && v < kal_field_atoms(s->field));
    const KalExpr atom = kal_field_atom(s->field, v);
    const KalExprNode node = kal_graph_node(s->sheet->g, atom);
    const KalModel *model = s->eq->model;
    return node.op == KAL_OP_SYMBOL && node.arg[0].index < model->n_symbols
           && model->symbols[node.arg[0].index].kind == KAL_SYMBOL_PARAMETER;
}

// A parameter or time.
static bool is_given(const KalSolver *s, int v)
{
    const KalExprNode node = kal_graph_node(s->sheet->g, kal_field_atom(s->field, v));
    return is_parameter(s, v)
           || (node.op == KAL_OP_SYMBOL && node.arg[0].index < s->eq->model->n_symbols
               && s->eq->model->symbols[node.arg[0].index].kind == KAL_SYMBOL_TIME);
}

static bool has_only_given(const KalSolver *s, KalPoly p)
{
    for (int v = 0; v < kal_field_atoms(s->field); v++) {
        if (kal_poly_degree(s->ring, p, v) > 0 && !is_given(s, v)) {
            return false;
        }
    }
    return true;
}

static bool has_only_parameters(const KalSolver *s, KalPoly p)
{
    for (int v = 0; v < kal_field_atoms(s->field); v++) {
        if (kal_poly_degree(s->ring, p, v) > 0 && !is_parameter(s, v)) {
            return false;
        }
    }
    return true;
}

static KalStatus add_relation(const KalSolver *s, KalExpr e, Relations *zero)
{
    assert(zero->n >= 0);
    KalFraction residual;
    if (e.index == 0 || zero->n == RELATIONS_MAX) {
        return KAL_OK;
    }
    KAL_TRY(kal_field_read(s->field, e, &residual));
    const KalPoly reduced = kal_field_contract(s->field, residual.above);
    assert(zero->n < RELATIONS_MAX);
    if (!kal_field_is_zero(s->field, reduced)) {
        zero->p[zero->n++] = reduced;
    }
    return KAL_OK;
}

// A fraction μ f − ν p over μ in which a term of f and one of p are gone: theory (11.12).
static bool subtract(const KalSolver *s, KalPoly f, KalPoly p, const KalPolyTerm ft[1],
                     const KalPolyTerm pt[1], KalFraction *out)
{
    assert(ft->coefficient != 0 && pt->coefficient != 0);
    KalRing *ring = s->ring;
    const KalPoly t = kal_poly_term(ring, ft);
    const KalPoly u = kal_poly_term(ring, pt);
    const KalPoly common = kal_poly_gcd(ring, t, u);
    KalPoly mu = KAL_NO_POLY;
    KalPoly nu = KAL_NO_POLY;
    if (!kal_poly_divide(ring, u, common, &mu) || !kal_poly_divide(ring, t, common, &nu)
        || !has_only_parameters(s, mu)) {
        return false;
    }
    out->above =
        kal_poly_sub(ring, kal_poly_mul(ring, mu, f), kal_poly_mul(ring, nu, p));
    out->above = kal_field_contract(s->field, out->above);
    out->below = mu;
    return kal_ring_is_sound(ring);
}

// The multiple of one relation that leaves fewest terms of f, if these are fewer.
static bool find_multiple(const KalSolver *s, KalPoly f, KalPoly p, KalFraction *out)
{
    assert(out);
    KalRing *ring = s->ring;
    int fewest = kal_poly_terms(ring, f);
    bool found = false;
    for (int i = 0; i < kal_poly_terms(ring, f); i++) {
        for (int j = 0; j < kal_poly_terms(ring, p); j++) {
            KalPolyTerm t;
            KalPolyTerm u;
            KalFraction left;
            if (kal_poly_get(ring, f, i, &t) && kal_poly_get(ring, p, j, &u)
                && subtract(s, f, p, &t, &u, &left)
                && kal_poly_terms(ring, left.above) < fewest) {
                fewest = kal_poly_terms(ring, left.above);
                *out = left;
                found = true;
            }
        }
    }
    return found;
}

// What a factor is on the constraints; false when it gets no shorter.
static bool shorten_factor(const KalSolver *s, const Relations *zero, KalPoly f,
                           KalFraction *out)
{
    assert(zero->n <= RELATIONS_MAX);
    KalFraction now = {f, kal_poly_int(s->ring, 1)};
    bool shorter = false;
    bool more = kal_poly_terms(s->ring, f) <= TERMS_MAX;
    for (int round = 0; round < ROUNDS_MAX && more; round++) {
        more = false;
        for (int i = 0; i < zero->n && kal_poly_terms(s->ring, now.above) > 1; i++) {
            KalFraction next;
            if (find_multiple(s, now.above, zero->p[i], &next)) {
                next.below = kal_poly_mul(s->ring, next.below, now.below);
                now = kal_fraction_cancel(s->field, next);
                more = true;
                shorter = true;
            }
        }
    }
    *out = now;
    return shorter;
}

// Π of the factors of p on the constraints; `changed` if any of them is shorter.
static KalFraction shorten_product(const KalSolver *s, const Relations *zero, KalPoly p,
                                   bool *changed)
{
    if (kal_poly_is_zero(s->ring, p)) {
        return kal_fraction_int(s->field, 0);
    }
    const KalPolyFactors f = kal_poly_factor(s->ring, p);
    KalFraction product = {f.constant, kal_poly_int(s->ring, 1)};
    for (int i = 0; i < f.n; i++) {
        KalFraction factor = {f.factor[i], kal_poly_int(s->ring, 1)};
        *changed = shorten_factor(s, zero, f.factor[i], &factor) || *changed;
        for (int32_t k = 0; k < f.power[i]; k++) {
            product = kal_fraction_mul(s->field, product, factor);
        }
    }
    return product;
}

// Whether b has no denominators that a has not, but for parameters.
static bool has_no_new_poles(const KalSolver *s, KalFraction a, KalFraction b)
{
    KalPoly left = b.below;
    const KalPoly common = kal_poly_gcd(s->ring, a.below, b.below);
    return kal_poly_divide(s->ring, b.below, common, &left)
           && has_only_parameters(s, left);
}

// p(v = a), where a is a fraction.
static KalFraction put_value(const KalSolver *s, KalPoly p, int v, KalFraction a)
{
    assert(v >= 0);
    const int32_t degree = kal_poly_degree(s->ring, p, v);
    const KalPoly above = kal_poly_substitute(s->ring, p, v, a.above, a.below);
    const KalPoly below = kal_poly_pow(s->ring, a.below, degree > 0 ? degree : 0);
    return kal_fraction_cancel(s->field, (KalFraction){above, below});
}

// If p = 0 says that v is made of parameters and time alone, put that for it.
static bool put_given(const KalSolver *s, KalPoly p, int v, KalFraction *a)
{
    KalPoly slope;
    KalPoly rest;
    if (is_given(s, v)
        || (kal_poly_degree(s->ring, a->above, v) <= 0
            && kal_poly_degree(s->ring, a->below, v) <= 0)
        || !kal_poly_is_linear(s->ring, p, v, &slope, &rest)
        || !has_only_parameters(s, slope) || !has_only_given(s, rest)) {
        return false;
    }
    const KalFraction value = {kal_poly_neg(s->ring, rest), slope};
    const KalFraction above = put_value(s, a->above, v, value);
    const KalFraction below = put_value(s, a->below, v, value);
    if (kal_field_is_zero(s->field, below.above)) {
        return false;
    }
    *a = kal_fraction_div(s->field, above, below);
    return true;
}

static bool put_all_given(const KalSolver *s, const Relations *zero, KalFraction *a)
{
    bool changed = false;
    for (int i = 0; i < zero->n; i++) {
        for (int v = 0; v < kal_field_atoms(s->field); v++) {
            changed = put_given(s, zero->p[i], v, a) || changed;
        }
    }
    return changed;
}

// The shorter form counts only if it has no poles that the first one has not: on the
// constraints both are the same, but near a pole neither would be of use.
static void shorten(const KalSolver *s, const Relations *zero, KalSolved *r)
{
    assert(zero->n > 0);
    KalFraction a = r->value;
    bool changed = put_all_given(s, zero, &a);
    if (kal_poly_is_zero(s->ring, r->value.above)) {
        return;
    }
    const KalFraction above = shorten_product(s, zero, a.above, &changed);
    const KalFraction below = shorten_product(s, zero, a.below, &changed);
    if (!changed || !kal_ring_is_sound(s->ring)
        || kal_field_is_zero(s->field, below.above)) {
        return;
    }
    const KalFraction b =
        kal_field_shorten(s->field, kal_fraction_div(s->field, above, below));
    if (kal_fraction_is_sound(s->field, b) && has_no_new_poles(s, r->value, b)
        && kal_field_length(s->field, b) <= kal_field_length(s->field, r->value)) {
        r->on = b;
        r->has_on = true;
    }
}

KalStatus kal_solver_use_constraints(KalSolver *s, const KalExpr *residuals, size_t n)
{
    assert(residuals || n == 0);
    Relations zero = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(add_relation(s, residuals[i], &zero));
    }
    for (size_t i = 0; i < s->n_solved && zero.n > 0; i++) {
        shorten(s, &zero, &s->solved[i]);
    }
    return kal_ring_status(s->ring);
}
