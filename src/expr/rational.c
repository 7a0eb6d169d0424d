// SPDX-License-Identifier: MIT

// Fractions of 64-bit numbers, exact as long as they fit, else a double (den = 0).
//
// Invariants of an exact one: lowest terms, den > 0, |num| and den below 2^63, and `value` is
// the double nearest to it.  Products of two numerators fit into 128 bits, so that every
// result is formed exactly before it is looked at whether it fits.

#include "expr/rational.h"

#include "base/number.h"

#include <assert.h>
#include <math.h>

// Products of two 64-bit numbers fit, and so does the sum of two such products.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

enum {
    DYADIC = 1024 // doubles that are multiples of 1/DYADIC count as exact
};

// |x|, also of the least number.
static uint64_t size_of(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

// Euclid's algorithm.
static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static int bits_of(uint64_t x)
{
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

// The double nearest to n/d, both positive and less than 2^63.
static double nearest(uint64_t n, uint64_t d)
{
    assert(n > 0 && d > 0);
    const uint64_t exact = UINT64_C(1) << 53;
    if (n <= exact && d <= exact) {
        return (double)n / (double)d; // one rounding
    }
    // A quotient of 64 to 127 bits, cut to 64; its last bit stands for all that was cut,
    // so that the conversion to double rounds as the whole would.
    const int shift = 127 - bits_of(n);
    assert(d > 0 && shift >= 0 && shift < 128);
    const UWide wide = (UWide)n << shift;
    UWide q = wide / d;
    bool more = q * d != wide;
    int cut = 0;
    const uint64_t high = (uint64_t)(q >> 64);
    if (high != 0) {
        cut = bits_of(high);
        more = more || (q & (((UWide)1 << cut) - 1)) != 0;
        q >>= cut;
    }
    return ldexp((double)((uint64_t)q | (uint64_t)more), cut - shift);
}

static KalRational rounded(double value)
{
    return (KalRational){.value = value};
}

// num/den in lowest terms and den > 0, if it fits.
static KalRational exact(Wide num, Wide den)
{
    if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX) {
        return rounded((double)num / (double)den);
    }
    const int64_t n = (int64_t)num;
    assert(den > 0);
    const double size = n == 0 ? 0.0 : nearest(size_of(n), (uint64_t)den);
    return (KalRational){n, (int64_t)den, n < 0 ? -size : size};
}

KalRational kal_rational(int64_t num, int64_t den)
{
    assert(den != 0);
    const uint64_t common = gcd(size_of(num), size_of(den));
    const Wide sign = (num < 0) != (den < 0) ? -1 : 1;
    return exact(sign * (Wide)(size_of(num) / common), (Wide)(size_of(den) / common));
}

KalRational kal_rational_of(double value)
{
    const double many = value * DYADIC;
    if (fabs(many) <= 0x1p53 && floor(many) == many) {
        return kal_rational((int64_t)many, DYADIC);
    }
    return rounded(value);
}

KalRational kal_rational_neg(KalRational x)
{
    return (KalRational){-x.num, x.den, x.num == 0 && x.den != 0 ? 0.0 : -x.value};
}

// Knuth, The Art of Computer Programming, 4.5.1: gcd's of small numbers only.
KalRational kal_rational_add(KalRational x, KalRational y)
{
    if (x.den == 0 || y.den == 0) {
        const double sum = x.value + y.value;
        return sum == 0.0 ? kal_rational(0, 1) : rounded(sum); // zero is not rounded
    }
    const int64_t common = (int64_t)gcd((uint64_t)x.den, (uint64_t)y.den);
    assert(common > 0);
    const Wide num = (Wide)x.num * (y.den / common) + (Wide)y.num * (x.den / common);
    const Wide left = num % common;
    const int64_t again =
        (int64_t)gcd((uint64_t)(left < 0 ? -left : left), (uint64_t)common);
    return exact(num / again, (Wide)(x.den / common) * (y.den / again));
}

KalRational kal_rational_mul(KalRational x, KalRational y)
{
    if (kal_rational_is(x, 0) || kal_rational_is(y, 0)) {
        return kal_rational(0, 1);
    }
    if (x.den == 0 || y.den == 0) {
        return rounded(x.value * y.value);
    }
    const int64_t across = (int64_t)gcd(size_of(x.num), (uint64_t)y.den);
    const int64_t back = (int64_t)gcd(size_of(y.num), (uint64_t)x.den);
    return exact((Wide)(x.num / across) * (y.num / back),
                 (Wide)(x.den / back) * (y.den / across));
}

KalRational kal_rational_div(KalRational x, KalRational y)
{
    assert(y.value != 0.0);
    if (y.den == 0) {
        return kal_rational_is(x, 0) ? x : rounded(x.value / y.value);
    }
    const KalRational inverse = {y.num < 0 ? -y.den : y.den, (int64_t)size_of(y.num),
                                 1.0 / y.value};
    return kal_rational_mul(x, inverse);
}

// By repeated squaring; a negative power is that of the inverse.
KalRational kal_rational_pow(KalRational x, int64_t n)
{
    assert(n >= 0 || x.value != 0.0);
    KalRational power = kal_rational(1, 1);
    KalRational square = n < 0 ? kal_rational_div(power, x) : x;
    for (uint64_t left = size_of(n); left != 0; left >>= 1) {
        if (left & 1U) {
            power = kal_rational_mul(power, square);
        }
        if (left > 1) {
            square = kal_rational_mul(square, square);
        }
    }
    return power;
}

// The whole root of a whole number, if it has one.
static bool find_root(int64_t x, int64_t *out_root)
{
    assert(x >= 0);
    int64_t root = (int64_t)(sqrt((double)x) + 0.5);
    root -= (Wide)root * root > x;
    *out_root = root;
    return (Wide)root * root == x;
}

bool kal_rational_find_sqrt(KalRational x, KalRational *out_root)
{
    int64_t num;
    int64_t den;
    if (x.den == 0 || x.num < 0 || !find_root(x.num, &num) || !find_root(x.den, &den)) {
        return false;
    }
    *out_root = kal_rational(num, den);
    return true;
}

int kal_rational_compare(KalRational x, KalRational y)
{
    assert(!isnan(x.value) && !isnan(y.value));
    if (x.den == 0 || y.den == 0) {
        return (x.value > y.value) - (x.value < y.value);
    }
    const Wide left = (Wide)x.num * y.den;
    const Wide right = (Wide)y.num * x.den;
    return (left > right) - (left < right);
}

bool kal_rational_same(KalRational x, KalRational y)
{
    return x.num == y.num && x.den == y.den && (x.den != 0 || x.value == y.value);
}

bool kal_rational_usable(KalRational x)
{
    return isfinite(x.value) && (x.den != 0 || x.value != 0.0);
}

// digits × 10^exponent, as long as the digits fit.
typedef struct Decimal {
    int64_t digits;
    int64_t exponent;
} Decimal;

static bool add_digit(Decimal *d, char digit)
{
    return !__builtin_mul_overflow(d->digits, 10, &d->digits)
           && !__builtin_add_overflow(d->digits, digit - '0', &d->digits);
}

// Held where any further digit could not matter.
static int64_t read_exponent(const char *text, const char *end)
{
    assert(text <= end);
    const bool negative = text < end && *text == '-';
    int64_t exponent = 0;
    for (const char *c = text + (text < end && (negative || *text == '+')); c < end;
         c++) {
        exponent = exponent > 9999 ? exponent : 10 * exponent + (*c - '0');
    }
    return negative ? -exponent : exponent;
}

// False when there are more digits than fit.
static bool read_decimal(Decimal *d, const char *text, const char *end)
{
    bool fraction = false;
    for (const char *c = text; c < end; c++) {
        if (*c == 'e' || *c == 'E') {
            d->exponent += read_exponent(c + 1, end);
            return true;
        }
        if (*c == '.') {
            fraction = true;
        } else if (!add_digit(d, *c)) {
            return false;
        } else {
            d->exponent -= fraction;
        }
    }
    return true;
}

// Exact as long as numerator and denominator fit; 0.1 is then 1/10 and not the nearest
// double.
KalRational kal_rational_parse(const char *text, size_t length)
{
    assert(length > 0);
    const bool negative = *text == '-';
    Decimal d = {0};
    if (read_decimal(&d, text + negative, text + length) && d.exponent >= -400
        && d.exponent <= 400) {
        const KalRational ten = kal_rational(10, 1);
        const KalRational power =
            kal_rational_pow(ten, d.exponent < 0 ? -d.exponent : d.exponent);
        const KalRational digits = kal_rational(negative ? -d.digits : d.digits, 1);
        const KalRational whole = d.exponent < 0 ? kal_rational_div(digits, power)
                                                 : kal_rational_mul(digits, power);
        if (whole.den != 0) {
            return whole;
        }
    }
    return rounded(kal_number_parse(text, length));
}
