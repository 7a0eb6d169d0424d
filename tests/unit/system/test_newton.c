// SPDX-License-Identifier: MIT

// The linear equations of implicit steps: their solutions against differences of the rates.

#include "run_lab.h"
#include "system/newton.h"

#include <math.h>

enum {
    MOST = 1024
};

// Links with dampers in the pins, which are twice as strong where a state is, one pin told
// again, and a mass that couples.
#define CHAIN(links, more)                                                          \
    "param N = " links "\ncomponent Link() {\n coord x, y, a\n"                     \
    " kinetic (x'^2 + y'^2)/2 + a'^2/24\n potential 9.81*y\n}\n"                    \
    "part link[i in 1..N] = Link()\nstate z: z' = link[2].y*link[3].x' - 3*z\n"     \
    "constraint hang: [link[1].x - cos(link[1].a)/2, link[1].y - sin(link[1].a)/2]" \
    " = [0, 0]\n"                                                                   \
    "for i in 2..N {\n constraint pin[i]: [link[i].x - cos(link[i].a)/2,"           \
    " link[i].y - sin(link[i].a)/2] = [link[i-1].x + cos(link[i-1].a)/2,"           \
    " link[i-1].y + sin(link[i-1].a)/2]\n"                                          \
    " dissipation 0.3*(1 + z^2)*(link[i].a' - link[i-1].a')^2\n}\n"                 \
    "kinetic 0.2*link[2].x'*link[3].y'\n" more                                      \
    "for i in 1..N {\n init link[i].a ~ 0.1*sin(i), link[i].x ~ i - 0.5,"           \
    " link[i].y ~ 0, link[i].a' ~ 0.2*cos(i)\n}\ninit z = 0.4\n"

#define TWIN \
    "constraint twin: 2*link[3].x - cos(link[3].a) = 2*link[2].x + cos(link[2].a)\n"

// y' at the state in the instant.
static void rates(KalInstant *instant, double *out)
{
    KalMotionAnswer answer = {.qdd = NULL};
    const size_t n = (size_t)instant->system->n;
    memcpy(out, kal_instant_qd(instant), n * sizeof *out);
    if (ok(kal_instant_solve(instant, &answer) == KAL_OK)) {
        memcpy(out + n, answer.qdd, n * sizeof *out);
    }
    ok(kal_instant_rates(instant, out + 2 * n) == KAL_OK);
}

static double largest(const double *z, size_t n)
{
    double most = 1.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(z[i]));
    }
    return most;
}

// ∂f/∂y along z, by differences of fourth order; a state off the constraints will do.
static void slopes_along(KalInstant *instant, const double *z, double *out)
{
    static const double steps[] = {-2.0, -1.0, 1.0, 2.0};
    static const double weights[] = {1.0, -8.0, 8.0, -1.0};
    const double h = 2e-4 / largest(z, kal_system_state_size(instant->system));
    const size_t size = kal_system_state_size(instant->system);
    double *y = kal_instant_q(instant); // velocities and states follow
    double keep[MOST];
    double f[MOST];
    memcpy(keep, y, size * sizeof *keep);
    memset(out, 0, size * sizeof *out);
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < size; i++) {
            y[i] = keep[i] + h * steps[k] * z[i];
        }
        rates(instant, f);
        for (size_t i = 0; i < size; i++) {
            out[i] += weights[k] * f[i] / (12.0 * h);
        }
    }
    memcpy(y, keep, size * sizeof *keep);
}

static void try_factor(KalNewton *newton, double factor)
{
    KalInstant *instant = newton->instant;
    const size_t size = kal_system_state_size(instant->system);
    KalMotionAnswer answer;
    double x[MOST];
    double z[MOST];
    double Jz[MOST];
    if (!ok(kal_instant_solve(instant, &answer) == KAL_OK)
        || !ok(kal_newton_factor(newton, &answer, factor) == KAL_OK)) {
        return;
    }
    for (size_t i = 0; i < size; i++) {
        x[i] = z[i] = sin(1.7 * (double)i * (double)i + 0.3);
    }
    kal_newton_solve(newton, z);
    slopes_along(instant, z, Jz);
    for (size_t i = 0; i < size; i++) {
        near(z[i] - factor * Jz[i], x[i], 1e-7 * largest(z, size));
    }
}

static void compare(const char *text, bool large)
{
    Lab lab;
    KalInstant *instant = NULL;
    KalNewton newton = {.instant = NULL};
    KalStartReport report;
    if (!lab_load(&lab, text)
        || !ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)) {
        return;
    }
    ok((instant->large.solver != NULL) == large && kal_newton_serves(instant));
    ok(kal_system_state_size(lab.system) <= MOST);
    if (ok(kal_instant_start(instant, &report) == KAL_OK)
        && ok(kal_newton_init(&newton, instant) == KAL_OK)) {
        try_factor(&newton, 0.02);
        try_factor(&newton, -0.3); // backwards, in the same order of columns
        try_factor(&newton, 1e-5);
    }
    kal_newton_clear(&newton);
    kal_instant_destroy(instant);
    lab_close(&lab);
}

static void solutions_are_those_of_the_matrix(void)
{
    compare(CHAIN("6", ""), false);
    compare(CHAIN("70", ""), true);
}

// Of rows that depend on others the independent ones are taken.
static void rows_that_say_the_same_are_left_out(void)
{
    compare(CHAIN("70", TWIN), true);
}

static void forces_that_are_not_ideal_count(void)
{
    compare(CHAIN("70", "nonideal link[2].x = -0.4*link[2].x'*link[5].y\n"), true);
}

// A coordinate without mass of its own.
static void masses_may_vanish(void)
{
    compare(CHAIN("70", "coord s\nconstraint tie: s = link[3].x + link[4].x\n"
                        "dissipation 0.4*s'^2\ninit s ~ 5\n"),
            true);
}

static void every_allocation_may_fail(void)
{
    Lab lab;
    KalInstant *instant = NULL;
    KalStartReport report;
    KalMotionAnswer answer;
    KalStatus status = KAL_ERR_NOMEM;
    if (!lab_load(&lab, CHAIN("70", ""))
        || !ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)
        || !ok(kal_instant_start(instant, &report) == KAL_OK)
        || !ok(kal_instant_solve(instant, &answer) == KAL_OK)) {
        return;
    }
    const size_t held = lab.fault.live_bytes;
    for (long calls = 0; status != KAL_OK && calls < 100; calls++) {
        KalNewton newton = {.instant = NULL};
        lab.fault.calls_left = calls;
        status = kal_newton_init(&newton, instant);
        status = status == KAL_OK ? kal_newton_factor(&newton, &answer, 0.1) : status;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        kal_newton_clear(&newton);
        ok(lab.fault.live_bytes == held);
    }
    ok(status == KAL_OK);
    lab.fault.calls_left = -1;
    kal_instant_destroy(instant);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(solutions_are_those_of_the_matrix),
        TAP_CASE(rows_that_say_the_same_are_left_out),
        TAP_CASE(forces_that_are_not_ideal_count), TAP_CASE(masses_may_vanish),
        TAP_CASE(every_allocation_may_fail))
