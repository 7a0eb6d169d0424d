// SPDX-License-Identifier: MIT

// Phases: what exponentials and waves are functions of, as sums of rational numbers times
// monomials in symbols.  e^u is then the product of e^(m/d) to whole powers over the terms of
// u, which gives e^(a + b) = e^a e^b and the theorems of addition without being told them:
// theory (10.4).
//
// Monomials have numbers, found by a hash table; terms of all phases lie in one pool.  What is
// no such sum, or grows beyond the limits, is a monomial of its own.
//
// Invariant: the terms of a phase are sorted by monomial, none twice, none zero.

#include "zero/phase.h"

#include "expr/node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TERMS_MAX = 1024,     // of one phase
    MONOMIALS_MAX = 4096, // in all
    FACTORS_MAX = 8,      // of one monomial
    EXPONENT_MAX = 64,
    POOL_MAX = 1 << 20 // terms in all
};

static const uint32_t pi_symbol = UINT32_MAX;
static const uint32_t node_symbol = UINT32_C(1) << 31; // and above: nodes as symbols

// symbol ^ exponent; factors of a monomial are sorted by symbol.
typedef struct Factor {
    uint32_t symbol;
    int32_t exponent;
} Factor;

typedef struct Monomial {
    Factor factors[FACTORS_MAX];
    uint32_t n;
} Monomial;

typedef struct Place {
    uint32_t start;
    uint32_t n;
} Place;

// A phase on its way: `made` is the last stretch of the pool.
typedef struct Making {
    KalContext *ctx;
    KalPhases *phases;
    KalPhase made;
    KalStatus status;
    bool fits;
} Making;

void kal_phases_clear(KalContext *ctx, KalPhases *phases)
{
    kal_block_clear(ctx, &phases->terms);
    kal_block_clear(ctx, &phases->monomials);
    kal_block_clear(ctx, &phases->factors);
    kal_index_clear(ctx, &phases->index);
}

static const KalPhaseTerm *term_at(const KalPhases *phases, uint32_t at)
{
    return (const KalPhaseTerm *)phases->terms.data + at;
}

const KalPhaseTerm *kal_phase_terms(const KalPhases *phases, KalPhase phase)
{
    return term_at(phases, phase.start);
}

static Monomial monomial_at(const KalPhases *phases, uint32_t number)
{
    assert(number < phases->monomials.size / sizeof(Place));
    const Place place = ((const Place *)phases->monomials.data)[number];
    Monomial m = {.n = place.n};
    if (place.n > 0) {
        memcpy(m.factors, (const Factor *)phases->factors.data + place.start,
               place.n * sizeof *m.factors);
    }
    return m;
}

bool kal_phase_is_pi(const KalPhases *phases, uint32_t monomial)
{
    const Monomial m = monomial_at(phases, monomial);
    return m.n == 1 && m.factors[0].symbol == pi_symbol && m.factors[0].exponent == 1;
}

bool kal_phase_is_one(const KalPhases *phases, uint32_t monomial)
{
    return monomial_at(phases, monomial).n == 0;
}

KalExpr kal_phase_node(const KalPhases *phases, uint32_t monomial)
{
    const Monomial m = monomial_at(phases, monomial);
    const bool node = m.n == 1 && m.factors[0].exponent == 1
                      && m.factors[0].symbol >= node_symbol
                      && m.factors[0].symbol != pi_symbol;
    return node ? (KalExpr){m.factors[0].symbol - node_symbol} : KAL_NO_EXPR;
}

bool kal_phase_is_pure(const KalPhases *phases, uint32_t monomial)
{
    const Monomial m = monomial_at(phases, monomial);
    bool pure = true;
    for (uint32_t i = 0; i < m.n; i++) {
        const uint32_t symbol = m.factors[i].symbol;
        pure = pure && (symbol < node_symbol || symbol == pi_symbol);
    }
    return pure;
}

static bool same_monomial(const Monomial *a, const Monomial *b)
{
    assert(a->n <= FACTORS_MAX && b->n <= FACTORS_MAX);
    return a->n == b->n
           && (a->n == 0
               || memcmp(a->factors, b->factors, a->n * sizeof *a->factors) == 0);
}

static size_t monomial_count(const KalPhases *phases)
{
    return phases->monomials.size / sizeof(Place);
}

static uint32_t hash_of(const Monomial *m)
{
    uint32_t hash = m->n;
    for (uint32_t i = 0; i < m->n; i++) {
        hash = kal_hash((uint64_t)hash << 32 | m->factors[i].symbol,
                        (uint64_t)m->factors[i].exponent);
    }
    return hash;
}

static uint32_t hash_at(const void *owner, uint32_t number)
{
    const Monomial m = monomial_at((const KalPhases *)owner, number);
    return hash_of(&m);
}

static KalStatus add_monomial(KalContext *ctx, KalPhases *phases, const Monomial *m,
                              uint32_t hash)
{
    assert(m->n <= FACTORS_MAX);
    const Place place = {(uint32_t)(phases->factors.size / sizeof(Factor)), m->n};
    const uint32_t number = (uint32_t)monomial_count(phases);
    const KalHashes hashes = {hash_at, phases};
    if (!kal_index_reserve(ctx, &phases->index, number, &hashes)) {
        return kal_no_memory(ctx, "to compare formulas");
    }
    KAL_TRY(
        kal_block_add(ctx, &phases->factors, m->factors, m->n * sizeof *m->factors));
    KAL_TRY(kal_block_add(ctx, &phases->monomials, &place, sizeof place));
    kal_index_put(&phases->index, hash, number);
    return KAL_OK;
}

// The number of a monomial, which is added if it is new; 0 if that fails.
static uint32_t number_of(Making *making, const Monomial *m)
{
    assert(m->n <= sizeof m->factors / sizeof m->factors[0]);
    KalPhases *phases = making->phases;
    if (making->status != KAL_OK) {
        return 0;
    }
    const uint32_t hash = hash_of(m);
    size_t at = kal_index_begin(&phases->index, hash);
    for (uint32_t i = 0; kal_index_next(&phases->index, hash, &at, &i);) {
        const Monomial other = monomial_at(phases, i);
        if (same_monomial(&other, m)) {
            return i;
        }
    }
    const uint32_t count = (uint32_t)monomial_count(phases);
    making->fits = making->fits && count < MONOMIALS_MAX;
    if (!making->fits) {
        return 0;
    }
    making->status = add_monomial(making->ctx, phases, m, hash);
    return making->status == KAL_OK ? count : 0;
}

// Append a term, in any order.
static void add_term(Making *making, KalPhaseTerm term)
{
    const size_t pool = making->phases->terms.size / sizeof term;
    making->fits = making->fits && term.k.den > 0 && making->made.count < TERMS_MAX
                   && pool < POOL_MAX;
    if (making->fits && making->status == KAL_OK) {
        making->status =
            kal_block_add(making->ctx, &making->phases->terms, &term, sizeof term);
        making->made.count++;
    }
}

static int compare_terms(const void *a, const void *b)
{
    const KalPhaseTerm *x = a;
    const KalPhaseTerm *y = b;
    return (x->monomial > y->monomial) - (x->monomial < y->monomial);
}

// Sort the terms made, join those of one monomial, drop zeros.
static KalPhase finish(Making *making)
{
    KalBlock *pool = &making->phases->terms;
    const uint32_t count = making->made.count;
    if (!making->fits || making->status != KAL_OK || count == 0) {
        return making->made;
    }
    KalPhaseTerm *terms = (KalPhaseTerm *)pool->data + making->made.start;
    qsort(terms, count, sizeof *terms, compare_terms);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count;) {
        KalPhaseTerm sum = terms[i++];
        while (i < count && terms[i].monomial == sum.monomial) {
            sum.k = kal_rational_add(sum.k, terms[i++].k);
        }
        making->fits = making->fits && sum.k.den > 0;
        if (!kal_rational_is(sum.k, 0)) {
            terms[used++] = sum;
        }
    }
    pool->size = (making->made.start + used) * sizeof *terms;
    making->made.count = used;
    assert(used <= count);
    return making->made;
}

// Append k a.
static void add_scaled(Making *making, KalPhase a, KalRational k)
{
    for (uint32_t i = 0; i < a.count; i++) {
        const KalPhaseTerm term = *term_at(making->phases, a.start + i);
        const KalPhaseTerm part = {kal_rational_mul(term.k, k), term.monomial};
        add_term(making, part);
    }
}

// The product of two monomials, the second one to a power of ±1.
static Monomial times(Making *making, Monomial a, Monomial b, int sign)
{
    assert(sign == 1 || sign == -1);
    Monomial m = {.n = 0};
    uint32_t i = 0;
    uint32_t j = 0;
    while (making->fits && (i < a.n || j < b.n)) {
        const uint64_t x = i < a.n ? a.factors[i].symbol : UINT64_MAX;
        const uint64_t y = j < b.n ? b.factors[j].symbol : UINT64_MAX;
        Factor factor = {(uint32_t)(x < y ? x : y), 0};
        factor.exponent += x <= y ? a.factors[i++].exponent : 0;
        factor.exponent += y <= x ? sign * b.factors[j++].exponent : 0;
        making->fits = m.n < FACTORS_MAX && factor.exponent <= EXPONENT_MAX
                       && factor.exponent >= -EXPONENT_MAX;
        if (making->fits && factor.exponent != 0) {
            m.factors[m.n++] = factor;
        }
    }
    assert(!making->fits || m.n <= FACTORS_MAX);
    return m;
}

// a times, or divided by, each term of b.
static KalPhase multiply(Making *making, KalPhase a, KalPhase b, int sign)
{
    assert(sign == 1 || sign == -1);
    const KalPhases *phases = making->phases;
    making->made =
        (KalPhase){.start = (uint32_t)(phases->terms.size / sizeof(KalPhaseTerm))};
    making->fits = making->fits && (uint64_t)a.count * b.count <= TERMS_MAX;
    for (uint32_t i = 0; i < a.count * b.count && making->fits; i++) {
        const KalPhaseTerm x = *term_at(phases, a.start + i / b.count);
        const KalPhaseTerm y = *term_at(phases, b.start + i % b.count);
        const Monomial m = times(making, monomial_at(phases, x.monomial),
                                 monomial_at(phases, y.monomial), sign);
        const KalRational k =
            sign > 0 ? kal_rational_mul(x.k, y.k) : kal_rational_div(x.k, y.k);
        const KalPhaseTerm product = {k, making->fits ? number_of(making, &m) : 0};
        add_term(making, product);
    }
    return finish(making);
}

static KalPhase power(Making *making, KalPhase a, int32_t n)
{
    KalPhase product = a;
    making->fits = n >= 1 && n <= EXPONENT_MAX;
    for (int32_t i = 1; i < n && making->fits && making->status == KAL_OK; i++) {
        product = multiply(making, product, a, 1);
    }
    return product;
}

// A number times at most one symbol.
static KalPhase leaf(Making *making, KalRational k, const Monomial *m)
{
    const KalPhaseTerm term = {k, number_of(making, m)};
    add_term(making, term);
    return finish(making);
}

static KalPhase make_leaf(Making *making, const KalGraph *g, KalExpr e)
{
    assert(kal_op_arity((KalOp)kal_node(g, e)->op) == 0);
    const KalExprNode *n = kal_node(g, e);
    if (n->op == KAL_OP_CONST) {
        return leaf(making, kal_graph_number(g, e), &(Monomial){.n = 0});
    }
    const uint32_t symbol = n->op == KAL_OP_SYMBOL ? n->arg[0].index : pi_symbol;
    return leaf(making, kal_rational(1, 1), &(Monomial){{{symbol, 1}}, 1});
}

// a + b, a − b or −a.
static KalPhase make_sum(Making *making, KalOp op, KalPhase a, KalPhase b)
{
    assert(kal_op_kind(op) == KAL_KIND_SUM);
    const KalRational one = kal_rational(1, 1);
    const KalRational minus = kal_rational(-1, 1);
    add_scaled(making, a, op == KAL_OP_NEG ? minus : one);
    if (op != KAL_OP_NEG) {
        add_scaled(making, b, op == KAL_OP_ADD ? one : minus);
    }
    return finish(making);
}

// A phase from those of the operands, as far as it is a sum of monomials; `fits` is false
// where it is not.
static KalPhase make(Making *making, const KalGraph *g, KalExpr e,
                     const KalPhase operands[3])
{
    const KalExprNode *n = kal_node(g, e);
    const KalOp op = (KalOp)n->op;
    const KalPhase a = operands[0];
    const KalPhase b = operands[1];
    switch (kal_op_kind(op)) {
    case KAL_KIND_LEAF: return make_leaf(making, g, e);
    case KAL_KIND_SUM: return make_sum(making, op, a, b);
    case KAL_KIND_PRODUCT:
        making->fits = op == KAL_OP_MUL || b.count == 1;
        return multiply(making, a, b, op == KAL_OP_MUL ? 1 : -1);
    case KAL_KIND_POWER: return power(making, a, kal_node_exponent(n));
    case KAL_KIND_GUARD: return a;
    case KAL_KIND_CALL:
    case KAL_KIND_SELECT:
    case KAL_KIND_RELATION:
    case KAL_KIND_LOGIC: break;
    }
    making->fits = false;
    return making->made;
}

bool kal_phase_is_made(KalOp op)
{
    return kal_op_nature(op) == KAL_NATURE_RATIONAL;
}

// What is not made of other phases is a monomial by itself.
static KalPhase make_alone(Making *making, KalExpr e)
{
    assert(e.index != 0 && (e.index & node_symbol) == 0);
    const Monomial m = {{{node_symbol | e.index, 1}}, 1};
    making->fits = true;
    making->made = (KalPhase){
        .start = (uint32_t)(making->phases->terms.size / sizeof(KalPhaseTerm))};
    return leaf(making, kal_rational(1, 1), &m);
}

// What is no sum of monomials becomes a monomial of its own, so that equal formulas still
// have equal phases.
KalStatus kal_phase_make(const KalGraph *g, KalPhases *phases, KalExpr e,
                         const KalPhase operands[3], KalPhase *out_phase)
{
    assert(e.index != 0 && out_phase);
    const KalOp op = (KalOp)kal_node(g, e)->op;
    Making making = {
        .ctx = kal_graph_context(g), .phases = phases, .fits = kal_phase_is_made(op)};
    making.made.start = (uint32_t)(phases->terms.size / sizeof(KalPhaseTerm));
    for (int k = 0; k < kal_op_arity(op); k++) {
        making.fits = making.fits && operands[k].state == KAL_PHASE_KNOWN;
    }
    KalPhase phase = {.state = KAL_PHASE_NONE};
    if (making.fits) {
        phase = make(&making, g, e, operands);
    }
    if (!making.fits && making.status == KAL_OK) {
        phase = make_alone(&making, e);
    }
    KAL_TRY(making.status);
    phase.state = making.fits ? KAL_PHASE_KNOWN : KAL_PHASE_NONE;
    *out_phase = phase;
    return KAL_OK;
}
