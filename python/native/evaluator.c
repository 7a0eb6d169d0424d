// SPDX-License-Identifier: MIT

// Accelerations as functions of the state, for integrators and optimizers of others.
//
// A workspace holds an instant in a context of its own.  Those that nobody uses wait in a
// list; a call takes one or makes one, so that as many threads as like may be in one
// evaluator.  The list is touched under the interpreter's lock only.

#include "native.h"

#include <stdlib.h>
#include <string.h>

// A state with room to solve it.
typedef struct Workspace {
    struct Workspace *next;
    KalContext *ctx;
    KalInstant *instant;
} Workspace;

typedef struct Evaluator {
    PyObject_HEAD System *owner;
    Workspace *idle;
    char **names; // of parameters that are set
    double *values;
    size_t n_settings;
    Py_ssize_t n;        // coordinates
    Py_ssize_t n_states; // of first order
    Py_ssize_t n_inputs; // of actuators, that may be set
} Evaluator;

// Systems of up to so many coordinates are solved sooner than the lock is given away and
// taken back.
static const Py_ssize_t SMALL = 12;

enum {
    MOST_STATES = 4096 // of first order that rates() takes
};

static void workspace_destroy(Workspace *workspace)
{
    if (workspace) {
        kal_instant_destroy(workspace->instant);
        kal_context_destroy(workspace->ctx);
        free(workspace);
    }
}

static KalStatus set_parameters(const Evaluator *self, KalInstant *instant)
{
    KalSetting *settings = calloc(self->n_settings + 1, sizeof *settings);
    if (!settings) {
        return KAL_ERR_NOMEM;
    }
    for (size_t i = 0; i < self->n_settings; i++) {
        settings[i] = (KalSetting){self->names[i], self->values[i]};
    }
    const KalStatus status =
        kal_instant_set_parameters(instant, settings, self->n_settings);
    free(settings);
    return status;
}

static Workspace *make_workspace(const Evaluator *self)
{
    Workspace *workspace = calloc(1, sizeof *workspace);
    if (!workspace) {
        PyErr_NoMemory();
        return NULL;
    }
    workspace->ctx = new_context();
    if (!workspace->ctx) {
        workspace_destroy(workspace);
        return NULL;
    }
    KalStatus status =
        kal_instant_create(workspace->ctx, self->owner->system, &workspace->instant);
    if (status == KAL_OK && self->n_settings > 0) {
        status = set_parameters(self, workspace->instant);
    }
    if (status != KAL_OK) {
        (void)raise_context(status, workspace->ctx);
        workspace_destroy(workspace);
        return NULL;
    }
    return workspace;
}

static Workspace *borrow(Evaluator *self)
{
    Workspace *workspace = self->idle;
    if (!workspace) {
        return make_workspace(self);
    }
    self->idle = workspace->next;
    memset(kal_instant_inputs(workspace->instant), 0,
           (size_t)self->n_inputs * sizeof(double)); // as if nobody had used it
    return workspace;
}

static void give_back(Evaluator *self, Workspace *workspace)
{
    workspace->next = self->idle;
    self->idle = workspace;
}

static bool copy_settings(Evaluator *self, const Settings *settings)
{
    self->names = calloc(settings->n + 1, sizeof *self->names);
    self->values = calloc(settings->n + 1, sizeof *self->values);
    for (size_t i = 0; self->names && self->values && i < settings->n; i++) {
        self->names[i] = strdup(settings->list[i].name);
        self->values[i] = settings->list[i].value;
        if (!self->names[i]) {
            return false;
        }
        self->n_settings++;
    }
    return self->names && self->values;
}

static int evaluator_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    (void)keywords; // all by place
    Evaluator *self = (Evaluator *)object;
    PyObject *owner = NULL;
    PyObject *list = NULL;
    Settings settings;
    if (!PyArg_ParseTuple(args, "O!O", &System_type, &owner, &list)
        || !settings_read(list, &settings)) {
        return -1;
    }
    if (self->owner) { // by now: reading a list may run any code
        PyErr_SetString(PyExc_RuntimeError, "an Evaluator is made once");
        settings_clear(&settings);
        return -1;
    }
    self->owner = (System *)Py_NewRef(owner);
    const bool copied = copy_settings(self, &settings);
    settings_clear(&settings);
    if (!copied || !self->owner->system) {
        PyErr_SetString(PyExc_RuntimeError, "this System was not loaded");
        return -1;
    }
    self->n = kal_system_coordinates(self->owner->system);
    self->n_states = kal_system_states(self->owner->system);
    self->n_inputs = kal_system_inputs(self->owner->system);
    Workspace *first =
        make_workspace(self); // so that wrong parameters are told at once
    if (!first) {
        return -1;
    }
    give_back(self, first);
    return 0;
}

static void evaluator_dealloc(PyObject *object)
{
    Evaluator *self = (Evaluator *)object;
    while (self->idle) {
        Workspace *next = self->idle->next;
        workspace_destroy(self->idle);
        self->idle = next;
    }
    for (size_t i = 0; i < self->n_settings; i++) {
        free(self->names[i]);
    }
    free(self->names);
    free(self->values);
    Py_XDECREF(self->owner);
    Py_TYPE(object)->tp_free(object);
}

static bool is_made(const Evaluator *self)
{
    if (!self->owner || !self->names) {
        PyErr_SetString(PyExc_RuntimeError, "this Evaluator was not made");
        return false;
    }
    return stack_suffices();
}

static PyObject *raise_solve(KalStatus status, const Workspace *workspace)
{
    const char *const *names = NULL;
    const size_t n = kal_instant_fault_names(workspace->instant, &names);
    return raise_status(status, kal_context_message(workspace->ctx), names, n);
}

// States side by side: number i of state j is at [i * count + j].
typedef struct States {
    const double *q;
    const double *qd;
    const double *t;
    bool one_t;           // for all states
    const double *values; // n_names × count, or NULL
    KalSetting *settings; // n_names, with their names
    size_t n_names;
    Py_ssize_t count;
    const double *states; // of first order, or NULL: as they are at the start
    const double *inputs; // or NULL: 0
    bool one_input;       // of each actuator, for all states
    double *rates;        // q' as well, or NULL
    double *qdd;
    double *state_rates; // with `states`
    Pulse *pulse;        // asked between states, or NULL
} States;

static void load_inputs(const Evaluator *self, KalInstant *instant,
                        const States *states, Py_ssize_t j)
{
    double *inputs = kal_instant_inputs(instant);
    for (Py_ssize_t i = 0; states->inputs && i < self->n_inputs; i++) {
        inputs[i] = states->inputs[states->one_input ? i : i * states->count + j];
    }
}

static KalStatus load_state(const Evaluator *self, KalInstant *instant,
                            const States *states, Py_ssize_t j)
{
    if (states->values) {
        for (size_t i = 0; i < states->n_names; i++) {
            states->settings[i].value =
                states->values[(Py_ssize_t)i * states->count + j];
        }
        const KalStatus status =
            kal_instant_set_parameters(instant, states->settings, states->n_names);
        if (status != KAL_OK) {
            return status;
        }
    }
    double *q = kal_instant_q(instant);
    double *qd = kal_instant_qd(instant);
    *kal_instant_t(instant) = states->t[states->one_t ? 0 : j];
    for (Py_ssize_t i = 0; i < self->n; i++) {
        q[i] = states->q[i * states->count + j];
        qd[i] = states->qd[i * states->count + j];
    }
    double *own = kal_instant_states(instant);
    for (Py_ssize_t i = 0; states->states && i < self->n_states; i++) {
        own[i] = states->states[i * states->count + j];
    }
    load_inputs(self, instant, states, j);
    return KAL_OK;
}

// The rates of the states of first order, into their places.
static KalStatus find_state_rates(const Evaluator *self, KalInstant *instant,
                                  const States *states, Py_ssize_t j)
{
    double rates[MOST_STATES];
    const KalStatus status = kal_instant_rates(instant, rates);
    for (Py_ssize_t i = 0; i < self->n_states && status == KAL_OK; i++) {
        states->state_rates[i * states->count + j] = rates[i];
    }
    return status;
}

// All accelerations at once, where states differ in nothing but q, q' and t.
static KalStatus solve_many(const Evaluator *self, KalInstant *instant,
                            const States *states)
{
    const KalManyStates many = {.count = (size_t)states->count,
                                .t = states->t,
                                .one_time = states->one_t,
                                .q = states->q,
                                .qd = states->qd,
                                .inputs = states->one_input ? NULL : states->inputs,
                                .out_qdd = states->qdd};
    load_inputs(self, instant, states, 0);
    const KalStatus status = kal_instant_solve_many(instant, &many);
    if (status == KAL_OK && states->rates) {
        memcpy(states->rates, states->qd,
               (size_t)(self->n * states->count) * sizeof(double));
    }
    return status;
}

static KalStatus solve_states(const Evaluator *self, const Workspace *workspace,
                              const States *states)
{
    KalInstant *instant = workspace->instant;
    if (states->count > 1 && !states->values && !states->states) {
        return solve_many(self, instant, states);
    }
    for (Py_ssize_t j = 0; j < states->count; j++) {
        KalMotionAnswer answer;
        if (states->pulse && !pulse_beat(states->pulse)) {
            return KAL_ERR_INTERRUPTED;
        }
        KalStatus status = load_state(self, instant, states, j);
        status = status == KAL_OK ? kal_instant_solve(instant, &answer) : status;
        if (status == KAL_OK && states->states) {
            status = find_state_rates(self, instant, states, j);
        }
        if (status != KAL_OK) {
            return status;
        }
        for (Py_ssize_t i = 0; i < self->n; i++) {
            states->qdd[i * states->count + j] = answer.qdd[i];
            if (states->rates) {
                states->rates[i * states->count + j] =
                    states->qd[i * states->count + j];
            }
        }
    }
    return KAL_OK;
}

// Solve with or without the lock; whether it went well, else with an exception.
static bool go(Evaluator *self, Workspace *workspace, States *states)
{
    KalStatus status = KAL_OK;
    bool raised = false;
    if (states->count == 1 && self->n <= SMALL) {
        status = solve_states(self, workspace, states);
    } else {
        Pulse pulse;
        pulse_begin(&pulse, workspace->ctx);
        states->pulse = &pulse;
        Py_BEGIN_ALLOW_THREADS;
        status = solve_states(self, workspace, states);
        Py_END_ALLOW_THREADS;
        raised = pulse_end(&pulse, workspace->ctx);
    }
    if (status != KAL_OK && !raised) {
        (void)raise_solve(status, workspace);
    }
    return status == KAL_OK && !raised;
}

static bool has_shape(const Doubles *array, Py_ssize_t rows, const char *what)
{
    const int dimensions = array->view.ndim;
    if (dimensions < 1 || dimensions > 2 || array->view.shape[0] != rows) {
        PyErr_Format(PyExc_ValueError, "%s has the shape (%zd,) or (%zd, k)", what,
                     rows, rows);
        return false;
    }
    return true;
}

static Py_ssize_t states_of(const Doubles *array)
{
    return array->view.ndim == 2 ? array->view.shape[1] : 1;
}

// Held values change by renewals, which a function of the state cannot know of.
static bool is_function(const Evaluator *self, Py_ssize_t most_states)
{
    if (kal_system_holds(self->owner->system) > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the model holds values between renewals: its "
                        "rates are no function of the state; use run()");
        return false;
    }
    if (self->n_states > most_states) {
        PyErr_SetString(PyExc_ValueError,
                        most_states > 0
                            ? "the model has too many first-order states"
                            : "the model has first-order states: use rates()");
        return false;
    }
    return true;
}

// Whether u fits `count` states: a value for each input, or for each input and state.
static bool take_inputs(const Evaluator *self, const Doubles *u, States *states)
{
    const int dimensions = u->view.ndim;
    const bool one = dimensions <= 1 && u->count == self->n_inputs;
    const bool each = dimensions == 2 && u->view.shape[0] == self->n_inputs
                      && u->view.shape[1] == states->count;
    if (self->n_inputs == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the model has no inputs: no actuators, or they have laws "
                        "or servos");
    } else if (!one && !each) {
        PyErr_Format(PyExc_ValueError, "inputs have the shape (%zd,) or (%zd, %zd)",
                     self->n_inputs, self->n_inputs, states->count);
    } else {
        states->inputs = u->values;
        states->one_input = one;
        return true;
    }
    return false;
}

// The rates of states, in an array of as many dimensions.
static PyObject *find_rates(Evaluator *self, States *states, int dimensions)
{
    Workspace *workspace = borrow(self);
    double *rates = NULL;
    if (!workspace) {
        return NULL;
    }
    PyObject *result = new_array(2 * self->n + self->n_states,
                                 dimensions == 2 ? states->count : -1, &rates);
    if (result) {
        states->rates = rates;
        states->qdd = rates + self->n * states->count;
        states->state_rates = rates + 2 * self->n * states->count;
        if (!go(self, workspace, states)) {
            Py_CLEAR(result);
        }
    }
    give_back(self, workspace);
    return result;
}

// What Python says of things that are no numbers names neither the thing nor its place.
static PyObject *complain_of_time(PyObject *time)
{
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "t is a number, not %.200R", time);
    }
    return NULL;
}

// rates(t, y, u): y' for y = (q, q', states) and inputs u, 0 without them; or for many side
// by side.
static PyObject *evaluator_rates(PyObject *object, PyObject *const *args,
                                 Py_ssize_t n_args)
{
    Evaluator *self = (Evaluator *)object;
    Doubles y;
    Doubles u = {.values = NULL};
    if (n_args != 2 && n_args != 3) {
        PyErr_SetString(PyExc_TypeError, "rates take t, y and, if there are, inputs");
        return NULL;
    }
    const double t = PyFloat_AsDouble(args[0]);
    if (t == -1.0 && PyErr_Occurred()) {
        return complain_of_time(args[0]);
    }
    if (!is_made(self) || !doubles_get(args[1], &y)) {
        return NULL;
    }
    PyObject *result = NULL;
    if (is_function(self, MOST_STATES)
        && has_shape(&y, 2 * self->n + self->n_states, "y")) {
        const Py_ssize_t count = states_of(&y);
        States states = {.q = y.values,
                         .qd = y.values + self->n * count,
                         .t = &t,
                         .one_t = true,
                         .count = count,
                         .states = self->n_states > 0 ? y.values + 2 * self->n * count
                                                      : NULL};
        if (n_args == 2
            || (doubles_get(args[2], &u) && take_inputs(self, &u, &states))) {
            result = find_rates(self, &states, y.view.ndim);
        }
    }
    doubles_release(&y);
    doubles_release(&u);
    return result;
}

static bool is_of_shape(const Doubles *array, const Doubles *other)
{
    bool same = array->view.ndim == other->view.ndim;
    for (int i = 0; same && i < array->view.ndim; i++) {
        same = array->view.shape[i] == other->view.shape[i];
    }
    return same;
}

static bool fits(const States *states, const Doubles *q, const Doubles *qd,
                 const Doubles *t, const Doubles *values)
{
    if (!is_of_shape(qd, q)) {
        PyErr_SetString(PyExc_ValueError, "q and qd have different shapes");
    } else if (t->view.ndim > 1 || (t->count != 1 && t->count != states->count)) {
        PyErr_SetString(PyExc_ValueError, "t is one number, or one for each state");
    } else if (values->count != (Py_ssize_t)states->n_names * states->count) {
        PyErr_SetString(PyExc_ValueError, "parameters have a value for each state");
    } else {
        return true;
    }
    return false;
}

static PyObject *solve_arrays(Evaluator *self, States *states, int dimensions,
                              const char *const *names)
{
    Workspace *workspace = borrow(self);
    PyObject *result = NULL;
    states->settings = calloc(states->n_names + 1, sizeof *states->settings);
    for (size_t i = 0; states->settings && i < states->n_names; i++) {
        states->settings[i].name = names[i];
    }
    if (workspace && states->settings) {
        result = new_array(self->n, dimensions == 2 ? states->count : -1, &states->qdd);
        if (result && !go(self, workspace, states)) {
            Py_CLEAR(result);
        }
    }
    free(states->settings);
    if (workspace && states->n_names > 0) {
        workspace_destroy(workspace); // it has other parameters now
    } else if (workspace) {
        give_back(self, workspace);
    }
    return result;
}

// accelerations(q, qd, t, names, values, inputs): q'' of one state or many side by side,
// with parameters and inputs of their own.
static PyObject *evaluator_accelerations(PyObject *object, PyObject *args)
{
    Evaluator *self = (Evaluator *)object;
    PyObject *given[5];
    PyObject *list = NULL;
    Doubles arrays[5] = {{.values = NULL}};
    Texts names = {.n = 0};
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "OOOOOO", &given[0], &given[1], &given[2], &list,
                          &given[3], &given[4])
        || !is_made(self)) {
        return NULL;
    }
    bool done = is_function(self, 0) && texts_read(list, &names);
    const int n_arrays = done && given[4] != Py_None ? 5 : 4;
    for (int i = 0; i < n_arrays && done; i++) {
        done = doubles_get(given[i], &arrays[i]);
    }
    if (done && has_shape(&arrays[0], self->n, "q")) {
        States states = {.q = arrays[0].values,
                         .qd = arrays[1].values,
                         .t = arrays[2].values,
                         .one_t = arrays[2].count == 1,
                         .values = names.n > 0 ? arrays[3].values : NULL,
                         .n_names = names.n,
                         .count = states_of(&arrays[0])};
        if (fits(&states, &arrays[0], &arrays[1], &arrays[2], &arrays[3])
            && (n_arrays == 4 || take_inputs(self, &arrays[4], &states))) {
            result = solve_arrays(self, &states, arrays[0].view.ndim, names.list);
        }
    }
    for (int i = 0; i < n_arrays; i++) {
        doubles_release(&arrays[i]);
    }
    texts_clear(&names);
    return result;
}

// To the state asked for: the consistent start with some values put in their places.
static KalStatus place(KalInstant *instant, const char *at, KalStartReport *report)
{
    bool complete = false;
    KalStatus status = at ? kal_instant_set(instant, at, &complete) : KAL_OK;
    if (status == KAL_OK && !complete) {
        status = kal_instant_start(instant, report);
        if (status == KAL_OK && at) {
            status = kal_instant_set(instant, at, NULL);
        }
    }
    return status;
}

static PyObject *raise_start(KalStatus status, const Evaluator *self,
                             const Workspace *workspace, const KalStartReport *report)
{
    const char *names[64];
    size_t n = 0;
    while ((int)n < report->n_failed && n < sizeof names / sizeof names[0]) {
        names[n] = kal_system_constraint_names(self->owner->system)[report->failed[n]];
        n++;
    }
    return raise_status(status, kal_context_message(workspace->ctx), names, n);
}

// How far off the constraints the state is, or None.
static PyObject *describe_misfit(KalInstant *instant)
{
    KalMisfit misfit = {.count = 0};
    if (kal_instant_misfit(instant, &misfit) != KAL_OK || misfit.count == 0) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(zdO)", misfit.constraint, misfit.off,
                         misfit.velocity ? Py_True : Py_False);
}

static PyObject *show_instant(const Workspace *workspace, int json)
{
    KalMotionAnswer answer;
    const KalShowOptions how = {.format = json ? KAL_SHOW_JSON : KAL_SHOW_TEXT};
    Text text = {.bytes = NULL};
    KalStatus status = KAL_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = kal_instant_solve(workspace->instant, &answer);
    if (status == KAL_OK) {
        status = kal_show_instant(workspace->instant, &answer, &how, text_sink(&text));
    }
    Py_END_ALLOW_THREADS;
    if (status != KAL_OK) {
        text_clear(&text);
        return raise_solve(status, workspace);
    }
    return Py_BuildValue("(NN)", text_take(&text), describe_misfit(workspace->instant));
}

// eval(at, json): the instant as text, and how far off the constraints it is.
static PyObject *evaluator_eval(PyObject *object, PyObject *args)
{
    Evaluator *self = (Evaluator *)object;
    const char *at = NULL;
    int json = 1;
    if (!PyArg_ParseTuple(args, "zp", &at, &json) || !is_made(self)) {
        return NULL;
    }
    Workspace *workspace = make_workspace(self); // a start begins at the written values
    if (!workspace) {
        return NULL;
    }
    KalStartReport report = {.n_failed = 0};
    KalStatus status = KAL_OK;
    PyObject *result = NULL;
    Pulse pulse;
    pulse_begin(&pulse, workspace->ctx);
    Py_BEGIN_ALLOW_THREADS;
    status = place(workspace->instant, at, &report);
    Py_END_ALLOW_THREADS;
    if (!pulse_end(&pulse, workspace->ctx)) {
        result = status == KAL_OK ? show_instant(workspace, json)
                                  : raise_start(status, self, workspace, &report);
    }
    workspace_destroy(workspace);
    return result;
}

// start(values): a consistent start as (t, q, q', states).
static PyObject *evaluator_start(PyObject *object, PyObject *args)
{
    Evaluator *self = (Evaluator *)object;
    const char *values = NULL;
    if (!PyArg_ParseTuple(args, "z", &values) || !is_made(self)) {
        return NULL;
    }
    Workspace *workspace = make_workspace(self);
    if (!workspace) {
        return NULL;
    }
    KalInstant *instant = workspace->instant;
    KalStartReport report = {.n_failed = 0};
    KalStatus status = KAL_OK;
    PyObject *result = NULL;
    Pulse pulse;
    pulse_begin(&pulse, workspace->ctx);
    Py_BEGIN_ALLOW_THREADS;
    status = kal_instant_start_from(instant, values, &report);
    Py_END_ALLOW_THREADS;
    if (pulse_end(&pulse, workspace->ctx)) {
        status = KAL_ERR_INTERRUPTED;
    } else if (status != KAL_OK) {
        (void)raise_start(status, self, workspace, &report);
    }
    if (status == KAL_OK) {
        result = Py_BuildValue("(dNNN)", *kal_instant_t(instant),
                               copy_array(kal_instant_q(instant), self->n),
                               copy_array(kal_instant_qd(instant), self->n),
                               copy_array(kal_instant_states(instant), self->n_states));
    }
    workspace_destroy(workspace);
    return result;
}

// parameters(): values of all of them as they are set.
static PyObject *evaluator_parameters(PyObject *object, PyObject *none)
{
    Evaluator *self = (Evaluator *)object;
    (void)none;
    Workspace *workspace = is_made(self) ? borrow(self) : NULL;
    if (!workspace) {
        return NULL;
    }
    PyObject *result = copy_array(kal_instant_parameters(workspace->instant),
                                  kal_system_parameters(self->owner->system));
    give_back(self, workspace);
    return result;
}

// For copies and other processes.
static PyObject *evaluator_reduce(PyObject *object, PyObject *none)
{
    (void)none;
    const Evaluator *self = (const Evaluator *)object;
    if (!is_made(self)) {
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)self->n_settings);
    for (size_t i = 0; list && i < self->n_settings; i++) {
        list_put(&list, i, Py_BuildValue("(sd)", self->names[i], self->values[i]));
    }
    return list ? Py_BuildValue("O(ON)", (PyObject *)Py_TYPE(object),
                                (PyObject *)self->owner, list)
                : NULL;
}

static PyMethodDef evaluator_methods[] = {
    {"rates",         (PyCFunction)(void (*)(void))evaluator_rates, METH_FASTCALL,
     "rates(t, y, u): y' for y = (q, q', states) and inputs u, 0 without them."                         },
    {"accelerations", evaluator_accelerations,                      METH_VARARGS,
     "accelerations(q, qd, t, names, values, inputs)"                                                   },
    {"eval",          evaluator_eval,                               METH_VARARGS,  "One instant."       },
    {"start",         evaluator_start,                              METH_VARARGS,  "A consistent start."},
    {"parameters",    evaluator_parameters,                         METH_NOARGS,   "All values."        },
    {"__reduce__",    evaluator_reduce,                             METH_NOARGS,   "What it is made of."},
    {NULL,            NULL,                                         0,             NULL                 },
};

PyTypeObject Evaluator_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kalaba._native.Evaluator",
    .tp_doc = "Accelerations of a System with parameters that are set.",
    .tp_basicsize = sizeof(Evaluator),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = evaluator_init,
    .tp_dealloc = evaluator_dealloc,
    .tp_methods = evaluator_methods,
};
