// SPDX-License-Identifier: MIT

// A run with its table.  It goes on without the interpreter's lock and asks for signals now
// and then; what there is when it ends early is kept.

#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    PyObject_HEAD System *owner;
    KalContext *ctx;
    KalRun *run;
    KalRecord *record;
    KalReport *report; // NULL unless asked for
    KalRunOptions options;
    Pulse pulse;
    uint64_t
        asked; // how often the run asked whether to go on: the same for the same run
    uint64_t end_at; // it is to end when it asks for the so-manieth time; 0: never
    bool ended;      // it did, by a signal or there
    bool begun;      // it has a consistent start
    bool busy;       // a thread is in it
} Run;

static bool go_on(void *user)
{
    Run *self = (Run *)user;
    self->asked++;
    self->ended = self->asked == self->end_at || !pulse_beat(&self->pulse);
    return !self->ended;
}

static bool watch(void *user, const KalRun *run)
{
    (void)run;
    return go_on(user);
}

// Whether nobody is in the object; then it is ours until leave().
static bool enter(Run *self)
{
    if (self->busy || !self->run) {
        PyErr_SetString(PyExc_RuntimeError, self->run ? "another thread uses this run"
                                                      : "this Run was not made");
        return false;
    }
    self->busy = stack_suffices();
    return self->busy;
}

static void leave(Run *self)
{
    self->busy = false;
}

// A word of a list that ends with NULL, as its number; -1 with an exception.
static int find_word(const char *word, const char *const *words, const char *what)
{
    int i = 0;
    while (words[i] && strcmp(words[i], word) != 0) {
        i++;
    }
    if (!words[i]) {
        PyErr_Format(PyExc_ValueError, "there is no %s '%s'", what, word);
        return -1;
    }
    return i;
}

static bool read_words(KalRunOptions *options, const char *method, const char *drift,
                       const char *form)
{
#define WORD(name, word, meaning) word,
    static const char *const methods[] = {KAL_METHOD_LIST(WORD) NULL};
    static const char *const forms[] = {KAL_RUN_FORM_LIST(WORD) NULL};
#undef WORD
    static const char *const drifts[] = {"project", "stabilize", "none", NULL};
    const int m = method ? find_word(method, methods, "method") : (int)options->method;
    const int d = m >= 0 && drift ? find_word(drift, drifts, "treatment of drift")
                                  : (int)options->drift;
    const int f = d >= 0 && form ? find_word(form, forms, "form") : (int)options->form;
    if (m < 0 || d < 0 || f < 0) {
        return false;
    }
    options->method = (KalMethod)m;
    options->drift = (KalDrift)d;
    options->form = (KalRunForm)f;
    return true;
}

// Numbers that are None stay as the model says.
static bool read_number(PyObject *number, double *in_out)
{
    if (number != Py_None) {
        *in_out = PyFloat_AsDouble(number);
    }
    return !PyErr_Occurred();
}

// options: (until, every, rtol, atol, method, drift, stabilize, form, fixed_step, max_steps)
static bool read_options(PyObject *tuple, KalRunOptions *options)
{
    PyObject *numbers[7];
    const char *method = NULL;
    const char *drift = NULL;
    const char *form = NULL;
    double max_steps = (double)options->max_steps;
    if (!PyArg_ParseTuple(tuple, "OOOOzzOzOO", &numbers[0], &numbers[1], &numbers[2],
                          &numbers[3], &method, &drift, &numbers[4], &form, &numbers[5],
                          &numbers[6])
        || !read_number(numbers[0], &options->until)
        || !read_number(numbers[1], &options->every)
        || !read_number(numbers[2], &options->rtol)
        || !read_number(numbers[3], &options->atol)
        || !read_number(numbers[4], &options->stabilize)
        || !read_number(numbers[5], &options->fixed_step)
        || !read_number(numbers[6], &max_steps)) {
        return false;
    }
    if (!(max_steps >= 0.0 && max_steps < 9e15 && max_steps == floor(max_steps))) {
        PyErr_SetString(PyExc_ValueError, "max_steps is 0 or a number of steps");
        return false;
    }
    options->max_steps = (long)max_steps;
    return read_words(options, method, drift, form);
}

// How the model asks to be run with these parameters.
static KalStatus find_options(const Run *self, const Settings *settings,
                              KalRunOptions *out_options)
{
    KalInstant *instant = NULL;
    *out_options = kal_run_options(self->owner->system);
    if (settings->n == 0) {
        return KAL_OK;
    }
    KalStatus status = kal_instant_create(self->ctx, self->owner->system, &instant);
    if (status == KAL_OK) {
        status = kal_instant_set_parameters(instant, settings->list, settings->n);
    }
    if (status == KAL_OK) {
        *out_options = kal_instant_run_options(instant);
    }
    kal_instant_destroy(instant);
    return status;
}

static KalStatus make_parts(Run *self, const Settings *settings, const Texts *columns,
                            bool report)
{
    const KalSystem *system = self->owner->system;
    KalStatus status = kal_run_create(self->ctx, system, &self->options, &self->run);
    if (status == KAL_OK && settings->n > 0) {
        status = kal_run_set_parameters(self->run, settings->list, settings->n);
    }
    if (status == KAL_OK) {
        status = kal_record_create(self->ctx, system, columns->list, columns->n,
                                   &self->record);
    }
    if (status == KAL_OK) {
        status = kal_record_foresee(self->record, &self->options);
    }
    if (status == KAL_OK && report) {
        status = kal_report_create(self->ctx, system, &self->report);
    }
    return status == KAL_OK && report ? kal_report_foresee(self->report, &self->options)
                                      : status;
}

static bool make(Run *self, PyObject *given, const Settings *settings,
                 const Texts *columns, bool report)
{
    KalStatus status = find_options(self, settings, &self->options);
    if (status == KAL_OK) {
        if (!read_options(given, &self->options)) {
            return false;
        }
        self->options.watch = watch;
        self->options.user = self;
        status = make_parts(self, settings, columns, report);
    }
    if (status != KAL_OK) {
        (void)raise_context(status, self->ctx);
    }
    return status == KAL_OK;
}

static int run_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    (void)keywords; // all by place
    Run *self = (Run *)object;
    PyObject *owner = NULL;
    PyObject *list = NULL;
    PyObject *options = NULL;
    PyObject *columns = NULL;
    int report = 0;
    if (!PyArg_ParseTuple(args, "O!OO!O|p", &System_type, &owner, &list, &PyTuple_Type,
                          &options, &columns, &report)
        || !stack_suffices()) {
        return -1;
    }
    if (self->owner || !((System *)owner)->system) {
        PyErr_SetString(PyExc_RuntimeError, "a Run is made once, of a System");
        return -1;
    }
    Settings settings = {.n = 0};
    Texts patterns = {.n = 0};
    self->owner = (System *)Py_NewRef(owner);
    const bool done = settings_read(list, &settings) && texts_read(columns, &patterns)
                      && (self->ctx = new_context())
                      && make(self, options, &settings, &patterns, report != 0);
    settings_clear(&settings);
    texts_clear(&patterns);
    return done ? 0 : -1;
}

static void run_dealloc(PyObject *object)
{
    Run *self = (Run *)object;
    kal_report_destroy(self->report);
    kal_record_destroy(self->record);
    kal_run_destroy(self->run);
    kal_context_destroy(self->ctx);
    Py_XDECREF(self->owner);
    Py_TYPE(object)->tp_free(object);
}

static KalStatus take(void *user, KalRun *run)
{
    Run *self = (Run *)user;
    const KalStatus status = kal_record_take(self->record, run);
    return status == KAL_OK && self->report ? kal_report_take(self->report, run)
                                            : status;
}

// From the start to the end; what there is is noted down in any case.
static KalStatus go_all(Run *self, const char *start)
{
    KalStartReport report;
    kal_context_set_watch(self->ctx, go_on, self);
    const KalStatus status = kal_run_start_from(self->run, start, &report);
    kal_context_set_watch(self->ctx, NULL, NULL);
    self->begun = status == KAL_OK;
    return status == KAL_OK ? kal_run_sample(self->run, take, self) : status;
}

static PyObject *raise_run(const Run *self, KalStatus status, const char *message)
{
    const char *const *names = NULL;
    const size_t n = kal_run_fault(self->run, &names);
    return raise_status(status, message, names, n);
}

// The last state is worth a row where a run failed; then the table is finished.
static void close_table(Run *self, KalStatus status)
{
    const KalTable *table = kal_record_table(self->record);
    if (status != KAL_OK && self->begun && kal_table_rows(table) > 0
        && kal_run_time(self->run)
               > kal_table_row(table, kal_table_rows(table) - 1)[0]) {
        const KalStatus late = take(self, self->run);
        (void)late; // it need not have one
    }
    const KalStatus finished = kal_record_finish(self->record, self->run);
    (void)finished; // its notes are for files, which fail by themselves
}

// go(start, end_at): from the start to the end, or to where it asks for the so-manieth time:
// as a run that a signal ended did.
static PyObject *run_go(PyObject *object, PyObject *args)
{
    Run *self = (Run *)object;
    const char *start = NULL;
    uint64_t end_at = 0;
    if (!PyArg_ParseTuple(args, "z|O&", &start, count_read, &end_at) || !enter(self)) {
        return NULL;
    }
    KalStatus status = KAL_OK;
    char message[4096] = "";
    self->asked = 0;
    self->ended = false;
    self->end_at = end_at;
    Py_BEGIN_ALLOW_THREADS;
    status = go_all(self, start);
    if (status != KAL_OK) {
        strncpy(message, kal_context_message(self->ctx), sizeof message - 1);
    }
    Py_END_ALLOW_THREADS;
    PyObject *result = NULL;
    if (!pulse_raise(&self->pulse)) {
        const bool done = status == KAL_OK || self->ended; // as it was asked to
        result = done ? Py_NewRef(Py_None) : raise_run(self, status, message);
    }
    PyObject *type;
    PyObject *value;
    PyObject *trace;
    PyErr_Fetch(&type, &value, &trace);
    close_table(self, status);
    PyErr_Restore(type, value, trace);
    leave(self);
    return result;
}

static PyObject *list_columns(const KalTable *table)
{
    const size_t n = kal_table_columns(table);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        const KalQuantity column = kal_table_column(table, i);
        list_put(&list, i, describe_quantity(column));
    }
    return list;
}

// table(): columns as (name, unit, description), and their numbers, column after column.
static PyObject *run_table(PyObject *object, PyObject *none)
{
    Run *self = (Run *)object;
    (void)none;
    if (!enter(self)) {
        return NULL;
    }
    const KalTable *table = kal_record_table(self->record);
    const size_t rows = kal_table_rows(table);
    const size_t columns = kal_table_columns(table);
    double *values = NULL;
    PyObject *array = new_array((Py_ssize_t)columns, (Py_ssize_t)rows, &values);
    for (size_t i = 0; array && rows > 0 && i < rows; i++) {
        const double *row = kal_table_row(table, i);
        for (size_t j = 0; j < columns; j++) {
            values[j * rows + i] = row[j];
        }
    }
    PyObject *result = array ? Py_BuildValue("(NN)", list_columns(table), array) : NULL;
    leave(self);
    return result;
}

// show(json, seconds): what the run came to, as text.
static PyObject *run_show(PyObject *object, PyObject *args)
{
    Run *self = (Run *)object;
    int json = 1;
    double seconds = 0.0;
    if (!PyArg_ParseTuple(args, "pd", &json, &seconds) || !enter(self)) {
        return NULL;
    }
    const KalShowOptions how = {.format = json ? KAL_SHOW_JSON : KAL_SHOW_TEXT};
    const KalRunTimes times = {.total = seconds};
    Text text = {.bytes = NULL};
    const KalStatus status = kal_show_run(self->run, &times, &how, text_sink(&text));
    PyObject *result =
        status == KAL_OK ? text_take(&text) : raise_context(status, self->ctx);
    text_clear(&text);
    leave(self);
    return result;
}

static PyObject *list_incidents(const KalRun *run)
{
    const KalIncident *incidents = NULL;
    const size_t n = kal_run_incidents(run, &incidents);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        list_put(&list, i,
                 Py_BuildValue("(dszs)", incidents[i].t,
                               kal_incident_word(incidents[i].kind), incidents[i].name,
                               incidents[i].text));
    }
    return list;
}

static PyObject *list_statistics(const KalRun *run)
{
    KalStatistic list[KAL_STATISTIC_COUNT];
    PyObject *all = PyDict_New();
    kal_run_describe(run, list);
    for (size_t i = 0; all && i < KAL_STATISTIC_COUNT; i++) {
        PyObject *value = list[i].form == KAL_STATISTIC_AS_FLAG
                              ? PyBool_FromLong(list[i].value != 0.0)
                              : PyFloat_FromDouble(list[i].value);
        if (!value || PyDict_SetItemString(all, list[i].name, value) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(value);
    }
    return all;
}

static PyObject *run_facts(PyObject *object, PyObject *none)
{
    Run *self = (Run *)object;
    (void)none;
    if (!enter(self)) {
        return NULL;
    }
    const char *const *warnings = NULL;
    const size_t n = kal_run_warnings(self->run, &warnings);
    PyObject *result = Py_BuildValue(
        "{s:d,s:O,s:z,s:N,s:N,s:N,s:d,s:O,s:K}", "time", kal_run_time(self->run),
        "complete", kal_run_is_over(self->run) ? Py_True : Py_False, "stopped_by",
        kal_run_stopped_by(self->run), "incidents", list_incidents(self->run),
        "statistics", list_statistics(self->run), "warnings", list_names(warnings, n),
        "until", self->options.until, "begun", self->begun ? Py_True : Py_False,
        "ended_at", (unsigned long long)(self->ended ? self->asked : 0));
    leave(self);
    return result;
}

// save(path, units): the table into a file.
static PyObject *run_save(PyObject *object, PyObject *args)
{
    Run *self = (Run *)object;
    char *path = NULL;
    int units = 0;
    if (!PyArg_ParseTuple(args, "O&i", copy_path, &path, &units)) {
        return NULL;
    }
    if (!enter(self)) {
        free(path);
        return NULL;
    }
    const KalTableWriteOptions options = {.csv_units = (KalTableUnits)units};
    KalStatus status = KAL_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = kal_table_write(kal_record_table(self->record), path, &options);
    Py_END_ALLOW_THREADS;
    free(path);
    leave(self);
    return status == KAL_OK ? Py_NewRef(Py_None) : raise_context(status, self->ctx);
}

// report(path, seconds, failure): the page of a run that was made with a report.
static PyObject *run_report(PyObject *object, PyObject *args)
{
    Run *self = (Run *)object;
    char *path = NULL;
    KalReportFacts facts = {.seconds = 0.0};
    if (!PyArg_ParseTuple(args, "O&dz", copy_path, &path, &facts.seconds,
                          &facts.failure)) {
        return NULL;
    }
    if (!enter(self)) {
        free(path);
        return NULL;
    }
    KalStatus status = KAL_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = kal_report_check_path(self->ctx, path);
    if (status == KAL_OK) {
        status = kal_report_write(self->report, self->run, &facts, path);
    }
    Py_END_ALLOW_THREADS;
    free(path);
    leave(self);
    return status == KAL_OK ? Py_NewRef(Py_None) : raise_context(status, self->ctx);
}

static PyMethodDef run_methods[] = {
    {"go",     run_go,     METH_VARARGS, "Run from the start to the end."   },
    {"table",  run_table,  METH_NOARGS,  "Columns and numbers."             },
    {"show",   run_show,   METH_VARARGS, "What it came to, as text or JSON."},
    {"facts",  run_facts,  METH_NOARGS,  "What is known about the run."     },
    {"save",   run_save,   METH_VARARGS, "Write the table."                 },
    {"report", run_report, METH_VARARGS, "Write the report."                },
    {NULL,     NULL,       0,            NULL                               },
};

PyTypeObject Run_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kalaba._native.Run",
    .tp_doc = "A run of a System and its table.",
    .tp_basicsize = sizeof(Run),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = run_init,
    .tp_dealloc = run_dealloc,
    .tp_methods = run_methods,
};
