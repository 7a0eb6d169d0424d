// SPDX-License-Identifier: MIT

// Rulers: the different values of a column, sorted, for as long as they are few; beyond that
// bins.  A value is found by bisection, so 10^7 rows take a second, and memory is bounded.

#include "base/block.h"
#include "figure/choose.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The first place whose value is not less.
static size_t bisect(const KalRuler *ruler, double value)
{
    size_t low = 0;
    size_t high = ruler->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ruler->values[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Different values, sorted, by bisection and insertion; beyond KAL_RULER_MOST only their
// range is kept.
KalStatus kal_ruler_note(KalContext *ctx, KalRuler *ruler, double value)
{
    assert(!ruler->bins);
    if (!kal_axis_takes(ruler->logarithmic, value)) {
        return KAL_OK;
    }
    kal_range_add(&ruler->range, ruler->logarithmic, value);
    const size_t at = ruler->full ? 0 : bisect(ruler, value);
    if (ruler->full || (at < ruler->count && ruler->values[at] == value)) {
        return KAL_OK;
    }
    if (ruler->count == KAL_RULER_MOST) {
        ruler->full = true;
        return KAL_OK;
    }
    if (ruler->count == ruler->capacity) {
        double *grown = (double *)kal_grow(ctx, ruler->values, sizeof *grown,
                                           ruler->count + 1, &ruler->capacity);
        if (!grown) {
            return kal_no_memory(ctx, "for a figure");
        }
        ruler->values = grown;
    }
    memmove(ruler->values + at + 1, ruler->values + at,
            (ruler->count - at) * sizeof *ruler->values);
    ruler->values[at] = value;
    ruler->count++;
    return KAL_OK;
}

// From the low end of the range, 0, to the high one, 1.
static double value_at(const KalRuler *ruler, double place)
{
    const KalAxisRange *r = &ruler->range;
    return ruler->logarithmic ? r->low * pow(r->high / r->low, place)
                              : r->low + place * (r->high - r->low);
}

double kal_ruler_edge(const KalRuler *ruler, size_t i)
{
    assert(ruler->bins && i <= ruler->count);
    return i == ruler->count ? ruler->range.high
                             : value_at(ruler, (double)i / (double)ruler->count);
}

// A range of one value gets a width.
static void widen(KalRuler *ruler)
{
    const KalAxis axis = kal_axis_fit(&ruler->range, ruler->logarithmic, 0.0);
    ruler->range.low = axis.low;
    ruler->range.high = axis.high;
}

// As many values as bins, each the middle of one.
KalStatus kal_ruler_set_bins(KalContext *ctx, KalRuler *ruler, size_t count)
{
    assert(count > 0 && ruler->range.count > 0);
    double *values = (double *)kal_alloc(ctx, count, sizeof *values);
    if (!values) {
        return kal_no_memory(ctx, "for a figure");
    }
    kal_ruler_clear(ctx, ruler);
    widen(ruler);
    ruler->values = values;
    ruler->capacity = count;
    ruler->count = count;
    ruler->bins = true;
    for (size_t i = 0; i < count; i++) {
        values[i] = value_at(ruler, ((double)i + 0.5) / (double)count);
    }
    return KAL_OK;
}

size_t kal_ruler_find(const KalRuler *ruler, double value)
{
    if (!kal_axis_takes(ruler->logarithmic, value)) {
        return ruler->count;
    }
    if (!ruler->bins) {
        const size_t at = bisect(ruler, value);
        return at < ruler->count && ruler->values[at] == value ? at : ruler->count;
    }
    const KalAxis axis = {ruler->range.low, ruler->range.high, ruler->logarithmic};
    const double place = kal_axis_place(&axis, value) * (double)ruler->count;
    if (!(place >= 0.0 && place <= (double)ruler->count)) {
        return ruler->count;
    }
    const size_t at = (size_t)place;
    return at < ruler->count ? at : ruler->count - 1;
}

void kal_ruler_clear(KalContext *ctx, KalRuler *ruler)
{
    kal_free(ctx, ruler->values, ruler->capacity * sizeof *ruler->values);
    ruler->values = NULL;
    ruler->count = 0;
    ruler->capacity = 0;
}
