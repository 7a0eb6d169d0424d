// SPDX-License-Identifier: MIT

// Many rows as a small table that can be drawn: quantiles over x, counts of values, means
// over a plane.
//
// Each is two passes over the rows: one finds the values of the axes (choose.h), one gathers.
// Quantiles need the values themselves: those of one column at a time are laid out group by
// group (a counting sort by their place on x) and sorted within groups.  So beside the table
// memory is at most 12 bytes a row.  Quantiles between two values are interpolated (number 7
// of Hyndman and Fan, Sample quantiles in statistical packages, 1996).

#include "base/texts.h"
#include "figure/choose.h"
#include "figure/figure_impl.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAND_BINS = 100,
    MAP_BINS = 200,
    HISTOGRAM_MOST = 120,
    HISTOGRAM_LEAST = 8,
    ROWS_OF_BIN =
        20, // of a map, where bins are chosen by the rows; of bands, less is chance
    QUANTILES = 5, // the median first
    LABEL_SIZE = KAL_TABLE_LABEL_LIMIT
};

static const double parts[QUANTILES] = {0.5, 0.05, 0.25, 0.75, 0.95};

// A bin of bands, and those that it is counted together with.
typedef struct Bin {
    size_t place; // the first of them, which the numbers below are of
    size_t rows;
    double sum; // of their x
} Bin;

// A table on its way.
typedef struct Job {
    KalContext *ctx;
    const KalTable *from;
    const KalFigureOptions *options;
    size_t clock;    // the column that decides which rows count
    size_t x;        // columns of axes
    size_t y;        // of maps
    size_t *columns; // whose values are gathered
    size_t n_columns;
    KalRuler across;
    Bin *bins;     // of bands, unless `across` has values
    KalRuler up;   // of maps
    KalTable *out; // NULL until it is begun
} Job;

static size_t n_rows(const Job *job)
{
    return kal_table_rows(job->from);
}

// The numbers of a row; NULL for one that is left out.
static const double *row_of(const Job *job, size_t i)
{
    const double *row = kal_table_row(job->from, i);
    const double clock = row[job->clock];
    return clock < job->options->from || clock > job->options->until ? NULL : row;
}

// ---- columns

static KalStatus find(const Job *job, const char *name, size_t *out_column)
{
    *out_column = kal_table_find_column(job->from, name);
    return *out_column < kal_table_columns(job->from)
               ? KAL_OK
               : kal_figure_fail_of_column(job->ctx, job->from, name);
}

static KalStatus find_axes(Job *job)
{
    const KalFigureOptions *o = job->options;
    const size_t count = kal_table_columns(job->from);
    const size_t t = kal_table_find_column(job->from, "t");
    job->clock = t == count ? 0 : t;
    job->x = count;
    job->y = count;
    if (o->kind == KAL_FIGURE_HISTOGRAM) {
        return KAL_OK;
    }
    if (!o->x || (o->kind == KAL_FIGURE_MAP && !o->y)) {
        return kal_fail(job->ctx, KAL_ERR_USAGE, "%s",
                        o->kind == KAL_FIGURE_MAP
                            ? "a map needs two columns for its axes: name them for x "
                              "and for y"
                            : "bands need a column for the x axis: name it");
    }
    KAL_TRY(find(job, o->x, &job->x));
    return o->kind == KAL_FIGURE_MAP ? find(job, o->y, &job->y) : KAL_OK;
}

// Whether a column is chosen when none is named: a result, which is not the same everywhere.
static bool is_usual(const Job *job, size_t column)
{
    size_t inputs = 0;
    const bool sweep = kal_figure_is_sweep(job->from, &inputs);
    if (column == job->x || column == job->y || (sweep && column <= inputs)) {
        return false;
    }
    return strcmp(kal_table_column(job->from, column).name, "run") != 0
           && kal_figure_varies(job->from, column);
}

static void add_column(Job *job, size_t column)
{
    for (size_t i = 0; i < job->n_columns; i++) {
        if (job->columns[i] == column) {
            return;
        }
    }
    job->columns[job->n_columns++] = column;
}

static KalStatus add_pattern(Job *job, const char *pattern)
{
    bool found = false;
    for (size_t i = 0; i < kal_table_columns(job->from); i++) {
        const char *name = kal_table_column(job->from, i).name;
        const bool axis = i == job->x || i == job->y;
        if (strcmp(pattern, name) == 0 || (!axis && kal_word_fits(pattern, name))) {
            add_column(job, i);
            found = true;
        }
    }
    return found ? KAL_OK : kal_figure_fail_of_column(job->ctx, job->from, pattern);
}

static void add_usual(Job *job, size_t *out_omitted)
{
    const bool all = job->options->kind == KAL_FIGURE_BANDS;
    for (size_t i = 0; i < kal_table_columns(job->from); i++) {
        if (is_usual(job, i)) {
            if (all || job->n_columns == 0) {
                add_column(job, i);
            } else {
                ++*out_omitted;
            }
        }
    }
}

static KalStatus choose_columns(Job *job, KalFigureColumns *columns)
{
    const size_t count = kal_table_columns(job->from);
    job->columns = (size_t *)kal_alloc(job->ctx, count, sizeof *job->columns);
    if (!job->columns) {
        return kal_no_memory(job->ctx, "for a figure");
    }
    columns->omitted = 0;
    for (size_t i = 0; i < columns->count; i++) {
        KAL_TRY(add_pattern(job, columns->patterns[i]));
    }
    if (columns->count == 0) {
        add_usual(job, &columns->omitted);
    }
    return job->n_columns > 0
               ? KAL_OK
               : kal_fail(job->ctx, KAL_ERR_USAGE,
                          "all results are the same in all rows: name those to show");
}

// Whether inputs other than x are not the same in all rows.
static bool has_other_inputs(const Job *job)
{
    size_t inputs = 0;
    bool others = false;
    if (kal_figure_is_sweep(job->from, &inputs)) {
        for (size_t i = 1; i <= inputs && !others; i++) {
            others = i != job->x && kal_figure_varies(job->from, i);
        }
    }
    return others;
}

// ---- rulers

static KalStatus note_all(const Job *job, size_t column, KalRuler *ruler)
{
    for (size_t i = 0; i < n_rows(job); i++) {
        const double *row = row_of(job, i);
        KAL_TRY(row ? kal_ruler_note(job->ctx, ruler, row[column]) : KAL_OK);
    }
    return KAL_OK;
}

// Fail unless a ruler has values.
static KalStatus check_ruler(const Job *job, const KalRuler *ruler, size_t column)
{
    if (ruler->range.count > 0) {
        return KAL_OK;
    }
    return kal_fail(job->ctx, KAL_ERR_USAGE, "no row has a value of %s%s",
                    kal_table_column(job->from, column).name,
                    ruler->logarithmic ? " that a logarithmic axis can show" : "");
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static KalStatus measure(const Job *job, size_t column, size_t bins, KalRuler *ruler)
{
    KAL_TRY(note_all(job, column, ruler));
    KAL_TRY(check_ruler(job, ruler, column));
    return ruler->full ? kal_ruler_set_bins(job->ctx, ruler, bins) : KAL_OK;
}

// ---- the table

static KalStatus add_quantity(const Job *job, KalQuantity quantity)
{
    return kal_table_add_column(job->out, quantity);
}

static KalStatus add_same(const Job *job, size_t column)
{
    return add_quantity(job, kal_table_column(job->from, column));
}

// ---- bands

// The values of a column, group by group.
typedef struct Groups {
    size_t *begins; // of each group, and the end of the last
    double *values;
    size_t n_values;
} Groups;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double part)
{
    if (count == 0) {
        return NAN;
    }
    const double at = part * (double)(count - 1);
    const size_t below = (size_t)at;
    const double rest = at - (double)below;
    return rest == 0.0 || below + 1 == count
               ? sorted[below]
               : sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

// The group of a row by a column; none, the count, where the value cannot be shown.
static size_t group_of(const Job *job, size_t i, size_t column)
{
    const double *row = row_of(job, i);
    if (!row || !kal_axis_takes(job->options->log_y, row[column])) {
        return job->across.count;
    }
    const size_t at = kal_ruler_find(&job->across, row[job->x]);
    return job->bins && at < job->across.count ? job->bins[at].place : at;
}

static void count_rows(const Job *job)
{
    for (size_t i = 0; i < n_rows(job); i++) {
        const double *row = row_of(job, i);
        const size_t at =
            row ? kal_ruler_find(&job->across, row[job->x]) : job->across.count;
        if (at < job->across.count) {
            job->bins[at].rows++;
            job->bins[at].sum += row[job->x];
        }
    }
}

static void join(const Job *job, size_t to, size_t bin)
{
    job->bins[bin].place = to;
    if (bin != to) {
        job->bins[to].rows += job->bins[bin].rows;
        job->bins[to].sum += job->bins[bin].sum;
    }
}

// Quantiles of a few rows are chance: bins that have no more are counted together with those
// after them, and the last ones with those before.
static void join_bins(const Job *job)
{
    const size_t n = job->across.count;
    const size_t least = clamp(n_rows(job) / 10, 1, ROWS_OF_BIN);
    size_t first = 0; // of those that are being joined
    size_t last = n;  // the first of those before
    count_rows(job);
    for (size_t k = 0; k < n; k++) {
        join(job, first, k);
        if (job->bins[first].rows >= least) {
            last = first;
            first = k + 1;
        }
    }
    for (size_t k = first; last < n && k < n; k++) {
        job->bins[k].place = last;
    }
    if (last < n && first < n) {
        job->bins[last].rows += job->bins[first].rows;
        job->bins[last].sum += job->bins[first].sum;
    }
}

// Where the rows of a group are: of joined bins in the middle of their rows.
static double place_of(const Job *job, size_t k)
{
    const bool alone =
        !job->bins || k + 1 >= job->across.count || job->bins[k + 1].place != k;
    return alone ? job->across.values[k] : job->bins[k].sum / (double)job->bins[k].rows;
}

// Count, lay out, sort.  `begins` is first one place ahead, and moves to the end of its group
// while this is filled.
static void group(const Job *job, size_t column, Groups *g)
{
    const size_t n = job->across.count;
    memset(g->begins, 0, (n + 2) * sizeof *g->begins);
    for (size_t i = 0; i < n_rows(job); i++) {
        const size_t at = group_of(job, i, column);
        g->begins[at < n ? at + 2 : 0]++;
    }
    g->begins[0] = 0; // those without a group
    for (size_t k = 2; k < n + 2; k++) {
        g->begins[k] += g->begins[k - 1];
    }
    for (size_t i = 0; i < n_rows(job); i++) {
        const size_t at = group_of(job, i, column);
        if (at < n) {
            g->values[g->begins[at + 1]++] = kal_table_row(job->from, i)[column];
        }
    }
    for (size_t k = 0; k < n; k++) {
        qsort(g->values + g->begins[k], g->begins[k + 1] - g->begins[k],
              sizeof *g->values, compare);
    }
}

// All quantiles of a column, for each group.
static void take_quantiles(const Job *job, const Groups *g, double *out, size_t stride,
                           size_t each)
{
    for (size_t k = 0; k < job->across.count; k++) {
        const size_t begin = g->begins[k];
        for (size_t q = 0; q < each; q++) {
            out[k * stride + q] =
                quantile(g->values + begin, g->begins[k + 1] - begin, parts[q]);
        }
    }
}

// Names for the quantiles of a column.
static KalStatus name_quantiles(const Job *job, KalQuantity quantity, size_t each)
{
    for (size_t q = 1; q < each; q++) {
        char name[LABEL_SIZE];
        (void)snprintf(name, sizeof name, "%.*s %g %%", LABEL_SIZE - 16, quantity.name,
                       100.0 * parts[q]);
        KAL_TRY(
            add_quantity(job, (KalQuantity){name, quantity.unit, KAL_FIGURE_QUANTILE}));
    }
    return KAL_OK;
}

static KalStatus name_bands(const Job *job, size_t each)
{
    KAL_TRY(add_same(job, job->x));
    for (size_t i = 0; i < job->n_columns; i++) {
        KAL_TRY(add_same(job, job->columns[i]));
        KAL_TRY(
            name_quantiles(job, kal_table_column(job->from, job->columns[i]), each));
    }
    return KAL_OK;
}

static bool is_empty(const double *values, size_t count)
{
    bool empty = true;
    for (size_t i = 0; i < count; i++) {
        empty = empty && isnan(values[i]);
    }
    return empty;
}

// Bins that hold no row have none in the table: the curve goes on to the next.
static KalStatus fill_bands(const Job *job, Groups *g, double *rows, size_t each)
{
    const size_t stride = 1 + job->n_columns * each;
    for (size_t i = 0; i < job->n_columns; i++) {
        group(job, job->columns[i], g);
        take_quantiles(job, g, rows + 1 + i * each, stride, each);
    }
    for (size_t k = 0; k < job->across.count; k++) {
        double *row = rows + k * stride;
        row[0] = place_of(job, k);
        KAL_TRY(job->across.bins && is_empty(row + 1, stride - 1)
                    ? KAL_OK
                    : kal_table_add_row(job->out, row));
    }
    return KAL_OK;
}

// Values of x that come once each are put in bins when other inputs make them differ.
static KalStatus measure_bands(Job *job, size_t *out_each)
{
    KalRuler *x = &job->across;
    KAL_TRY(measure(job, job->x, BAND_BINS, x));
    const size_t rows = x->range.count;
    if (!x->bins && 2 * x->count > rows && x->count > ROWS_OF_BIN
        && has_other_inputs(job)) {
        const size_t bins = clamp((size_t)(0.5 * sqrt((double)rows)), 2, BAND_BINS);
        KAL_TRY(kal_ruler_set_bins(job->ctx, x, bins));
    }
    *out_each = x->count < rows ? QUANTILES : 1;
    if (x->bins) {
        job->bins = (Bin *)kal_alloc(job->ctx, x->count, sizeof *job->bins);
        if (!job->bins) {
            return kal_no_memory(job->ctx, "for the bands of a figure");
        }
        join_bins(job);
    }
    return KAL_OK;
}

// Quantiles of each column for each value of x.
static KalStatus make_bands(Job *job)
{
    size_t each = 1;
    KAL_TRY(measure_bands(job, &each));
    KAL_TRY(name_bands(job, each));
    const size_t n = job->across.count;
    const size_t stride = 1 + job->n_columns * each;
    Groups g = {.n_values = n_rows(job)};
    g.begins = (size_t *)kal_alloc(job->ctx, n + 2, sizeof *g.begins);
    g.values = (double *)kal_alloc(job->ctx, g.n_values, sizeof *g.values);
    double *rows = (double *)kal_alloc(job->ctx, n * stride, sizeof *rows);
    const KalStatus status = g.begins && g.values && rows
                                 ? fill_bands(job, &g, rows, each)
                                 : kal_no_memory(job->ctx, "for the bands of a figure");
    kal_free(job->ctx, g.begins, g.begins ? (n + 2) * sizeof *g.begins : 0);
    kal_free(job->ctx, g.values, g.values ? g.n_values * sizeof *g.values : 0);
    kal_free(job->ctx, rows, rows ? n * stride * sizeof *rows : 0);
    return status;
}

// ---- histograms

static KalStatus name_histogram(const Job *job)
{
    const KalQuantity first = kal_table_column(job->from, job->columns[0]);
    bool same = true;
    for (size_t i = 1; i < job->n_columns; i++) {
        same = same
               && strcmp(first.unit, kal_table_column(job->from, job->columns[i]).unit)
                      == 0;
    }
    if (job->n_columns == 1) {
        KAL_TRY(add_quantity(job, first));
        return add_quantity(job, (KalQuantity){.name = KAL_FIGURE_COUNT});
    }
    KAL_TRY(add_quantity(job, (KalQuantity){"value", same ? first.unit : "", ""}));
    for (size_t i = 0; i < job->n_columns; i++) {
        KalQuantity quantity = kal_table_column(job->from, job->columns[i]);
        quantity.unit = "";
        KAL_TRY(add_quantity(job, quantity));
    }
    return KAL_OK;
}

// The last row ends the last bin and counts nothing.
static KalStatus fill_histogram(const Job *job, double *rows)
{
    const size_t stride = 1 + job->n_columns;
    const size_t n = job->across.count;
    for (size_t i = 0; i < n_rows(job); i++) {
        const double *row = row_of(job, i);
        for (size_t k = 0; row && k < job->n_columns; k++) {
            const size_t at = kal_ruler_find(&job->across, row[job->columns[k]]);
            if (at < n) {
                rows[at * stride + 1 + k] += 1.0;
            }
        }
    }
    for (size_t at = 0; at <= n; at++) {
        rows[at * stride] = kal_ruler_edge(&job->across, at);
        KAL_TRY(kal_table_add_row(job->out, rows + at * stride));
    }
    return KAL_OK;
}

// Twice the cube root of the rows (the rule of Rice), within bounds.
static KalStatus make_histogram(Job *job)
{
    for (size_t k = 0; k < job->n_columns; k++) {
        KAL_TRY(note_all(job, job->columns[k], &job->across));
    }
    KAL_TRY(check_ruler(job, &job->across, job->columns[0]));
    const double each = (double)job->across.range.count / (double)job->n_columns;
    const size_t n =
        clamp((size_t)ceil(2.0 * cbrt(each)), HISTOGRAM_LEAST, HISTOGRAM_MOST);
    KAL_TRY(kal_ruler_set_bins(job->ctx, &job->across, n));
    KAL_TRY(name_histogram(job));
    const size_t count = (n + 1) * (1 + job->n_columns);
    double *rows = (double *)kal_alloc(job->ctx, count, sizeof *rows);
    if (!rows) {
        return kal_no_memory(job->ctx, "for a histogram");
    }
    const KalStatus status = fill_histogram(job, rows);
    kal_free(job->ctx, rows, count * sizeof *rows);
    return status;
}

// ---- maps

// Means by Welford's way, so that large numbers keep their digits: `rows` hold x, y and the
// means, `counts` how many there are so far.
static void gather_map(const Job *job, double *rows, uint32_t *counts)
{
    const size_t stride = 2 + job->n_columns;
    for (size_t i = 0; i < n_rows(job); i++) {
        const double *row = row_of(job, i);
        const size_t x = row ? kal_ruler_find(&job->across, row[job->x]) : 0;
        const size_t y = row ? kal_ruler_find(&job->up, row[job->y]) : 0;
        if (!row || x == job->across.count || y == job->up.count) {
            continue;
        }
        const size_t cell = y * job->across.count + x;
        for (size_t k = 0; k < job->n_columns; k++) {
            const double value = row[job->columns[k]];
            if (kal_axis_takes(job->options->log_z, value)) {
                const double n = (double)++counts[cell * job->n_columns + k];
                double *mean = &rows[cell * stride + 2 + k];
                *mean += (value - *mean) / n;
            }
        }
    }
}

static KalStatus fill_map(const Job *job, double *rows, uint32_t *counts)
{
    const size_t stride = 2 + job->n_columns;
    gather_map(job, rows, counts);
    for (size_t cell = 0; cell < job->across.count * job->up.count; cell++) {
        double *row = rows + cell * stride;
        row[0] = job->across.values[cell % job->across.count];
        row[1] = job->up.values[cell / job->across.count];
        for (size_t k = 0; k < job->n_columns; k++) {
            row[2 + k] = counts[cell * job->n_columns + k] > 0 ? row[2 + k] : NAN;
        }
        KAL_TRY(kal_table_add_row(job->out, row));
    }
    return KAL_OK;
}

// A ruler whose values hardly meet those of the other would make a plane with more cells
// than rows: bins, then.
static KalStatus coarsen(const Job *job, KalRuler *ruler, size_t bins)
{
    return ruler->bins || ruler->count <= bins
               ? KAL_OK
               : kal_ruler_set_bins(job->ctx, ruler, bins);
}

static KalStatus measure_map(Job *job)
{
    if (job->x == job->y) {
        return kal_fail(job->ctx, KAL_ERR_USAGE,
                        "a map needs two different columns for its axes");
    }
    KAL_TRY(measure(job, job->x, MAP_BINS, &job->across));
    KAL_TRY(measure(job, job->y, MAP_BINS, &job->up));
    const size_t rows = job->across.range.count;
    if (job->across.count * job->up.count > 4 * rows + 16) {
        const size_t bins =
            clamp((size_t)sqrt((double)rows / ROWS_OF_BIN), 2, MAP_BINS);
        KAL_TRY(coarsen(job, &job->across, bins));
        KAL_TRY(coarsen(job, &job->up, bins));
    }
    return KAL_OK;
}

// Means in the cells of two rulers; what has several rows in a cell is averaged.
static KalStatus make_map(Job *job)
{
    KAL_TRY(measure_map(job));
    KAL_TRY(add_same(job, job->x));
    KAL_TRY(add_same(job, job->y));
    for (size_t i = 0; i < job->n_columns; i++) {
        KAL_TRY(add_same(job, job->columns[i]));
    }
    const size_t cells = job->across.count * job->up.count;
    const size_t count = cells * (2 + job->n_columns);
    const size_t n_counts = cells * job->n_columns;
    double *rows = (double *)kal_alloc(job->ctx, count, sizeof *rows);
    uint32_t *counts = (uint32_t *)kal_alloc(job->ctx, n_counts, sizeof *counts);
    const KalStatus status = rows && counts ? fill_map(job, rows, counts)
                                            : kal_no_memory(job->ctx, "for a map");
    kal_free(job->ctx, rows, rows ? count * sizeof *rows : 0);
    kal_free(job->ctx, counts, counts ? n_counts * sizeof *counts : 0);
    return status;
}

// ----

static KalStatus make(Job *job, KalFigureColumns *columns)
{
    KAL_TRY(find_axes(job));
    KAL_TRY(choose_columns(job, columns));
    job->across.logarithmic = job->options->log_x;
    job->up.logarithmic = job->options->log_y;
    KAL_TRY(kal_table_create(job->ctx, 0, &job->out));
    switch (job->options->kind) {
    case KAL_FIGURE_BANDS: return make_bands(job);
    case KAL_FIGURE_HISTOGRAM: return make_histogram(job);
    case KAL_FIGURE_MAP: return make_map(job);
    case KAL_FIGURE_LINES:
    case KAL_FIGURE_SCATTER: break;
    }
    return kal_fail(job->ctx, KAL_ERR_USAGE,
                    "bands, histograms and maps are condensed, other kinds are not");
}

KalStatus kal_figure_condense(KalContext *ctx, const KalTable *table,
                              const KalFigureOptions *options,
                              KalFigureColumns *columns, KalTable **out_table)
{
    KAL_NEED(ctx, ctx && table && options && columns && out_table
                      && kal_has_texts(columns->patterns, columns->count));
    Job job = {.ctx = ctx, .from = table, .options = options};
    const KalStatus status = kal_table_columns(table) > 0
                                 ? make(&job, columns)
                                 : kal_fail(ctx, KAL_ERR_USAGE, "the table is empty");
    kal_free(ctx, job.bins, job.bins ? job.across.count * sizeof *job.bins : 0);
    kal_ruler_clear(ctx, &job.across);
    kal_ruler_clear(ctx, &job.up);
    kal_free(ctx, job.columns,
             job.columns ? kal_table_columns(table) * sizeof *job.columns : 0);
    if (status != KAL_OK) {
        kal_table_destroy(job.out);
        return status;
    }
    *out_table = job.out;
    return KAL_OK;
}
