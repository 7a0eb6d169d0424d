// SPDX-License-Identifier: MIT

// Fewer rows that look the same: time is cut into stretches, and of each the ends and the
// extremes of every column stay, as M4 has it for one curve (figure/thin.c).  All columns
// share the rows that are kept, so that the stretches become fewer until the rows fit.

#include "report/report_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct Thinning {
    const KalTable *table;
    const size_t *columns;
    size_t count;
    size_t rows;
    bool *kept;    // rows
    size_t *least; // count: rows of a stretch
    size_t *most;  // count
} Thinning;

// Whether a value is beyond the best so far; NaN never is, and is beaten by any number.
static bool is_beyond(double value, double best, double sign)
{
    assert(sign == 1.0 || sign == -1.0);
    return !isnan(value) && (isnan(best) || sign * value > sign * best);
}

// The rows of the least and the largest value so far, for each column; a number is
// beyond NaN, and NaN beyond nothing.
static void look_at_row(Thinning *t, size_t row)
{
    assert(row < t->rows);
    const double *values = kal_table_row(t->table, row);
    for (size_t i = 0; i < t->count; i++) {
        const size_t column = t->columns[i];
        const double least = kal_table_row(t->table, t->least[i])[column];
        const double most = kal_table_row(t->table, t->most[i])[column];
        if (is_beyond(values[column], least, -1.0)) {
            t->least[i] = row;
        }
        if (is_beyond(values[column], most, 1.0)) {
            t->most[i] = row;
        }
    }
}

// Of each stretch the ends stay and, for each column, the extremes: where a stretch is
// no wider than a pixel, curves through them cover the same pixels as those of all
// rows.
static void keep_stretch(Thinning *t, size_t begin, size_t end)
{
    assert(begin < end && end <= t->rows);
    for (size_t i = 0; i < t->count; i++) {
        t->least[i] = begin;
        t->most[i] = begin;
    }
    for (size_t row = begin + 1; row < end; row++) {
        look_at_row(t, row);
    }
    t->kept[begin] = true;
    t->kept[end - 1] = true;
    for (size_t i = 0; i < t->count; i++) {
        t->kept[t->least[i]] = true;
        t->kept[t->most[i]] = true;
    }
}

// Of the two rows of a jump, which have the same time, both stay or none.
static void keep_jumps(Thinning *t)
{
    const size_t time = kal_table_find_column(t->table, "t");
    for (size_t row = 1; time < kal_table_columns(t->table) && row < t->rows; row++) {
        const bool jump = kal_table_row(t->table, row)[time]
                          == kal_table_row(t->table, row - 1)[time];
        const bool kept = t->kept[row] || t->kept[row - 1];
        t->kept[row] = jump ? kept : t->kept[row];
        t->kept[row - 1] = jump ? kept : t->kept[row - 1];
    }
}

// Keep what matters in so many stretches; returns how many rows that is.
static size_t keep(Thinning *t, size_t stretches)
{
    assert(stretches > 0 && stretches <= t->rows);
    size_t kept = 0;
    memset(t->kept, 0, t->rows * sizeof *t->kept);
    for (size_t i = 0; i < stretches; i++) {
        const size_t begin = i * t->rows / stretches;
        keep_stretch(t, begin, (i + 1) * t->rows / stretches);
    }
    keep_jumps(t);
    for (size_t row = 0; row < t->rows; row++) {
        kept += t->kept[row];
    }
    return kept;
}

static KalStatus add_kept(KalContext *ctx, const Thinning *t, KalBlock *rows)
{
    assert(rows);
    KalStatus status = KAL_OK;
    for (size_t row = 0; row < t->rows && status == KAL_OK; row++) {
        if (!t->kept || t->kept[row]) {
            status = kal_block_add(ctx, rows, &row, sizeof row);
        }
    }
    return status;
}

KalStatus kal_report_thin(KalContext *ctx, const KalTable *table, const size_t *columns,
                          size_t count, size_t most, KalBlock *rows)
{
    assert(table && most >= 2);
    Thinning t = {.table = table,
                  .columns = columns,
                  .count = count,
                  .rows = kal_table_rows(table)};
    if (t.rows <= most) {
        return add_kept(ctx, &t, rows);
    }
    KalStatus status = KAL_ERR_NOMEM;
    t.kept = (bool *)kal_alloc(ctx, t.rows, sizeof *t.kept);
    t.least = (size_t *)kal_alloc(ctx, 2 * count + 1, sizeof *t.least);
    if (t.kept && t.least) {
        t.most = t.least + count;
        size_t stretches = most / 2;
        while (keep(&t, stretches) > most && stretches > 1) {
            stretches = stretches * 3 / 4;
        }
        status = add_kept(ctx, &t, rows);
    } else {
        kal_fail(ctx, status, "no memory to choose what a report shows");
    }
    kal_free(ctx, t.least, (2 * count + 1) * sizeof *t.least);
    kal_free(ctx, t.kept, t.rows * sizeof *t.kept);
    return status;
}
