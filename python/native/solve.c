// SPDX-License-Identifier: MIT

// One instant of constrained motion from arrays of NumPy.

#include "native.h"

enum {
    GIVEN = 5 // M, Q, A, b, C
};

// A problem on its way through one call.
typedef struct Job {
    Doubles arrays[GIVEN];
    Texts coordinates;
    Texts constraints;
    KalContext *ctx;
    KalMotion *motion;
} Job;

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
static bool find_shape(const Job *job, KalMotionProblem *problem)
{
    const Doubles *a = job->arrays;
    const Py_ssize_t n = a[1].count;
    const Py_ssize_t m = a[3].count;
    if (n > KAL_PROBLEM_LIMIT || m > KAL_PROBLEM_LIMIT) {
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

static PyObject *raise_motion(const Job *job, const KalMotionProblem *problem,
                              KalStatus status)
{
    const KalMotionFault fault = kal_motion_fault(job->motion);
    const char *const *all =
        fault.constraints ? problem->constraints : problem->coordinates;
    const char *names[64];
    size_t n = 0;
    while (all && (int)n < fault.count && n < sizeof names / sizeof names[0]) {
        names[n] = all[fault.indices[n]];
        n++;
    }
    return raise_status(status, kal_context_message(job->ctx), names, n);
}

static PyObject *solve(Job *job, KalFormulation formulation)
{
    KalMotionProblem problem = {
        .M = job->arrays[0].values,
        .Q = job->arrays[1].values,
        .A = job->arrays[2].values,
        .b = job->arrays[3].values,
        .C = job->arrays[4].values,
        .coordinates = job->coordinates.n ? job->coordinates.list : NULL,
        .constraints = job->constraints.n ? job->constraints.list : NULL};
    KalMotionOptions options = kal_motion_options();
    KalMotionAnswer answer;
    KalStatus status = KAL_OK;
    options.formulation = formulation;
    if (!find_shape(job, &problem) || !(job->ctx = new_context())) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = kal_motion_create(job->ctx, &options, problem.n, problem.m, &job->motion);
    if (status == KAL_OK) {
        status = kal_motion_solve(job->motion, &problem, &answer);
    }
    Py_END_ALLOW_THREADS;
    return status == KAL_OK ? describe(&answer) : raise_motion(job, &problem, status);
}

// (M, Q, A, b, C, coordinates, constraints, formulation); A, b and C may be None.
PyObject *native_solve(PyObject *module, PyObject *args)
{
    Job job = {.ctx = NULL};
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
    PyObject *result = texts_read(coordinates, &job.coordinates)
                               && texts_read(constraints, &job.constraints)
                               && get_arrays(&job, given)
                           ? solve(&job, formulation)
                           : NULL;
    kal_motion_destroy(job.motion);
    kal_context_destroy(job.ctx);
    for (int i = 0; i < GIVEN; i++) {
        doubles_release(&job.arrays[i]);
    }
    texts_clear(&job.coordinates);
    texts_clear(&job.constraints);
    return result;
}
