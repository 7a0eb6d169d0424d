// SPDX-License-Identifier: MIT

// Gauss collocation: what the textbook says of it, and steps across times without a rate.

#include "ode/integrator.h"
#include "tap.h"

#include <math.h>

static KalContext *ctx;

// An oscillator, x' = v, v' = −x; in some problems it has no rate near a time.
typedef struct Hole {
    double from;
    double to;
} Hole;

static KalStatus rate(void *user, double t, const double *y, double *out)
{
    const Hole *hole = (const Hole *)user;
    if (hole && t > hole->from && t < hole->to) {
        return kal_fail(ctx, KAL_ERR_NUMBER, "no rate at t = %g", t);
    }
    out[0] = y[1];
    out[1] = -y[0];
    return KAL_OK;
}

static KalIntegrator *make(Hole *hole)
{
    const KalOdeSystem system = {.n = 2, .user = hole, .rate = rate};
    KalIntegrator *gauss = NULL;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_GAUSS, &system, NULL, &gauss)
       == KAL_OK);
    return gauss;
}

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
}

// The motion begins with this phase: both of its numbers have a size to be measured by.
static const double PHASE = 0.7;

// One step of length h from t = 0.
static KalStatus step_once(KalIntegrator *gauss, double h, KalOdeStep *out_step)
{
    const double y[] = {cos(PHASE), -sin(PHASE)};
    const KalStatus status = kal_integrator_start(gauss, 0.0, y, h);
    return status == KAL_OK ? kal_integrator_step(gauss, out_step) : status;
}

// The error of a step is about 1.7e-23 h^17: none but rounding, and what the iteration
// leaves.
static void a_step_has_the_order_of_the_method(void)
{
    begin();
    KalIntegrator *gauss = make(NULL);
    for (int k = -4; k <= 4; k++) {
        const double h = 0.125 * k;
        KalOdeStep step;
        if (h == 0.0 || !ok(step_once(gauss, h, &step) == KAL_OK)) {
            continue;
        }
        ok(step.finished && step.t_new == h);
        near(step.y_new[0], cos(h + PHASE), 1e-12);
        near(step.y_new[1], -sin(h + PHASE), 1e-12);
    }
    ok(kal_integrator_order(gauss) == 16);
    kal_integrator_destroy(gauss);
    kal_context_destroy(ctx);
}

// Methods of Gauss keep quadratic invariants, and the polynomial meets the end.
static void quadratic_invariants_are_kept(void)
{
    begin();
    KalIntegrator *gauss = make(NULL);
    const double y[] = {cos(PHASE), -sin(PHASE)};
    KalOdeStep step = {.finished = false};
    ok(kal_integrator_start(gauss, 0.0, y, 100.0) == KAL_OK);
    kal_integrator_set_max_step(gauss, 0.3);
    while (!step.finished && ok(kal_integrator_step(gauss, &step) == KAL_OK)) {
        double inner[2];
        const double t = 0.3 * step.t_old + 0.7 * step.t_new;
        near(step.y_new[0] * step.y_new[0] + step.y_new[1] * step.y_new[1], 1.0, 1e-9);
        ok(kal_integrator_interpolate(gauss, t, inner) == KAL_OK);
        near(inner[0], cos(t + PHASE), 1e-6);
    }
    ok(step.t_new == 100.0 && kal_integrator_counts(gauss).steps == 334);
    kal_integrator_destroy(gauss);
    kal_context_destroy(ctx);
}

// The middle of a step may have no rate; a node must.
static void a_step_leads_across_its_middle(void)
{
    begin();
    Hole middle = {0.225, 0.275};
    Hole node = {0.28, 0.31};
    KalIntegrator *gauss = make(&middle);
    KalIntegrator *stopped = make(&node);
    KalOdeStep step = {.t_new = 42.0};
    ok(step_once(stopped, 0.5, &step) == KAL_ERR_NUMBER && step.t_new == 42.0);
    ok(kal_integrator_counts(stopped).rejected == 1);
    if (ok(step_once(gauss, 0.5, &step) == KAL_OK)) {
        near(step.y_new[0], cos(0.5 + PHASE), 1e-12);
    }
    kal_integrator_destroy(gauss);
    kal_integrator_destroy(stopped);
    kal_context_destroy(ctx);
}

// The iteration does not settle over 30 radians; the state stays, and shorter steps go on.
static void too_long_a_step_fails(void)
{
    begin();
    KalIntegrator *gauss = make(NULL);
    KalOdeStep step = {.t_new = 42.0};
    double y[2];
    ok(step_once(gauss, 30.0, &step) != KAL_OK && step.t_new == 42.0);
    ok(kal_integrator_interpolate(gauss, 0.0, y) == KAL_OK && y[0] == cos(PHASE)
       && y[1] == -sin(PHASE));
    kal_integrator_set_max_step(gauss, 0.5);
    if (ok(kal_integrator_step(gauss, &step) == KAL_OK && step.t_new == 0.5)) {
        near(step.y_new[0], cos(0.5 + PHASE), 1e-12);
    }
    const KalOdeCounts counts = kal_integrator_counts(gauss);
    ok(counts.steps == 1 && counts.rejected == 1);
    kal_integrator_destroy(gauss);
    kal_context_destroy(ctx);
}

static void positions_need_velocities(void)
{
    begin();
    const KalOdeSystem system = {.n = 3, .rate = rate};
    KalIntegrator *gauss = NULL;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_GAUSS, &system, NULL, &gauss)
       == KAL_ERR_USAGE);
    has_text(kal_context_message(ctx), "as many velocities as positions");
    ok(!gauss);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_step_has_the_order_of_the_method),
        TAP_CASE(quadratic_invariants_are_kept),
        TAP_CASE(a_step_leads_across_its_middle), TAP_CASE(too_long_a_step_fails),
        TAP_CASE(positions_need_velocities))
