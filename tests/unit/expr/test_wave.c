// SPDX-License-Identifier: MIT

// Our own sine and cosine against those of long double, which have eleven bits more.

#include "expr/wave.h"
#include "rng.h"
#include "tap.h"

#include <float.h>

static double unit_of(double x)
{
    const double size = fabs(x);
    return nextafter(size, INFINITY) - size;
}

static double worst; // so far, in units in the last place

static void compare(double x)
{
    const long double sine = sinl((long double)x);
    const long double cosine = cosl((long double)x);
    const double s = fabs((double)((kal_sine(x) - sine) / unit_of((double)sine)));
    const double c = fabs((double)((kal_cosine(x) - cosine) / unit_of((double)cosine)));
    worst = fmax(worst, fmax(s, c));
}

static void errors_are_below_a_unit(void)
{
    Rng rng = {.state = 4};
    worst = 0.0;
    for (int k = 0; k < 200000; k++) {
        compare(3.2 * rng_entry(&rng));
        compare(100.0 * rng_entry(&rng));
        compare(KAL_WAVE_LIMIT * rng_entry(&rng));
        compare(rng_scale(&rng, 300.0)); // far beyond the limit, and next to nothing
    }
    if (!ok(worst < 0.87)) {
        printf("# worst %.3f\n", worst);
    }
}

// Near a zero of either, where all but the last digits of π cancel.
static void zeros_keep_their_digits(void)
{
    worst = 0.0;
    for (int k = 1; k < 900000; k += k < 1000 ? 1 : 97) {
        const double zero =
            (double)((long double)k * 1.57079632679489661923132169163975L);
        compare(zero);
        compare(nextafter(zero, 0.0));
        compare(nextafter(zero, INFINITY));
    }
    if (!ok(worst < 0.87)) {
        printf("# worst %.3f\n", worst);
    }
}

static void symmetry_is_exact(void)
{
    Rng rng = {.state = 5};
    for (int k = 0; k < 10000; k++) {
        const double x = 1000.0 * rng_entry(&rng);
        ok(kal_sine(-x) == -kal_sine(x) && kal_cosine(-x) == kal_cosine(x));
    }
    ok(kal_sine(0.0) == 0.0 && !signbit(kal_sine(0.0)) && kal_cosine(0.0) == 1.0);
    ok(kal_sine(1e-300) == 1e-300 && kal_sine(DBL_TRUE_MIN) == DBL_TRUE_MIN);
    ok(isnan(kal_sine(INFINITY)) && isnan(kal_cosine(-INFINITY)));
    ok(isnan(kal_sine(NAN)) && isnan(kal_cosine(NAN)));
}

// What stands beside a number in four does not matter.
static void neighbors_do_not_matter(void)
{
    Rng rng = {.state = 6};
    for (int k = 0; k < 10000; k++) {
        KalFour x;
        KalFour sine;
        KalFour cosine;
        for (int i = 0; i < 4; i++) {
            x[i] = rng_int(&rng, 0, 3) == 0 ? rng_scale(&rng, 20.0) : rng_entry(&rng);
        }
        kal_wave_four(x, &sine, &cosine);
        for (int i = 0; i < 4; i++) {
            ok(sine[i] == kal_sine(x[i]) && cosine[i] == kal_cosine(x[i]));
        }
    }
}

TAP_RUN(TAP_CASE(errors_are_below_a_unit), TAP_CASE(zeros_keep_their_digits),
        TAP_CASE(symmetry_is_exact), TAP_CASE(neighbors_do_not_matter))
