// SPDX-License-Identifier: MIT

// Fractions as formulas for readers.  A polynomial is factored; a factor that is a sum has
// what several of its terms share taken out as long as that saves characters; terms keep
// the order of the ring, which is that of the atoms.

#include "algebra/field_impl.h"

#include <assert.h>
#include <string.h>

enum {
    TERMS_MAX = 300, // of a polynomial that is written
    DEPTH_MAX = 24,  // of sums within products within sums
    ALIKE_MAX = 12   // terms of a factor that is looked for in other terms
};

// Terms of a sum that are to be written, or parts that they were gathered in.
typedef struct Sum {
    KalPoly p;
    int n;
    KalPolyTerm *terms; // n
    bool *wanted;       // n: scratch
    bool *done;         // n: it is in one of the parts
    KalExpr *parts;     // n_parts
    int *first;         // n_parts: which term each begins with
    int n_parts;
} Sum;

static KalExpr write_product(KalField *field, KalPoly p, int depth);

static KalExpr unfit(KalField *field)
{
    field->unfit = true;
    return KAL_NO_EXPR;
}

static KalExpr write_term(KalField *field, const KalPolyTerm *term)
{
    assert(term);
    KalGraph *g = field->out;
    KalExpr product = kal_int(g, term->coefficient);
    for (int v = 0; v < field->n_atoms; v++) {
        if (term->exponent[v] > 0) {
            const KalExpr power = kal_powi(g, field->shown[v], term->exponent[v]);
            product = kal_mul(g, product, power);
        }
    }
    return product;
}

static bool is_negative(const KalGraph *g, KalExpr e)
{
    return e.index != 0 && kal_split(g, e).k.value < 0.0;
}

// a + b as it stands: nothing is looked for in sums that were laid out on purpose.
static KalExpr add(KalGraph *g, KalExpr a, KalExpr b)
{
    if (a.index == 0 || b.index == 0) {
        return KAL_NO_EXPR;
    }
    return is_negative(g, b) ? kal_cons(g, KAL_OP_SUB, a, kal_neg(g, b), KAL_NO_EXPR)
                             : kal_cons(g, KAL_OP_ADD, a, b, KAL_NO_EXPR);
}

// The sum of some formulas in their order, but for one that is not negative in front.
static KalExpr write_parts(KalGraph *g, KalExpr *parts, int n)
{
    assert(n > 0);
    int front = 0;
    while (front < n && is_negative(g, parts[front])) {
        front++;
    }
    const bool minus = front == n; // there is none
    front = minus ? 0 : front;
    KalExpr sum = minus ? kal_neg(g, parts[0]) : parts[front];
    for (int i = 0; i < n; i++) {
        if (i != front) {
            sum = add(g, sum, minus ? kal_neg(g, parts[i]) : parts[i]);
        }
    }
    return minus ? kal_neg(g, sum) : sum;
}

// What all terms of the sum that are not done and contain v share.
static int share(const KalField *field, const Sum *sum, int v, KalPolyTerm *out_common)
{
    assert(v >= 0 && v < field->n_atoms);
    int count = 0;
    for (int i = 0; i < sum->n; i++) {
        const KalPolyTerm *term = &sum->terms[i];
        if (sum->done[i] || term->exponent[v] == 0) {
            continue;
        }
        if (count++ == 0) {
            *out_common = *term;
        }
        for (int w = 0; w < field->n_atoms; w++) {
            if (term->exponent[w] < out_common->exponent[w]) {
                out_common->exponent[w] = term->exponent[w];
            }
        }
    }
    return count;
}

// Characters that are saved when `count` terms have their common factor taken out, less
// the parentheses.
static int saving(const KalField *field, const KalPolyTerm *common, int count)
{
    assert(count > 0);
    int width = 0;
    for (int v = 0; v < field->n_atoms; v++) {
        const int power = common->exponent[v];
        width += power > 0 ? field->width[v] + 1 + (power > 1 ? 2 : 0) : 0;
    }
    return (count - 1) * width - 2;
}

// Whether terms that contain v keep something of their common factor when it is taken
// out: a² + 2 a b + b² reads better than a (a + 2 b) + b².
static bool is_nested(const KalField *field, const Sum *sum, int v,
                      const KalPolyTerm *common)
{
    assert(v >= 0 && v < field->n_atoms);
    for (int i = 0; i < sum->n; i++) {
        const KalPolyTerm *term = &sum->terms[i];
        const bool inside = !sum->done[i] && term->exponent[v] > 0;
        for (int w = 0; w < field->n_atoms && inside; w++) {
            if (common->exponent[w] > 0 && term->exponent[w] > common->exponent[w]) {
                return true;
            }
        }
    }
    return false;
}

// The variable that is best taken out of several terms, −1 when none is.
static int best_variable(const KalField *field, const Sum *sum)
{
    int best = -1;
    int most = -1;
    for (int v = 0; v < field->n_atoms; v++) {
        KalPolyTerm common;
        const int count = share(field, sum, v, &common);
        const int saved = count < 2 ? -1 : saving(field, &common, count);
        if (saved > most && !is_nested(field, sum, v, &common)) {
            most = saved;
            best = v;
        }
    }
    return best;
}

static void add_part(Sum *sum, KalExpr part, int first)
{
    assert(first >= 0 && first < sum->n);
    assert(sum->n_parts < sum->n);
    int at = sum->n_parts++;
    while (at > 0 && sum->first[at - 1] > first) {
        sum->parts[at] = sum->parts[at - 1];
        sum->first[at] = sum->first[at - 1];
        at--;
    }
    sum->parts[at] = part;
    sum->first[at] = first;
}

// a/b as a term, if it is one.
static bool divide_terms(const KalPolyTerm *a, const KalPolyTerm *b, KalPolyTerm *out)
{
    assert(b->coefficient != 0);
    for (int v = 0; v < KAL_RING_VARIABLES; v++) {
        if (a->exponent[v] < b->exponent[v]) {
            return false;
        }
        out->exponent[v] = (uint16_t)(a->exponent[v] - b->exponent[v]);
    }
    out->coefficient = a->coefficient / b->coefficient;
    return a->coefficient % b->coefficient == 0;
}

// The term of the sum, not done, that is a × b; −1 if there is none.
static int find_term(const Sum *sum, const KalPolyTerm *a, const KalPolyTerm *b)
{
    KalPolyTerm ratio = {.coefficient = 0};
    for (int i = 0; i < sum->n; i++) {
        if (!sum->done[i] && divide_terms(&sum->terms[i], a, &ratio)
            && memcmp(&ratio, b, sizeof ratio) == 0) {
            return i;
        }
    }
    return -1;
}

// Want q times all n terms, if they are there.
static void want_multiple(Sum *sum, const KalPolyTerm *terms, int n,
                          const KalPolyTerm *q)
{
    assert(n >= 0 && n <= ALIKE_MAX);
    int found[ALIKE_MAX];
    for (int i = 0; i < n; i++) {
        found[i] = find_term(sum, &terms[i], q);
        if (found[i] < 0) {
            return;
        }
    }
    for (int i = 0; i < n; i++) {
        sum->wanted[found[i]] = true;
        sum->done[found[i]] = true;
    }
}

// With c a + c b wanted, d a + d b is wanted too: together they are (c + d) (a + b).
static void want_alike(KalField *field, Sum *sum, KalPoly group)
{
    assert(sum->n > 0);
    KalRing *ring = field->ring;
    KalPolyTerm terms[ALIKE_MAX] = {{.coefficient = 0}};
    KalPolyTerm q = {.coefficient = 0};
    KalPoly left = group;
    if (!kal_poly_divide(ring, group, kal_poly_content(ring, group), &left)
        || kal_poly_terms(ring, left) > ALIKE_MAX) {
        return;
    }
    const int n = kal_poly_terms(ring, left);
    for (int i = 0; i < n; i++) {
        if (!kal_poly_get(ring, left, i, &terms[i])) {
            return;
        }
    }
    for (int j = 0; j < sum->n; j++) {
        if (!sum->done[j] && divide_terms(&sum->terms[j], &terms[0], &q)) {
            want_multiple(sum, terms, n, &q);
        }
    }
}

// Gather the terms that contain v in one part.
// NOLINTNEXTLINE(misc-no-recursion)
static void gather(KalField *field, Sum *sum, int v, int depth)
{
    assert(depth >= 0 && depth <= DEPTH_MAX);
    int first = -1;
    for (int i = 0; i < sum->n; i++) {
        sum->wanted[i] = !sum->done[i] && sum->terms[i].exponent[v] > 0;
        sum->done[i] = sum->done[i] || sum->wanted[i];
        first = first < 0 && sum->wanted[i] ? i : first;
    }
    want_alike(field, sum, kal_poly_select(field->ring, sum->p, sum->wanted));
    const KalPoly group = kal_poly_select(field->ring, sum->p, sum->wanted);
    add_part(sum, write_product(field, group, depth + 1), first);
}

// Write the sum as parts, gathering while that saves characters.
// NOLINTNEXTLINE(misc-no-recursion)
static KalExpr write_gathered(KalField *field, Sum *sum, int depth)
{
    assert(sum->n_parts == 0);
    for (int i = 0; i < sum->n; i++) {
        if (!kal_poly_get(field->ring, sum->p, i, &sum->terms[i])) {
            return unfit(field);
        }
    }
    int v = depth < DEPTH_MAX ? best_variable(field, sum) : -1;
    while (v >= 0 && kal_ring_is_sound(field->ring)) {
        gather(field, sum, v, depth);
        v = best_variable(field, sum);
    }
    for (int i = 0; i < sum->n; i++) {
        if (!sum->done[i]) {
            add_part(sum, write_term(field, &sum->terms[i]), i);
        }
    }
    return write_parts(field->out, sum->parts, sum->n_parts);
}

static size_t sum_bytes(int n)
{
    return (size_t)n
           * (sizeof(KalPolyTerm) + sizeof(KalExpr) + sizeof(int) + 2 * sizeof(bool));
}

// A polynomial of several terms that is not to be factored.
// NOLINTNEXTLINE(misc-no-recursion)
static KalExpr write_sum(KalField *field, KalPoly p, int depth)
{
    assert(depth >= 0);
    const int n = kal_poly_terms(field->ring, p);
    const KalPoly joined = kal_field_join_angles(field, kal_field_contract(field, p));
    if (kal_poly_terms(field->ring, joined) < n && depth < DEPTH_MAX) {
        return write_product(field, joined, depth + 1);
    }
    char *memory =
        n > TERMS_MAX ? NULL : (char *)kal_alloc(field->ctx, 1, sum_bytes(n));
    if (!memory) {
        kal_field_note(field, n > TERMS_MAX ? KAL_ERR_LIMIT : KAL_ERR_NOMEM);
        return unfit(field);
    }
    Sum sum = {.p = p, .n = n};
    sum.terms = (KalPolyTerm *)memory;
    sum.parts = (KalExpr *)(sum.terms + n);
    sum.first = (int *)(sum.parts + n);
    sum.wanted = (bool *)(sum.first + n);
    sum.done = sum.wanted + n;
    const KalExpr e = write_gathered(field, &sum, depth);
    kal_free(field->ctx, memory, sum_bytes(n));
    return e;
}

// The name of a factor, with a minus for the opposite of one; none for most.
static KalExpr name_of(KalField *field, KalPoly p)
{
    for (int i = 0; i < field->n_named; i++) {
        if (kal_poly_same(field->ring, p, field->named[i])) {
            return field->name[i];
        }
        if (kal_poly_same(field->ring, kal_poly_neg(field->ring, p), field->named[i])) {
            return kal_neg(field->out, field->name[i]);
        }
    }
    return KAL_NO_EXPR;
}

// NOLINTNEXTLINE(misc-no-recursion)
static KalExpr write_factor(KalField *field, KalPoly p, int depth)
{
    KalPolyTerm term;
    if (kal_poly_terms(field->ring, p) != 1) {
        const KalExpr name = name_of(field, p);
        return name.index != 0 ? name : write_sum(field, p, depth);
    }
    return kal_poly_get(field->ring, p, 0, &term) ? write_term(field, &term)
                                                  : unfit(field);
}

static bool has_negative_term(const KalRing *ring, KalPoly p)
{
    KalPolyTerm term;
    for (int i = 0; i < kal_poly_terms(ring, p); i++) {
        if (kal_poly_get(ring, p, i, &term) && term.coefficient < 0) {
            return true;
        }
    }
    return false;
}

// A sign in front vanishes where a factor is a difference: −m (a − b) is m (b − a).
static bool can_turn(const KalRing *ring, const KalPolyFactors *f, int i)
{
    return f->power[i] % 2 != 0 && has_negative_term(ring, f->factor[i]);
}

// NOLINTNEXTLINE(misc-no-recursion)
static KalExpr write_product(KalField *field, KalPoly p, int depth)
{
    assert(depth >= 0);
    KalGraph *g = field->out;
    KalRing *ring = field->ring;
    KalPolyTerm number;
    if (kal_poly_is_zero(ring, p)) {
        return kal_int(g, 0);
    }
    const KalPolyFactors f = kal_poly_factor(ring, p);
    if (!kal_ring_is_sound(ring) || !kal_poly_get(ring, f.constant, 0, &number)) {
        return unfit(field);
    }
    KalExpr product = kal_int(g, 1);
    for (int i = 0; i < f.n; i++) {
        KalPoly factor = f.factor[i];
        if (number.coefficient < 0 && can_turn(ring, &f, i)) {
            number.coefficient = -number.coefficient;
            factor = kal_poly_neg(ring, factor);
        }
        const KalExpr e = write_factor(field, factor, depth);
        product = kal_mul(g, product, kal_powi(g, e, f.power[i]));
    }
    return kal_mul(g, kal_int(g, number.coefficient), product);
}

// above/below.
static KalExpr write_quotient(KalField *field, KalFraction a)
{
    const KalExpr above = write_product(field, a.above, 0);
    const KalExpr below = write_product(field, a.below, 0);
    if (above.index == 0 || below.index == 0 || kal_is_zero(field->out, below)) {
        return unfit(field);
    }
    return kal_div(field->out, above, below);
}

// What variables are left of the denominator, one term, under term i of the numerator.
static KalPoly own_denominator(KalField *field, KalFraction a, int i)
{
    assert(i >= 0);
    KalRing *ring = field->ring;
    KalPolyTerm above;
    KalPolyTerm below;
    if (!kal_poly_get(ring, a.above, i, &above)
        || !kal_poly_get(ring, a.below, 0, &below)) {
        return a.below;
    }
    below.coefficient = 1;
    for (int v = 0; v < KAL_RING_VARIABLES; v++) {
        const uint16_t common = above.exponent[v] < below.exponent[v]
                                    ? above.exponent[v]
                                    : below.exponent[v];
        below.exponent[v] = (uint16_t)(below.exponent[v] - common);
    }
    return kal_poly_term(ring, &below);
}

// The terms of the numerator that have the same denominator as term i.
static KalExpr write_with_denominator(KalField *field, KalFraction a, int i, bool *done)
{
    assert(!done[i]);
    KalRing *ring = field->ring;
    bool wanted[TERMS_MAX] = {false};
    const KalPoly below = own_denominator(field, a, i);
    for (int j = i; j < kal_poly_terms(ring, a.above); j++) {
        wanted[j] =
            !done[j] && kal_poly_same(ring, own_denominator(field, a, j), below);
        done[j] = done[j] || wanted[j];
    }
    const KalFraction part = {kal_poly_select(ring, a.above, wanted), a.below};
    return write_quotient(field, kal_fraction_cancel(field, part));
}

// Σ above/below with a denominator for each kind of terms: a/x + b, not (a + b x)/x.
static KalExpr write_split(KalField *field, KalFraction a)
{
    KalRing *ring = field->ring;
    const int n = kal_poly_terms(ring, a.above);
    bool done[TERMS_MAX] = {false};
    KalExpr parts[8];
    int n_parts = 0;
    if (n > TERMS_MAX || n < 2 || kal_poly_terms(ring, a.below) != 1
        || kal_poly_is_one(ring, a.below)) {
        return KAL_NO_EXPR;
    }
    for (int i = 0; i < n; i++) {
        if (done[i]) {
            continue;
        }
        if (n_parts == 8 || !kal_ring_is_sound(ring)) {
            return KAL_NO_EXPR;
        }
        parts[n_parts] = write_with_denominator(field, a, i, done);
        if (parts[n_parts++].index == 0) {
            return KAL_NO_EXPR;
        }
    }
    return write_parts(field->out, parts, n_parts);
}

// The shorter of two ways to write a fraction.
static KalExpr write_shorter(KalField *field, KalFraction a)
{
    const KalExpr whole = write_quotient(field, a);
    if (whole.index == 0 || field->unfit) {
        return KAL_NO_EXPR;
    }
    const KalExpr split = write_split(field, a);
    const bool better =
        split.index != 0
        && kal_field_measure(field, split) < kal_field_measure(field, whole);
    field->unfit = false;
    return better ? split : whole;
}

// What was made on the way goes with the mark; only the formula in the other graph stays.
KalStatus kal_field_write(KalField *field, KalFraction a, KalExpr *out_e)
{
    assert(out_e);
    const uint32_t mark = kal_ring_mark(field->ring);
    KAL_TRY(kal_ring_status(field->ring));
    field->unfit = false;
    const KalExpr e = write_shorter(field, a);
    kal_ring_release(field->ring, mark, NULL, 0);
    KAL_TRY(kal_field_status(field));
    KAL_TRY(kal_graph_status(field->out));
    KAL_TRY(kal_ring_status(field->ring));
    if (e.index == 0) {
        return kal_fail(field->ctx, KAL_ERR_LIMIT, "the formula is too long to show");
    }
    *out_e = e;
    return KAL_OK;
}

size_t kal_field_length(KalField *field, KalFraction a)
{
    KalExpr e = KAL_NO_EXPR;
    return kal_field_write(field, a, &e) == KAL_OK ? kal_field_measure(field, e)
                                                   : SIZE_MAX;
}
