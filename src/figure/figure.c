// SPDX-License-Identifier: MIT

// Figures: panels of curves, or of what else shows columns, over one x axis.  A figure
// looks at its table when it is made: which rows are shown, whether x ascends, the ranges
// of all curves; drawing then needs no look ahead.

#include "base/texts.h"
#include "base/utf8.h"
#include "figure/choose.h"
#include "figure/figure_impl.h"
#include "figure/plane.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    USUAL_PANELS = 4,
    USUAL_CURVES = 6,
};

static const double smallest_size = 20.0;
static const double largest_size = 2000.0;
static const double largest_resolution = 2400.0;

KalFigureOptions kal_figure_options(void)
{
    return (KalFigureOptions){
        .from = -INFINITY, .until = INFINITY, .width = 120.0, .dots_per_inch = 300.0};
}

// Sizes that can be drawn, choices that exist.
static KalStatus check_options(KalContext *ctx, const KalFigureOptions *o)
{
    if ((unsigned)o->theme > KAL_FIGURE_DARK || (unsigned)o->kind > KAL_FIGURE_MAP) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "there is no such theme or kind of a figure");
    }
    const bool high =
        o->height == 0.0 || (o->height >= smallest_size && o->height <= largest_size);
    if (!high || !(o->width >= smallest_size && o->width <= largest_size)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "a figure of %.4g x %.4g mm cannot be drawn: expected %.4g to "
                        "%.4g mm",
                        o->width, o->height, smallest_size, largest_size);
    }
    if (!(o->dots_per_inch >= 1.0 && o->dots_per_inch <= largest_resolution)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "%.4g dots per inch cannot be drawn: expected 1 to %.4g",
                        o->dots_per_inch, largest_resolution);
    }
    if (o->equal && (o->log_x || o->log_y)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "equal axes cannot be logarithmic: leave out one of the two");
    }
    return KAL_OK;
}

// t decides which rows are shown; the x axis is t unless another column is named.
static KalStatus find_x(KalFigure *figure, const char *name)
{
    const size_t count = kal_table_columns(figure->table);
    const size_t t = kal_table_find_column(figure->table, "t");
    figure->clock = t == count ? 0 : t;
    figure->run = kal_table_find_column(figure->table, "run");
    figure->time = t;
    figure->x = name ? kal_table_find_column(figure->table, name) : figure->clock;
    return figure->x < count
               ? KAL_OK
               : kal_figure_fail_of_column(figure->ctx, figure->table, name);
}

// Outside of --between.
static bool is_left_out(const KalFigure *figure, const double *row)
{
    const double clock = row[figure->clock];
    return clock < figure->options.from || clock > figure->options.until;
}

bool kal_figure_shows(const KalFigure *figure, const double *row)
{
    return !is_left_out(figure, row)
           && kal_axis_takes(figure->options.log_x, row[figure->x]);
}

bool kal_figure_begins_run(const KalFigure *figure, size_t i)
{
    assert(i < kal_table_rows(figure->table));
    const size_t run = figure->run;
    return i > 0 && figure->options.kind == KAL_FIGURE_LINES
           && run < kal_table_columns(figure->table)
           && kal_table_row(figure->table, i)[run]
                  != kal_table_row(figure->table, i - 1)[run];
}

bool kal_figure_jumps(const KalFigure *figure, size_t i)
{
    assert(i < kal_table_rows(figure->table));
    const size_t t = figure->time;
    return i > 0 && t < kal_table_columns(figure->table)
           && kal_table_row(figure->table, i)[t]
                  == kal_table_row(figure->table, i - 1)[t];
}

// The range of x, and whether curves go from left to right.
static void scan_x(KalFigure *figure)
{
    double before = -INFINITY;
    figure->x_ascends = true;
    for (size_t i = 0; i < kal_table_rows(figure->table); i++) {
        const double *row = kal_table_row(figure->table, i);
        const double value = row[figure->x];
        before = kal_figure_begins_run(figure, i) ? -INFINITY : before;
        if (kal_figure_shows(figure, row)) {
            kal_range_add(&figure->x_range, figure->options.log_x, value);
            figure->x_ascends = figure->x_ascends && value >= before;
            before = value;
        }
    }
    figure->x_ascends = figure->x_ascends && figure->options.kind != KAL_FIGURE_SCATTER;
}

// At least one row is to be shown.
static KalStatus check_rows(const KalFigure *figure)
{
    const size_t rows = kal_table_rows(figure->table);
    size_t left = 0;
    for (size_t i = 0; i < rows; i++) {
        left += !is_left_out(figure, kal_table_row(figure->table, i));
    }
    if (rows == 0) {
        return kal_fail(figure->ctx, KAL_ERR_USAGE,
                        "the table has no rows: there is nothing to show");
    }
    if (left == 0) {
        char shown[KAL_PRINTABLE_SIZE];
        const char *name = kal_table_column(figure->table, figure->clock).name;
        kal_printable_print(name, strlen(name), shown);
        return kal_fail(figure->ctx, KAL_ERR_USAGE,
                        "no row has %s from %.6g to %.6g; the first has %.6g, the last "
                        "%.6g",
                        shown, figure->options.from, figure->options.until,
                        kal_table_row(figure->table, 0)[figure->clock],
                        kal_table_row(figure->table, rows - 1)[figure->clock]);
    }
    return KAL_OK;
}

static KalStatus init(KalFigure *figure, const KalFigureOptions *options)
{
    KAL_TRY(check_options(figure->ctx, options));
    KAL_TRY(find_x(figure, options->x));
    figure->options = *options;
    KAL_TRY(check_rows(figure));
    if (options->kind == KAL_FIGURE_MAP) {
        KAL_TRY(kal_plane_check(figure));
    }
    figure->options.x = NULL;
    figure->options.y = NULL;
    figure->options.title = NULL;
    if (options->title) {
        KalStyled title = {.length = 0};
        kal_styled_add_text(&title, options->title, KAL_TITLE_WIDTH);
        (void)snprintf(figure->title, sizeof figure->title, "%s", title.text);
    }
    scan_x(figure);
    return KAL_OK;
}

KalStatus kal_figure_create(KalContext *ctx, const KalTable *table,
                            const KalFigureOptions *options, KalFigure **out_figure)
{
    KAL_NEED(ctx, ctx && table && options && out_figure);
    KalFigure *figure = KAL_NEW(ctx, KalFigure);
    if (!figure) {
        return kal_no_memory(ctx, "for a figure");
    }
    figure->ctx = ctx;
    figure->table = table;
    const KalStatus status = init(figure, options);
    if (status != KAL_OK) {
        kal_figure_destroy(figure);
        return status;
    }
    *out_figure = figure;
    return KAL_OK;
}

void kal_figure_destroy(KalFigure *figure)
{
    if (figure) {
        kal_free(figure->ctx, figure, sizeof *figure);
    }
}

KalQuantity kal_figure_quantity(const KalFigure *figure, size_t column)
{
    assert(column < kal_table_columns(figure->table));
    return kal_table_column(figure->table, column);
}

bool kal_figure_is_quantile(const KalFigure *figure, size_t column)
{
    return column < kal_table_columns(figure->table)
           && strcmp(kal_figure_quantity(figure, column).description,
                     KAL_FIGURE_QUANTILE)
                  == 0;
}

// The values of a column where x has a place.
static KalAxisRange scan_column(const KalFigure *figure, size_t column)
{
    assert(column < kal_table_columns(figure->table));
    const bool map = figure->options.kind == KAL_FIGURE_MAP;
    const bool logarithmic = map ? figure->options.log_z : figure->options.log_y;
    KalAxisRange range = {.count = 0};
    for (size_t i = 0; i < kal_table_rows(figure->table); i++) {
        const double *row = kal_table_row(figure->table, i);
        if (kal_figure_shows(figure, row)) {
            kal_range_add(&range, logarithmic, row[column]);
        }
    }
    return range;
}

// The values of a column and of the quantiles that follow it.
static KalAxisRange scan(const KalFigure *figure, size_t column)
{
    KalAxisRange range = scan_column(figure, column);
    const size_t count = range.count;
    for (size_t i = column + 1; kal_figure_is_quantile(figure, i); i++) {
        const KalAxisRange other = scan_column(figure, i);
        kal_range_join(&range, &other);
    }
    range.count = count;
    return range;
}

// A column once in each panel.
static KalStatus add_curve(const KalFigure *figure, KalPanel *panel, size_t column)
{
    assert(column < kal_table_columns(figure->table));
    for (size_t i = 0; i < panel->count; i++) {
        if (panel->curves[i].column == column) {
            return KAL_OK;
        }
    }
    if (panel->count == 1 && figure->options.kind == KAL_FIGURE_MAP) {
        return kal_fail(figure->ctx, KAL_ERR_USAGE,
                        "a map shows one column: choose one, or spread them over "
                        "several panels");
    }
    if (panel->count == KAL_FIGURE_CURVE_LIMIT) {
        return kal_fail(figure->ctx, KAL_ERR_LIMIT,
                        "a panel takes at most %d curves: choose fewer columns, or "
                        "spread them over several panels",
                        (int)KAL_FIGURE_CURVE_LIMIT);
    }
    panel->curves[panel->count++] = (KalPanelCurve){column, scan(figure, column)};
    return KAL_OK;
}

// Whether a column is there for another one: an axis, or a quantile.
static bool serves(const KalFigure *figure, size_t column)
{
    return column == figure->x
           || (figure->options.kind == KAL_FIGURE_MAP && column == figure->y)
           || kal_figure_is_quantile(figure, column);
}

// All columns whose names fit; the x axis only if it is named itself.
static KalStatus add_pattern(const KalFigure *figure, KalPanel *panel,
                             const char *pattern)
{
    assert(pattern);
    KalStatus status = KAL_OK;
    bool found = false;
    for (size_t i = 0; i < kal_table_columns(figure->table) && status == KAL_OK; i++) {
        const char *name = kal_table_column(figure->table, i).name;
        const bool named = strcmp(pattern, name) == 0;
        if (named || (!serves(figure, i) && kal_word_fits(pattern, name))) {
            found = true;
            status = add_curve(figure, panel, i);
        }
    }
    return found ? status
                 : kal_figure_fail_of_column(figure->ctx, figure->table, pattern);
}

// A panel that is filled before it counts.
static KalStatus open_panel(KalFigure *figure, KalPanel **out_panel)
{
    assert(figure->n_panels <= KAL_FIGURE_PANEL_LIMIT);
    if (figure->n_panels == KAL_FIGURE_PANEL_LIMIT) {
        return kal_fail(figure->ctx, KAL_ERR_LIMIT, "a figure has at most %d panels",
                        (int)KAL_FIGURE_PANEL_LIMIT);
    }
    *out_panel = &figure->panels[figure->n_panels];
    (*out_panel)->count = 0;
    return KAL_OK;
}

KalStatus kal_figure_add_panel(KalFigure *figure, const char *const *patterns,
                               size_t count)
{
    KAL_NEED(figure ? figure->ctx : NULL,
             figure && count > 0 && kal_has_texts(patterns, count));
    KalPanel *panel = NULL;
    KAL_TRY(open_panel(figure, &panel));
    for (size_t i = 0; i < count; i++) {
        KAL_TRY(add_pattern(figure, panel, patterns[i]));
    }
    figure->n_panels++;
    return KAL_OK;
}

// Derivatives are grouped by order.
static size_t count_primes(const char *name)
{
    assert(name);
    const size_t length = strlen(name);
    size_t primes = 0;
    while (primes < length && name[length - 1 - primes] == '\'') {
        primes++;
    }
    return primes;
}

// Whether two columns belong together.
static bool is_akin(KalQuantity a, KalQuantity b)
{
    return strcmp(a.unit, b.unit) == 0 && count_primes(a.name) == count_primes(b.name);
}

// The panel for a column; NULL when there is none with room.
static KalPanel *find_panel(KalFigure *figure, size_t column)
{
    assert(column < kal_table_columns(figure->table));
    const KalQuantity quantity = kal_figure_quantity(figure, column);
    for (size_t i = 0; i < figure->n_panels; i++) {
        KalPanel *panel = &figure->panels[i];
        if (figure->options.kind != KAL_FIGURE_MAP
            && is_akin(kal_figure_quantity(figure, panel->curves[0].column),
                       quantity)) {
            return panel->count < USUAL_CURVES ? panel : NULL;
        }
    }
    if (figure->n_panels == USUAL_PANELS) {
        return NULL;
    }
    return &figure->panels[figure->n_panels++];
}

KalStatus kal_figure_add_usual_panels(KalFigure *figure, size_t *out_omitted)
{
    KAL_NEED(figure ? figure->ctx : NULL, figure && out_omitted);
    size_t omitted = 0;
    KalStatus status = KAL_OK;
    assert(figure->n_panels == 0);
    for (size_t i = 0; i < kal_table_columns(figure->table) && status == KAL_OK; i++) {
        KalPanel *panel = serves(figure, i) ? NULL : find_panel(figure, i);
        omitted += !serves(figure, i) && !panel;
        status = panel ? add_curve(figure, panel, i) : KAL_OK;
    }
    KAL_TRY(status);
    if (figure->n_panels == 0) {
        return kal_fail(figure->ctx, KAL_ERR_USAGE,
                        "the table has one column: there is nothing to show over it");
    }
    *out_omitted = omitted;
    return KAL_OK;
}

size_t kal_figure_curves(const KalFigure *figure)
{
    if (!figure) {
        return 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < figure->n_panels; i++) {
        count += figure->panels[i].count;
    }
    return count;
}

KalFigureCurve kal_figure_curve(const KalFigure *figure, size_t i)
{
    if (!(figure && i < kal_figure_curves(figure))) {
        return (KalFigureCurve){.panel = 0};
    }
    size_t panel = 0;
    while (i >= figure->panels[panel].count) {
        i -= figure->panels[panel++].count;
        assert(panel < figure->n_panels);
    }
    const KalPanelCurve *curve = &figure->panels[panel].curves[i];
    return (KalFigureCurve){panel, curve->column, curve->range.count};
}

KalStatus kal_figure_check(const KalFigure *figure)
{
    return figure->n_panels > 0
               ? KAL_OK
               : kal_fail(figure->ctx, KAL_ERR_USAGE, "a figure needs a panel to show");
}

bool kal_panel_has_one_unit(const KalFigure *figure, const KalPanel *panel)
{
    assert(panel->count > 0);
    const char *unit = kal_figure_quantity(figure, panel->curves[0].column).unit;
    for (size_t i = 1; i < panel->count; i++) {
        const size_t column = panel->curves[i].column;
        if (strcmp(unit, kal_figure_quantity(figure, column).unit) != 0) {
            return false;
        }
    }
    return true;
}
