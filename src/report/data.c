// SPDX-License-Identifier: MIT

// The facts of a run as JSON.

#include "report/report_impl.h"
#include "show/incidents.h"

#include <kalaba/show.h>
#include <kalaba/version.h>

#include <assert.h>
#include <math.h>

static void write_parameters(KalJsonWriter *w, const KalReportData *data)
{
    const KalModel *model = data->report->system->model;
    kal_json_write_key(w, "parameters");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < model->n_parameters; i++) {
        const KalParameter *p = &model->parameters[i];
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "name", p->name);
        const double value = kal_instant_parameters(kal_run_state(data->run))[i];
        kal_json_put_text(w, "unit", p->degrees ? "deg" : p->unit ? p->unit : "");
        kal_json_put_number(w, "value",
                            p->degrees ? value * 180.0 / acos(-1.0) : value);
        kal_json_put_bool(w, "overridden", p->overridden);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_options(KalJsonWriter *w, const KalRunOptions *options)
{
    assert(options);
    kal_json_write_key(w, "options");
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "from", options->from);
    kal_json_put_number(w, "until", options->until);
    kal_json_put_number(w, "every", options->every);
    kal_json_put_number(w, "rtol", options->rtol);
    kal_json_put_number(w, "atol", options->atol);
    kal_json_put_text(w, "method", kal_method_word(options->method));
    kal_json_put_text(w, "drift", kal_drift_word(options->drift));
    kal_json_write_end(w, '}');
}

static void write_statistics(KalJsonWriter *w, const KalRun *run)
{
    KalStatistic list[KAL_STATISTIC_COUNT];
    kal_run_describe(run, list);
    kal_json_write_key(w, "statistics");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
        if (list[i].part == KAL_STATISTIC_OF_INTERNAL) {
            continue;
        }
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "name", list[i].name);
        kal_json_put_text(w, "label", list[i].label);
        kal_json_put_number(w, "value", list[i].value);
        kal_json_put_bool(w, "rough", list[i].form == KAL_STATISTIC_AS_ERROR);
        kal_json_put_bool(w, "visible", list[i].visible);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_constants(KalJsonWriter *w, const KalRun *run)
{
    const KalConstant *constants = NULL;
    const size_t count = kal_run_constants(run, &constants);
    kal_json_write_key(w, "constants");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "name", constants[i].name);
        kal_json_put_number(w, "initial", constants[i].initial);
        kal_json_put_number(w, "drift", constants[i].drift);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_check(KalJsonWriter *w, const KalCheck *check)
{
    const KalShowOptions options = {.format = KAL_SHOW_JSON, .names_only = true};
    kal_json_write_key(w, "check");
    kal_show_check(check, &options, w->sink);
    w->comma = true;
}

void kal_report_write_data(const KalReportData *data, KalSink sink)
{
    assert(data->report && data->run && sink.write);
    KalJsonWriter w = {.sink = sink};
    const KalSystem *system = data->report->system;
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "title", kal_system_title(system));
    kal_json_put_text(&w, "version", kal_version());
    kal_json_put_text(&w, "file",
                      system->source->name + kal_report_folder_length(system));
    kal_json_put_text(&w, "failure", data->facts->failure);
    kal_json_put_bool(&w, "complete",
                      !data->facts->failure && kal_run_is_over(data->run));
    kal_json_put_text(&w, "stopped_by", kal_run_stopped_by(data->run));
    kal_json_put_number(&w, "plots_left_out",
                        (double)(system->model->n_plots - data->report->n_plots));
    kal_json_put_number(&w, "drawings_left_out",
                        (double)(system->model->n_drawings - data->report->n_drawings));
    write_parameters(&w, data);
    const KalRunOptions options = kal_run_get_options(data->run);
    write_options(&w, &options);
    write_statistics(&w, data->run);
    kal_json_put_number(&w, "seconds", data->facts->seconds);
    kal_json_put_number(&w, "samples", (double)kal_table_rows(data->report->table));
    write_constants(&w, data->run);
    kal_show_incidents(data->run, &w);
    write_check(&w, data->check);
    kal_report_write_pictures(data, &w);
    kal_report_write_columns(data, &w);
    kal_json_write_end(&w, '}');
}
