// SPDX-License-Identifier: MIT

#include "expr/corner.h"

#include <assert.h>
#include <math.h>

// Points less sharp than this part of the largest value are rounding.
static const double SMOOTH = 1e-12;

// The sharpest points so far, the sharpest first.
typedef struct Corners {
    double *at; // of the caller
    double sharp[KAL_SPLINE_CORNERS];
    size_t n;
} Corners;

static double value_at(const KalSpline *spline, size_t i)
{
    if (i < spline->pieces) {
        return spline->factors[4 * i];
    }
    const double *c = spline->factors + 4 * (i - 1);
    const double d = spline->knots[i] - spline->knots[i - 1];
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

static double length_of(const KalSpline *spline, size_t i)
{
    return spline->knots[i + 1] - spline->knots[i];
}

static double slope_of(const KalSpline *spline, size_t i)
{
    return (value_at(spline, i + 1) - value_at(spline, i)) / length_of(spline, i);
}

// How sharply the spline turns between two pieces.
static double sharpness(const KalSpline *spline, size_t before, size_t behind)
{
    const double shorter = fmin(length_of(spline, before), length_of(spline, behind));
    return fabs(slope_of(spline, behind) - slope_of(spline, before)) * shorter;
}

// Of point i.  The first one of what repeats lies behind the last piece; of other tables the ends
// turn nowhere.
static double sharpness_at(const KalSpline *spline, size_t i)
{
    if (i > 0 && i < spline->pieces) {
        return sharpness(spline, i - 1, i);
    }
    const bool repeats = spline->outside == KAL_OUTSIDE_REPEAT;
    return repeats ? sharpness(spline, spline->pieces - 1, 0) : 0.0;
}

// Keep the list in order; the least sharp one makes room.
static void add(Corners *corners, double at, double sharp)
{
    const bool full = corners->n == KAL_SPLINE_CORNERS;
    size_t i = full ? corners->n - 1 : corners->n;
    if (full && corners->sharp[i] >= sharp) {
        return;
    }
    corners->n = i + 1;
    for (; i > 0 && corners->sharp[i - 1] < sharp; i--) {
        corners->at[i] = corners->at[i - 1];
        corners->sharp[i] = corners->sharp[i - 1];
    }
    corners->at[i] = at;
    corners->sharp[i] = sharp;
}

size_t kal_spline_find_corners(const KalSpline *spline, double out[KAL_SPLINE_CORNERS])
{
    Corners corners = {.n = 0};
    corners.at = out;
    double largest = 0.0;
    double before = 0.0;
    double here = sharpness_at(spline, 0);
    assert(spline->pieces >= 1);
    for (size_t i = 0; i < spline->pieces; i++) {
        const double next = i + 1 < spline->pieces ? sharpness_at(spline, i + 1) : 0.0;
        largest = fmax(largest, fabs(spline->factors[4 * i]));
        if (here > SMOOTH * largest && here >= before && here >= next) {
            add(&corners, spline->knots[i], here);
        }
        before = here;
        here = next;
    }
    return corners.n;
}
