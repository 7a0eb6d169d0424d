// SPDX-License-Identifier: MIT

// Equilibria, families and steady motions against what is known of them.

#include "lab.h"

static KalEquilibria search(Lab *lab, const char *text, KalEquilibriumOptions options)
{
    KalEquilibria found = {.count = 0};
    if (lab_at(lab, text, "", NULL)) {
        (void)lab_good(lab, kal_analysis_equilibria(lab->analysis, &options, &found));
    }
    return found;
}

// The one whose first coordinate is near a value; NULL if there is none.
static const KalEquilibrium *find(const KalEquilibria *found, int i, double q)
{
    for (int k = 0; k < found->count; k++) {
        if (fabs(found->list[k].q[i] - q) < 1e-9) {
            return &found->list[k];
        }
    }
    return NULL;
}

static void a_pendulum_hangs_or_stands(void)
{
    Lab lab;
    const KalEquilibria found =
        search(&lab,
               "param g = 9.81, L = 2, m = 3\ncoord x, y\n"
               "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
               "constraint rod: x^2 + y^2 = L^2\ninit x = 1, y ~ -1\n",
               (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 2 && found.starts == 31);
    const KalEquilibrium *low = find(&found, 1, -2.0);
    const KalEquilibrium *high = find(&found, 1, 2.0);
    if (ok(low && high)) {
        ok(low->stability == KAL_STABILITY_STABLE && low->family == 0);
        ok(high->stability == KAL_STABILITY_UNSTABLE);
        near(low->q[0], 0.0, 0.0);
        near(low->qd[0], 0.0, 0.0);
        near(low->force[1], 3.0 * 9.81, 1e-12);
        near(low->multipliers[0], -3.0 * 9.81 / 4.0, 1e-12);
        near(high->multipliers[0], 3.0 * 9.81 / 4.0, 1e-12);
        near(low->potential, -3.0 * 9.81 * 2.0, 1e-12);
    }
    ok(kal_analysis_go(lab.analysis, 1) == KAL_OK);
    near(kal_instant_q(kal_analysis_instant(lab.analysis))[1], found.list[0].q[1], 0.0);
    ok(kal_analysis_go(lab.analysis, 3) == KAL_ERR_USAGE);
    lab_close(&lab);
}

// All four of a double pendulum, whatever the seed.
static void a_double_pendulum_has_four(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        Lab lab;
        const KalEquilibria found = search(
            &lab,
            "coord x1, y1, x2, y2\nkinetic 1/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)\n"
            "potential 9.81*(y1 + y2)\nconstraint a: x1^2 + y1^2 = 1\n"
            "constraint b: (x2 - x1)^2 + (y2 - y1)^2 = 4\n"
            "constraint c: 2*x1^2 + 2*y1^2 = 2\ninit x1 = 0.6, y1 ~ -0.8, y2 ~ -2\n",
            (KalEquilibriumOptions){.seed = seed, .starts = 60});
        int stable = 0;
        for (int k = 0; k < found.count; k++) {
            stable += found.list[k].stability == KAL_STABILITY_STABLE;
            near(fabs(found.list[k].q[1]), 1.0, 1e-12);
        }
        ok(found.count == 4 && stable == 1);
        ok(find(&found, 3, -3.0) && find(&found, 3, 3.0) && find(&found, 3, 1.0)
           && find(&found, 3, -1.0));
        lab_close(&lab);
    }
}

static void angles_count_once_if_they_are_periodic(void)
{
    static const char pendulum[] = "param k = 1\ncoord th [rad]\nkinetic k/2*th'^2\n"
                                   "potential -k*cos(th)\ninit th = 7\n";
    Lab lab;
    KalEquilibria found = search(&lab, pendulum, (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 2 && find(&found, 0, 0.0) && find(&found, 0, acos(-1.0)));
    lab_close(&lab);
    found =
        search(&lab, pendulum, (KalEquilibriumOptions){.where = "th = 2*pi .. 4*pi"});
    ok(find(&found, 0, 2.0 * acos(-1.0)) && find(&found, 0, 3.0 * acos(-1.0)));
    lab_close(&lab);
    found = search(&lab,
                   "param k = 1\ncoord th [rad]\nkinetic k/2*th'^2\n"
                   "potential k*(th - 8)^2\n",
                   (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 1 && find(&found, 0, 8.0));
    lab_close(&lab);
}

static void bounds_choose(void)
{
    static const char text[] = "coord x\nkinetic 1/2*x'^2\npotential x^4 - 2*x^2\n"
                               "dissipation x'^2\ninit x = 0.3\n";
    Lab lab;
    KalEquilibria found = search(&lab, text, (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 3);
    const KalEquilibrium *middle = find(&found, 0, 0.0);
    const KalEquilibrium *right = find(&found, 0, 1.0);
    ok(middle && middle->stability == KAL_STABILITY_UNSTABLE);
    ok(right && right->stability == KAL_STABILITY_STABLE && right->decays);
    lab_close(&lab);
    found = search(&lab, text, (KalEquilibriumOptions){.where = "x = 0.5 .. 1 + 1"});
    ok(found.count == 1 && find(&found, 0, 1.0));
    lab_close(&lab);
}

static void families_are_told_from_flat_places(void)
{
    Lab lab;
    // A circle of equilibria, and its middle.
    KalEquilibria found = search(&lab,
                                 "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                                 "potential (x^2 + y^2 - 1)^2\n"
                                 "dissipation x'^2 + y'^2\ninit x = 1\n",
                                 (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 2 && found.list[0].family == 1);
    ok(found.list[0].stability == KAL_STABILITY_STABLE && found.list[0].decays);
    lab_close(&lab);
    // Flat to third order, but alone.
    found = search(&lab, "coord x\nkinetic 1/2*x'^2\npotential x^4\ndissipation x'^2\n",
                   (KalEquilibriumOptions){.starts = 1});
    ok(found.count == 1 && found.list[0].family == 0);
    ok(found.list[0].stability == KAL_STABILITY_MARGINAL);
    has_text(found.list[0].reason, "nonlinear");
    lab_close(&lab);
    // Two lines that are not connected.
    found = search(&lab,
                   "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential (x^2 - 1)^2\n"
                   "dissipation x'^2\ninit x = 1\n",
                   (KalEquilibriumOptions){.where = "x = 0.5 .. 2, y = -1 .. 1"});
    ok(found.count == 1 && found.list[0].family == 1);
    lab_close(&lab);
}

static const char sleigh[] =
    "param m = 1, I = 0.2, b = 0.3\ncoord x, y, theta\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
    "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n"
    "init x = 0, y = 0, theta = 0, x' = 1, y' ~ 0, theta' = 2\n";

static void a_sleigh_rests_anywhere_and_glides_on_a_line(void)
{
    Lab lab;
    KalEquilibria found = search(&lab, sleigh, (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 1 && found.list[0].family == 3);
    near(found.list[0].qd[0], 0.0, 0.0);
    lab_close(&lab);
    found = search(&lab, sleigh, (KalEquilibriumOptions){.steady = true});
    ok(found.count == 1 && found.starts == 1);
    if (found.count == 1) {
        ok(found.list[0].family == 1);
        ok(found.list[0].stability == KAL_STABILITY_STABLE);
        near(found.list[0].qd[0], 1.0, 1e-9); // as fast as the start
        near(found.list[0].qd[2], 0.0, 0.0);
    }
    lab_close(&lab);
}

// Precession keeps its speeds: the lean follows from them.
static void a_top_precesses(void)
{
    Lab lab;
    const KalEquilibria found =
        search(&lab,
               "param A = 2.4e-3, C = 4e-4, mgl = 0.2943\n"
               "coord phi [rad], theta [rad], psi [rad]\n"
               "kinetic 1/2*A*(theta'^2 + phi'^2*sin(theta)^2) + "
               "1/2*C*(psi' + phi'*cos(theta))^2\npotential mgl*cos(theta)\n"
               "init theta = 0.8, phi' = 6, psi' = 140\n",
               (KalEquilibriumOptions){.steady = true});
    ok(found.count == 1);
    if (found.count == 1) {
        const double p = found.list[0].qd[0];
        const double s = found.list[0].qd[2];
        const double c = cos(found.list[0].q[1]);
        near(p, 6.0, 0.0);
        near(s, 140.0, 0.0);
        near((2.4e-3 - 4e-4) * p * p * c - 4e-4 * p * s + 0.2943, 0.0, 1e-13);
        ok(found.list[0].family == 2);
    }
    lab_close(&lab);
}

// A wheel that rolls, x' = R th', on a spring: how far it has turned at rest is its past.
static void families_go_through_all_leaves(void)
{
    Lab lab;
    const KalEquilibria found =
        search(&lab,
               "coord x, th\nkinetic 1/2*(x'^2 + th'^2)\npotential (x - 2)^2\n"
               "dissipation x'^2\nconstraint roll: x' = 0.5*th'\n",
               (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 1 && find(&found, 0, 2.0) && found.list[0].family == 1);
    ok(found.list[0].stability == KAL_STABILITY_STABLE && found.list[0].decays);
    lab_close(&lab);
}

static void what_is_not_there_is_not_found(void)
{
    Lab lab;
    KalEquilibria found = search(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = 1 + x^2\n",
                                 (KalEquilibriumOptions){.starts = 0});
    ok(found.count == 0 && found.arrived == 0 && found.starts == 31);
    lab_close(&lab);
    found =
        search(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint v: x' = 1\n",
               (KalEquilibriumOptions){.starts = 5});
    ok(found.count == 0);
    lab_close(&lab);
}

static KalEquilibria search_potential(Lab *lab, const char *potential, bool beside)
{
    char text[400];
    snprintf(text, sizeof text,
             "coord x, y\nkinetic 1/2*(x'^2 + %s)\npotential %s + %s\n"
             "init x = 1, y = 0.3\n",
             beside ? "y'^2" : "9*y'^2", potential, beside ? "3*y^2" : "50*(x - y)^2");
    return search(lab, text, (KalEquilibriumOptions){.starts = 0});
}

// A force that only decays is zero nowhere, however small it gets; alone, beside a spring
// and coupled to one.
static void decaying_forces_have_no_equilibria(void)
{
    static const char *const potentials[] = {
        "exp(-x)", "1e8*exp(-x)", "1e-30*exp(-x)", "-1/x",         "1/x",
        "tanh(x)", "atan(x)",     "log(x)",        "exp(-exp(x))", "-1/x^3"};
    for (size_t k = 0; k < sizeof potentials / sizeof potentials[0]; k++) {
        char text[200];
        Lab lab;
        snprintf(text, sizeof text,
                 "coord x\nkinetic 1/2*x'^2\npotential %s\ninit x = 1\n",
                 potentials[k]);
        const KalEquilibria alone =
            search(&lab, text, (KalEquilibriumOptions){.starts = 0});
        ok(alone.count == 0 && alone.arrived == 0 && alone.starts == 31);
        lab_close(&lab);
        const KalEquilibria beside = search_potential(&lab, potentials[k], true);
        ok(beside.count == 0);
        lab_close(&lab);
    }
    for (int k = 0; k < 2; k++) {
        Lab lab;
        const KalEquilibria coupled =
            search_potential(&lab, k == 0 ? "exp(-x)" : "tanh(x)", false);
        ok(coupled.count == 0);
        lab_close(&lab);
    }
}

// Wells that end in a plain: what is there is found, and nothing on the plain.
static void wells_have_what_they_have(void)
{
    Lab lab;
    KalEquilibria found = search_potential(&lab, "(1 - exp(-x))^2", true); // Morse
    ok(found.count == 1 && find(&found, 0, 0.0));
    lab_close(&lab);
    found = search_potential(&lab, "4*(1/x^12 - 1/x^6)", true); // Lennard-Jones
    ok(found.count == 2 && find(&found, 0, pow(2.0, 1.0 / 6.0)));
    ok(find(&found, 0, -pow(2.0, 1.0 / 6.0)) != NULL);
    lab_close(&lab);
    found = search_potential(&lab, "exp(-x^2)", true);
    ok(found.count == 1 && find(&found, 0, 0.0));
    lab_close(&lab);
    found = search_potential(&lab, "x^2*exp(-x)", true);
    ok(found.count == 2 && find(&found, 0, 0.0) && find(&found, 0, 2.0));
    lab_close(&lab);
}

// Zeros of higher order are found where they are, once.
static void flat_zeros_are_found(void)
{
    static const char *const potentials[] = {"x^3", "x^4", "x^6", "x^10", "x^18"};
    for (size_t k = 0; k < sizeof potentials / sizeof potentials[0]; k++) {
        char text[200];
        Lab lab;
        snprintf(text, sizeof text,
                 "coord x\nkinetic 1/2*x'^2\npotential %s\ninit x = 1\n",
                 potentials[k]);
        const KalEquilibria found =
            search(&lab, text, (KalEquilibriumOptions){.starts = 0});
        ok(found.count == 1 && found.arrived == 31 && find(&found, 0, 0.0));
        ok(found.count == 1 && found.list[0].stability == KAL_STABILITY_MARGINAL
           && found.list[0].family == 0);
        lab_close(&lab);
    }
}

// Forces and slopes of which the squares have no value: 2 s (x - 3) + s y and s x + 2 s y are
// zero in (4, -2) for every s.
static void no_size_is_too_large_or_small(void)
{
    static const char *const sizes[] = {"1e-160", "1e-200", "1e155", "1e200"};
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        const char *size = sizes[k / 2];
        char text[200];
        Lab lab;
        snprintf(text, sizeof text,
                 "param s = %s\ncoord x, y\nkinetic 1/2*%s*(x'^2 + y'^2)\n"
                 "potential s*((x - 3)^2 + x*y + y^2)\ninit x = 1\n",
                 size, k % 2 == 0 ? "s" : "1");
        const KalEquilibria found =
            search(&lab, text, (KalEquilibriumOptions){.starts = 0});
        ok(found.count == 1 && find(&found, 0, 4.0) && find(&found, 1, -2.0));
        ok(found.count == 1 && found.list[0].stability == KAL_STABILITY_STABLE);
        lab_close(&lab);
    }
}

static void wrong_searches_are_refused(void)
{
    static const char *const bounds[] = {"x = 1",      "y = 0 .. 1", "x = 2 .. 1",
                                         "t = 0 .. 1", "x 0 .. 1",   "x = 0 .. "};
    Lab lab;
    KalEquilibria found;
    if (!lab_at(&lab, "coord x\nkinetic 1/2*x'^2\npotential x^2\n", "", NULL)) {
        return;
    }
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        const KalEquilibriumOptions options = {.where = bounds[k]};
        ok(kal_analysis_equilibria(lab.analysis, &options, &found) == KAL_ERR_SYNTAX);
    }
    const KalEquilibriumOptions many = {.starts = -1};
    ok(kal_analysis_equilibria(lab.analysis, &many, &found) == KAL_ERR_USAGE);
    lab_close(&lab);
    if (lab_at(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = sin(t)\n", "", NULL)) {
        const KalEquilibriumOptions options = {.starts = 1};
        ok(kal_analysis_equilibria(lab.analysis, &options, &found) == KAL_ERR_USAGE);
        has_text(kal_context_message(lab.ctx), "time");
        lab_close(&lab);
    }
}

static void all_allocations_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 0; status == KAL_ERR_NOMEM && calls < 100000;
         calls = fault_next(calls)) {
        Lab lab;
        KalEquilibria found;
        const KalEquilibriumOptions options = {
            .starts = 2, .steady = true, .where = "x = -1 .. 1"};
        if (!lab_at(&lab, sleigh, "", NULL)) {
            return;
        }
        lab.fault.calls_left = calls;
        status = kal_analysis_equilibria(lab.analysis, &options, &found);
        lab.fault.calls_left = -1;
        lab_close(&lab);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(a_pendulum_hangs_or_stands), TAP_CASE(a_double_pendulum_has_four),
        TAP_CASE(angles_count_once_if_they_are_periodic), TAP_CASE(bounds_choose),
        TAP_CASE(families_are_told_from_flat_places),
        TAP_CASE(a_sleigh_rests_anywhere_and_glides_on_a_line),
        TAP_CASE(a_top_precesses), TAP_CASE(families_go_through_all_leaves),
        TAP_CASE(what_is_not_there_is_not_found),
        TAP_CASE(decaying_forces_have_no_equilibria),
        TAP_CASE(wells_have_what_they_have), TAP_CASE(flat_zeros_are_found),
        TAP_CASE(no_size_is_too_large_or_small), TAP_CASE(wrong_searches_are_refused),
        TAP_CASE(all_allocations_may_fail))
