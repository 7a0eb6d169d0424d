// SPDX-License-Identifier: MIT

#include "figure/theme.h"
#include "tap.h"

// The luminance that WCAG 2 defines, of a color 0xRRGGBB.
static double luminance(uint32_t color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double c = (double)(color >> 8 * i & 0xff) / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
    const double light = fmax(luminance(a), luminance(b));
    const double dark = fmin(luminance(a), luminance(b));
    return (light + 0.05) / (dark + 0.05);
}

static void curves_can_be_seen_on_both_pages(void)
{
    for (int dark = 0; dark < 2; dark++) {
        const uint32_t page = kal_ink_color(KAL_INK_PAGE, dark);
        ok(contrast(page, kal_ink_color(KAL_INK_TEXT, dark)) > 12.0);
        for (size_t i = 0; i < KAL_INK_CURVES; i++) {
            ok(contrast(page, kal_ink_color(kal_ink_of_curve(i), dark)) >= 3.0);
        }
    }
}

// Rules for dark pages find colors by their light form.
static void no_color_occurs_twice(void)
{
    for (int i = 0; i < KAL_INKS; i++) {
        for (int k = 0; k < i; k++) {
            ok(kal_ink_color((KalInk)i, false) != kal_ink_color((KalInk)k, false));
        }
    }
}

static void curves_of_a_panel_differ(void)
{
    double a[KAL_DASH_LIMIT];
    double b[KAL_DASH_LIMIT];
    ok(kal_dashes_get(0, a) == 0);
    for (size_t i = 0; i < KAL_FIGURE_CURVE_LIMIT; i++) {
        const int n = kal_dashes_get(i, a);
        ok(n % 2 == 0); // on and off
        for (size_t k = 0; k < i; k++) {
            const bool same =
                kal_dashes_get(k, b) == n && memcmp(a, b, (size_t)n * sizeof *a) == 0;
            ok(!same || kal_ink_of_curve(i) != kal_ink_of_curve(k));
        }
    }
}

TAP_RUN(TAP_CASE(curves_can_be_seen_on_both_pages), TAP_CASE(no_color_occurs_twice),
        TAP_CASE(curves_of_a_panel_differ))
