// SPDX-License-Identifier: MIT

#include "base/number.h"
#include "tap.h"

#include <kalaba/text.h>

#include <float.h>
#include <locale.h>
#include <stdint.h>

static double parse(const char *text)
{
    return kal_number_parse(text, strlen(text));
}

static void simple_numbers_are_exact(void)
{
    ok(parse("0") == 0.0);
    ok(parse("-0") == 0.0 && signbit(parse("-0")));
    ok(parse("12.5") == 12.5);
    ok(parse("-9.81") == -9.81);
    ok(parse("1E2") == 100.0);
    ok(parse("1e+2") == 100.0);
    ok(parse("0.001") == 0.001);
    ok(parse("100000000000000000000000") == 1e23);
    ok(parse("0e999999999999999999999999") == 0.0);
    ok(parse("0.000e5") == 0.0);
}

static void needless_and_missing_zeros_do_no_harm(void)
{
    ok(parse(".5") == 0.5);
    ok(parse("-.5e1") == -5.0);
    ok(parse("5.") == 5.0);
    ok(parse("5.e-1") == 0.5);
    ok(parse("007") == 7.0);
}

static void reads_only_its_length(void)
{
    ok(kal_number_parse("1234", 2) == 12.0);
}

static void limits_of_double_are_reached(void)
{
    ok(parse("1.7976931348623157e308") == DBL_MAX);
    ok(parse("1.7976931348623158e308") == DBL_MAX);
    ok(isinf(parse("1.7976931348623159e308")));
    ok(isinf(parse("-1e999")) && parse("-1e999") < 0.0);
    ok(isinf(parse("1e99999999999999999999")));
    ok(parse("5e-324") == DBL_TRUE_MIN);
    ok(parse("2e-324") == 0.0);
    ok(parse("1e-99999999999999999999") == 0.0);
}

// 2^53 + 1 lies half way between doubles: it rounds to even, and up when anything
// follows, however far away.
static void ties_are_broken_by_the_last_digit(void)
{
    char text[2048] = "9007199254740993.";
    ok(parse("9007199254740993") == 9007199254740992.0);
    const size_t length = strlen(text);
    memset(text + length, '0', 1500);
    text[length + 1500] = '\0';
    ok(parse(text) == 9007199254740992.0);
    text[length + 1499] = '1';
    ok(parse(text) == 9007199254740994.0);
}

static void zeros_and_exponents_cancel(void)
{
    char text[2100] = "0.";
    memset(text + 2, '0', 1999);
    strcpy(text + 2001, "25e2000");
    ok(parse(text) == 2.5);
    memset(text, '0', sizeof text - 1);
    text[0] = '1';
    strcpy(text + 2001, "e-2000");
    ok(parse(text) == 1.0);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void every_double_reads_back(void)
{
    uint64_t state = 20260601;
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = next_random(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        char text[KAL_NUMBER_SIZE];
        if (isfinite(value)) {
            kal_number_print_exact(value, text);
            ok(parse(text) == value);
        }
    }
}

// Against the C library, with every number of digits.
static void parse_agrees_with_strtod(void)
{
    uint64_t state = 7;
    for (int i = 0; i < 50000; i++) {
        char text[64];
        const int digits = 1 + (int)(next_random(&state) % 19);
        const int exponent = (int)(next_random(&state) % 80) - 40;
        snprintf(text, sizeof text, "%.*e", digits,
                 (double)next_random(&state) * pow(10.0, exponent));
        ok(parse(text) == strtod(text, NULL));
    }
}

static void prints_the_fewest_digits(void)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print_exact(0.1, text);
    same_text(text, "0.1");
    kal_number_print_exact(-9.81, text);
    same_text(text, "-9.81");
    kal_number_print_exact(1.0 / 3.0, text);
    same_text(text, "0.3333333333333333");
    kal_number_print_exact(0.1 + 0.2, text);
    same_text(text, "0.30000000000000004");
    kal_number_print_exact(1e300, text);
    same_text(text, "1e+300");
    kal_number_print(1.0 / 3.0, 4, text);
    same_text(text, "0.3333");
}

// What the C library gives with the fewest digits that its strtod reads back.
static void prints_as_the_C_library(double value)
{
    char got[KAL_NUMBER_SIZE];
    char want[64];
    int digits = DBL_DIG - 1;
    do {
        digits++;
        snprintf(want, sizeof want, "%.*g", digits, value);
    } while (strtod(want, NULL) != value && digits < DBL_DECIMAL_DIG);
    kal_number_print_exact(value, got);
    same_text(got, want);
}

// Around powers of ten and two, where digits and neighbors change, and anywhere.
static void short_way_of_printing_agrees_with_the_long(void)
{
    uint64_t state = 11;
    for (int e = -14; e <= 18; e++) {
        char power[16];
        snprintf(power, sizeof power, "1e%d", e);
        double up = strtod(power, NULL);
        double down = up;
        for (int i = 0; i < 40; i++) {
            prints_as_the_C_library(up);
            prints_as_the_C_library(-down);
            up = nextafter(up, INFINITY);
            down = nextafter(down, 0.0);
        }
    }
    for (int e = -45; e <= 60; e++) {
        prints_as_the_C_library(ldexp(1.0, e));
        prints_as_the_C_library(nextafter(ldexp(1.0, e), 0.0));
        prints_as_the_C_library(nextafter(ldexp(1.0, e), INFINITY));
    }
    for (int i = 0; i < 100000; i++) {
        const double unit = (double)(next_random(&state) >> 11) * 0x1p-53;
        const int exponent = (int)(next_random(&state) % 30) - 13;
        prints_as_the_C_library(unit * pow(10.0, exponent));
        prints_as_the_C_library(round(unit * 1e6) * pow(10.0, exponent));
        prints_as_the_C_library(round(unit * 1e4) / 16.0);
    }
}

// Whatever locale with a comma the machine has; without one there is nothing to see.
static void locale_does_not_matter(void)
{
    const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_NUMERIC, names[i])) {
            found++;
            char text[KAL_NUMBER_SIZE];
            kal_number_print_exact(1.5e-30, text);
            same_text(text, "1.5e-30");
            ok(parse("1.25") == 1.25);
            ok(parse("1234567890.12345678901234567890")
               == 1234567890.1234567890123456789);
        }
    }
    setlocale(LC_NUMERIC, "C");
    printf("# %d locales with another decimal mark tried\n", found);
}

static void a_text_is_a_number_or_is_not(void)
{
    static const char *const numbers[] = {"0", "-1.5e-3", "12", "1E+2"};
    static const double values[] = {0.0, -1.5e-3, 12.0, 100.0};
    static const char *const others[] = {"",    "-",   "01",  "1.", ".5",    "1e",
                                         "1e+", "1 ",  " 1",  "1x", "1e999", "nan",
                                         "inf", "0x1", "1,5", "+1"};
    for (int i = 0; i < 4; i++) {
        double value = -7.0;
        ok(kal_number_read(numbers[i], &value));
        near(value, values[i], 0.0);
    }
    for (int i = 0; i < 16; i++) {
        double value = -7.0;
        ok(!kal_number_read(others[i], &value));
        near(value, -7.0, 0.0);
    }
}

TAP_RUN(TAP_CASE(a_text_is_a_number_or_is_not), TAP_CASE(simple_numbers_are_exact),
        TAP_CASE(needless_and_missing_zeros_do_no_harm),
        TAP_CASE(reads_only_its_length), TAP_CASE(limits_of_double_are_reached),
        TAP_CASE(ties_are_broken_by_the_last_digit),
        TAP_CASE(zeros_and_exponents_cancel), TAP_CASE(every_double_reads_back),
        TAP_CASE(parse_agrees_with_strtod), TAP_CASE(prints_the_fewest_digits),
        TAP_CASE(short_way_of_printing_agrees_with_the_long),
        TAP_CASE(locale_does_not_matter))
