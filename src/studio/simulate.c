// SPDX-License-Identifier: MIT

// A run that is told as it goes on.  The first part is told soon, each after it when the run
// has taken half as long again, so that all of them together cost no more than the last.

#include "base/block.h"
#include "report/start.h"
#include "show/page.h"
#include "studio/evaluate_impl.h"
#include "studio/worker.h"

#include <kalaba/report.h>

#include <assert.h>
#include <stdio.h>

static const double SOON = 0.25;  // seconds to the first part of a run
static const double GROWTH = 2.0; // of the time from part to part

// A run with what is told of it.
typedef struct Show {
    KalStudy *study;
    KalRun *run;
    KalReport *report;
    double began;
    double next; // when a part is due
    bool page;
} Show;

void kal_study_describe(KalStudy *study)
{
    KalJsonWriter *w = &study->writer;
    const int count = kal_system_parameters(study->system);
    kal_json_write_key(w, "parameters");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < count; i++) {
        const KalParameterInfo p = kal_system_parameter(study->system, i);
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "name", p.name);
        kal_json_put_text(w, "unit", p.unit ? p.unit : "");
        kal_json_put_number(w, "value", p.value);
        kal_json_put_bool(w, "degrees", p.degrees);
        kal_json_put_bool(w, "sizes", p.sizes);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
    kal_json_put_names(w, "coordinates", kal_system_coordinate_names(study->system),
                       kal_system_coordinates(study->system));
}

static KalStatus tell(Show *show, bool partial, const char *failure)
{
    assert(show->study);
    KalStudy *study = show->study;
    const KalReportFacts facts = {.seconds = kal_worker_clock() - show->began,
                                  .failure = failure};
    KalPage page = kal_page(study->ctx);
    KalStatus status = kal_report_print(show->report, show->run, &facts,
                                        show->page ? KAL_REPORT_PAGE : KAL_REPORT_DATA,
                                        kal_page_sink(&page));
    status = status == KAL_OK ? page.status : status;
    if (status == KAL_OK) {
        kal_study_begin(study, show->page ? "report" : "run");
        if (show->page) {
            kal_json_write_string(&study->writer, kal_page_text(&page));
        } else {
            kal_study_put(study, kal_page_text(&page));
            kal_json_put_bool(&study->writer, "partial", partial);
        }
        kal_study_end(study);
    }
    kal_page_clear(&page);
    return status;
}

static KalStatus take(void *user, KalRun *run)
{
    Show *show = (Show *)user;
    KAL_TRY(kal_report_take(show->report, run));
    const double now = kal_worker_clock();
    if (show->page || now < show->next || kal_run_is_over(run)) {
        return KAL_OK;
    }
    show->next = now + GROWTH * (now - show->began);
    return tell(show, true, NULL);
}

// Start as near to given values as the constraints allow: from the model's own start, the
// values are set and the state returns to the constraints.
static KalStatus start_near(KalRun *run, const char *values)
{
    KalStartReport report;
    KAL_TRY(kal_run_start(run, &report));
    KAL_TRY(kal_instant_set(kal_run_instant(run), values, NULL));
    return kal_run_start_here(run);
}

// Values that are to be held are held if the constraints allow it.
static KalStatus start_held(KalRun *run, const char *values)
{
    KalStartReport report;
    const KalStatus status = kal_run_start_from(run, values, &report);
    return status == KAL_ERR_CONTRADICTION && values ? start_near(run, values) : status;
}

KalStatus kal_study_start(KalStudy *study, KalRun *run)
{
    const KalStudioRequest *request = study->evaluation->request;
    KAL_TRY(request->near ? start_near(run, request->near)
                          : start_held(run, request->start));
    return request->drag.n > 0 ? kal_study_drag(study, run, &request->drag) : KAL_OK;
}

static KalStatus prepare(Show *show)
{
    KalContext *ctx = show->study->ctx;
    const KalSystem *system = show->study->system;
    const KalRunOptions options = kal_run_options(system);
    KAL_TRY(kal_report_create(ctx, system, &show->report));
    KAL_TRY(kal_report_foresee(show->report, &options));
    KAL_TRY(kal_run_create(ctx, system, &options, &show->run));
    return kal_study_start(show->study, show->run);
}

// Of a run that cannot begin, its start is shown if there is one.  The failure stays.
static KalStatus stand(Show *show, KalStatus failure)
{
    char why[2000];
    KalContext *ctx = show->study->ctx;
    (void)snprintf(why, sizeof why, "%s", kal_context_message(ctx));
    if (!show->page && show->run
        && kal_report_take_start(show->report, show->run) == KAL_OK) {
        (void)(tell(show, false, why) == KAL_OK); // the reason is told in any case
    }
    return kal_fail(ctx, failure, "%s", why);
}

// A run that fails on its way is shown as far as it came, with the reason.
static KalStatus go(Show *show)
{
    char why[2000];
    const KalStatus begun = prepare(show);
    if (begun != KAL_OK) {
        return stand(show, begun);
    }
    const KalStatus status = kal_run_sample(show->run, take, show);
    (void)snprintf(why, sizeof why, "%s", kal_context_message(show->study->ctx));
    return tell(show, false, status == KAL_OK ? NULL : why);
}

void kal_study_run(KalStudy *study, bool page)
{
    assert(study->system);
    const double now = kal_worker_clock();
    Show show = {.study = study, .page = page, .began = now, .next = now + SOON};
    const char *const *names = NULL;
    if (go(&show) != KAL_OK) {
        const size_t count = show.run ? kal_run_fault(show.run, &names) : 0;
        kal_study_fail(study, page ? "report" : "run", names, (int)count);
    }
    kal_report_destroy(show.report);
    kal_run_destroy(show.run);
}
