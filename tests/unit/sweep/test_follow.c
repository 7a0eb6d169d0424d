// SPDX-License-Identifier: MIT

// What is kept of a run, against closed forms.

#include "sweep_lab.h"

#include <math.h>

// x = cos(w t), sampled at the ends only.
#define OSCILLATOR(more)      \
    "param w = 1\n"           \
    "coord x\n"               \
    "kinetic 1/2*x'^2\n"      \
    "potential 1/2*w^2*x^2\n" \
    "init x = 1\n"            \
    "simulate 0 .. 10 every 10\n" more

static void extremes_lie_between_samples(void)
{
    SweepLab lab;
    if (sweep_lab_run(&lab, OSCILLATOR(""), "w = 0.1, 0.3, 1, 7",
                      "max(x), min(x), max(x'), min(x'), max(x'')")) {
        const double w[] = {0.1, 0.3, 1.0, 7.0};
        for (int i = 0; i < 4; i++) {
            const double *v = lab.rows[i].values;
            const double angle = fmin(10.0 * w[i], acos(-1.0));
            near(v[0], 1.0, 1e-7);
            near(v[1], cos(angle), 1e-7);
            near(v[2] / w[i], angle < 3.0 ? 0.0 : i == 1 ? 0.0 : 1.0, 1e-7);
            near(v[3] / w[i], angle < 0.5 * acos(-1.0) ? -sin(angle) : -1.0, 1e-7);
            near(v[4] / (w[i] * w[i]), -cos(angle), 1e-7);
        }
    }
    sweep_lab_close(&lab);
}

static void means_weigh_by_time(void)
{
    SweepLab lab;
    if (sweep_lab_run(&lab, OSCILLATOR(""), "w = 0.1, 0.3, 1, 7",
                      "mean(x), rms(x), mean(x'), rms(x'), mean(t)")) {
        const double w[] = {0.1, 0.3, 1.0, 7.0};
        for (int i = 0; i < 4; i++) {
            const double *v = lab.rows[i].values;
            const double a = 10.0 * w[i];
            near(v[0], sin(a) / a, 1e-8);
            near(v[1], sqrt(0.5 + 0.25 * sin(2.0 * a) / a), 1e-8);
            near(v[2], (cos(a) - 1.0) / 10.0, 1e-8);
            near(v[3] / w[i], sqrt(0.5 - 0.25 * sin(2.0 * a) / a), 1e-8);
            near(v[4], 5.0, 1e-12);
        }
    }
    sweep_lab_close(&lab);
}

// Steps are as the motion wants them, not as an output does.
static void quick_outputs_are_seen(void)
{
    SweepLab lab;
    if (sweep_lab_run(&lab,
                      OSCILLATOR("output q = exp(-t)*sin(40*t)\n"
                                 "output k = abs(x - 0.3)\n"),
                      NULL, "max(q), min(q), rms(q), min(k), final(q)")) {
        const double *v = lab.rows[0].values;
        const double top = atan(40.0) / 40.0;
        const double down = (atan(40.0) + acos(-1.0)) / 40.0;
        near(v[0], exp(-top) * sin(40.0 * top), 1e-8);
        near(v[1], exp(-down) * sin(40.0 * down), 1e-8);
        // ∫ exp(−2t) (1 − cos 80t)/2 = 1/4 − (2 − …)/(2 (4 + 6400)), but for exp(−20)
        near(v[2], sqrt((0.25 - 1.0 / 6404.0) / 10.0), 1e-7);
        near(v[3], 0.0, 1e-6); // a kink
        near(v[4], exp(-10.0) * sin(400.0), 1e-12);
    }
    sweep_lab_close(&lab);
}

// Pieces and peaks of outputs that are far narrower than steps, by time and by the motion, which
// passes x = 0.5 three times at a speed of √0.75 and x' = −0.3 four times at a distance of √0.91.
static void narrow_pieces_and_peaks_of_outputs_are_seen(void)
{
    SweepLab lab;
    if (sweep_lab_run(&lab,
                      OSCILLATOR("output a = if(t > 3.55, 1, 0)\n"
                                 "output b = if(abs(x - 0.5) < 1e-6, 3, 0)\n"
                                 "output c = exp(-((x - 0.5)/1e-5)^2)\n"
                                 "output d = -1/cosh((t - 7.77)/1e-5)\n"
                                 "output e = mod(3*t, 1)\n"
                                 "output f = 1/(1 + ((x' + 0.3)/1e-5)^2)\n"),
                      NULL,
                      "mean(a), max(b), mean(b), rms(b), max(c), mean(c), min(d), "
                      "mean(d), min(e), max(e), mean(e), max(f), mean(f)")) {
        const double *v = lab.rows[0].values;
        const double pi = acos(-1.0);
        const double inside = 3.0 * 2e-6 / sqrt(0.75); // time of three passages
        near(v[0], 0.645, 1e-9);
        near(v[1], 3.0, 0.0);
        near(v[2] / (3.0 * inside / 10.0), 1.0, 1e-4);
        near(v[3] / sqrt(9.0 * inside / 10.0), 1.0, 1e-4);
        near(v[4], 1.0, 1e-7);
        near(v[5] / (3.0 * 1e-5 * sqrt(pi / 0.75) / 10.0), 1.0, 1e-5);
        near(v[6], -1.0, 1e-7);
        near(v[7] / (-pi * 1e-5 / 10.0), 1.0, 1e-5);
        near(v[8], 0.0, 1e-8);
        near(v[9], 1.0, 1e-8);
        near(v[10], 0.5, 1e-8);
        near(v[11], 1.0, 1e-7);
        near(v[12] / (4.0 * pi * 1e-5 / sqrt(0.91) / 10.0), 1.0, 1e-4);
    }
    sweep_lab_close(&lab);
}

// The same by accelerations and reactions, both of which are -cos t: it is above 1 - 1e-6 for
// √2e-6 on both sides of two maxima, and passes -1/2 three times at a speed of √0.75.  Then a pulse
// of height 2 at x = 0.5 that is too narrow for the motion to feel.
static void narrow_pieces_by_accelerations_are_seen(void)
{
    const double pi = acos(-1.0);
    SweepLab lab;
    if (sweep_lab_run(&lab,
                      OSCILLATOR("coord y\nkinetic 1/2*y'^2\npotential 1/2*w^2*x^2\n"
                                 "constraint c: y = x\n"
                                 "output a = if(x'' > 1 - 1e-6, 1, 0)\n"
                                 "output b = exp(-((x'' + 0.5)/1e-5)^2)\n"
                                 "output d = exp(-((reaction(c) + 0.5)/1e-5)^2)\n"
                                 "output e = max(0, reaction(c) - 1 + 1e-6)\n"),
                      NULL,
                      "max(a), mean(a), max(b), mean(b), max(d), mean(d), max(e)")) {
        const double *v = lab.rows[0].values;
        const double mean = 3.0 * 1e-5 * sqrt(pi / 0.75) / 10.0;
        near(v[0], 1.0, 0.0);
        near(v[1] / (4.0 * sqrt(2e-6) / 10.0), 1.0, 1e-4);
        near(v[2], 1.0, 1e-6);
        near(v[3] / mean, 1.0, 1e-4);
        near(v[4], 1.0, 1e-6);
        near(v[5] / mean, 1.0, 1e-4);
        near(v[6], 1e-6, 1e-10);
    }
    sweep_lab_close(&lab);
    if (sweep_lab_run(&lab, OSCILLATOR("force x = 2*exp(-((x - 0.5)/1e-9)^2)\n"), NULL,
                      "max(x''), max(x)")) {
        near(lab.rows[0].values[0], 1.5,
             1e-2); // the steps of the motion do not end there
        near(lab.rows[0].values[1], 1.0, 1e-8);
    }
    sweep_lab_close(&lab);
}

// An output that changes more often than anyone can follow does not hold the run up.
static void outputs_without_end_end(void)
{
    SweepLab lab;
    if (sweep_lab_run(&lab,
                      OSCILLATOR("output a = mod(1e9*t, 1)\n"
                                 "output b = if(x^2 + x'^2 > 1, 1, 0)\n"),
                      NULL, "mean(a), max(a), max(b)")) {
        const double *v = lab.rows[0].values;
        near(v[0], 0.5, 0.1);
        ok(v[1] > 0.9 && v[1] <= 1.0);
        ok(v[2] == 0.0 || v[2] == 1.0);
    }
    sweep_lab_close(&lab);
}

// A ball that is thrown up, bounces with half the speed, and stops when it has come down
// again: heights v²/2g.
static void jumps_have_two_sides(void)
{
    static const char ball[] = "param v = 4\n"
                               "coord y\n"
                               "kinetic 1/2*y'^2\n"
                               "potential 8*y\n"
                               "init y = 0, y' = v\n"
                               "simulate 0 .. 10 every 1\n"
                               "event top: y' falling set y' = 0\n"
                               "event hit: y falling set y' = -y'/2\n"
                               "event late: t - 1.4 rising stop\n"
                               "event never: y - 100 rising stop\n";
    SweepLab lab;
    if (sweep_lab_run(&lab, ball, NULL,
                      "when(*), max(y'), min(y'), max(y), final(t), mean(y')")) {
        const double *v = lab.rows[0].values;
        near(v[0], 0.5, 1e-9);
        near(v[1], 1.0, 1e-9);
        near(v[2], 1.4, 1e-9);
        ok(isnan(v[3]));
        near(v[4], 4.0, 1e-9);
        near(v[5], -4.0, 1e-9); // just before it hits
        near(v[6], 1.0, 1e-9);
        near(v[7], 1.4, 1e-9);
        near(v[8], (2.0 * 0.4 - 4.0 * 0.4 * 0.4) / 1.4, 1e-8); // its height in the end
    }
    sweep_lab_close(&lab);
}

// What else is kept makes no difference.
static void ends_are_the_same_bits(void)
{
    SweepLab with;
    SweepLab without;
    if (sweep_lab_run(&with, OSCILLATOR(""), "w = 1 .. 2 count 20", "max(x), final(*)")
        && sweep_lab_run(&without, OSCILLATOR(""), "w = 1 .. 2 count 20", "final(*)")) {
        for (int i = 0; i < 20; i++) {
            ok(memcmp(with.rows[i].values + 1, without.rows[i].values,
                      3 * sizeof(double))
               == 0);
        }
    }
    sweep_lab_close(&with);
    sweep_lab_close(&without);
}

// Two cranks and a rod, which lie on a line twice in each swing: there the rod has no say in how
// they turn, and near it rounding is magnified by the cube of one over the distance.  With cos a
// and sin a the first mass, a'' = -(g + F/(1 + m)) cos a.
#define PARALLELOGRAM(more)                                              \
    "param D = 2, F = 5, a0 = 1, m = 3\n"                                \
    "coord x1, y1, x2, y2\n"                                             \
    "kinetic 1/2*(x1'^2 + y1'^2) + 1/2*m*(x2'^2 + y2'^2)\n"              \
    "potential 9.81*(y1 + m*y2)\n"                                       \
    "force y1 = -F\n"                                                    \
    "constraint left: x1^2 + y1^2 = 1\n"                                 \
    "constraint right: (x2 - D)^2 + y2^2 = 1\n"                          \
    "constraint rod: (x2 - x1)^2 + (y2 - y1)^2 = D^2\n"                  \
    "init x1 = cos(a0), y1 = sin(a0), x2 ~ D + cos(a0), y2 ~ sin(a0)\n"  \
    "output off = y1'' + (9.81 + F/(1 + m))*x1^2 + (x1'^2 + y1'^2)*y1\n" \
    "output pull = cforce(x2) + m*(x2'^2 + y2'^2)*(x2 - D) "             \
    "+ m*(9.81 + F/(1 + m))*y2*(x2 - D)*(-1)\n" more

static void accelerations_are_known_where_rank_is_lost(void)
{
    static const char vary[] = "a0 = 0.3 .. 1.2 count 12";
    SweepLab with;
    SweepLab without;
    if (sweep_lab_run(&with, PARALLELOGRAM("simulate 0 .. 3 every 3\n"), vary,
                      "max(off), min(off), mean(off), max(pull), min(pull), final(*)")
        && sweep_lab_run(&without, PARALLELOGRAM("simulate 0 .. 3 every 3\n"), vary,
                         "final(*)")) {
        for (int i = 0; i < 12; i++) {
            ok(with.rows[i].status == KAL_OK);
            for (int k = 0; k < 5; k++) {
                near(with.rows[i].values[k], 0.0, 1e-6);
            }
            ok(memcmp(with.rows[i].values + 5, without.rows[i].values,
                      11 * sizeof(double))
               == 0);
        }
    }
    sweep_lab_close(&with);
    sweep_lab_close(&without);
}

static void end_at_once(void *user, KalRunOptions *options)
{
    (void)user;
    options->until = options->from;
}

static void a_run_of_no_time_has_values(void)
{
    static const char still[] = "coord x\nkinetic 1/2*x'^2\ninit x = -2\n"
                                "simulate 1 .. 2 every 1\n";
    const KalSweepOptions options = {
        .keep = "max(x), min(x), mean(x), rms(x), final(t)", .adjust = end_at_once};
    SweepLab lab;
    ok(sweep_lab_open(&lab, still, -1) == KAL_OK);
    ok(sweep_lab_plan(&lab, options) == KAL_OK);
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    const double *v = lab.rows[0].values;
    ok(v[0] == -2.0 && v[1] == -2.0 && v[2] == -2.0 && v[3] == 2.0 && v[4] == 1.0);
    sweep_lab_close(&lab);
}

static void columns_have_names_and_units(void)
{
    static const char model[] = "param m = 1 [kg], F = 1 [N]\ncoord x [m], y [m]\n"
                                "kinetic 1/2*m*(x'^2 + y'^2)\n"
                                "constraint rod: x^2 + y^2 = 1.0\npotential F*y\n"
                                "init x = 1, y = 0\noutput h [m] = y\n"
                                "simulate 0 .. 1 every 1\n";
    static const char *const names[] = {"final(t)",          "final(x)",  "final(y)",
                                        "final(x')",         "final(y')", "final(h)",
                                        "max(reaction(rod))"};
    static const char *const units[] = {"s", "m", "m", "m/s", "m/s", "m", ""};
    SweepLab lab;
    if (sweep_lab_run(&lab, model, NULL, " final( * ) ,max(reaction(*)),final(x)")) {
        ok(kal_sweep_kept(lab.sweep) == 7);
        for (size_t i = 0; i < 7; i++) {
            ok(strcmp(kal_sweep_value(lab.sweep, i).name, names[i]) == 0);
            ok(strcmp(kal_sweep_value(lab.sweep, i).unit, units[i]) == 0);
        }
    }
    sweep_lab_close(&lab);
}

static void wrong_wishes_are_refused(void)
{
    static const char *const keeps[] = {
        "",         "x",       "final",     "final(",
        "final()",  "top(x)",  "final(x),", "final(x) max(x)",
        "final(z)", "when(x)", "final(x))"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, OSCILLATOR(""), -1) == KAL_OK);
    for (size_t i = 0; i < sizeof keeps / sizeof keeps[0]; i++) {
        ok(sweep_lab_plan(&lab, (KalSweepOptions){.keep = keeps[i]}) == KAL_ERR_USAGE);
    }
    sweep_lab_close(&lab);
}

TAP_RUN(TAP_CASE(extremes_lie_between_samples), TAP_CASE(means_weigh_by_time),
        TAP_CASE(quick_outputs_are_seen),
        TAP_CASE(narrow_pieces_and_peaks_of_outputs_are_seen),
        TAP_CASE(narrow_pieces_by_accelerations_are_seen),
        TAP_CASE(outputs_without_end_end), TAP_CASE(jumps_have_two_sides),
        TAP_CASE(ends_are_the_same_bits),
        TAP_CASE(accelerations_are_known_where_rank_is_lost),
        TAP_CASE(a_run_of_no_time_has_values), TAP_CASE(columns_have_names_and_units),
        TAP_CASE(wrong_wishes_are_refused))
