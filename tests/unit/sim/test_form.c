// SPDX-License-Identifier: MIT

// The reduced form of runs: speeds and velocities, and motions that are known.

#include "base/four.h"
#include "run_lab.h"
#include "sim/form.h"
#include "sim/run_impl.h"

#include <math.h>

static const char SLEIGH[] = "coord x, y, a\nkinetic 1/2*(x'^2 + y'^2) + 0.1*a'^2\n"
                             "constraint skid: -x'*sin(a) + y'*cos(a) = 0.3*a'\n"
                             "init x' = 1, y' ~ 0, a' = 2\nsimulate 0 .. 5 every 0.1\n";

static const char PACE[] =
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2)\npotential y\n"
    "constraint pace: x'^2 + y'^2 + z'^2/4 = 2 + sin(t)\n"
    "init x' = 1, y' ~ 0.9, z' = 0.3\nsimulate 0 .. 2 every 0.1\n";

static bool start_reduced(Lab *lab, const char *text)
{
    if (!lab_load(lab, text)) {
        return false;
    }
    lab->options.form = KAL_RUN_FORM_REDUCED;
    return true;
}

// A form of its own at the start of a model.
typedef struct Bench {
    Lab lab;
    KalReducedForm form;
    KalInstant *instant;
} Bench;

static bool bench_open(Bench *bench, const char *text, double rtol)
{
    KalStartReport report;
    *bench = (Bench){.instant = NULL};
    if (!lab_load(&bench->lab, text)) {
        return false;
    }
    KalInstant **instant = &bench->instant;
    return ok(kal_instant_create(bench->lab.ctx, bench->lab.system, instant) == KAL_OK)
           && ok(kal_instant_start(*instant, &report) == KAL_OK)
           && ok(kal_form_init(&bench->form, *instant, rtol, rtol) == KAL_OK);
}

static void bench_close(Bench *bench)
{
    kal_form_clear(&bench->form);
    kal_instant_destroy(bench->instant);
    lab_close(&bench->lab);
}

// Velocities follow from the speeds, also where constraints are not linear in them, whatever else
// they were.
static void speeds_determine_the_velocities(void)
{
    static const char *const texts[] = {SLEIGH, PACE};
    for (int i = 0; i < 2; i++) {
        Bench bench;
        if (bench_open(&bench, texts[i], 1e-9)) {
            KalReducedForm *form = &bench.form;
            double y[6];
            memcpy(y, kal_instant_q(bench.instant), sizeof y);
            ok(kal_form_choose(form, 0.0, y) == KAL_OK);
            ok(form->k == 2 && form->rank == 1);
            ok(form->entries[0] == 3 + form->columns[0]);
            kal_form_keep(form);
            kal_instant_qd(bench.instant)[0] += 0.05; // the way back moves all
            kal_instant_qd(bench.instant)[1] += 0.05;
            ok(kal_form_follow(form) == KAL_OK);
            for (int j = 0; j < 3; j++) {
                near(kal_instant_qd(bench.instant)[j], y[3 + j], 1e-13);
            }
            kal_form_compare(form);
            ok(!kal_form_is_worn(form));
        }
        bench_close(&bench);
    }
}

// Speeds from which nothing follows, and those from which errors do, are worn; where others would
// be the same ones, that is not asked for at once.
static void speeds_wear_out(void)
{
    Bench bench;
    if (bench_open(&bench, SLEIGH, 1e-9)) {
        KalReducedForm *form = &bench.form;
        double y[6] = {0.0, 0.0, 0.0, 1.0, 0.6, 2.0};
        double *qd = kal_instant_qd(bench.instant);
        ok(kal_form_choose(form, 0.0, y) == KAL_OK);
        const int follows = form->columns[0];
        kal_form_keep(form);
        qd[follows] += 1e-9;
        kal_form_compare(form);
        ok(!kal_form_is_worn(form));
        qd[follows] += 1e-6;
        kal_form_compare(form);
        ok(kal_form_is_worn(form));
        ok(kal_form_choose(form, 0.0, y) == KAL_OK && form->columns[0] == follows);
        qd[follows] += 1e-6;
        kal_form_compare(form);
        ok(!kal_form_is_worn(form));
        int steps = 1;
        for (; steps < 100 && !kal_form_is_worn(form); steps++) {
        }
        ok(steps > 10 && steps < 20);
        ok(kal_form_choose(form, 0.0, y) == KAL_OK && !form->worn);
        kal_instant_q(bench.instant)[2] =
            asin(1.0); // the velocity across the blade is another
        kal_form_keep(form);
        const double is = qd[follows];
        ok(kal_form_follow(form) == KAL_OK && form->worn && qd[follows] == is);
        y[2] = asin(1.0);
        ok(kal_form_choose(form, 0.0, y) == KAL_OK && form->columns[0] != follows);
        ok(!kal_form_is_worn(form));
    }
    bench_close(&bench);
}

// The sleigh ends in a straight line with all its energy, at the speed that was known.
static void the_sleigh_comes_to_run_straight(void)
{
    Lab lab;
    if (!start_reduced(&lab, SLEIGH)) {
        return;
    }
    lab.options.until = 60.0;
    ok(lab_go(&lab) == KAL_OK);
    const KalRunStatistics s = kal_run_statistics(lab.run);
    const double a = lab_q(&lab, 2);
    near(lab_qd(&lab, 0) * cos(a) + lab_qd(&lab, 1) * sin(a),
         sqrt(2.0 * s.energy_initial), 1e-8);
    near(lab_qd(&lab, 2), 0.0, 1e-9);
    near(s.velocity_error, 0.0, 1e-14);
    near(s.energy_drift, 0.0, 1e-8);
    lab_close(&lab);
}

// Redundant constraints, constraints not linear in velocities, of acceleration level, and
// events, as in the full form.
static void all_kinds_move_as_in_the_full_form(void)
{
    static const char *const texts[] = {
        SLEIGH,
        PACE,
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
        "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"
        "init x = 1\nevent low: x falling set y' = 1.1*y'\n"
        "simulate 0 .. 3 every 0.1\n",
        "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential y^2 + x*z\n"
        "prescribe x = sin(t)\nconstraint c: z'' = y*x'' + x'\ninit y = 1\n"
        "simulate 0 .. 3 every 0.1\n",
        // passes a configuration in which the constraints lose rank
        "coord a, b, c\nkinetic 1/2*(a'^2 + b'^2 + c'^2)\n"
        "constraint h: cos(a) + 2*cos(b) - cos(c) = 2\n"
        "constraint v: sin(a) + 2*sin(b) - sin(c) = 0\n"
        "init a = 1, b ~ 0, c ~ 1, a' = 1\nsimulate 0 .. 4 every 0.2\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        Lab lab;
        double y[6];
        if (!lab_run(&lab, texts[k])) {
            lab_close(&lab);
            continue;
        }
        const size_t n = (size_t)kal_system_coordinates(lab.system);
        memcpy(y, kal_instant_q(kal_run_instant(lab.run)), 2 * n * sizeof(double));
        lab_again(&lab);
        lab.options.form = KAL_RUN_FORM_REDUCED;
        ok(lab_go(&lab) == KAL_OK);
        for (size_t i = 0; i < n; i++) {
            near(lab_q(&lab, (int)i), y[i], 1e-7);
            near(lab_qd(&lab, (int)i), y[n + i], 1e-6);
        }
        lab_close(&lab);
    }
}

// Samples that are kept, with where they are kept from.
typedef struct Rows {
    int count;
    double q[60];
} Rows;

static KalStatus keep(void *user, KalRun *run)
{
    Rows *rows = (Rows *)user;
    if (rows->count < 60) {
        rows->q[rows->count++] = kal_instant_qd(kal_run_instant(run))[0];
    }
    return KAL_OK;
}

// From a state off the constraints the program of the way back and Newton's method lead to the same
// velocities, at the positions that the program has found; speeds stay, and positions beside them.
static void compare_with_newton(Lab *lab)
{
    KalInstant *instant = lab->run->instant;
    KalReducedForm *form = &lab->run->integration.form;
    const size_t n = (size_t)form->n;
    double *y = kal_instant_q(instant);
    double given[12];
    double found[12];
    double left[2];
    for (size_t i = 0; i < 2 * n; i++) {
        y[i] += 1e-6 * (double)(i + 1);
    }
    memcpy(given, y, 2 * n * sizeof(double));
    kal_form_keep(form);
    ok(kal_return_take_in_speeds(&instant->road, &left[0], &left[1]));
    near(left[0], 0.0, 1e-13);
    near(left[1], 0.0, 1e-13);
    memcpy(found, y, 2 * n * sizeof(double));
    ok(kal_form_follow(form) == KAL_OK);
    for (size_t j = 0; j < n; j++) {
        near(y[n + j], found[n + j], 1e-12 * (1.0 + fabs(found[n + j])));
    }
    for (int l = form->rank; l < form->n; l++) {
        const size_t j = (size_t)form->columns[l];
        ok(found[j] == given[j] && found[n + j] == given[n + j]);
    }
}

// Linear constraints, holonomic, nonholonomic and with time, one of them twice; the second half
// of the motion has samples in lanes, the first none.
static void programs_find_what_newton_finds(void)
{
    static const char *const texts[] = {
        SLEIGH,
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
        "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"
        "init x = 1\nsimulate 0 .. 3 every 0.1\n",
        "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2) + 0.3*cos(x)*x'*y'\n"
        "potential 2*y^2 + x*z\nconstraint c: z' = y*x' + sin(t)\n"
        "constraint d: x + 0.2*sin(y) = 0.1*t\nforce y = -0.1*y'\ninit y = 1\n"
        "simulate 0 .. 3 every 0.1\n",
        PACE};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        Lab lab;
        if (start_reduced(&lab, texts[k])) {
            Rows rows = {.count = 0};
            ok(lab_start(&lab) == KAL_OK);
            ok(kal_run_advance(lab.run, 1.5) == KAL_OK);
            compare_with_newton(&lab);
            KalStartReport report;
            ok(kal_run_start(lab.run, &report) == KAL_OK);
            ok(kal_run_sample(lab.run, keep, &rows) == KAL_OK);
            compare_with_newton(&lab);
        }
        lab_close(&lab);
    }
}

// The same bits by samples in lanes and one by one, and in a run that found its programs there.
static void samples_are_the_same_in_company_and_alone(void)
{
    Lab lab;
    if (!start_reduced(&lab, SLEIGH)) {
        return;
    }
    Rows together = {.count = 0};
    Rows again = {.count = 0};
    ok(lab_start(&lab) == KAL_OK);
    ok(kal_run_sample(lab.run, keep, &together) == KAL_OK);
    KalStartReport report;
    ok(kal_run_start(lab.run, &report) == KAL_OK);
    ok(kal_run_sample(lab.run, keep, &again) == KAL_OK);
    ok(together.count == 51 && again.count == 51);
    ok(kal_same_numbers(together.q, again.q, 51));
    ok(kal_run_start(lab.run, &report) == KAL_OK);
    for (int k = 0; k < 51; k++) {
        ok(kal_run_advance(lab.run, k < 50 ? 0.1 * k : 5.0) == KAL_OK);
        ok(kal_instant_qd(kal_run_instant(lab.run))[0] == together.q[k]);
    }
    lab_close(&lab);
}

// A state at the end of a motion with these masses, of one run.
static void move_with(Lab *lab, double mass, double *out_y)
{
    const KalSetting setting = {.name = "m", .value = mass};
    KalStartReport report;
    ok(kal_run_set_parameters(lab->run, &setting, 1) == KAL_OK);
    ok(kal_run_start(lab->run, &report) == KAL_OK);
    ok(kal_run_advance(lab->run, 4.0) == KAL_OK);
    memcpy(out_y, kal_instant_q(kal_run_instant(lab->run)), 8 * sizeof *out_y);
}

// Masses of coordinates and speeds are those of this motion, whatever was moved before: the same
// bits, as in a run that was not there yet.
static void what_moved_before_is_forgotten(void)
{
    static const char text[] =
        "param m = 1\ncoord x, y, u, v\nkinetic 1/2*m*(x'^2 + y'^2) + 1/2*(u'^2 + "
        "v'^2)\n"
        "potential 9.81*(m*y + v)\nconstraint rod: (x^2 + y^2)/2 = 1/2\n"
        "constraint bar: ((u - x)^2 + (v - y)^2)/2 = 1/2\n"
        "init x = 0.8, y ~ -0.6, u = 1.5, v ~ -1.3\nsimulate 0 .. 4 every 0.01\n";
    double fresh[8];
    double y[8];
    Lab lab;
    for (int k = 0; k < 2; k++) {
        if (start_reduced(&lab, text)) {
            ok(lab_start(&lab) == KAL_OK);
            if (k == 1) {
                move_with(&lab, 30.0, y);
            }
            move_with(&lab, 2.0, k == 0 ? fresh : y);
        }
        lab_close(&lab);
    }
    ok(kal_same_numbers(fresh, y, 8));
}

static void the_stiff_method_is_for_the_full_form(void)
{
    Lab lab;
    if (!start_reduced(&lab, SLEIGH)) {
        return;
    }
    lab.options.method = KAL_METHOD_BDF;
    ok(lab_start(&lab) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.ctx), "reduced form");
    lab_close(&lab);
}

static void steps_allocate_nothing(void)
{
    Lab lab;
    if (!start_reduced(&lab, SLEIGH)) {
        return;
    }
    ok(lab_start(&lab) == KAL_OK);
    lab.fault.calls_left = 0;
    ok(kal_run_advance(lab.run, 5.0) == KAL_OK);
    lab.fault.calls_left = -1;
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 0; status != KAL_OK && calls < 1000; calls = fault_next(calls)) {
        Lab lab;
        if (!start_reduced(&lab, SLEIGH)) {
            return;
        }
        lab.fault.calls_left = calls;
        status = lab_start(&lab);
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        lab_close(&lab);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(speeds_determine_the_velocities), TAP_CASE(speeds_wear_out),
        TAP_CASE(the_sleigh_comes_to_run_straight),
        TAP_CASE(all_kinds_move_as_in_the_full_form),
        TAP_CASE(programs_find_what_newton_finds),
        TAP_CASE(samples_are_the_same_in_company_and_alone),
        TAP_CASE(what_moved_before_is_forgotten),
        TAP_CASE(the_stiff_method_is_for_the_full_form),
        TAP_CASE(steps_allocate_nothing), TAP_CASE(every_allocation_may_fail))
