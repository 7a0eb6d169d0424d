// SPDX-License-Identifier: MIT

// The stiff integrator: closed forms, a second method as a witness, invariants, and the
// same ways to fail as the other one.

#include "fault.h"
#include "ode/integrator.h"
#include "problems.h"
#include "tap.h"

#include <pthread.h>

enum {
    MOST = 4
};

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

static KalOdeOptions with_tolerance(double tolerance)
{
    KalOdeOptions options = kal_ode_options();
    options.rtol = tolerance;
    options.atol = tolerance;
    return options;
}

static KalIntegrator *make(const KalOdeSystem *system, const KalOdeOptions *options)
{
    KalIntegrator *solver = NULL;
    if (!ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, system, options, &solver)
            == KAL_OK)) {
        exit(1);
    }
    return solver;
}

static KalOdeCounts integrate(const KalOdeSystem *system, const KalOdeOptions *options,
                              double t, double t_end, double *y)
{
    KalIntegrator *solver = make(system, options);
    KalOdeStep step = {.finished = false};
    ok(kal_integrator_start(solver, t, y, t_end) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
    }
    ok(step.t_new == t_end);
    memcpy(y, step.y_new, (size_t)system->n * sizeof(double));
    const KalOdeCounts counts = kal_integrator_counts(solver);
    kal_integrator_destroy(solver);
    return counts;
}

static void witness(const KalOdeSystem *system, double t_end, double *y)
{
    const KalOdeOptions options = with_tolerance(1e-11);
    KalIntegrator *solver = NULL;
    KalOdeStep step = {.finished = false};
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, system, &options, &solver)
       == KAL_OK);
    ok(kal_integrator_start(solver, 0.0, y, t_end) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
    }
    memcpy(y, step.y_new, (size_t)system->n * sizeof(double));
    kal_integrator_destroy(solver);
}

// y' = -r (y - cos t) with y = (r² cos t + r sin t)/(r² + 1) and a transient e^(-rt).
static KalStatus drag_rate(void *user, double t, const double *y, double *f)
{
    const double r = *(const double *)user;
    f[0] = -r * (y[0] - cos(t));
    return KAL_OK;
}

static KalStatus drag_jacobian(void *user, double t, const double *y, double *J)
{
    (void)t;
    (void)y;
    J[0] = -*(const double *)user;
    return KAL_OK;
}

static double drag_state(double r, double t)
{
    return (r * r * (cos(t) - exp(-r * t)) + r * sin(t)) / (r * r + 1.0);
}

// From fast to hopeless for an explicit method, with the same few steps.
static void decay_takes_few_steps_however_fast(void)
{
    begin();
    for (int decade = 2; decade <= 10; decade += 2) {
        double r = pow(10.0, decade);
        const KalOdeSystem system = {
            .n = 1, .user = &r, .rate = drag_rate, .jacobian = drag_jacobian};
        const KalOdeOptions options = with_tolerance(1e-7);
        double y[1] = {0.0};
        const KalOdeCounts counts = integrate(&system, &options, 0.0, 10.0, y);
        near(y[0], drag_state(r, 10.0), 1e-6);
        ok(counts.steps < 500 && counts.jacobians < counts.steps);
    }
    end();
}

// Falling, y'' = g.
static KalStatus fall_rate(void *user, double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[1];
    f[1] = *(const double *)user;
    return KAL_OK;
}

static KalStatus fall_jacobian(void *user, double t, const double *y, double *J)
{
    (void)user;
    (void)t;
    (void)y;
    memcpy(J, (double[]){0.0, 0.0, 1.0, 0.0}, 4 * sizeof *J);
    return KAL_OK;
}

// At rest there is nothing to measure a rate by: first steps of their sizes would not move
// a time that is not 0.
static void strong_forces_start_from_rest(void)
{
    begin();
    for (int decade = 0; decade <= 12; decade += 3) {
        double g = pow(10.0, decade);
        const KalOdeSystem system = {
            .n = 2, .user = &g, .rate = fall_rate, .jacobian = fall_jacobian};
        const KalOdeOptions options = with_tolerance(1e-9);
        double y[2] = {0.0, 0.0};
        (void)integrate(&system, &options, 3.0, 4.0, y);
        near(y[0] / g, 0.5, 1e-7);
        near(y[1] / g, 1.0, 1e-7);
    }
    end();
}

static double oscillator_error(double tolerance)
{
    const KalOdeSystem system = {
        .n = 2, .rate = oscillator_rate, .jacobian = oscillator_jacobian};
    const KalOdeOptions options = with_tolerance(tolerance);
    double y[2] = {0.0, 1.0};
    const double exact[2] = {sin(10.0), cos(10.0)};
    (void)integrate(&system, &options, 0.0, 10.0, y);
    return distance(2, y, exact);
}

// The error of a whole run is in proportion to the tolerance, though a run at a tighter
// one has more steps whose errors add up.
static void error_follows_the_tolerance(void)
{
    begin();
    for (int digits = 4; digits <= 10; digits++) {
        const double tolerance = pow(10.0, -digits);
        const double error = oscillator_error(tolerance);
        ok(error < 10.0 * tolerance && error > 0.1 * tolerance);
    }
    // Below that there are no more digits, but the error does not grow.
    near(oscillator_error(1e-11), 0.0, 1e-9);
    near(oscillator_error(1e-13), 0.0, 1e-9);
    end();
}

// A point that goes round the unit circle: x, y, x', y'.  Errors of an odd order shorten
// the radius and the speed alike; projection restores the radius only.
static KalStatus circle_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    const double pull = (y[2] * y[2] + y[3] * y[3]) / (y[0] * y[0] + y[1] * y[1]);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -pull * y[0];
    f[3] = -pull * y[1];
    return KAL_OK;
}

static KalStatus circle_jacobian(void *user, double t, const double *y, double *J)
{
    (void)user;
    (void)t;
    const double r2 = y[0] * y[0] + y[1] * y[1];
    const double pull = (y[2] * y[2] + y[3] * y[3]) / r2;
    for (int i = 0; i < 2; i++) { // columns x, y, x', y'
        J[8 + 4 * i + i] = 1.0;
        for (int k = 0; k < 2; k++) {
            J[4 * i + 2 + k] = 2.0 * pull / r2 * y[i] * y[k] - (i == k ? pull : 0.0);
            J[8 + 4 * i + 2 + k] = -2.0 * y[2 + i] / r2 * y[k];
        }
    }
    return KAL_OK;
}

static void projected_rotation_keeps_its_phase(void)
{
    const KalOdeSystem system = {.n = 4,
                                 .rate = circle_rate,
                                 .jacobian = circle_jacobian,
                                 .project = pendulum_project};
    begin();
    for (int digits = 4; digits <= 10; digits++) {
        const double tolerance = pow(10.0, -digits);
        const KalOdeOptions options = with_tolerance(tolerance);
        double y[4] = {1.0, 0.0, 0.0, 5.0};
        (void)integrate(&system, &options, 0.0, 4.0, y); // phase 20
        const double exact[4] = {cos(20.0), sin(20.0), -5.0 * sin(20.0),
                                 5.0 * cos(20.0)};
        near(distance(4, y, exact), 0.0, 300.0 * tolerance);
    }
    end();
}

// A chemical reaction with rates nine decades apart.
static KalStatus robertson_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    const double a = 0.04 * y[0];
    const double b = 1e4 * y[1] * y[2];
    const double c = 3e7 * y[1] * y[1];
    f[0] = b - a;
    f[1] = a - b - c;
    f[2] = c;
    return KAL_OK;
}

static KalStatus robertson_jacobian(void *user, double t, const double *y, double *J)
{
    (void)user;
    (void)t;
    const double columns[9] = {-0.04,      0.04,
                               0.0, // ∂/∂y0
                               1e4 * y[2], -1e4 * y[2] - 6e7 * y[1],
                               6e7 * y[1], // ∂/∂y1
                               1e4 * y[1], -1e4 * y[1],
                               0.0}; // ∂/∂y2
    memcpy(J, columns, sizeof columns);
    return KAL_OK;
}

static void robertson_keeps_its_mass(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 3, .rate = robertson_rate, .jacobian = robertson_jacobian};
    const double atols[3] = {1e-10, 1e-14, 1e-10};
    KalOdeOptions options = with_tolerance(1e-8);
    options.atols = atols;
    double y[3] = {1.0, 0.0, 0.0};
    double seen[3] = {1.0, 0.0, 0.0};
    witness(&system, 4.0, seen);
    (void)integrate(&system, &options, 0.0, 4.0, y);
    near(y[0], seen[0], 1e-7);
    near(y[1], seen[1], 1e-6 * seen[1]);
    near(y[2], seen[2], 1e-7);
    const KalOdeCounts counts = integrate(&system, &options, 4.0, 4e10, y);
    near(y[0] + y[1] + y[2], 1.0, 1e-12);
    // In the end 0.04 y0 = 1e4 y1 y2, and y0 falls like a power of time.
    near(0.04 * y[0], 1e4 * y[1] * y[2], 1e-4 * 0.04 * y[0]);
    ok(y[0] > 1e-9 && y[0] < 1e-6 && counts.steps < 3000);
    end();
}

// Van der Pol's oscillator y'' = m (1 - y²) y' - y.
static KalStatus van_der_pol_rate(void *user, double t, const double *y, double *f)
{
    const double m = *(const double *)user;
    (void)t;
    f[0] = y[1];
    f[1] = m * (1.0 - y[0] * y[0]) * y[1] - y[0];
    return KAL_OK;
}

static KalStatus van_der_pol_jacobian(void *user, double t, const double *y, double *J)
{
    const double m = *(const double *)user;
    (void)t;
    J[1] = -2.0 * m * y[0] * y[1] - 1.0;
    J[2] = 1.0;
    J[3] = m * (1.0 - y[0] * y[0]);
    return KAL_OK;
}

static void van_der_pol_as_seen_by_another_method(void)
{
    begin();
    double m = 20.0;
    const KalOdeSystem system = {
        .n = 2, .user = &m, .rate = van_der_pol_rate, .jacobian = van_der_pol_jacobian};
    const KalOdeOptions options = with_tolerance(1e-10);
    double y[2] = {2.0, 0.0};
    double seen[2] = {2.0, 0.0};
    witness(&system, 50.0, seen);
    (void)integrate(&system, &options, 0.0, 50.0, y);
    near(distance(2, y, seen), 0.0, 1e-6);

    // Far stiffer: half a period takes (3 - 2 log 2)/2 m and 7.014 m^(-1/3)/2, and less.
    m = 1e4;
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    double turns[3] = {0.0};
    int count = 0;
    const double start[2] = {2.0, 0.0};
    ok(kal_integrator_start(solver, 0.0, start, 3e4) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        if (step.y_old[0] * step.y_new[0] < 0.0 && count < 3) {
            turns[count++] = step.t_new;
        }
    }
    ok(count == 3 && kal_integrator_counts(solver).steps < 20000);
    const double period = (3.0 - 2.0 * log(2.0)) * m + 7.014 / cbrt(m);
    near(turns[2] - turns[0], period, 2e-4 * period);
    kal_integrator_destroy(solver);
    end();
}

// ∂f/∂y of the pendulum by central differences: good enough for Newton's iteration.
static KalStatus pendulum_jacobian(void *user, double t, const double *y, double *J)
{
    const double d = 1e-6;
    for (int j = 0; j < 4; j++) {
        double at[4];
        double above[4];
        double below[4];
        memcpy(at, y, sizeof at);
        at[j] = y[j] + d;
        KAL_TRY(pendulum_rate(user, t, at, above));
        at[j] = y[j] - d;
        KAL_TRY(pendulum_rate(user, t, at, below));
        for (int i = 0; i < 4; i++) {
            J[4 * j + i] = (above[i] - below[i]) / (2.0 * d);
        }
    }
    return KAL_OK;
}

static void projection_holds_the_pendulum(void)
{
    begin();
    const double period = pendulum_period(2.0);
    double start[4];
    double error[2];
    double residual[2];
    pendulum_release(2.0, start);
    for (int held = 0; held <= 1; held++) {
        const KalOdeSystem system = {.n = 4,
                                     .rate = pendulum_rate,
                                     .jacobian = pendulum_jacobian,
                                     .project = held ? pendulum_project : NULL};
        const KalOdeOptions options = with_tolerance(1e-9);
        KalIntegrator *solver = make(&system, &options);
        KalOdeStep step = {.finished = false};
        residual[held] = 0.0;
        ok(kal_integrator_start(solver, 0.0, start, 3.0 * period) == KAL_OK);
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
            residual[held] = larger(residual[held], pendulum_residual(step.y_new));
        }
        error[held] = distance(4, step.y_new, start);
        ok(held == 0 || kal_integrator_counts(solver).projections >= 100);
        kal_integrator_destroy(solver);
    }
    near(residual[1], 0.0, 1e-15);
    ok(residual[0] > 1e-9);
    near(error[1], 0.0, 1e-5);
    ok(error[1] < 2.0 * error[0]);
    end();
}

static void samples_inside_steps_are_right(void)
{
    begin();
    for (int sign = -1; sign <= 1; sign += 2) {
        const KalOdeSystem system = {
            .n = 2, .rate = oscillator_rate, .jacobian = oscillator_jacobian};
        const KalOdeOptions options = with_tolerance(1e-10);
        KalIntegrator *solver = make(&system, &options);
        KalOdeStep step = {.finished = false};
        double y[2] = {0.0, 1.0};
        ok(kal_integrator_start(solver, 0.0, y, sign * 5.0) == KAL_OK);
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
            for (int part = 0; part <= 4; part++) {
                const double t = step.t_old + part / 4.0 * (step.t_new - step.t_old);
                ok(kal_integrator_interpolate(solver, t, y) == KAL_OK);
                near(y[0], sin(t), 1e-7);
                near(y[1], cos(t), 1e-7);
            }
            ok(kal_integrator_interpolate(solver, step.t_old, y) == KAL_OK);
            ok(distance(2, y, step.y_old) == 0.0);
            ok(kal_integrator_interpolate(solver, step.t_new, y) == KAL_OK);
            ok(distance(2, y, step.y_new) == 0.0);
            ok(kal_integrator_interpolate(solver, step.t_old - sign * 1e-3, y)
               == KAL_ERR_USAGE);
        }
        kal_integrator_destroy(solver);
    }
    end();
}

static void end_may_be_moved(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 2, .rate = oscillator_rate, .jacobian = oscillator_jacobian};
    const KalOdeOptions options = with_tolerance(1e-10);
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    double y[2] = {0.0, 1.0};
    ok(kal_integrator_set_end(solver, 1.0) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, 0.0, y, 1.0) == KAL_OK);
    for (int i = 1; i <= 40; i++) {
        const double t_end = 1.0 + 0.1 * i;
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        }
        near(step.y_new[0], sin(step.t_new), 1e-7);
        ok(kal_integrator_step(solver, &step) == KAL_ERR_USAGE);
        ok(kal_integrator_set_end(solver, t_end) == KAL_OK);
        step.finished = false;
    }
    ok(kal_integrator_counts(solver).steps < 1000); // the order was kept
    ok(kal_integrator_set_end(solver, 0.5) == KAL_ERR_USAGE);
    ok(kal_integrator_set_end(solver, INFINITY) == KAL_OK);
    for (int i = 0; i < 10; i++) {
        ok(kal_integrator_step(solver, &step) == KAL_OK);
        ok(!step.finished);
        near(step.y_new[0], sin(step.t_new), 1e-7);
    }
    kal_integrator_destroy(solver);
    end();
}

static void steps_obey_their_bounds(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 2, .rate = oscillator_rate, .jacobian = oscillator_jacobian};
    KalOdeOptions options = with_tolerance(1e-4);
    options.first_step = 1e-3;
    options.max_step = 0.01;
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    const double y[2] = {0.0, 1.0};
    ok(kal_integrator_start(solver, 0.0, y, INFINITY) == KAL_OK);
    ok(kal_integrator_step(solver, &step) == KAL_OK);
    near(step.t_new, 1e-3, 1e-12);
    for (int i = 0; i < 50; i++) {
        ok(kal_integrator_step(solver, &step) == KAL_OK);
        ok(step.t_new - step.t_old < 0.01 * (1.0 + 1e-12));
    }
    kal_integrator_destroy(solver);
    end();
}

static void start_forgets_all(void)
{
    begin();
    double m = 20.0;
    const KalOdeSystem system = {
        .n = 2, .user = &m, .rate = van_der_pol_rate, .jacobian = van_der_pol_jacobian};
    KalIntegrator *used = make(&system, NULL);
    KalIntegrator *fresh = make(&system, NULL);
    KalOdeStep a;
    KalOdeStep b;
    const double y[2] = {2.0, 0.0};
    ok(kal_integrator_start(used, 7.0, y, 90.0) == KAL_OK);
    for (int i = 0; i < 40; i++) {
        ok(kal_integrator_step(used, &a) == KAL_OK);
    }
    ok(kal_integrator_start(used, 0.0, y, 10.0) == KAL_OK);
    ok(kal_integrator_start(fresh, 0.0, y, 10.0) == KAL_OK);
    do {
        ok(kal_integrator_step(used, &a) == KAL_OK);
        ok(kal_integrator_step(fresh, &b) == KAL_OK);
        ok(a.t_new == b.t_new && distance(2, a.y_new, b.y_new) == 0.0);
    } while (!a.finished && !b.finished);
    ok(a.finished && b.finished);
    kal_integrator_destroy(used);
    kal_integrator_destroy(fresh);
    end();
}

// A pendulum whose callbacks fail at a certain call.
typedef struct Trap {
    long calls;
    long fail_at; // 0: never
    KalStatus status;
} Trap;

static KalStatus spring(Trap *trap)
{
    trap->calls++;
    return trap->calls == trap->fail_at
               ? kal_fail(ctx, trap->status, "trap %ld sprung", trap->fail_at)
               : KAL_OK;
}

static KalStatus trapped_rate(void *user, double t, const double *y, double *f)
{
    KAL_TRY(spring(user));
    return pendulum_rate(NULL, t, y, f);
}

static KalStatus trapped_project(void *user, double t, double *y)
{
    KAL_TRY(spring(user));
    return pendulum_project(NULL, t, y);
}

static KalStatus trapped_jacobian(void *user, double t, const double *y, double *J)
{
    KAL_TRY(spring(user));
    return pendulum_jacobian(NULL, t, y, J);
}

// Run to t = 1 and go on after failures; answers how many there were.
static int run_trapped(Trap *trap, double *y)
{
    const KalOdeSystem system = {.n = 4,
                                 .user = trap,
                                 .rate = trapped_rate,
                                 .project = trapped_project,
                                 .jacobian = trapped_jacobian};
    const KalOdeOptions options = with_tolerance(1e-5);
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false, .t_new = 0.0};
    int failures = 0;
    pendulum_release(2.0, y);
    ok(kal_integrator_start(solver, 0.0, y, 1.0) == KAL_OK);
    while (!step.finished && failures < 3) {
        const double t = step.t_new;
        const KalStatus status = kal_integrator_step(solver, &step);
        if (status != KAL_OK) {
            failures++;
            ok(status == trap->status && step.t_new == t);
            has_text(kal_context_message(ctx), "sprung");
        }
    }
    memcpy(y, step.y_new, 4 * sizeof(double));
    kal_integrator_destroy(solver);
    return failures;
}

static void every_call_may_fail(void)
{
    begin();
    double want[4];
    double got[4];
    Trap none = {.status = KAL_OK};
    ok(run_trapped(&none, want) == 0 && none.calls > 50);
    for (long at = 1; at <= none.calls; at++) {
        Trap trap = {.fail_at = at, .status = KAL_ERR_CONTRADICTION};
        ok(run_trapped(&trap, got) == 1);
        near(distance(4, got, want), 0.0, 1e-3);
        trap = (Trap){.fail_at = at, .status = KAL_ERR_NUMBER};
        ok(run_trapped(&trap, got) <= (at == 1)); // nothing to make smaller yet
        near(distance(4, got, want), 0.0, 1e-3);
    }
    end();
}

static KalStatus edge_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = -1.0 - sqrt(y[0]);
    return KAL_OK;
}

static KalStatus edge_jacobian(void *user, double t, const double *y, double *J)
{
    (void)user;
    (void)t;
    J[0] = -0.5 / sqrt(y[0]);
    return KAL_OK;
}

static KalStatus square_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = y[0] * y[0];
    return KAL_OK;
}

static KalStatus square_jacobian(void *user, double t, const double *y, double *J)
{
    (void)user;
    (void)t;
    J[0] = 2.0 * y[0];
    return KAL_OK;
}

// Step until something is wrong.
static KalStatus run_out(const KalOdeSystem *system, double *t)
{
    KalIntegrator *solver = make(system, NULL);
    KalOdeStep step = {.t_new = 0.0};
    const double y[1] = {1.0};
    KalStatus status = kal_integrator_start(solver, 0.0, y, 3.0);
    while (status == KAL_OK && kal_integrator_counts(solver).steps < 100000) {
        status = kal_integrator_step(solver, &step);
    }
    *t = step.t_new;
    kal_integrator_destroy(solver);
    return status;
}

static void solutions_may_end(void)
{
    begin();
    double t = 0.0;
    const KalOdeSystem edge = {.n = 1, .rate = edge_rate, .jacobian = edge_jacobian};
    ok(run_out(&edge, &t) == KAL_ERR_NUMBER);
    has_text(kal_context_message(ctx), "not a number at t = 0.613");
    near(t, 2.0 - 2.0 * log(2.0), 1e-6);
    const KalOdeSystem square = {
        .n = 1, .rate = square_rate, .jacobian = square_jacobian};
    ok(run_out(&square, &t) == KAL_ERR_STEP);
    near(t, 1.0, 1e-6);
    const KalOdeSystem wrong = {.n = 1, .rate = square_rate, .jacobian = edge_jacobian};
    ok(run_out(&wrong, &t) != KAL_OK); // a Jacobian of something else
    end();
}

// A thread's own integrators of both kinds, and where they came to.
typedef struct Racer {
    pthread_t thread;
    double explicit_end[2];
    double stiff_end[2];
    bool done;
} Racer;

static void *race(void *user)
{
    Racer *racer = user;
    double m = 5.0;
    const KalOdeSystem system = {
        .n = 2, .user = &m, .rate = van_der_pol_rate, .jacobian = van_der_pol_jacobian};
    const double y[2] = {2.0, 0.0};
    KalContext *own = NULL;
    KalIntegrator *first = NULL;
    KalIntegrator *second = NULL;
    KalOdeStep a = {.finished = false};
    KalOdeStep b = {.finished = false};
    bool fine =
        kal_context_create(NULL, NULL, &own) == KAL_OK
        && kal_integrator_create(own, KAL_INTEGRATOR_DOP853, &system, NULL, &first)
               == KAL_OK
        && kal_integrator_create(own, KAL_INTEGRATOR_BDF, &system, NULL, &second)
               == KAL_OK
        && kal_integrator_start(first, 0.0, y, 30.0) == KAL_OK
        && kal_integrator_start(second, 0.0, y, 30.0) == KAL_OK;
    while (fine && !a.finished) {
        fine = kal_integrator_step(first, &a) == KAL_OK;
    }
    while (fine && !b.finished) {
        fine = kal_integrator_step(second, &b) == KAL_OK;
    }
    if (fine) {
        memcpy(racer->explicit_end, a.y_new, sizeof racer->explicit_end);
        memcpy(racer->stiff_end, b.y_new, sizeof racer->stiff_end);
    }
    racer->done = fine;
    kal_integrator_destroy(second);
    kal_integrator_destroy(first);
    kal_context_destroy(own);
    return NULL;
}

static void threads_do_not_disturb_each_other(void)
{
    enum {
        THREADS = 4
    };

    static Racer racers[THREADS + 1];
    (void)race(&racers[THREADS]); // alone
    for (int i = 0; i < THREADS; i++) {
        ok(pthread_create(&racers[i].thread, NULL, race, &racers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ok(pthread_join(racers[i].thread, NULL) == 0);
        ok(racers[i].done && racers[THREADS].done);
        ok(distance(2, racers[i].explicit_end, racers[THREADS].explicit_end) == 0.0);
        ok(distance(2, racers[i].stiff_end, racers[THREADS].stiff_end) == 0.0);
    }
}

static void wrong_use_is_refused(void)
{
    begin();
    const KalOdeSystem good = {
        .n = 2, .rate = oscillator_rate, .jacobian = oscillator_jacobian};
    KalIntegrator *solver = NULL;
    KalOdeSystem system = good;
    system.jacobian = NULL;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &system, NULL, &solver)
       == KAL_ERR_USAGE);
    system = good;
    system.n = kal_integrator_traits(KAL_INTEGRATOR_BDF)->most_states + 1;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &system, NULL, &solver)
       == KAL_ERR_LIMIT);
    system.n = -1;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &system, NULL, &solver)
       == KAL_ERR_USAGE);
    KalOdeOptions options = kal_ode_options();
    options.fixed_step = 0.1;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &good, &options, &solver)
       == KAL_ERR_USAGE);
    ok(solver == NULL);
    solver = make(&good, NULL);
    KalOdeStep step = {.t_new = 7.0};
    double y[2] = {1.0, NAN};
    ok(kal_integrator_step(solver, &step) == KAL_ERR_USAGE && step.t_new == 7.0);
    ok(kal_integrator_interpolate(solver, 0.0, y) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, 0.0, y, 1.0) == KAL_ERR_NUMBER);
    y[1] = 0.0;
    ok(kal_integrator_start(solver, 1.0, y, 1.0) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, 1.0, y, 2.0) == KAL_OK);
    ok(kal_integrator_interpolate(solver, 1.5, y) == KAL_ERR_USAGE);
    y[0] = 0.0;
    ok(kal_integrator_interpolate(solver, 1.0, y) == KAL_OK && y[0] == 1.0);
    kal_integrator_destroy(solver);
    kal_integrator_destroy(NULL);
    end();
}

static void every_allocation_may_fail(void)
{
    const KalOdeSystem system = {
        .n = 2, .rate = oscillator_rate, .jacobian = oscillator_jacobian};
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 10; n = fault_next(n)) {
        fault = (Fault){.calls_left = n + 1};
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        KalIntegrator *solver = NULL;
        status = kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &system, NULL, &solver);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok((status == KAL_OK) == (solver != NULL));
        ok(status == KAL_OK || strstr(kal_context_message(ctx), "memory") != NULL);
        kal_integrator_destroy(solver);
        end();
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(decay_takes_few_steps_however_fast),
        TAP_CASE(strong_forces_start_from_rest), TAP_CASE(error_follows_the_tolerance),
        TAP_CASE(projected_rotation_keeps_its_phase),
        TAP_CASE(robertson_keeps_its_mass),
        TAP_CASE(van_der_pol_as_seen_by_another_method),
        TAP_CASE(projection_holds_the_pendulum),
        TAP_CASE(samples_inside_steps_are_right), TAP_CASE(end_may_be_moved),
        TAP_CASE(steps_obey_their_bounds), TAP_CASE(start_forgets_all),
        TAP_CASE(every_call_may_fail), TAP_CASE(solutions_may_end),
        TAP_CASE(threads_do_not_disturb_each_other), TAP_CASE(wrong_use_is_refused),
        TAP_CASE(every_allocation_may_fail))
