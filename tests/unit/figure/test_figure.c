// SPDX-License-Identifier: MIT

// Which columns a figure shows, what it refuses, and that every allocation may fail.

#include "fault.h"
#include "figure/figure_impl.h"
#include "folder.h"
#include "tables.h"
#include "tap.h"

#include <float.h>

typedef struct Lab {
    KalContext *ctx;
    KalTable *table;
    KalFigure *figure;
} Lab;

static void open_lab(Lab *lab, const KalFigureOptions *options)
{
    const KalFigureOptions usual = kal_figure_options();
    *lab = (Lab){.ctx = NULL};
    ok(kal_context_create(NULL, NULL, &lab->ctx) == KAL_OK);
    ok(table_create(lab->ctx, &lab->table) == KAL_OK);
    ok(kal_figure_create(lab->ctx, lab->table, options ? options : &usual, &lab->figure)
       == KAL_OK);
}

static void close_lab(Lab *lab)
{
    kal_figure_destroy(lab->figure);
    kal_table_destroy(lab->table);
    kal_context_destroy(lab->ctx);
}

static KalStatus add(Lab *lab, const char *pattern)
{
    return kal_figure_add_panel(lab->figure, &pattern, 1);
}

static const char *name_of(const Lab *lab, size_t curve)
{
    return kal_table_column(lab->table, kal_figure_curve(lab->figure, curve).column)
        .name;
}

static void patterns_choose_columns(void)
{
    Lab lab;
    open_lab(&lab, NULL);
    const char *const two[] = {"x*", "x"};
    ok(kal_figure_add_panel(lab.figure, two, 2) == KAL_OK);
    ok(kal_figure_curves(lab.figure) == 2); // once each
    same_text(name_of(&lab, 0), "x");
    same_text(name_of(&lab, 1), "x'");
    ok(add(&lab, "*") == KAL_OK);
    ok(kal_figure_curves(lab.figure) == 6); // all but t
    ok(kal_figure_curve(lab.figure, 5).panel == 1);
    ok(kal_figure_curve(lab.figure, 5).points == TABLE_ROWS);
    ok(add(&lab, "t") == KAL_OK); // when it is named
    ok(kal_figure_curves(lab.figure) == 7);
    close_lab(&lab);
}

static void a_name_that_is_none_is_explained(void)
{
    Lab lab;
    open_lab(&lab, NULL);
    ok(add(&lab, "thet") == KAL_ERR_USAGE);
    same_text(kal_context_message(lab.ctx),
              "no column is called 'thet'; did you mean 'theta'?");
    ok(add(&lab, "velocity") == KAL_ERR_USAGE);
    same_text(kal_context_message(lab.ctx),
              "no column is called 'velocity'; there are t, x, y, theta, x'");
    ok(kal_figure_curves(lab.figure) == 0);
    KalFigureOptions options = kal_figure_options();
    KalFigure *figure = NULL;
    options.x = "speed";
    ok(kal_figure_create(lab.ctx, lab.table, &options, &figure) == KAL_ERR_USAGE);
    ok(!figure);
    close_lab(&lab);
}

static void usual_panels_group_by_unit_and_order(void)
{
    Lab lab;
    size_t omitted = 99;
    open_lab(&lab, NULL);
    ok(kal_figure_add_usual_panels(lab.figure, &omitted) == KAL_OK);
    ok(omitted == 0 && kal_figure_curves(lab.figure) == 4);
    same_text(name_of(&lab, 0), "x");
    same_text(name_of(&lab, 1), "y");
    same_text(name_of(&lab, 2), "theta");
    same_text(name_of(&lab, 3), "x'");
    ok(kal_figure_curve(lab.figure, 1).panel == 0);
    ok(kal_figure_curve(lab.figure, 2).panel == 1);
    ok(kal_figure_curve(lab.figure, 3).panel == 2);
    close_lab(&lab);
}

static void usual_panels_have_a_limit(void)
{
    enum {
        COLUMNS = 30
    };

    char texts[COLUMNS][8];
    const char *names[COLUMNS];
    double row[COLUMNS] = {0.0};
    for (int i = 0; i < COLUMNS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "c%d", i);
        names[i] = texts[i];
    }
    KalContext *ctx = NULL;
    KalFigure *figure = NULL;
    size_t omitted = 0;
    const KalFigureOptions options = kal_figure_options();
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, COLUMNS, row, 1);
    ok(kal_figure_create(ctx, table, &options, &figure) == KAL_OK);
    ok(kal_figure_add_usual_panels(figure, &omitted) == KAL_OK);
    ok(kal_figure_curves(figure) == 6 && omitted == COLUMNS - 7);
    const char *all = "*";
    ok(kal_figure_add_panel(figure, &all, 1) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "at most 24 curves");
    ok(kal_figure_curves(figure) == 6);
    kal_figure_destroy(figure);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void limits_have_messages(void)
{
    Lab lab;
    open_lab(&lab, NULL);
    for (int i = 0; i < KAL_FIGURE_PANEL_LIMIT; i++) {
        ok(add(&lab, "x") == KAL_OK);
    }
    ok(add(&lab, "x") == KAL_ERR_LIMIT);
    has_text(kal_context_message(lab.ctx), "at most 12 panels");
    close_lab(&lab);
}

static void refused(KalFigureOptions options, const char *why)
{
    Lab lab;
    KalFigure *figure = NULL;
    open_lab(&lab, NULL);
    ok(kal_figure_create(lab.ctx, lab.table, &options, &figure) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx), why);
    close_lab(&lab);
}

static void options_out_of_bounds_are_refused(void)
{
    KalFigureOptions options = kal_figure_options();
    options.width = 5.0;
    refused(options, "expected 20 to 2000 mm");
    options.width = NAN;
    refused(options, "expected 20 to 2000 mm");
    options = kal_figure_options();
    options.height = 3000.0;
    refused(options, "expected 20 to 2000 mm");
    options = kal_figure_options();
    options.dots_per_inch = 0.0;
    refused(options, "dots per inch");
    options = kal_figure_options();
    options.equal = true;
    options.log_x = true;
    refused(options, "equal axes cannot be logarithmic");
}

static void a_table_without_rows_is_refused(void)
{
    const char *const names[] = {"t", "x"};
    KalContext *ctx = NULL;
    KalFigure *figure = NULL;
    const KalFigureOptions options = kal_figure_options();
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, 2, NULL, 0);
    ok(kal_figure_create(ctx, table, &options, &figure) == KAL_ERR_USAGE);
    has_text(kal_context_message(ctx), "no rows");
    kal_table_destroy(table);

    const double one[] = {1.0};
    size_t omitted = 0;
    table = table_of(ctx, names, 1, one, 1);
    ok(kal_figure_create(ctx, table, &options, &figure) == KAL_OK);
    ok(kal_figure_add_usual_panels(figure, &omitted) == KAL_ERR_USAGE);
    has_text(kal_context_message(ctx), "one column");
    kal_figure_destroy(figure);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void rows_out_of_time_are_left_out(void)
{
    Lab lab;
    KalFigureOptions options = kal_figure_options();
    KalFigure *figure = NULL;
    options.x = "y";
    options.from = 3.0;
    options.until = 6.0;
    open_lab(&lab, &options);
    ok(add(&lab, "t") == KAL_OK);
    size_t inside = 0;
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        const double t = kal_table_row(lab.table, i)[0];
        inside += t >= 3.0 && t <= 6.0;
    }
    ok(inside > 40 && kal_figure_curve(lab.figure, 0).points == inside);
    options.until = 1.0;
    ok(kal_figure_create(lab.ctx, lab.table, &options, &figure) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx),
             "no row has t from 3 to 1; the first has 0, the last 12.5664");
    close_lab(&lab);
}

// Three runs of two rows each, their times beginning anew.
static void add_runs(Lab *lab)
{
    static const char *const names[] = {"t", "y", "run"};
    ok(kal_context_create(NULL, NULL, &lab->ctx) == KAL_OK);
    ok(kal_table_create(lab->ctx, 0, &lab->table) == KAL_OK);
    for (int i = 0; i < 3; i++) {
        ok(kal_table_add_column(lab->table, (KalQuantity){names[i], "", ""}) == KAL_OK);
    }
    for (int i = 0; i < 6; i++) {
        const double row[] = {i % 2, i, (i + 2 - i % 2) / 2.0};
        ok(kal_table_add_row(lab->table, row) == KAL_OK);
    }
}

static void runs_are_not_joined(void)
{
    Lab lab = {.ctx = NULL};
    const KalFigureOptions options = kal_figure_options();
    add_runs(&lab);
    ok(kal_figure_create(lab.ctx, lab.table, &options, &lab.figure) == KAL_OK);
    ok(add(&lab, "y") == KAL_OK);
    ok(lab.figure->x_ascends); // in every run
    const KalAxes axes = kal_figure_axes(lab.figure);
    KalThin thin = kal_thin(lab.ctx, 1e-3, 1e-6);
    kal_figure_trace(lab.figure, &axes, 0, 0, (KalBox){0.0, 0.0, 100.0, 100.0}, &thin);
    ok(kal_thin_finish(&thin) == KAL_OK);
    const KalSpot *points = (const KalSpot *)thin.points.data;
    const size_t count = thin.points.size / sizeof *points;
    ok(count >= 8);
    for (size_t i = 1; i < count; i++) { // a line would go back in time
        ok(isnan(points[i].x) || isnan(points[i - 1].x)
           || points[i].x > points[i - 1].x);
    }
    kal_block_clear(lab.ctx, &thin.points);
    close_lab(&lab);
}

// A curve that jumps from 1 to 5 at t = 1 and goes on: two lines.
static void jumps_are_not_joined(void)
{
    static const double rows[][2] = {
        {0.0, 0.0},
        {1.0, 1.0},
        {1.0, 5.0},
        {2.0, 6.0}
    };
    Lab lab = {.ctx = NULL};
    const KalFigureOptions options = kal_figure_options();
    ok(kal_context_create(NULL, NULL, &lab.ctx) == KAL_OK);
    ok(kal_table_create(lab.ctx, 0, &lab.table) == KAL_OK);
    ok(kal_table_add_column(lab.table, (KalQuantity){"t", "", ""}) == KAL_OK);
    ok(kal_table_add_column(lab.table, (KalQuantity){"y", "", ""}) == KAL_OK);
    for (size_t i = 0; i < 4; i++) {
        ok(kal_table_add_row(lab.table, rows[i]) == KAL_OK);
    }
    ok(kal_figure_create(lab.ctx, lab.table, &options, &lab.figure) == KAL_OK);
    ok(add(&lab, "y") == KAL_OK);
    const KalAxes axes = kal_figure_axes(lab.figure);
    KalThin thin = kal_thin(lab.ctx, 1e-3, 1e-6);
    kal_figure_trace(lab.figure, &axes, 0, 0, (KalBox){0.0, 0.0, 100.0, 100.0}, &thin);
    ok(kal_thin_finish(&thin) == KAL_OK);
    const KalSpot *points = (const KalSpot *)thin.points.data;
    const size_t count = thin.points.size / sizeof *points;
    size_t lines = 0;
    for (size_t i = 1; i < count; i++) {
        const bool drawn = !isnan(points[i].x) && !isnan(points[i - 1].x);
        ok(!drawn || points[i].x > points[i - 1].x); // none is upright
        lines += drawn;
    }
    ok(lines == 2);
    kal_block_clear(lab.ctx, &thin.points);
    close_lab(&lab);
}

static void a_figure_without_panels_is_refused(void)
{
    Lab lab;
    Folder folder;
    open_lab(&lab, NULL);
    ok(folder_open(&folder));
    ok(kal_figure_write(lab.figure, folder_file(&folder, "a.svg")) == KAL_ERR_USAGE);
    ok(add(&lab, "x") == KAL_OK);
    ok(kal_figure_write(lab.figure, folder_file(&folder, "a.gif")) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx), ".svg, .pdf or .png");
    ok(kal_figure_write(lab.figure, folder_file(&folder, ".svg")) == KAL_ERR_USAGE);
    ok(kal_figure_write(lab.figure, folder_file(&folder, "no/a.svg")) == KAL_ERR_FILE);
    has_text(kal_context_message(lab.ctx), "the folder does not exist");
    ok(folder_count(&folder, "") == 0);
    folder_close(&folder);
    close_lab(&lab);
}

static void an_image_has_a_limit(void)
{
    Lab lab;
    Folder folder;
    KalFigureOptions options = kal_figure_options();
    options.width = options.height = 1000.0;
    open_lab(&lab, &options);
    ok(folder_open(&folder));
    ok(add(&lab, "x") == KAL_OK);
    ok(kal_figure_write(lab.figure, folder_file(&folder, "a.png")) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx), "11811 x 11811 dots is too large");
    folder_close(&folder);
    close_lab(&lab);
}

// Values that no axis takes, in every position.
static void odd_values_can_be_drawn(void)
{
    static const double odd[] = {NAN,   INFINITY, -INFINITY, 0.0,     -1.0,
                                 1e308, -1e308,   1e-320,    DBL_MAX, 1.0};
    const char *const names[] = {"t", "a", "b"};

    enum {
        ODD = sizeof odd / sizeof odd[0]
    };

    KalContext *ctx = NULL;
    Folder folder;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK && folder_open(&folder));
    for (int i = 0; i < ODD * ODD; i++) {
        const double rows[] = {odd[i % ODD], odd[i / ODD], 1.0,
                               1.0,          odd[i % ODD], odd[i / ODD]};
        KalTable *table = table_of(ctx, names, 3, rows, i % 3 == 0 ? 1 : 2);
        KalFigureOptions options = kal_figure_options();
        KalFigure *figure = NULL;
        size_t omitted = 0;
        options.log_x = i % 2 == 0;
        options.log_y = i % 4 < 2;
        options.equal = !options.log_x && !options.log_y;
        ok(kal_figure_create(ctx, table, &options, &figure) == KAL_OK);
        ok(kal_figure_add_usual_panels(figure, &omitted) == KAL_OK);
        ok(kal_figure_write(figure, folder_file(&folder, "a.svg")) == KAL_OK);
        kal_figure_destroy(figure);
        kal_table_destroy(table);
    }
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void the_same_figure_gives_the_same_bytes(void)
{
    static char first[1 << 20];
    static char second[1 << 20];
    static const char *const files[] = {"a.svg", "a.pdf", "a.png"};
    Lab lab;
    Folder folder;
    open_lab(&lab, NULL);
    ok(folder_open(&folder) && add(&lab, "x,y") == KAL_ERR_USAGE);
    ok(add(&lab, "x*") == KAL_OK);
    for (int i = 0; i < 3; i++) {
        ok(kal_figure_write(lab.figure, folder_file(&folder, files[i])) == KAL_OK);
        folder_read(&folder, files[i], first, sizeof first);
        ok(kal_figure_write(lab.figure, folder_file(&folder, files[i])) == KAL_OK);
        folder_read(&folder, files[i], second, sizeof second);
        ok(memcmp(first, second, sizeof first) == 0 && first[0] != '\0');
    }
    ok(folder_count(&folder, ".part") == 0);
    folder_close(&folder);
    close_lab(&lab);
}

static void drop(void *user, const char *text, size_t length)
{
    size_t *sum = (size_t *)user;
    *sum += length + (text[0] != '\0');
}

// All of it: a table, a figure, a file and a picture for a terminal.
static KalStatus draw_all(KalContext *ctx, const char *path)
{
    const KalFigureOptions options = {
        .x = "x", .title = "all", .until = 10.0, .width = 100.0, .dots_per_inch = 50.0};
    const KalTerminal terminal = {.columns = 60, .unicode = true, .color = true};
    const char *const patterns[] = {"y", "x'"};
    size_t length = 0;
    KalTable *table = NULL;
    KalFigure *figure = NULL;
    KAL_TRY(table_create(ctx, &table));
    KalStatus status = kal_figure_create(ctx, table, &options, &figure);
    status = status == KAL_OK ? kal_figure_add_panel(figure, patterns, 2) : status;
    status = status == KAL_OK ? kal_figure_write(figure, path) : status;
    status = status == KAL_OK
                 ? kal_figure_print(figure, &terminal, (KalSink){drop, &length})
                 : status;
    kal_figure_destroy(figure);
    kal_table_destroy(table);
    return status;
}

static void every_allocation_may_fail(void)
{
    static const char *const files[] = {"a.svg", "a.pdf", "a.png"};
    Folder folder;
    ok(folder_open(&folder));
    for (int i = 0; i < 3; i++) {
        KalStatus status = KAL_ERR_NOMEM;
        for (long n = 1; status != KAL_OK && n < 300; n++) {
            Fault fault = {.calls_left = n};
            KalContext *ctx = NULL;
            ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
            status = draw_all(ctx, folder_file(&folder, files[i]));
            ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            ok(status == KAL_OK || kal_context_message(ctx)[0] != '\0');
            kal_context_destroy(ctx);
            ok(fault.live_bytes == 0);
        }
        ok(status == KAL_OK);
    }
    ok(folder_count(&folder, ".part") == 0);
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(patterns_choose_columns), TAP_CASE(a_name_that_is_none_is_explained),
        TAP_CASE(usual_panels_group_by_unit_and_order),
        TAP_CASE(usual_panels_have_a_limit), TAP_CASE(limits_have_messages),
        TAP_CASE(options_out_of_bounds_are_refused),
        TAP_CASE(a_table_without_rows_is_refused),
        TAP_CASE(rows_out_of_time_are_left_out), TAP_CASE(runs_are_not_joined),
        TAP_CASE(jumps_are_not_joined), TAP_CASE(a_figure_without_panels_is_refused),
        TAP_CASE(an_image_has_a_limit), TAP_CASE(odd_values_can_be_drawn),
        TAP_CASE(the_same_figure_gives_the_same_bytes),
        TAP_CASE(every_allocation_may_fail))
