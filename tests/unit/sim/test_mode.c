// SPDX-License-Identifier: MIT

// Equations that are made of pieces, against motions that have formulas or were integrated
// piece by piece here.

#include "run_lab.h"

// Every method, and every way to keep to the constraints.
typedef struct Way {
    KalMethod method;
    KalDrift drift;
    KalRunForm form;
    double error;
} Way;

static const Way ways[] = {
    {KAL_METHOD_AUTO,   KAL_DRIFT_PROJECT,   KAL_RUN_FORM_FULL,    1e-8},
    {KAL_METHOD_DOP853, KAL_DRIFT_NONE,      KAL_RUN_FORM_FULL,    1e-8},
    {KAL_METHOD_DOP853, KAL_DRIFT_STABILIZE, KAL_RUN_FORM_FULL,    1e-8},
    {KAL_METHOD_DOP853, KAL_DRIFT_PROJECT,   KAL_RUN_FORM_REDUCED, 1e-8},
    {KAL_METHOD_BDF,    KAL_DRIFT_PROJECT,   KAL_RUN_FORM_FULL,    1e-6},
};

enum {
    WAYS = sizeof ways / sizeof ways[0]
};

static void go(Lab *lab, const Way *way)
{
    lab_again(lab);
    lab->options.method = way->method;
    lab->options.drift = way->drift;
    lab->options.form = way->form;
    lab->options.stabilize = 5.0;
    if (!ok(lab_go(lab) == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
}

// Position and velocity of the first coordinate in the end, by all ways.
static void ends(const char *text, double q, double qd)
{
    Lab lab;
    for (size_t i = 0; lab_load(&lab, text) && i < WAYS; i++) {
        go(&lab, &ways[i]);
        near(lab_q(&lab, 0), q, ways[i].error * (1.0 + fabs(q)));
        near(lab_qd(&lab, 0), qd, ways[i].error * (1.0 + fabs(qd)));
        lab_close(&lab);
    }
    lab_close(&lab);
}

// What a constraint holds at zero is off by rounding, which no closer look tells from zero.
static void what_is_held_at_a_border_takes_few_looks(void)
{
    Lab lab;
    if (lab_load(&lab, "param m = 1.5, k = 40, g = 9.81, v = 0.3\ncoord x, y\n"
                       "kinetic 1/2*m*(x'^2 + y'^2)\npotential 1/2*k*x^2 + m*g*y\n"
                       "constraint floor: y = 0\nconstraint stick: x' = v\n"
                       "nonideal x = 0.4*reaction(floor)*sign(v - x')\ninit x' ~ v\n"
                       "event slip: reaction(stick) - 1e6*reaction(floor) stop\n"
                       "simulate 0 .. 1 every 0.01\n")) {
        ok(lab_go(&lab) == KAL_OK);
        const KalRunStatistics s = kal_run_statistics(lab.run);
        ok(s.evaluations < 70 * s.steps); // some are of samples, 100 of which there are
        near(lab_q(&lab, 0), 0.3, 1e-14);
    }
    lab_close(&lab);
}

// Several borders of one staircase, or points of one table, within a thousandth of a step: what is
// between does a work of 1.
static void borders_passed_together_are_seen(void)
{
#define WALK "coord x\nkinetic 1/2*x'^2\ninit x' = 1\nsimulate 0 .. 10 every 1\n"
#define SPIKE(argument)                            \
    "table f = [-1, 5, 5.000001, 5.000002, 100], " \
    "[0, 0, 1e6, 0, 0], method = linear\n" WALK "force x = f(" argument ")\n"
    static const char *const texts[] = {
        SPIKE("x"),
        WALK "let u = max(min(1e6*(x - 5), 1.5), -0.5)\n"
             "force x = if(floor(u) == 0, 1e6, 0)\n",
        WALK "let u = max(min(1e6*(x - 5), 1.5), -0.5)\n"
             "force x = if(ceil(u) == 1, 1e6, 0)\n",
        WALK "let u = max(min(1e6*(x - 5), 2.5), -2.5)\n"
             "force x = if(floor(mod(u, 4)) == 0, 1e6, 0)\n",
        "table f = [-1, 5, 5.000000000000001, 100], [0, 0, 0.2, 0.2], "
        "method = linear\n" WALK "force x = if(x < 10, f(x), 0)\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Lab lab;
        if (lab_run(&lab, texts[i])) {
            near(lab_qd(&lab, 0), sqrt(i < 4 ? 3.0 : 1.0 + 2.0 * 0.2 * 5.0), 1e-8);
        }
        lab_close(&lab);
    }
}

static void narrow_pieces_are_seen(void)
{
#define POINT "coord x\nkinetic 1/2*x'^2\ninit x' = 1\nsimulate 0 .. 10 every 1\n"
    // An impulse of 2 around t = 5, by symmetry as if at once.
    ends(POINT "force x = if(abs(t - 5) < 0.01, 100, 0)\n", 20.0, 3.0);
    ends(POINT "force x = if(t > 4.99 and not (t > 5.01), 100, 0)\n", 20.0, 3.0);
    ends(POINT "force x = 100*(sign(t - 4.99) - sign(t - 5.01))/2\n", 20.0, 3.0);
    ends(POINT "force x = 1e4*max(0, min(t - 4.99, 5.01 - t))\n", 10.0 + 5.0, 2.0);
    // Damping by −200 x' over 0.002 takes 0.4 of the speed, in the time log(v/v')/200.
    const double within = log(1.0 / 0.6) / 200.0;
    ends(POINT "force x = if(abs(x - 0.5) < 0.001, -200*x', 0)\n",
         0.501 + 0.6 * (10.0 - 0.499 - within), 0.6);
    // The same written as a function that touches zero twice within a step.
    ends(POINT "force x = if((x - 0.5)^2 < 1e-6, -200*x', 0)\n",
         0.501 + 0.6 * (10.0 - 0.499 - within), 0.6);
#undef POINT
}

// Square waves: x'' = ±1 for half periods of π/50 each.
static void waves_switch_in_time(void)
{
    const double half = acos(-1.0) / 50.0;
    char text[200];
    snprintf(text, sizeof text,
             "coord x\nkinetic 1/2*x'^2\nforce x = if(sin(50*t) > 0, 1, -1)\n"
             "simulate 0 .. %.17g every 1\n",
             40.0 * half);
    ends(text, 20.0 * half * half, 0.0);
}

// A spring of two rates has the period π/ω₁ + π/ω₂.
static void a_spring_of_two_rates_keeps_its_period(void)
{
    char text[300];
    snprintf(text, sizeof text,
             "coord x\nkinetic 1/2*x'^2\npotential 1/2*if(x > 0, 1, 4)*x^2\n"
             "init x = 1\nsimulate 0 .. %.17g every 1\n",
             3.0 * 1.5 * acos(-1.0));
    ends(text, 1.0, 0.0);
}

// A pendulum a on a cart with the acceleration c: l a'' = −g sin a − c cos a.
static void swing(double c, double until, double *a, double *w)
{
    const int steps = 20000;
    const double h = until / steps;
    const double node[] = {0.0, 0.5, 0.5, 1.0};
    const double weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int i = 0; i < steps; i++) {
        double da = 0.0;
        double dw = 0.0;
        double ka = 0.0;
        double kw = 0.0;
        for (int j = 0; j < 4; j++) {
            const double at = *a + node[j] * h * ka;
            ka = *w + node[j] * h * kw;
            kw = -9.81 * sin(at) - c * cos(at);
            da += weight[j] * h * ka;
            dw += weight[j] * h * kw;
        }
        *a += da;
        *w += dw;
    }
}

#define CART                                                              \
    "coord a, x\nkinetic 1/2*x'^2 + 1/2*(x'^2 + 2*cos(a)*x'*a' + a'^2)\n" \
    "potential -9.81*cos(a)\nsimulate 0 .. 2 every 0.5\nprescribe x = "

// At rest until t = 1; then the speed 1 is reached in 0.05, by the acceleration 20.
static void drives_are_not_jumped_over(void)
{
    double a = 0.0;
    double w = 0.0;
    swing(20.0, 0.05, &a, &w);
    swing(0.0, 0.95, &a, &w);
    near(a, -0.0344, 1e-4);
    near(w, 0.993, 1e-3);
    ends(CART "if(t < 1, 0, if(t < 1.05, 10*(t - 1)^2, t - 1.025))\n", a, w);
}

// A velocity that jumps is an impact: l a' changes by −cos a times it.
static void velocities_jump_by_impacts(void)
{
    double a = 0.0;
    double w = -1.0;
    swing(0.0, 1.0, &a, &w);
    ends(CART "max(0, t - 1)\n", a, w);
    Lab lab;
    if (lab_run(&lab, CART "max(0, t - 1)\n")) {
        has_text(lab_incident(&lab, 0), "drive(x) demands another velocity at once");
        // The work of the impulse is the change by events: 1/2 for the cart, and the
        // pendulum gets 1/2 (1 − 2 + 1).
        near(kal_run_statistics(lab.run).energy_events, 0.5, 1e-9);
        ok(kal_run_statistics(lab.run).switches == 1);
    }
    lab_close(&lab);
}

static void fails(const char *text, KalStatus want, const char *why)
{
    Lab lab;
    if (lab_load(&lab, text)) {
        ok(lab_go(&lab) == want);
        has_text(kal_context_message(lab.ctx), why);
    }
    lab_close(&lab);
}

// Rounding in t moves a drive that sets out hard by more than errors of steps may be.
static void hard_drives_set_out_by_all_ways(void)
{
    Lab lab;
    double exact = 0.0;
    for (int i = 0; i <= WAYS; i++) {
        const Way first = {KAL_METHOD_DOP853, KAL_DRIFT_PROJECT, KAL_RUN_FORM_FULL,
                           0.0};
        const Way *way = i == 0 ? &first : &ways[i - 1];
        if (lab_load(&lab, "coord a, x\nkinetic x'^2 + x'*cos(a)*a' + 1/2*a'^2\n"
                           "potential -9.81*cos(a)\ninit a = 0.3\n"
                           "simulate 0 .. 1.2 every 0.1\n"
                           "prescribe x = if(t < 1, 0, 250*(t - 1)^2)\n")) {
            lab.options.rtol = i == 0 ? 1e-12 : lab.options.rtol;
            go(&lab, way);
            exact = i == 0 ? lab_q(&lab, 0) : exact;
            near(lab_q(&lab, 0), exact, way->error);
        }
        lab_close(&lab);
    }
}

// At the kink of a drive the run begins on the piece ahead, and goes on at every other.
static void runs_may_begin_at_a_kink(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nprescribe x = abs(sin(3*t))\n"
                      "simulate 0 .. 30 every 0.1\n")) {
        near(lab_q(&lab, 0), fabs(sin(90.0)), 1e-12);
        near(lab_qd(&lab, 0), 3.0 * cos(90.0) * (sin(90.0) > 0.0 ? 1.0 : -1.0), 1e-11);
        ok(kal_run_statistics(lab.run).switches == 28);
    }
    lab_close(&lab);
}

// A bead on a wire with a corner, masses m along x and M along z; what it is held to at the
// start it keeps, at the corner too.
static void beads_begin_at_a_corner_as_they_are_held(void)
{
    static const char *const starts[] = {
        "x = 0, x' = 1",     "x ~ 0.1, z = 0, x' = 1", "x = 0, x' = 1, z' ~ -3",
        "x = 1e-12, x' = 1", "x = 0, x' = 1, z' = 1",  "x = 0, x' ~ 1, z' = 1"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        Lab lab;
        char text[500];
        snprintf(text, sizeof text,
                 "coord x, z\nkinetic 3*x'^2 + z'^2\nconstraint wire: z = abs(x)\n"
                 "init %s\nsimulate 0 .. 2 every 0.5\n",
                 starts[i]);
        if (lab_run(&lab, text)) {
            near(lab_q(&lab, 0), 2.0, 1e-9);
            near(lab_q(&lab, 1), 2.0, 1e-9);
            ok(lab_incident(&lab, 0)[0] == 0);
        }
        lab_close(&lab);
    }
}

// Several corners at once, one of which is at the border only if another is: none is an
// impact, and what is held stays.
static void corners_may_meet(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x, y, z\nkinetic 1/2*x'^2 + y'^2 + z'^2\n"
                      "constraint c: y = max(x, 3*x)\n"
                      "constraint d: z = min(y, 0) + abs(x)\n"
                      "init x = 0, x' = 1\nsimulate 0 .. 3 every 1\n")) {
        near(lab_q(&lab, 0), 3.0, 1e-9);
        near(lab_q(&lab, 1), 9.0, 1e-9);
        near(lab_q(&lab, 2), 3.0, 1e-9);
        ok(lab_incident(&lab, 0)[0] == 0);
    }
    lab_close(&lab);
}

// Over the corner its velocity is what is left of it along the wire, (m − M)/(m + M); if that
// leads back, the bead comes to rest there.
static void beads_pass_a_corner_or_come_to_rest(void)
{
    static const double masses[][2] = {
        {3,   1    },
        {1,   0.999},
        {1e3, 1    },
        {1,   1    },
        {1,   3    },
        {1,   1.01 },
        {1,   1e3  },
        {1,   1e6  },
        {1,   1e8  },
        {1,   1e12 }
    };
    for (size_t i = 0; i < sizeof masses / sizeof masses[0]; i++) {
        const double m = masses[i][0];
        const double M = masses[i][1];
        const double v = fmin(0.0, -2.0 * (m - M) / (m + M));
        for (size_t k = 0; k < WAYS; k++) {
            Lab lab;
            char text[500];
            snprintf(text, sizeof text,
                     "coord x, z\nkinetic 1/2*(%.17g*x'^2 + %.17g*z'^2)\n"
                     "constraint wire: z = abs(x)\ninit x = 1, x' = -2\n"
                     "simulate 0 .. 1 every 0.5\n",
                     m, M);
            if (lab_load(&lab, text)) {
                go(&lab, &ways[k]);
                near(lab_q(&lab, 0), 0.5 * v, 1e-7);
                near(lab_q(&lab, 1), -0.5 * v, 1e-7);
                near(lab_qd(&lab, 0), v, 1e-7);
            }
            lab_close(&lab);
        }
    }
}

// A servo that leads the bead to and fro: at every corner an impact, and no more.
static void servos_lead_over_corners(void)
{
    for (int k = 0; k < 12; k++) {
        Lab lab;
        char text[500];
        snprintf(text, sizeof text,
                 "coord x, z\nkinetic 1/2*(%.17g*x'^2 + z'^2)\n"
                 "constraint wire: z = abs(x)\n%sservo s: x = 2*sin(3*t), rate = 40\n"
                 "init x = %.17g\nsimulate 0 .. 5 every 0.1\n",
                 pow(10.0, 0.5 * (k / 2) - 1.5), k % 2 ? "actuator u: x'\n" : "",
                 0.1 * k - 0.37);
        if (lab_run(&lab, text)) {
            near(lab_q(&lab, 0), 2.0 * sin(15.0), 1e-3); // it is late by a little
            near(lab_q(&lab, 1), fabs(lab_q(&lab, 0)), 1e-12);
            ok(kal_run_statistics(lab.run).switches <= 6);
        }
        lab_close(&lab);
    }
}

// What stops stands still, and is not left with dust of the numbers before.
static void what_stops_stands_still(void)
{
    for (size_t i = 0; i < WAYS; i++) {
        Lab lab;
        if (lab_load(&lab,
                     "coord x, a\nkinetic x'^2 + x'*cos(a)*a' + 1/2*a'^2\n"
                     "potential -9.81*cos(a)\ninit a = 0.3\nsimulate 0 .. 2 every 0.5\n"
                     "prescribe x = if(t < 1, 0, if(t < 1.05, 10*(t - 1), 0.5))\n")
            && ways[i].drift == KAL_DRIFT_PROJECT) {
            go(&lab, &ways[i]);
            near(lab_q(&lab, 0), 0.5, 1e-15);
            near(lab_qd(&lab, 0), 0.0, 0.0);
        }
        lab_close(&lab);
    }
}

static void positions_cannot_jump(void)
{
    fails(CART "if(t < 1, 0, 1)\n", KAL_ERR_CONTRADICTION,
          "constraint drive(x) jumps at t = 1");
}

static void chatter_is_named(void)
{
#define BLOCK "coord x\nkinetic 1/2*x'^2\ninit x' = 3\nsimulate 0 .. 5 every 1\n"
    fails(BLOCK "force x = -3*sign(x')\n", KAL_ERR_CHATTER,
          "test.kal:5:14: sign(x') chatters at t = 1:");
    fails(BLOCK "force x = if(x' > 0, -3, 3)\n", KAL_ERR_CHATTER,
          "test.kal:5:14: x' > 0 chatters at t = 1:");
    fails(BLOCK "force x = 1 - 4*sign(x')\n", KAL_ERR_CHATTER, "chatters at t = 1:");
    fails("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 10*y\n"
          "constraint floor: y = 0\nnonideal x = -0.3*abs(reaction(floor))*sign(x')\n"
          "init x' = 3\nsimulate 0 .. 5 every 1\n",
          KAL_ERR_CHATTER, "test.kal:5:40: sign(x') chatters at t = 1:");
    fails(BLOCK "force x = if(x' > floor(t + 0.5), -3, 3)\n", KAL_ERR_CHATTER,
          "chatters at t = 0.666666667:");
    // x' = 3 − 5 t, then −3 … and so on: it passes zero, for the push is stronger.
    ends(BLOCK "force x = -4 - sign(x')\n", 0.9 - 0.5 * 3.0 * 4.4 * 4.4, -3.0 * 4.4);
#undef BLOCK
}

// x'' = ±1 over half periods of π 1e-6 until t = 0.001, where sin(1000) > 0, then 1: the
// pieces are much shorter than what is looked ahead in a run of 100.
static void short_pieces_in_time_are_seen(void)
{
    const double half = acos(-1.0) * 1e-6;
    const double last = 1e-3 - 318.0 * half; // since the last change, on a piece of +1
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nsimulate 0 .. 100 every 10\n"
                      "force x = if(sin(1e6*min(t, 1e-3)) > 0, 1, -1)\n")) {
        near(lab_qd(&lab, 0), last + (100.0 - 1e-3), 1e-9);
        ok(kal_run_statistics(lab.run).switches == 318 + 1); // that of min
    }
    lab_close(&lab);
}

// A speed of 0.4 is lost in a stretch of 2w, however short it is beside the run, and however small
// the function that says where.
static void pieces_may_be_as_short_as_one_likes(void)
{
    static const char *const conditions[] = {
        "abs(x - 0.5) < w", "(x - 0.5)^2 < w^2", "x > 0.5 and x < 0.5 + 2*w",
        "min(x - 0.5 + w, 0.5 + w - x) > 0", "1e-9*abs(x - 0.5) < 1e-9*w"};
    for (int k = 0; k < 5 * 8; k++) {
        const double w = pow(10.0, -4.0 - 0.7 * (k / 5));
        char text[300];
        snprintf(text, sizeof text,
                 "param w = %.17g\ncoord x\nkinetic 1/2*x'^2\ninit x' = 1\n"
                 "force x = if(%s, -0.2/w*x', 0)\nsimulate 0 .. 3 every 1\n",
                 w, conditions[k % 5]);
        Lab lab;
        if (lab_run(&lab, text)) {
            near(lab_qd(&lab, 0), 0.6, 1e-11 + 1e-15 / w);
        }
        lab_close(&lab);
    }
}

// Impulses of 2 at each of two peaks of sine, where the condition holds by 1e-8 only: less than a
// loose tolerance, which is about states.
static void shallow_pieces_in_time_are_seen(void)
{
    const double w = acos(0.99999999);
    for (int k = 4; k < 10; k++) {
        char text[300];
        Lab lab;
        snprintf(text, sizeof text,
                 "coord x\nkinetic 1/2*x'^2\nsimulate 0 .. 10 every 1\n"
                 "force x = if(sin(t) > 0.99999999, %.17g, 0)\n",
                 1.0 / w);
        if (lab_load(&lab, text)) {
            lab.options.rtol = pow(10.0, -k);
            lab.options.atol = lab.options.rtol;
            ok(lab_go(&lab) == KAL_OK);
            near(lab_qd(&lab, 0), 4.0, 1e-6);
        }
        lab_close(&lab);
    }
}

// Steps of 1e-5 of a staircase that the motion runs up, and of one that it runs up ever faster, are
// climbed one by one, and lead nowhere back.
static void a_fine_staircase_is_climbed(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\ninit x' = 3\n"
                      "simulate 0 .. 0.01 every 0.01\n"
                      "force x = mod(floor(1e5*x), 2)\n")) {
        near(lab_qd(&lab, 0), sqrt(9.0 + lab_q(&lab, 0)), 1e-6);
    }
    lab_close(&lab);
    fails("coord x\nkinetic 1/2*x'^2\ninit x' = 3\nsimulate 0 .. 10 every 1\n"
          "force x = mod(floor(1e10*x), 2)\n",
          KAL_ERR_LIMIT, "floor(1e10*x) has changed 1000 times");
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\ninit x' = 3\n"
                      "simulate 0 .. 1e-3 every 1e-3\nforce x = floor(1e6*x)\n")) {
        near(lab_qd(&lab, 0), 3.0 * cosh(1.0) - 0.5e-3 * sinh(1.0), 1e-5);
    }
    lab_close(&lab);
}

// Time leads nowhere back: there may be too many changes, but they have an end.
static void functions_of_time_do_not_chatter(void)
{
#define WAVE "coord x\nkinetic 1/2*x'^2\nforce x = if(sin(1e6*t) > 0, 1, -1)\n"
    Lab lab;
    fails(WAVE "simulate 0 .. 1e4 every 1e3\n", KAL_ERR_LIMIT,
          "test.kal:3:14: sin(1e6*t) > 0 has changed 1000 times");
    if (lab_load(&lab, WAVE "simulate 0 .. 1e4 every 1e3\n")) {
        lab.options.max_steps = 0;
        ok(lab_go(&lab) == KAL_ERR_STEP);
        has_text(kal_context_message(lab.ctx), "for piecewise formulas changed ");
    }
    lab_close(&lab);
#undef WAVE
}

// At rest nothing switches; pushed hard enough, it goes.
static void rest_is_no_chatter(void)
{
#define BLOCK "coord x\nkinetic 1/2*x'^2\nsimulate 0 .. 10 every 1\n"
    ends(BLOCK "force x = -3*sign(x')\n", 0.0, 0.0);
    ends(BLOCK "force x = 4 - 3*sign(x')\n", 50.0, 10.0);
#undef BLOCK
    fails("coord x\nkinetic 1/2*x'^2\nsimulate 0 .. 10 every 1\n"
          "force x = 1 - 3*sign(x')\n",
          KAL_ERR_CHATTER, "chatters at t = 0:");
}

// An event sets x beyond a border by more than it is not known to, and sends it back so slowly that
// steps as short as a search would move nothing; the range of that function is never told.
static void what_is_led_back_over_a_border_goes_on(void)
{
    ends("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\ninit x = 0.9, x' = 1, y' = 1\n"
         "force x = if(x - 1 + 10*(sin(y)*cos(y) - 1/2*sin(2*y)) < 0, 0, -1e-3)\n"
         "event back: x - 1 rising set x = 1 + 2e-14, set x' = -1e-8\n"
         "simulate 0 .. 1 every 0.1\n",
         1.0 - 9e-9, -1e-8);
}

// Stick by events: the block stops at t = 1 and stays.
static void events_hold_what_would_chatter(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\ninit x' = 3\nforce x = -3*sign(x')\n"
                      "constraint stick: x' = 0\nevent grip: x' engage stick\n"
                      "simulate 0 .. 5 every 1\n")) {
        near(lab_q(&lab, 0), 1.5, 1e-9);
        near(lab_qd(&lab, 0), 0.0, 1e-12);
    }
    lab_close(&lab);
}

// Pieces may have formulas that end with them.
static void pieces_may_end_with_their_formula(void)
{
    Lab lab;
    // V = 2/3 x^(3/2) above, −x below: the energy is that of the start.
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = if(x > 0, -sqrt(x), 1)\n"
                      "init x = 1\nsimulate 0 .. 20 every 1\n")) {
        const double x = lab_q(&lab, 0);
        const double v = lab_qd(&lab, 0);
        const double V = x > 0.0 ? 2.0 / 3.0 * pow(x, 1.5) : -x;
        near(0.5 * v * v + V, 2.0 / 3.0, 1e-7);
    }
    lab_close(&lab);
}

// Steps of a free motion are as long as the run.
static void events_within_a_step_are_seen(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\ninit x' = 1\n"
                      "event a: (x - 5.3)^2 - 1e-10 set y' = y' + 1\n"
                      "event b: sin(40*x) rising set y = y + 1\n"
                      "simulate 0 .. 10 every 10\n")) {
        near(lab_qd(&lab, 1), 2.0, 1e-9);
        const int waves = (int)(40.0 * 10.0 / (2.0 * acos(-1.0)));
        ok(kal_run_statistics(lab.run).events == 2 + waves);
    }
    lab_close(&lab);
}

static void poles_are_no_events(void)
{
    Lab lab;
    if (lab_run(&lab, "coord y\nkinetic 1/2*y'^2\ninit y' = 1\n"
                      "event e: 1/(y - 1) stop\nevent f: tan(y) rising set y' = 2\n"
                      "event g: 1/(y - 2)^3 set y' = 7\nsimulate 0 .. 3 every 1\n")) {
        ok(kal_run_statistics(lab.run).events == 0);
        near(lab_q(&lab, 0), 3.0, 1e-9);
    }
    lab_close(&lab);
    if (lab_run(&lab, "coord y\nkinetic 1/2*y'^2\ninit y' = 1\n"
                      "event f: tan(y) rising stop\nsimulate 0 .. 9 every 1\n")) {
        near(kal_run_time(lab.run), acos(-1.0), 1e-12);
    }
    lab_close(&lab);
    // The run, or a sample of the search, ends on the pole.
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord y\nkinetic 1/2*y'^2\ninit y' = 1\n"
                 "event f: tan(y*pi/2) falling stop\nsimulate 0 .. %d every 1\n",
                 3 + 2 * k);
        if (lab_run(&lab, text)) {
            ok(kal_run_statistics(lab.run).events == 0);
            near(kal_run_time(lab.run), 3.0 + 2.0 * k, 0.0);
        }
        lab_close(&lab);
    }
}

static void every_run_ends(void)
{
    Lab lab;
    if (lab_load(&lab, "coord x\nkinetic 1/2*x'^2\npotential 1/2*x^2\ninit x = 1\n"
                       "simulate 0 .. 1000 every 1\n")) {
        lab.options.max_steps = 50;
        ok(lab_go(&lab) == KAL_ERR_LIMIT);
        has_text(kal_context_message(lab.ctx), "has taken 50 steps");
        lab_again(&lab);
        lab.options.max_steps = -1;
        ok(lab_go(&lab) == KAL_ERR_USAGE);
        lab_again(&lab);
        lab.options.max_steps = 0;
        ok(lab_go(&lab) == KAL_OK);
    }
    lab_close(&lab);
    // What holds steps is said to be stability where it is.
    if (lab_load(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = -1e9*x' - x\ninit x = 1\n"
                       "simulate 0 .. 100 every 1\n")) {
        lab.options.method = KAL_METHOD_DOP853;
        ok(lab_go(&lab) == KAL_ERR_STEP);
        has_text(kal_context_message(lab.ctx), "stability holds the steps");
        has_text(kal_context_message(lab.ctx), "method bdf takes longer ones");
        lab_again(&lab);
        lab.options.method = KAL_METHOD_BDF;
        ok(lab_go(&lab) == KAL_OK);
    }
    lab_close(&lab);
    // (1 + z)⁴ = 1 − 4t: it ends at t = 1/4, and before that rounding holds the steps.
    if (lab_load(&lab, "coord z\nkinetic 1/2*z'^2\nconstraint c: (1 + z)^3*z' = -1\n"
                       "dissipation (z'^4 - z')^2\nsimulate 0 .. 1 every 1\n")) {
        ok(lab_go(&lab) == KAL_ERR_STEP);
        near(kal_run_time(lab.run), 0.25, 1e-3);
    }
    lab_close(&lab);
}

// A potential that jumps does what no force does.
static void an_open_balance_is_a_warning(void)
{
    Lab lab;
    const char *const *texts = NULL;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\npotential 0.1*atan2(sin(x), "
                      "cos(x))\nforce x = -0.01*x'\ninit x' = 1\n"
                      "simulate 0 .. 5 every 1\n")) {
        ok(kal_run_warnings(lab.run, &texts) == 1);
        has_text(texts[0], "the energy balance is off by 0.63"); // 0.2 π
    }
    lab_close(&lab);
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\npotential if(x > 1, 5*(x - 1), 0)\n"
                      "force x = -0.01*x'\ninit x' = 1\nsimulate 0 .. 3 every 1\n")) {
        ok(kal_run_warnings(lab.run, &texts) == 0);
    }
    lab_close(&lab);
}

static void changes_of_pieces_allocate_nothing(void)
{
    Lab lab;
    if (lab_load(&lab, "coord x\nkinetic 1/2*x'^2\ninit x = 1\n"
                       "force x = -x*if(sin(5*t) > 0, 1, 2) - abs(x')*x'/10\n"
                       "event e: x - 100 stop\nsimulate 0 .. 20 every 1\n")) {
        ok(lab_start(&lab) == KAL_OK);
        lab.fault.calls_left = 0;
        ok(kal_run_advance(lab.run, 20.0) == KAL_OK);
        ok(kal_run_statistics(lab.run).switches > 30);
        lab.fault.calls_left = -1;
    }
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status == KAL_ERR_NOMEM && n < 10000; n = fault_next(n)) {
        Lab lab;
        if (!lab_load(&lab, CART "max(0, t - 1)\nevent e: a - 100 stop\n")) {
            break;
        }
        lab.fault.calls_left = n;
        status = lab_go(&lab);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        lab.fault.calls_left = -1;
        lab_close(&lab);
    }
    ok(status == KAL_OK);
}

// x'' = ⌊x⌋ from x = 0, x' = 1: on each step the acceleration is constant.
static void climbs_steps(double until)
{
    char text[200];
    double t = 0.0;
    double v = 1.0;
    int n = 0;
    while (true) {
        const double next = sqrt(v * v + 2.0 * n); // where the step ends
        const double time = n == 0 ? 1.0 : (next - v) / n;
        if (t + time > until) {
            break;
        }
        t += time;
        v = next;
        n++;
    }
    const double rest = until - t;
    snprintf(text, sizeof text,
             "coord x\nkinetic 1/2*x'^2\nforce x = floor(x)\ninit x' = 1\n"
             "simulate 0 .. %.17g every 1\n",
             until);
    ends(text, n + v * rest + 0.5 * n * rest * rest, v + n * rest);
}

// Whole numbers and rests: every step is met, be it of the time or of the state.
static void steps_are_met(void)
{
#define FREE "coord x\nkinetic 1/2*x'^2\ninit x' = 1\nsimulate 0 .. 10 every 1\n"
    // Five teeth of ∫τ dτ = 2 each; then up and down by whole numbers.
    ends(FREE "force x = mod(t, 2)\n", 50.0 + 20.0 / 3.0, 11.0);
    ends(FREE "force x = -mod(-t, 2)\n", -30.0 - 40.0 / 3.0, -9.0);
    ends(FREE "force x = ceil(t)\n", 10.0 + 385.0 / 2.0, 56.0);
    ends(FREE "force x = floor(t)\n", 10.0 + 385.0 / 2.0 - 50.0, 46.0);
    ends(FREE "force x = mod(t, 2) - t + 2*floor(t/2)\n", 10.0, 1.0);
    climbs_steps(3.0);
    climbs_steps(4.5);
    // A row of wells: each is crossed in 2 asin(1/3), with the same speed at its bottom.
    ends("coord x\nkinetic 1/2*x'^2\nforce x = 1 - mod(x + 1, 2)\ninit x' = 3\n"
         "simulate 0 .. 20*asin(1/3) every 1\n",
         20.0, 3.0);
    ends("coord x\nkinetic 1/2*x'^2\nforce x = 1 - mod(x + 1, 2)\ninit x' = -3\n"
         "simulate 0 .. 20*asin(1/3) every 1\n",
         -20.0, -3.0);
    // Below v = 1 the force is −2, below 0 it is 2: it would change without end.
    fails("coord x\nkinetic 1/2*x'^2\ninit x' = 3\nsimulate 0 .. 5 every 1\nforce x = "
          "-4*floor(x') - 2\n",
          KAL_ERR_CHATTER, "floor(x') chatters");
#undef FREE
}

// Pieces of pieces: floor(floor(u) + x') is floor(u) + floor(x'), whatever the tolerance, and so
// on; where the inner one changes, the outer one does.
static void pieces_within_pieces_change_together(void)
{
    static const char *const pairs[][2] = {
        {"floor(floor(2*t) + x' - 0.3)",    "floor(2*t) + floor(x' - 0.3)"          },
        {"floor(floor(i) + x' - 0.3)",      "floor(i) + floor(x' - 0.3)"            },
        {"if(x' - 0.3 > floor(i), 2, 1)",   "if(x' - 0.3 - i + mod(i, 1) > 0, 2, 1)"},
        {"mod(x' + 3*sign(x - 0.2), 1)",    "mod(x', 1)"                            },
        {"max(if(i > 1, x', 1 - x'), 0.5)",
         "if(i > 1, max(x', 0.5), max(1 - x', 0.5))"                                },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (double tolerance = 1e-6; tolerance > 1e-14; tolerance *= 0.1) {
            double end[2] = {0.0, 0.0};
            for (int k = 0; k < 2; k++) {
                char text[300];
                Lab lab;
                (void)snprintf(text, sizeof text,
                               "coord x\nkinetic 1/2*x'^2\nstate i: i' = cos(t) + 0.7\n"
                               "force x = %s - 2*x\ninit x' = -0.64\n"
                               "simulate 0 .. 3 every 0.1\n",
                               pairs[i][k]);
                if (lab_load(&lab, text)) {
                    lab.options.rtol = tolerance;
                    lab.options.atol = 1e-3 * tolerance;
                    ok(lab_go(&lab) == KAL_OK);
                    end[k] = lab_q(&lab, 0);
                }
                lab_close(&lab);
            }
            near(end[0], end[1], 100.0 * tolerance);
        }
    }
}

// x = 0 for ever is a motion where the formula at 0 has no force, though another piece would lead
// away; where it has one it goes.  And 1 − cos t is the speed where nothing else pushes.
static void what_begins_at_rest_is_as_written(void)
{
#define BORDER "coord x\nkinetic 1/2*x'^2\nsimulate 0 .. 2 every 1\nforce x = "
    static const char *const resting[] = {
        "if(x' < 0, -1, 0)\n", "if(x' > 0, 1, 0)\n", "if(x < 0, -1, 0)\n",
        "if(x > 0, 1, 0)\n",   "floor(x')\n",        "floor(x)\n",
        "-ceil(-x')\n",        "max(0, sign(x'))\n", "min(0, sign(x))\n",
        "mod(x, 1) - x\n",     "sign(x)\n",          "if(not (x >= 0), -1, 0)\n"};
    for (size_t i = 0; i < sizeof resting / sizeof *resting; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, BORDER "%s", resting[i]);
        ends(text, 0.0, 0.0);
    }
    ends(BORDER "if(x' <= 0, -1, 0)\n", -2.0, -2.0);
    ends(BORDER "if(x >= 0, 1, 0)\n", 2.0, 2.0);
    ends(BORDER "if(x' < 0, -1, 0) + sin(t)\n", 2.0 - sin(2.0), 1.0 - cos(2.0));
    ends(BORDER "if(x' > 0, 1, 0) - sin(t)\n", sin(2.0) - 2.0, cos(2.0) - 1.0);
    ends(BORDER "if(x' < 0, -1, 0) + 1\n", 2.0, 2.0);
#undef BORDER
}

TAP_RUN(TAP_CASE(what_is_held_at_a_border_takes_few_looks),
        TAP_CASE(borders_passed_together_are_seen), TAP_CASE(narrow_pieces_are_seen),
        TAP_CASE(waves_switch_in_time),
        TAP_CASE(a_spring_of_two_rates_keeps_its_period),
        TAP_CASE(drives_are_not_jumped_over), TAP_CASE(velocities_jump_by_impacts),
        TAP_CASE(positions_cannot_jump), TAP_CASE(hard_drives_set_out_by_all_ways),
        TAP_CASE(what_stops_stands_still), TAP_CASE(runs_may_begin_at_a_kink),
        TAP_CASE(beads_begin_at_a_corner_as_they_are_held), TAP_CASE(corners_may_meet),
        TAP_CASE(beads_pass_a_corner_or_come_to_rest),
        TAP_CASE(servos_lead_over_corners), TAP_CASE(chatter_is_named),
        TAP_CASE(pieces_may_be_as_short_as_one_likes),
        TAP_CASE(shallow_pieces_in_time_are_seen),
        TAP_CASE(a_fine_staircase_is_climbed), TAP_CASE(short_pieces_in_time_are_seen),
        TAP_CASE(functions_of_time_do_not_chatter), TAP_CASE(rest_is_no_chatter),
        TAP_CASE(events_hold_what_would_chatter),
        TAP_CASE(what_is_led_back_over_a_border_goes_on),
        TAP_CASE(pieces_may_end_with_their_formula),
        TAP_CASE(events_within_a_step_are_seen), TAP_CASE(poles_are_no_events),
        TAP_CASE(every_run_ends), TAP_CASE(an_open_balance_is_a_warning),
        TAP_CASE(pieces_within_pieces_change_together),
        TAP_CASE(what_begins_at_rest_is_as_written),
        TAP_CASE(changes_of_pieces_allocate_nothing),
        TAP_CASE(every_allocation_may_fail), TAP_CASE(steps_are_met))
