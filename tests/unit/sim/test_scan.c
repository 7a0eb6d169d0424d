// SPDX-License-Identifier: MIT

// Ranges of polynomials over parts of their stretch, theory (15.12): what is certain of them, how
// sharp they are, and that wide registers change no bit.

#include "base/four.h"
#include "base/processor.h"
#include "rng.h"
#include "sim/scan_math.h"
#include "tap.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    N = KAL_SCAN_NODES,
    LD = 2 * KAL_SCAN_GROUP,
    COUNT = 7, // the last group is not full
    POINTS = 50
};

typedef struct Lab {
    _Alignas(64) double coefficients[N * LD];
    KalScanPart part;
    KalRange ranges[LD];
} Lab;

static void draw(Lab *lab, Rng *rng, double size)
{
    memset(lab, 0, sizeof *lab);
    lab->part = (KalScanPart){
        .coefficients = lab->coefficients, .ld = LD, .count = COUNT, .end = 1.0};
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < COUNT; i++) {
            lab->coefficients[k * LD + i] = size * (2.0 * rng_unit(rng) - 1.0);
        }
    }
}

// Σ binomial(8, k) x^k (1 − x)^(8−k) c_k, term by term, in higher precision.
static double value_of(const Lab *lab, int i, double x)
{
    static const long double binomials[N] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    long double sum = 0.0L;
    for (int k = 0; k < N; k++) {
        sum += binomials[k] * powl(x, k) * powl(1.0L - x, N - 1 - k)
               * lab->coefficients[k * LD + i];
    }
    return (double)sum;
}

static void find(Lab *lab, double begin, double end)
{
    lab->part.begin = begin;
    lab->part.end = end;
    kal_scan_ranges(&lab->part, lab->ranges);
}

static void ranges_hold_all_values(void)
{
    Rng rng = {11};
    Lab lab;
    int outside = 0;
    for (int trial = 0; trial < 300; trial++) {
        draw(&lab, &rng, pow(10.0, trial % 30 - 15));
        const double begin = trial % 5 == 0 ? 0.0 : rng_unit(&rng);
        const double end =
            trial % 7 == 0 ? 1.0 : begin + (1.0 - begin) * rng_unit(&rng);
        find(&lab, begin, end);
        for (int p = 0; p <= POINTS; p++) {
            const double x = begin + (end - begin) * p / POINTS;
            for (int i = 0; i < COUNT; i++) {
                const double y = value_of(&lab, i, fmin(x, end));
                outside += !(lab.ranges[i].low <= y && y <= lab.ranges[i].high);
            }
        }
    }
    ok(outside == 0);
}

// At a point there is nothing but rounding, and a straight line is as long as it is.
static void ranges_are_sharp(void)
{
    Rng rng = {12};
    Lab lab;
    draw(&lab, &rng, 1.0);
    for (int i = 0; i < COUNT; i++) {
        find(&lab, 0.37, 0.37);
        near(lab.ranges[i].low, value_of(&lab, i, 0.37), 1e-12);
        near(lab.ranges[i].high, value_of(&lab, i, 0.37), 1e-12);
    }
    for (int k = 0; k < N; k++) {
        lab.coefficients[(size_t)k * LD] = 3.0 - 5.0 * k / (N - 1);
    }
    find(&lab, 0.2, 0.9);
    near(lab.ranges[0].low, 3.0 - 5.0 * 0.9, 1e-12);
    near(lab.ranges[0].high, 3.0 - 5.0 * 0.2, 1e-12);
    find(&lab, 0.0, 0.0);
    near(lab.ranges[0].low, 3.0, 1e-12);
    find(&lab, 1.0, 1.0);
    near(lab.ranges[0].high, -2.0, 1e-12);
}

// The same of one polynomial alone, number by number.
static KalRange range_of(const Lab *lab, int i)
{
    double c[N];
    double size = 0.0;
    const double b = lab->part.end;
    const double a = b > 0.0 ? lab->part.begin / b : 0.0;
    for (int k = 0; k < N; k++) {
        c[k] = lab->coefficients[k * LD + i];
        size = fabs(c[k]) > size ? fabs(c[k]) : size;
    }
    for (int level = 1; level < N && b < 1.0; level++) {
        for (int k = N - 1; k >= level; k--) {
            c[k] = (1.0 - b) * c[k - 1] + b * c[k];
        }
    }
    for (int level = 1; level < N && lab->part.begin > 0.0; level++) {
        for (int k = 0; k < N - level; k++) {
            c[k] = (1.0 - a) * c[k] + a * c[k + 1];
        }
    }
    KalRange range = {c[0], c[0]};
    for (int k = 1; k < N; k++) {
        range.low = c[k] < range.low ? c[k] : range.low;
        range.high = c[k] > range.high ? c[k] : range.high;
    }
    range.low -= 256.0 * DBL_EPSILON * size;
    range.high += 256.0 * DBL_EPSILON * size;
    return range;
}

static bool is_same(double a, double b)
{
    return kal_same_numbers(&a, &b, 1) || (isnan(a) && isnan(b));
}

static int count_differences(const Lab *lab)
{
    int count = 0;
    for (int i = 0; i < COUNT; i++) {
        const KalRange alone = range_of(lab, i);
        count += !is_same(alone.low, lab->ranges[i].low);
        count += !is_same(alone.high, lab->ranges[i].high);
    }
    return count;
}

static void groups_and_wide_registers_change_no_bit(void)
{
    Rng rng = {13};
    Lab lab;
    int differ = 0;
    for (int trial = 0; trial < 1000; trial++) {
        draw(&lab, &rng, pow(10.0, trial % 600 - 300));
        lab.coefficients[trial % COUNT] = trial % 50 == 0 ? INFINITY : 1.0;
        find(&lab, trial % 3 == 0 ? 0.0 : 0.5 * rng_unit(&rng),
             trial % 4 == 0 ? 1.0 : 0.5 + 0.5 * rng_unit(&rng));
        differ += count_differences(&lab);
#ifdef __x86_64__
        if (kal_has_wide()) {
            kal_scan_ranges_wide(&lab.part, lab.ranges);
            differ += count_differences(&lab);
        }
#endif
    }
    ok(differ == 0);
}

TAP_RUN(TAP_CASE(ranges_hold_all_values), TAP_CASE(ranges_are_sharp),
        TAP_CASE(groups_and_wide_registers_change_no_bit))
