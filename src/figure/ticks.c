// SPDX-License-Identifier: MIT

// Ticks at multiples of 1, 2 or 5 times a power of ten: the least such step that gives no
// more ticks than there is room for.  All that is written at them comes from whole numbers,
// multiples of the step, so that no text has digits that rounding made: a number n x 10^power
// is printed digit by digit.
//
// What all texts share is taken out: a round offset where more than DIGITS_LIMIT digits
// would have to be read, and a power of ten that is a multiple of three.  On a logarithmic
// axis ticks are powers of ten, thinned evenly when there are too many, unless less than two
// of them are in sight: then it has the ticks of a linear one.

#include "figure/ticks.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    DIGITS_LIMIT = 5,  // significant digits that are still easy to read
    LARGE_POWER = 5,   // from here on a common power of ten
    SMALL_POWER = -4,  // and down from here
    DECADES_LIMIT = 14 // with ticks at 2, 3 … 9 times a power of ten
};

// A distance of ticks: factor * 10^power, with the factor 1, 2 or 5.
typedef struct Step {
    int factor;
    int power;
} Step;

// n * 10^power, rounded once as long as the power of ten is exact.
static double scale(double n, int power)
{
    return power < 0 ? n / pow(10.0, -power) : n * pow(10.0, power);
}

static double step_size(Step step)
{
    return scale(step.factor, step.power);
}

// The next step down: 5, 2, 1, 0.5 …
static Step smaller(Step step)
{
    assert(step.factor == 1 || step.factor == 2 || step.factor == 5);
    switch (step.factor) {
    case 5: return (Step){2, step.power};
    case 2: return (Step){1, step.power};
    default: return (Step){5, step.power - 1};
    }
}

// And up.
static Step larger(Step step)
{
    assert(step.factor == 1 || step.factor == 2 || step.factor == 5);
    switch (step.factor) {
    case 1: return (Step){2, step.power};
    case 2: return (Step){5, step.power};
    default: return (Step){1, step.power + 1};
    }
}

// Rounding must not lose a tick at the end of an axis.
static int64_t first_multiple(double low, double size)
{
    return (int64_t)ceil(low / size - 1e-6);
}

static int64_t last_multiple(double high, double size)
{
    return (int64_t)floor(high / size + 1e-6);
}

static int64_t count_multiples(double low, double high, Step step)
{
    const double size = step_size(step);
    return last_multiple(high, size) - first_multiple(low, size) + 1;
}

// The least step with at most `wanted` ticks; the one below it when there are too few.
static Step find_step(double low, double high, int wanted)
{
    assert(low < high && wanted >= 2);
    Step step = {1, (int)floor(log10((high - low) / wanted)) - 1};
    while (count_multiples(low, high, step) > wanted) {
        step = larger(step);
    }
    while (count_multiples(low, high, step) < 2) {
        step = smaller(step);
    }
    return step;
}

// The place of the first digit of n * 10^power: 0 for units.
static int leading_power(int64_t n, int power)
{
    assert(n > INT64_MIN);
    for (int64_t left = n < 0 ? -n : n; left >= 10; left /= 10) {
        power++;
    }
    return power;
}

// Print n * 10^power exactly; the power is not above 0 and not below -17.
static void print_decimal(int64_t n, int power, char out_text[KAL_TICK_SIZE])
{
    char digits[24]; // from the last to the first
    int count = 0;
    assert(power <= 0 && power > -18);
    for (uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
         left > 0 || count <= -power; left /= 10) {
        digits[count++] = (char)('0' + left % 10);
    }
    if (n < 0) {
        *out_text++ = '-';
    }
    assert(count <= (int)sizeof digits);
    while (count > 0) {
        *out_text++ = digits[--count];
        if (count == -power && count > 0) {
            *out_text++ = '.';
        }
    }
    *out_text = '\0';
}

// The power of ten that is taken out of texts whose largest begins at `leading`: a
// multiple of 3, as prefixes of units are.
static int common_exponent(int leading)
{
    if (leading < LARGE_POWER && leading > SMALL_POWER) {
        return 0;
    }
    const int rest = leading % 3;
    return leading - (rest < 0 ? rest + 3 : rest);
}

static int64_t largest_of(int64_t a, int64_t b)
{
    const int64_t size_a = a < 0 ? -a : a;
    const int64_t size_b = b < 0 ? -b : b;
    return size_a > size_b ? size_a : size_b;
}

// The roundest number from low to high, neither of which is near 0.
static int64_t find_round(int64_t low, int64_t high)
{
    int64_t unit = 1;
    while (largest_of(low, high) / unit >= 10) {
        unit *= 10;
    }
    for (; unit > 1; unit /= 10) {
        const int64_t multiple = high / unit * unit;
        const int64_t next = high < 0 ? multiple - unit : multiple;
        if (multiple >= low && multiple <= high) {
            return multiple;
        }
        if (next >= low && next <= high) {
            return next;
        }
    }
    return low;
}

// An offset has as few digits as it can, and an exponent when it is large or small.
static void print_offset(int64_t n, int power, KalTicks *ticks)
{
    assert(n != 0);
    while (n % 10 == 0) {
        n /= 10;
        power++;
    }
    const int leading = leading_power(n, power);
    const bool scientific = leading > LARGE_POWER || leading < SMALL_POWER;
    for (; !scientific && power > 0; power--) {
        n *= 10;
    }
    char text[KAL_TICK_SIZE];
    print_decimal(n, scientific ? power - leading : power, text);
    const int length =
        snprintf(ticks->offset, KAL_TICK_SIZE, "%s%.24s", n < 0 ? "" : "+", text);
    if (scientific) {
        (void)snprintf(ticks->offset + length, KAL_TICK_SIZE - (size_t)length, "e%d",
                       leading);
    }
}

// What is written at the multiples from `first` on of a step.
static void print_texts(Step step, int64_t first, KalTicks *ticks)
{
    const int64_t low = first * step.factor;
    const int64_t high = (first + ticks->count - 1) * step.factor;
    int64_t offset = 0;
    const int digits = leading_power(largest_of(low, high), 0) + 1;
    if (digits > DIGITS_LIMIT && (low > 0 || high < 0)) {
        offset = find_round(low, high);
        print_offset(offset, step.power, ticks);
    }
    const int64_t largest = largest_of(low - offset, high - offset);
    ticks->exponent = common_exponent(leading_power(largest, step.power));
    // Digits below the step are not shown, zeros up to the units are.
    int power = step.power - ticks->exponent;
    int64_t unit = 1;
    for (; power > 0; power--) {
        unit *= 10;
    }
    for (int i = 0; i < ticks->count; i++) {
        const int64_t n = (first + i) * step.factor - offset;
        print_decimal(n * unit, power, ticks->text[i]);
    }
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static void add_minor(KalTicks *ticks, double value)
{
    if (ticks->n_minor < KAL_MINOR_LIMIT) {
        ticks->minor[ticks->n_minor++] = value;
    }
}

// A step of 2 falls into four parts, others into five.
static void find_minor(double low, double high, Step step, KalTicks *ticks)
{
    const int parts = step.factor == 2 ? 4 : 5;
    const double size = step_size(step);
    const int64_t last = last_multiple(high, size / parts);
    for (int64_t k = first_multiple(low, size / parts); k <= last; k++) {
        if (k % parts != 0) {
            add_minor(ticks, clamp((double)k * size / parts, low, high));
        }
    }
}

static void find_linear(double low, double high, int wanted, KalTicks *ticks)
{
    const Step step = find_step(low, high, wanted);
    const int64_t first = first_multiple(low, step_size(step));
    ticks->count = (int)count_multiples(low, high, step);
    assert(ticks->count >= 2 && ticks->count <= KAL_TICKS_LIMIT);
    for (int i = 0; i < ticks->count; i++) {
        const double n = (double)((first + i) * step.factor);
        ticks->at[i] = clamp(scale(n, step.power), low, high);
    }
    print_texts(step, first, ticks);
    find_minor(low, high, step, ticks);
}

// Of many decades every second has a tick with a text, or every third, and so on.
static void find_powers(double low, double high, int wanted, KalTicks *ticks)
{
    const int first = (int)ceil(log10(low) - 1e-9);
    const int last = (int)floor(log10(high) + 1e-9);
    const int skip = (last - first) / wanted + 1;
    ticks->powers = true;
    for (int k = first - 1; k <= last; k++) {
        const double power = pow(10.0, k);
        const bool text = (k - first) % skip == 0;
        if (k >= first && text) {
            assert(ticks->count < KAL_TICKS_LIMIT);
            (void)snprintf(ticks->text[ticks->count], KAL_TICK_SIZE, "%d", k);
            ticks->at[ticks->count++] = clamp(power, low, high);
        } else if (k >= first) {
            add_minor(ticks, clamp(power, low, high));
        }
        for (int i = 2; i < 10 && last - first <= DECADES_LIMIT; i++) {
            if (i * power > low && i * power < high) {
                add_minor(ticks, i * power);
            }
        }
    }
}

static bool has_two_powers(double low, double high)
{
    return ceil(log10(low) - 1e-9) < floor(log10(high) + 1e-9);
}

void kal_ticks_find(double low, double high, bool logarithmic, int wanted,
                    KalTicks *out_ticks)
{
    assert(low < high && (!logarithmic || low > 0.0));
    const int most = wanted < KAL_TICKS_LIMIT ? wanted : KAL_TICKS_LIMIT;
    const int allowed = most < 2 ? 2 : most;
    memset(out_ticks, 0, sizeof *out_ticks);
    if (logarithmic && has_two_powers(low, high)) {
        find_powers(low, high, allowed, out_ticks);
    } else {
        find_linear(low, high, allowed, out_ticks);
    }
}
