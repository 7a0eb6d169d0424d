// SPDX-License-Identifier: MIT

/// @file
/// Distances from curves, for tests of what is left of them.

#ifndef FIGURE_CURVE_H
#define FIGURE_CURVE_H

#include "figure/thin.h"

#include <math.h>

/// How far a point is from the line between two others.
static inline double distance_to_line(KalSpot p, KalSpot a, KalSpot b)
{
    const double x = b.x - a.x;
    const double y = b.y - a.y;
    const double length = x * x + y * y;
    const double along =
        length > 0.0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / length : 0.0;
    const double part = fmin(fmax(along, 0.0), 1.0);
    return hypot(p.x - a.x - part * x, p.y - a.y - part * y);
}

/// How far a point is from a curve whose stretches are set apart by NaN.
static inline double distance_to_curve(KalSpot p, const KalSpot *points, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const bool before = i > 0 && !isnan(points[i - 1].x);
        if (!isnan(points[i].x)) {
            least = fmin(least, distance_to_line(p, before ? points[i - 1] : points[i],
                                                 points[i]));
        }
    }
    return least;
}

#endif
