// SPDX-License-Identifier: MIT

// Curves without what cannot be seen, in one pass and constant memory, by two methods, one
// behind the other.
//
// Columns: of all points whose x falls into one column of the page, the first, the lowest,
// the highest and the last are drawn, in their order; what lies between covers the same dots
// (M4: Jugel and others, A visualization-oriented time series data aggregation, 2014).
//
// Lines: of those, points are left out as long as one straight line passes by all of them
// within the tolerance.  The directions that such a line from its start may have are an
// interval of angles; each point narrows it, and when it is empty, or a point leads back
// towards the start, a new line begins at the last point (the cone of Williams 1978, and
// Sklansky and Gonzalez 1980).  So each point that is left out is within the tolerance of
// the line that stands for it.

#include "figure/thin.h"

#include <assert.h>
#include <math.h>

KalThin kal_thin(KalContext *ctx, double column, double tolerance)
{
    assert(column > 0.0 && tolerance >= 0.0);
    return (KalThin){.ctx = ctx, .column = column, .tolerance = tolerance};
}

static void keep(KalThin *thin, KalSpot point)
{
    if (thin->status == KAL_OK) {
        thin->status = kal_block_add(thin->ctx, &thin->points, &point, sizeof point);
    }
}

static void begin_line(KalThin *thin, KalSpot start)
{
    assert(!isnan(start.x));
    keep(thin, start);
    thin->start = start;
    thin->end = start;
    thin->aimed = false;
}

// Narrow the directions in which a line from the start passes by a point that is away from
// it.  False when none is left.
static bool narrow(KalThin *thin, KalSpot way, double distance)
{
    assert(distance > thin->tolerance);
    const double slack = asin(thin->tolerance / distance);
    if (!thin->aimed) {
        thin->aimed = true;
        thin->aim = way;
        thin->left = slack;
        thin->right = -slack;
        return true;
    }
    const KalSpot aim = thin->aim;
    const double turn =
        atan2(aim.x * way.y - aim.y * way.x, aim.x * way.x + aim.y * way.y);
    if (turn > thin->left || turn < thin->right) {
        return false;
    }
    thin->left = fmin(thin->left, turn + slack);
    thin->right = fmax(thin->right, turn - slack);
    assert(thin->right <= thin->left); // the way to this point is one of them
    return true;
}

// Whether one line can stand for all points from its start up to this one: it passes by
// all of them, and they lead away from the start.
static bool stays_on_line(KalThin *thin, KalSpot point)
{
    const KalSpot way = {point.x - thin->start.x, point.y - thin->start.y};
    const double distance = hypot(way.x, way.y);
    const double before =
        hypot(thin->end.x - thin->start.x, thin->end.y - thin->start.y);
    if (distance < before) {
        return false;
    }
    return distance <= thin->tolerance || narrow(thin, way, distance);
}

static void draw(KalThin *thin, KalSpot point)
{
    assert(thin->drawn >= 0 && thin->drawn <= 2);
    if (thin->drawn == 0) {
        begin_line(thin, point);
    } else if (!stays_on_line(thin, point)) {
        begin_line(thin, thin->end);
        (void)stays_on_line(thin, point); // which gives the new line its direction
    }
    thin->drawn += thin->drawn < 2;
    thin->end = point;
}

static bool is_same(KalSpot a, KalSpot b)
{
    return a.x == b.x && a.y == b.y;
}

// The four points of a column in their order in time, none twice.
static void leave_column(KalThin *thin)
{
    if (!thin->open) {
        return;
    }
    const KalSpot points[] = {
        thin->first,
        thin->low_first ? thin->low : thin->high,
        thin->low_first ? thin->high : thin->low,
        thin->last,
    };
    draw(thin, points[0]);
    for (int i = 1; i < 4; i++) {
        if (!is_same(points[i], points[i - 1])) {
            draw(thin, points[i]);
        }
    }
    thin->open = false;
}

static void end_stretch(KalThin *thin)
{
    leave_column(thin);
    if (thin->drawn == 2 && !is_same(thin->start, thin->end)) {
        keep(thin, thin->end);
    }
    thin->drawn = 0;
}

// Points of one column only change its four; a point that is no number ends the stretch.
void kal_thin_add(KalThin *thin, KalSpot point)
{
    if (isnan(point.x) || isnan(point.y)) {
        if (thin->open) {
            end_stretch(thin);
            keep(thin, (KalSpot){NAN, NAN});
        }
        return;
    }
    const double at = floor(point.x / thin->column);
    if (!thin->open || at != thin->at) {
        leave_column(thin);
        thin->open = true;
        thin->at = at;
        thin->first = thin->low = thin->high = point;
    }
    if (point.y < thin->low.y) {
        thin->low = point;
        thin->low_first = false;
    }
    if (point.y > thin->high.y) {
        thin->high = point;
        thin->low_first = true;
    }
    thin->last = point;
    assert(thin->low.y <= thin->high.y);
}

KalStatus kal_thin_finish(KalThin *thin)
{
    end_stretch(thin);
    return thin->status;
}
