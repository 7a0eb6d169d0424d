// SPDX-License-Identifier: MIT

#include "expr/rational.h"
#include "rng.h"
#include "tap.h"

#include <float.h>
#include <string.h>

static KalRational parse(const char *text)
{
    return kal_rational_parse(text, strlen(text));
}

static bool is(KalRational x, int64_t num, int64_t den)
{
    return x.num == num && x.den == den;
}

static void fractions_are_in_lowest_terms(void)
{
    ok(is(kal_rational(6, 4), 3, 2));
    ok(is(kal_rational(6, -4), -3, 2));
    ok(is(kal_rational(0, -7), 0, 1));
    ok(is(kal_rational(INT64_MAX, INT64_MAX), 1, 1));
    ok(is(kal_rational(INT64_MIN, 2), -(INT64_C(1) << 62), 1));
    ok(kal_rational(INT64_MIN, 1).den == 0); // its negative would not fit
    ok(kal_rational(INT64_MIN, 1).value == -0x1p63);
}

static void arithmetic_is_that_of_fractions(void)
{
    const KalRational third = kal_rational(1, 3);
    const KalRational sixth = kal_rational(-1, 6);
    ok(is(kal_rational_add(third, sixth), 1, 6));
    ok(is(kal_rational_mul(third, sixth), -1, 18));
    ok(is(kal_rational_div(third, sixth), -2, 1));
    ok(is(kal_rational_neg(third), -1, 3));
    ok(is(kal_rational_pow(sixth, 3), -1, 216));
    ok(is(kal_rational_pow(sixth, -2), 36, 1));
    ok(is(kal_rational_pow(sixth, 0), 1, 1));
    ok(is(kal_rational_add(third, kal_rational_neg(third)), 0, 1));
    ok(!signbit(kal_rational_neg(kal_rational(0, 1)).value));
}

// At the edge of 64 bits a result is exact if it fits, however large what it is made of.
static void the_edge_is_exact(void)
{
    const KalRational top = kal_rational(INT64_MAX, 1);
    const KalRational one = kal_rational(1, 1);
    ok(is(kal_rational_add(top, kal_rational_neg(one)), INT64_MAX - 1, 1));
    ok(kal_rational_add(top, one).den == 0);
    ok(kal_rational_add(top, one).value == 0x1p63);
    ok(is(kal_rational_mul(top, kal_rational(1, INT64_MAX)), 1, 1));
    ok(is(kal_rational_mul(kal_rational(INT64_MAX, 6), kal_rational(6, INT64_MAX)), 1,
          1));
    // INT64_MAX = 7² 73 127 337 92737 649657
    ok(is(kal_rational_mul(kal_rational(INT64_MAX / 7, 2), kal_rational(14, 1)),
          INT64_MAX, 1));
    const KalRational small = kal_rational(1, INT64_MAX);
    ok(is(kal_rational_add(small, small), 2, INT64_MAX));
    ok(is(kal_rational_add(kal_rational(INT64_MAX - 1, INT64_MAX), small), 1, 1));
    const KalRational sum = kal_rational_add(small, kal_rational(1, INT64_MAX - 1));
    ok(sum.den == 0);
    near(sum.value, 2.0 / 0x1p63, 1e-34);
    ok(is(kal_rational_pow(kal_rational(2, 1), 62), INT64_C(1) << 62, 1));
    ok(kal_rational_pow(kal_rational(2, 1), 63).den == 0);
    ok(kal_rational_pow(kal_rational(10, 1), 30).value == 1e30);
    ok(!kal_rational_usable(kal_rational_pow(kal_rational(10, 1), 400)));
    ok(!kal_rational_usable(kal_rational_pow(kal_rational(10, 1), -400)));
    ok(kal_rational_usable(kal_rational(0, 1)));
}

// num/den as x87 or quad arithmetic would round it: q is the nearest double when the
// exact remainder is at most half the gap to its neighbors.
static bool is_nearest(int64_t num, int64_t den, double q)
{
    __extension__ typedef __int128 Wide;
    int exponent;
    const double fraction = frexp(q, &exponent); // q = m 2^(exponent − 53)
    const int64_t m = (int64_t)ldexp(fraction, 53);
    const int shift = exponent - 53;
    // |2 num − 2 m 2^shift den| ≤ 2^shift den, with everything made whole
    const Wide left = shift < 0 ? (Wide)num << -shift : (Wide)num;
    const Wide right = shift < 0 ? (Wide)m * den : ((Wide)m << shift) * den;
    const Wide half = shift < 0 ? (Wide)den : (Wide)den << shift;
    const Wide error = left > right ? left - right : right - left;
    return 2 * error <= half;
}

static void values_are_the_nearest_doubles(void)
{
    Rng rng = {1};
    for (int i = 0; i < 20000; i++) {
        // quotients between 1 and 2^9, so that the check fits 128 bits
        const int64_t den = (int64_t)(rng_next(&rng) >> 10);
        const int64_t num = den + (int64_t)(rng_next(&rng) >> rng_int(&rng, 2, 12));
        const KalRational x = kal_rational(num, den);
        ok(x.den != 0 && is_nearest(x.num, x.den, x.value));
    }
    ok(kal_rational(1, 10).value == 0.1);
    ok(kal_rational(INT64_MAX, 1).value == 0x1p63);
    ok(kal_rational(1, INT64_MAX).value == 0x1p-63);
    ok(kal_rational(-9007199254740993, 1).value == -9007199254740992.0);
}

static void doubles_with_few_binary_digits_are_exact(void)
{
    ok(is(kal_rational_of(0.5), 1, 2));
    ok(is(kal_rational_of(-3.0), -3, 1));
    ok(is(kal_rational_of(-0.0), 0, 1));
    ok(is(kal_rational_of(0x1p-10), 1, 1024));
    ok(kal_rational_of(0.1).den == 0);
    ok(kal_rational_of(1e300).den == 0);
    ok(kal_rational_of(1e300).value == 1e300);
}

static void decimals_are_exact_where_they_fit(void)
{
    ok(is(parse("0.1"), 1, 10));
    ok(is(parse("2.50"), 5, 2));
    ok(is(parse("-1e-3"), -1, 1000));
    ok(is(parse("1.5E+2"), 150, 1));
    ok(is(parse("9223372036854775807"), INT64_MAX, 1));
    ok(parse("9223372036854775808").den == 0);
    ok(parse("9223372036854775808").value == 0x1p63);
    ok(parse("1e-30").value == 1e-30);
    ok(parse("1e300").value == 1e300);
    ok(parse("3.14159265358979323846").value == 3.14159265358979323846);
    ok(isinf(parse("1e999999999999").value));
    ok(is(parse("0e99999"), 0, 1) || parse("0e99999").value == 0.0);
}

static void squares_have_roots(void)
{
    KalRational root;
    ok(kal_rational_find_sqrt(kal_rational(9, 4), &root) && is(root, 3, 2));
    ok(kal_rational_find_sqrt(kal_rational(0, 1), &root) && is(root, 0, 1));
    ok(!kal_rational_find_sqrt(kal_rational(2, 1), &root));
    ok(!kal_rational_find_sqrt(kal_rational(-4, 1), &root));
    ok(!kal_rational_find_sqrt(kal_rational_of(0.01), &root));
    const int64_t large = 3037000499; // the largest whose square fits
    ok(kal_rational_find_sqrt(kal_rational(large * large, 1), &root)
       && is(root, large, 1));
    ok(!kal_rational_find_sqrt(kal_rational(INT64_MAX, 1), &root));
}

static void comparison_is_exact(void)
{
    const KalRational a = kal_rational(INT64_MAX - 1, INT64_MAX);
    const KalRational b = kal_rational(INT64_MAX - 2, INT64_MAX - 1);
    ok(a.value == b.value);
    ok(kal_rational_compare(a, b) == 1);
    ok(kal_rational_compare(b, a) == -1);
    ok(kal_rational_compare(a, a) == 0);
    ok(kal_rational_compare(kal_rational_of(0.1), kal_rational(1, 5)) == -1);
    ok(kal_rational_same(a, a) && !kal_rational_same(a, b));
    ok(!kal_rational_same(kal_rational(1, 10), kal_rational_of(0.1)));
    ok(kal_rational_same(kal_rational_of(0.1), kal_rational_of(0.1)));
}

static void rounded_numbers_stay_rounded(void)
{
    const KalRational x = kal_rational_of(0.1);
    ok(kal_rational_add(x, kal_rational(1, 1)).value == 1.1);
    ok(is(kal_rational_add(x, kal_rational_neg(x)), 0, 1));
    ok(is(kal_rational_mul(x, kal_rational(0, 1)), 0, 1));
    ok(kal_rational_mul(x, x).value == 0.1 * 0.1);
    ok(kal_rational_div(kal_rational(1, 1), x).value == 1.0 / 0.1);
    ok(is(kal_rational_div(kal_rational(0, 1), x), 0, 1));
    ok(kal_rational_neg(x).value == -0.1);
}

TAP_RUN(TAP_CASE(fractions_are_in_lowest_terms),
        TAP_CASE(arithmetic_is_that_of_fractions), TAP_CASE(the_edge_is_exact),
        TAP_CASE(values_are_the_nearest_doubles),
        TAP_CASE(doubles_with_few_binary_digits_are_exact),
        TAP_CASE(decimals_are_exact_where_they_fit), TAP_CASE(squares_have_roots),
        TAP_CASE(comparison_is_exact), TAP_CASE(rounded_numbers_stay_rounded))
