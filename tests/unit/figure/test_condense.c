// SPDX-License-Identifier: MIT

// Tables of many rows as small ones: quantiles, counts and means against numbers that are
// known, what is chosen for a sweep, and that every allocation may fail.

#include "allocations.h"
#include "figure/choose.h"
#include "figure/figure_impl.h"
#include "tables.h"
#include "tap.h"

enum {
    GRID_A = 4,
    GRID_B = 3,
    SAMPLES = 101
};

// The sweep of a grid a = 1 .. 4, b = 10, 20, 30: final(x) = a + b, max(y) = 7.
static KalTable *grid(KalContext *ctx)
{
    static const char *const names[] = {"run", "a", "b", "max(y)", "final(x)"};
    double numbers[GRID_A * GRID_B * 5];
    for (int i = 0; i < GRID_A * GRID_B; i++) {
        const double a = 1.0 + (double)(i / GRID_B);
        const double b = 10.0 * (1.0 + (double)(i % GRID_B));
        const double row[] = {i + 1.0, a, b, 7.0, a + b};
        memcpy(numbers + 5 * (size_t)i, row, sizeof row);
    }
    return table_of(ctx, names, 5, numbers, GRID_A * GRID_B);
}

// Samples of a random input at two values of another: final(x) = a·100 + 0 … 100.
static KalTable *samples(KalContext *ctx)
{
    static const char *const names[] = {"run", "a", "k", "final(x)"};
    double numbers[2 * SAMPLES * 4];
    for (int i = 0; i < 2 * SAMPLES; i++) {
        const double a = i < SAMPLES ? 1.0 : 2.0;
        const double part = (double)(i * 37 % SAMPLES); // in no order
        const double row[] = {i + 1.0, a, i + 0.5, 100.0 * a + part};
        memcpy(numbers + 4 * (size_t)i, row, sizeof row);
    }
    return table_of(ctx, names, 4, numbers, 2 * SAMPLES);
}

static KalTable *condense(KalContext *ctx, const KalTable *table,
                          const KalFigureOptions *options, KalFigureColumns *columns)
{
    KalTable *out = NULL;
    ok(kal_figure_condense(ctx, table, options, columns, &out) == KAL_OK);
    return out;
}

static void bands_are_quantiles(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = samples(ctx);
    KalFigureOptions o = kal_figure_options();
    ok(kal_figure_suggest(ctx, table, &o) == KAL_OK);
    ok(o.kind == KAL_FIGURE_BANDS);
    same_text(o.x, "a");
    KalFigureColumns columns = {.count = 0};
    KalTable *out = condense(ctx, table, &o, &columns);
    ok(kal_table_rows(out) == 2 && kal_table_columns(out) == 6);
    same_text(kal_table_column(out, 1).name, "final(x)");
    same_text(kal_table_column(out, 2).name, "final(x) 5 %");
    for (size_t i = 0; i < 2; i++) {
        const double *row = kal_table_row(out, i);
        const double a = (double)i + 1.0;
        const double want[] = {a,
                               100.0 * a + 50.0,
                               100.0 * a + 5.0,
                               100.0 * a + 25.0,
                               100.0 * a + 75.0,
                               100.0 * a + 95.0};
        for (int k = 0; k < 6; k++) {
            near(row[k], want[k], 1e-12);
        }
    }
    kal_table_destroy(out);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void quantiles_between_values_are_interpolated(void)
{
    static const char *const names[] = {"run", "a", "final(x)"};
    const double numbers[] = {1, 1, 10, 2, 1, 20, 3, 1, NAN, 4, 2, NAN};
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, 3, numbers, 4);
    KalFigureOptions o = kal_figure_options();
    o.kind = KAL_FIGURE_BANDS;
    o.x = "a";
    KalFigureColumns columns = {.count = 0};
    KalTable *out = condense(ctx, table, &o, &columns);
    near(kal_table_row(out, 0)[1], 15.0, 1e-12);
    near(kal_table_row(out, 0)[2], 10.5, 1e-12);
    near(kal_table_row(out, 0)[5], 19.5, 1e-12);
    ok(isnan(kal_table_row(out, 1)[1]));
    kal_table_destroy(out);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// 3000 rows of k from 0 to 1, few of them near the ends; final(x) = k and one of two noises.
static KalTable *bell(KalContext *ctx)
{
    static const char *const names[] = {"run", "k", "m", "final(x)"};
    static double numbers[3000 * 4];
    for (int i = 0; i < 3000; i++) {
        const double u = (2.0 * i - 2999.0) / 2999.0;
        const double k = 0.5 + 0.5 * u * u * u * u * u; // dense in the middle
        const double m = i % 2 == 0 ? -1.0 : 1.0;
        const double row[] = {i + 1.0, k, m + 1e-6 * i, k + m};
        memcpy(numbers + 4 * (size_t)i, row, sizeof row);
    }
    return table_of(ctx, names, 4, numbers, 3000);
}

// So that quantiles are not chance where rows are few: bands are as wide there as elsewhere.
static void sparse_bins_are_counted_together(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = bell(ctx);
    KalFigureOptions o = kal_figure_options();
    o.kind = KAL_FIGURE_BANDS;
    o.x = "k";
    KalFigureColumns columns = {.patterns = (const char *const[]){"final(x)"},
                                .count = 1};
    KalTable *out = condense(ctx, table, &o, &columns);
    const size_t rows = kal_table_rows(out);
    ok(rows > 30 && rows < 100);
    for (size_t i = 0; i < rows; i++) {
        const double *row = kal_table_row(out, i);
        ok(row[0] > 0.0 && row[0] < 1.0
           && (i == 0 || row[0] > kal_table_row(out, i - 1)[0]));
        near(row[2], row[0] - 1.0, 0.1); // 5 % of all values
        near(row[5], row[0] + 1.0, 0.1); // 95 %
    }
    kal_table_destroy(out);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void a_map_has_a_row_for_each_cell(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = grid(ctx);
    KalFigureOptions o = kal_figure_options();
    ok(kal_figure_suggest(ctx, table, &o) == KAL_OK);
    ok(o.kind == KAL_FIGURE_MAP);
    same_text(o.x, "a");
    same_text(o.y, "b");
    KalFigureColumns columns = {.count = 0};
    KalTable *out = condense(ctx, table, &o, &columns);
    // max(y) is the same everywhere: final(x) is what there is to show.
    ok(columns.omitted == 0 && kal_table_columns(out) == 3);
    ok(kal_table_rows(out) == GRID_A * GRID_B);
    for (size_t i = 0; i < GRID_A * GRID_B; i++) {
        const double *row = kal_table_row(out, i);
        near(row[0], 1.0 + (double)(i % GRID_A), 0.0);
        near(row[1], 10.0 * (1.0 + (double)(i / GRID_A)), 0.0);
        near(row[2], row[0] + row[1], 0.0);
    }
    KalFigure *figure = NULL;
    ok(kal_figure_create(ctx, out, &o, &figure) == KAL_OK);
    kal_figure_destroy(figure);
    ok(kal_figure_create(ctx, table, &o, &figure) == KAL_ERR_USAGE); // y is fastest
    kal_table_destroy(out);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void a_histogram_counts_all_rows(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = samples(ctx);
    KalFigureOptions o = kal_figure_options();
    o.kind = KAL_FIGURE_HISTOGRAM;
    KalFigureColumns columns = {.count = 0};
    KalTable *out = condense(ctx, table, &o, &columns);
    const size_t bins = kal_table_rows(out) - 1;
    double sum = 0.0;
    for (size_t i = 0; i < bins; i++) {
        const double *row = kal_table_row(out, i);
        const double end = kal_table_row(out, i + 1)[0];
        double inside = 0.0;
        for (size_t k = 0; k < 2 * SAMPLES; k++) {
            const double value = kal_table_row(table, k)[3];
            inside += value >= row[0] && (value < end || i + 1 == bins);
        }
        near(row[1], inside, 0.0);
        sum += row[1];
    }
    near(sum, 2.0 * SAMPLES, 0.0);
    near(kal_table_row(out, 0)[0], 100.0, 0.0);
    near(kal_table_row(out, bins)[0], 300.0, 0.0);
    kal_table_destroy(out);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void many_values_become_bins(void)
{
    KalContext *ctx = NULL;
    KalRuler ruler = {.logarithmic = true};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int i = 0; i <= 2 * KAL_RULER_MOST; i++) {
        ok(kal_ruler_note(ctx, &ruler, pow(10.0, 3.0 * i / (2.0 * KAL_RULER_MOST)))
           == KAL_OK);
    }
    ok(kal_ruler_note(ctx, &ruler, -1.0) == KAL_OK); // has no place
    ok(ruler.full && ruler.range.count == 2 * KAL_RULER_MOST + 1);
    ok(kal_ruler_set_bins(ctx, &ruler, 3) == KAL_OK);
    for (size_t i = 0; i < 3; i++) {
        near(kal_ruler_edge(&ruler, i), pow(10.0, (double)i), 1e-9);
        near(ruler.values[i], pow(10.0, (double)i + 0.5), 1e-9);
        ok(kal_ruler_find(&ruler, 1.01 * pow(10.0, (double)i)) == i);
    }
    ok(kal_ruler_find(&ruler, 1000.0) == 2);
    ok(kal_ruler_find(&ruler, 1001.0) == 3 && kal_ruler_find(&ruler, NAN) == 3);
    kal_ruler_clear(ctx, &ruler);
    kal_context_destroy(ctx);
}

static void what_is_no_sweep_is_known(void)
{
    static const char *const names[] = {"run", "a", "final(x)", "t"};
    const double numbers[] = {1, 1, 1, 1, 2, 2, 2, 2};
    KalContext *ctx = NULL;
    KalFigureOptions o = kal_figure_options();
    size_t inputs = 9;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, 4, numbers, 2);
    ok(!kal_figure_is_sweep(table, NULL));
    ok(kal_figure_suggest(ctx, table, &o) == KAL_ERR_USAGE);
    kal_table_destroy(table);
    table = table_of(ctx, names, 3, numbers, 2);
    ok(kal_figure_is_sweep(table, &inputs) && inputs == 1);
    o.kind = KAL_FIGURE_MAP;
    KalFigureColumns columns = {.count = 0};
    KalTable *out = NULL;
    ok(kal_figure_condense(ctx, table, &o, &columns, &out) == KAL_ERR_USAGE);
    has_text(kal_context_message(ctx), "a map needs two columns");
    o.kind = KAL_FIGURE_LINES;
    ok(kal_figure_condense(ctx, table, &o, &columns, &out) == KAL_ERR_USAGE);
    ok(!out);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// All of it with an allocator that fails after some calls.
static KalStatus draw_all(KalContext *ctx)
{
    KalTable *table = grid(ctx);
    KalStatus status = table ? KAL_OK : KAL_ERR_NOMEM;
    for (int kind = KAL_FIGURE_BANDS; kind <= KAL_FIGURE_MAP && status == KAL_OK;
         kind++) {
        KalFigureOptions o = kal_figure_options();
        KalFigureColumns columns = {.count = 0};
        KalTable *out = NULL;
        status = kal_figure_suggest(ctx, table, &o);
        o.kind = (KalFigureKind)kind;
        if (status == KAL_OK) {
            status = kal_figure_condense(ctx, table, &o, &columns, &out);
        }
        ok((status == KAL_OK) == (out != NULL));
        kal_table_destroy(out);
    }
    kal_table_destroy(table);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(draw_all);
}

TAP_RUN(TAP_CASE(bands_are_quantiles), TAP_CASE(sparse_bins_are_counted_together),
        TAP_CASE(quantiles_between_values_are_interpolated),
        TAP_CASE(a_map_has_a_row_for_each_cell), TAP_CASE(a_histogram_counts_all_rows),
        TAP_CASE(many_values_become_bins), TAP_CASE(what_is_no_sweep_is_known),
        TAP_CASE(every_allocation_may_fail))
