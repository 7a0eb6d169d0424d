// SPDX-License-Identifier: MIT

// Linearization, modes and equilibria of a system, as the JSON of the commands.

#include "native.h"

// An analysis on its way through one call.
typedef struct Job {
    KalContext *ctx;
    KalAnalysis *analysis;
    Settings settings;
    Text text;
    Pulse pulse;
    KalStatus status;
} Job;

static const KalShowOptions as_json = {.format = KAL_SHOW_JSON};

// Make the analysis with its parameters; whether it went well.
static bool open_job(Job *job, PyObject *owner, PyObject *list, const char *inputs)
{
    const System *system = (const System *)owner;
    if (!stack_suffices() || !settings_read(list, &job->settings)
        || !(job->ctx = new_context())) {
        return false;
    }
    pulse_begin(&job->pulse, job->ctx);
    Py_BEGIN_ALLOW_THREADS;
    job->status = kal_analysis_create(job->ctx, system->system, inputs, &job->analysis);
    if (job->status == KAL_OK && job->settings.n > 0) {
        job->status = kal_analysis_set_parameters(job->analysis, job->settings.list,
                                                  job->settings.n);
    }
    Py_END_ALLOW_THREADS;
    return job->status == KAL_OK;
}

// The text, or the exception that belongs to what went wrong.
static PyObject *close_job(Job *job)
{
    PyObject *result = NULL;
    if (!(job->ctx && pulse_end(&job->pulse, job->ctx)) && !PyErr_Occurred()) {
        result = job->status == KAL_OK ? text_take(&job->text)
                                       : raise_context(job->status, job->ctx);
    }
    kal_analysis_destroy(job->analysis);
    kal_context_destroy(job->ctx);
    settings_clear(&job->settings);
    text_clear(&job->text);
    return result;
}

// To the state named, or to an equilibrium counted from 1; 0: none.
static KalStatus place(KalAnalysis *analysis, const char *at, int equilibrium)
{
    const KalEquilibriumOptions options = {.starts = 0};
    KalEquilibria found;
    const char *kinks = NULL;
    KalStatus status;
    if (equilibrium > 0) {
        status = kal_analysis_equilibria(analysis, &options, &found);
        if (status == KAL_OK) {
            status = kal_analysis_go(analysis, equilibrium);
        }
    } else {
        status = kal_analysis_place(analysis, at, NULL);
    }
    return status == KAL_OK ? kal_analysis_kinks(analysis, &kinks) : status;
}

static KalStatus linearize(Job *job)
{
    KalLinearization linearization;
    const KalStatus status = kal_analysis_linearize(job->analysis, &linearization);
    return status == KAL_OK ? kal_show_linearization(job->analysis, &linearization,
                                                     &as_json, text_sink(&job->text))
                            : status;
}

static KalStatus find_modes(Job *job)
{
    KalModes modes;
    const KalStatus status = kal_analysis_modes(job->analysis, &modes);
    return status == KAL_OK
               ? kal_show_modes(job->analysis, &modes, &as_json, text_sink(&job->text))
               : status;
}

// What linearize and modes have in common: (system, parameters, inputs, at, equilibrium).
static PyObject *about_state(PyObject *args, KalStatus (*find)(Job *job))
{
    Job job = {.status = KAL_OK};
    PyObject *owner = NULL;
    PyObject *list = NULL;
    const char *inputs = NULL;
    const char *at = NULL;
    int equilibrium = 0;
    if (!PyArg_ParseTuple(args, "O!Ozzi", &System_type, &owner, &list, &inputs, &at,
                          &equilibrium)) {
        return NULL;
    }
    if (open_job(&job, owner, list, inputs)) {
        Py_BEGIN_ALLOW_THREADS;
        job.status = place(job.analysis, at, equilibrium);
        if (job.status == KAL_OK) {
            job.status = find(&job);
        }
        Py_END_ALLOW_THREADS;
    }
    return close_job(&job);
}

PyObject *native_linearize(PyObject *module, PyObject *args)
{
    (void)module;
    return about_state(args, linearize);
}

PyObject *native_modes(PyObject *module, PyObject *args)
{
    (void)module;
    return about_state(args, find_modes);
}

// (system, parameters, starts, seed, where, steady, each)
PyObject *native_equilibria(PyObject *module, PyObject *args)
{
    Job job = {.status = KAL_OK};
    KalEquilibriumOptions options = {.starts = 0};
    PyObject *owner = NULL;
    PyObject *list = NULL;
    int steady = 0;
    int each = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OiO&zpp", &System_type, &owner, &list,
                          &options.starts, count_read, &options.seed, &options.where,
                          &steady, &each)) {
        return NULL;
    }
    options.steady = steady != 0;
    options.each = each != 0;
    if (open_job(&job, owner, list, "")) {
        KalEquilibria found;
        Py_BEGIN_ALLOW_THREADS;
        job.status = kal_analysis_equilibria(job.analysis, &options, &found);
        if (job.status == KAL_OK) {
            job.status = kal_show_equilibria(job.analysis, &found, &as_json,
                                             text_sink(&job.text));
        }
        Py_END_ALLOW_THREADS;
    }
    return close_job(&job);
}
