// SPDX-License-Identifier: MIT

// Implicit equations: closed forms, algebraic unknowns, and ways to fail.

#include "fault.h"
#include "ode/integrator.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static KalContext *ctx;
static Fault fault;

static void begin(void)
{
    fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
}

static void end(void)
{
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static bool never(KalStatus status)
{
    (void)status;
    return false;
}

static bool always(KalStatus status)
{
    (void)status;
    return true;
}

// x' = -y, x² + y² = 1: x = cos t, y = sin t while y is not 0.
static KalStatus circle(void *user, double t, const double *y, const double *yp,
                        double *out)
{
    (void)user;
    (void)t;
    out[0] = yp[0] + y[1];
    out[1] = y[0] * y[0] + y[1] * y[1] - 1.0;
    return KAL_OK;
}

static const double kinds[] = {1.0, 0.0};
static const double atols[] = {1e-12, 1e-12};

static KalStatus circle_rate(void *user, double t, const double *y, double *out)
{
    (void)user;
    (void)t;
    out[0] = -y[1];
    out[1] = y[0];
    return KAL_OK;
}

static KalOdeSystem circle_system(void)
{
    return (KalOdeSystem){.n = 2,
                          .rate = circle_rate,
                          .residual = circle,
                          .may_retry = never,
                          .kinds = kinds};
}

static KalStatus make_circle(const KalOdeSystem *system, KalIntegrator **out_dae)
{
    const double y[] = {cos(0.5), sin(0.5)};
    const KalOdeOptions options = {.rtol = 1e-11, .atols = atols};
    const KalStatus status =
        kal_integrator_create(ctx, KAL_INTEGRATOR_DAE, system, &options, out_dae);
    return status == KAL_OK ? kal_integrator_start(*out_dae, 0.5, y, INFINITY) : status;
}

static void algebraic_unknowns_follow(void)
{
    begin();
    const KalOdeSystem system = circle_system();
    KalIntegrator *dae = NULL;
    ok(make_circle(&system, &dae) == KAL_OK);
    for (int k = 1; dae && k <= 20; k++) {
        const double t = 0.5 + 0.1 * k;
        double y[2];
        ok(kal_integrator_advance(dae, t, y) == KAL_OK);
        near(y[0], cos(t), 1e-8);
        near(y[1], sin(t), 1e-8);
    }
    kal_integrator_destroy(dae);
    end();
}

static KalStatus refuse(void *user, double t, const double *y, const double *yp,
                        double *out)
{
    if (t > 0.7) {
        return kal_fail((KalContext *)user, KAL_ERR_NUMBER, "no further than 0.7");
    }
    return circle(NULL, t, y, yp, out);
}

static void a_refusal_is_passed_on(void)
{
    for (int retry = 0; retry < 2; retry++) {
        begin();
        KalOdeSystem system = circle_system();
        KalIntegrator *dae = NULL;
        double y[2] = {42.0, 42.0};
        system.residual = refuse;
        system.user = ctx;
        system.may_retry = retry ? always : never;
        ok(make_circle(&system, &dae) == KAL_OK);
        if (dae) {
            ok(kal_integrator_advance(dae, 1.0, y) == KAL_ERR_NUMBER);
        }
        same_text(kal_context_message(ctx), "no further than 0.7");
        ok(y[0] == 42.0);
        kal_integrator_destroy(dae);
        end();
    }
}

// No x has x² + 1 = 0.
static KalStatus unsolvable(void *user, double t, const double *y, const double *yp,
                            double *out)
{
    (void)user;
    (void)t;
    out[0] = yp[0] - y[1];
    out[1] = y[1] * y[1] + 1.0;
    return KAL_OK;
}

static void equations_without_solution_end(void)
{
    begin();
    KalOdeSystem system = circle_system();
    KalIntegrator *dae = NULL;
    double y[2] = {42.0, 42.0};
    system.residual = unsolvable;
    ok(make_circle(&system, &dae) == KAL_OK);
    if (dae) {
        ok(kal_integrator_advance(dae, 1.0, y) == KAL_ERR_STEP);
    }
    has_text(kal_context_message(ctx), "IDA gives up");
    ok(y[0] == 42.0);
    kal_integrator_destroy(dae);
    end();
}

static void too_many_unknowns_are_refused(void)
{
    begin();
    KalOdeSystem system = circle_system();
    KalIntegrator *dae = NULL;
    system.n = kal_integrator_traits(KAL_INTEGRATOR_DAE)->most_states + 1;
    ok(make_circle(&system, &dae) == KAL_ERR_LIMIT && !dae);
    end();
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 0; status != KAL_OK && calls < 10; calls = fault_next(calls)) {
        begin();
        const KalOdeSystem system = circle_system();
        KalIntegrator *dae = NULL;
        fault.calls_left = calls;
        status = make_circle(&system, &dae);
        fault.calls_left = -1;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !dae));
        kal_integrator_destroy(dae);
        end();
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(algebraic_unknowns_follow), TAP_CASE(a_refusal_is_passed_on),
        TAP_CASE(equations_without_solution_end),
        TAP_CASE(too_many_unknowns_are_refused), TAP_CASE(every_allocation_may_fail))
