// SPDX-License-Identifier: MIT

// A compiled model: loaded once, then shared by all that is computed with it.

#include "native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int copy_path(PyObject *path, void *out)
{
    char **place = (char **)out;
    PyObject *bytes = NULL;
    if (!path) { // a later argument is wrong
        free(*place);
        *place = NULL;
        return 0;
    }
    if (!PyUnicode_FSConverter(path, (void *)&bytes)) {
        return 0;
    }
    *place = strdup(PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    if (!*place) {
        PyErr_NoMemory();
        return 0;
    }
    return Py_CLEANUP_SUPPORTED;
}

// The same, NULL for None.
static int copy_path_or_none(PyObject *path, void *out)
{
    return path == Py_None ? 1 : copy_path(path, out);
}

// The most bytes of a file that a model uses, as the program allows.
static const size_t FILE_LIMIT = (size_t)256 << 20;

// All of an open file, which is closed; NULL, or what is wrong with it.
static const char *read_all(int file, KalSink text)
{
    const char *problem = NULL;
    size_t total = 0;
    while (!problem) {
        char piece[16384];
        const ssize_t got = read(file, piece, sizeof piece);
        if (got <= 0) {
            problem = got < 0 ? "it cannot be read" : NULL;
            break;
        }
        total += (size_t)got;
        problem = total > FILE_LIMIT ? "it has more than 256 MiB" : NULL;
        text.write(text.user, piece, (size_t)got);
    }
    close(file);
    return problem;
}

// A path that begins in the folder where the model was loaded, wherever we are now; NULL
// without memory.
static char *join_base(const Source *source, const char *path)
{
    if (path[0] == '/' || !source->base) {
        return strdup(path);
    }
    const size_t size = strlen(source->base) + strlen(path) + 2;
    char *whole = malloc(size);
    if (whole) {
        (void)snprintf(whole, size, "%s/%s", source->base, path);
    }
    return whole;
}

// A file that a model uses, which must be in its folder.
static const char *read_used(void *user, const char *path, KalSink text)
{
    const Source *source = (const Source *)user;
    KalContext *ctx = NULL;
    int file = -1;
    char *whole = join_base(source, path);
    if (!whole || kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        free(whole);
        return "out of memory";
    }
    const bool found = kal_file_open(ctx, whole, source->folder, &file) == KAL_OK;
    kal_context_destroy(ctx);
    free(whole);
    return found ? read_all(file, text)
                 : "it is not there, no file, or outside of the model's folder";
}

PyObject *native_read_file(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path = NULL;
    KalContext *ctx = NULL;
    Text text = {.bytes = NULL};
    PyObject *result = NULL;
    int file = -1;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    if (!(ctx = new_context())) {
        Py_DECREF(path);
        return NULL;
    }
    const KalStatus status = kal_file_open(ctx, PyBytes_AS_STRING(path), NULL, &file);
    const char *problem = status == KAL_OK ? read_all(file, text_sink(&text)) : NULL;
    if (status != KAL_OK) {
        (void)raise_context(status, ctx);
    } else if (problem) {
        (void)raise_status(KAL_ERR_FILE, problem, NULL, 0);
    } else if (text.lost) {
        (void)PyErr_NoMemory();
    } else {
        result = PyBytes_FromStringAndSize(text.bytes, (Py_ssize_t)text.length);
    }
    text_clear(&text);
    kal_context_destroy(ctx);
    Py_DECREF(path);
    return result;
}

KalStatus source_load(const Source *source, KalContext *ctx,
                      const KalOverride *overrides, size_t n, Text *messages,
                      KalSystem **out_system)
{
    KalOverride *all = calloc(source->n_overrides + n + 1, sizeof *all);
    if (!all) {
        return KAL_ERR_NOMEM;
    }
    for (size_t i = 0; i < source->n_overrides + n; i++) {
        all[i] = i < source->n_overrides ? source->overrides[i]
                                         : overrides[i - source->n_overrides];
    }
    const KalLoadOptions options = {
        .overrides = all,
        .n_overrides = source->n_overrides + n,
        .read = source->folder ? read_used : NULL,
        .user = (void *)source,
        .stiff = source->stiff,
        .balance = source->balance,
        .analysis = source->analysis,
        .messages = messages ? text_sink(messages) : (KalSink){.write = NULL},
    };
    const KalStatus status = kal_system_load(ctx, source->name, source->text,
                                             source->length, &options, out_system);
    free(all);
    return status;
}

static char *copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

static bool copy_overrides(PyObject *list, Source *source)
{
    PyObject *all = hold_items(list, "overrides are a list of (name, text)");
    if (!all) {
        return false;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(all);
    bool done = true;
    source->overrides = calloc((size_t)n + 1, sizeof *source->overrides);
    for (Py_ssize_t i = 0; source->overrides && i < n && done; i++) {
        PyObject *item = PyTuple_GET_ITEM(all, i);
        KalOverride one = {.name = NULL};
        done =
            PyTuple_Check(item) && PyArg_ParseTuple(item, "ss", &one.name, &one.value);
        if (done) {
            source->overrides[source->n_overrides++] =
                (KalOverride){copy_text(one.name), copy_text(one.value)};
        } else if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "overrides are a list of (name, text)");
        }
    }
    Py_DECREF(all);
    return done && source->overrides;
}

static void source_clear(Source *source)
{
    for (size_t i = 0; i < source->n_overrides; i++) {
        free((char *)source->overrides[i].name);
        free((char *)source->overrides[i].value);
    }
    free(source->overrides);
    free(source->name);
    free(source->text);
    free(source->folder);
    free(source->base);
    *source = (Source){.name = NULL};
}

// With all messages, each with its place and the line that it is about.
static int load(System *self)
{
    Text messages = {.bytes = NULL};
    KalStatus status = KAL_OK;
    Pulse pulse;
    pulse_begin(&pulse, self->ctx);
    Py_BEGIN_ALLOW_THREADS;
    status = source_load(&self->source, self->ctx, NULL, 0, &messages, &self->system);
    Py_END_ALLOW_THREADS;
    if (pulse_end(&pulse, self->ctx)) {
        status = KAL_ERR_INTERRUPTED;
    } else if (status == KAL_ERR_SYNTAX && messages.length > 0) {
        text_sink(&messages).write(&messages, "", 1); // the end of a string
        (void)raise_status(status, messages.bytes, NULL, 0);
    } else if (status != KAL_OK) {
        (void)raise_context(status, self->ctx);
    }
    text_clear(&messages);
    return status == KAL_OK ? 0 : -1;
}

// Give a system its source and what overrides values, or clear the source.
static bool adopt(System *self, Source *source, PyObject *overrides)
{
    bool done = source->name && source->text;
    if (!done) {
        PyErr_NoMemory();
    }
    done = done && copy_overrides(overrides, source);
    if (done && self->ctx) { // by now: reading a list may run any code
        PyErr_SetString(PyExc_RuntimeError, "a System is made once");
        done = false;
    }
    KalContext *ctx = done ? new_context() : NULL;
    if (!ctx) {
        source_clear(source);
        return false;
    }
    self->ctx = ctx;
    self->source = *source;
    return true;
}

static int system_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    (void)keywords; // all by place
    System *self = (System *)object;
    Source source = {.name = NULL};
    const char *text = NULL;
    Py_ssize_t length = 0;
    PyObject *overrides = NULL;
    int balance = 1;
    int stiff = 0;
    int analysis = 0;
    if (!PyArg_ParseTuple(args, "O&s#OO&O&|ppp", copy_path, &source.name, &text,
                          &length, &overrides, copy_path_or_none, &source.folder,
                          copy_path_or_none, &source.base, &balance, &stiff,
                          &analysis)) {
        return -1;
    }
    if (!stack_suffices()) {
        source_clear(&source);
        return -1;
    }
    source.text = malloc((size_t)length + 1);
    source.length = (size_t)length;
    source.balance = balance != 0;
    source.stiff = stiff != 0;
    source.analysis = analysis != 0;
    if (source.text) {
        memcpy(source.text, text, (size_t)length + 1);
    }
    return adopt(self, &source, overrides) ? load(self) : -1;
}

static void system_dealloc(PyObject *object)
{
    System *self = (System *)object;
    kal_system_destroy(self->system);
    kal_context_destroy(self->ctx);
    source_clear(&self->source);
    Py_TYPE(object)->tp_free(object);
}

// Every method begins with it: an object whose making failed has nothing to offer.
static const KalSystem *system_of(PyObject *object)
{
    const System *self = (const System *)object;
    if (!self->system) {
        PyErr_SetString(PyExc_RuntimeError, "this System was not loaded");
    }
    return self->system && stack_suffices() ? self->system : NULL;
}

static PyObject *list_parameters(const KalSystem *system)
{
    const int n = kal_system_parameters(system);
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        const KalParameterInfo one = kal_system_parameter(system, i);
        list_put(&list, (size_t)i,
                 Py_BuildValue("(szdO)", one.name, one.degrees ? "deg" : one.unit,
                               one.value, one.fixed ? Py_True : Py_False));
    }
    return list;
}

static PyObject *write_warnings(const KalSystem *system)
{
    Text text = {.bytes = NULL};
    (void)kal_system_write_warnings(system, text_sink(&text));
    return text_take(&text);
}

static PyObject *system_describe(PyObject *object, PyObject *none)
{
    (void)none;
    const KalSystem *s = system_of(object);
    if (!s) {
        return NULL;
    }
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "title", text_of(kal_system_title(s)),
        "coordinates",
        list_names(kal_system_coordinate_names(s), (size_t)kal_system_coordinates(s)),
        "constraints",
        list_names(kal_system_constraint_names(s), (size_t)kal_system_constraints(s)),
        "outputs",
        list_names(kal_system_output_names(s), (size_t)kal_system_outputs(s)), "states",
        list_names(kal_system_state_names(s), (size_t)kal_system_states(s)), "holds",
        list_names(kal_system_hold_names(s), (size_t)kal_system_holds(s)), "inputs",
        list_names(kal_system_input_names(s), (size_t)kal_system_inputs(s)),
        "parameters", list_parameters(s), "warnings", write_warnings(s));
}

// What is told about a system, on its way through one call in a context of its own.
typedef struct Telling {
    KalContext *ctx;
    Pulse pulse;
    Text text;
    KalStatus status;
} Telling;

// The text, or the exception that belongs to what went wrong; the context is gone then.
static PyObject *telling_end(Telling *telling)
{
    PyObject *result = NULL;
    if (!pulse_end(&telling->pulse, telling->ctx)) {
        result = telling->status == KAL_OK
                     ? text_take(&telling->text)
                     : raise_context(telling->status, telling->ctx);
    }
    text_clear(&telling->text);
    kal_context_destroy(telling->ctx);
    return result;
}

static PyObject *system_check(PyObject *object, PyObject *args)
{
    const KalSystem *system = system_of(object);
    int json = 1;
    KalContext *ctx = NULL;
    if (!system || !PyArg_ParseTuple(args, "p", &json) || !(ctx = new_context())) {
        return NULL;
    }
    const KalShowOptions how = {.format = json ? KAL_SHOW_JSON : KAL_SHOW_TEXT};
    Telling telling = {.ctx = ctx};
    KalCheck *check = NULL;
    pulse_begin(&telling.pulse, ctx);
    Py_BEGIN_ALLOW_THREADS;
    telling.status = kal_check_create(ctx, system, &check);
    if (telling.status == KAL_OK) {
        kal_show_check(check, &how, text_sink(&telling.text));
    }
    Py_END_ALLOW_THREADS;
    kal_check_destroy(check);
    return telling_end(&telling);
}

static PyObject *system_derive(PyObject *object, PyObject *args)
{
    const KalSystem *system = system_of(object);
    int format = 0;
    int closed = 0;
    KalContext *ctx = NULL;
    if (!system || !PyArg_ParseTuple(args, "ip", &format, &closed)
        || !(ctx = new_context())) {
        return NULL;
    }
    const KalShowOptions how = {.format = (KalShowFormat)format,
                                .closed_form = closed != 0};
    Telling telling = {.ctx = ctx};
    pulse_begin(&telling.pulse, ctx);
    Py_BEGIN_ALLOW_THREADS;
    telling.status = kal_show_system(ctx, system, &how, text_sink(&telling.text));
    Py_END_ALLOW_THREADS;
    return telling_end(&telling);
}

static PyObject *system_reduce(PyObject *object, PyObject *args)
{
    const KalSystem *system = system_of(object);
    int format = 0;
    PyObject *given_names = NULL;
    PyObject *given_outputs = NULL;
    if (!system
        || !PyArg_ParseTuple(args, "iOO", &format, &given_names, &given_outputs)) {
        return NULL;
    }
    Texts names = {.n = 0};
    Texts outputs = {.n = 0};
    Telling telling = {.ctx = NULL};
    telling.ctx = texts_read(given_names, &names) && texts_read(given_outputs, &outputs)
                      ? new_context()
                      : NULL;
    KalSpeedChoice *speeds = telling.ctx ? calloc(names.n + 1, sizeof *speeds) : NULL;
    PyObject *result = NULL;
    if (speeds && names.n == outputs.n) {
        for (size_t i = 0; i < names.n; i++) {
            speeds[i] = (KalSpeedChoice){names.list[i], outputs.list[i]};
        }
        const KalShowOptions how = {.format = (KalShowFormat)format};
        pulse_begin(&telling.pulse, telling.ctx);
        Py_BEGIN_ALLOW_THREADS;
        telling.status = kal_show_reduced(telling.ctx, system, speeds, names.n, &how,
                                          text_sink(&telling.text));
        Py_END_ALLOW_THREADS;
        result = telling_end(&telling);
    } else {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "a speed needs a name and an output");
        }
        kal_context_destroy(telling.ctx);
    }
    free(speeds);
    texts_clear(&names);
    texts_clear(&outputs);
    return result;
}

// export_c(folder, name, single): C sources; what they came to.
static PyObject *system_export_c(PyObject *object, PyObject *args)
{
    const KalSystem *system = system_of(object);
    char *folder = NULL;
    KalExportOptions options = {.name = NULL};
    int single = 0;
    if (!system
        || !PyArg_ParseTuple(args, "O&sp", copy_path, &folder, &options.name,
                             &single)) {
        return NULL;
    }
    options.single = single != 0;
    KalContext *ctx = new_context();
    KalExportReport report = {.bytes = 0};
    KalStatus status = KAL_OK;
    if (!ctx) {
        free(folder);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = kal_export_c(ctx, system, &options, folder, &report);
    Py_END_ALLOW_THREADS;
    free(folder);
    PyObject *result =
        status == KAL_OK
            ? Py_BuildValue("{s:s,s:n,s:n,s:n,s:n,s:O}", "name", report.name, "bytes",
                            (Py_ssize_t)report.bytes, "work_bytes",
                            (Py_ssize_t)report.work_bytes, "operations",
                            (Py_ssize_t)report.operations, "most_operations",
                            (Py_ssize_t)report.at_most, "redundant",
                            report.redundant ? Py_True : Py_False)
            : raise_context(status, ctx);
    kal_context_destroy(ctx);
    return result;
}

// export_fmu(path, name, version): an FMU; what it came to.
static PyObject *system_export_fmu(PyObject *object, PyObject *args)
{
    const KalSystem *system = system_of(object);
    char *path = NULL;
    KalFmuOptions options = {.name = NULL};
    if (!system
        || !PyArg_ParseTuple(args, "O&si", copy_path, &path, &options.name,
                             &options.version)) {
        return NULL;
    }
    KalContext *ctx = new_context();
    KalFmuReport report = {.variables = 0};
    KalStatus status = KAL_OK;
    if (!ctx) {
        free(path);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = kal_export_fmu(ctx, system, &options, path, &report);
    Py_END_ALLOW_THREADS;
    free(path);
    PyObject *result =
        status == KAL_OK
            ? Py_BuildValue("{s:s,s:s,s:n,s:n}", "name", report.name, "token",
                            report.token, "variables", (Py_ssize_t)report.variables,
                            "states", (Py_ssize_t)report.states)
            : raise_context(status, ctx);
    kal_context_destroy(ctx);
    return result;
}

static PyObject *list_overrides(const Source *source)
{
    PyObject *list = PyList_New((Py_ssize_t)source->n_overrides);
    for (size_t i = 0; list && i < source->n_overrides; i++) {
        list_put(&list, i,
                 Py_BuildValue("(ss)", source->overrides[i].name,
                               source->overrides[i].value));
    }
    return list;
}

static PyObject *path_of(const char *path)
{
    return path ? PyUnicode_DecodeFSDefault(path) : Py_NewRef(Py_None);
}

// For copies and other processes, which load it once more.
static PyObject *system_reduce_ex(PyObject *object, PyObject *none)
{
    (void)none;
    const Source *source = &((const System *)object)->source;
    if (!system_of(object)) {
        return NULL;
    }
    return Py_BuildValue(
        "O(Ns#NNNOOO)", (PyObject *)Py_TYPE(object), path_of(source->name),
        source->text, (Py_ssize_t)source->length, list_overrides(source),
        path_of(source->folder), path_of(source->base),
        source->balance ? Py_True : Py_False, source->stiff ? Py_True : Py_False,
        source->analysis ? Py_True : Py_False);
}

static PyMethodDef system_methods[] = {
    {"describe",   system_describe,   METH_NOARGS,  "Names, parameters and warnings."},
    {"check",      system_check,      METH_VARARGS, "What the model is like."        },
    {"derive",     system_derive,     METH_VARARGS, "Its equations."                 },
    {"reduce",     system_reduce,     METH_VARARGS, "Its reduced equations."         },
    {"export_c",   system_export_c,   METH_VARARGS, "C sources of it."               },
    {"export_fmu", system_export_fmu, METH_VARARGS, "An FMU of it."                  },
    {"__reduce__", system_reduce_ex,  METH_NOARGS,  "What it is made of."            },
    {NULL,         NULL,              0,            NULL                             },
};

PyTypeObject System_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kalaba._native.System",
    .tp_doc = "A compiled model; it never changes and threads share it.",
    .tp_basicsize = sizeof(System),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = system_init,
    .tp_dealloc = system_dealloc,
    .tp_methods = system_methods,
};
