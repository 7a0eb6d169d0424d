// SPDX-License-Identifier: MIT

#include "fault.h"
#include "ode/integrator.h"
#include "ode/trail.h"
#include "tap.h"

#include <kalaba/context.h>

// t^k, and its integral from 0.
static double power(double t, int k)
{
    return pow(t, k);
}

static double integral(double t, int k)
{
    return pow(t, k + 1) / (k + 1);
}

// Polynomials up to the order are integrated exactly, on uneven steps and inside of them.
static void polynomials_are_exact(void)
{
    KalContext *ctx = NULL;
    KalTrail trail = {.ctx = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_trail_init(&trail, ctx, 6) == KAL_OK);
    for (int order = 1; order <= 5; order++) {
        double sums[6] = {0.0};
        double values[6] = {1.0};
        double t = 0.0;
        kal_trail_start(&trail, t, sums, values);
        for (int step = 0; step < 12; step++) {
            const double next = t + 0.1 * (1.0 + 0.6 * sin(3.0 * step));
            for (int k = 0; k < 6; k++) {
                values[k] = power(next, k);
            }
            kal_trail_add(&trail, next, values, order);
            const int exact = step + 1 < order ? step + 1 : order; // as values come
            double inside[6];
            double end[6];
            kal_trail_integrate(&trail, t + 0.3 * (next - t), inside);
            kal_trail_integrate(&trail, next, end);
            for (int k = 0; k <= exact; k++) {
                const double before = inside[k] - trail.sums[1][k];
                near(before, integral(t + 0.3 * (next - t), k) - integral(t, k), 1e-14);
                near(end[k] - trail.sums[1][k], integral(next, k) - integral(t, k),
                     1e-14);
            }
            near(end[0], next, 1e-14);
            t = next;
        }
    }
    kal_trail_clear(&trail);
    kal_context_destroy(ctx);
}

// A step in which a function turns many times: its ends do not know, its parts do, at its end
// and inside of it.
static void parts_of_a_step_follow_what_its_ends_do_not_see(void)
{
    KalContext *ctx = NULL;
    KalTrail trail = {.ctx = NULL};
    double got = 0.0;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_trail_init(&trail, ctx, 1) == KAL_OK);
    kal_trail_start(&trail, 0.0, &(double){0.0}, &(double){1.0});
    for (int step = 1; step <= 4; step++) {
        const double value = cos(20.0 * step);
        kal_trail_add(&trail, step, &value, 5);
        ok(kal_trail_doubt(&trail) > 0.01);
        kal_trail_take_back(&trail, step - 1.0);
        kal_trail_integrate(&trail, step - 1.0, &got);
        near(got, sin(20.0 * (step - 1.0)) / 20.0, 1e-6);
        for (int k = 1; k <= KAL_TRAIL_PARTS; k++) {
            const double t = step - 1.0 + (double)k / KAL_TRAIL_PARTS;
            kal_trail_add(&trail, t, &(double){cos(20.0 * t)}, 5);
        }
        kal_trail_even_out(&trail, KAL_TRAIL_PARTS);
        ok(kal_trail_change(&trail) > 0.01 && kal_trail_doubt(&trail) < 1e-5);
        for (int k = 0; k <= 100; k++) {
            const double t = step - 1.0 + 0.01 * k;
            kal_trail_integrate(&trail, t, &got);
            near(got, sin(20.0 * t) / 20.0, 1e-6);
        }
    }
    kal_trail_clear(&trail);
    kal_context_destroy(ctx);
}

static void without_a_step_it_stands_still(void)
{
    KalContext *ctx = NULL;
    KalTrail trail = {.ctx = NULL};
    const double sums[2] = {3.0, -1.0};
    const double values[2] = {5.0, 7.0};
    double got[2];
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_trail_init(&trail, ctx, 2) == KAL_OK);
    kal_trail_start(&trail, 2.0, sums, values);
    kal_trail_integrate(&trail, 2.0, got);
    near(got[0], 3.0, 0.0);
    near(got[1], -1.0, 0.0);
    kal_trail_clear(&trail);
    kal_context_destroy(ctx);
}

static void memory_may_fail(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalTrail trail = {.ctx = NULL};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    fault.calls_left = 0;
    ok(kal_trail_init(&trail, ctx, 2) == KAL_ERR_NOMEM);
    kal_trail_clear(&trail);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

// An oscillator, with the integrals of x², t and 10⁶ x beside it.
typedef struct Oscillator {
    bool integrals;
} Oscillator;

static KalStatus rate(void *user, double t, const double *y, double *out_rate)
{
    const Oscillator *o = (const Oscillator *)user;
    out_rate[0] = y[1];
    out_rate[1] = -y[0];
    if (o->integrals) {
        out_rate[2] = y[0] * y[0];
        out_rate[3] = t;
        out_rate[4] = 1e6 * y[0];
    }
    return KAL_OK;
}

// Integrals have the accuracy of the method and no say in its steps.
static void integrals_do_not_disturb(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    double end[2][5] = {{0.0}, {0.0}};
    long steps[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        Oscillator o = {.integrals = k == 1};
        const KalOdeSystem system = {.n = k == 1 ? 5 : 2,
                                     .n_integrals = k == 1 ? 3 : 0,
                                     .user = &o,
                                     .rate = rate};
        const double start[5] = {1.0, 0.0, 0.0, 0.0, 0.0};
        KalIntegrator *solver = NULL;
        KalOdeStep step = {.finished = false};
        ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &solver)
           == KAL_OK);
        ok(kal_integrator_start(solver, 0.0, start, 10.0) == KAL_OK);
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
            double inside[5];
            const double t = 0.5 * (step.t_old + step.t_new);
            ok(kal_integrator_interpolate(solver, t, inside) == KAL_OK);
            if (k == 1) {
                near(inside[2], 0.5 * t + 0.25 * sin(2.0 * t), 1e-8);
                near(inside[4], 1e6 * sin(t), 1e-2);
            }
        }
        memcpy(end[k], step.y_new, (size_t)system.n * sizeof(double));
        steps[k] = kal_integrator_counts(solver).steps;
        kal_integrator_destroy(solver);
    }
    ok(memcmp(end[0], end[1], 2 * sizeof(double)) == 0 && steps[0] == steps[1]);
    near(end[1][2], 5.0 + 0.25 * sin(20.0), 1e-8);
    near(end[1][3], 50.0, 1e-12);
    near(end[1][4], 1e6 * sin(10.0), 1e-2);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(polynomials_are_exact),
        TAP_CASE(parts_of_a_step_follow_what_its_ends_do_not_see),
        TAP_CASE(without_a_step_it_stands_still), TAP_CASE(memory_may_fail),
        TAP_CASE(integrals_do_not_disturb))
