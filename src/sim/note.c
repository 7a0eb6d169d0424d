// SPDX-License-Identifier: MIT

// What a table tells of the run that its rows are of.

#include "sim/run_impl.h"

#include <kalaba/version.h>

#include <assert.h>

static KalStatus note_parameters(KalTable *table, const KalRun *run)
{
    const KalModel *model = run->system->model;
    for (size_t i = 0; i < model->n_parameters; i++) {
        const KalParameter *p = &model->parameters[i];
        const KalQuantity quantity = {.name = p->name, .unit = p->unit};
        KAL_TRY(kal_table_set_parameter(table, quantity,
                                        run->instant->settings.parameters[i]));
    }
    return KAL_OK;
}

static KalStatus note_options(KalTable *table, const KalRunOptions *options)
{
    KAL_TRY(kal_table_set_text(table, "method", kal_method_word(options->method)));
    KAL_TRY(kal_table_set_text(table, "drift", kal_drift_word(options->drift)));
    KAL_TRY(kal_table_set_number(table, "rtol", options->rtol));
    return kal_table_set_number(table, "atol", options->atol);
}

static KalStatus note_statistics(KalTable *table, const KalRun *run)
{
    KalStatistic list[KAL_STATISTIC_COUNT];
    kal_run_describe(run, list);
    for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
        const bool shown = list[i].part != KAL_STATISTIC_OF_INTERNAL;
        KAL_TRY(shown ? kal_table_set_number(table, list[i].name, list[i].value)
                      : KAL_OK);
    }
    return KAL_OK;
}

KalStatus kal_run_note(const KalRun *run, KalTable *table)
{
    assert(run && table);
    KAL_TRY(kal_table_set_text(table, "model", kal_system_title(run->system)));
    KAL_TRY(kal_table_set_text(table, "model_text", run->system->source->text));
    KAL_TRY(kal_table_set_text(table, "kalaba", kal_version()));
    KAL_TRY(note_parameters(table, run));
    KAL_TRY(note_options(table, &run->options));
    KAL_TRY(note_statistics(table, run));
    if (run->stopped_by) {
        KAL_TRY(kal_table_set_text(table, "stopped_by", run->stopped_by));
    }
    kal_table_set_incomplete(table, !run->over);
    return KAL_OK;
}
