// SPDX-License-Identifier: MIT

// Random numbers by counter, orders, the normal distribution, points of Sobol.

#include "sweep/random.h"
#include "sweep/sobol.h"
#include "tap.h"

#include <math.h>
#include <string.h>

// The values that the authors of Philox publish: first two words of four.
static void philox_is_philox(void)
{
    const KalDraw zero = {0};
    const KalDraw ones = {UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX};
    const KalDraw pi = {0x299f31d0a4093822U, 0x85a308d3243f6a88U, 0x13198a2eU,
                        0x03707344U};
    ok(kal_draw_bits(zero) == 0x6627e8d5e169c58dU);
    ok(kal_draw_bits(ones) == 0x408f276d41c83b0eU);
    ok(kal_draw_bits(pi) == 0xd16cfe0994fdccebU);
}

static void parts_are_inside(void)
{
    ok(kal_draw_part(0) > 0.0 && kal_draw_part(UINT64_MAX) < 1.0);
    near(kal_draw_part((uint64_t)1 << 63), 0.5, 1e-15);
}

// Of the last of many parts rounding reaches the end.
static void places_are_inside(void)
{
    const double most = kal_draw_part(UINT64_MAX);
    for (uint64_t n = 1; n <= UINT64_C(1000000000000); n *= 10) {
        const double last = kal_draw_within(n - 1, most, n);
        ok(last < 1.0 && last >= (double)(n - 1) / (double)n);
        ok(isfinite(kal_normal_quantile(last)));
        ok(kal_draw_within(0, kal_draw_part(0), n) > 0.0);
    }
    near(kal_draw_within(2, 0.5, 10), 0.25, 1e-16);
}

// The mean of n parts is 1/2 to 1/√(12 n), the mean square 1/3.
static void parts_fill_the_interval(void)
{
    const int n = 100000;
    double sum = 0.0;
    double squares = 0.0;
    double products = 0.0;
    for (int i = 0; i < n; i++) {
        const double u = kal_draw_part(kal_draw_bits((KalDraw){7, (uint64_t)i, 0, 0}));
        const double v = kal_draw_part(kal_draw_bits((KalDraw){7, (uint64_t)i, 1, 0}));
        sum += u;
        squares += u * u;
        products += (u - 0.5) * (v - 0.5);
    }
    near(sum / n, 0.5, 0.005);
    near(squares / n, 1.0 / 3.0, 0.005);
    near(products / n, 0.0, 0.002);
}

static void orders_leave_nothing_out(void)
{
    for (uint64_t n = 1; n < 300; n++) {
        bool seen[300] = {false};
        uint64_t fixed = 0;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t place = kal_draw_shuffle((KalDraw){3, n, 0, 1}, i, n);
            if (!ok(place < n && !seen[place])) {
                return;
            }
            seen[place] = true;
            fixed += place == i;
        }
        ok(n < 30 || fixed < n / 4); // one on average
    }
}

static void quantiles_invert_the_distribution(void)
{
    near(kal_normal_quantile(0.5), 0.0, 1e-16);
    near(kal_normal_quantile(0.975), 1.959963984540054, 1e-14);
    near(kal_normal_quantile(1e-10), -6.361340902404056, 1e-13);
    for (int i = 1; i < 2000; i++) {
        const double p = i < 1000 ? i / 2000.0 : pow(10.0, -(i - 999) / 65.0);
        const double x = kal_normal_quantile(p);
        near(0.5 * erfc(-x / sqrt(2.0)) / p, 1.0, 4e-15 * fmax(1.0, x * x));
        if (p > 1e-4) { // 1 − p has p to 1e-12
            near(kal_normal_quantile(1.0 - p), -x, 1e-11);
        }
    }
}

// Each 2ᵐ points in turn have one in each of 2ᵐ parts of every axis.
static void sobol_fills_every_axis(void)
{
    for (int axis = 0; axis < KAL_SOBOL_AXES; axis++) {
        for (uint64_t from = 0; from < 4096; from += 256) {
            bool seen[256] = {false};
            bool twice = false;
            for (uint64_t i = from; i < from + 256; i++) {
                bool *part = &seen[kal_sobol_bits(i, axis) >> 56];
                twice = twice || *part;
                *part = true;
            }
            ok(!twice);
        }
    }
}

// The first two axes are a (0, m, 2)-net: each of the 2ᵐ boxes of any shape has one.
static void sobol_fills_the_square(void)
{
    for (int k = 0; k <= 8; k++) {
        bool seen[256] = {false};
        bool twice = false;
        for (uint64_t i = 0; i < 256; i++) {
            const uint64_t x = k > 0 ? kal_sobol_bits(i, 0) >> (64 - k) : 0;
            const uint64_t y = k < 8 ? kal_sobol_bits(i, 1) >> (56 + k) : 0;
            bool *box = &seen[x << (8 - k) | y];
            twice = twice || *box;
            *box = true;
        }
        ok(!twice);
    }
}

// The rate of convergence that random points have not: of ∫ Π (1 + (xᵢ − 1/2)) = 1.
static void sobol_integrates_better_than_chance(void)
{
    const int n = 1 << 14;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double product = 1.0;
        for (int axis = 0; axis < KAL_SOBOL_AXES; axis++) {
            product *= 0.5 + kal_draw_part(kal_sobol_bits((uint64_t)i, axis));
        }
        sum += product;
    }
    near(sum / n, 1.0, 0.005); // by chance 0.017
}

TAP_RUN(TAP_CASE(philox_is_philox), TAP_CASE(parts_are_inside),
        TAP_CASE(places_are_inside), TAP_CASE(parts_fill_the_interval),
        TAP_CASE(orders_leave_nothing_out), TAP_CASE(quantiles_invert_the_distribution),
        TAP_CASE(sobol_fills_every_axis), TAP_CASE(sobol_fills_the_square),
        TAP_CASE(sobol_integrates_better_than_chance))
