// SPDX-License-Identifier: MIT

// The objects of SUNDIALS around CVODE and IDA.  They are made in the order in which each
// needs the ones before, and freed in the opposite one; SUNDIALS takes its own memory, past
// the context, so that whatever is missing is told as a lack of memory by the integrator.

#include "ode/sundials_work.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// A matrix of which nothing is kept here.
static int do_nothing(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

static int say_direct(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

// The system solves, with what its `prepare` has made ready.
static int let_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                     realtype tolerance)
{
    const KalSundialsWork *work = solver->content;
    const KalOdeSystem *system = work->system;
    double *numbers = work->call->N_VGetArrayPointer(x);
    (void)matrix;
    (void)tolerance;
    memcpy(numbers, work->call->N_VGetArrayPointer(b),
           (size_t)system->n * sizeof *numbers);
    system->solve(system->user, numbers);
    return 0;
}

// Objects that let the system solve; setups have nothing to do after its `prepare`.
static bool make_empty(KalSundialsWork *work)
{
    work->J = work->call->SUNMatNewEmpty(work->sun);
    work->linear = work->call->SUNLinSolNewEmpty(work->sun);
    if (!work->J || !work->linear) {
        return false;
    }
    work->J->ops->zero = do_nothing;
    work->linear->content = work;
    work->linear->ops->gettype = say_direct;
    work->linear->ops->solve = let_solve;
    return true;
}

static bool make_dense(KalSundialsWork *work)
{
    const int n = work->system->n;
    work->J = work->call->SUNDenseMatrix(n, n, work->sun);
    if (!work->J) {
        return false;
    }
    work->linear = work->call->SUNLinSol_Dense(work->vectors[0], work->J, work->sun);
    return work->linear != NULL;
}

bool kal_sundials_make(KalSundialsWork *work, double *const *arrays, int count)
{
    assert(work->call && work->system && !work->sun);
    assert(count >= 1 && count <= KAL_SUNDIALS_MOST_VECTORS);
    const KalSundialsLibrary *call = work->call;
    const int n = work->system->n;
    if (call->SUNContext_Create(NULL, &work->sun) != 0) {
        return false;
    }
    bool whole = true;
    for (int i = 0; i < count; i++) {
        work->vectors[i] = call->N_VMake_Serial(n, arrays[i], work->sun);
        whole = whole && work->vectors[i];
    }
    work->sample = call->N_VMake_Serial(n, NULL, work->sun);
    if (!whole || !work->sample) {
        return false;
    }
    return work->system->prepare ? make_empty(work) : make_dense(work);
}

void kal_sundials_clear(KalSundialsWork *work)
{
    const KalSundialsLibrary *call = work->call;
    if (!call) {
        return;
    }
    if (work->linear) {
        if (work->system->prepare) {
            work->linear->content = NULL; // which it would free
        }
        call->SUNLinSolFree(work->linear);
    }
    if (work->J) {
        call->SUNMatDestroy(work->J);
    }
    call->N_VDestroy(work->sample);
    for (int i = KAL_SUNDIALS_MOST_VECTORS - 1; i >= 0; i--) {
        call->N_VDestroy(work->vectors[i]);
    }
    call->SUNContext_Free(&work->sun);
}

void kal_sundials_keep_text(int code, const char *module, const char *function,
                            char *text, void *user)
{
    KalSundialsWork *work = user;
    (void)module;
    if (code < 0) {
        (void)snprintf(work->text, sizeof work->text, "%s: %s", function, text);
    }
}

int kal_sundials_answer(KalIntegrator *base, KalSundialsWork *work, KalStatus status)
{
    if (status == KAL_OK) {
        return 0;
    }
    work->refusal = status;
    if (!kal_ode_may_retry(&base->system, status)) {
        return -1;
    }
    base->counts.retries++;
    return 1;
}

void kal_sundials_begin_step(KalSundialsWork *work)
{
    work->refusal = KAL_OK;
    work->text[0] = '\0';
}

void kal_sundials_count_rejected(KalIntegrator *base, const KalSundialsWork *work)
{
    long errors = 0;
    long unsolved = 0;
    (void)work->ask.error_failures(work->solver, &errors);
    (void)work->ask.newton_failures(work->solver, &unsolved);
    assert(errors >= 0 && unsolved >= 0);
    base->counts.rejected = work->rejected_before + errors + unsolved;
}

KalStatus kal_sundials_interpolate(const KalIntegrator *base,
                                   const KalSundialsWork *work, double t, double *out_y)
{
    assert(!work->fresh); // the library has the step
    work->call->N_VSetArrayPointer(out_y, work->sample);
    const int flag = work->ask.derivative(work->solver, t, 0, work->sample);
    work->call->N_VSetArrayPointer(NULL, work->sample);
    return flag == 0 ? KAL_OK
                     : kal_fail(base->ctx, KAL_ERR_USAGE, "%s does not interpolate: %s",
                                work->title, work->text);
}

int kal_sundials_order(const KalSundialsWork *work)
{
    int last = 1;
    (void)work->ask.last_order(work->solver, &last);
    return last > 1 ? last : 1;
}
