// SPDX-License-Identifier: MIT

// One residue from others.  Symbols, π, logarithms of symbols and the exponentials of
// monomials get random residues; all else follows: theory (10.1) to (10.5).  What does not
// follow is an atom: it gets a residue that depends on those of its operands alone, as if
// nothing else were known of the function: theory (10.18), (10.19).

#include "expr/factors.h"
#include "expr/node.h"
#include "zero/identity_impl.h"

#include <assert.h>

enum {
    // What a random residue is for.
    FOR_SYMBOL,
    FOR_PI,
    FOR_LOG,
    FOR_CIRCLE,
    FOR_EXPONENTIAL,
    FOR_SIGN,
    PURPOSES,
    FOR_POWER = PURPOSES + KAL_OP_COUNT, // purposes of atoms, behind the operators
    FOR_ROOT,
    MANTISSA = 53,
    TURNS_MAX = 64,       // whole multiples of the angle of an inverse function
    SMALL_POWER = 1 << 20 // of a base that few other terms have
};

static const int64_t largest_power = INT64_C(1) << 50;

static uint64_t chosen(uint64_t seed, uint64_t purpose, uint64_t number)
{
    assert(purpose < PURPOSES);
    return kal_residue_random(seed, number * PURPOSES + purpose);
}

// A residue for a function of two residues of which nothing is known.
static uint64_t atom(uint64_t seed, uint64_t purpose, uint64_t a, uint64_t b)
{
    return a == KAL_NO_RESIDUE || b == KAL_NO_RESIDUE
               ? KAL_NO_RESIDUE
               : kal_residue_random(kal_residue_random(seed ^ purpose << 40, a), b);
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return a == KAL_NO_RESIDUE || b == KAL_NO_RESIDUE ? KAL_NO_RESIDUE
                                                      : kal_residue_mul(a, b);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    const KalScalar x = {.residue = a};
    const KalScalar y = {.residue = b};
    return kal_scalar_add(KAL_ARITHMETIC_RESIDUES, x, y).residue;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    const KalScalar x = {.residue = a};
    const KalScalar y = {.residue = b};
    return kal_scalar_sub(KAL_ARITHMETIC_RESIDUES, x, y).residue;
}

static uint64_t quotient(uint64_t a, uint64_t b)
{
    return a == KAL_NO_RESIDUE || b == KAL_NO_RESIDUE || b == 0
               ? KAL_NO_RESIDUE
               : kal_residue_mul(a, kal_residue_inverse(b));
}

static uint64_t whole_power(uint64_t a, int64_t n)
{
    if (a == KAL_NO_RESIDUE || (a == 0 && n < 0)) {
        return KAL_NO_RESIDUE;
    }
    const uint64_t size = n < 0 ? UINT64_C(0) - (uint64_t)n : (uint64_t)n;
    const uint64_t power = kal_residue_pow(a, size);
    return n < 0 ? kal_residue_inverse(power) : power;
}

// An odd function of which nothing else is known.
static uint64_t odd_atom(uint64_t seed, uint64_t purpose, uint64_t a)
{
    if (a == KAL_NO_RESIDUE || a == 0) {
        return a;
    }
    const bool minus = a > KAL_PRIME / 2;
    const uint64_t value = atom(seed, purpose, minus ? KAL_PRIME - a : a, 0);
    return minus ? difference(0, value) : value;
}

// The whole number k × denominator, if it is one and not too large: the degree of the
// formulas must stay small against the prime.
static bool find_power(const KalProbe *probe, KalRational k, int64_t *out_power)
{
    assert(k.den > 0);
    if (probe->denominator % k.den != 0) {
        return false;
    }
    const int64_t by = probe->denominator / k.den;
    if (k.num > largest_power / by || k.num < -largest_power / by) {
        return false;
    }
    *out_power = k.num * by;
    return true;
}

static bool on_circle(KalOp op)
{
    return op == KAL_OP_SIN || op == KAL_OP_COS || op == KAL_OP_TAN;
}

// Whether a phase is a combination of monomials of symbols whose powers fit.
static bool phase_fits(const KalProbe *probe, const KalSlot *slot)
{
    assert(kal_op_arity((KalOp)slot->op) == 1);
    const KalPhase phase = kal_probe_slot(probe, slot->arg[0])->phase;
    bool fits = phase.state == KAL_PHASE_KNOWN;
    for (uint32_t i = 0; i < phase.count && fits; i++) {
        const KalPhaseTerm term = kal_phase_terms(&probe->phases, phase)[i];
        const bool turn = on_circle((KalOp)slot->op)
                          && kal_phase_is_pi(&probe->phases, term.monomial);
        int64_t power = 0;
        fits = turn ? kal_residue_unity(term.k.num, term.k.den) != KAL_NO_RESIDUE
                    : kal_phase_is_pure(&probe->phases, term.monomial)
                          && find_power(probe, term.k, &power);
    }
    return fits;
}

static bool is_half(const KalProbe *probe, const KalSlot *slot)
{
    assert(slot->op == KAL_OP_POW);
    const KalExpr exponent = kal_probe_slot(probe, slot->arg[1])->node;
    return kal_is_op(probe->g, exponent, KAL_OP_CONST)
           && kal_graph_number(probe->g, exponent).den == 2;
}

bool kal_residue_is_root(const KalProbe *probe, const KalSlot *slot)
{
    const KalOp op = (KalOp)slot->op;
    return op == KAL_OP_SQRT || op == KAL_OP_HYPOT
           || (op == KAL_OP_POW && is_half(probe, slot));
}

bool kal_residue_follows(const KalProbe *probe, const KalSlot *slot)
{
    const KalOp op = (KalOp)slot->op;
    if (op == KAL_OP_CONST) {
        return kal_graph_number(probe->g, slot->node).den > 0;
    }
    if (op == KAL_OP_LOG) {
        return kal_probe_slot(probe, slot->arg[0])->op == KAL_OP_SYMBOL;
    }
    const KalNature nature = kal_op_nature(op);
    return nature == KAL_NATURE_RATIONAL || kal_residue_is_root(probe, slot)
           || (nature == KAL_NATURE_EXPONENTIAL && phase_fits(probe, slot));
}

// A number, one that was rounded as the fraction that the double is.
static uint64_t number(KalRational k)
{
    if (k.den > 0) {
        return kal_scalar_of(KAL_ARITHMETIC_RESIDUES, k).residue;
    }
    int exponent = 0;
    const double fraction = frexp(k.value, &exponent);
    const int64_t digits = (int64_t)ldexp(fraction, MANTISSA);
    return product(kal_residue_of(digits), whole_power(2, exponent - MANTISSA));
}

// The residue, or its negative, that stands for both.
static uint64_t size_of(uint64_t a)
{
    return a == KAL_NO_RESIDUE || a <= KAL_PRIME / 2 ? a : KAL_PRIME - a;
}

static uint64_t residue_of(const KalProbe *probe, KalExpr e, int point)
{
    return *kal_probe_residue(probe, kal_probe_slot_of(probe, e), point);
}

// A root of either sign, the same wherever the radicand is.
static uint64_t true_root(uint64_t radicand, uint64_t seed)
{
    const uint64_t r =
        radicand == KAL_NO_RESIDUE ? radicand : kal_residue_sqrt(radicand);
    const bool minus = chosen(seed, FOR_SIGN, radicand) & 1U;
    return r != KAL_NO_RESIDUE && minus ? difference(0, r) : r;
}

// |a|^(n/2) for a factor of a radicand.
static uint64_t half_power(uint64_t a, int32_t n, uint64_t seed)
{
    const uint64_t size = product(odd_atom(seed, PURPOSES + KAL_OP_SIGN, a), a);
    const int32_t odd = n % 2 != 0;
    const uint64_t root = atom(seed, FOR_ROOT, size_of(a), 0);
    return product(whole_power(size, (n - odd) / 2), odd ? root : 1);
}

// A root of which no more is known than that it has factors: √|ab| = √|a| √|b|.
static uint64_t free_root(const KalProbe *probe, KalExpr radicand, int point,
                          uint64_t seed)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    KalFactors f = kal_factors_none();
    const uint64_t whole = residue_of(probe, radicand, point);
    bool fits = kal_factors_add(probe->g, &f, radicand, 1) && f.k.den > 0;
    for (int i = 0; i < f.n && fits; i++) {
        fits = f.exponent[i].den == 1;
    }
    if (!fits || whole == KAL_NO_RESIDUE) {
        return half_power(whole, 1, seed);
    }
    const bool unit = kal_rational_is(f.k, 1) || kal_rational_is(f.k, -1);
    uint64_t root = unit ? 1 : half_power(number(f.k), 1, seed);
    for (int i = 0; i < f.n; i++) {
        const uint64_t base = residue_of(probe, f.base[i], point);
        root = product(root, half_power(base, f.exponent[i].num, seed));
    }
    return root;
}

static uint64_t radicand_of(const KalSlot *slot, const uint64_t *x)
{
    return slot->op == KAL_OP_HYPOT ? sum(product(x[0], x[0]), product(x[1], x[1]))
                                    : x[0];
}

// A power of a root; where there is no root, or its sign is not free, of an atom.
static uint64_t eval_root(const KalProbe *probe, const KalSlot *slot, const uint64_t *x,
                          int point, bool *out_missing)
{
    assert(kal_residue_is_root(probe, slot));
    const uint64_t seed = probe->residue_seed[point];
    const uint64_t radicand = radicand_of(slot, x);
    uint64_t r =
        slot->flags & KAL_SLOT_ATOM ? KAL_NO_RESIDUE : true_root(radicand, seed);
    if (radicand == 0) {
        r = 0;
    } else if (r == KAL_NO_RESIDUE) {
        *out_missing = !(slot->flags & KAL_SLOT_ATOM);
        r = slot->op == KAL_OP_HYPOT
                ? half_power(radicand, 1, seed)
                : free_root(probe, kal_probe_slot(probe, slot->arg[0])->node, point,
                            seed);
    }
    if (slot->op != KAL_OP_POW) {
        return r;
    }
    const KalExpr exponent = kal_probe_slot(probe, slot->arg[1])->node;
    return whole_power(r, kal_graph_number(probe->g, exponent).num);
}

// The root of a radicand that is not there as a formula, but may be that of another.
static uint64_t known_root(const KalProbe *probe, uint64_t radicand, int point)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    const uint64_t seed = probe->residue_seed[point];
    const KalRadical *list = probe->radicals.data;
    for (size_t r = 0; r < probe->radicals.size / sizeof *list; r++) {
        const KalSlot *slot = kal_probe_slot(probe, list[r].slot);
        uint64_t x[2] = {*kal_probe_residue(probe, slot->arg[0], point), 0};
        if (slot->op == KAL_OP_HYPOT) {
            x[1] = *kal_probe_residue(probe, slot->arg[1], point);
        }
        const uint64_t root = true_root(radicand, seed);
        if (radicand_of(slot, x) == radicand && root != KAL_NO_RESIDUE) {
            return root;
        }
    }
    return half_power(radicand, 1, seed);
}

// log|e| as a sum over the factors of e.
static uint64_t eval_log(const KalProbe *probe, KalExpr e, int point)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    const uint64_t seed = probe->residue_seed[point];
    KalFactors f = kal_factors_none();
    uint64_t total = 0;
    if (!kal_factors_add(probe->g, &f, e, 1) || f.k.den == 0) {
        return atom(seed, PURPOSES + KAL_OP_LOG, size_of(residue_of(probe, e, point)),
                    0);
    }
    if (!kal_rational_is(f.k, 1) && !kal_rational_is(f.k, -1)) {
        total = atom(seed, PURPOSES + KAL_OP_LOG, size_of(number(f.k)), 0);
    }
    for (int i = 0; i < f.n; i++) {
        const KalExprNode n = *kal_node(probe->g, f.base[i]);
        const KalExpr base = n.op == KAL_OP_ABS ? n.arg[0] : f.base[i];
        const uint64_t log =
            kal_is_op(probe->g, base, KAL_OP_SYMBOL)
                ? chosen(seed, FOR_LOG, kal_node(probe->g, base)->arg[0].index)
                : atom(seed, PURPOSES + KAL_OP_LOG,
                       size_of(residue_of(probe, base, point)), 0);
        const KalRational times = kal_rational(f.exponent[i].num, f.exponent[i].den);
        total = sum(total, product(log, number(times)));
    }
    return total;
}

// e^(i u) and e^(−i u), or e^u and e^(−u).
typedef struct Turn {
    uint64_t forth;
    uint64_t back;
} Turn;

static Turn turn_of(uint64_t z)
{
    return (Turn){z, quotient(1, z)};
}

static Turn turn_by(Turn a, Turn b)
{
    return (Turn){product(a.forth, b.forth), product(a.back, b.back)};
}

// a + b i and its conjugate.
static Turn turn_to(uint64_t a, uint64_t b)
{
    const uint64_t imaginary = product(b, kal_residue_unity(1, 2));
    return (Turn){sum(a, imaginary), difference(a, imaginary)};
}

static Turn power_of(Turn a, int64_t n)
{
    return (Turn){whole_power(a.forth, n), whole_power(a.back, n)};
}

// Whether an angle u is that of an inverse function.  Then also e^(i u) and, because that
// needs fewer roots, e^(2 i u).
static bool find_inverse(const KalProbe *probe, KalExpr e, int point, Turn *out_once,
                         Turn *out_twice)
{
    const KalOp op = e.index == 0 ? KAL_OP_CONST : (KalOp)kal_node(probe->g, e)->op;
    const bool length = op == KAL_OP_ATAN || op == KAL_OP_ATAN2;
    if (!length && op != KAL_OP_ASIN && op != KAL_OP_ACOS) {
        return false;
    }
    const KalSlot *slot = kal_probe_slot(probe, kal_probe_slot_of(probe, e));
    const uint64_t s = *kal_probe_residue(probe, slot->arg[0], point);
    const uint64_t c =
        op == KAL_OP_ATAN2 ? *kal_probe_residue(probe, slot->arg[1], point) : 1;
    const uint64_t ss = product(s, s);
    const uint64_t cc = product(c, c);
    const uint64_t square = length ? sum(cc, ss) : difference(1, ss);
    const uint64_t r = known_root(probe, square, point);
    const uint64_t rs = product(r, s);
    if (length) {
        *out_once = turn_to(quotient(c, r), quotient(s, r));
        *out_twice = turn_to(quotient(difference(cc, ss), square),
                             quotient(product(2, product(c, s)), square));
    } else if (op == KAL_OP_ASIN) {
        *out_once = turn_to(r, s);
        *out_twice = turn_to(difference(square, ss), product(2, rs));
    } else {
        *out_once = turn_to(s, r);
        *out_twice = turn_to(difference(ss, square), product(2, rs));
    }
    return true;
}

// The factor of e^(i u) or e^u that a term of u is: theory (10.4).
static Turn exponential_term(const KalProbe *probe, KalPhaseTerm term, bool circle,
                             int point)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    const uint64_t seed = probe->residue_seed[point];
    const uint64_t purpose = circle ? FOR_CIRCLE : FOR_EXPONENTIAL;
    const KalExpr node = kal_phase_node(&probe->phases, term.monomial);
    const bool few =
        term.k.den == 1 && term.k.num <= TURNS_MAX && term.k.num >= -TURNS_MAX;
    int64_t power = 0;
    Turn turn = {.forth = KAL_NO_RESIDUE};
    Turn twice = turn;
    if (circle && few && find_inverse(probe, node, point, &turn, &twice)) {
        const int64_t n = term.k.num < 0 ? -term.k.num : term.k.num;
        turn = turn_by(power_of(twice, n / 2), power_of(turn, n % 2));
        return term.k.num < 0 ? (Turn){turn.back, turn.forth} : turn;
    }
    if (!circle && few && node.index != 0 && kal_is_op(probe->g, node, KAL_OP_LOG)) {
        const KalExpr of = kal_node(probe->g, node)->arg[0];
        turn.forth = whole_power(residue_of(probe, of, point), term.k.num);
    }
    if (circle && kal_phase_is_pi(&probe->phases, term.monomial)) {
        turn.forth = kal_residue_unity(term.k.num, term.k.den);
    }
    if (turn.forth != KAL_NO_RESIDUE) {
        return turn_of(turn.forth);
    }
    if (find_power(probe, term.k, &power)) {
        return turn_of(whole_power(chosen(seed, purpose, term.monomial), power));
    }
    const bool small = term.k.num <= SMALL_POWER && term.k.num >= -SMALL_POWER;
    const uint64_t own = atom(seed, purpose, term.monomial, (uint64_t)term.k.den);
    return turn_of(small ? whole_power(own, term.k.num)
                         : atom(seed, purpose, own, (uint64_t)term.k.num));
}

// The exponential of a phase: the product of those of its terms.
static Turn exponential(const KalProbe *probe, const KalSlot *slot, uint64_t u,
                        int point)
{
    const bool circle = on_circle((KalOp)slot->op);
    const KalPhase phase = kal_probe_slot(probe, slot->arg[0])->phase;
    if (phase.state != KAL_PHASE_KNOWN) {
        const uint64_t z = atom(probe->residue_seed[point],
                                (uint64_t)PURPOSES + (circle ? KAL_OP_SIN : KAL_OP_EXP),
                                size_of(u), 0);
        return turn_of(u != size_of(u) ? quotient(1, z) : z);
    }
    Turn turn = {1, 1};
    for (uint32_t i = 0; i < phase.count; i++) {
        const KalPhaseTerm term = kal_phase_terms(&probe->phases, phase)[i];
        turn = turn_by(turn, exponential_term(probe, term, circle, point));
    }
    return turn;
}

// Functions of a phase by Euler's formulas, theory (10.5).
typedef struct Wave {
    uint64_t forth; // e^(i u) or e^u
    uint64_t even;  // 2 cos or 2 cosh
    uint64_t odd;   // 2 sin or 2 sinh
} Wave;

static Wave wave_of(const KalProbe *probe, const KalSlot *slot, uint64_t u, int point)
{
    assert(kal_op_nature((KalOp)slot->op) == KAL_NATURE_EXPONENTIAL);
    if (u == KAL_NO_RESIDUE) {
        return (Wave){u, u, u};
    }
    const Turn z = exponential(probe, slot, u, point);
    const uint64_t i = on_circle((KalOp)slot->op) ? kal_residue_unity(1, 2) : 1;
    return (Wave){z.forth, sum(z.forth, z.back),
                  quotient(difference(z.forth, z.back), i)};
}

// a^(k m) for a term k m of an exponent: whole powers of a, powers of atoms.
static uint64_t power_term(const KalProbe *probe, KalPhaseTerm term, uint64_t a,
                           uint64_t seed)
{
    assert(term.k.den > 0);
    const bool whole = kal_phase_is_one(&probe->phases, term.monomial);
    const int64_t den = term.k.den;
    int64_t n = whole ? term.k.num / den : 0;
    n -= whole && term.k.num % den < 0;
    const int64_t rest = term.k.num - n * den;
    const uint64_t base =
        atom(seed, FOR_POWER, atom(seed, FOR_POWER, a, (uint64_t)den), term.monomial);
    const bool small = rest <= SMALL_POWER && rest >= -SMALL_POWER;
    const uint64_t part =
        small ? whole_power(base, rest) : atom(seed, FOR_POWER, base, (uint64_t)rest);
    return product(whole_power(a, n), part);
}

// a^b = Π a^(k m) over the terms of b.
static uint64_t eval_power(const KalProbe *probe, const KalSlot *slot,
                           const uint64_t *x, uint64_t seed)
{
    const KalPhase phase = kal_probe_slot(probe, slot->arg[1])->phase;
    uint64_t power = x[1] == KAL_NO_RESIDUE ? x[1] : 1;
    if (phase.state != KAL_PHASE_KNOWN || x[0] == 0) {
        return atom(seed, FOR_POWER, x[0], x[1]);
    }
    for (uint32_t i = 0; i < phase.count; i++) {
        const KalPhaseTerm term = kal_phase_terms(&probe->phases, phase)[i];
        power = product(power, power_term(probe, term, x[0], seed));
    }
    return power;
}

// The sign of d, and whether it is 0, as atoms: theory (10.19).
static uint64_t sign_of(uint64_t d, uint64_t seed)
{
    return odd_atom(seed, PURPOSES + KAL_OP_SIGN, d);
}

static uint64_t vanishes(uint64_t d, uint64_t seed)
{
    return d == 0 ? 1 : atom(seed, PURPOSES + KAL_OP_EQ, size_of(d), 0);
}

// 1 or 0 for what is or is not 0, where this is not known already.
static uint64_t truth(const KalProbe *probe, uint32_t slot, uint64_t x, uint64_t seed)
{
    return kal_is_condition(probe->g, kal_probe_slot(probe, slot)->node)
               ? x
               : difference(1, vanishes(x, seed));
}

// Comparisons of a and b, with d = a − b: theory (10.19).
typedef struct Comparison {
    uint64_t size; // |d|
    uint64_t sign; // of d
    uint64_t zero; // 1 where d = 0
} Comparison;

static Comparison compare(const uint64_t *x, uint64_t seed)
{
    const uint64_t d = difference(x[0], x[1]);
    const uint64_t s = sign_of(d, seed);
    return (Comparison){product(s, d), s, vanishes(d, seed)};
}

// a < b or a ≤ b: (1 − sign d ∓ [d = 0]) / 2.
static uint64_t is_less(const uint64_t *x, uint64_t seed, bool or_equal)
{
    const Comparison c = compare(x, seed);
    const uint64_t apart = difference(1, c.sign);
    return quotient(or_equal ? sum(apart, c.zero) : difference(apart, c.zero), 2);
}

// min or max: (a + b ∓ |d|) / 2.
static uint64_t extreme(const uint64_t *x, uint64_t seed, bool largest)
{
    const uint64_t both = sum(x[0], x[1]);
    const uint64_t size = compare(x, seed).size;
    return quotient(largest ? sum(both, size) : difference(both, size), 2);
}

static uint64_t is_either(uint64_t a, uint64_t b)
{
    return difference(sum(a, b), product(a, b));
}

// arccos u = π/2 − arcsin u.
static uint64_t arc_cosine(uint64_t u, uint64_t seed)
{
    return difference(quotient(chosen(seed, FOR_PI, 0), 2),
                      odd_atom(seed, PURPOSES + KAL_OP_ASIN, u));
}

// ⌊u⌋, of which nothing is known but what it is of.
static uint64_t floor_of(uint64_t u, uint64_t seed)
{
    return atom(seed, PURPOSES + KAL_OP_FLOOR, u, 0);
}

// a − b ⌊a/b⌋.
static uint64_t modulo(uint64_t a, uint64_t b, uint64_t seed)
{
    return difference(a, product(b, floor_of(quotient(a, b), seed)));
}

// A function of a table, of which nothing is known but which one it is.
static uint64_t table_of(const KalSlot *slot, uint64_t u, uint64_t seed)
{
    const KalSplineFunction *f = kal_spline_of(slot->arg[1], slot->arg[2]);
    return atom(seed, PURPOSES + KAL_OP_SPLINE, u,
                f->spline->hash * KAL_SPLINE_FUNCTIONS + (uint64_t)f->kind);
}

static uint64_t eval_tangent(Wave w)
{
    return quotient(w.odd, w.even);
}

// Of two conditions.
static uint64_t eval_logic(const KalProbe *probe, const KalSlot *slot,
                           const uint64_t *x, uint64_t seed)
{
    const uint64_t a = truth(probe, slot->arg[0], x[0], seed);
    const uint64_t b = truth(probe, slot->arg[1], x[1], seed);
    return slot->op == KAL_OP_AND ? product(a, b) : is_either(a, b);
}

// Any node but a root.
static uint64_t eval_node(const KalProbe *probe, const KalSlot *slot, const uint64_t *x,
                          int point)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    const uint64_t seed = probe->residue_seed[point];
    const uint64_t own = (uint64_t)PURPOSES + slot->op; // the purpose of an atom
    switch ((KalOp)slot->op) {
    case KAL_OP_POW: return eval_power(probe, slot, x, seed);
    case KAL_OP_EXP: return wave_of(probe, slot, x[0], point).forth;
    case KAL_OP_COS:
    case KAL_OP_COSH: return quotient(wave_of(probe, slot, x[0], point).even, 2);
    case KAL_OP_SIN:
    case KAL_OP_SINH: return quotient(wave_of(probe, slot, x[0], point).odd, 2);
    case KAL_OP_TAN:
    case KAL_OP_TANH: return eval_tangent(wave_of(probe, slot, x[0], point));
    case KAL_OP_LOG:
        return eval_log(probe, kal_probe_slot(probe, slot->arg[0])->node, point);
    case KAL_OP_ASIN:
    case KAL_OP_ATAN:
    case KAL_OP_ERF: return odd_atom(seed, own, x[0]);
    case KAL_OP_FLOOR: return floor_of(x[0], seed);
    case KAL_OP_CEIL: return difference(0, floor_of(difference(0, x[0]), seed));
    case KAL_OP_MOD: return modulo(x[0], x[1], seed);
    case KAL_OP_ACOS: return arc_cosine(x[0], seed);
    case KAL_OP_ATAN2: return atom(seed, own, x[0], x[1]);
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP: return table_of(slot, x[0], seed);
    case KAL_OP_SIGN: return sign_of(x[0], seed);
    case KAL_OP_ABS: return product(sign_of(x[0], seed), x[0]);
    case KAL_OP_MIN: return extreme(x, seed, false);
    case KAL_OP_MAX: return extreme(x, seed, true);
    case KAL_OP_LT: return is_less(x, seed, false);
    case KAL_OP_LE: return is_less(x, seed, true);
    case KAL_OP_EQ: return compare(x, seed).zero;
    case KAL_OP_NE: return difference(1, compare(x, seed).zero);
    case KAL_OP_AND:
    case KAL_OP_OR: return eval_logic(probe, slot, x, seed);
    case KAL_OP_NOT: return difference(1, truth(probe, slot->arg[0], x[0], seed));
    case KAL_OP_SELECT:
        return sum(x[2], product(truth(probe, slot->arg[0], x[0], seed),
                                 difference(x[1], x[2])));
    case KAL_OP_CONST: return number(kal_graph_number(probe->g, slot->node));
    case KAL_OP_SYMBOL: return chosen(seed, FOR_SYMBOL, slot->arg[0]);
    case KAL_OP_PI: return chosen(seed, FOR_PI, 0);
    case KAL_OP_ADD: return sum(x[0], x[1]);
    case KAL_OP_SUB: return difference(x[0], x[1]);
    case KAL_OP_NEG: return difference(0, x[0]);
    case KAL_OP_MUL: return product(x[0], x[1]);
    case KAL_OP_DIV: return quotient(x[0], x[1]);
    case KAL_OP_POWI: return whole_power(x[0], (int32_t)slot->arg[1]);
    case KAL_OP_WHERE: return x[0];
    case KAL_OP_SQRT: // roots all
    case KAL_OP_HYPOT:
    case KAL_OP_COUNT: break;
    }
    return KAL_NO_RESIDUE;
}

uint64_t kal_residue_eval(const KalProbe *probe, const KalSlot *slot, int point,
                          bool *out_missing)
{
    assert(point >= 0 && point < KAL_PROBE_RESIDUES);
    uint64_t x[3] = {0};
    for (int k = 0; k < kal_op_arity((KalOp)slot->op); k++) {
        x[k] = *kal_probe_residue(probe, slot->arg[k], point);
    }
    return kal_residue_is_root(probe, slot)
               ? eval_root(probe, slot, x, point, out_missing)
               : eval_node(probe, slot, x, point);
}
