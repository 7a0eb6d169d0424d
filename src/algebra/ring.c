// SPDX-License-Identifier: MIT

// The only file that calls FLINT, through flint_library.h.  FLINT takes its memory from
// malloc and ends the program when there is none.  So limits keep it to what most machines
// have, and before each operation we see whether malloc has what it may need
// (docs/decisions/006-flint.md).
//
// FLINT may be used by many threads, each with polynomials of its own.  It keeps a cache of
// numbers for each thread, which goes when the context does.
//
// Polynomials are handles into one table, which grows like a stack: kal_ring_mark() and
// kal_ring_release() free all that was made on the way but for a result.  After a
// failure, for want of memory or beyond a limit, the ring is spoiled: operations return
// zero, and the status says why.

#include "algebra/ring.h"

#include "algebra/flint_library.h"
#include "base/block.h"

#include <assert.h>

enum {
    ROOM = 256 << 10,             // bytes that any operation may need
    LEAST = 8 << 10,              // and how much is counted for it
    GCD_TERM_ROOM = 64 << 10,     // and a gcd for each term besides
    FACTOR_TERM_ROOM = 256 << 10, // and a factorization
    FIRST_POLYS = 64,
    LIVE_MAX = 1 << 20, // terms of all polynomials together
    TERMS_BITS = 14,
    TERMS_MAX = 1 << TERMS_BITS, // of one
    DEGREE_MAX = 200,            // in one variable
    BITS_MAX = 4096,             // of a coefficient
    GCD_MAX = 1 << 15,           // product of the numbers of terms
    FACTOR_MAX = 200,            // terms
    FACTOR_DEGREE = 24,          // total, of what is factored
    GCD_COST = 64,               // times a product of the same terms
    FACTOR_COST = 2000           // for each term
};

struct KalRing {
    KalContext *ctx;
    KalFlintLibrary flint;
    fmpz_mpoly_ctx_t algebra;
    int variables;
    fmpz_mpoly_struct *polys; // the first one is zero
    uint32_t count;
    size_t capacity;
    int64_t live;
    size_t unasked; // bytes that operations may have taken since memory was asked for
    int64_t work;
    KalStatus status;
};

static fmpz_mpoly_struct *at(const KalRing *ring, KalPoly a)
{
    assert(a.index < ring->count);
    return &ring->polys[a.index];
}

static KalPoly spoil(KalRing *ring, KalStatus status)
{
    assert(status != KAL_OK);
    if (ring->status == KAL_OK) {
        ring->status = status;
    }
    return KAL_NO_POLY;
}

// Whether there is so much memory beyond what any operation may need.  Small operations ask
// for several at once.
static bool has_room(KalRing *ring, size_t bytes)
{
    ring->unasked += LEAST + bytes;
    if (ring->status == KAL_OK && ring->unasked > ROOM / 2) {
        ring->unasked = 0;
        if (!kal_memory_is_there(ROOM + bytes)) {
            spoil(ring, KAL_ERR_NOMEM);
        }
    }
    return ring->status == KAL_OK;
}

// Whether there is work left for `cost` more terms; then it counts as done.
static bool pay(KalRing *ring, int64_t cost)
{
    assert(cost >= 0);
    if (ring->status == KAL_OK && cost > ring->work) {
        spoil(ring, KAL_ERR_LIMIT);
    }
    ring->work -= ring->status == KAL_OK ? cost : 0;
    return ring->status == KAL_OK;
}

static int64_t length(const KalRing *ring, KalPoly a)
{
    return at(ring, a)->length;
}

// The library is loaded by the first ring that is made.
static KalStatus init(KalRing *ring)
{
    static const char *const names[] = {"libflint.so.17", "libflint.so", NULL};
    KAL_TRY(kal_flint_library_open(ring->ctx, names, &ring->flint));
    kal_context_at_end(ring->ctx, ring->flint.flint_cleanup);
    ring->polys =
        (fmpz_mpoly_struct *)kal_alloc(ring->ctx, FIRST_POLYS, sizeof *ring->polys);
    ring->capacity = ring->polys ? FIRST_POLYS : 0;
    ring->unasked = ROOM; // ask first
    if (!ring->polys || !has_room(ring, 0)) {
        return kal_no_memory(ring->ctx, "for exact algebra");
    }
    ring->flint.fmpz_mpoly_ctx_init(ring->algebra, ring->variables, ORD_LEX);
    ring->flint.fmpz_mpoly_init(&ring->polys[0], ring->algebra);
    ring->count = 1;
    return KAL_OK;
}

KalStatus kal_ring_create(KalContext *ctx, int variables, KalRing **out_ring)
{
    assert(variables >= 0 && variables <= KAL_RING_VARIABLES);
    KalRing *ring = KAL_NEW(ctx, KalRing);
    if (!ring) {
        return kal_no_memory(ctx, "for exact algebra");
    }
    ring->ctx = ctx;
    ring->variables = variables;
    ring->work = KAL_RING_WORK;
    const KalStatus status = init(ring);
    if (status != KAL_OK) {
        kal_ring_destroy(ring);
        return status;
    }
    *out_ring = ring;
    return KAL_OK;
}

// A ring without any polynomial has no algebra either.
void kal_ring_destroy(KalRing *ring)
{
    if (!ring) {
        return;
    }
    for (uint32_t i = 0; i < ring->count; i++) {
        ring->flint.fmpz_mpoly_clear(&ring->polys[i], ring->algebra);
    }
    if (ring->count > 0) {
        ring->flint.fmpz_mpoly_ctx_clear(ring->algebra);
    }
    kal_free(ring->ctx, ring->polys, ring->capacity * sizeof *ring->polys);
    kal_free(ring->ctx, ring, sizeof *ring);
}

void kal_ring_set_work(KalRing *ring, int64_t work)
{
    assert(work >= 0);
    ring->work = work;
}

int64_t kal_ring_work(const KalRing *ring)
{
    return ring->work;
}

KalStatus kal_ring_status(const KalRing *ring)
{
    if (ring->status == KAL_ERR_LIMIT) {
        return kal_fail(ring->ctx, ring->status, "the formulas are too large to solve");
    }
    return ring->status == KAL_OK
               ? KAL_OK
               : kal_fail(ring->ctx, ring->status, "no memory for exact algebra");
}

bool kal_ring_is_sound(const KalRing *ring)
{
    return ring->status == KAL_OK;
}

int kal_ring_variables(const KalRing *ring)
{
    return ring->variables;
}

KalContext *kal_ring_context(const KalRing *ring)
{
    return ring->ctx;
}

uint32_t kal_ring_mark(const KalRing *ring)
{
    return ring->count;
}

// What is kept moves down to the mark, one after the other, by swaps; what was there goes up
// and is freed.  Handles in `kept` follow.
void kal_ring_release(KalRing *ring, uint32_t mark, KalPoly *kept, int n)
{
    assert(mark >= 1 && mark <= ring->count);
    uint32_t to = mark;
    for (int i = 0; i < n; i++) {
        const uint32_t from = kept[i].index;
        if (from < to) { // older than the mark, or named twice
            continue;
        }
        assert(from < ring->count);
        ring->flint.fmpz_mpoly_swap(&ring->polys[from], &ring->polys[to],
                                    ring->algebra);
        for (int j = i; j < n; j++) {
            if (kept[j].index == from) {
                kept[j].index = to;
            } else if (kept[j].index == to) {
                kept[j].index = from;
            }
        }
        to++;
    }
    for (uint32_t i = to; i < ring->count; i++) {
        ring->live -= length(ring, (KalPoly){i});
        ring->flint.fmpz_mpoly_clear(&ring->polys[i], ring->algebra);
    }
    ring->count = ring->count > to ? to : ring->count;
}

// A new polynomial, zero for now, with room for so many bytes.  May move the others.
static KalPoly push_with(KalRing *ring, size_t room)
{
    if (!has_room(ring, room)) {
        return KAL_NO_POLY;
    }
    if (ring->count == ring->capacity) {
        fmpz_mpoly_struct *polys =
            (fmpz_mpoly_struct *)kal_grow(ring->ctx, ring->polys, sizeof *polys,
                                          (size_t)ring->count + 1, &ring->capacity);
        if (!polys) {
            return spoil(ring, KAL_ERR_NOMEM);
        }
        ring->polys = polys;
    }
    ring->flint.fmpz_mpoly_init(&ring->polys[ring->count], ring->algebra);
    return (KalPoly){ring->count++};
}

static KalPoly push(KalRing *ring)
{
    return push_with(ring, 0);
}

static int64_t bits_of(const KalRing *ring, KalPoly a)
{
    const slong bits = ring->flint.fmpz_mpoly_max_bits(at(ring, a));
    return bits < 0 ? -bits : bits;
}

// Bytes that so many terms take whose coefficients have so many bits.  Exponents may need
// two bytes each; coefficients beyond a word are blocks of their own; what grows is half as
// large again for a while.
static size_t room_for(const KalRing *ring, int64_t terms, int64_t bits)
{
    assert(terms >= 0 && bits >= 0);
    const size_t number = bits < FLINT_BITS - 2 ? 0 : (size_t)bits / 8 + 64;
    const size_t term = 16 + 2 * (size_t)ring->variables + number;
    return (size_t)terms * (term + term / 2);
}

// A new polynomial of at most so many terms after paying for them.
static KalPoly push_for(KalRing *ring, int64_t terms, int64_t bits)
{
    return pay(ring, terms) ? push_with(ring, room_for(ring, terms, bits))
                            : KAL_NO_POLY;
}

// The same for a sum and for a product.
static KalPoly push_sum(KalRing *ring, KalPoly a, KalPoly b)
{
    const int64_t bits_a = bits_of(ring, a);
    const int64_t bits_b = bits_of(ring, b);
    return push_for(ring, length(ring, a) + length(ring, b),
                    1 + (bits_a > bits_b ? bits_a : bits_b));
}

static KalPoly push_product(KalRing *ring, KalPoly a, KalPoly b)
{
    return push_for(ring, length(ring, a) * length(ring, b),
                    bits_of(ring, a) + bits_of(ring, b) + TERMS_BITS);
}

static bool has_small_degrees(const KalRing *ring, KalPoly a)
{
    slong degrees[KAL_RING_VARIABLES];
    ring->flint.fmpz_mpoly_degrees_si(degrees, at(ring, a), ring->algebra);
    for (int v = 0; v < ring->variables; v++) {
        if (degrees[v] > DEGREE_MAX) {
            return false;
        }
    }
    return true;
}

// Count a polynomial that is done, or drop it where it is too large.
static KalPoly finish(KalRing *ring, KalPoly a)
{
    assert(a.index != 0);
    const int64_t terms = length(ring, a);
    ring->live += terms;
    if (terms > TERMS_MAX || ring->live > LIVE_MAX || bits_of(ring, a) > BITS_MAX
        || !has_small_degrees(ring, a)) {
        return spoil(ring, KAL_ERR_LIMIT);
    }
    return a;
}

KalPoly kal_poly_int(KalRing *ring, int64_t value)
{
    const KalPoly a = push(ring);
    if (a.index != 0) {
        ring->flint.fmpz_mpoly_set_si(at(ring, a), value, ring->algebra);
        return finish(ring, a);
    }
    return a;
}

KalPoly kal_poly_variable(KalRing *ring, int v)
{
    assert(v >= 0 && v < ring->variables);
    const KalPoly a = push(ring);
    if (a.index != 0) {
        ring->flint.fmpz_mpoly_gen(at(ring, a), v, ring->algebra);
        return finish(ring, a);
    }
    return a;
}

KalPoly kal_poly_term(KalRing *ring, const KalPolyTerm *term)
{
    assert(term);
    ulong exponent[KAL_RING_VARIABLES];
    for (int v = 0; v < ring->variables; v++) {
        exponent[v] = term->exponent[v];
    }
    const KalPoly a = push(ring);
    if (a.index != 0 && term->coefficient != 0) {
        ring->flint.fmpz_mpoly_push_term_si_ui(at(ring, a), term->coefficient, exponent,
                                               ring->algebra);
    }
    return a.index != 0 ? finish(ring, a) : a;
}

// An operation of FLINT with two operands.
typedef void Binary(fmpz_mpoly_t out, const fmpz_mpoly_t a, const fmpz_mpoly_t b,
                    const fmpz_mpoly_ctx_t algebra);

// Its result in a place that was pushed for it; none where there was no room.
static KalPoly combine(KalRing *ring, Binary *operation, KalPoly out, KalPoly a,
                       KalPoly b)
{
    if (out.index == 0) {
        return out;
    }
    operation(at(ring, out), at(ring, a), at(ring, b), ring->algebra);
    return finish(ring, out);
}

KalPoly kal_poly_add(KalRing *ring, KalPoly a, KalPoly b)
{
    return combine(ring, ring->flint.fmpz_mpoly_add, push_sum(ring, a, b), a, b);
}

KalPoly kal_poly_sub(KalRing *ring, KalPoly a, KalPoly b)
{
    return combine(ring, ring->flint.fmpz_mpoly_sub, push_sum(ring, a, b), a, b);
}

KalPoly kal_poly_neg(KalRing *ring, KalPoly a)
{
    return kal_poly_sub(ring, KAL_NO_POLY, a);
}

KalPoly kal_poly_mul(KalRing *ring, KalPoly a, KalPoly b)
{
    return combine(ring, ring->flint.fmpz_mpoly_mul, push_product(ring, a, b), a, b);
}

KalPoly kal_poly_pow(KalRing *ring, KalPoly a, int32_t n)
{
    if (n < 0 || n > DEGREE_MAX) {
        return spoil(ring, KAL_ERR_LIMIT);
    }
    KalPoly power = kal_poly_int(ring, 1);
    for (int32_t i = 0; i < n; i++) {
        power = kal_poly_mul(ring, power, a);
    }
    return power;
}

// The sum of the terms that are wanted, in the same order.
KalPoly kal_poly_select(KalRing *ring, KalPoly a, const bool *wanted)
{
    ulong exponent[KAL_RING_VARIABLES];
    const int64_t terms = length(ring, a);
    const KalPoly part = push_for(ring, terms, bits_of(ring, a));
    if (part.index == 0) {
        return part;
    }
    fmpz_t k;
    ring->flint.fmpz_init(k);
    for (int64_t i = 0; i < terms; i++) {
        if (wanted[i]) {
            ring->flint.fmpz_mpoly_get_term_coeff_fmpz(k, at(ring, a), i,
                                                       ring->algebra);
            ring->flint.fmpz_mpoly_get_term_exp_ui(exponent, at(ring, a), i,
                                                   ring->algebra);
            ring->flint.fmpz_mpoly_push_term_fmpz_ui(at(ring, part), k, exponent,
                                                     ring->algebra);
        }
    }
    ring->flint.fmpz_clear(k);
    return finish(ring, part);
}

KalPoly kal_poly_content(KalRing *ring, KalPoly a)
{
    const KalPoly content = push_for(ring, length(ring, a), bits_of(ring, a));
    if (content.index != 0) {
        ring->flint.fmpz_mpoly_term_content(at(ring, content), at(ring, a),
                                            ring->algebra);
        return finish(ring, content);
    }
    return content;
}

// Of polynomials that are too long the greatest common term has to do: a common factor, not
// the greatest.
KalPoly kal_poly_gcd(KalRing *ring, KalPoly a, KalPoly b)
{
    const int64_t size = length(ring, a) * length(ring, b);
    if (size > GCD_MAX) {
        a = kal_poly_content(ring, a);
        b = kal_poly_content(ring, b);
    }
    const size_t terms = (size_t)(length(ring, a) + length(ring, b));
    const bool paid = pay(ring, GCD_COST + (size > GCD_MAX ? 0 : GCD_COST * size));
    const KalPoly gcd = paid ? push_with(ring, GCD_TERM_ROOM * terms) : KAL_NO_POLY;
    if (gcd.index == 0) {
        return gcd;
    }
    if (!ring->flint.fmpz_mpoly_gcd(at(ring, gcd), at(ring, a), at(ring, b),
                                    ring->algebra)) {
        ring->flint.fmpz_mpoly_one(at(ring, gcd), ring->algebra);
    }
    return finish(ring, gcd);
}

bool kal_poly_divide(KalRing *ring, KalPoly a, KalPoly b, KalPoly *out_quotient)
{
    const KalPoly quotient = push_product(ring, a, b);
    if (quotient.index == 0 || length(ring, b) == 0
        || !ring->flint.fmpz_mpoly_divides(at(ring, quotient), at(ring, a), at(ring, b),
                                           ring->algebra)) {
        return false;
    }
    *out_quotient = finish(ring, quotient);
    return out_quotient->index != 0;
}

// The terms of a whose exponent of v is n, divided by v^n.
static KalPoly coefficient_of(KalRing *ring, KalPoly a, int v, int32_t n)
{
    ulong exponent[KAL_RING_VARIABLES];
    const int64_t terms = length(ring, a);
    const KalPoly part = push_for(ring, terms, bits_of(ring, a));
    if (part.index == 0) {
        return part;
    }
    fmpz_t k;
    ring->flint.fmpz_init(k);
    for (int64_t i = 0; i < terms; i++) {
        ring->flint.fmpz_mpoly_get_term_exp_ui(exponent, at(ring, a), i, ring->algebra);
        if (exponent[v] == (ulong)n) {
            exponent[v] = 0;
            ring->flint.fmpz_mpoly_get_term_coeff_fmpz(k, at(ring, a), i,
                                                       ring->algebra);
            ring->flint.fmpz_mpoly_push_term_fmpz_ui(at(ring, part), k, exponent,
                                                     ring->algebra);
        }
    }
    ring->flint.fmpz_clear(k);
    return finish(ring, part);
}

// With a = Σ (eₙ + oₙ v) v²ⁿ and v² replaced by the square.
KalPoly kal_poly_reduce(KalRing *ring, KalPoly a, int v, KalPoly square)
{
    const int32_t degree = kal_poly_degree(ring, a, v);
    if (degree < 2) {
        return a;
    }
    const uint32_t mark = kal_ring_mark(ring);
    const KalPoly x = kal_poly_variable(ring, v);
    KalPoly sum = KAL_NO_POLY;
    for (int32_t n = degree / 2; n >= 0; n--) { // Horner's rule in v²
        const KalPoly even = coefficient_of(ring, a, v, 2 * n);
        const KalPoly odd = coefficient_of(ring, a, v, 2 * n + 1);
        const KalPoly both = kal_poly_add(ring, even, kal_poly_mul(ring, odd, x));
        sum = kal_poly_add(ring, kal_poly_mul(ring, sum, square), both);
    }
    kal_ring_release(ring, mark, &sum, 1);
    return sum;
}

bool kal_poly_is_linear(KalRing *ring, KalPoly a, int v, KalPoly *out_slope,
                        KalPoly *out_rest)
{
    if (kal_poly_degree(ring, a, v) != 1) {
        return false;
    }
    *out_slope = coefficient_of(ring, a, v, 1);
    *out_rest = coefficient_of(ring, a, v, 0);
    return ring->status == KAL_OK;
}

// below^degree a(above/below), which is a polynomial again: Horner's rule with both.
KalPoly kal_poly_substitute(KalRing *ring, KalPoly a, int v, KalPoly above,
                            KalPoly below)
{
    const uint32_t mark = kal_ring_mark(ring);
    const int32_t degree = kal_poly_degree(ring, a, v);
    KalPoly sum = KAL_NO_POLY;
    KalPoly scale = kal_poly_int(ring, 1);
    for (int32_t n = degree; n >= 0; n--) {
        const KalPoly term = coefficient_of(ring, a, v, n);
        sum = kal_poly_mul(ring, sum, above);
        sum = kal_poly_add(ring, sum, kal_poly_mul(ring, term, scale));
        scale = kal_poly_mul(ring, scale, below);
    }
    kal_ring_release(ring, mark, &sum, 1);
    return sum;
}

// Equal factors share a place; false when there is no room.
static bool add_factor(KalRing *ring, KalPolyFactors *f, KalPoly factor, int32_t power)
{
    if (kal_poly_sign(ring, factor) < 0) {
        factor = kal_poly_neg(ring, factor);
        f->constant = power % 2 != 0 ? kal_poly_neg(ring, f->constant) : f->constant;
    }
    for (int i = 0; i < f->n; i++) {
        if (kal_poly_same(ring, f->factor[i], factor)) {
            f->power[i] += power;
            return true;
        }
    }
    if (f->n == KAL_POLY_FACTORS) {
        return false;
    }
    f->factor[f->n] = factor;
    f->power[f->n++] = power;
    return true;
}

// Take off what all terms share, its variables one by one; returns the rest.
static KalPoly take_content(KalRing *ring, KalPoly a, KalPolyFactors *f)
{
    KalPolyTerm term = {.coefficient = 0};
    KalPoly rest = a;
    const KalPoly content = kal_poly_content(ring, a);
    if (!kal_poly_get(ring, content, 0, &term)
        || !kal_poly_divide(ring, a, content, &rest)) {
        return a;
    }
    f->constant = kal_poly_int(ring, term.coefficient);
    for (int v = 0; v < ring->variables && f->n < KAL_POLY_FACTORS - 1; v++) {
        if (term.exponent[v] > 0) {
            (void)add_factor(ring, f, kal_poly_variable(ring, v), term.exponent[v]);
            term.exponent[v] = 0;
        }
    }
    term.coefficient = 1; // what there was no room for stays with the rest
    return kal_poly_mul(ring, rest, kal_poly_term(ring, &term));
}

// A variable of degree 1, −1 when there is none.
static int linear_variable(const KalRing *ring, KalPoly a)
{
    slong degrees[KAL_RING_VARIABLES];
    ring->flint.fmpz_mpoly_degrees_si(degrees, at(ring, a), ring->algebra);
    for (int v = 0; v < ring->variables; v++) {
        if (degrees[v] == 1) {
            return v;
        }
    }
    return -1;
}

// A polynomial b v + c without content is gcd(b, c) times an irreducible one, theory
// (11.13): this takes such factors off as long as there is a v, which is far cheaper than
// to factor.
static KalPoly take_linear(KalRing *ring, KalPoly a, KalPolyFactors *f)
{
    int v = linear_variable(ring, a);
    while (v >= 0 && ring->status == KAL_OK) {
        KalPoly slope;
        KalPoly rest;
        KalPoly factor = a;
        if (!kal_poly_is_linear(ring, a, v, &slope, &rest)) {
            return a;
        }
        const KalPoly common = kal_poly_gcd(ring, slope, rest);
        if (!kal_poly_divide(ring, a, common, &factor)
            || !add_factor(ring, f, factor, 1)) {
            return a;
        }
        a = common;
        v = linear_variable(ring, a);
    }
    return a;
}

static bool copy_factors(KalRing *ring, const fmpz_mpoly_factor_struct *from,
                         KalPolyFactors *f)
{
    const KalPoly constant = push(ring);
    if (constant.index == 0 || !ring->flint.fmpz_is_one(from->constant_den)) {
        return false;
    }
    ring->flint.fmpz_mpoly_set_fmpz(at(ring, constant), from->constant, ring->algebra);
    f->constant = kal_poly_mul(ring, f->constant, finish(ring, constant));
    for (slong i = 0; i < from->num; i++) {
        const KalPoly factor = push(ring);
        if (factor.index == 0 || !ring->flint.fmpz_fits_si(from->exp + i)) {
            return false;
        }
        ring->flint.fmpz_mpoly_set(at(ring, factor), from->poly + i, ring->algebra);
        if (!add_factor(ring, f, finish(ring, factor),
                        (int32_t)ring->flint.fmpz_get_si(from->exp + i))) {
            return false;
        }
    }
    return true;
}

static bool is_small(const KalRing *ring, KalPoly a)
{
    return length(ring, a) <= FACTOR_MAX
           && ring->flint.fmpz_mpoly_total_degree_si(at(ring, a), ring->algebra)
                  <= FACTOR_DEGREE;
}

// Factor what is left, all variables of which have higher degrees.
static bool take_others(KalRing *ring, KalPoly a, KalPolyFactors *f)
{
    KalPolyFactors more = *f;
    bool done = false;
    if (is_small(ring, a) && pay(ring, FACTOR_COST * length(ring, a))
        && has_room(ring, FACTOR_TERM_ROOM * (size_t)length(ring, a))) {
        fmpz_mpoly_factor_t parts;
        ring->flint.fmpz_mpoly_factor_init(parts, ring->algebra);
        done = ring->flint.fmpz_mpoly_factor(parts, at(ring, a), ring->algebra)
               && copy_factors(ring, parts, &more);
        ring->flint.fmpz_mpoly_factor_clear(parts, ring->algebra);
    }
    *f = done ? more : *f;
    return done;
}

// What is cheap first: common terms, then factors that are linear in a variable; what is left
// is factored by FLINT if it is small, and otherwise a factor as it is.
KalPolyFactors kal_poly_factor(KalRing *ring, KalPoly a)
{
    KalPolyFactors f = {.constant = kal_poly_int(ring, 1)};
    KalPoly rest = take_content(ring, a, &f);
    if (length(ring, rest) <= FACTOR_MAX) {
        rest = take_linear(ring, rest, &f);
    }
    if (kal_poly_is_number(ring, rest)) {
        f.constant = kal_poly_mul(ring, f.constant, rest);
    } else if (!take_others(ring, rest, &f) && !add_factor(ring, &f, rest, 1)) {
        f = (KalPolyFactors){.constant = kal_poly_int(ring, 1)};
        (void)add_factor(ring, &f, a, 1);
    }
    return f;
}

bool kal_poly_is_zero(const KalRing *ring, KalPoly a)
{
    return length(ring, a) == 0;
}

bool kal_poly_is_one(const KalRing *ring, KalPoly a)
{
    return ring->flint.fmpz_mpoly_is_one(at(ring, a), ring->algebra) != 0;
}

bool kal_poly_is_number(const KalRing *ring, KalPoly a)
{
    return ring->flint.fmpz_mpoly_is_fmpz(at(ring, a), ring->algebra) != 0;
}

bool kal_poly_same(const KalRing *ring, KalPoly a, KalPoly b)
{
    return ring->flint.fmpz_mpoly_equal(at(ring, a), at(ring, b), ring->algebra) != 0;
}

int kal_poly_sign(const KalRing *ring, KalPoly a)
{
    return length(ring, a) == 0 ? 0 : ring->flint.fmpz_sgn(at(ring, a)->coeffs);
}

int kal_poly_terms(const KalRing *ring, KalPoly a)
{
    return (int)length(ring, a);
}

int32_t kal_poly_degree(const KalRing *ring, KalPoly a, int v)
{
    return (int32_t)ring->flint.fmpz_mpoly_degree_si(at(ring, a), v, ring->algebra);
}

bool kal_poly_get(const KalRing *ring, KalPoly a, int i, KalPolyTerm *out_term)
{
    ulong exponent[KAL_RING_VARIABLES];
    if (i >= length(ring, a)) {
        return false;
    }
    const fmpz *k = at(ring, a)->coeffs + i;
    const bool fits =
        ring->flint.fmpz_fits_si(k) != 0 && ring->flint.fmpz_cmp_si(k, -INT64_MAX) >= 0;
    out_term->coefficient = fits ? ring->flint.fmpz_get_si(k) : 0;
    ring->flint.fmpz_mpoly_get_term_exp_ui(exponent, at(ring, a), i, ring->algebra);
    for (int v = 0; v < KAL_RING_VARIABLES; v++) {
        out_term->exponent[v] = (uint16_t)(v < ring->variables ? exponent[v] : 0);
    }
    return fits;
}
