// SPDX-License-Identifier: MIT

// Axes: which values have a place, ranges that hold them all, and places from 0 to 1.
//
// Invariant of an axis: low < high, both finite and, if it is logarithmic, positive; so
// every place is a finite number.  A range of one value is widened, and so is one whose
// values differ by rounding alone: noise is not to fill the page.

#include "figure/axis.h"

#include <assert.h>
#include <math.h>

static const double largest = 1e300;
static const double largest_power = 1e150; // so that quotients are finite

// Values that differ less than this, in parts of them, are rounding errors of one.
static const double rounding = 2e-11;

bool kal_axis_takes(bool logarithmic, double value)
{
    if (logarithmic) {
        return value >= 1.0 / largest_power && value <= largest_power;
    }
    return fabs(value) <= largest; // false for what is no number
}

void kal_range_add(KalAxisRange *range, bool logarithmic, double value)
{
    if (kal_axis_takes(logarithmic, value)) {
        range->low = range->count == 0 || value < range->low ? value : range->low;
        range->high = range->count == 0 || value > range->high ? value : range->high;
        range->count++;
    }
}

void kal_range_join(KalAxisRange *range, const KalAxisRange *other)
{
    assert(range && other);
    if (other->count > 0) {
        const size_t count = range->count + other->count;
        kal_range_add(range, false, other->low);
        kal_range_add(range, false, other->high);
        range->count = count;
    }
}

// The margin is a part of the decades.
static KalAxis fit_logarithmic(const KalAxisRange *range, double margin)
{
    const bool one = range->high / range->low <= 1.0 + rounding;
    assert(range->low > 0.0 && range->low <= range->high);
    const double wider = one ? 2.0 : pow(range->high / range->low, margin);
    return (KalAxis){range->low / wider, range->high * wider, true};
}

// The margin is a part of the width.
static KalAxis fit_linear(const KalAxisRange *range, double margin)
{
    const double size = fmax(fabs(range->low), fabs(range->high));
    const double width = range->high - range->low;
    assert(width >= 0.0);
    double wider = margin * width;
    if (width <= rounding * size || width < 1.0 / largest) {
        wider = size < 1.0 / largest ? 1.0 : 0.1 * size;
    }
    return (KalAxis){range->low - wider, range->high + wider, false};
}

KalAxis kal_axis_fit(const KalAxisRange *range, bool logarithmic, double margin)
{
    assert(margin >= 0.0);
    if (range->count == 0) {
        return (KalAxis){logarithmic ? 1.0 : 0.0, logarithmic ? 10.0 : 1.0,
                         logarithmic};
    }
    return logarithmic ? fit_logarithmic(range, margin) : fit_linear(range, margin);
}

double kal_axis_place(const KalAxis *axis, double value)
{
    assert(axis->low < axis->high);
    if (axis->logarithmic) {
        // Not of quotients, which may be larger than any number.
        return (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low));
    }
    return (value - axis->low) / (axis->high - axis->low);
}

// Widen an axis on both sides until it shows `width`.
static void widen(KalAxis *axis, double width)
{
    const double more = 0.5 * (width - (axis->high - axis->low));
    assert(width >= (1.0 - 1e-9) * (axis->high - axis->low));
    axis->low -= more;
    axis->high += more;
}

void kal_axes_make_equal(KalAxis *x, double width, KalAxis *y, size_t n, double height)
{
    assert(width > 0.0 && height > 0.0 && !x->logarithmic);
    double scale = (x->high - x->low) / width; // of the page, value per length
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, (y[i].high - y[i].low) / height);
    }
    widen(x, scale * width);
    for (size_t i = 0; i < n; i++) {
        widen(&y[i], scale * height);
    }
}
