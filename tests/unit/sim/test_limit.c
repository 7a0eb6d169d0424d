// SPDX-License-Identifier: MIT

// Actuators at their limits along a run, and the names of what servos cannot do.

#include "run_lab.h"

// x'' = u, u = −2x' − x cut at 1/2: x = 1 − t²/4 until t = √6 − 2.
static const char weak[] =
    "coord x\nkinetic 1/2*x'^2\nactuator u: x', limit = 1/2\nservo s: x = 0, rate = 1\n"
    "init x = 1\nsimulate 0 .. 3 every 0.1\n";

static void a_limit_is_reached_and_left(void)
{
    Lab lab;
    const KalEffort *efforts = NULL;
    const double leave = sqrt(6.0) - 2.0;
    if (lab_run(&lab, weak) && ok(kal_run_efforts(lab.run, &efforts) == 1)) {
        same_text(efforts[0].name, "u");
        near(efforts[0].limit, 0.5, 0.0);
        near(efforts[0].demanded, 1.0, 1e-15);
        near(efforts[0].delivered, 0.5, 0.0);
        near(efforts[0].limited, leave, 1e-9);
        has_text(lab_incident(&lab, 0),
                 "u at its limit, 0.5, from t = 0 to t = 0.44948974");
        has_text(lab_incident(&lab, 0), "up to 1 was demanded");
        const double s = 3.0 - leave;
        const double x = 1.0 - leave * leave / 4.0;
        near(lab_q(&lab, 0), (x + (x - leave / 2.0) * s) * exp(-s), 1e-9);
        near(kal_run_statistics(lab.run).energy_balance, 0.0, 1e-9);
    }
    lab_close(&lab);
}

static void a_run_may_end_at_a_limit(void)
{
    Lab lab;
    const KalEffort *efforts = NULL;
    if (lab_load(&lab, weak)) {
        lab.options.until = 0.25;
        ok(lab_go(&lab) == KAL_OK);
        ok(kal_run_efforts(lab.run, &efforts) == 1);
        near(efforts[0].limited, 0.25, 1e-15);
        has_text(lab_incident(&lab, 0), "to t = 0.25, the end of the run");
        // The same run from its start again begins with nothing.
        KalStartReport report;
        ok(kal_run_start(lab.run, &report) == KAL_OK);
        near(efforts[0].limited, 0.0, 0.0);
    }
    lab_close(&lab);
}

// x must follow a kick: the demand crosses the limit from inside, upwards and downwards.
static void limits_are_found_on_both_sides(void)
{
    Lab lab;
    const KalEffort *efforts = NULL;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nactuator u: x', limit = 2\n"
                      "servo s: x' = 0, rate = 3\nforce x = 4*sin(2*t)\n"
                      "simulate 0 .. 6.283185307179586 every 0.1\n")
        && ok(kal_run_efforts(lab.run, &efforts) == 1)) {
        // Four times in two periods, twice on each side.
        for (size_t k = 0; k < 4; k++) {
            has_text(lab_incident(&lab, k), "u at its limit, 2,");
        }
        same_text(lab_incident(&lab, 4), "");
        near(efforts[0].delivered, 2.0, 0.0);
        ok(efforts[0].demanded > 2.5 && efforts[0].limited > 2.0);
        near(kal_run_statistics(lab.run).energy_balance, 0.0, 1e-7);
    }
    lab_close(&lab);
}

static void those_to_blame_are_named(void)
{
    static const struct {
        const char *text;
        const char *first;
        const char *second;
    } cases[] = {
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 50*(x - y)^2\n"
         "servo s: x = 1, rate = 1\nactuator u: y'\n",      "s", NULL},
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nservo s: x = 1, rate = 1\n"
         "servo r: y = 2, rate = 1\nactuator u: y' + x'\n", "s", "r" },
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: x = 0\n"
         "servo s: x = 1, rate = 1\n",                      "c", "s" },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Lab lab;
        const char *const *names = NULL;
        if (lab_load(&lab, cases[k].text)) {
            ok(lab_go(&lab) == KAL_ERR_CONTRADICTION);
            if (ok(kal_run_fault(lab.run, &names) == (cases[k].second ? 2U : 1U))) {
                same_text(names[0], cases[k].first);
                ok(!cases[k].second || strcmp(names[1], cases[k].second) == 0);
            }
        }
        lab_close(&lab);
    }
}

static void every_allocation_may_fail(void)
{
    for (long calls = 0; calls < 10000; calls++) {
        Lab lab;
        if (!lab_load(&lab, weak)) {
            return;
        }
        lab.fault.calls_left = calls;
        const KalStatus status = lab_go(&lab);
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        lab_close(&lab);
        if (status == KAL_OK) {
            ok(calls > 10);
            return;
        }
    }
}

// u = 1.6 sin 2t is demanded until it passes 1, at ½ asin ⅝: then and not at the next sample, at
// every tolerance; and how long it is there does not depend on samples.
static void limits_are_reached_when_they_are(void)
{
    const double since = 0.5 * asin(0.625);
    for (int k = 0; k < 24; k++) {
        char text[300];
        Lab lab;
        const KalEffort *efforts = NULL;
        (void)snprintf(text, sizeof text,
                       "coord x\nkinetic 1/2*x'^2\nactuator u: x', limit = 1\n"
                       "servo s: x' = 0.8*(1 - cos(2*t)), rate = 2\n"
                       "simulate 0 .. 1.8 every %g, rtol = %g, atol = 1e-12\n",
                       k % 2 == 0 ? 0.01 : 0.45, pow(10.0, -7.0 - 0.2 * k));
        if (lab_run(&lab, text) && ok(kal_run_efforts(lab.run, &efforts) == 1)) {
            // x' = 0.8 (1 − cos 2t₁) + (t − t₁) until the demand 1.6 sin 2t − 2e comes down to 1.
            double leave = 1.2;
            for (int i = 0; i < 100; i++) {
                const double e = 0.8 * (1.0 - cos(2.0 * since)) + leave - since
                                 - 0.8 * (1.0 - cos(2.0 * leave));
                const double slope =
                    3.2 * cos(2.0 * leave) - 2.0 * (1.0 - 1.6 * sin(2.0 * leave));
                leave -= (1.6 * sin(2.0 * leave) - 2.0 * e - 1.0) / slope;
            }
            const KalIncident *list = NULL;
            ok(kal_run_incidents(lab.run, &list) > 0);
            near(list[0].t, since, 1e-7);
            near(efforts[0].limited, leave - since, 1e-6);
        }
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(limits_are_reached_when_they_are),
        TAP_CASE(a_limit_is_reached_and_left), TAP_CASE(a_run_may_end_at_a_limit),
        TAP_CASE(limits_are_found_on_both_sides), TAP_CASE(those_to_blame_are_named),
        TAP_CASE(every_allocation_may_fail))
