// SPDX-License-Identifier: MIT

// Dots, bands and stairs.  Dots are many: of those in one cell of a grid, smaller than a dot,
// the first is kept, so that what is drawn is bounded by the page.

#include "figure/shape.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

static const KalSpot gap = {NAN, NAN};

// The first column of the curve.
static size_t column_of(const KalShapePlace *p)
{
    assert(p->panel < p->figure->n_panels
           && p->curve < p->figure->panels[p->panel].count);
    return p->figure->panels[p->panel].curves[p->curve].column;
}

// Where a value at an x is; a gap where one of them has no place.
static KalSpot spot_of(const KalShapePlace *p, double x, double y)
{
    const KalAxis *up = &p->axes->y[p->panel];
    if (!kal_axis_takes(p->axes->x.logarithmic, x)
        || !kal_axis_takes(up->logarithmic, y)) {
        return gap;
    }
    return (KalSpot){p->frame.left + p->frame.width * kal_axis_place(&p->axes->x, x),
                     p->frame.top + p->frame.height * (1.0 - kal_axis_place(up, y))};
}

static KalStatus add(const KalShapePlace *p, KalBlock *points, KalSpot spot)
{
    return kal_block_add(p->figure->ctx, points, &spot, sizeof spot);
}

// Cells of a page that have a dot.
typedef struct Cells {
    double size;
    size_t columns;
    size_t rows;
    uint8_t *taken;
} Cells;

// The number of a cell along a side of so many.
static size_t number(double place, size_t count)
{
    assert(count > 0);
    return place > 0.0 ? (size_t)fmin(place, (double)(count - 1)) : 0;
}

// The first dot of each cell of the grid is kept; others would lie on top of it.
static KalStatus add_dots(const KalShapePlace *p, Cells *cells, KalBlock *points)
{
    const KalFigure *figure = p->figure;
    const size_t column = column_of(p);
    for (size_t i = 0; i < kal_table_rows(figure->table); i++) {
        const double *row = kal_table_row(figure->table, i);
        const KalSpot spot = kal_figure_shows(figure, row)
                                 ? spot_of(p, row[figure->x], row[column])
                                 : gap;
        if (isnan(spot.x)) {
            continue;
        }
        const size_t x = number((spot.x - p->frame.left) / cells->size, cells->columns);
        const size_t y = number((spot.y - p->frame.top) / cells->size, cells->rows);
        uint8_t *taken = &cells->taken[y * cells->columns + x];
        KAL_TRY(*taken ? KAL_OK : add(p, points, spot));
        *taken = 1;
    }
    return KAL_OK;
}

KalStatus kal_shape_dots(KalShapePlace place, double cell, KalBlock *points)
{
    assert(cell > 0.0);
    KalContext *ctx = place.figure->ctx;
    Cells cells = {.size = cell,
                   .columns = (size_t)(place.frame.width / cell) + 1,
                   .rows = (size_t)(place.frame.height / cell) + 1};
    cells.taken = (uint8_t *)kal_alloc(ctx, cells.rows, cells.columns);
    if (!cells.taken) {
        return kal_no_memory(ctx, "for a figure");
    }
    const KalStatus status = add_dots(&place, &cells, points);
    kal_free(ctx, cells.taken, cells.rows * cells.columns);
    return status;
}

// From row `begin` to `end`, there along one column and back along another.
static KalStatus add_outline(const KalShapePlace *p, size_t begin, size_t end,
                             const size_t columns[2], KalBlock *points)
{
    const KalTable *table = p->figure->table;
    const size_t x = p->figure->x;
    for (size_t i = begin; i < end; i++) {
        const double *row = kal_table_row(table, i);
        KAL_TRY(add(p, points, spot_of(p, row[x], row[columns[0]])));
    }
    for (size_t i = end; i > begin; i--) {
        const double *row = kal_table_row(table, i - 1);
        KAL_TRY(add(p, points, spot_of(p, row[x], row[columns[1]])));
    }
    return add(p, points, gap);
}

// Whether a row has a place for both edges of a band.
static bool has_both(const KalShapePlace *p, size_t i, const size_t columns[2])
{
    const double *row = kal_table_row(p->figure->table, i);
    return kal_figure_shows(p->figure, row)
           && !isnan(spot_of(p, row[p->figure->x], row[columns[0]]).x)
           && !isnan(spot_of(p, row[p->figure->x], row[columns[1]]).x);
}

// The first row from `begin` on that has no place for both.
static size_t end_of_stretch(const KalShapePlace *p, size_t begin,
                             const size_t columns[2])
{
    size_t end = begin;
    while (end < kal_table_rows(p->figure->table) && has_both(p, end, columns)) {
        end++;
    }
    return end;
}

KalStatus kal_shape_band(KalShapePlace place, bool inner, KalBlock *points)
{
    const size_t column = column_of(&place);
    const size_t columns[2] = {column + (inner ? 2 : 1), column + (inner ? 3 : 4)};
    const size_t rows = kal_table_rows(place.figure->table);
    if (!kal_figure_is_quantile(place.figure, column + 4)) {
        return KAL_OK;
    }
    for (size_t begin = 0; begin < rows;) {
        const size_t end = end_of_stretch(&place, begin, columns);
        KAL_TRY(end > begin + 1 ? add_outline(&place, begin, end, columns, points)
                                : KAL_OK);
        begin = end + 1;
    }
    return KAL_OK;
}

KalStatus kal_shape_stairs(KalShapePlace place, KalBlock *points)
{
    const KalTable *table = place.figure->table;
    const size_t column = column_of(&place);
    const size_t rows = kal_table_rows(table);
    const double foot = place.axes->y[place.panel].low;
    double height = foot;
    for (size_t i = 0; i < rows; i++) {
        const double *row = kal_table_row(table, i);
        const double x = row[place.figure->x];
        KAL_TRY(add(&place, points, spot_of(&place, x, height)));
        height = i + 1 < rows ? fmax(row[column], foot) : foot;
        KAL_TRY(add(&place, points, spot_of(&place, x, height)));
    }
    return add(&place, points, gap);
}
