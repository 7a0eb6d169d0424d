// SPDX-License-Identifier: MIT

// Second opinions on runs: they agree with good runs, disagree with bad ones, and say what
// they did not look at.

#include "run_lab.h"
#include "sim/run_impl.h"

#include <math.h>

enum {
    SAMPLES = 20
};

// Run and verify a text; `spoil` changes the coordinate of the last sample by this much.
static KalVerifyReport verify(Lab *lab, KalVerify **verify, double spoil)
{
    KalStatus status = lab_start(lab);
    const double length = lab->options.until - lab->options.from;
    if (status == KAL_OK) {
        status = kal_verify_create(lab->ctx, lab->system, verify);
    }
    for (int k = 0; status == KAL_OK && k <= SAMPLES; k++) {
        status = kal_run_advance(lab->run, lab->options.from + length * k / SAMPLES);
        if (k == SAMPLES) {
            kal_instant_q(kal_run_instant(lab->run))[0] += spoil;
        }
        if (status == KAL_OK) {
            status = kal_verify_take(*verify, lab->run);
        }
    }
    if (!ok(status == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
    return kal_verify_report(*verify);
}

static KalVerifyReport verify_text(Lab *lab, const char *text, KalVerify **out_verify,
                                   double spoil)
{
    *out_verify = NULL;
    return lab_load(lab, text) ? verify(lab, out_verify, spoil)
                               : (KalVerifyReport){.samples = 0};
}

static void close_all(Lab *lab, KalVerify *verify)
{
    kal_verify_destroy(verify);
    lab_close(lab);
}

static const char *const models[] = {
    // redundant, a singular mass matrix
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + z^2\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"
    "constraint slave: z = x*y\ninit x = 0.6, y ~ -0.8, x' = 1\nsimulate 0 .. 2 every "
    "0.1\n",
    // nonholonomic
    "coord x, y, a\nkinetic 1/2*(x'^2 + y'^2) + 0.1*a'^2\n"
    "constraint skid: -x'*sin(a) + y'*cos(a) = 0.3*a'\n"
    "init x' = 1, y' ~ 0, a' = 2\nsimulate 0 .. 3 every 0.1\n",
    // rheonomic, driven, of acceleration level
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential y^2 + x*z\n"
    "prescribe x = sin(t)\nconstraint c: z'' = y*x'' + x'\ninit y = 1\n"
    "simulate 0 .. 3 every 0.1\n",
    // non-ideal
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
    "constraint bowl: y = x^2\nnonideal power -0.1*abs(reaction(bowl))*x'\n"
    "init x = 1, y ~ 1\nsimulate 0 .. 2 every 0.1\n",
    // servos
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2)\npotential x^2 + y^2/2\n"
    "constraint tie: x + y + z = 0\nactuator u: x', limit = 1\nactuator w: y' - x'\n"
    "servo s: x' = sin(t) + 1, rate = 2\ninit x = 1, y = 0.5, y' = 2\n"
    "simulate 0 .. 3 every 0.1\n",
};

static void runs_of_all_kinds_are_confirmed(void)
{
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        Lab lab;
        KalVerify *v = NULL;
        const KalVerifyReport report = verify_text(&lab, models[k], &v, 0.0);
        ok(report.passed && report.samples == SAMPLES + 1 && report.restarts == 0);
        ok(report.n_gaps == 0 && report.ratio < 20.0);
        near(report.time, lab.options.until, 1e-12);
        near(report.difference.q, 0.0, 1e-6);
        near(report.difference.qd, 0.0, 1e-6);
        near(report.difference.force, 0.0, 1e-5);
        if (k < 4) {
            ok(report.difference.q > 0.0); // nothing was compared with itself
        }
        close_all(&lab, v);
    }
}

// The same with points that nothing moves, which make the instants sparse.
static void large_runs_are_confirmed(void)
{
    for (size_t k = 0; k < 4; k++) {
        Lab lab;
        KalVerify *v = NULL;
        char text[1000];
        snprintf(text, sizeof text,
                 "%scoord u[210]\nkinetic sum(i in 1..210 : u[i]'^2/2)\n", models[k]);
        const KalVerifyReport report = verify_text(&lab, text, &v, 0.0);
        ok(kal_run_instant(lab.run)->large.solver != NULL);
        ok(report.passed && report.samples == SAMPLES + 1 && report.restarts == 0);
        ok(report.n_gaps == 0 && report.ratio < 20.0);
        near(report.difference.q, 0.0, 1e-6);
        near(report.difference.force, 0.0, 1e-5);
        ok(report.difference.q > 0.0);
        close_all(&lab, v);
        if (k < 2) {
            const KalVerifyReport wrong = verify_text(&lab, text, &v, 1e-3);
            ok(!wrong.passed);
            near(wrong.difference.q, 1e-3, 1e-6);
            close_all(&lab, v);
        }
    }
}

// Two bodies in space, of grains of 1e-9 kg and 1 mm to ships of 1e9 kg and 1 km: units say
// nothing about ranks.
static void units_do_not_matter(void)
{
    static const double masses[] = {1e-9, 1.0, 1e9};
    static const double lengths[] = {1e-3, 1.0, 1e3};
    for (size_t k = 0; k < 9; k++) {
        Lab lab;
        KalVerify *v = NULL;
        char text[700];
        (void)snprintf(
            text, sizeof text,
            "use spatial\nparam m = %g, L = %g, I = m*L^2/10, k = 200*m/L\n"
            "part b = Body(m = m, I = [I/100, I, I])\n"
            "part c = Body(m = 2*m, I = [I, I, 2*I], spin = [0, 0, 1/sqrt(L)])\n"
            "part j = Ball(b = b, at_b = [0, -L, 0])\n"
            "part s = Bushing(a = b, b = c, at_a = [0, L, 0], at_b = [-L/2, 0, 0], k = "
            "k,\n"
            "                 c = k*sqrt(L)/50)\n"
            "init b.y ~ L, c.x ~ L/2, c.y ~ 2*L\nsimulate 0 .. %.17g every %.17g\n",
            masses[k % 3], lengths[k / 3], sqrt(lengths[k / 3]),
            sqrt(lengths[k / 3]) / SAMPLES);
        const KalVerifyReport report = verify_text(&lab, text, &v, 0.0);
        ok(report.passed && report.n_gaps == 0 && report.restarts == 0);
        near(report.time, lab.options.until, 1e-12 * lab.options.until);
        close_all(&lab, v);
    }
}

static void a_wrong_state_is_noticed(void)
{
    for (size_t k = 0; k < 2; k++) {
        Lab lab;
        KalVerify *v = NULL;
        const KalVerifyReport report = verify_text(&lab, models[k], &v, 1e-4);
        ok(!report.passed && report.ratio > report.allowed);
        near(report.difference.q, 1e-4, 1e-7);
        near(report.at, lab.options.until, 1e-12);
        close_all(&lab, v);
    }
}

static void what_events_do_is_not_verified(void)
{
    Lab lab;
    KalVerify *v = NULL;
    const KalVerifyReport report = verify_text(
        &lab,
        "coord y\nkinetic 1/2*y'^2\npotential 9.81*y\ninit y = 1\n"
        "event floor: y falling set y' = -0.9*y'\nsimulate 0 .. 1 every 0.1\n",
        &v, 0.0);
    ok(report.passed && report.restarts == 1 && report.n_gaps == 1);
    if (report.n_gaps == 1) {
        near(report.gaps[0].from, 0.45, 1e-9);
        near(report.gaps[0].to, 0.5, 1e-9);
        has_text(report.gaps[0].reason, "event");
    }
    near(report.time, 0.95, 1e-9);
    close_all(&lab, v);
}

// Forty events, each between other samples: the last gap that is told stands for those that
// follow, to the end of the last one.
static void many_gaps_are_not_forgotten(void)
{
    Lab lab;
    KalVerify *v = NULL;
    if (!lab_load(&lab, "coord x\nkinetic 1/2*x'^2\n"
                        "event tick: sin(40*pi*t - 1) rising set x' = x' + 1\n"
                        "simulate 0 .. 2 every 0.0125\n")) {
        return;
    }
    ok(lab_start(&lab) == KAL_OK);
    ok(kal_verify_create(lab.ctx, lab.system, &v) == KAL_OK);
    for (int k = 0; k <= 160; k++) {
        ok(kal_run_advance(lab.run, 0.0125 * k) == KAL_OK);
        ok(kal_verify_take(v, lab.run) == KAL_OK);
    }
    const KalVerifyReport report = kal_verify_report(v);
    ok(report.passed && report.restarts == 40 && report.n_gaps == 16);
    if (report.n_gaps == 16) { // the ticks are at 1/(40 pi) + k/20
        const KalVerifyGap last = report.gaps[15];
        near(last.from, 0.75, 1e-9);
        near(last.to, 1.9625, 1e-9);
        has_text(last.reason, "25 pieces");
        has_text(last.reason, "event");
    }
    near(report.time, 2.0 - 40 * 0.0125, 1e-9);
    close_all(&lab, v);
}

// All samples lie on both sides of a change: none is compared with anything.
static void nothing_compared_is_no_agreement(void)
{
    Lab lab;
    KalVerify *v = NULL;
    const KalVerifyReport report =
        verify_text(&lab,
                    "coord x\nkinetic 1/2*x'^2\nforce x = if(sin(200*t) > 0, 1, -1)\n"
                    "simulate 0 .. 2 every 0.5\n",
                    &v, 0.0);
    ok(!report.passed && report.time == 0.0 && report.n_gaps == 1);
    close_all(&lab, v);
}

// Cranks of equal length come to lie on a line, where the constraints are dependent.
static void losses_of_rank_are_not_verified(void)
{
    Lab lab;
    KalVerify *v = NULL;
    const KalVerifyReport report =
        verify_text(&lab,
                    "coord a, b, c\nkinetic 1/2*(a'^2 + b'^2 + c'^2)\n"
                    "constraint h: cos(a) + 2*cos(b) - cos(c) = 2\n"
                    "constraint v: sin(a) + 2*sin(b) - sin(c) = 0\n"
                    "init a = 1, b ~ 0, c ~ 1, a' = 1\nsimulate 0 .. 4 every 0.1\n",
                    &v, 0.0);
    ok(report.passed && report.n_gaps >= 1 && report.time > 2.0 && report.time < 4.0);
    has_text(report.n_gaps > 0 ? report.gaps[0].reason : "", "lose rank");
    close_all(&lab, v);
}

static bool stop_early(void *user, const KalRun *run)
{
    (void)run;
    return (*(int *)user)-- > 0;
}

static void ctrl_c_is_heard(void)
{
    Lab lab;
    KalVerify *v = NULL;
    int calls = 1 << 20;
    if (!lab_load(&lab, models[1])) {
        return;
    }
    lab.options.watch = stop_early;
    lab.options.user = &calls;
    ok(lab_go(&lab) == KAL_OK);
    ok(kal_verify_create(lab.ctx, lab.system, &v) == KAL_OK);
    lab_again(&lab);
    ok(lab_start(&lab) == KAL_OK);
    ok(kal_verify_take(v, lab.run) == KAL_OK);
    ok(kal_run_advance(lab.run, 3.0) == KAL_OK);
    calls = 0;
    ok(kal_verify_take(v, lab.run) == KAL_ERR_INTERRUPTED);
    close_all(&lab, v);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 0; status != KAL_OK && calls < 1000; calls = fault_next(calls)) {
        Lab lab;
        KalVerify *v = NULL;
        if (!lab_load(&lab, models[0]) || !ok(lab_start(&lab) == KAL_OK)) {
            return;
        }
        lab.fault.calls_left = calls;
        status = kal_verify_create(lab.ctx, lab.system, &v);
        ok(status == KAL_OK || !v);
        status = status == KAL_OK ? kal_verify_take(v, lab.run) : status;
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok(calls > 3 || status == KAL_ERR_NOMEM);
        close_all(&lab, v);
    }
    ok(status == KAL_OK);
}

// exp(−20 t) is the one way on which x'' = 400 x comes to rest: errors grow like exp(20 t), and
// where they are as large as the motion was, that both motions go astray is no agreement.
static void agreement_that_proves_little_is_told(void)
{
    Lab lab;
    KalVerify *v = NULL;
    KalVerifyReport r = verify_text(&lab,
                                    "coord x\nkinetic 1/2*x'^2\npotential -200*x^2\n"
                                    "init x = 1, x' = -20\nsimulate 0 .. 2 every 0.1\n",
                                    &v, 0.0);
    ok(r.vague > 0.5 && r.vague < 2.0);
    close_all(&lab, v);
    r = verify_text(&lab, models[0], &v, 0.0);
    ok(isnan(r.vague) && r.passed);
    close_all(&lab, v);
}

TAP_RUN(TAP_CASE(agreement_that_proves_little_is_told),
        TAP_CASE(runs_of_all_kinds_are_confirmed), TAP_CASE(large_runs_are_confirmed),
        TAP_CASE(units_do_not_matter), TAP_CASE(a_wrong_state_is_noticed),
        TAP_CASE(what_events_do_is_not_verified), TAP_CASE(many_gaps_are_not_forgotten),
        TAP_CASE(nothing_compared_is_no_agreement),
        TAP_CASE(losses_of_rank_are_not_verified), TAP_CASE(ctrl_c_is_heard),
        TAP_CASE(every_allocation_may_fail))
