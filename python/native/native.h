// SPDX-License-Identifier: MIT

/// @file
/// What the files of the Python module share.
///
/// The module `kalaba._native` is thin: it holds the objects of the library, turns failures
/// into exceptions, and moves arrays.  All that has to do with names, options and looks is
/// written in Python.
///
/// *Memory.*  Objects own what they made in a context of their own and keep the System
/// that it was made from.  Whatever is made for the length of one call is given back at its
/// one end.
///
/// *Threads.*  Work that may last is done without the interpreter's lock (GIL).  A compiled
/// System never changes and is shared; everything else is used by one thread at a time: an
/// object that another thread is in raises RuntimeError, and evaluators have a workspace for
/// each thread that is in them.

#ifndef KALABA_PYTHON_NATIVE_H
#define KALABA_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <kalaba/kalaba.h>

#include <Python.h>

/// Text that grows as it is written; `lost` when there was no memory for all of it.
typedef struct Text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool lost;
} Text;

/// A sink that writes into a text.
KalSink text_sink(Text *text);

/// The text as str, or NULL with an exception; frees it.
PyObject *text_take(Text *text);

/// A text that ends with a NUL as str; what is no UTF-8, in names of files, is replaced.
PyObject *text_of(const char *text);

/// Free a text.
void text_clear(Text *text);

/// Where a model comes from; enough to load it again.
typedef struct Source {
    char *name;
    char *text;
    size_t length;
    char *folder; ///< where files that it uses are; NULL: it may use none
    char *base;   ///< the folder that relative paths begin in; NULL: the current one
    KalOverride *overrides;
    size_t n_overrides;
    bool stiff;
    bool balance;
    bool analysis;
} Source;

/// A compiled model.
typedef struct System {
    PyObject_HEAD KalContext *ctx;
    KalSystem *system;
    Source source;
} System;

extern PyTypeObject System_type;
extern PyTypeObject Evaluator_type;
extern PyTypeObject Run_type;
extern PyTypeObject Sweep_type;

/// Load a model with further overrides; needs no GIL.  `messages` may be NULL.
KalStatus source_load(const Source *source, KalContext *ctx,
                      const KalOverride *overrides, size_t n, Text *messages,
                      KalSystem **out_system);

/// Raise what a status stands for: `message` in words, `n` names of those at fault.
/// Returns NULL.
PyObject *raise_status(KalStatus status, const char *message, const char *const *names,
                       size_t n);

/// The same with the message of a context, no names.
PyObject *raise_context(KalStatus status, const KalContext *ctx);

/// A new context, or NULL with an exception.
KalContext *new_context(void);

/// Put an item, which is given away, into a new list; without one the list is given up.
void list_put(PyObject **list, size_t i, PyObject *item);

/// A quantity as (name, unit, description).
PyObject *describe_quantity(KalQuantity quantity);

/// A list of names.
PyObject *list_names(const char *const *names, size_t n);

/// Numbers in one piece, C order: those of an array, or of a copy of it.
typedef struct Doubles {
    Py_buffer view;
    const double *values;
    Py_ssize_t count;
} Doubles;

/// Get the numbers of anything that NumPy takes for an array; false with an exception.
bool doubles_get(PyObject *object, Doubles *out_doubles);

/// Give them back.
void doubles_release(Doubles *doubles);

/// A new array of NumPy and where its numbers are, or NULL with an exception.  `columns` −1:
/// of one dimension.
PyObject *new_array(Py_ssize_t rows, Py_ssize_t columns, double **out_values);

/// The same with the numbers given.
PyObject *copy_array(const double *values, Py_ssize_t count);

/// Parameters that are set: a list of (name, value).
typedef struct Settings {
    KalSetting *list;
    size_t n;
    PyObject *held; // as of texts
} Settings;

/// Read them; names are borrowed from the list.  False with an exception.
bool settings_read(PyObject *list, Settings *out_settings);

/// Free them.
void settings_clear(Settings *settings);

/// A whole number that is not negative, for "O&" of PyArg_ParseTuple(): `out` is a uint64_t.
int count_read(PyObject *number, void *out);

/// A path for "O&" of PyArg_ParseTuple(), in the bytes of the file system, which need be no
/// UTF-8: `out` is a char * that is NULL before; to be freed.
int copy_path(PyObject *path, void *out);

/// Whether the calling thread has the stack that the library may need; false with an
/// exception.  Threads get what threading.stack_size() says.
bool stack_suffices(void);

/// The items of a list or the like, or NULL with an exception.
PyObject *hold_items(PyObject *list, const char *complaint);

/// Texts of a list of str.
typedef struct Texts {
    const char **list;
    size_t n;
    PyObject *held; // a tuple of what the texts belong to, which nobody can change
} Texts;

/// Read them.  False with an exception.
bool texts_read(PyObject *list, Texts *out_texts);

/// Free them.
void texts_clear(Texts *texts);

/// What asks the interpreter for signals now and then while its lock is not held.  If one
/// raises an exception it is kept here.
typedef struct Pulse {
    double last; ///< when it asked, in seconds
    PyObject *type;
    PyObject *value;
    PyObject *trace;
} Pulse;

/// Whether to go on.
bool pulse_beat(Pulse *pulse);

/// Raise what a signal raised; whether there was something.
bool pulse_raise(Pulse *pulse);

/// Let long calls in a context ask for signals, and no more; at the end what a signal raised
/// is raised, and the answer is whether there was something.
void pulse_begin(Pulse *pulse, KalContext *ctx);
bool pulse_end(Pulse *pulse, KalContext *ctx);

/// read_file(path): the bytes of a regular file; see system.c.
PyObject *native_read_file(PyObject *module, PyObject *args);

/// Analyses of a system as text; see analysis.c.
PyObject *native_linearize(PyObject *module, PyObject *args);
PyObject *native_modes(PyObject *module, PyObject *args);
PyObject *native_equilibria(PyObject *module, PyObject *args);

/// One instant from arrays; see solve.c.
PyObject *native_solve(PyObject *module, PyObject *args);

#endif
