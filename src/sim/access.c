// SPDX-License-Identifier: MIT

// What can be seen of a run without changing it.

#include "sim/run_impl.h"

#include <assert.h>

KalContext *kal_run_context(const KalRun *run)
{
    return run->ctx;
}

const KalSystem *kal_run_system(const KalRun *run)
{
    return run->system;
}

const KalInstant *kal_run_state(const KalRun *run)
{
    return run->instant;
}

const KalMotionAnswer *kal_run_answer(const KalRun *run)
{
    return &run->answer;
}

long kal_run_peaks(const KalRun *run)
{
    return run->integration.peaks;
}

bool kal_run_has_crossed(const KalRun *run)
{
    return run->integration.crossed;
}

bool kal_run_integrates_works(const KalRun *run)
{
    return run->balance.n > 0;
}

double kal_run_horizon(const KalRun *run)
{
    return run->horizon;
}

double kal_run_first_time(const KalRun *run, size_t i)
{
    assert(i < run->system->model->n_events);
    return run->events.first[i];
}

KalInstant *kal_run_instant(KalRun *run)
{
    if (!run) {
        return NULL;
    }
    kal_run_settle(run);
    return run->instant;
}

double kal_run_time(const KalRun *run)
{
    if (!run) {
        return 0.0;
    }
    return run->t;
}

KalRunOptions kal_run_get_options(const KalRun *run)
{
    if (!run) {
        return (KalRunOptions){.from = 0.0};
    }
    return run->options;
}

bool kal_run_is_over(const KalRun *run)
{
    if (!run) {
        return false;
    }
    return run->over;
}

const char *kal_run_stopped_by(const KalRun *run)
{
    if (!run) {
        return NULL;
    }
    return run->stopped_by;
}

KalRunStatistics kal_run_statistics(const KalRun *run)
{
    if (!run) {
        return (KalRunStatistics){.steps = 0};
    }
    return run->statistics;
}

size_t kal_run_fault(const KalRun *run, const char *const **out_names)
{
    if (!(run && out_names)) {
        return 0;
    }
    *out_names = run->told.blamed;
    return run->told.n_blamed;
}

size_t kal_run_incidents(const KalRun *run, const KalIncident **out_incidents)
{
    if (!(run && out_incidents)) {
        return 0;
    }
    *out_incidents = (const KalIncident *)run->told.incidents.data;
    return run->told.incidents.size / sizeof(KalIncident);
}

size_t kal_run_constants(const KalRun *run, const KalConstant **out_constants)
{
    if (!(run && out_constants)) {
        return 0;
    }
    *out_constants = run->balance.constants;
    return run->balance.proven ? run->balance.n_constants : 0;
}
