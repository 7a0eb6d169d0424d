// SPDX-License-Identifier: MIT

// Marks: places that another table tells.

#include "figure/figure_impl.h"

#include <assert.h>

// The column of marks that belongs to a column of the figure.
static size_t find(const KalFigure *figure, size_t column)
{
    return kal_table_find_column(figure->marks,
                                 kal_table_column(figure->table, column).name);
}

bool kal_figure_mark(const KalFigure *figure, size_t panel, size_t curve, size_t i,
                     KalMark *out_mark)
{
    assert(figure->marks && panel < figure->n_panels
           && i < kal_table_rows(figure->marks));
    const size_t count = kal_table_columns(figure->marks);
    const size_t x = find(figure, figure->x);
    const size_t y = find(figure, figure->panels[panel].curves[curve].column);
    if (y == count) {
        return false;
    }
    const double *row = kal_table_row(figure->marks, i);
    *out_mark =
        (KalMark){row[x], row[y],
                  row[kal_table_find_column(figure->marks, KAL_FIGURE_STABILITY)]};
    return kal_axis_takes(figure->options.log_x, row[x])
           && kal_axis_takes(figure->options.log_y, row[y]);
}

// Marks need columns for both axes and for their stability.
static KalStatus check(const KalFigure *figure)
{
    const size_t count = kal_table_columns(figure->marks);
    bool curve = false;
    for (size_t i = 0; i < kal_figure_curves(figure); i++) {
        curve = curve || find(figure, kal_figure_curve(figure, i).column) < count;
    }
    if (find(figure, figure->x) < count && curve
        && kal_table_find_column(figure->marks, KAL_FIGURE_STABILITY) < count) {
        return KAL_OK;
    }
    return kal_fail(
        figure->ctx, KAL_ERR_USAGE,
        "marks are a table with columns of the names of the x axis and of a "
        "curve, and with '" KAL_FIGURE_STABILITY "', as kalaba equilibria -o writes");
}

// Axes have room for marks too.
static void widen(KalFigure *figure, size_t panel, size_t curve)
{
    assert(panel < figure->n_panels && curve < figure->panels[panel].count);
    const KalFigureOptions *o = &figure->options;
    for (size_t i = 0; i < kal_table_rows(figure->marks); i++) {
        KalMark mark;
        if (kal_figure_mark(figure, panel, curve, i, &mark)) {
            kal_range_add(&figure->marks_x, o->log_x, mark.x);
            kal_range_add(&figure->panels[panel].marks, o->log_y, mark.y);
        }
    }
}

KalStatus kal_figure_set_marks(KalFigure *figure, const KalTable *marks)
{
    KAL_NEED(figure ? figure->ctx : NULL, figure && marks);
    const KalTable *before = figure->marks;
    figure->marks = marks;
    const KalStatus status = check(figure);
    if (status != KAL_OK) {
        figure->marks = before;
        return status;
    }
    for (size_t i = 0; i < figure->n_panels; i++) {
        for (size_t k = 0; k < figure->panels[i].count; k++) {
            widen(figure, i, k);
        }
    }
    return KAL_OK;
}
