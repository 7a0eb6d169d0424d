// SPDX-License-Identifier: MIT

// What holds for every integrator of the list, a new one included.

#include "fault.h"
#include "ode/integrator.h"
#include "tap.h"

#include <math.h>

static KalContext *ctx;
static Fault fault;
static double limit; // beyond this time there are no values

static void begin(void)
{
    fault = (Fault){.calls_left = -1};
    limit = INFINITY;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
}

static void end(void)
{
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

// An oscillator, x' = v, v' = −x, in all the ways that an integrator may ask for.
static KalStatus refuse(double t)
{
    return t > limit ? kal_fail(ctx, KAL_ERR_MASS, "no further") : KAL_OK;
}

static KalStatus rate(void *user, double t, const double *y, double *out)
{
    out[0] = y[1];
    out[1] = -y[0];
    (void)user;
    return refuse(t);
}

static KalStatus jacobian(void *user, double t, const double *y, double *out)
{
    (void)y;
    out[1] = -1.0;
    out[2] = 1.0;
    (void)user;
    return refuse(t);
}

static KalStatus residual(void *user, double t, const double *y, const double *yp,
                          double *out)
{
    out[0] = yp[0] - y[1];
    out[1] = yp[1] + y[0];
    (void)user;
    return refuse(t);
}

static KalStatus make(int name, KalIntegrator **out_integrator)
{
    const KalOdeSystem system = {
        .n = 2, .rate = rate, .jacobian = jacobian, .residual = residual};
    KalOdeOptions options = kal_ode_options();
    options.max_step = 0.25;
    options.rtol = 1e-8;
    return kal_integrator_create(ctx, (KalIntegratorName)name, &system, &options,
                                 out_integrator);
}

static void words_name_integrators(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        KalIntegratorName name = KAL_INTEGRATOR_COUNT;
        const KalIntegratorTraits *traits = kal_integrator_traits((KalIntegratorName)i);
        ok(kal_integrator_find(traits->word, &name) && (int)name == i);
        ok(traits->most_states > 0);
        ok(kal_integrator_least_tolerance(name, 2) >= 0.0);
    }
    KalIntegratorName name = KAL_INTEGRATOR_COUNT;
    ok(!kal_integrator_find("euler", &name) && name == KAL_INTEGRATOR_COUNT);
}

// From 0 to ±2 in steps that join, with the states of the closed form.
static void go(KalIntegrator *integrator, double sign)
{
    const double start[] = {1.0, 0.0};
    KalOdeStep step = {.finished = false};
    double t = 0.0;
    long steps = -kal_integrator_counts(integrator).steps;
    ok(kal_integrator_start(integrator, 0.0, start, 2.0 * sign) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(integrator, &step) == KAL_OK)) {
        double y[2];
        const double inner = 0.5 * (step.t_old + step.t_new);
        ok(step.t_old == t && fabs(step.t_new - t) <= 0.25 * (1.0 + 1e-12));
        t = step.t_new;
        ok(kal_integrator_interpolate(integrator, inner, y) == KAL_OK);
        near(y[0], cos(inner), 1e-5);
        ok(kal_integrator_interpolate(integrator, t, y) == KAL_OK);
        ok(y[0] == step.y_new[0] && y[1] == step.y_new[1]);
        near(y[0], cos(t), 1e-6);
        near(y[1], -sin(t), 1e-6);
        ok(kal_integrator_order(integrator) >= 1);
    }
    steps += kal_integrator_counts(integrator).steps;
    ok(t == 2.0 * sign && steps >= 8);
    ok(kal_integrator_step(integrator, &step) == KAL_ERR_USAGE);
}

static void steps_join_and_end_at_the_end(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        begin();
        KalIntegrator *integrator = NULL;
        ok(make(i, &integrator) == KAL_OK);
        ok((int)kal_integrator_name(integrator) == i);
        go(integrator, 1.0);
        go(integrator, -1.0);
        kal_integrator_destroy(integrator);
        end();
    }
}

// A longest step that is set on the way holds from the next step on.
static void the_longest_step_can_be_set(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        begin();
        const double start[] = {1.0, 0.0};
        KalIntegrator *integrator = NULL;
        KalOdeStep step;
        ok(make(i, &integrator) == KAL_OK);
        ok(kal_integrator_start(integrator, 0.0, start, 2.0) == KAL_OK);
        ok(kal_integrator_step(integrator, &step) == KAL_OK);
        kal_integrator_set_max_step(integrator, 1e-3);
        for (int k = 0; k < 10; k++) {
            ok(kal_integrator_step(integrator, &step) == KAL_OK);
            ok(step.t_new - step.t_old <= 1e-3 * (1.0 + 1e-9));
        }
        near(step.y_new[0], cos(step.t_new), 1e-6);
        kal_integrator_set_max_step(integrator, 0.25);
        while (!step.finished && ok(kal_integrator_step(integrator, &step) == KAL_OK)) {
        }
        near(step.y_new[0], cos(2.0), 1e-5);
        kal_integrator_destroy(integrator);
        end();
    }
}

static void an_advance_looks_anywhere(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        begin();
        const double start[] = {1.0, 0.0};
        KalIntegrator *integrator = NULL;
        double y[2];
        ok(make(i, &integrator) == KAL_OK);
        ok(kal_integrator_start(integrator, 0.0, start, INFINITY) == KAL_OK);
        for (int k = 1; k <= 30; k++) {
            ok(kal_integrator_advance(integrator, 0.03 * k, y) == KAL_OK);
            near(y[0], cos(0.03 * k), 1e-6);
        }
        kal_integrator_destroy(integrator);
        end();
    }
}

static void the_end_can_be_moved(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        begin();
        const double start[] = {1.0, 0.0};
        KalIntegrator *integrator = NULL;
        KalOdeStep step = {.finished = false};
        ok(make(i, &integrator) == KAL_OK);
        ok(kal_integrator_set_end(integrator, 1.0) == KAL_ERR_USAGE);
        ok(kal_integrator_start(integrator, 0.0, start, 1.0) == KAL_OK);
        for (int k = 0; k < 3; k++) {
            const double t_end = 1.0 + 0.2 * k;
            ok(kal_integrator_set_end(integrator, t_end) == KAL_OK);
            do {
                ok(kal_integrator_step(integrator, &step) == KAL_OK);
            } while (!step.finished && step.t_new < t_end);
            ok(step.t_new == t_end);
            near(step.y_new[0], cos(t_end), 1e-6);
        }
        ok(kal_integrator_set_end(integrator, 0.5) == KAL_ERR_USAGE);
        kal_integrator_destroy(integrator);
        end();
    }
}

// A callback that refuses is passed on; the state before stays, and another start goes on.
static void a_failure_leaves_the_state(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        begin();
        const double start[] = {1.0, 0.0};
        double y[2];
        KalIntegrator *integrator = NULL;
        KalOdeStep step = {.t_new = 0.0};
        KalStatus status = KAL_OK;
        ok(make(i, &integrator) == KAL_OK);
        limit = 0.7;
        ok(kal_integrator_start(integrator, 0.0, start, 5.0) == KAL_OK);
        for (int k = 0; k < 10000 && status == KAL_OK; k++) {
            status = kal_integrator_step(integrator, &step);
        }
        ok(status == KAL_ERR_MASS && step.t_new > 0.3 && step.t_new <= 0.7);
        same_text(kal_context_message(ctx), "no further");
        ok(kal_integrator_interpolate(integrator, step.t_new, y) == KAL_OK);
        near(y[0], cos(step.t_new), 1e-6);
        limit = 9.0;
        ok(kal_integrator_step(integrator, &step) == KAL_OK);
        near(step.y_new[0], cos(step.t_new), 1e-6);
        kal_integrator_destroy(integrator);
        end();
    }
}

static void what_is_missing_is_named(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        begin();
        const KalIntegratorName name = (KalIntegratorName)i;
        const KalIntegratorTraits *traits = kal_integrator_traits(name);
        KalOdeSystem system = {.n = 2, .rate = rate};
        KalOdeOptions options = kal_ode_options();
        KalIntegrator *integrator = NULL;
        const bool asks = traits->needs_jacobian || traits->needs_residual;
        const KalStatus status =
            kal_integrator_create(ctx, name, &system, NULL, &integrator);
        ok(status == (asks ? KAL_ERR_USAGE : KAL_OK));
        has_text(asks ? kal_context_message(ctx) : traits->word, traits->word);
        kal_integrator_destroy(integrator);
        integrator = NULL;
        options.fixed_step = 0.1;
        system.jacobian = jacobian;
        system.residual = residual;
        ok(kal_integrator_create(ctx, name, &system, &options, &integrator)
           == (traits->takes_fixed_step ? KAL_OK : KAL_ERR_USAGE));
        kal_integrator_destroy(integrator);
        end();
    }
}

static void every_allocation_may_fail(void)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        KalStatus status = KAL_ERR_NOMEM;
        for (long calls = 0; status != KAL_OK && calls < 20;
             calls = fault_next(calls)) {
            begin();
            KalIntegrator *integrator = NULL;
            fault.calls_left = calls;
            status = make(i, &integrator);
            fault.calls_left = -1;
            ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !integrator));
            kal_integrator_destroy(integrator);
            end();
        }
        ok(status == KAL_OK);
    }
}

TAP_RUN(TAP_CASE(words_name_integrators), TAP_CASE(steps_join_and_end_at_the_end),
        TAP_CASE(the_longest_step_can_be_set), TAP_CASE(an_advance_looks_anywhere),
        TAP_CASE(the_end_can_be_moved), TAP_CASE(a_failure_leaves_the_state),
        TAP_CASE(what_is_missing_is_named), TAP_CASE(every_allocation_may_fail))
