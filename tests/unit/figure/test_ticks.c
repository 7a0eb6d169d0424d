// SPDX-License-Identifier: MIT

// Ticks over many ranges: what is written is where it is, in steps of 1, 2 or 5.

#include "figure/ticks.h"
#include "rng.h"
#include "tap.h"

static void texts_are(double low, double high, int wanted, const char *want)
{
    KalTicks ticks;
    char got[512] = "";
    size_t used = 0;
    kal_ticks_find(low, high, false, wanted, &ticks);
    for (int i = 0; i < ticks.count; i++) {
        used += (size_t)snprintf(got + used, sizeof got - used, "%s ", ticks.text[i]);
    }
    if (ticks.exponent != 0) {
        used += (size_t)snprintf(got + used, sizeof got - used, "e%d ", ticks.exponent);
    }
    (void)snprintf(got + used, sizeof got - used, "%s", ticks.offset);
    same_text(got, want);
}

static void texts_are_those_of_people(void)
{
    texts_are(0.0, 1.0, 6, "0.0 0.2 0.4 0.6 0.8 1.0 ");
    texts_are(0.0, 10.0, 6, "0 2 4 6 8 10 ");
    texts_are(-1.0, 1.0, 5, "-1.0 -0.5 0.0 0.5 1.0 ");
    texts_are(0.1, 0.9, 3, "0.2 0.4 0.6 0.8 ");
    texts_are(0.0, 30000.0, 4, "0 10000 20000 30000 ");
    texts_are(0.0, 300000.0, 4, "0 100 200 300 e3 ");
    texts_are(0.0, 0.0003, 4, "0 100 200 300 e-6 ");
    texts_are(-2e-20, 2e-20, 5, "-20 -10 0 10 20 e-21 ");
    texts_are(1e12, 4e12, 4, "1 2 3 4 e12 ");
}

static void close_values_share_an_offset(void)
{
    texts_are(9.81, 9.810004, 5, "0 1 2 3 4 e-6 +9.81");
    texts_are(-9.810004, -9.81, 5, "-4 -3 -2 -1 0 e-6 -9.81");
    texts_are(9.809998, 9.810002, 5, "-2 -1 0 1 2 e-6 +9.81");
    texts_are(1e9, 1e9 + 4.0, 5, "0 1 2 3 4 +1e9");
    texts_are(1.25e9, 1.25e9 + 4.0, 5, "0 1 2 3 4 +1.25e9");
    texts_are(123456.0, 123460.0, 5, "-4 -3 -2 -1 0 +123460");
    texts_are(2e-9, 2.00004e-9, 5, "0 10 20 30 40 e-15 +2e-9");
}

// Whether a distance is 1, 2 or 5 times a power of ten.
static bool is_round(double step)
{
    const double rest = step / pow(10.0, floor(log10(step) + 1e-9));
    return fabs(rest - 1.0) < 1e-6 || fabs(rest - 2.0) < 1e-6
           || fabs(rest - 5.0) < 1e-6;
}

static double value_of(const KalTicks *ticks, int i)
{
    if (ticks->powers) {
        return pow(10.0, atof(ticks->text[i]));
    }
    return atof(ticks->text[i]) * pow(10.0, ticks->exponent) + atof(ticks->offset);
}

static void check_ticks(double low, double high, bool logarithmic, int wanted)
{
    KalTicks t;
    kal_ticks_find(low, high, logarithmic, wanted, &t);
    const double range = high - low;
    const double size = fmax(fabs(low), fabs(high));
    ok(t.count >= 2 && t.count <= (wanted > 5 ? wanted : 5));
    for (int i = 0; i < t.count; i++) {
        ok(t.at[i] >= low && t.at[i] <= high);
        ok(i == 0 || t.at[i] > t.at[i - 1]);
        ok(i == 0 || strcmp(t.text[i], t.text[i - 1]) != 0);
        ok(strlen(t.text[i]) <= 10);
        near(value_of(&t, i), t.at[i],
             t.powers ? 1e-9 * t.at[i] : 1e-5 * range + 1e-15 * size);
    }
    if (!t.powers && range > 1e-7 * size) {
        ok(is_round((t.at[t.count - 1] - t.at[0]) / (t.count - 1)));
    }
    for (int i = 0; i < t.n_minor; i++) {
        ok(t.minor[i] >= low && t.minor[i] <= high);
        ok(i == 0 || t.minor[i] >= t.minor[i - 1]);
    }
}

static void any_range_has_good_ticks(void)
{
    Rng rng = {.state = 1};
    for (int i = 0; i < 20000; i++) {
        const double middle =
            rng_int(&rng, 0, 3) == 0 ? 0.0 : rng_entry(&rng) * rng_scale(&rng, 20.0);
        const double size = middle == 0.0 ? rng_scale(&rng, 20.0) : fabs(middle);
        const double range = size * pow(10.0, -10.0 * rng_unit(&rng));
        check_ticks(middle - range * rng_unit(&rng), middle + range, false,
                    rng_int(&rng, 2, 12));
    }
}

static void any_logarithmic_range_has_good_ticks(void)
{
    Rng rng = {.state = 2};
    for (int i = 0; i < 20000; i++) {
        const double low = rng_scale(&rng, 40.0);
        check_ticks(low, low * pow(10.0, 0.01 + 60.0 * pow(rng_unit(&rng), 3.0)), true,
                    rng_int(&rng, 2, 12));
    }
}

static void ends_of_a_range_have_ticks(void)
{
    Rng rng = {.state = 3};
    for (int i = 0; i < 2000; i++) {
        const double step = 0.1 * rng_int(&rng, 1, 30);
        KalTicks ticks;
        kal_ticks_find(0.0, 10.0 * step, false, 11, &ticks);
        near(ticks.at[0], 0.0, 0.0);
    }
    KalTicks ticks;
    kal_ticks_find(0.0, 0.1 + 0.2, false, 4, &ticks); // 0.30000000000000004
    ok(ticks.count == 4);
    same_text(ticks.text[3], "0.3");
}

static void minor_ticks_divide_the_others(void)
{
    KalTicks ticks;
    kal_ticks_find(0.0, 1.0, false, 3, &ticks);
    ok(ticks.count == 3 && ticks.n_minor == 8);
    near(ticks.minor[0], 0.1, 1e-15);
    kal_ticks_find(0.0, 8.0, false, 5, &ticks);
    ok(ticks.count == 5 && ticks.n_minor == 12);
    near(ticks.minor[0], 0.5, 1e-15);
    kal_ticks_find(1.0, 100.0, true, 5, &ticks);
    ok(ticks.count == 3 && ticks.powers && ticks.n_minor == 16);
    near(ticks.minor[15], 90.0, 1e-12);
}

static void extreme_ranges_have_ticks(void)
{
    check_ticks(-1.1e300, 1.1e300, false, 9);
    check_ticks(0.0, 1e-299, false, 9);
    check_ticks(1e-150, 1e150, true, 9);
    check_ticks(1e300, 1e300 * (1.0 + 3e-11), false, 9);
}

TAP_RUN(TAP_CASE(texts_are_those_of_people), TAP_CASE(close_values_share_an_offset),
        TAP_CASE(any_range_has_good_ticks),
        TAP_CASE(any_logarithmic_range_has_good_ticks),
        TAP_CASE(ends_of_a_range_have_ticks), TAP_CASE(minor_ticks_divide_the_others),
        TAP_CASE(extreme_ranges_have_ticks))
