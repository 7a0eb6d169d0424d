// SPDX-License-Identifier: MIT

#include "base/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
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

static void add_digit(Decimal *d, char digit, bool fraction)
{
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

void kal_number_print_exact(double value, char out_text[KAL_NUMBER_SIZE])
{
    for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        kal_number_print(value, digits, out_text);
        const bool last = digits == DBL_DECIMAL_DIG || !isfinite(value);
        if (last || kal_number_parse(out_text, strlen(out_text)) == value) {
            return;
        }
    }
}
