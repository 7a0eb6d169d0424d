// SPDX-License-Identifier: MIT

// The module and what its files share: texts, arrays, failures, signals.

#define _GNU_SOURCE // pthread_getattr_np()

#include "native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PyObject *numpy_empty;   // of numpy, held for ever
static PyObject *numpy_asarray; // likewise
static PyObject *plain_array;   // its type of arrays, likewise
static PyObject *masked_array;  // the type of numpy.ma, likewise
static PyObject *is_masked;     // of numpy.ma, likewise
static PyObject *make_error;    // kalaba.errors.make_error, when first needed

// Texts

static void text_write(void *user, const char *bytes, size_t length)
{
    Text *text = (Text *)user;
    if (text->lost || length == 0) {
        return;
    }
    if (text->capacity - text->length < length) {
        const size_t larger = 2 * text->capacity + length + 256;
        char *more = realloc(text->bytes, larger);
        if (!more) {
            text->lost = true;
            return;
        }
        text->bytes = more;
        text->capacity = larger;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

KalSink text_sink(Text *text)
{
    return (KalSink){text_write, text};
}

void text_clear(Text *text)
{
    free(text->bytes);
    *text = (Text){.bytes = NULL};
}

PyObject *text_take(Text *text)
{
    PyObject *string = text->lost
                           ? PyErr_NoMemory()
                           : PyUnicode_DecodeUTF8(text->bytes ? text->bytes : "",
                                                  (Py_ssize_t)text->length, "replace");
    text_clear(text);
    return string;
}

PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

// Failures

void list_put(PyObject **list, size_t i, PyObject *item)
{
    if (!item) {
        Py_CLEAR(*list);
    } else {
        PyList_SET_ITEM(*list, (Py_ssize_t)i, item);
    }
}

PyObject *describe_quantity(KalQuantity quantity)
{
    return Py_BuildValue("(sss)", quantity.name, quantity.unit ? quantity.unit : "",
                         quantity.description ? quantity.description : "");
}

PyObject *list_names(const char *const *names, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        list_put(&list, i, PyUnicode_FromString(names[i]));
    }
    return list;
}

static const char *status_name(KalStatus status)
{
#define STATUS_NAME(name, phrase) #name,
    static const char *const names[] = {KAL_STATUS_LIST(STATUS_NAME)};
#undef STATUS_NAME
    return names[status];
}

PyObject *raise_status(KalStatus status, const char *message, const char *const *names,
                       size_t n)
{
    if (!make_error) {
        PyObject *module = PyImport_ImportModule("kalaba.errors");
        make_error = module ? PyObject_GetAttrString(module, "make_error") : NULL;
        Py_XDECREF(module);
    }
    PyObject *list = make_error ? list_names(names, n) : NULL;
    PyObject *text = list ? text_of(message) : NULL;
    PyObject *error =
        text ? PyObject_CallFunction(make_error, "sOO", status_name(status), text, list)
             : NULL;
    if (error) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    }
    Py_XDECREF(list);
    Py_XDECREF(text);
    Py_XDECREF(error);
    return NULL;
}

PyObject *raise_context(KalStatus status, const KalContext *ctx)
{
    return raise_status(status, kal_context_message(ctx), NULL, 0);
}

KalContext *new_context(void)
{
    KalContext *ctx = NULL;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        PyErr_NoMemory();
    }
    return ctx;
}

// Arrays

enum {
    BUFFER_FLAGS = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT
};

static bool is_plain(const Py_buffer *view)
{
    return view->format && strcmp(view->format, "d") == 0
           && view->itemsize == (Py_ssize_t)sizeof(double);
}

// The numbers where they are.
static bool view_plain(PyObject *object, Doubles *out_doubles)
{
    if (!PyObject_CheckBuffer(object)
        || PyObject_GetBuffer(object, &out_doubles->view, BUFFER_FLAGS) != 0) {
        PyErr_Clear(); // a copy will do
        return false;
    }
    if (!is_plain(&out_doubles->view)) {
        PyBuffer_Release(&out_doubles->view);
        return false;
    }
    return true;
}

// Whether numbers that are masked are among those of an array, or of a list of arrays: what is
// below a mask means nothing.  −1 with an exception.
static int has_masked(PyObject *object)
{
    if (PyList_Check(object) || PyTuple_Check(object)) {
        PyObject *items = PySequence_Tuple(object);
        int found =
            items && Py_EnterRecursiveCall(" in a list of numbers") == 0 ? 0 : -1;
        for (Py_ssize_t i = 0; found == 0 && i < PyTuple_GET_SIZE(items); i++) {
            found = has_masked(PyTuple_GET_ITEM(items, i));
        }
        if (items) {
            Py_LeaveRecursiveCall();
        }
        Py_XDECREF(items);
        return found;
    }
    const int masked = PyObject_IsInstance(object, masked_array);
    if (masked <= 0) {
        return masked;
    }
    PyObject *answer = PyObject_CallOneArg(is_masked, object);
    const int found = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return found;
}

static bool refuse_masked(PyObject *object)
{
    const int found = has_masked(object);
    if (found > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "some of the numbers are masked: fill them or leave them out");
    }
    return found == 0;
}

// What NumPy says of things that are no arrays is not for those who called us.
static void complain_of_array(PyObject *object)
{
    PyObject *kind = PyErr_ExceptionMatches(PyExc_TypeError)    ? PyExc_TypeError
                     : PyErr_ExceptionMatches(PyExc_ValueError) ? PyExc_ValueError
                                                                : NULL;
    if (kind) {
        PyErr_Clear();
        PyErr_Format(kind, "an array of real numbers is needed, not %.200R", object);
    }
}

// A copy of anything that is an array of real numbers to NumPy.
static bool view_copy(PyObject *object, Doubles *out_doubles)
{
    PyObject *array = PyObject_CallFunctionObjArgs(numpy_asarray, object, NULL);
    PyObject *copy =
        array ? PyObject_CallMethod(array, "astype", "sss", "float64", "C", "same_kind")
              : NULL;
    const bool done =
        copy && PyObject_GetBuffer(copy, &out_doubles->view, BUFFER_FLAGS) == 0;
    Py_XDECREF(array);
    Py_XDECREF(copy); // the view keeps it
    if (!done) {
        complain_of_array(object);
    }
    return done;
}

bool doubles_get(PyObject *object, Doubles *out_doubles)
{
    *out_doubles = (Doubles){.values = NULL};
    if ((PyObject *)Py_TYPE(object) != plain_array && !refuse_masked(object)) {
        return false;
    }
    if (!view_plain(object, out_doubles) && !view_copy(object, out_doubles)) {
        return false;
    }
    out_doubles->values = out_doubles->view.buf;
    out_doubles->count = out_doubles->view.len / (Py_ssize_t)sizeof(double);
    return true;
}

void doubles_release(Doubles *doubles)
{
    if (doubles->values) {
        PyBuffer_Release(&doubles->view);
        doubles->values = NULL;
    }
}

PyObject *new_array(Py_ssize_t rows, Py_ssize_t columns, double **out_values)
{
    Py_buffer view;
    PyObject *shape =
        columns >= 0 ? Py_BuildValue("(nn)", rows, columns) : PyLong_FromSsize_t(rows);
    PyObject *array = shape ? PyObject_Vectorcall(numpy_empty, &shape, 1, NULL) : NULL;
    Py_XDECREF(shape);
    if (!array || PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) != 0) {
        Py_XDECREF(array);
        return NULL;
    }
    *out_values = view.buf;
    PyBuffer_Release(&view); // the array is ours alone: it keeps its place
    return array;
}

PyObject *copy_array(const double *values, Py_ssize_t count)
{
    double *place = NULL;
    PyObject *array = new_array(count, -1, &place);
    if (array && count > 0) {
        memcpy(place, values, (size_t)count * sizeof *place);
    }
    return array;
}

// Lists

// A list or the like as a tuple: what runs while it is read may change a list.
PyObject *hold_items(PyObject *list, const char *complaint)
{
    PyObject *held = PySequence_Tuple(list);
    if (!held && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_SetString(PyExc_TypeError, complaint);
    }
    return held;
}

static bool setting_read(PyObject *item, KalSetting *out_setting)
{
    if (!PyTuple_Check(item)) {
        PyErr_SetString(PyExc_TypeError, "parameters are a list of (name, value)");
        return false;
    }
    return PyArg_ParseTuple(item, "sd", &out_setting->name, &out_setting->value);
}

bool settings_read(PyObject *list, Settings *out_settings)
{
    *out_settings = (Settings){.list = NULL};
    out_settings->held = hold_items(list, "parameters are a list of (name, value)");
    if (!out_settings->held) {
        return false;
    }
    out_settings->n = (size_t)PyTuple_GET_SIZE(out_settings->held);
    out_settings->list = calloc(out_settings->n + 1, sizeof *out_settings->list);
    bool done = out_settings->list || PyErr_NoMemory();
    for (size_t i = 0; done && i < out_settings->n; i++) {
        done = setting_read(PyTuple_GET_ITEM(out_settings->held, (Py_ssize_t)i),
                            &out_settings->list[i]);
    }
    if (!done) {
        settings_clear(out_settings);
    }
    return done;
}

void settings_clear(Settings *settings)
{
    free(settings->list);
    Py_CLEAR(settings->held);
    *settings = (Settings){.list = NULL};
}

// A text that goes on after a NUL would be cut there.
static const char *text_read(PyObject *item)
{
    Py_ssize_t length = 0;
    const char *text = NULL;
    if (!PyUnicode_Check(item)) {
        PyErr_Format(PyExc_TypeError, "%R is no text", item);
    } else {
        text = PyUnicode_AsUTF8AndSize(item, &length);
    }
    if (text && strlen(text) != (size_t)length) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return NULL;
    }
    return text;
}

bool texts_read(PyObject *list, Texts *out_texts)
{
    *out_texts = (Texts){.list = NULL};
    out_texts->held = hold_items(list, "a list of texts is needed");
    if (!out_texts->held) {
        return false;
    }
    out_texts->n = (size_t)PyTuple_GET_SIZE(out_texts->held);
    out_texts->list = calloc(out_texts->n + 1, sizeof *out_texts->list);
    bool done = out_texts->list || PyErr_NoMemory();
    for (size_t i = 0; done && i < out_texts->n; i++) {
        out_texts->list[i] =
            text_read(PyTuple_GET_ITEM(out_texts->held, (Py_ssize_t)i));
        done = out_texts->list[i] != NULL;
    }
    if (!done) {
        texts_clear(out_texts);
    }
    return done;
}

void texts_clear(Texts *texts)
{
    free((void *)texts->list);
    Py_CLEAR(texts->held);
    *texts = (Texts){.list = NULL};
}

// Numbers

int count_read(PyObject *number, void *out)
{
    PyObject *whole = PyNumber_Index(number);
    const unsigned long long value = whole ? PyLong_AsUnsignedLongLong(whole) : 0;
    Py_XDECREF(whole);
    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
            PyErr_Format(PyExc_ValueError, "%R is no number from 0 to 2^64 - 1",
                         number);
        }
        return 0;
    }
    *(uint64_t *)out = value;
    return 1;
}

static PyObject *native_radians(PyObject *module, PyObject *number)
{
    (void)module;
    const double degrees = PyFloat_AsDouble(number);
    return degrees == -1.0 && PyErr_Occurred()
               ? NULL
               : PyFloat_FromDouble(kal_radians(degrees));
}

// Stack

// The lowest address of the calling thread's stack, or 0 if nobody knows.
static uintptr_t find_stack_end(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return 0;
    }
    const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
    pthread_attr_destroy(&attributes);
    return known ? (uintptr_t)lowest : 0;
}

bool stack_suffices(void)
{
    static _Thread_local uintptr_t end = 0; // found once: that takes a while
    const char here = 0;
    if (end == 0) {
        end = find_stack_end();
    }
    if ((uintptr_t)&here - end >= KAL_STACK_SIZE) {
        return true;
    }
    PyErr_Format(
        PyExc_RuntimeError,
        "this thread has too small a stack: give threads at least %d bytes with "
        "threading.stack_size(), or what is usual with 0",
        2 * KAL_STACK_SIZE);
    return false;
}

// Signals

static double seconds_now(void)
{
    struct timespec time = {.tv_sec = 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool pulse_beat(Pulse *pulse)
{
    const double between = 0.05; // seconds: nobody waits longer for Ctrl-C
    const double now = seconds_now();
    if (now - pulse->last < between) {
        return true;
    }
    pulse->last = now;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool raised = PyErr_CheckSignals() != 0;
    if (raised) {
        PyErr_Fetch(&pulse->type, &pulse->value, &pulse->trace);
    }
    PyGILState_Release(state);
    return !raised;
}

bool pulse_raise(Pulse *pulse)
{
    if (!pulse->type) {
        return false;
    }
    PyErr_Restore(pulse->type, pulse->value, pulse->trace);
    *pulse = (Pulse){.type = NULL};
    return true;
}

static bool watch_context(void *user)
{
    return pulse_beat((Pulse *)user);
}

void pulse_begin(Pulse *pulse, KalContext *ctx)
{
    *pulse = (Pulse){.last = seconds_now()};
    kal_context_set_watch(ctx, watch_context, pulse);
}

bool pulse_end(Pulse *pulse, KalContext *ctx)
{
    kal_context_set_watch(ctx, NULL, NULL);
    return pulse_raise(pulse);
}

// The module

static PyMethodDef functions[] = {
    {"linearize",  native_linearize,  METH_VARARGS, "A, B, C, D about a state, as JSON."},
    {"modes",      native_modes,      METH_VARARGS, "Modes about a state, as JSON."     },
    {"equilibria", native_equilibria, METH_VARARGS, "States of rest, as JSON."          },
    {"solve",      native_solve,      METH_VARARGS, "One instant from arrays."          },
    {"read_file",  native_read_file,  METH_VARARGS, "The bytes of a regular file."      },
    {"radians",    native_radians,    METH_O,       "Degrees as a model takes them."    },
    {NULL,         NULL,              0,            NULL                                },
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "kalaba._native",
    .m_doc = "The library's objects, for the rest of the package.",
    .m_size = -1,
    .m_methods = functions,
};

static bool find_numpy(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *masks = numpy ? PyImport_ImportModule("numpy.ma") : NULL;
    if (masks) {
        numpy_empty = PyObject_GetAttrString(numpy, "empty");
        numpy_asarray = PyObject_GetAttrString(numpy, "asarray");
        plain_array = PyObject_GetAttrString(numpy, "ndarray");
        masked_array = PyObject_GetAttrString(masks, "MaskedArray");
        is_masked = PyObject_GetAttrString(masks, "is_masked");
    }
    Py_XDECREF(numpy);
    Py_XDECREF(masks);
    return numpy_empty && numpy_asarray && plain_array && masked_array && is_masked;
}

PyMODINIT_FUNC PyInit__native(void); // called by the interpreter

PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = find_numpy() ? PyModule_Create(&definition) : NULL;
    if (module
        && (PyModule_AddType(module, &System_type) < 0
            || PyModule_AddType(module, &Evaluator_type) < 0
            || PyModule_AddType(module, &Run_type) < 0
            || PyModule_AddType(module, &Sweep_type) < 0
            || PyModule_AddStringConstant(module, "version", kal_version()) < 0)) {
        Py_CLEAR(module);
    }
    return module;
}
