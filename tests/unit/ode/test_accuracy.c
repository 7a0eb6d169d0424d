// SPDX-License-Identifier: MIT

// DOP853 against closed forms: orders of convergence, tolerances, projection, dense output.

#include "ode/integrator.h"
#include "problems.h"
#include "tap.h"

static KalContext *ctx;

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
}

static void end(void)
{
    kal_context_destroy(ctx);
}

static KalIntegrator *make(const KalOdeSystem *system, const KalOdeOptions *options)
{
    KalIntegrator *solver = NULL;
    if (!ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, system, options, &solver)
            == KAL_OK)) {
        exit(1);
    }
    return solver;
}

// Integrate from t to the end; the state comes and goes in y.
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

static KalOdeOptions with_tolerance(double tolerance)
{
    KalOdeOptions options = kal_ode_options();
    options.rtol = tolerance;
    options.atol = tolerance;
    return options;
}

// A run of fixed steps and what it should come to.
typedef struct Course {
    KalOdeSystem system;
    bool project_stages;
    double y[4];
    double exact[4];
    double T;
} Course;

static double error_with_steps(const Course *c, int steps)
{
    KalOdeOptions options = kal_ode_options();
    options.fixed_step = c->T / steps;
    options.project_stages = c->project_stages;
    double y[4];
    memcpy(y, c->y, sizeof y);
    const KalOdeCounts counts = integrate(&c->system, &options, 0.0, c->T, y);
    ok(counts.steps == steps && counts.rejected == 0);
    return distance(c->system.n, y, c->exact);
}

// The slope of the error over the size of the step, double logarithmic.
static void check_order(const Course *c, int steps, double least)
{
    const double coarse = error_with_steps(c, steps);
    const double fine = error_with_steps(c, 2 * steps);
    const double order = log2(coarse / fine);
    ok(order >= least && order < 12.0);
    ok(fine > 1e-14 && coarse < 1e-2); // or the slope says nothing
    if (tap_scale() == 0.0) {
        printf("# order %.3f, errors %.3g and %.3g\n", order, coarse, fine);
    }
}

static Course kepler_course(double e, double T)
{
    Course c = {
        .system = {.n = 4, .rate = kepler_rate},
          .T = T
    };
    kepler_state(e, 0.0, c.y);
    kepler_state(e, T, c.exact);
    return c;
}

// From rest through a full swing.
static Course pendulum_course(double angle)
{
    Course c = {
        .system = {.n = 4, .rate = pendulum_rate},
          .T = pendulum_period(angle)
    };
    pendulum_release(angle, c.y);
    pendulum_release(angle, c.exact);
    return c;
}

static void order_is_8(void)
{
    begin();
    Course oscillator = {
        .system = {.n = 2,    .rate = oscillator_rate},
        .y = {1.0,       0.0                    },
        .exact = {cos(10.0), -sin(10.0)             },
        .T = 10.0
    };
    check_order(&oscillator, 20, 7.5);
    const Course kepler = kepler_course(0.3, 2.0);
    check_order(&kepler, 10, 7.5);
    check_order(&kepler, 20, 7.5);
    const Course pendulum = pendulum_course(2.0);
    check_order(&pendulum, 40, 7.5);
    end();
}

static void projection_leaves_the_order(void)
{
    begin();
    for (int stages = 0; stages <= 1; stages++) {
        Course kepler = kepler_course(0.3, 2.0);
        kepler.system.project = kepler_project;
        kepler.project_stages = stages == 1;
        check_order(&kepler, 10, 7.5);
        check_order(&kepler, 20, 7.5);
        Course pendulum = pendulum_course(2.0);
        pendulum.system.project = pendulum_project;
        pendulum.project_stages = stages == 1;
        check_order(&pendulum, 40, 7.5);
    }
    end();
}

// The largest error of dense output at points in all steps.
static double dense_error(double e, double T, int steps, KalProjectFn project)
{
    const KalOdeSystem system = {.n = 4, .rate = kepler_rate, .project = project};
    KalOdeOptions options = kal_ode_options();
    options.fixed_step = T / steps;
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    double y[4];
    double exact[4];
    double most = 0.0;
    kepler_state(e, 0.0, y);
    ok(kal_integrator_start(solver, 0.0, y, T) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        for (int part = 0; part <= 8; part++) {
            const double t = step.t_old + part / 8.0 * (step.t_new - step.t_old);
            ok(kal_integrator_interpolate(solver, t, y) == KAL_OK);
            kepler_state(e, t, exact);
            most = larger(most, distance(4, y, exact));
        }
    }
    kal_integrator_destroy(solver);
    return most;
}

static void dense_output_keeps_its_order(void)
{
    begin();
    for (int projected = 0; projected <= 1; projected++) {
        const KalProjectFn project = projected ? kepler_project : NULL;
        for (int steps = 40; steps <= 80; steps *= 2) {
            const double coarse = dense_error(0.3, 7.0, steps, project);
            const double fine = dense_error(0.3, 7.0, 2 * steps, project);
            ok(log2(coarse / fine) >= 6.5);
            ok(fine > 1e-14 && coarse < 1e-3);
        }
    }
    end();
}

// Between the ends of steps errors are no worse than at them, and so are derivatives.
static void dense_output_is_smooth_and_meets_the_ends(void)
{
    begin();
    const KalOdeSystem system = {.n = 4, .rate = kepler_rate};
    const KalOdeOptions options = with_tolerance(1e-9);
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    double y[4];
    kepler_state(0.5, 0.0, y);
    ok(kal_integrator_start(solver, 0.0, y, 20.0) == KAL_OK);
    double at_ends = 0.0;
    double inside = 0.0;
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        double exact[4];
        double end[4];
        const double h = step.t_new - step.t_old;
        kepler_state(0.5, step.t_new, exact);
        at_ends = larger(at_ends, distance(4, step.y_new, exact));
        for (int part = 1; part < 16; part++) {
            const double t = step.t_old + part / 16.0 * h;
            ok(kal_integrator_interpolate(solver, t, y) == KAL_OK);
            kepler_state(0.5, t, exact);
            inside = larger(inside, distance(4, y, exact));
        }
        ok(kal_integrator_interpolate(solver, step.t_old, end) == KAL_OK);
        ok(distance(4, end, step.y_old) == 0.0);
        ok(kal_integrator_interpolate(solver, step.t_new, end) == KAL_OK);
        ok(distance(4, end, step.y_new) == 0.0);
        ok(kal_integrator_interpolate(solver, step.t_new - 1e-9 * h, y) == KAL_OK);
        near(distance(4, y, end), 0.0, 1e-8 * h);
    }
    near(at_ends, 0.0, 1e-6);
    near(inside, 0.0, 2.0 * at_ends);
    kal_integrator_destroy(solver);
    end();
}

// Where the end of a step was moved by projection, the polynomial still belongs to the
// step as it was taken: near its end it comes to the state before projection.
static void dense_output_is_that_of_the_step_before_projection(void)
{
    begin();
    const KalOdeSystem plain = {.n = 4, .rate = kepler_rate};
    const KalOdeSystem held = {.n = 4, .rate = kepler_rate, .project = kepler_project};
    KalOdeOptions options = kal_ode_options();
    options.fixed_step = 0.5;
    double y[4];
    double free_end[4];
    double inside[4];
    kepler_state(0.4, 0.0, y);
    memcpy(free_end, y, sizeof y);
    (void)integrate(&plain, &options, 0.0, 0.5, free_end);
    KalIntegrator *solver = make(&held, &options);
    KalOdeStep step;
    ok(kal_integrator_start(solver, 0.0, y, 0.5) == KAL_OK);
    ok(kal_integrator_step(solver, &step) == KAL_OK);
    ok(kal_integrator_interpolate(solver, nextafter(0.5, 0.0), inside) == KAL_OK);
    near(distance(4, inside, free_end), 0.0, 1e-15);
    ok(distance(4, step.y_new, free_end) > 1e-9);
    near(kepler_energy(step.y_new), -0.5, 1e-15);
    kal_integrator_destroy(solver);
    end();
}

static KalStatus growth_rate(void *user, double t, const double *y, double *f)
{
    (void)t;
    f[0] = *(const double *)user * y[0];
    return KAL_OK;
}

static void exponentials(void)
{
    begin();
    for (int i = -2; i <= 2; i++) {
        double rate = 1.5 * i;
        const KalOdeSystem system = {.n = 1, .user = &rate, .rate = growth_rate};
        const KalOdeOptions options = with_tolerance(1e-11);
        double y[1] = {2.0};
        (void)integrate(&system, &options, -1.0, 3.0, y);
        const double exact = 2.0 * exp(4.0 * rate);
        near(y[0], exact, 2e-10 * (exact + 1.0));
    }
    end();
}

static KalStatus quadrature_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)y;
    f[0] = 5.0 * t * t * t * t;
    f[1] = cos(t);
    f[2] = 0.0;
    return KAL_OK;
}

// A state that never changes, one at rest at the start, and polynomials, which are exact.
static void quadratures(void)
{
    begin();
    const KalOdeSystem system = {.n = 3, .rate = quadrature_rate};
    double y[3] = {0.0, 0.0, 7.0};
    (void)integrate(&system, NULL, 0.0, 2.0, y);
    near(y[0], 32.0, 1e-13);
    near(y[1], sin(2.0), 1e-9);
    ok(y[2] == 7.0);
    end();
}

static KalStatus arenstorf_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    const double mu = 0.012277471;
    const double mp = 1.0 - mu;
    const double d1 = pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
    const double d2 = pow((y[0] - mp) * (y[0] - mp) + y[1] * y[1], 1.5);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2.0 * y[3] - mp * (y[0] + mu) / d1 - mu * (y[0] - mp) / d2;
    f[3] = y[1] - 2.0 * y[2] - mp * y[1] / d1 - mu * y[1] / d2;
    return KAL_OK;
}

// A satellite's periodic orbit with close approaches, on which steps vary a thousandfold.
static void arenstorf_orbit_closes(void)
{
    begin();
    const KalOdeSystem system = {.n = 4, .rate = arenstorf_rate};
    const KalOdeOptions options = with_tolerance(1e-13);
    const double start[4] = {0.994, 0.0, 0.0, -2.00158510637908252240537862224};
    double y[4];
    memcpy(y, start, sizeof y);
    const KalOdeCounts counts =
        integrate(&system, &options, 0.0, 17.0652165601579625588917206249, y);
    near(distance(4, y, start), 0.0, 2e-9);
    ok(counts.steps < 600);
    end();
}

static void pendulum_returns_after_its_period(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 4, .rate = pendulum_rate, .project = pendulum_project};
    for (int i = 1; i <= 6; i++) {
        const double angle = 0.5 * i;
        const KalOdeOptions options = with_tolerance(1e-12);
        double start[4];
        double y[4];
        pendulum_release(angle, start);
        memcpy(y, start, sizeof y);
        (void)integrate(&system, &options, 0.0, pendulum_period(angle), y);
        near(distance(4, y, start), 0.0, 2e-10);
    }
    end();
}

static double kepler_error(double tolerance)
{
    const KalOdeSystem system = {.n = 4, .rate = kepler_rate};
    const KalOdeOptions options = with_tolerance(tolerance);
    double y[4];
    double exact[4];
    kepler_state(0.2, 0.0, y);
    kepler_state(0.2, 20.0, exact);
    (void)integrate(&system, &options, 0.0, 20.0, y);
    return distance(4, y, exact);
}

// Tolerances mean what they say: a hundredth of the tolerance, a hundredth of the error,
// give or take the freedom in the choice of steps; and halving always makes it less.
static void error_follows_the_tolerance(void)
{
    begin();
    double before = kepler_error(1e-5);
    for (int digits = 7; digits <= 11; digits += 2) {
        const double tolerance = pow(10.0, -digits);
        const double error = kepler_error(tolerance);
        const double ratio = before / error;
        ok(ratio > 20.0 && ratio < 500.0);
        ok(error > 0.1 * tolerance && error < 2e3 * tolerance);
        if (tap_scale() == 0.0) {
            printf("# tolerance %g: error %g, ratio %g\n", tolerance, error, ratio);
        }
        before = error;
    }
    end();
}

// Components are measured by their own tolerance, and each of them counts however many
// others there are.
typedef struct Crowd {
    int n;
    int which; // the one that moves
} Crowd;

static KalStatus crowd_rate(void *user, double t, const double *y, double *f)
{
    const Crowd *crowd = user;
    for (int i = 0; i < crowd->n; i++) {
        f[i] = i == crowd->which ? -y[i] * sin(3.0 * t) : 0.0;
    }
    return KAL_OK;
}

static void every_component_counts(void)
{
    begin();
    long steps[2] = {0, 0};
    for (int large = 0; large <= 1; large++) {
        Crowd crowd = {.n = large ? 100 : 1, .which = large ? 57 : 0};
        const KalOdeSystem system = {.n = crowd.n, .user = &crowd, .rate = crowd_rate};
        const KalOdeOptions options = with_tolerance(1e-8);
        double y[100];
        for (int i = 0; i < 100; i++) {
            y[i] = 1.0;
        }
        steps[large] = integrate(&system, &options, 0.0, 10.0, y).steps;
        near(y[crowd.which], exp((cos(30.0) - 1.0) / 3.0), 1e-7);
    }
    ok(steps[0] == steps[1]);
    end();
}

static void tolerances_may_differ(void)
{
    begin();
    const KalOdeSystem system = {.n = 2, .rate = oscillator_rate};
    const double fine[2] = {1e-11, 1e-11};
    const double coarse[2] = {1e-4, 1e-4};
    const double mixed[2] = {1e-4, 1e-11};
    const double *const sets[3] = {fine, coarse, mixed};
    long steps[3];
    for (int i = 0; i < 3; i++) {
        KalOdeOptions options = with_tolerance(1e-4);
        options.rtol = 0.0;
        options.atols = sets[i];
        double y[2] = {1.0, 0.0};
        steps[i] = integrate(&system, &options, 0.0, 20.0, y).steps;
        near(y[0], cos(20.0), i == 1 ? 1e-2 : 1e-9);
    }
    ok(3 * steps[1] < steps[2]);
    near((double)steps[2], (double)steps[0], 5.0);
    end();
}

// Along the energy, across it, and with every stage on the manifold: the same number of
// steps, within a few percent, and less error.
static void projection_disturbs_neither_steps_nor_errors(void)
{
    begin();
    const KalOdeOptions plain = with_tolerance(1e-9);
    KalOdeOptions staged = plain;
    staged.project_stages = true;
    const KalOdeSystem free_system = {.n = 4, .rate = pendulum_rate};
    KalOdeSystem held = free_system;
    held.project = pendulum_project;
    double y[3][4];
    KalOdeCounts counts[3];
    for (int i = 0; i < 3; i++) {
        pendulum_release(2.0, y[i]);
    }
    const double T = 10.0 * pendulum_period(2.0);
    counts[0] = integrate(&free_system, &plain, 0.0, T, y[0]);
    counts[1] = integrate(&held, &plain, 0.0, T, y[1]);
    counts[2] = integrate(&held, &staged, 0.0, T, y[2]);
    double start[4];
    pendulum_release(2.0, start);
    for (int i = 1; i < 3; i++) {
        near((double)counts[i].steps / (double)counts[0].steps, 1.0, 0.1);
        near(pendulum_residual(y[i]), 0.0, 3e-16);
        ok(distance(4, y[i], start) < 1e-6);
    }
    ok(pendulum_residual(y[0]) > 1e-13);
    ok(counts[1].projections == counts[1].steps);
    ok(counts[2].projections > 11 * counts[2].steps);
    end();
}

static void long_pendulum_does_not_drift(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 4, .rate = pendulum_rate, .project = pendulum_project};
    const KalOdeOptions options = with_tolerance(1e-9);
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    double y[4];
    double worst = 0.0;
    pendulum_release(1.0, y);
    const double T = 150.0 * pendulum_period(1.0);
    ok(kal_integrator_start(solver, 0.0, y, T) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        worst = larger(worst, pendulum_residual(step.y_new));
    }
    near(worst, 0.0, 1e-15);
    near(distance(4, step.y_new, y), 0.0, 2e-4);
    kal_integrator_destroy(solver);
    end();
}

static void time_may_run_backward(void)
{
    begin();
    const KalOdeSystem system = {.n = 4, .rate = kepler_rate};
    const KalOdeOptions options = with_tolerance(1e-12);
    double y[4];
    double exact[4];
    kepler_state(0.5, 3.0, y);
    kepler_state(0.5, -9.0, exact);
    (void)integrate(&system, &options, 3.0, -9.0, y);
    near(distance(4, y, exact), 0.0, 1e-9);

    kepler_state(0.5, -2.0, exact);
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    kepler_state(0.5, 3.0, y);
    ok(kal_integrator_start(solver, 3.0, y, -9.0) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        ok(step.t_new < step.t_old);
        if (step.t_new <= -2.0 && step.t_old > -2.0) {
            ok(kal_integrator_interpolate(solver, -2.0, y) == KAL_OK);
            near(distance(4, y, exact), 0.0, 1e-9);
        }
    }
    kal_integrator_destroy(solver);
    end();
}

// Seconds or years: the same steps, as far as the first guess allows.
static KalStatus slow_rate(void *user, double t, const double *y, double *f)
{
    const double unit = *(const double *)user;
    f[0] = y[1] / unit;
    f[1] = -y[0] / unit;
    (void)t;
    return KAL_OK;
}

static void units_of_time_do_not_matter(void)
{
    begin();
    long steps[3];
    for (int i = 0; i < 3; i++) {
        double unit = pow(10.0, 9.0 * (i - 1));
        const KalOdeSystem system = {.n = 2, .user = &unit, .rate = slow_rate};
        double y[2] = {0.0, 1.0};
        steps[i] = integrate(&system, NULL, 0.0, 20.0 * unit, y).steps;
        near(y[0], sin(20.0), 1e-7);
    }
    near((double)steps[0], (double)steps[1], 2.0);
    near((double)steps[2], (double)steps[1], 2.0);
    end();
}

TAP_RUN(TAP_CASE(order_is_8), TAP_CASE(projection_leaves_the_order),
        TAP_CASE(dense_output_keeps_its_order),
        TAP_CASE(dense_output_is_smooth_and_meets_the_ends),
        TAP_CASE(dense_output_is_that_of_the_step_before_projection),
        TAP_CASE(exponentials), TAP_CASE(quadratures), TAP_CASE(arenstorf_orbit_closes),
        TAP_CASE(pendulum_returns_after_its_period),
        TAP_CASE(error_follows_the_tolerance), TAP_CASE(every_component_counts),
        TAP_CASE(tolerances_may_differ),
        TAP_CASE(projection_disturbs_neither_steps_nor_errors),
        TAP_CASE(long_pendulum_does_not_drift), TAP_CASE(time_may_run_backward),
        TAP_CASE(units_of_time_do_not_matter))
