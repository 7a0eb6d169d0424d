// SPDX-License-Identifier: MIT

// Runs in time against exact motions.

#include "run_lab.h"

// The period of this pendulum, released level, is 2.
static const char pendulum[] =
    "param g = 13.750371636040745654980191559621114395801712\n"
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential g*y\n"
    "constraint rod: x^2 + y^2 = 1\ninit x = 1, y = 0\n"
    "simulate 0 .. 30 every 0.01\n";

// x² + y² = 1 driven round by no force: the angle grows steadily.
static const char circle[] =
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\n"
    "init x = 1, y = 0, y' = 1.3\nsimulate 0 .. 6 every 0.1\n";

static double circle_error(Lab *lab)
{
    const double t = kal_run_time(lab->run);
    return hypot(lab_q(lab, 0) - cos(1.3 * t), lab_q(lab, 1) - sin(1.3 * t));
}

static void a_pendulum_comes_back(void)
{
    Lab lab;
    if (lab_run(&lab, pendulum)) {
        near(lab_q(&lab, 0), 1.0, 1e-12);
        near(lab_q(&lab, 1), 0.0, 3e-7); // ill-conditioned at the turning point
        near(lab_qd(&lab, 0), 0.0, 1e-9);
        const KalRunStatistics s = kal_run_statistics(lab.run);
        ok(s.position_error < 1e-15 && s.velocity_error < 2e-15);
        near(s.energy_initial, 0.0, 1e-15);
        ok(s.energy_drift < 1e-7 && s.energy_drift > 0.0);
        ok(s.steps > 50 && s.evaluations > 12 * s.steps);
        ok(kal_run_is_over(lab.run) && !kal_run_stopped_by(lab.run));
    }
    lab_close(&lab);
}

// Samples between the ends of steps are at the times asked for, and on the constraint.
static void samples_are_on_the_constraint(void)
{
    Lab lab;
    if (!lab_load(&lab, circle)) {
        return;
    }
    ok(lab_start(&lab) == KAL_OK);
    for (int i = 1; i < 100; i++) {
        ok(kal_run_advance(lab.run, 0.06 * i) == KAL_OK);
        near(kal_run_time(lab.run), 0.06 * i, 0.0);
        near(hypot(lab_q(&lab, 0), lab_q(&lab, 1)), 1.0, 3e-16);
        near(circle_error(&lab), 0.0, 1e-8);
    }
    lab_close(&lab);
}

// In units in which all numbers are small, if the absolute tolerance is.
static void small_numbers_are_on_the_constraint(void)
{
    Lab lab;
    if (!lab_load(&lab, "param L = 1e-9\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                        "potential 9.81e-9*y\nconstraint rod: x^2 + y^2 = L^2\n"
                        "init x = L, y ~ 0\n"
                        "simulate 0 .. 10 every 0.1, rtol = 1e-10, atol = 1e-19\n")) {
        return;
    }
    ok(lab_start(&lab) == KAL_OK);
    for (int i = 1; i <= 100; i++) {
        ok(kal_run_advance(lab.run, 0.1 * i) == KAL_OK);
        const double x = 1e9 * lab_q(&lab, 0);
        const double y = 1e9 * lab_q(&lab, 1);
        near(x * x + y * y, 1.0, 1e-14);
    }
    lab_close(&lab);
}

// With stabilize the error off the constraint decays, without anything it grows.
static void drift_can_be_treated_in_three_ways(void)
{
    Lab lab;
    if (!lab_load(&lab, pendulum)) {
        return;
    }
    lab.options.rtol = 1e-6;
    lab.options.atol = 1e-6;
    double errors[3];
    for (int drift = KAL_DRIFT_PROJECT; drift <= KAL_DRIFT_NONE; drift++) {
        lab.options.drift = (KalDrift)drift;
        lab.options.stabilize = 5.0;
        ok(lab_go(&lab) == KAL_OK);
        errors[drift] = kal_run_statistics(lab.run).position_error;
        lab_again(&lab);
    }
    ok(errors[KAL_DRIFT_PROJECT] < 1e-15);
    ok(errors[KAL_DRIFT_STABILIZE] < 1e-5 && errors[KAL_DRIFT_STABILIZE] > 1e-12);
    ok(errors[KAL_DRIFT_NONE] > 3.0 * errors[KAL_DRIFT_STABILIZE]);
    lab_close(&lab);
}

// Constraints that repeat others, in another form, change nothing.
static void redundant_constraints_change_nothing(void)
{
    static const char text[] =
        "coord x1, y1, x2, y2\nkinetic 1/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)\n"
        "potential 9.81*(y1 + y2)\nconstraint a: x1^2 + y1^2 = 1\n"
        "constraint b: (x2 - x1)^2 + (y2 - y1)^2 = 1\n%s"
        "init x1 = 1, x2 = 2\nsimulate 0 .. 2 every 0.1\n";
    double q[2][4];
    for (int k = 0; k < 2; k++) {
        Lab lab;
        char whole[1000];
        snprintf(whole, sizeof whole, text,
                 k == 0 ? ""
                        : "constraint c: (x1^2 + y1^2)^2 + (x2 - x1)^2 + (y2 - "
                          "y1)^2 = 2\nconstraint d: hypot(x1, y1) = 1\n");
        if (lab_run(&lab, whole)) {
            for (int i = 0; i < 4; i++) {
                q[k][i] = lab_q(&lab, i);
            }
            ok(kal_run_statistics(lab.run).position_error < 1e-14);
        }
        lab_close(&lab);
    }
    // The published numbers of this double pendulum at t = 2.
    near(q[0][0], -0.46441286869951397749, 3e-8);
    near(q[0][3], -1.1298701956471579784, 3e-8);
    for (int i = 0; i < 4; i++) {
        near(q[1][i], q[0][i], 1e-7);
    }
}

// Whatever the constraints and the method, once that one is at work.
static void steps_and_samples_allocate_nothing(void)
{
    static const char machine[] =
        "coord a, b, x\nkinetic 1/2*(a'^2 + 0.5*b'^2 + 0.8*x'^2)\n"
        "constraint loop: [cos(a) + 2*cos(b) - x, sin(a) + 2*sin(b)] = [0, 0]\n"
        "constraint again: (sin(a) + 2*sin(b))*(2 + cos(x)) = 0\n"
        "init a = 0.5, b ~ -0.2, x ~ 2.8, a' = 2\nsimulate 0 .. 5 every 0.01\n";
    for (int k = 0; k < 4; k++) {
        Lab lab;
        if (lab_load(&lab, k % 2 == 0 ? pendulum : machine)) {
            lab.options.method = k < 2 ? KAL_METHOD_DOP853 : KAL_METHOD_BDF;
            ok(lab_start(&lab) == KAL_OK);
            // Programs of small systems get their machine code after some steps.
            ok(kal_run_advance(lab.run, 2.0) == KAL_OK);
            const size_t before = kal_context_allocations(lab.ctx);
            for (int i = 201; i < 500; i++) {
                ok(kal_run_advance(lab.run, 0.01 * i) == KAL_OK);
            }
            ok(kal_context_allocations(lab.ctx) == before);
            ok(kal_run_statistics(lab.run).steps > 20);
        }
        lab_close(&lab);
    }
}

static void the_same_input_gives_the_same_bits(void)
{
    double q[2] = {0.0, 1.0};
    for (int k = 0; k < 2; k++) {
        Lab lab;
        if (lab_run(&lab, pendulum)) {
            q[k] = lab_q(&lab, 1);
        }
        lab_close(&lab);
    }
    ok(memcmp(&q[0], &q[1], sizeof q[0]) == 0);
}

static void an_acceleration_that_is_not_unique_stops(void)
{
    Lab lab;
    if (lab_load(&lab, "coord x, y\nkinetic 1/2*x'^2\npotential x\n")) {
        const char *const *names = NULL;
        ok(lab_go(&lab) == KAL_ERR_NOT_UNIQUE);
        has_text(kal_context_message(lab.ctx), "y");
        ok(kal_run_fault(lab.run, &names) == 1 && strcmp(names[0], "y") == 0);
        lab_close(&lab);
    }
}

// x' = -1/(2 x) reaches 0 at t = 1/2 … here with a second order: sqrt of a coordinate that
// becomes negative at t = 1.
static void a_formula_without_value_stops_with_time_and_place(void)
{
    Lab lab;
    if (lab_load(&lab,
                 "coord x\nkinetic 1/2*x'^2\nforce x = 0*sqrt(x) + sqrt(x)*0.001\n"
                 "init x = 1, x' = -1\nsimulate 0 .. 2 every 0.1\n")) {
        ok(lab_go(&lab) == KAL_ERR_NUMBER);
        has_text(kal_context_message(lab.ctx), "test.kal:3:");
        has_text(kal_context_message(lab.ctx), "sqrt(x)");
        ok(kal_run_time(lab.run) > 0.99 && kal_run_time(lab.run) < 1.001);
        near(*kal_instant_t(kal_run_instant(lab.run)), kal_run_time(lab.run), 0.0);
        near(lab_q(&lab, 0), 0.0, 1e-3);
        lab_close(&lab);
    }
}

static void options_are_checked(void)
{
    Lab lab;
    if (!lab_load(&lab, circle)) {
        return;
    }
    const KalRunOptions good = lab.options;
    near(good.until, 6.0, 0.0);
    near(good.every, 0.1, 0.0);
    near(good.rtol, 1e-9, 0.0);
    for (int k = 0; k < 6; k++) {
        lab.options = good;
        *(double *[]){
            &lab.options.until, &lab.options.every, &lab.options.rtol,
            &lab.options.atol,  &lab.options.from,  &lab.options.fixed_step}[k] =
            k == 4 ? 7.0 : -1.0;
        ok(kal_run_create(lab.ctx, lab.system, &lab.options, &lab.run)
           == KAL_ERR_USAGE);
    }
    lab.options = good;
    lab.options.drift = KAL_DRIFT_STABILIZE;
    ok(kal_run_create(lab.ctx, lab.system, &lab.options, &lab.run) == KAL_ERR_USAGE);
    lab.options = good;
    lab.options.until = 0.0; // nothing to do
    ok(lab_start(&lab) == KAL_OK && kal_run_is_over(lab.run));
    ok(kal_run_advance(lab.run, 1.0) == KAL_OK && kal_run_time(lab.run) == 0.0);
    lab_close(&lab);
}

static bool three_steps(void *user, const KalRun *run)
{
    (void)run;
    return ++*(int *)user < 3;
}

static void a_run_can_be_interrupted(void)
{
    Lab lab;
    int steps = 0;
    if (lab_load(&lab, circle)) {
        lab.options.watch = three_steps;
        lab.options.user = &steps;
        ok(lab_go(&lab) == KAL_ERR_INTERRUPTED);
        ok(kal_run_time(lab.run) > 0.0 && kal_run_time(lab.run) < 6.0);
        near(circle_error(&lab), 0.0, 1e-8);
        ok(kal_run_advance(lab.run, 6.0) == KAL_ERR_INTERRUPTED); // still
        lab_close(&lab);
    }
}

// The state before the last allocation that succeeds does not matter: nothing leaks.
static void every_allocation_may_fail(void)
{
    static const char text[] =
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
        "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"
        "init x = 1\nevent low: x falling set y' = 1.1*y'\n"
        "simulate 0 .. 1 every 0.1\n";
    for (long calls = 0; calls < 10000; calls++) {
        Lab lab;
        if (!lab_load(&lab, text)) {
            return;
        }
        lab.fault.calls_left = calls;
        const KalStatus status = lab_go(&lab);
        lab.fault.calls_left = -1;
        if (status != KAL_OK && status != KAL_ERR_NOMEM) {
            printf("# %ld: %s\n", calls, kal_context_message(lab.ctx));
        }
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        lab_close(&lab);
        if (status == KAL_OK) {
            ok(calls > 10);
            return;
        }
    }
}

// A second start counts and tells from there on, and what events released is back.
static void every_start_is_a_fresh_one(void)
{
    Lab lab;
    if (!lab_load(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                        "constraint shelf: y = 0\ninit x = 0, x' = 1\n"
                        "event end: x - 1 rising release shelf\n"
                        "simulate 0 .. 2 every 0.1\n")) {
        return;
    }
    ok(lab_go(&lab) == KAL_OK);
    const KalRunStatistics first = kal_run_statistics(lab.run);
    KalStatistic before[KAL_STATISTIC_COUNT];
    KalStatistic after[KAL_STATISTIC_COUNT];
    kal_run_describe(lab.run, before);
    const KalIncident *incidents = NULL;
    const size_t told = kal_run_incidents(lab.run, &incidents);
    ok(first.events == 1 && told > 0);
    near(lab_q(&lab, 1), -9.81 / 2.0, 1e-9);
    KalInstant *instant = kal_run_instant(lab.run);
    kal_instant_q(instant)[0] = 0.0;
    kal_instant_q(instant)[1] = 0.0;
    kal_instant_qd(instant)[1] = 0.0;
    ok(kal_run_start_here(lab.run) == KAL_OK);
    ok(kal_run_statistics(lab.run).steps == 0
       && kal_run_statistics(lab.run).events == 0);
    ok(kal_run_incidents(lab.run, &incidents) == 0);
    ok(kal_run_advance(lab.run, 2.0) == KAL_OK);
    const KalRunStatistics again = kal_run_statistics(lab.run);
    near(lab_q(&lab, 1), -9.81 / 2.0, 1e-9);
    ok(again.steps == first.steps && again.rejected == first.rejected);
    ok(again.evaluations == first.evaluations && again.events == 1);
    ok(kal_run_incidents(lab.run, &incidents) == told);
    kal_run_describe(lab.run, after);
    for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
        near(after[i].value, before[i].value, 1e-12);
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(every_start_is_a_fresh_one), TAP_CASE(a_pendulum_comes_back),
        TAP_CASE(samples_are_on_the_constraint),
        TAP_CASE(small_numbers_are_on_the_constraint),
        TAP_CASE(drift_can_be_treated_in_three_ways),
        TAP_CASE(redundant_constraints_change_nothing),
        TAP_CASE(steps_and_samples_allocate_nothing),
        TAP_CASE(the_same_input_gives_the_same_bits),
        TAP_CASE(an_acceleration_that_is_not_unique_stops),
        TAP_CASE(a_formula_without_value_stops_with_time_and_place),
        TAP_CASE(options_are_checked), TAP_CASE(a_run_can_be_interrupted),
        TAP_CASE(every_allocation_may_fail))
