// SPDX-License-Identifier: MIT

// Two arithmetics to test formulas in: residues modulo a prime of 61 bits, which are exact,
// and doubles with bounds on their errors to first order.
//
// The prime is 2^61 less a small number, so that products are reduced without division, and
// p − 1 is divisible by many small numbers, so that the field has roots of unity for the
// angles that formulas have.  What has no residue, such as 1/0, is KAL_NO_RESIDUE, which
// spreads through all operations as NaN does.

#include "zero/arithmetic.h"

#include <assert.h>
#include <float.h>

__extension__ typedef unsigned __int128 Wide;

enum {
    TWOS = 8,    // KAL_PRIME − 1 = 2^8 × odd
    ROOT = 22,   // generates all residues but 0
    CERTAIN = 8, // errors that a value must exceed to count as nonzero
};

// ROOT^((p − 1)/4), a root of −1: the one that sines and cosines ask for.
static const uint64_t quarter_turn = UINT64_C(0x1b4893e42392731c);

static const uint64_t below_two_to_61 = (UINT64_C(1) << 61) - KAL_PRIME;
static const uint64_t mask = (UINT64_C(1) << 61) - 1;
static const double unit = DBL_EPSILON / 2.0;

// 2^61 is the small number below_two_to_61, so the high part of a product folds twice.
uint64_t kal_residue_mul(uint64_t a, uint64_t b)
{
    assert(a < KAL_PRIME && b < KAL_PRIME);
    const Wide product = (Wide)a * b;
    const Wide once = (product >> 61) * below_two_to_61 + ((uint64_t)product & mask);
    const uint64_t twice =
        (uint64_t)(once >> 61) * below_two_to_61 + ((uint64_t)once & mask);
    return twice >= KAL_PRIME ? twice - KAL_PRIME : twice;
}

// By squaring.
uint64_t kal_residue_pow(uint64_t a, uint64_t n)
{
    assert(a < KAL_PRIME);
    uint64_t power = 1;
    for (; n != 0; n >>= 1) {
        power = n & 1U ? kal_residue_mul(power, a) : power;
        a = kal_residue_mul(a, a);
    }
    return power;
}

// Euclid: `times` a is `rest` but for a multiple of p, down to a rest of 1.  Small numbers, as
// most denominators are, take a few divisions, others 36 on average: less than half of what the
// power a^(p − 2) takes.
uint64_t kal_residue_inverse(uint64_t a)
{
    assert(a != 0 && a < KAL_PRIME);
    uint64_t before = KAL_PRIME;
    uint64_t rest = a;
    int64_t times_before = 0;
    int64_t times = 1; // no larger than p
    while (rest != 1) {
        const uint64_t quotient = before / rest;
        const uint64_t next = before - quotient * rest;
        const int64_t times_next = times_before - (int64_t)quotient * times;
        before = rest;
        rest = next;
        times_before = times;
        times = times_next;
    }
    return times < 0 ? (uint64_t)(times + (int64_t)KAL_PRIME) : (uint64_t)times;
}

// Tonelli and Shanks: a^odd lies in the group of order 2^8; a root of it there, found bit
// by bit, corrects a^((odd + 1)/2).
uint64_t kal_residue_sqrt(uint64_t a)
{
    assert(a < KAL_PRIME);
    const uint64_t odd = (KAL_PRIME - 1) >> TWOS;
    const uint64_t c = kal_residue_pow(ROOT, odd);
    uint64_t root = kal_residue_pow(a, (odd + 1) / 2);
    if (a == 0) {
        return 0;
    }
    const uint64_t inverse = kal_residue_inverse(a);
    for (int k = TWOS - 1; k > 0; k--) {
        const uint64_t rest = kal_residue_mul(kal_residue_mul(root, root), inverse);
        if (kal_residue_pow(rest, UINT64_C(1) << (k - 1)) != 1) {
            root = kal_residue_mul(root,
                                   kal_residue_pow(c, UINT64_C(1) << (TWOS - 1 - k)));
        }
    }
    return kal_residue_mul(root, root) == a ? root : KAL_NO_RESIDUE;
}

// e^(i π num/den): a power of a primitive root of unity of order 2 den, where the field has
// one.
uint64_t kal_residue_unity(int64_t num, int64_t den)
{
    assert(den > 0);
    const uint64_t order = 2 * (uint64_t)den;
    if ((KAL_PRIME - 1) % order != 0) {
        return KAL_NO_RESIDUE;
    }
    const int64_t turn = num % (int64_t)order;
    const uint64_t n = (uint64_t)(turn < 0 ? turn + (int64_t)order : turn);
    const uint64_t primitive =
        order == 4 ? quarter_turn : kal_residue_pow(ROOT, (KAL_PRIME - 1) / order);
    return kal_residue_pow(primitive, n);
}

uint64_t kal_residue_of(int64_t value)
{
    const uint64_t size =
        (value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value) % KAL_PRIME;
    return value < 0 && size != 0 ? KAL_PRIME - size : size;
}

// SplitMix64 of both.
uint64_t kal_residue_random(uint64_t seed, uint64_t what)
{
    uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)
                 + (what + 1) * UINT64_C(0xd1342543de82ef95);
    for (int round = 0; round < 2; round++) {
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return 1 + z % (KAL_PRIME - 1);
}

static KalScalar residue(uint64_t value)
{
    return (KalScalar){.residue = value};
}

static KalScalar real(double value, double error)
{
    assert(!(error < 0.0));
    return (KalScalar){
        .real = {isfinite(error) ? value : NAN, error}
    };
}

// A result from two operands, of which each may have lost something.
static KalScalar with_losses(KalScalar result, KalScalar a, KalScalar b)
{
    return kal_real_mark(result, kal_real_lost(a) || kal_real_lost(b));
}

// a ± b as computed: a term that is not zero may be too small to be seen in it.
static KalScalar sum_of(KalScalar a, KalScalar b, double value)
{
    const double a_error = kal_real_error(a);
    const double b_error = kal_real_error(b);
    const KalScalar sum = real(value, a_error + b_error + fabs(value) * unit);
    const double seen = CERTAIN * kal_real_error(sum);
    const double x = fabs(a.real.value);
    const double y = fabs(b.real.value);
    const bool lost =
        (x > CERTAIN * a_error && x <= seen) || (y > CERTAIN * b_error && y <= seen);
    return with_losses(kal_real_mark(sum, lost), a, b);
}

KalScalar kal_scalar_none(KalArithmetic field)
{
    return field == KAL_ARITHMETIC_RESIDUES ? residue(KAL_NO_RESIDUE) : real(NAN, 0.0);
}

KalScalar kal_scalar_of(KalArithmetic field, KalRational value)
{
    assert(value.den >= 0);
    if (field == KAL_ARITHMETIC_REALS) {
        const bool whole = value.den == 1 && fabs(value.value) < 0x1p53;
        return real(value.value, whole ? 0.0 : fabs(value.value) * unit);
    }
    const uint64_t den = value.den > 0 ? kal_residue_of(value.den) : 0;
    const uint64_t num = kal_residue_of(value.num);
    if (den <= 1) {
        return residue(den == 0 ? KAL_NO_RESIDUE : num);
    }
    return residue(kal_residue_mul(num, kal_residue_inverse(den)));
}

static bool both_residues(KalScalar a, KalScalar b)
{
    return a.residue != KAL_NO_RESIDUE && b.residue != KAL_NO_RESIDUE;
}

KalScalar kal_scalar_add(KalArithmetic field, KalScalar a, KalScalar b)
{
    if (field == KAL_ARITHMETIC_REALS) {
        return sum_of(a, b, a.real.value + b.real.value);
    }
    if (!both_residues(a, b)) {
        return residue(KAL_NO_RESIDUE);
    }
    const uint64_t sum = a.residue + b.residue;
    return residue(sum >= KAL_PRIME ? sum - KAL_PRIME : sum);
}

KalScalar kal_scalar_sub(KalArithmetic field, KalScalar a, KalScalar b)
{
    if (field == KAL_ARITHMETIC_REALS) {
        return sum_of(a, b, a.real.value - b.real.value);
    }
    if (!both_residues(a, b)) {
        return residue(KAL_NO_RESIDUE);
    }
    return residue(a.residue >= b.residue ? a.residue - b.residue
                                          : a.residue + KAL_PRIME - b.residue);
}

KalScalar kal_scalar_mul(KalArithmetic field, KalScalar a, KalScalar b)
{
    if (field == KAL_ARITHMETIC_REALS) {
        const double product = a.real.value * b.real.value;
        const double error = fabs(a.real.value) * kal_real_error(b)
                             + fabs(b.real.value) * kal_real_error(a);
        const KalScalar result = real(product, error + fabs(product) * unit);
        const bool lost = product == 0.0 && a.real.value != 0.0 && b.real.value != 0.0;
        return with_losses(kal_real_mark(result, lost), a, b);
    }
    return both_residues(a, b) ? residue(kal_residue_mul(a.residue, b.residue))
                               : residue(KAL_NO_RESIDUE);
}

KalScalar kal_scalar_div(KalArithmetic field, KalScalar a, KalScalar b)
{
    if (!kal_scalar_is_valid(field, b) || kal_scalar_is_zero(field, b)) {
        return kal_scalar_none(field);
    }
    if (field == KAL_ARITHMETIC_REALS) {
        const double quotient = a.real.value / b.real.value;
        const double error = (kal_real_error(a) + fabs(quotient) * kal_real_error(b))
                             / (fabs(b.real.value) - kal_real_error(b));
        return with_losses(real(quotient, error + fabs(quotient) * unit), a, b);
    }
    return kal_scalar_mul(field, a, residue(kal_residue_inverse(b.residue)));
}

bool kal_scalar_is_valid(KalArithmetic field, KalScalar a)
{
    return field == KAL_ARITHMETIC_RESIDUES ? a.residue != KAL_NO_RESIDUE
                                            : isfinite(a.real.value);
}

// A double counts as zero unless it is certain that it is not.
bool kal_scalar_is_zero(KalArithmetic field, KalScalar a)
{
    return field == KAL_ARITHMETIC_RESIDUES
               ? a.residue == 0
               : !(fabs(a.real.value) > CERTAIN * kal_real_error(a));
}

double kal_scalar_weight(KalArithmetic field, KalScalar a)
{
    if (!kal_scalar_is_valid(field, a) || kal_scalar_is_zero(field, a)) {
        return 0.0;
    }
    return field == KAL_ARITHMETIC_RESIDUES ? 1.0 : fabs(a.real.value);
}
