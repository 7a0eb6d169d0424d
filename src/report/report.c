// SPDX-License-Identifier: MIT

// A report: what the model wants to see of a run becomes columns of a record, samples are
// taken as the run goes, and in the end rows are thinned to what a page can show and written.
//
// Formulas of plots and drawings that are not coordinates or velocities get a column each, the
// same ones share it; a map finds the column of a formula by its index in the graph.

#include "base/whole_file.h"
#include "report/report_impl.h"
#include "report/start.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    FORMULAS_LIMIT = 4000, // of plots and drawings; what is beyond it is left out
    FORCES_LIMIT = 200, // coordinates and constraints of a system whose forces are kept
    VALUES_MOST = 220000, // numbers in a page, about
    ROWS_LEAST = 400,
    ROWS_MOST = 16000,
    COLUMNS_WATCHED = 64, // whose extremes are kept
};

// Formulas.

// Where the record has a symbol already; 0 when it has not.
static size_t symbol_column(const KalReport *report, KalExpr e)
{
    assert(e.index != KAL_NO_EXPR.index);
    const KalModel *model = report->system->model;
    const KalExprNode node = kal_graph_node(model->graph, e);
    if (node.op != KAL_OP_SYMBOL) {
        return 0;
    }
    const KalSymbol *symbol = &model->symbols[node.arg[0].index];
    switch (symbol->kind) {
    case KAL_SYMBOL_COORDINATE: return 1 + symbol->index;
    case KAL_SYMBOL_VELOCITY: return 1 + model->n_coordinates + symbol->index;
    case KAL_SYMBOL_TIME:
    case KAL_SYMBOL_PARAMETER:
    case KAL_SYMBOL_ACCELERATION:
    case KAL_SYMBOL_REACTION:
    case KAL_SYMBOL_COORDINATE_FORCE:
    case KAL_SYMBOL_CONTROL:
    case KAL_SYMBOL_ENERGY:
    case KAL_SYMBOL_ACTIVE:
    case KAL_SYMBOL_STATE:
    case KAL_SYMBOL_HOLD:
    case KAL_SYMBOL_PROMISE: return 0;
    }
    return 0;
}

// Columns come in the order time, coordinates, velocities, …, as a record has them.
size_t kal_report_column(const KalReport *report, KalExpr e)
{
    uint64_t formula = 0;
    const size_t own = symbol_column(report, e);
    if (own != 0 || e.index == report->system->model->time.index) {
        return own;
    }
    return kal_map_find(&report->columns, e.index, &formula)
               ? report->first_formula + (size_t)formula
               : 0;
}

static size_t count_formulas(const KalReport *report)
{
    return report->formulas.size / sizeof(KalExpr);
}

// A formula becomes a column once, and only if no column shows it already: symbols and
// the time are in the table in any case.
static KalStatus add_formula(KalReport *report, KalExpr e)
{
    assert(report->system);
    uint64_t formula = 0;
    const bool absent = e.index == KAL_NO_EXPR.index;
    if (absent || symbol_column(report, e) != 0
        || e.index == report->system->model->time.index
        || kal_map_find(&report->columns, e.index, &formula)) {
        return KAL_OK;
    }
    KAL_TRY(
        kal_map_set(report->ctx, &report->columns, e.index, count_formulas(report)));
    return kal_block_add(report->ctx, &report->formulas, &e, sizeof e);
}

static KalStatus add_point(KalReport *report, KalPoint point)
{
    KAL_TRY(add_formula(report, point.x));
    KAL_TRY(add_formula(report, point.y));
    return add_formula(report, point.z);
}

static KalStatus add_drawing(KalReport *report, const KalDrawing *drawing)
{
    assert(drawing->points || drawing->n_points == 0);
    for (size_t i = 0; i < drawing->n_points; i++) {
        KAL_TRY(add_point(report, drawing->points[i]));
    }
    KAL_TRY(add_point(report, drawing->size));
    return add_formula(report, drawing->angle);
}

static KalStatus add_plot(KalReport *report, const KalPlot *plot)
{
    for (size_t i = 0; i < plot->n_curves; i++) {
        KAL_TRY(add_formula(report, plot->curves[i].value));
    }
    return add_formula(report, plot->against.value);
}

static bool has_room(const KalReport *report, size_t more)
{
    assert(count_formulas(report) <= FORMULAS_LIMIT);
    return more <= FORMULAS_LIMIT && count_formulas(report) <= FORMULAS_LIMIT - more;
}

// Plots come before drawings: where a model has more of both than a page can hold, its
// curves are what stays.
static KalStatus gather(KalReport *report)
{
    assert(report->n_plots == 0 && report->n_drawings == 0);
    const KalModel *model = report->system->model;
    for (const KalPlot *p = model->plots;
         report->n_plots < model->n_plots && has_room(report, p->n_curves + 1); p++) {
        KAL_TRY(add_plot(report, p));
        report->n_plots++;
    }
    for (const KalDrawing *d = model->drawings;
         report->n_drawings < model->n_drawings
         && has_room(report, 3 * d->n_points + 4);
         d++) {
        KAL_TRY(add_drawing(report, d));
        report->n_drawings++;
    }
    return KAL_OK;
}

// The record.

// Whether any constraint is a drive, or any is none.
static bool has_driven(const KalModel *model, bool driven)
{
    for (size_t i = 0; i < model->n_constraints; i++) {
        if ((model->constraints[i].driven != KAL_NOT_DRIVEN) == driven) {
            return true;
        }
    }
    return false;
}

// Forces of all coordinates and constraints only of small models: they are as many
// columns, which a page of a large model has no room for.
static KalStatus make_record(KalReport *report)
{
    assert(!report->record);
    const KalModel *model = report->system->model;
    const bool small = model->n_coordinates + model->n_constraints <= FORCES_LIMIT;
    const char *patterns[6] = {"energy()"};
    size_t count = 1;
    if (small && model->n_constraints > 0) {
        patterns[count++] = "cforce(*)";
    }
    if (small && has_driven(model, false)) {
        patterns[count++] = "reaction(*)";
    }
    if (small && has_driven(model, true)) {
        patterns[count++] = "drive(*)";
    }
    if (model->n_actuators + model->n_laws > 0) {
        patterns[count++] = "control(*)";
    }
    if (report->system->balance.n_workers > 0) {
        patterns[count++] = "work(*)";
    }
    KAL_TRY(kal_record_create(report->ctx, report->system, patterns, count,
                              &report->record));
    report->table = kal_record_table(report->record);
    if (model->n_constraints > 0) {
        KAL_TRY(kal_record_add_errors(report->record));
    }
    report->first_formula = kal_table_columns(report->table);
    return kal_record_add_formulas(
        report->record, (const KalExpr *)report->formulas.data, count_formulas(report));
}

static KalStatus init(KalReport *report)
{
    KAL_TRY(gather(report));
    return make_record(report);
}

KalStatus kal_report_create(KalContext *ctx, const KalSystem *system,
                            KalReport **out_report)
{
    KAL_NEED(ctx, ctx && system && out_report);
    KalReport *report = KAL_NEW(ctx, KalReport);
    if (!report) {
        return kal_no_memory(ctx, "for a report");
    }
    report->ctx = ctx;
    report->system = system;
    const KalStatus status = init(report);
    if (status != KAL_OK) {
        kal_report_destroy(report);
        return status;
    }
    *out_report = report;
    return KAL_OK;
}

void kal_report_destroy(KalReport *report)
{
    if (report) {
        kal_check_destroy(report->check);
        kal_record_destroy(report->record);
        kal_block_clear(report->ctx, &report->formulas);
        kal_map_clear(report->ctx, &report->columns);
        kal_free(report->ctx, report, sizeof *report);
    }
}

KalStatus kal_report_foresee(const KalReport *report, const KalRunOptions *options)
{
    KAL_NEED(report ? report->ctx : NULL, report && options);
    return kal_record_foresee(report->record, options);
}

KalStatus kal_report_take(KalReport *report, KalRun *run)
{
    KAL_NEED(report ? report->ctx : NULL, report && run);
    return kal_record_take(report->record, run);
}

KalStatus kal_report_take_start(KalReport *report, KalRun *run)
{
    assert(report && run);
    KAL_TRY(kal_record_take_start(report->record, run));
    report->still = true;
    return KAL_OK;
}

const KalTable *kal_report_table(const KalReport *report)
{
    return report ? report->table : NULL;
}

// Writing.

static KalStatus check_template(KalContext *ctx)
{
    assert(ctx);
    size_t length = 0;
    return kal_report_template(&length)
               ? KAL_OK
               : kal_fail(ctx, KAL_ERR_USAGE,
                          "cannot write a report: this program was built without its "
                          "web parts, which take Node.js and npm to build (configure "
                          "with -Dweb=enabled)");
}

KalStatus kal_report_check_path(KalContext *ctx, const char *path)
{
    KAL_NEED(ctx, ctx && path);
    KalFile *file = NULL;
    KAL_TRY(check_template(ctx));
    KAL_TRY(kal_file_create(ctx, path, &file));
    kal_file_destroy(file);
    return KAL_OK;
}

// More columns leave room for fewer rows.
static KalStatus choose_rows(const KalReport *report, KalBlock *rows)
{
    assert(rows->size == 0);
    const size_t columns = kal_table_columns(report->table);
    size_t watched[COLUMNS_WATCHED];
    size_t count = 0;
    assert(columns > 0); // time is one
    size_t most = VALUES_MOST / columns;
    most = most < ROWS_LEAST ? ROWS_LEAST : most;
    most = most > ROWS_MOST ? ROWS_MOST : most;
    for (size_t i = 1; i < columns && count < COLUMNS_WATCHED; i++) {
        watched[count++] = i;
    }
    return kal_report_thin(report->ctx, report->table, watched, count, most, rows);
}

static KalStatus write_file(const KalReportData *data, KalFile *file)
{
    KAL_TRY(kal_report_write_page(data, kal_file_sink(file)));
    KAL_TRY(kal_file_close(file));
    return kal_file_finish(file);
}

// Where a report goes: to the file of a path or, without one, to a sink.
typedef struct Target {
    const char *path;
    KalReportForm form;
    KalSink sink;
} Target;

static KalStatus write_to(const KalReportData *data, const Target *target)
{
    KalFile *file = NULL;
    if (!target->path && target->form == KAL_REPORT_DATA) {
        kal_report_write_data(data, target->sink);
        return KAL_OK;
    }
    if (!target->path) {
        return kal_report_write_page(data, target->sink);
    }
    KAL_TRY(kal_file_create(data->report->ctx, target->path, &file));
    const KalStatus status = write_file(data, file);
    kal_file_destroy(file);
    return status;
}

// A page is for others, to whom the folders of this machine mean nothing.
size_t kal_report_folder_length(const KalSystem *system)
{
    const char *name = system->source->name;
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash + 1 - name) : 0;
}

// Messages begin with the place that they are about.
static const char *without_folder(const KalSystem *system, const char *message)
{
    const size_t length = kal_report_folder_length(system);
    const bool there = message && strncmp(message, system->source->name, length) == 0;
    return there ? message + length : message;
}

// Everything that can fail is done before anything is written.
static KalStatus write(KalReport *report, KalReportData *data, KalBlock *rows,
                       const Target *target)
{
    assert(rows->size == 0);
    if (target->form == KAL_REPORT_PAGE) {
        KAL_TRY(check_template(report->ctx));
    }
    if (!report->check) {
        KAL_TRY(kal_check_create(report->ctx, report->system, &report->check));
    }
    KAL_TRY(choose_rows(report, rows));
    data->check = report->check;
    data->rows = (const size_t *)rows->data;
    data->n_rows = rows->size / sizeof(size_t);
    return write_to(data, target);
}

static KalStatus put(KalReport *report, const KalRun *run, const KalReportFacts *facts,
                     const Target *target)
{
    KAL_TRY(report->still ? kal_run_check_placed(run, report->ctx, report->system)
                          : kal_run_check_user(run, report->ctx, report->system));
    const KalReportFacts shown = {.seconds = facts->seconds,
                                  .failure =
                                      without_folder(report->system, facts->failure)};
    KalReportData data = {.report = report, .run = run, .facts = &shown};
    KalBlock rows = {.data = NULL};
    const KalStatus status = write(report, &data, &rows, target);
    kal_block_clear(report->ctx, &rows);
    return status;
}

KalStatus kal_report_write(KalReport *report, const KalRun *run,
                           const KalReportFacts *facts, const char *path)
{
    KAL_NEED(report ? report->ctx : NULL, report && run && facts && path);
    return put(report, run, facts, &(Target){.path = path, .form = KAL_REPORT_PAGE});
}

KalStatus kal_report_print(KalReport *report, const KalRun *run,
                           const KalReportFacts *facts, KalReportForm form,
                           KalSink sink)
{
    KAL_NEED(report ? report->ctx : NULL, report && run && facts && sink.write);
    return put(report, run, facts, &(Target){.form = form, .sink = sink});
}
