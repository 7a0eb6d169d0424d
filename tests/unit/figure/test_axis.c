// SPDX-License-Identifier: MIT

#include "figure/axis.h"
#include "rng.h"
#include "tap.h"

static KalAxisRange range_of(double low, double high)
{
    return (KalAxisRange){.low = low, .high = high, .count = 2};
}

static void a_range_takes_what_an_axis_shows(void)
{
    KalAxisRange range = {.count = 0};
    const double values[] = {NAN, INFINITY, -INFINITY, 1e301, 3.0, -2.0, 0.0};
    for (int i = 0; i < 7; i++) {
        kal_range_add(&range, false, values[i]);
    }
    ok(range.count == 3 && range.low == -2.0 && range.high == 3.0);
    KalAxisRange positive = {.count = 0};
    for (int i = 0; i < 7; i++) {
        kal_range_add(&positive, true, values[i]);
    }
    ok(positive.count == 1 && positive.low == 3.0 && positive.high == 3.0);
    kal_range_join(&positive, &range);
    ok(positive.count == 4 && positive.low == -2.0 && positive.high == 3.0);
    kal_range_join(&positive, &(KalAxisRange){.low = -9.0, .count = 0});
    ok(positive.count == 4 && positive.low == -2.0);
}

static void an_axis_shows_its_range_and_a_margin(void)
{
    Rng rng = {.state = 1};
    for (int i = 0; i < 5000; i++) {
        const bool logarithmic = rng_int(&rng, 0, 1) == 1;
        const double a = (logarithmic ? fabs(rng_entry(&rng)) : rng_entry(&rng))
                         * rng_scale(&rng, 30.0);
        const double b =
            logarithmic ? a * (1.0 + rng_unit(&rng)) : a + fabs(a) * rng_unit(&rng);
        const KalAxisRange range = range_of(a, b);
        const KalAxis axis = kal_axis_fit(&range, logarithmic, 0.05);
        const double low = kal_axis_place(&axis, a);
        const double high = kal_axis_place(&axis, b);
        ok(axis.low < axis.high && axis.low < a && axis.high > b);
        near(low, 1.0 - high, 1e-5);
        near(low, 0.05 / 1.1, b > a * 1.0001 || b < a * 0.9999 ? 1e-6 : 1.0);
    }
}

static void one_value_is_in_the_middle(void)
{
    const double values[] = {0.0, 1.0, -9.81, 1e-200, 1e300, 1e-310};
    for (int i = 0; i < 6; i++) {
        const KalAxisRange range = range_of(values[i], values[i]);
        const KalAxis axis = kal_axis_fit(&range, false, 0.0);
        ok(axis.high - axis.low > 1e-11 * fabs(values[i]));
        near(kal_axis_place(&axis, values[i]), 0.5, 1e-9);
    }
    const KalAxisRange range = range_of(5.0, 5.0);
    const KalAxis axis = kal_axis_fit(&range, true, 0.0);
    near(kal_axis_place(&axis, 5.0), 0.5, 1e-12);
    // Rounding errors of a constant are not worth a picture.
    const KalAxisRange noise = range_of(1.0, 1.0 + 1e-15);
    ok(kal_axis_fit(&noise, false, 0.0).high > 1.05);
}

static void no_value_gives_an_axis(void)
{
    const KalAxisRange none = {.count = 0};
    const KalAxis linear = kal_axis_fit(&none, false, 0.05);
    const KalAxis logarithmic = kal_axis_fit(&none, true, 0.05);
    ok(linear.low < linear.high && !linear.logarithmic);
    ok(logarithmic.low > 0.0 && logarithmic.low < logarithmic.high);
}

static void a_logarithmic_axis_has_equal_decades(void)
{
    const KalAxis axis = {.low = 1e-3, .high = 1e3, .logarithmic = true};
    for (int i = 0; i <= 6; i++) {
        near(kal_axis_place(&axis, pow(10.0, i - 3)), i / 6.0, 1e-14);
    }
}

static void equal_axes_are_equal_and_show_all(void)
{
    Rng rng = {.state = 2};
    for (int i = 0; i < 2000; i++) {
        const double width = 10.0 + 300.0 * rng_unit(&rng);
        const double height = 10.0 + 300.0 * rng_unit(&rng);
        const KalAxis x = {-rng_scale(&rng, 2.0), rng_scale(&rng, 2.0), false};
        const KalAxis y[] = {
            {-rng_scale(&rng, 2.0), rng_scale(&rng, 2.0), false},
            {-rng_scale(&rng, 2.0), rng_scale(&rng, 2.0), false},
        };
        KalAxis wide = x;
        KalAxis high[] = {y[0], y[1]};
        kal_axes_make_equal(&wide, width, high, 2, height);
        const double scale = (wide.high - wide.low) / width;
        const double slack = 1e-12 * (wide.high - wide.low);
        ok(wide.low <= x.low + slack && wide.high >= x.high - slack);
        for (int k = 0; k < 2; k++) {
            near((high[k].high - high[k].low) / height, scale, 1e-12 * scale);
            ok(high[k].low <= y[k].low + slack && high[k].high >= y[k].high - slack);
        }
    }
}

TAP_RUN(TAP_CASE(a_range_takes_what_an_axis_shows),
        TAP_CASE(an_axis_shows_its_range_and_a_margin),
        TAP_CASE(one_value_is_in_the_middle), TAP_CASE(no_value_gives_an_axis),
        TAP_CASE(a_logarithmic_axis_has_equal_decades),
        TAP_CASE(equal_axes_are_equal_and_show_all))
