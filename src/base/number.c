// SPDX-License-Identifier: MIT

// Numbers between text and double, rightly rounded and the same in every locale.
//
// Reading.  Clinger's fast path: up to 15 digits and a power of ten up to 10^22 are both
// exact in double, so one multiplication or division rounds once (How to read floating point
// numbers accurately, 1990).  All others go through strtod, which rounds rightly, in a form
// that has no decimal mark: whole digits and an exponent.
//
// Writing.  The fewest digits, from 15 on, that read back as the same double.  Values of
// usual size are printed with integers alone: m x 2^q times 10^k is m x 5^k shifted, which
// fits into 128 bits, so that rounding to k digits, and the question whether a neighbor is
// as near, are exact.  All others are printed with 15, 16 and 17 digits by the C library
// until they read back.

#include "base/number.h"

#include <kalaba/text.h>

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_KEPT = 800,  // no rounding to double depends on more than 768 digits
    EXPONENT_SIZE = 32, // room for "e", a sign and any 64-bit number
};

// The value is digits × 10^exponent.
typedef struct Decimal {
    char digits[DIGITS_KEPT + 1 + EXPONENT_SIZE];
    size_t count;
    long long exponent;
    bool more; // a digit other than 0 did not fit
} Decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Leading zeros do not count; digits beyond those kept only say whether they are all zero.
static void add_digit(Decimal *d, char digit, bool fraction)
{
    assert(is_digit(digit) && d->count <= DIGITS_KEPT);
    const bool leading_zero = d->count == 0 && digit == '0';
    if (leading_zero || d->count < DIGITS_KEPT) {
        d->digits[d->count] = digit;
        d->count += !leading_zero;
        d->exponent -= fraction;
    } else {
        d->more = d->more || digit != '0';
        d->exponent += !fraction;
    }
}

// The number after an "e", held at a bound that no mantissa in memory can make up for.
static long long parse_exponent(const char *text, const char *end)
{
    const long long bound = 1000000000000000;
    const bool negative = text < end && *text == '-';
    long long exponent = 0;

    for (const char *c = text; c < end; c++) {
        if (is_digit(*c) && exponent < bound) {
            exponent = 10 * exponent + (*c - '0');
        }
    }
    return negative ? -exponent : exponent;
}

// The text is known to be a number: digits, a point, an exponent.
static void parse_decimal(Decimal *d, const char *text, const char *end)
{
    bool fraction = false;

    for (const char *c = text; c < end; c++) {
        if (*c == 'e' || *c == 'E') {
            d->exponent += parse_exponent(c + 1, end);
            return;
        }
        if (is_digit(*c)) {
            add_digit(d, *c, fraction);
        }
        fraction = fraction || *c == '.';
    }
}

// Up to 15 digits and these powers of ten are exact in double, so that one operation
// with both rounds once.
static bool find_short(const Decimal *d, double *out_value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || d->count > DBL_DIG || llabs(d->exponent) > 22) {
        return false;
    }
    double value = 0.0;
    for (size_t i = 0; i < d->count; i++) {
        value = 10.0 * value + (d->digits[i] - '0');
    }
    const double power = powers[llabs(d->exponent)];
    *out_value = d->exponent < 0 ? value / power : value * power;
    return true;
}

// With an integer mantissa there is no decimal mark for a locale to spell, and strtod
// rounds exactly in all of them.  A last digit 1 stands for all that did not fit: it
// breaks ties as they would.
static double eval_long(Decimal *d)
{
    if (d->count == 0) {
        return 0.0;
    }
    assert(d->count <= DIGITS_KEPT && d->digits[0] != '0');
    if (d->more) {
        d->digits[d->count++] = '1';
        d->exponent--;
    }
    snprintf(d->digits + d->count, EXPONENT_SIZE, "e%lld", d->exponent);
    return strtod(d->digits, NULL);
}

double kal_number_parse(const char *text, size_t length)
{
    assert(length > 0);
    Decimal d;
    d.count = 0;
    d.exponent = 0;
    d.more = false;
    parse_decimal(&d, text, text + length);

    double value;
    if (!find_short(&d, &value)) {
        value = eval_long(&d);
    }
    return text[0] == '-' ? -value : value;
}

void kal_number_print(double value, int digits, char out_text[KAL_NUMBER_SIZE])
{
    assert(digits >= 1 && digits <= 17);
    snprintf(out_text, KAL_NUMBER_SIZE, "%.*g", digits, value);
    if (!isfinite(value)) {
        return;
    }
    // What is none of these is the decimal mark of a locale, of one or more bytes.
    const char *plain = "-0123456789e+";
    char *mark = out_text + strspn(out_text, plain);
    const size_t mark_length = strcspn(mark, plain);
    if (mark_length > 0) {
        *mark = '.';
        memmove(mark + 1, mark + mark_length, strlen(mark + mark_length) + 1);
    }
}

__extension__ typedef unsigned __int128 Wide;

// A value m × 2^q and its decimal form D × 10^-k of some number of digits.
typedef struct Digits {
    uint64_t m;
    int q;
    uint64_t D;
    int k;
    bool reads_back; // D × 10^-k is nearer to the value than to any other double
} Digits;

static uint64_t power_of_five(int exponent)
{
    assert(exponent >= 0 && exponent <= 27); // 5^27 is the last below 2^63
    static const uint64_t powers[] = {
        UINT64_C(1),
        UINT64_C(5),
        UINT64_C(25),
        UINT64_C(125),
        UINT64_C(625),
        UINT64_C(3125),
        UINT64_C(15625),
        UINT64_C(78125),
        UINT64_C(390625),
        UINT64_C(1953125),
        UINT64_C(9765625),
        UINT64_C(48828125),
        UINT64_C(244140625),
        UINT64_C(1220703125),
        UINT64_C(6103515625),
        UINT64_C(30517578125),
        UINT64_C(152587890625),
        UINT64_C(762939453125),
        UINT64_C(3814697265625),
        UINT64_C(19073486328125),
        UINT64_C(95367431640625),
        UINT64_C(476837158203125),
        UINT64_C(2384185791015625),
        UINT64_C(11920928955078125),
        UINT64_C(59604644775390625),
        UINT64_C(298023223876953125),
        UINT64_C(1490116119384765625),
        UINT64_C(7450580596923828125),
    };
    return powers[exponent];
}

// Round the value times 10^k to a whole number, ties to even as the C library does.  All
// is exact: V = m × 5^k has at most 53 + 63 bits, and in its units 5^k is the distance to
// the next double above, and to the one below but for m = 2^52, where that is half.
static void round_digits(Digits *d)
{
    const uint64_t five_k = power_of_five(d->k);
    const Wide V = (Wide)d->m * five_k;
    const int shift = -(d->q + d->k);
    assert(shift < 128);
    if (shift <= 0) {
        d->D = (uint64_t)(V << -shift);
        d->reads_back = true;
        return;
    }
    const Wide half = (Wide)1 << (shift - 1);
    const Wide rest = V & (2 * half - 1);
    d->D = (uint64_t)(V >> shift);
    d->D += rest > half || (rest == half && (d->D & 1) != 0);

    const Wide rounded = (Wide)d->D << shift;
    const bool below = rounded < V;
    const Wide error = below ? V - rounded : rounded - V;
    const Wide times = below && d->m == UINT64_C(1) << 52 ? 4 : 2;
    d->reads_back =
        times * error < five_k || (times * error == five_k && (d->m & 1) == 0);
}

// Print D, of `digits` digits of which the first stands for 10^exponent, as %g does.
static void print_digits(uint64_t D, int digits, int exponent, char *out_text)
{
    char text[DBL_DECIMAL_DIG + 1];
    const bool scientific = exponent < -4 || exponent >= digits;
    assert(digits >= 1 && digits <= DBL_DECIMAL_DIG);
    for (int i = digits - 1; i >= 0; i--, D /= 10) {
        text[i] = (char)('0' + D % 10);
    }
    assert(D == 0); // it had no more digits
    int kept = digits;
    while (kept > 1 && text[kept - 1] == '0') {
        kept--;
    }
    if (!scientific && exponent < 0) {
        memcpy(out_text, "0.0000", 6);
        out_text += 1 - exponent;
        memcpy(out_text, text, (size_t)kept);
        out_text[kept] = '\0';
        return;
    }
    const int whole = scientific ? 1 : exponent + 1; // digits before the point
    memcpy(out_text, text, (size_t)whole);
    out_text += whole;
    if (kept > whole) {
        *out_text++ = '.';
        memcpy(out_text, text + whole, (size_t)(kept - whole));
        out_text += kept - whole;
    }
    if (scientific) {
        const int rest = abs(exponent); // of two digits, in our range
        *out_text++ = 'e';
        *out_text++ = exponent < 0 ? '-' : '+';
        *out_text++ = (char)('0' + rest / 10);
        *out_text++ = (char)('0' + rest % 10);
    }
    *out_text = '\0';
}

// The exponent of the first digit of a value from 1e-11 up to 1e15.  The double nearest to
// a negative power of ten counts as that power, which is what its 15 digits say.
static int find_exponent(double size, int binary)
{
    static const double powers[] = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5,
                                    1e-4,  1e-3,  1e-2,  1e-1, 1e0,  1e1,  1e2,  1e3,
                                    1e4,   1e5,   1e6,   1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12,  1e13,  1e14,  1e15, 1e16};
    int i = 12 + (int)floor(binary * 0.30102999566398120);
    assert(i >= 0 && i + 1 < (int)(sizeof powers / sizeof powers[0]));
    i += size >= powers[i + 1];
    i -= size < powers[i];
    return i - 12;
}

// Print a value of usual size with integers alone, in a tenth of the time that it takes to
// print and read with the C library.  False for all others.
static bool print_usual(double value, char *out_text)
{
    const double size = fabs(value);
    if (!(size >= 1e-11 && size < 1e15)) {
        return false;
    }
    int binary = 0;
    Digits d = {.m = (uint64_t)(frexp(size, &binary) * 0x1p53)};
    d.q = binary - 53;
    int digits = DBL_DIG - 1;
    int exponent = find_exponent(size, binary - 1);
    do {
        digits++;
        d.k = digits - 1 - exponent;
        round_digits(&d);
    } while (!d.reads_back && digits < DBL_DECIMAL_DIG);

    assert(d.reads_back || digits == DBL_DECIMAL_DIG);
    const bool carried = d.D == power_of_five(digits) << digits; // it is 10^digits
    out_text[0] = '-';
    print_digits(carried ? d.D / 10 : d.D, digits, exponent + carried,
                 out_text + (value < 0.0));
    return true;
}

void kal_number_print_exact(double value, char out_text[KAL_NUMBER_SIZE])
{
    if (print_usual(value, out_text)) {
        return;
    }
    for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        kal_number_print(value, digits, out_text);
        const bool last = digits == DBL_DECIMAL_DIG || !isfinite(value);
        if (last || kal_number_parse(out_text, strlen(out_text)) == value) {
            return;
        }
    }
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') {
        text++;
    }
    return text;
}

// Where the number that a text begins with ends; NULL when there is none.
static const char *find_end(const char *text)
{
    const char *digits = text + (*text == '-');
    const char *end = skip_digits(digits);
    if (end == digits || (*digits == '0' && end > digits + 1)) {
        return NULL; // as in JSON, no number begins with 0 or with its point
    }
    if (*end == '.') {
        const char *fraction = end + 1;
        end = skip_digits(fraction);
        if (end == fraction) {
            return NULL;
        }
    }
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1;
        exponent += *exponent == '-' || *exponent == '+';
        end = skip_digits(exponent);
        if (end == exponent) {
            return NULL;
        }
    }
    return end;
}

bool kal_number_read(const char *text, double *out_number)
{
    if (!(text && out_number)) {
        return false;
    }
    const char *end = find_end(text);
    if (!end || *end != '\0') {
        return false;
    }
    const double number = kal_number_parse(text, (size_t)(end - text));
    if (!isfinite(number)) {
        return false;
    }
    *out_number = number;
    return true;
}
