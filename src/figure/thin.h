// SPDX-License-Identifier: MIT

/// @file
/// Curves with no more points than can be seen.
///
/// Points come in one at a time, in the unit of the page.  Where several follow each other
/// within a column of width `column`, only the first, the lowest, the highest and the last
/// are kept: what is drawn has the same extremes, however many points there are.  Then
/// points go that are nearer than `tolerance` to the line through their neighbors.  Every
/// point that is kept is one that came in.
///
/// A point that is no number ends a stretch; the next begins another.

#ifndef FIGURE_THIN_H
#define FIGURE_THIN_H

#include "base/block.h"

#include <stdbool.h>

typedef struct KalSpot {
    double x;
    double y;
} KalSpot;

/// A curve in the making.  Start with kal_thin(); clear `points` in the end.
typedef struct KalThin {
    KalContext *ctx;
    double column;
    double tolerance;
    KalBlock points;  ///< of KalSpot, stretches set apart by points that are NaN
    KalStatus status; ///< KAL_OK, or why points are missing

    // the points of the column that is being left
    bool open;
    double at; ///< number of the column
    KalSpot first;
    KalSpot last;
    KalSpot low;
    KalSpot high;
    bool low_first; ///< the lowest came before the highest

    // the line that is being drawn
    int drawn;     ///< points of the stretch that were taken: 0, 1, or 2 for more
    KalSpot start; ///< its first point, which is kept
    KalSpot end;   ///< its last so far, which is not
    bool aimed;    ///< the line has a direction
    KalSpot aim;   ///< the direction of the first point that was not too near
    double left;   ///< how far the line may turn from there, in radians
    double right;
} KalThin;

/// A curve without points.
KalThin kal_thin(KalContext *ctx, double column, double tolerance);

/// Add a point.  Failing is not visible but in `status`.
void kal_thin_add(KalThin *thin, KalSpot point);

/// Finish the curve.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_thin_finish(KalThin *thin);

#endif
