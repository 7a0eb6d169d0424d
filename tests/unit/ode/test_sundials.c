// SPDX-License-Identifier: MIT

// How CVODE and IDA come into the program: not before they are needed, and with an
// explanation when they do not.  This program is not linked with them.

#include "context.h"
#include "loaded.h"
#include "ode/integrator.h"
#include "ode/sundials.h"
#include "tap.h"

static const char none[] = "libkalaba-none.so.1";

static void a_missing_library_is_named(void)
{
    KalContext *ctx = new_context();
    KalCvodeLibrary cvode = {.CVode = NULL};
    KalIdaLibrary ida = {.IDASolve = NULL};
    ok(kal_cvode_library_open(ctx, none, &cvode) == KAL_ERR_FILE);
    same_text(kal_context_message(ctx),
              "stiff motions need the CVODE library, which cannot be loaded "
              "(libkalaba-none.so.1: cannot open shared object file: No such file or "
              "directory): install libsundials-cvode6");
    ok(kal_ida_library_open(ctx, none, &ida) == KAL_ERR_FILE);
    same_text(kal_context_message(ctx),
              "second opinions on runs need the IDA library, which cannot be loaded "
              "(libkalaba-none.so.1: cannot open shared object file: No such file or "
              "directory): install libsundials-ida6");
    ok(!cvode.CVode && !ida.IDASolve);
    kal_context_destroy(ctx);
}

static void another_library_is_refused(void)
{
    KalContext *ctx = new_context();
    KalCvodeLibrary cvode;
    KalIdaLibrary ida;
    ok(kal_cvode_library_open(ctx, "libm.so.6", &cvode) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "undefined symbol: SUNContext_Create)");
    ok(kal_cvode_library_open(ctx, KAL_IDA_NAME, &cvode) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "undefined symbol: CVodeCreate)");
    ok(kal_ida_library_open(ctx, "libm.so.6", &ida) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "undefined symbol: SUNContext_Create)");
    kal_context_destroy(ctx);
}

static KalStatus decay(void *user, double t, const double *y, double *out_rate)
{
    (void)user;
    (void)t;
    out_rate[0] = -y[0];
    return KAL_OK;
}

static KalStatus slope(void *user, double t, const double *y, double *out_J)
{
    (void)user;
    (void)t;
    (void)y;
    out_J[0] = -1.0;
    return KAL_OK;
}

static KalStatus misfit(void *user, double t, const double *y, const double *yp,
                        double *out_residual)
{
    (void)user;
    (void)t;
    out_residual[0] = yp[0] + y[0];
    return KAL_OK;
}

static void each_is_loaded_when_needed(void)
{
    KalContext *ctx = new_context();
    const KalOdeSystem system = {
        .n = 1, .rate = decay, .jacobian = slope, .residual = misfit};
    KalIntegrator *bdf = NULL;
    KalIntegrator *dae = NULL;
    ok(!is_loaded(KAL_CVODE_NAME) && !is_loaded(KAL_IDA_NAME));
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &system, NULL, &bdf) == KAL_OK);
    ok(is_loaded(KAL_CVODE_NAME) && !is_loaded(KAL_IDA_NAME));
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DAE, &system, NULL, &dae) == KAL_OK);
    ok(is_loaded(KAL_IDA_NAME));
    kal_integrator_destroy(dae);
    kal_integrator_destroy(bdf);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_missing_library_is_named), TAP_CASE(each_is_loaded_when_needed),
        TAP_CASE(another_library_is_refused))
