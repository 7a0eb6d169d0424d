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

// Velocities become speeds and come back, also where constraints are not linear in them.
static void speeds_determine_the_velocities(void)
{
    static const char *const texts[] = {SLEIGH, PACE};
    for (int i = 0; i < 2; i++) {
        Lab lab;
        KalReducedForm form = {.instant = NULL};
        KalInstant *instant = NULL;
        KalStartReport report;
        double y[6];
        double z[6];
        double back[6];
        if (!lab_load(&lab, texts[i])) {
            return;
        }
        ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK);
        ok(kal_instant_start(instant, &report) == KAL_OK);
        memcpy(y, kal_instant_q(instant), sizeof y);
        ok(kal_form_init(&form, instant, 0) == KAL_OK);
        ok(kal_form_choose(&form, 0.0, y) == KAL_OK);
        ok(form.k == 2 && form.rank == 1);
        kal_form_contract(&form, y, z);
        ok(z[5] == 0.0);
        form.guess[0] += 0.05;
        ok(kal_form_expand(&form, 0.0, z, back) == KAL_OK);
        for (int j = 0; j < 6; j++) {
            near(back[j], y[j], 1e-13);
        }
        kal_form_clear(&form);
        kal_instant_destroy(instant);
        lab_close(&lab);
    }
}

// Speeds that were chosen in one direction are of no use in another.
static void speeds_wear_out(void)
{
    Lab lab;
    KalReducedForm form = {.instant = NULL};
    KalInstant *instant = NULL;
    double y[6] = {0.0, 0.0, 0.0, 1.0, 0.6, 2.0};
    bool worn = true;
    if (!lab_load(&lab, SLEIGH)) {
        return;
    }
    ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK);
    ok(kal_form_init(&form, instant, 0) == KAL_OK);
    ok(kal_form_choose(&form, 0.0, y) == KAL_OK);
    ok(kal_form_is_worn(&form, 0.0, y, &worn) == KAL_OK && !worn);
    y[2] = 0.3;
    ok(kal_form_is_worn(&form, 0.0, y, &worn) == KAL_OK && !worn);
    y[2] = 1.5;
    ok(kal_form_is_worn(&form, 0.0, y, &worn) == KAL_OK && worn);
    kal_form_clear(&form);
    kal_instant_destroy(instant);
    lab_close(&lab);
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

// Programs, as they are in the run, and Newton's method agree on velocities; and the program of
// rates on these and on accelerations.
static void compare_with_newton(Lab *lab)
{
    KalInstant *instant = lab->run->instant;
    KalReducedForm *form = &lab->run->integration.form;
    const size_t n = (size_t)form->n;
    double y[12];
    double z[12];
    double v[6];
    double rates[12];
    KalMotionAnswer answer;
    memcpy(y, kal_instant_q(instant), 2 * n * sizeof(double));
    kal_form_contract(form, y, z);
    z[n] *= 1.25;
    ok(kal_speeds_find(&instant->road, lab->run->t, z, v));
    ok(kal_speeds_find_rates(&instant->road, lab->run->t, z, rates));
    ok(kal_form_expand(form, lab->run->t, z, y) == KAL_OK);
    ok(kal_instant_solve(instant, &answer) == KAL_OK);
    for (size_t j = 0; j < n; j++) {
        near(v[j], y[n + j], 1e-13 * (1.0 + fabs(y[n + j])));
        ok(rates[j] == v[j]);
    }
    for (size_t l = 0; l < (size_t)form->k; l++) {
        const double expected = answer.qdd[form->columns[(size_t)form->rank + l]];
        near(rates[n + l], expected, 1e-11 * (1.0 + fabs(expected)));
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
        "simulate 0 .. 3 every 0.1\n"};
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
        TAP_CASE(the_stiff_method_is_for_the_full_form),
        TAP_CASE(steps_allocate_nothing), TAP_CASE(every_allocation_may_fail))
