// SPDX-License-Identifier: MIT

#include "rng.h"
#include "tap.h"
#include "zero/arithmetic.h"

__extension__ typedef unsigned __int128 Wide;

static uint64_t some_residue(Rng *rng)
{
    const uint64_t edges[] = {0, 1, 2, KAL_PRIME - 1, KAL_PRIME - 2, UINT64_C(1) << 60};
    const int k = rng_int(rng, 0, 20);
    return k < 6 ? edges[k] : rng_next(rng) % KAL_PRIME;
}

static void products_are_those_of_integers(void)
{
    Rng rng = {1};
    for (int k = 0; k < 100000; k++) {
        const uint64_t a = some_residue(&rng);
        const uint64_t b = some_residue(&rng);
        ok(kal_residue_mul(a, b) == (uint64_t)((Wide)a * b % KAL_PRIME));
    }
}

static void inverses_and_roots_undo(void)
{
    Rng rng = {2};
    int without = 0;
    for (int k = 0; k < 2000; k++) {
        const uint64_t a = some_residue(&rng);
        ok(a == 0 || kal_residue_mul(a, kal_residue_inverse(a)) == 1);
        const uint64_t square = kal_residue_mul(a, a);
        const uint64_t root = kal_residue_sqrt(square);
        ok(root == a || root == KAL_PRIME - a);
        const uint64_t other = kal_residue_sqrt(a);
        without += other == KAL_NO_RESIDUE;
        ok(other == KAL_NO_RESIDUE || kal_residue_mul(other, other) == a);
        // By Euler's criterion there is a root iff a^((p − 1)/2) is not −1.
        ok((other == KAL_NO_RESIDUE)
           == (kal_residue_pow(a, (KAL_PRIME - 1) / 2) == KAL_PRIME - 1));
    }
    ok(without > 600 && without < 1400);
}

// Where Euclid takes few steps, or many.
static void small_and_large_numbers_have_inverses(void)
{
    uint64_t fibonacci[2] = {1, 1};
    for (uint64_t a = 1; a < 2000; a++) {
        ok(kal_residue_mul(a, kal_residue_inverse(a)) == 1);
        ok(kal_residue_inverse(KAL_PRIME - a) == KAL_PRIME - kal_residue_inverse(a));
    }
    while (fibonacci[1] < KAL_PRIME) {
        ok(kal_residue_mul(fibonacci[1], kal_residue_inverse(fibonacci[1])) == 1);
        const uint64_t next = fibonacci[0] + fibonacci[1];
        fibonacci[0] = fibonacci[1];
        fibonacci[1] = next;
    }
}

static void roots_of_unity_turn(void)
{
    ok(kal_residue_unity(1, 1) == KAL_PRIME - 1);
    ok(kal_residue_unity(2, 1) == 1 && kal_residue_unity(0, 7) == 1);
    const int64_t dens[] = {2, 3, 4, 5, 6, 7, 9, 18000};
    for (int k = 0; k < 8; k++) {
        const uint64_t z = kal_residue_unity(1, dens[k]);
        ok(z != KAL_NO_RESIDUE);
        ok(kal_residue_pow(z, (uint64_t)dens[k]) == KAL_PRIME - 1);
        ok(kal_residue_mul(z, kal_residue_unity(-1, dens[k])) == 1);
        ok(kal_residue_unity(3 + 2 * dens[k], dens[k]) == kal_residue_pow(z, 3));
        // All are of one circle: a half turn of the finest is a half turn of any.
        ok(18000 % dens[k] != 0 || z == kal_residue_unity(18000 / dens[k], 18000));
    }
    ok(kal_residue_unity(1, 11) == KAL_NO_RESIDUE);
}

static void whole_numbers_wrap(void)
{
    ok(kal_residue_of(-1) == KAL_PRIME - 1 && kal_residue_of(5) == 5);
    ok(kal_residue_of((int64_t)KAL_PRIME) == 0
       && kal_residue_of(-(int64_t)KAL_PRIME) == 0);
    ok(kal_residue_of(INT64_MIN) == KAL_PRIME - (UINT64_C(1) << 63) % KAL_PRIME);
    const KalScalar third = kal_scalar_of(KAL_ARITHMETIC_RESIDUES, kal_rational(1, 3));
    ok(kal_residue_mul(third.residue, 3) == 1);
    const KalScalar rounded =
        kal_scalar_of(KAL_ARITHMETIC_RESIDUES, kal_rational_of(0.3));
    ok(!kal_scalar_is_valid(KAL_ARITHMETIC_RESIDUES, rounded));
}

// (a + b) c / c − a − b in both fields, with 0.1 and the like.
static void errors_cover_rounding(void)
{
    Rng rng = {3};
    for (int k = 0; k < 10000; k++) {
        const KalRational n[3] = {kal_rational(rng_int(&rng, -999, 999), 1000),
                                  kal_rational(rng_int(&rng, -999, 999), 7),
                                  kal_rational(rng_int(&rng, 1, 999), 13)};
        for (int kind = 0; kind < 2; kind++) {
            const KalArithmetic field = (KalArithmetic)kind;
            const KalScalar a = kal_scalar_of(field, n[0]);
            const KalScalar b = kal_scalar_of(field, n[1]);
            const KalScalar c = kal_scalar_of(field, n[2]);
            const KalScalar sum = kal_scalar_add(field, a, b);
            const KalScalar back =
                kal_scalar_div(field, kal_scalar_mul(field, sum, c), c);
            const KalScalar rest =
                kal_scalar_sub(field, kal_scalar_sub(field, back, a), b);
            ok(kal_scalar_is_valid(field, rest) && kal_scalar_is_zero(field, rest));
            ok(kal_scalar_weight(field, rest) == 0.0);
            ok(!kal_scalar_is_zero(field, kal_scalar_add(field, rest, c)));
        }
    }
}

static void nothing_comes_of_nothing(void)
{
    for (int kind = 0; kind < 2; kind++) {
        const KalArithmetic field = (KalArithmetic)kind;
        const KalScalar one = kal_scalar_of(field, kal_rational(1, 1));
        const KalScalar zero = kal_scalar_of(field, kal_rational(0, 1));
        const KalScalar none = kal_scalar_div(field, one, zero);
        ok(!kal_scalar_is_valid(field, none) && kal_scalar_weight(field, none) == 0.0);
        ok(!kal_scalar_is_valid(field, kal_scalar_add(field, one, none)));
        ok(!kal_scalar_is_valid(field, kal_scalar_sub(field, none, one)));
        ok(!kal_scalar_is_valid(field, kal_scalar_mul(field, zero, none)));
        ok(!kal_scalar_is_valid(field, kal_scalar_div(field, one, none)));
        ok(!kal_scalar_is_valid(field, kal_scalar_none(field)));
    }
}

TAP_RUN(TAP_CASE(products_are_those_of_integers), TAP_CASE(inverses_and_roots_undo),
        TAP_CASE(small_and_large_numbers_have_inverses), TAP_CASE(roots_of_unity_turn),
        TAP_CASE(whole_numbers_wrap), TAP_CASE(errors_cover_rounding),
        TAP_CASE(nothing_comes_of_nothing))
