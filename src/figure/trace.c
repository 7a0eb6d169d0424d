// SPDX-License-Identifier: MIT

// From the values of a figure to places on a page.

#include "figure/figure_impl.h"
#include "figure/plane.h"

#include <assert.h>
#include <math.h>

static const double margin = 0.05; // of an axis, beyond its curves

// Histograms stand on the axis; that of a map is no column of its panel.
static KalAxis fit_y(const KalFigure *figure, const KalPanel *panel)
{
    const KalFigureOptions *o = &figure->options;
    KalAxisRange range = panel->marks;
    for (size_t k = 0; k < panel->count; k++) {
        kal_range_join(&range, &panel->curves[k].range);
    }
    if (o->kind == KAL_FIGURE_MAP) {
        return kal_plane_axis(figure, true);
    }
    KalAxis axis = kal_axis_fit(&range, o->log_y, margin);
    if (o->kind == KAL_FIGURE_HISTOGRAM) {
        axis.low = o->log_y ? 0.5 : 0.0;
    }
    return axis;
}

KalAxes kal_figure_axes(const KalFigure *figure)
{
    const KalFigureOptions *o = &figure->options;
    KalAxisRange x_range = figure->x_range;
    kal_range_join(&x_range, &figure->marks_x);
    KalAxes axes = {
        .x = kal_axis_fit(&x_range, o->log_x, figure->x_ascends ? 0.0 : margin)};
    for (size_t i = 0; i < figure->n_panels; i++) {
        axes.y[i] = fit_y(figure, &figure->panels[i]);
    }
    if (o->kind == KAL_FIGURE_MAP) {
        axes.x = kal_plane_axis(figure, false);
    }
    return axes;
}

void kal_figure_trace(const KalFigure *figure, const KalAxes *axes, size_t panel,
                      size_t curve, KalBox frame, KalThin *thin)
{
    assert(panel < figure->n_panels && curve < figure->panels[panel].count);
    const KalAxis *x = &axes->x;
    const KalAxis *y = &axes->y[panel];
    const size_t column = figure->panels[panel].curves[curve].column;
    const double bottom = frame.top + frame.height;
    for (size_t i = 0; i < kal_table_rows(figure->table); i++) {
        const double *row = kal_table_row(figure->table, i);
        KalSpot point = {NAN, NAN};
        if (kal_figure_begins_run(figure, i) || kal_figure_jumps(figure, i)) {
            kal_thin_add(thin, point); // the curve before it ends
        }
        if (kal_figure_shows(figure, row)
            && kal_axis_takes(y->logarithmic, row[column])) {
            point.x = frame.left + frame.width * kal_axis_place(x, row[figure->x]);
            point.y = bottom - frame.height * kal_axis_place(y, row[column]);
        }
        kal_thin_add(thin, point);
    }
}

double kal_figure_name_place(const KalFigure *figure, const KalAxes *axes, size_t panel,
                             size_t curve)
{
    const KalPanel *p = &figure->panels[panel];
    const KalAxis *y = &axes->y[panel];
    const size_t column = p->curves[curve].column;
    for (size_t i = kal_table_rows(figure->table); figure->x_ascends && i > 0; i--) {
        const double *row = kal_table_row(figure->table, i - 1);
        if (kal_figure_shows(figure, row)
            && kal_axis_takes(y->logarithmic, row[column])) {
            return kal_axis_place(y, row[column]);
        }
    }
    return 1.0;
}

// The order of the places; equal ones stay as they are.
static void sort(const double *places, size_t count, size_t *out_order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && places[out_order[at - 1]] > places[i]; at--) {
            out_order[at] = out_order[at - 1];
        }
        out_order[at] = i;
    }
}

// What the i-th of ascending values becomes when all may only grow and their squares move
// least: the largest of the least means of stretches around it (isotonic regression by the
// max-min formula; Barlow and others, Statistical Inference under Order Restrictions, 1.2).
static double grown(const double *values, size_t count, size_t i)
{
    assert(i < count);
    double largest = -INFINITY;
    for (size_t from = 0; from <= i; from++) {
        double least = INFINITY;
        double sum = 0.0;
        for (size_t to = from; to < count; to++) {
            sum += values[to];
            least = to < i ? least : fmin(least, sum / (double)(to - from + 1));
        }
        largest = fmax(largest, least);
    }
    return largest;
}

// Less the gaps before them, places that keep their distance only grow.
void kal_places_spread(double *places, size_t count, double gap, double low,
                       double high)
{
    assert(count <= KAL_FIGURE_CURVE_LIMIT && gap >= 0.0);
    size_t order[KAL_FIGURE_CURVE_LIMIT];
    double values[KAL_FIGURE_CURVE_LIMIT];
    if (count > 1) {
        gap = fmin(gap, (high - low) / (double)(count - 1));
    }
    sort(places, count, order);
    for (size_t i = 0; i < count; i++) {
        values[i] = places[order[i]] - (double)i * gap;
    }
    const double most = fmax(low, high - (double)(count - 1) * gap);
    for (size_t i = 0; i < count; i++) {
        const double value = fmin(fmax(grown(values, count, i), low), most);
        places[order[i]] = value + (double)i * gap;
    }
}
