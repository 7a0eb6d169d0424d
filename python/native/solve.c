// SPDX-License-Identifier: MIT

// One instant of constrained motion from arrays of NumPy.
//
// The library asks nobody while it factors matrices, which takes half a minute for the largest.
// So a thread solves large problems, while the caller asks for signals.  If one raises an
// exception the caller leaves; what the thread works with, nothing of which is Python's to
// change, is given back by a later call that finds it solved.

#include "native.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    GIVEN = 5 // M, Q, A, b, C
};

// A problem on its way through one call.
typedef struct Job {
    Doubles arrays[GIVEN];
    Texts coordinates;
    Texts constraints;
    KalMotionOptions options;
    KalMotionProblem problem;
    KalContext *ctx;
    KalMotion *motion;
    KalMotionAnswer answer;
    KalStatus status;
    atomic_bool solved; // by the thread, which touches nothing after that
    struct Job *next;   // of those that were left
} Job;

// Problems of so many numbers, in M and A, take longer than a signal may wait.
static const Py_ssize_t LARGE = 250000;

static Job *left_jobs; // touched under the interpreter's lock

// Arrays that are None stay empty.
static bool get_arrays(Job *job, PyObject *const *given)
{
    for (int i = 0; i < GIVEN; i++) {
        if (given[i] != Py_None && !doubles_get(given[i], &job->arrays[i])) {
            return false;
        }
    }
    return true;
}

// Whether sizes fit; the library takes the length of arrays on trust.
static bool find_shape(Job *job)
{
    KalMotionProblem *problem = &job->problem;
    const Doubles *a = job->arrays;
    const Py_ssize_t n = a[1].count;
    const Py_ssize_t m = a[3].count;
    if (n < 1) {
        PyErr_SetString(PyExc_ValueError, "Q is empty: there is no coordinate");
    } else if (n > KAL_PROBLEM_LIMIT || m > KAL_PROBLEM_LIMIT) {
        PyErr_Format(PyExc_ValueError, "at most %d coordinates and constraints",
                     KAL_PROBLEM_LIMIT);
    } else if (a[0].count != n * n || a[0].view.ndim != 2 || a[0].view.shape[0] != n) {
        PyErr_SetString(PyExc_ValueError, "M has the shape (n, n), Q has (n,)");
    } else if (a[2].count != m * n
               || (m > 0 && (a[2].view.ndim != 2 || a[2].view.shape[0] != m))) {
        PyErr_SetString(PyExc_ValueError, "A has the shape (m, n), b has (m,)");
    } else if (a[4].values && a[4].count != n) {
        PyErr_SetString(PyExc_ValueError, "C has the shape (n,)");
    } else if ((job->coordinates.n && (Py_ssize_t)job->coordinates.n != n)
               || (job->constraints.n && (Py_ssize_t)job->constraints.n != m)) {
        PyErr_SetString(PyExc_ValueError, "there are not as many names as are named");
    } else {
        problem->n = (int)n;
        problem->m = (int)m;
        return true;
    }
    return false;
}

static PyObject *list_flags(const bool *flags, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyList_SET_ITEM(list, i, PyBool_FromLong(flags[i]));
    }
    return list;
}

static PyObject *list_sets(const int *sets, int m)
{
    PyObject *list = PyList_New(m);
    for (int i = 0; list && i < m; i++) {
        PyList_SET_ITEM(list, i, PyLong_FromLong(sets[i]));
    }
    return list;
}

static PyObject *describe(const KalMotionAnswer *a)
{
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:(iii),s:O,s:N,s:N,s:d,s:d}", "qdd",
        copy_array(a->qdd, a->n), "force_ideal", copy_array(a->force_ideal, a->n),
        "force_nonideal", copy_array(a->force_nonideal, a->n), "multipliers",
        copy_array(a->multipliers, a->m), "ranks", a->rank_M, a->rank_A, a->rank_Mhat,
        "unique", a->unique ? Py_True : Py_False, "indeterminate",
        list_flags(a->indeterminate, a->n), "dependent_set",
        list_sets(a->dependent_set, a->m), "residual_constraints",
        a->residual_constraints, "residual_motion", a->residual_motion);
}

static PyObject *raise_motion(const Job *job)
{
    const KalMotionFault fault = kal_motion_fault(job->motion);
    const char *const *all =
        fault.constraints ? job->problem.constraints : job->problem.coordinates;
    const char *names[64];
    size_t n = 0;
    while (all && (int)n < fault.count && n < sizeof names / sizeof names[0]) {
        names[n] = all[fault.indices[n]];
        n++;
    }
    return raise_status(job->status, kal_context_message(job->ctx), names, n);
}

static void job_destroy(Job *job)
{
    kal_motion_destroy(job->motion);
    kal_context_destroy(job->ctx);
    for (int i = 0; i < GIVEN; i++) {
        doubles_release(&job->arrays[i]);
    }
    texts_clear(&job->coordinates);
    texts_clear(&job->constraints);
    free(job);
}

// Give back what was left and is solved by now.
static void collect_left(void)
{
    Job **place = &left_jobs;
    while (*place) {
        Job *job = *place;
        if (atomic_load(&job->solved)) {
            *place = job->next;
            job_destroy(job);
        } else {
            place = &job->next;
        }
    }
}

static void *work(void *user)
{
    Job *job = (Job *)user;
    job->status = kal_motion_create(job->ctx, &job->options, job->problem.n,
                                    job->problem.m, &job->motion);
    if (job->status == KAL_OK) {
        job->status = kal_motion_solve(job->motion, &job->problem, &job->answer);
    }
    atomic_store(&job->solved, true);
    return NULL;
}

// Begin to work in a thread that nobody waits for; false: there is none.
static bool work_apart(Job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool begun =
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0
        && pthread_attr_setstacksize(&attributes, (size_t)2 * KAL_STACK_SIZE) == 0
        && pthread_create(&thread, &attributes, work, job) == 0;
    pthread_attr_destroy(&attributes);
    return begun;
}

// Until it is solved or a signal raised an exception.
static void wait_for(const Job *job, Pulse *pulse)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    while (!atomic_load(&job->solved) && pulse_beat(pulse)) {
        (void)nanosleep(&pause, NULL);
    }
}

// Solve a problem, which is given away.
static PyObject *solve(Job *job)
{
    Pulse pulse = {.last = 0.0};
    const Py_ssize_t numbers = job->arrays[0].count + job->arrays[2].count;
    Py_BEGIN_ALLOW_THREADS;
    if (numbers < LARGE || !work_apart(job)) {
        work(job);
    }
    wait_for(job, &pulse);
    Py_END_ALLOW_THREADS;
    if (pulse_raise(&pulse)) {
        job->next = left_jobs;
        left_jobs = job;
        return NULL;
    }
    PyObject *result =
        job->status == KAL_OK ? describe(&job->answer) : raise_motion(job);
    job_destroy(job);
    return result;
}

// A problem of what was given, or NULL with an exception.
static Job *make_job(PyObject *const *given, PyObject *coordinates,
                     PyObject *constraints, KalFormulation formulation)
{
    Job *job = calloc(1, sizeof *job);
    if (!job) {
        PyErr_NoMemory();
        return NULL;
    }
    job->options = kal_motion_options();
    job->options.formulation = formulation;
    if (!texts_read(coordinates, &job->coordinates)
        || !texts_read(constraints, &job->constraints) || !get_arrays(job, given)
        || !find_shape(job) || !(job->ctx = new_context())) {
        job_destroy(job);
        return NULL;
    }
    job->problem.M = job->arrays[0].values;
    job->problem.Q = job->arrays[1].values;
    job->problem.A = job->arrays[2].values;
    job->problem.b = job->arrays[3].values;
    job->problem.C = job->arrays[4].values;
    job->problem.coordinates = job->coordinates.n ? job->coordinates.list : NULL;
    job->problem.constraints = job->constraints.n ? job->constraints.list : NULL;
    return job;
}

// (M, Q, A, b, C, coordinates, constraints, formulation); A, b and C may be None.
PyObject *native_solve(PyObject *module, PyObject *args)
{
    PyObject *given[GIVEN];
    PyObject *coordinates = NULL;
    PyObject *constraints = NULL;
    const char *word = NULL;
    KalFormulation formulation = KAL_FORMULATION_DEFAULT;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOOOs", &given[0], &given[1], &given[2], &given[3],
                          &given[4], &coordinates, &constraints, &word)
        || !stack_suffices()) {
        return NULL;
    }
    if (!kal_formulation_find(word, &formulation)) {
        PyErr_Format(PyExc_ValueError, "there is no formulation '%s'", word);
        return NULL;
    }
    collect_left();
    Job *job = make_job(given, coordinates, constraints, formulation);
    return job ? solve(job) : NULL;
}
