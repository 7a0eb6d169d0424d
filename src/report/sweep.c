// SPDX-License-Identifier: MIT

// The report of a sweep: its rows as JSON, in a page that shows them.
//
// Rows come one by one while the table is written, and of k runs one is kept, so that a page has
// some thousands whatever the sweep.  Reasons of failures stand once.

#include "base/block.h"
#include "base/whole_file.h"
#include "json/member.h"
#include "report/report_impl.h"
#include "report/template.h"
#include "show/html.h"
#include "sweep/random.h"
#include "system/system.h"

#include <kalaba/report.h>
#include <kalaba/version.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_MOST = 4000,
    NAME_SIZE = 512,
    REASONS_BYTES = 1 << 20 // of texts; more failures have none
};

struct KalSweepReport {
    KalContext *ctx;
    const KalSweep *sweep;
    uint64_t stride; // of so many runs one is shown
    size_t width;    // numbers of a row
    KalBlock rows;   // run, inputs, values: numbers
    KalBlock failed; // size_t: place of a reason among the texts, 1 behind; 0: none
    KalBlock texts;  // of reasons, each with its end
    bool *marks;     // values that are not unique in any run
};

KalStatus kal_sweep_report_create(KalContext *ctx, const KalSweep *sweep,
                                  KalSweepReport **out_report)
{
    KAL_NEED(ctx, ctx && sweep && out_report);
    KalSweepReport *report = KAL_NEW(ctx, KalSweepReport);
    if (!report) {
        return kal_no_memory(ctx, "for a report");
    }
    report->ctx = ctx;
    report->sweep = sweep;
    report->stride = (kal_sweep_runs(sweep) + ROWS_MOST - 1) / ROWS_MOST;
    report->stride += report->stride == 0;
    report->width = 1 + kal_sweep_inputs(sweep) + kal_sweep_kept(sweep);
    report->marks =
        (bool *)kal_alloc(ctx, kal_sweep_kept(sweep) + 1, sizeof *report->marks);
    if (!report->marks) {
        kal_sweep_report_destroy(report);
        return kal_no_memory(ctx, "for a report");
    }
    *out_report = report;
    return KAL_OK;
}

void kal_sweep_report_destroy(KalSweepReport *report)
{
    if (report) {
        kal_block_clear(report->ctx, &report->rows);
        kal_block_clear(report->ctx, &report->failed);
        kal_block_clear(report->ctx, &report->texts);
        kal_free(report->ctx, report->marks,
                 (kal_sweep_kept(report->sweep) + 1) * sizeof *report->marks);
        kal_free(report->ctx, report, sizeof *report);
    }
}

// The place of a reason, one behind; the last one is often the same.
static KalStatus keep_reason(KalSweepReport *report, const char *reason,
                             size_t *out_place)
{
    const size_t count = report->failed.size / sizeof(size_t);
    const size_t *before = (const size_t *)report->failed.data;
    const char *texts = (const char *)report->texts.data;
    for (size_t i = count; i > 0 && *out_place == 0; i--) {
        if (before[i - 1] > 0 && strcmp(texts + before[i - 1] - 1, reason) == 0) {
            *out_place = before[i - 1];
        }
    }
    if (*out_place == 0 && report->texts.size < REASONS_BYTES) {
        *out_place = report->texts.size + 1;
        return kal_block_add(report->ctx, &report->texts, reason, strlen(reason) + 1);
    }
    return KAL_OK;
}

// Of each stretch of runs one is shown, drawn by chance: every k-th would show every k-th value
// of a grid, and of a design of Sobol, with k = 2, one half of an axis.
static bool is_shown(const KalSweepReport *report, uint64_t run)
{
    const uint64_t stretch = (run - 1) / report->stride;
    const uint64_t bits = kal_draw_bits((KalDraw){.place = stretch});
    return (run - 1) % report->stride == bits % report->stride;
}

KalStatus kal_sweep_report_take(KalSweepReport *report, const KalSweepRow *row)
{
    KAL_NEED(report ? report->ctx : NULL, report && row);
    const size_t inputs = kal_sweep_inputs(report->sweep);
    const size_t values = kal_sweep_kept(report->sweep);
    const double number = (double)row->run;
    size_t place = 0;
    for (size_t i = 0; row->not_unique && i < values; i++) {
        report->marks[i] = report->marks[i] || row->not_unique[i];
    }
    if (!is_shown(report, row->run)) {
        return KAL_OK;
    }
    if (row->status != KAL_OK) {
        KAL_TRY(keep_reason(report, row->reason, &place));
    }
    KAL_TRY(kal_block_add(report->ctx, &report->rows, &number, sizeof number));
    KAL_TRY(kal_block_add(report->ctx, &report->rows, row->inputs,
                          inputs * sizeof(double)));
    KAL_TRY(kal_block_add(report->ctx, &report->rows, row->values,
                          values * sizeof(double)));
    return kal_block_add(report->ctx, &report->failed, &place, sizeof place);
}

// A page on its way.
typedef struct Page {
    const KalSweepReport *report;
    const KalSweepReportFacts *facts;
    char name[NAME_SIZE]; // of the page, without folder and ending
    KalSink sink;
} Page;

static size_t count_rows(const KalSweepReport *report)
{
    return report->failed.size / sizeof(size_t);
}

// Numbers of column i; those that are none are null.
static void write_column(KalJsonWriter *w, const KalSweepReport *report, size_t i,
                         KalQuantity quantity)
{
    const double *rows = (const double *)report->rows.data;
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "name", quantity.name);
    kal_json_put_text(w, "unit", quantity.unit);
    if (!kal_quantity_is_unique(quantity)) {
        kal_json_put_bool(w, "unique", false);
    }
    kal_json_write_key(w, "values");
    kal_json_write_begin(w, '[');
    for (size_t k = 0; k < count_rows(report); k++) {
        kal_json_write_number(w, rows[k * report->width + i]);
    }
    kal_json_write_end(w, ']');
    kal_json_write_end(w, '}');
}

static void write_columns(KalJsonWriter *w, const KalSweepReport *report)
{
    const size_t inputs = kal_sweep_inputs(report->sweep);
    kal_json_write_key(w, "columns");
    kal_json_write_begin(w, '[');
    write_column(w, report, 0, (KalQuantity){.name = "run", .unit = ""});
    for (size_t i = 0; i < inputs; i++) {
        write_column(w, report, 1 + i, kal_sweep_input(report->sweep, i));
    }
    for (size_t i = 0; i < kal_sweep_kept(report->sweep); i++) {
        KalQuantity value = kal_sweep_value(report->sweep, i);
        value.description = report->marks[i] ? KAL_TABLE_NOT_UNIQUE : "";
        write_column(w, report, 1 + inputs + i, value);
    }
    kal_json_write_end(w, ']');
}

// For each row why it failed; null if it did not.
static void write_reasons(KalJsonWriter *w, const KalSweepReport *report)
{
    const size_t *failed = (const size_t *)report->failed.data;
    const char *texts = (const char *)report->texts.data;
    const double *rows = (const double *)report->rows.data;
    kal_json_write_key(w, "failures");
    kal_json_write_begin(w, '{');
    for (size_t k = 0; k < count_rows(report); k++) {
        if (failed[k] > 0) {
            char key[32];
            (void)snprintf(key, sizeof key, "%.0f", rows[k * report->width]);
            kal_json_put_text(w, key, texts + failed[k] - 1);
        }
    }
    kal_json_write_end(w, '}');
}

static void write_data(const Page *page, KalSink sink)
{
    const KalSweepReport *report = page->report;
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "title", kal_system_title(kal_sweep_system(report->sweep)));
    kal_json_put_text(&w, "version", kal_version());
    kal_json_put_text(&w, "command", page->facts->command);
    kal_json_put_text(&w, "table", page->facts->table);
    kal_json_put_text(&w, "page", page->name);
    kal_json_put_number(&w, "runs", (double)kal_sweep_runs(report->sweep));
    kal_json_put_number(&w, "inputs", (double)kal_sweep_inputs(report->sweep));
    write_reasons(&w, report);
    write_columns(&w, report);
    kal_json_write_end(&w, '}');
}

static void fill(void *user, const char *name, size_t length)
{
    const Page *page = (const Page *)user;
    KalSink sink = page->sink;
    const char *title = kal_system_title(kal_sweep_system(page->report->sweep));
    const char *version = kal_version();
    if (length == 5 && memcmp(name, "title", length) == 0) {
        kal_html_write(sink, title, strlen(title));
    } else if (length == 5 && memcmp(name, "model", length) == 0) {
        const KalSource *source = kal_sweep_system(page->report->sweep)->source;
        kal_html_write(sink, source->text, source->length);
    } else if (length == 4 && memcmp(name, "data", length) == 0) {
        write_data(page, kal_template_quote(&sink));
    } else {
        assert(length == 7 && memcmp(name, "version", length) == 0);
        sink.write(sink.user, version, strlen(version));
    }
}

static KalStatus write_file(Page *page, KalFile *file)
{
    size_t length = 0;
    const char *text = kal_report_sweep_template(&length);
    page->sink = kal_file_sink(file);
    kal_template_fill(text, length, page->sink, fill, page);
    KAL_TRY(kal_file_close(file));
    return kal_file_finish(file);
}

KalStatus kal_sweep_report_write(const KalSweepReport *report,
                                 const KalSweepReportFacts *facts, const char *path)
{
    KAL_NEED(report ? report->ctx : NULL, report && facts && path);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    Page page = {.report = report, .facts = facts};
    (void)snprintf(page.name, sizeof page.name, "%.*s",
                   (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    KalFile *file = NULL;
    KAL_TRY(kal_report_check_path(report->ctx, path));
    KAL_TRY(kal_file_create(report->ctx, path, &file));
    const KalStatus status = write_file(&page, file);
    kal_file_destroy(file);
    return status;
}
