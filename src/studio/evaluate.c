// SPDX-License-Identifier: MIT

// The work on a text that a request asks for: load it, then do each task of the request in
// turn and tell its result as a line of JSON as soon as it is there.

#include "base/block.h"
#include "show/page.h"
#include "studio/evaluate_impl.h"
#include "studio/folder.h"
#include "studio/guard.h"

#include <kalaba/files.h>
#include <kalaba/format.h>
#include <kalaba/show.h>

#include <assert.h>
#include <string.h>

void kal_study_begin(KalStudy *study, const char *key)
{
    assert(key);
    kal_json_write_begin(&study->writer, '{');
    kal_json_write_key(&study->writer, key);
}

void kal_study_end(KalStudy *study)
{
    kal_json_write_end(&study->writer, '}');
    study->writer.sink.write(study->writer.sink.user, "\n", 1);
    study->writer.comma = false;
}

void kal_study_put(KalStudy *study, const char *json)
{
    const KalSink sink = study->writer.sink;
    while (*json) {
        const size_t length = strcspn(json, "\n");
        sink.write(sink.user, json, length);
        json += length + (json[length] == '\n');
    }
    study->writer.comma = true;
}

void kal_study_fail(KalStudy *study, const char *task, const char *const *names,
                    int n_names)
{
    assert(task);
    kal_study_begin(study, "error");
    kal_json_write_begin(&study->writer, '{');
    kal_json_put_text(&study->writer, "task", task);
    kal_json_put_text(&study->writer, "message", kal_context_message(study->ctx));
    kal_json_put_names(&study->writer, "names", names, n_names);
    kal_json_write_end(&study->writer, '}');
    kal_study_end(study);
}

// Loading.

// A file that the model uses: one of the folder.
static const char *read_used(void *user, const char *path, KalSink text)
{
    const KalStudy *study = (const KalStudy *)user;
    const KalFolderFile file = {.root = study->evaluation->root, .name = path};
    return kal_folder_read_used(study->ctx, &file, text);
}

static void write_remark(void *user, const KalRemark *remark)
{
    KalJsonWriter *writer = &((KalStudy *)user)->writer;
    kal_json_write_begin(writer, '{');
    kal_json_put_text(writer, "kind", remark->kind);
    kal_json_put_text(writer, "file", remark->file);
    kal_json_put_number(writer, "line", (double)remark->line);
    kal_json_put_number(writer, "column", (double)remark->column);
    kal_json_put_number(writer, "end_line", (double)remark->end_line);
    kal_json_put_number(writer, "end_column", (double)remark->end_column);
    kal_json_put_text(writer, "message", remark->message);
    kal_json_write_end(writer, '}');
}

// Remarks are told in a line of their own, unless the text is loaded once more.
static KalStatus load(KalStudy *study, bool analysis, bool quiet)
{
    const KalStudioRequest *request = study->evaluation->request;
    const KalLoadOptions options = {.overrides = request->set,
                                    .n_overrides = request->n_set,
                                    .read = read_used,
                                    .user = study,
                                    .stiff = !analysis,
                                    .balance = !analysis,
                                    .analysis = analysis,
                                    .remark = quiet ? NULL : write_remark,
                                    .remark_user = study};
    kal_system_destroy(study->system);
    study->system = NULL;
    if (!quiet) {
        kal_study_begin(study, "remarks");
        kal_json_write_begin(&study->writer, '[');
    }
    const KalStatus status =
        kal_system_load(study->ctx, request->name, request->text, strlen(request->text),
                        &options, &study->system);
    if (!quiet) {
        kal_json_write_end(&study->writer, ']');
        kal_study_end(study);
    }
    return status;
}

// Tasks.

// What prints a text, which then becomes a string of JSON.
typedef KalStatus (*PrintFn)(KalStudy *study, KalSink sink);

static KalStatus print_equations(KalStudy *study, KalSink sink)
{
    const KalShowOptions options = {.format = KAL_SHOW_HTML};
    return kal_show_system(study->ctx, study->system, &options, sink);
}

static KalStatus print_latex(KalStudy *study, KalSink sink)
{
    const KalShowOptions options = {.format = KAL_SHOW_LATEX};
    return kal_show_system(study->ctx, study->system, &options, sink);
}

static KalStatus print_format(KalStudy *study, KalSink sink)
{
    const KalStudioRequest *request = study->evaluation->request;
    return kal_model_format(study->ctx, request->name, request->text,
                            strlen(request->text), (KalSink){.write = NULL}, sink);
}

static void tell_text(KalStudy *study, const char *key, PrintFn print)
{
    assert(key && print);
    KalPage page = kal_page(study->ctx);
    KalStatus status = print(study, kal_page_sink(&page));
    status = status == KAL_OK ? page.status : status;
    if (status == KAL_OK) {
        kal_study_begin(study, key);
        kal_json_write_string(&study->writer, kal_page_text(&page));
        kal_study_end(study);
    } else {
        kal_study_fail(study, key, NULL, 0);
    }
    kal_page_clear(&page);
}

static void tell_system(KalStudy *study)
{
    kal_study_begin(study, "system");
    kal_json_write_begin(&study->writer, '{');
    kal_json_put_text(&study->writer, "title", kal_system_title(study->system));
    kal_study_describe(study);
    kal_json_write_end(&study->writer, '}');
    kal_study_end(study);
}

static bool wants(const KalStudy *study, KalTask task)
{
    return (study->evaluation->request->tasks & KAL_TASK_BIT(task)) != 0;
}

static void do_motion(KalStudy *study)
{
    if (load(study, false, false) != KAL_OK) {
        kal_study_fail(study, "load", NULL, 0);
        return;
    }
    tell_system(study);
    if (wants(study, KAL_TASK_RUN)) {
        kal_study_run(study, false);
    }
    if (wants(study, KAL_TASK_EQUATIONS)) {
        tell_text(study, "equations", print_equations);
    }
    if (wants(study, KAL_TASK_REPORT)) {
        kal_study_run(study, true);
    }
    if (wants(study, KAL_TASK_LATEX)) {
        tell_text(study, "latex", print_latex);
    }
    for (KalTask task = KAL_TASK_HDF5; task <= KAL_TASK_FMU; task++) {
        if (wants(study, task)) {
            kal_study_deliver(study, task);
        }
    }
}

// Analysis takes states as coordinates: the text is loaded in another way.
static void do_analysis(KalStudy *study)
{
    if (load(study, true, true) != KAL_OK) {
        kal_study_fail(study, "load", NULL, 0);
        return;
    }
    if (wants(study, KAL_TASK_MODES)) {
        kal_study_modes(study);
    }
    if (wants(study, KAL_TASK_EQUILIBRIA)) {
        kal_study_equilibria(study);
    }
}

static void study(KalStudy *study)
{
    const unsigned analysis =
        KAL_TASK_BIT(KAL_TASK_MODES) | KAL_TASK_BIT(KAL_TASK_EQUILIBRIA);
    const unsigned text =
        KAL_TASK_BIT(KAL_TASK_FORMAT) | KAL_TASK_BIT(KAL_TASK_QUESTION);
    const unsigned tasks = study->evaluation->request->tasks;
    if (wants(study, KAL_TASK_QUESTION)) {
        kal_study_question(study);
    }
    if (wants(study, KAL_TASK_FORMAT)) {
        tell_text(study, "format", print_format);
    }
    if (tasks == 0 || (tasks & ~(analysis | text)) != 0) {
        do_motion(study);
    }
    if ((tasks & analysis) != 0) {
        do_analysis(study);
    }
}

void kal_evaluate(void *user, KalSink sink)
{
    KalStudy it = {.evaluation = (const KalAssignment *)user, .writer = {.sink = sink}};
    assert(it.evaluation->request && it.evaluation->root);
    if (kal_context_create(NULL, NULL, &it.ctx) != KAL_OK) {
        return;
    }
    study(&it);
    kal_system_destroy(it.system);
    kal_context_destroy(it.ctx);
}
