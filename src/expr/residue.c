// SPDX-License-Identifier: MIT

// One residue from others.  Symbols, π, logarithms of symbols and the exponentials of
// monomials get random residues; all else follows: theory (10.1) to (10.5).

#include "expr/graph_impl.h"
#include "expr/identity_impl.h"

#include <assert.h>

enum {
    // What a random residue is for.
    FOR_SYMBOL,
    FOR_PI,
    FOR_LOG,
    FOR_CIRCLE,
    FOR_EXPONENTIAL,
    FOR_SIGN,
    PURPOSES
};

static const int64_t largest_power = INT64_C(1) << 50;

static uint64_t chosen(uint64_t seed, uint64_t purpose, uint64_t number)
{
    return kal_residue_random(seed, number * PURPOSES + purpose);
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

// The whole number k × denominator, if it is one and not too large: the degree of the
// formulas must stay small against the prime.
static bool find_power(const KalProbe *probe, KalRational k, int64_t *out_power)
{
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

static bool has_phase(KalOp op)
{
    return on_circle(op) || op == KAL_OP_EXP || op == KAL_OP_SINH || op == KAL_OP_COSH
           || op == KAL_OP_TANH;
}

static bool phase_fits(const KalProbe *probe, const KalSlot *slot)
{
    const KalPhase phase = kal_probe_slot(probe, slot->arg[0])->phase;
    bool fits = phase.state == KAL_PHASE_KNOWN;
    for (uint32_t i = 0; i < phase.count && fits; i++) {
        const KalPhaseTerm term = kal_phase_terms(&probe->phases, phase)[i];
        const bool turn = on_circle((KalOp)slot->op)
                          && kal_phase_is_pi(&probe->phases, term.monomial);
        int64_t power = 0;
        fits = turn ? kal_residue_unity(term.k.num, term.k.den) != KAL_NO_RESIDUE
                    : find_power(probe, term.k, &power);
    }
    return fits;
}

static bool is_half(const KalProbe *probe, const KalSlot *slot)
{
    const KalExpr exponent = kal_probe_slot(probe, slot->arg[1])->node;
    return kal_is_op(probe->g, exponent, KAL_OP_CONST)
           && kal_graph_number(probe->g, exponent).den == 2;
}

bool kal_residue_exists(const KalProbe *probe, const KalSlot *slot)
{
    const KalOp op = (KalOp)slot->op;
    switch (op) {
    case KAL_OP_CONST: {
        const KalScalar k = kal_scalar_of(KAL_ARITHMETIC_RESIDUES,
                                          kal_graph_number(probe->g, slot->node));
        return k.residue != KAL_NO_RESIDUE;
    }
    case KAL_OP_SYMBOL:
    case KAL_OP_PI:
    case KAL_OP_ADD:
    case KAL_OP_SUB:
    case KAL_OP_NEG:
    case KAL_OP_MUL:
    case KAL_OP_DIV:
    case KAL_OP_POWI:
    case KAL_OP_SQRT:
    case KAL_OP_HYPOT: return true;
    case KAL_OP_POW: return is_half(probe, slot);
    case KAL_OP_LOG: return kal_probe_slot(probe, slot->arg[0])->op == KAL_OP_SYMBOL;
    default: return has_phase(op) && phase_fits(probe, slot);
    }
}

// e^(i u) or e^u for a phase u: theory (10.4).
static uint64_t exponential(const KalProbe *probe, const KalSlot *slot, uint64_t seed)
{
    const bool circle = on_circle((KalOp)slot->op);
    const KalPhase phase = kal_probe_slot(probe, slot->arg[0])->phase;
    uint64_t z = 1;
    for (uint32_t i = 0; i < phase.count; i++) {
        const KalPhaseTerm term = kal_phase_terms(&probe->phases, phase)[i];
        int64_t power = 0;
        if (circle && kal_phase_is_pi(&probe->phases, term.monomial)) {
            z = kal_residue_mul(z, kal_residue_unity(term.k.num, term.k.den));
        } else if (find_power(probe, term.k, &power)) {
            const uint64_t base =
                chosen(seed, circle ? FOR_CIRCLE : FOR_EXPONENTIAL, term.monomial);
            z = kal_residue_mul(z, whole_power(base, power));
        }
    }
    return z;
}

// Functions of a phase by Euler's formulas, theory (10.5).
static uint64_t function_of_phase(const KalProbe *probe, const KalSlot *slot,
                                  uint64_t seed)
{
    const KalOp op = (KalOp)slot->op;
    const uint64_t z = exponential(probe, slot, seed);
    const uint64_t back = kal_residue_inverse(z);
    const uint64_t even = sum(z, back);       // 2 cos or 2 cosh
    const uint64_t odd = difference(z, back); // 2i sin or 2 sinh
    const uint64_t i = on_circle(op) ? kal_residue_unity(1, 2) : 1;
    switch (op) {
    case KAL_OP_EXP: return z;
    case KAL_OP_COS:
    case KAL_OP_COSH: return quotient(even, 2);
    case KAL_OP_SIN:
    case KAL_OP_SINH: return quotient(odd, kal_residue_mul(2, i));
    default: return quotient(odd, product(i, even)); // tan, tanh
    }
}

// A root of either sign, the same for all powers of one radicand.
static uint64_t root(const KalProbe *probe, const KalSlot *slot, uint64_t radicand,
                     uint64_t seed)
{
    const KalExpr of = slot->op == KAL_OP_HYPOT
                           ? slot->node
                           : kal_probe_slot(probe, slot->arg[0])->node;
    const uint64_t r =
        radicand == KAL_NO_RESIDUE ? KAL_NO_RESIDUE : kal_residue_sqrt(radicand);
    const bool minus = chosen(seed, FOR_SIGN, of.index) & 1U;
    return r == KAL_NO_RESIDUE || !minus ? r : difference(0, r);
}

static uint64_t eval_algebra(const KalProbe *probe, const KalSlot *slot, uint64_t a,
                             uint64_t b, uint64_t seed)
{
    switch ((KalOp)slot->op) {
    case KAL_OP_ADD: return sum(a, b);
    case KAL_OP_SUB: return difference(a, b);
    case KAL_OP_NEG: return difference(0, a);
    case KAL_OP_MUL: return product(a, b);
    case KAL_OP_DIV: return quotient(a, b);
    case KAL_OP_POWI: return whole_power(a, (int32_t)slot->arg[1]);
    case KAL_OP_POW: {
        const KalExpr exponent = kal_probe_slot(probe, slot->arg[1])->node;
        return whole_power(root(probe, slot, a, seed),
                           kal_graph_number(probe->g, exponent).num);
    }
    case KAL_OP_LOG:
        return chosen(seed, FOR_LOG, kal_probe_slot(probe, slot->arg[0])->arg[0]);
    case KAL_OP_SQRT: return root(probe, slot, a, seed);
    case KAL_OP_HYPOT:
        return root(probe, slot, sum(product(a, a), product(b, b)), seed);
    default: return function_of_phase(probe, slot, seed);
    }
}

uint64_t kal_residue_eval(const KalProbe *probe, const KalSlot *slot, int point,
                          uint64_t seed)
{
    const KalOp op = (KalOp)slot->op;
    if (slot->flags & KAL_SLOT_REAL) {
        return KAL_NO_RESIDUE;
    }
    switch (op) {
    case KAL_OP_CONST:
        return kal_scalar_of(KAL_ARITHMETIC_RESIDUES,
                             kal_graph_number(probe->g, slot->node))
            .residue;
    case KAL_OP_SYMBOL: return chosen(seed, FOR_SYMBOL, slot->arg[0]);
    case KAL_OP_PI: return chosen(seed, FOR_PI, 0);
    default: break;
    }
    const int arity = kal_op_arity(op);
    const uint64_t a = *kal_probe_residue(probe, slot->arg[0], point);
    const uint64_t b = arity > 1 ? *kal_probe_residue(probe, slot->arg[1], point) : 0;
    return eval_algebra(probe, slot, a, b, seed);
}
