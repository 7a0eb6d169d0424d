// SPDX-License-Identifier: MIT

// Servo constraints: the laws of their errors hold exactly, nature's constraints too.

#include "instant_lab.h"
#include "system/control.h"
#include "system/instant.h"

static bool solve(Lab *lab, KalMotionAnswer *answer)
{
    const KalStatus status = kal_instant_solve(lab->instant, answer);
    if (!ok(status == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
    return status == KAL_OK;
}

// Two masses: x' + y' = 0 to be met from a violated start at rate 2.
static void any_force(void)
{
    Lab lab;
    KalMotionAnswer answer;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + 3*y'^2)\nforce x = 4\n"
                         "servo s: x' + y' = 0, rate = 2\n")) {
        double *v = kal_instant_qd(lab.instant);
        v[0] = 0.5;
        v[1] = 0.4;
        if (solve(&lab, &answer)) {
            const double lack = -2.0 * 0.9 - 4.0; // b − A a
            near(answer.qdd[0] + answer.qdd[1], -2.0 * 0.9, 1e-14);
            // Shares go with 1/mass; the force is the same on both.
            near(answer.qdd[0], 4.0 + lack * 0.75, 1e-14);
            const KalControlAnswer control = kal_control_get(lab.instant->control);
            near(control.force[0], lack * 0.75, 1e-14);
            near(control.force[1], lack * 0.75, 1e-14);
        }
        lab_close(&lab);
    }
}

// The control does not load nature's constraints, and both hold.
static void nature_keeps_its_reactions(void)
{
    static const char text[] = "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2)\n"
                               "force x = 1, y = -2\nconstraint c: x + 2*y = 0\n";
    char with[512];
    (void)snprintf(with, sizeof with, "%sservo s: y + z = 1 + t^2, rate = 3\n", text);
    Lab lab;
    Lab other;
    KalMotionAnswer free_answer;
    KalMotionAnswer answer;
    if (!lab_expect(&lab, with)) {
        return;
    }
    if (lab_expect(&other, text)) {
        kal_instant_q(lab.instant)[2] = 0.3;
        kal_instant_qd(lab.instant)[2] = 0.1;
        if (solve(&lab, &answer) && solve(&other, &free_answer)) {
            near(answer.qdd[0] + 2.0 * answer.qdd[1], 0.0, 1e-14);
            // e = 0.3 − 1, e' = 0.1, e'' = y'' + z'' − 2
            near(answer.qdd[1] + answer.qdd[2] - 2.0,
                 -2.0 * 3.0 * 0.1 - 9.0 * (0.3 - 1.0), 1e-13);
            near(answer.multipliers[0], free_answer.multipliers[0], 1e-14);
        }
        lab_close(&other);
    }
    lab_close(&lab);
}

// One input with a limit, through a lever.
static void an_actuator_and_its_limit(void)
{
    static const char format[] =
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: x = 2*y\n"
        "servo s: y = 1, rate = 1\nactuator u: x'%s\noutput in = control(u)\n";
    for (int k = 0; k < 2; k++) {
        char text[512];
        (void)snprintf(text, sizeof text, format, k == 0 ? "" : ", limit = 0.5");
        Lab lab;
        KalMotionAnswer answer;
        const double *outputs = NULL;
        if (!lab_expect(&lab, text)) {
            continue;
        }
        // y'' = 1; 5 y'' = 2 u (the mass seen at y is 5, the force 2 u).
        if (solve(&lab, &answer)
            && ok(kal_instant_outputs(lab.instant, &outputs) == KAL_OK)) {
            near(outputs[0], k == 0 ? 2.5 : 0.5, 1e-14);
            near(answer.qdd[1], k == 0 ? 1.0 : 0.2, 1e-14);
            ok(kal_control_get(lab.instant->control).saturated == (k == 1));
            near(kal_control_get(lab.instant->control).demanded[0], 2.5, 1e-14);
        }
        lab_close(&lab);
    }
}

// Two inputs on one coordinate share by their weights.
static void weights_share(void)
{
    Lab lab;
    KalMotionAnswer answer;
    const double *outputs = NULL;
    if (lab_expect(&lab, "coord x\nkinetic 1/2*x'^2\nservo s: x = 1, rate = 1\n"
                         "actuator u: x'\nactuator w: 2*x', weight = 4\n"
                         "output a = control(u), b = control(w)\n")) {
        // u + 2 w = 1 with u² + 4 w² least: u = 1/2, w = 1/4.
        if (solve(&lab, &answer)
            && ok(kal_instant_outputs(lab.instant, &outputs) == KAL_OK)) {
            near(outputs[0], 0.5, 1e-15);
            near(outputs[1], 0.25, 1e-15);
        }
        lab_close(&lab);
    }
}

static void what_cannot_be_met_is_refused(void)
{
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 50*(x - y)^2\n"
         "servo s: x = 1, rate = 1\nactuator u: y'\n",                    "no actuator"         },
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nservo s: x = 1, rate = 1\n"
         "servo r: y = 1, rate = 1\nactuator u: y' + x'\ninit y ~ 0.5\n", "not enough actuators"},
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: x = 0\n"
         "servo s: x = 1, rate = 1\n",                                    "contradict"          },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Lab lab;
        KalMotionAnswer answer;
        if (lab_expect(&lab, cases[i].text)) {
            kal_instant_q(lab.instant)[1] = 0.5;
            ok(kal_instant_solve(lab.instant, &answer) == KAL_ERR_CONTRADICTION);
            has_text(kal_context_message(lab.ctx), cases[i].why);
            lab_close(&lab);
        }
    }
}

TAP_RUN(TAP_CASE(any_force), TAP_CASE(nature_keeps_its_reactions),
        TAP_CASE(an_actuator_and_its_limit), TAP_CASE(weights_share),
        TAP_CASE(what_cannot_be_met_is_refused))
