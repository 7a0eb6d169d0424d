// SPDX-License-Identifier: MIT

// Many runs of a system: into arrays, or into a file.

#include "native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Runs that failed, with their reason.
typedef struct Failure {
    uint64_t run;
    char *reason;
} Failure;

typedef struct Sweep {
    PyObject_HEAD System *owner;
    KalContext *ctx;
    KalSweep *sweep;
    bool busy;
} Sweep;

// Rows as they come, from one thread at a time.
typedef struct Rows {
    double *values; // runs × columns
    uint64_t runs;
    size_t inputs;
    size_t columns;
    bool *marks; // kept values that are not unique in any run
    Failure *failures;
    size_t n_failures;
    size_t capacity;
    Pulse *pulse;
    pthread_t caller; // whom signals reach
} Rows;

// For parameters that change the structure.
static KalStatus load(void *user, const KalOverride *overrides, size_t n,
                      KalSystem **out_system)
{
    const Sweep *self = (const Sweep *)user;
    return source_load(&self->owner->source, self->ctx, overrides, n, NULL, out_system);
}

static bool make(Sweep *self, KalSweepOptions *options, const char *design)
{
#define WORD(name, word, meaning) word,
    static const char *const designs[] = {KAL_SWEEP_DESIGN_LIST(WORD)};
#undef WORD
    const size_t n = sizeof designs / sizeof designs[0];
    size_t i = 0;
    while (i < n && strcmp(designs[i], design) != 0) {
        i++;
    }
    if (i == n) {
        PyErr_Format(PyExc_ValueError, "there is no design '%s'", design);
        return false;
    }
    options->design = (KalSweepDesign)i;
    options->load = load;
    options->user = self;
    KalStatus status = KAL_OK;
    Pulse pulse;
    pulse_begin(&pulse, self->ctx);
    Py_BEGIN_ALLOW_THREADS;
    status = kal_sweep_create(self->ctx, self->owner->system, options, &self->sweep);
    Py_END_ALLOW_THREADS;
    if (pulse_end(&pulse, self->ctx)) {
        return false;
    }
    if (status != KAL_OK) {
        (void)raise_context(status, self->ctx);
    }
    return status == KAL_OK;
}

static int sweep_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    (void)keywords; // all by place
    Sweep *self = (Sweep *)object;
    KalSweepOptions options = {.keep = NULL};
    PyObject *owner = NULL;
    PyObject *vary = NULL;
    PyObject *random = NULL;
    const char *design = NULL;
    if (!PyArg_ParseTuple(args, "O!OOO&O&sz", &System_type, &owner, &vary, &random,
                          count_read, &options.count, count_read, &options.seed,
                          &design, &options.keep)
        || !stack_suffices()) {
        return -1;
    }
    if (self->owner || !((System *)owner)->system) {
        PyErr_SetString(PyExc_RuntimeError, "a Sweep is made once, of a System");
        return -1;
    }
    Texts varied = {.n = 0};
    Texts drawn = {.n = 0};
    self->owner = (System *)Py_NewRef(owner);
    bool done = texts_read(vary, &varied) && texts_read(random, &drawn)
                && (self->ctx = new_context());
    if (done) {
        options.vary = varied.list;
        options.n_vary = varied.n;
        options.random = drawn.list;
        options.n_random = drawn.n;
        done = make(self, &options, design);
    }
    texts_clear(&varied);
    texts_clear(&drawn);
    return done ? 0 : -1;
}

static void sweep_dealloc(PyObject *object)
{
    Sweep *self = (Sweep *)object;
    kal_sweep_destroy(self->sweep);
    kal_context_destroy(self->ctx);
    Py_XDECREF(self->owner);
    Py_TYPE(object)->tp_free(object);
}

static bool enter(Sweep *self)
{
    if (self->busy || !self->sweep) {
        PyErr_SetString(PyExc_RuntimeError, self->sweep
                                                ? "another thread uses this sweep"
                                                : "this Sweep was not made");
        return false;
    }
    self->busy = stack_suffices();
    return self->busy;
}

static bool keep_failure(Rows *rows, const KalSweepRow *row)
{
    if (rows->n_failures == rows->capacity) {
        const size_t larger = 2 * rows->capacity + 16;
        Failure *more = realloc(rows->failures, larger * sizeof *more);
        if (!more) {
            return false;
        }
        rows->failures = more;
        rows->capacity = larger;
    }
    char *reason = strdup(row->reason);
    if (reason) {
        rows->failures[rows->n_failures++] = (Failure){row->run, reason};
    }
    return reason != NULL;
}

static KalStatus take(void *user, const KalSweepRow *row)
{
    Rows *rows = (Rows *)user;
    double *values = rows->values + (row->run - 1) * rows->columns;
    memcpy(values, row->inputs, rows->inputs * sizeof *values);
    memcpy(values + rows->inputs, row->values,
           (rows->columns - rows->inputs) * sizeof *values);
    for (size_t i = 0; row->not_unique && i < rows->columns - rows->inputs; i++) {
        rows->marks[i] = rows->marks[i] || row->not_unique[i];
    }
    return row->status == KAL_OK || keep_failure(rows, row) ? KAL_OK : KAL_ERR_NOMEM;
}

// All threads ask; signals reach the one that called.
static bool watch(void *user)
{
    const Rows *rows = (const Rows *)user;
    return !pthread_equal(pthread_self(), rows->caller) || pulse_beat(rows->pulse);
}

static PyObject *list_columns(const Sweep *self, const Rows *rows)
{
    const size_t inputs = rows->inputs;
    PyObject *list = PyList_New((Py_ssize_t)rows->columns);
    for (size_t i = 0; list && i < rows->columns; i++) {
        KalQuantity column = i < inputs ? kal_sweep_input(self->sweep, i)
                                        : kal_sweep_value(self->sweep, i - inputs);
        if (i >= inputs && rows->marks[i - inputs]) {
            column.description = KAL_TABLE_NOT_UNIQUE;
        }
        list_put(&list, i, describe_quantity(column));
    }
    return list;
}

static PyObject *list_failures(const Rows *rows)
{
    PyObject *all = PyDict_New();
    for (size_t i = 0; all && i < rows->n_failures; i++) {
        PyObject *key = PyLong_FromUnsignedLongLong(rows->failures[i].run);
        PyObject *reason = text_of(rows->failures[i].reason);
        if (!key || !reason || PyDict_SetItem(all, key, reason) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(key);
        Py_XDECREF(reason);
    }
    return all;
}

static void rows_clear(Rows *rows)
{
    for (size_t i = 0; i < rows->n_failures; i++) {
        free(rows->failures[i].reason);
    }
    free(rows->failures);
    free(rows->marks);
}

static PyObject *collect(Sweep *self, int threads)
{
    Pulse pulse = {.last = 0.0};
    Rows rows = {.runs = kal_sweep_runs(self->sweep),
                 .inputs = kal_sweep_inputs(self->sweep),
                 .columns = kal_sweep_inputs(self->sweep) + kal_sweep_kept(self->sweep),
                 .pulse = &pulse,
                 .caller = pthread_self()};
    if (rows.runs > (uint64_t)PY_SSIZE_T_MAX / sizeof(double) / (rows.columns + 1)) {
        return PyErr_NoMemory();
    }
    PyObject *array =
        new_array((Py_ssize_t)rows.runs, (Py_ssize_t)rows.columns, &rows.values);
    rows.marks = calloc(rows.columns + 1, sizeof *rows.marks);
    if (!array || !rows.marks) {
        Py_XDECREF(array);
        rows_clear(&rows);
        return array ? PyErr_NoMemory() : NULL;
    }
    const KalSweepJob job = {
        .threads = threads, .watch = watch, .take = take, .user = &rows};
    KalStatus status = KAL_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = kal_sweep_go(self->sweep, &job);
    Py_END_ALLOW_THREADS;
    PyObject *result = NULL;
    if (!pulse_raise(&pulse)) {
        result = status == KAL_OK ? Py_BuildValue("(NON)", list_columns(self, &rows),
                                                  array, list_failures(&rows))
                                  : raise_context(status, self->ctx);
    }
    Py_DECREF(array);
    rows_clear(&rows);
    return result;
}

// go(threads): columns, an array with a row for each run, reasons of runs that failed.
static PyObject *sweep_go(PyObject *object, PyObject *args)
{
    Sweep *self = (Sweep *)object;
    int threads = 0;
    if (!PyArg_ParseTuple(args, "i", &threads) || !enter(self)) {
        return NULL;
    }
    PyObject *result = collect(self, threads);
    self->busy = false;
    return result;
}

// write(path, threads, resume): into a file; how many runs there are, and how many failed.
static PyObject *sweep_write(PyObject *object, PyObject *args)
{
    Sweep *self = (Sweep *)object;
    Pulse pulse = {.last = 0.0};
    Rows rows = {.pulse = &pulse, .caller = pthread_self()};
    char *path = NULL;
    int resume = 0;
    KalSweepFileOptions options = {
        .watch = watch, .user = &rows, .command = "from Python"};
    if (!PyArg_ParseTuple(args, "O&ip", copy_path, &path, &options.threads, &resume)) {
        return NULL;
    }
    if (!enter(self)) {
        free(path);
        return NULL;
    }
    options.resume = resume != 0;
    KalSweepSummary summary = {.runs = 0};
    KalStatus status = KAL_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = kal_sweep_write(self->sweep, path, &options, &summary);
    Py_END_ALLOW_THREADS;
    free(path);
    PyObject *result = NULL;
    if (!pulse_raise(&pulse)) {
        result = status == KAL_OK ? Py_BuildValue(
                     "(KK)", (unsigned long long)summary.runs,
                     (unsigned long long)(summary.runs - summary.statuses[KAL_OK]))
                                  : raise_context(status, self->ctx);
    }
    self->busy = false;
    return result;
}

static PyObject *sweep_runs(PyObject *object, PyObject *none)
{
    const Sweep *self = (const Sweep *)object;
    (void)none;
    return PyLong_FromUnsignedLongLong(self->sweep ? kal_sweep_runs(self->sweep) : 0);
}

static PyMethodDef sweep_methods[] = {
    {"go",    sweep_go,    METH_VARARGS, "All runs, into an array."},
    {"write", sweep_write, METH_VARARGS, "All runs, into a file."  },
    {"runs",  sweep_runs,  METH_NOARGS,  "How many there are."     },
    {NULL,    NULL,        0,            NULL                      },
};

PyTypeObject Sweep_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kalaba._native.Sweep",
    .tp_doc = "Many runs of a System.",
    .tp_basicsize = sizeof(Sweep),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = sweep_init,
    .tp_dealloc = sweep_dealloc,
    .tp_methods = sweep_methods,
};
