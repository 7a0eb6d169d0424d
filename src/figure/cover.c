// SPDX-License-Identifier: MIT

// Lines that are drawn over what is there already, left out.  A grid of cells, smaller than
// a line is wide, remembers where curves have passed.  A line is walked in steps of half a
// cell; one that passes no new cell is not seen and is not kept.  Memory is that of the
// grid, time that of the length of all lines in cells, however many points there are.

#include "figure/cover.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

typedef struct Grid {
    KalBox frame;
    double cell;
    size_t columns;
    size_t rows;
    uint8_t *passed; // by cell
} Grid;

static size_t clamp(double value, size_t count)
{
    assert(count > 0);
    if (!(value > 0.0)) {
        return 0;
    }
    return value < (double)count ? (size_t)value : count - 1;
}

// Pass a cell; whether for the first time.
static bool pass(Grid *grid, double x, double y)
{
    const size_t column = clamp((x - grid->frame.left) / grid->cell, grid->columns);
    const size_t row = clamp((y - grid->frame.top) / grid->cell, grid->rows);
    assert(column < grid->columns && row < grid->rows);
    uint8_t *cell = &grid->passed[row * grid->columns + column];
    const bool first = *cell == 0;
    *cell = 1;
    return first;
}

// Pass all cells of a line, but for the one in which it begins; whether any was new.
static bool pass_line(Grid *grid, KalSpot a, KalSpot b)
{
    assert(!isnan(a.x) && !isnan(b.x));
    const long steps = lrint(ceil(2.0 * hypot(b.x - a.x, b.y - a.y) / grid->cell));
    bool first = false;
    for (long i = 1; i <= steps; i++) {
        const double part = (double)i / (double)steps;
        if (pass(grid, a.x + part * (b.x - a.x), a.y + part * (b.y - a.y))) {
            first = true;
        }
    }
    return first;
}

// Add a point; unless the pen is at the one before, that too, behind a gap.
static KalStatus keep(KalContext *ctx, KalBlock *kept, bool drawing, KalSpot before,
                      KalSpot here)
{
    assert(!isnan(here.x));
    const KalSpot gap = {NAN, NAN};
    if (!drawing && kept->size > 0) {
        KAL_TRY(kal_block_add(ctx, kept, &gap, sizeof gap));
    }
    if (!drawing && !isnan(before.x)) {
        KAL_TRY(kal_block_add(ctx, kept, &before, sizeof before));
    }
    return kal_block_add(ctx, kept, &here, sizeof here);
}

static KalStatus keep_new(KalContext *ctx, Grid *grid, const KalSpot *points,
                          size_t count, KalBlock *kept)
{
    assert(points || count == 0);
    const KalSpot gap = {NAN, NAN};
    bool drawing = false; // the pen is at the point before
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < count && status == KAL_OK; i++) {
        const KalSpot here = points[i];
        const KalSpot before = i > 0 ? points[i - 1] : gap;
        const bool last = i + 1 == count || isnan(points[i + 1].x);
        bool shown = false;
        if (!isnan(here.x) && !isnan(before.x)) {
            shown = pass_line(grid, before, here);
        } else if (!isnan(here.x) && last) {
            shown = pass(grid, here.x, here.y);
        }
        if (shown) {
            status = keep(ctx, kept, drawing, before, here);
        }
        drawing = shown;
    }
    return status;
}

// The grid costs a byte a cell; only what passes a new cell is kept.
KalStatus kal_cover_remove(KalContext *ctx, KalBox frame, double cell, KalBlock *points)
{
    assert(cell > 0.0);
    Grid grid = {.frame = frame,
                 .cell = cell,
                 .columns = (size_t)(frame.width / cell) + 1,
                 .rows = (size_t)(frame.height / cell) + 1};
    KalBlock kept = {.data = NULL};
    grid.passed = (uint8_t *)kal_alloc(ctx, grid.rows, grid.columns);
    if (!grid.passed) {
        return kal_no_memory(ctx, "for a figure");
    }
    const KalStatus status = keep_new(ctx, &grid, (const KalSpot *)points->data,
                                      points->size / sizeof(KalSpot), &kept);
    if (status == KAL_OK) {
        kal_block_clear(ctx, points);
        *points = kept;
    } else {
        kal_block_clear(ctx, &kept);
    }
    kal_free(ctx, grid.passed, grid.rows * grid.columns);
    return status;
}
