// SPDX-License-Identifier: MIT

#include "ode/dae.h"

#include "ode/sundials.h"

#include <stdio.h>
#include <string.h>

enum {
    ARRAYS = 4,    // y, y', tolerances, kinds
    STEPS = 50000, // in one advance
    TEXT_SIZE = 256
};

struct KalDae {
    KalContext *ctx;
    KalDaeSystem system;
    double t;
    KalStatus refusal;    // of a callback in the advance at hand
    char text[TEXT_SIZE]; // what IDA says about its failure
    double *block;
    KalIdaLibrary call;
    SUNContext sun;
    void *ida;
    N_Vector y;
    N_Vector yp;
    N_Vector atols;
    N_Vector kinds;
    SUNMatrix J;
    SUNLinearSolver linear;
};

// IDA would print; failures are told through the context instead.
static void keep_text(int code, const char *module, const char *function, char *text,
                      void *user)
{
    KalDae *d = user;
    (void)module;
    if (code < 0) {
        (void)snprintf(d->text, sizeof d->text, "%s: %s", function, text);
    }
}

static int call_residual(realtype t, N_Vector y, N_Vector yp, N_Vector residual,
                         void *user)
{
    KalDae *d = user;
    const KalStatus status = d->system.residual(
        d->system.user, t, d->call.N_VGetArrayPointer(y),
        d->call.N_VGetArrayPointer(yp), d->call.N_VGetArrayPointer(residual));
    if (status == KAL_OK) {
        return 0;
    }
    d->refusal = status;
    return d->system.may_retry(status) ? 1 : -1;
}

// The objects that IDA works with; some may be missing.
static bool make_parts(KalDae *d)
{
    const sunindextype n = d->system.n;
    if (d->call.SUNContext_Create(NULL, &d->sun) != 0) {
        return false;
    }
    d->y = d->call.N_VMake_Serial(n, d->block, d->sun);
    d->yp = d->call.N_VMake_Serial(n, d->block + n, d->sun);
    d->atols = d->call.N_VMake_Serial(n, d->block + 2 * n, d->sun);
    d->kinds = d->call.N_VMake_Serial(n, d->block + 3 * n, d->sun);
    d->J = d->call.SUNDenseMatrix(n, n, d->sun);
    d->ida = d->call.IDACreate(d->sun);
    if (!d->y || !d->yp || !d->atols || !d->kinds || !d->J || !d->ida) {
        return false;
    }
    d->linear = d->call.SUNLinSol_Dense(d->y, d->J, d->sun);
    return d->linear != NULL;
}

// All that IDA has to know; 0 when it agrees.
static int set_up(KalDae *d)
{
    int flag = d->call.IDASetErrHandlerFn(d->ida, keep_text, d);
    flag = flag ? flag : d->call.IDAInit(d->ida, call_residual, d->t, d->y, d->yp);
    flag = flag ? flag : d->call.IDASetUserData(d->ida, d);
    flag = flag ? flag : d->call.IDASVtolerances(d->ida, d->system.rtol, d->atols);
    flag = flag ? flag : d->call.IDASetId(d->ida, d->kinds);
    flag = flag ? flag : d->call.IDASetSuppressAlg(d->ida, SUNTRUE);
    flag = flag ? flag : d->call.IDASetMaxNumSteps(d->ida, STEPS);
    return flag ? flag : d->call.IDASetLinearSolver(d->ida, d->linear, d->J);
}

static KalStatus init(KalDae *d, const double *y, const double *yp)
{
    const size_t n = (size_t)d->system.n;
    d->block = (double *)kal_alloc(d->ctx, ARRAYS * n, sizeof(double));
    if (!d->block || !make_parts(d)) {
        return kal_fail(d->ctx, KAL_ERR_NOMEM, "no memory for an integrator");
    }
    memcpy(d->block, y, n * sizeof(double));
    memcpy(d->block + n, yp, n * sizeof(double));
    memcpy(d->block + 2 * n, d->system.atols, n * sizeof(double));
    memcpy(d->block + 3 * n, d->system.kinds, n * sizeof(double));
    return set_up(d) == IDA_SUCCESS ? KAL_OK
                                    : kal_fail(d->ctx, KAL_ERR_NOMEM,
                                               "IDA could not be set up: %s", d->text);
}

KalStatus kal_dae_create(KalContext *ctx, const KalDaeSystem *system, double t,
                         const double *y, const double *yp, KalDae **out_dae)
{
    if (system->n > KAL_DAE_LIMIT) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "%d unknowns are too many for implicit equations: at most %d",
                        system->n, KAL_DAE_LIMIT);
    }
    KalIdaLibrary library;
    KAL_TRY(kal_ida_library_open(ctx, KAL_IDA_NAME, &library));
    KalDae *d = KAL_NEW(ctx, KalDae);
    if (!d) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for an integrator");
    }
    d->ctx = ctx;
    d->call = library;
    d->system = *system;
    d->t = t;
    const KalStatus status = init(d, y, yp);
    if (status != KAL_OK) {
        kal_dae_destroy(d);
        return status;
    }
    *out_dae = d;
    return KAL_OK;
}

void kal_dae_destroy(KalDae *dae)
{
    KalDae *d = dae;
    if (!d) {
        return;
    }
    d->call.IDAFree(&d->ida);
    if (d->linear) {
        d->call.SUNLinSolFree(d->linear);
    }
    if (d->J) {
        d->call.SUNMatDestroy(d->J);
    }
    d->call.N_VDestroy(d->kinds);
    d->call.N_VDestroy(d->atols);
    d->call.N_VDestroy(d->yp);
    d->call.N_VDestroy(d->y);
    d->call.SUNContext_Free(&d->sun);
    kal_free(d->ctx, d->block, ARRAYS * (size_t)d->system.n * sizeof(double));
    kal_free(d->ctx, d, sizeof *d);
}

KalStatus kal_dae_advance(KalDae *dae, double t, double *out_y)
{
    KalDae *d = dae;
    double reached = d->t;
    d->refusal = KAL_OK;
    d->text[0] = '\0';
    const int flag = d->call.IDASolve(d->ida, t, &reached, d->y, d->yp, IDA_NORMAL);
    if (flag < 0) {
        if (d->refusal != KAL_OK) {
            return d->refusal;
        }
        return kal_fail(d->ctx, flag == IDA_MEM_FAIL ? KAL_ERR_NOMEM : KAL_ERR_STEP,
                        "IDA gives up before t = %.17g: %s", t, d->text);
    }
    d->t = reached;
    memcpy(out_y, d->block, (size_t)d->system.n * sizeof(double));
    return KAL_OK;
}
