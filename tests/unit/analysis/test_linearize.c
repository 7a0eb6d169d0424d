// SPDX-License-Identifier: MIT

// States, matrices, inputs and failures of linearizations.

#include "lab.h"

static KalLinearization linearize(Lab *lab)
{
    KalLinearization l = {.n_states = 0};
    (void)lab_good(lab, kal_analysis_linearize(lab->analysis, &l));
    return l;
}

static void states_are_named_and_few(void)
{
    Lab lab;
    if (!lab_at(&lab,
                "coord x [m], y [m], th [rad]\n"
                "kinetic 0.5*(x'^2 + y'^2) + 0.1*th'^2\npotential 9.81*y\n"
                "constraint px: x = 2.0*sin(th)\nconstraint py: y = -2.0*cos(th)\n"
                "constraint more: x^2 + y^2 = 4.0\n",
                NULL, NULL)) {
        return;
    }
    const KalLinearization l = linearize(&lab);
    ok(l.n_states == 2 && l.n_positions == 1 && l.n_inputs == 0);
    same_text(l.states[0], "th");
    same_text(l.states[1], "th'");
    near(l.A[0], 0.0, 0.0);
    near(l.A[1], 1.0, 0.0);
    near(l.A[2], -2.0 * 9.81 / 4.2, 1e-14);
    near(l.A[3], 0.0, 0.0);
    near(l.tangent[0], 2.0, 1e-15); // x follows th
    near(l.tangent[2], 1.0, 0.0);
    near(l.tangent[3], 0.0, 0.0); // x' does not at rest
    near(l.tangent[6 + 3], 2.0, 1e-15);
    lab_close(&lab);
}

// x' = R th' leaves one freedom of the configuration, for it is x = R th in disguise.
static void disguised_constraints_count(void)
{
    Lab lab;
    if (!lab_at(&lab,
                "coord x, th\nkinetic 1/2*(x'^2 + th'^2)\n"
                "constraint roll: x' = 0.5*th'\npotential x^2\n",
                NULL, NULL)) {
        return;
    }
    const KalLinearization l = linearize(&lab);
    ok(l.n_states == 2 && l.at_rest);
    lab_close(&lab);
}

// A spring of 1e200 is a spring, whatever the mass on it.
static void no_slope_is_too_steep(void)
{
    static const char *const masses[] = {"1", "1e200"};
    for (int k = 0; k < 2; k++) {
        char text[100];
        Lab lab;
        snprintf(text, sizeof text,
                 "coord x\nkinetic 1/2*%s*x'^2\npotential 1e200*x^2\n", masses[k]);
        if (!lab_at(&lab, text, "", "x = 1")) {
            return;
        }
        const KalLinearization l = linearize(&lab);
        const double rate = k == 0 ? -2e200 : -2.0;
        ok(!l.at_rest);
        near(l.A[2] / rate, 1.0, 1e-15);
        lab_close(&lab);
    }
}

// A cart, pushed by u, that carries a pendulum whose length is an input too.
static const char crane[] =
    "param M = 4, m = 1, g = 10, L = 2, L2 = 2*L, fixed = L\n"
    "coord X, x, y\nkinetic 1/2*M*X'^2 + 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
    "constraint rope: (x - X)^2 + y^2 = L2^2/4\nactuator u: X'\n"
    "output angle = (x - X)/L, tension = -2*L*reaction(rope), up = cforce(y)\n"
    "output push = control(u), fast = X''\ninit y ~ -2\n";

static void inputs_are_actuators_and_parameters(void)
{
    Lab lab;
    if (!lab_at(&lab, crane, "u, m, L", NULL)) {
        return;
    }
    const KalLinearization l = linearize(&lab);
    ok(l.n_states == 4 && l.n_inputs == 3 && l.n_outputs == 5);
    same_text(l.inputs[2], "L");
    same_text(l.states[0], "X");
    same_text(l.states[1], "x");
    // M X'' = m g (x − X)/L + u,  m x'' = −m g (x − X)/L
    near(l.A[2 * 4 + 1], 10.0 / 8.0, 1e-14);
    near(l.A[2 * 4 + 0], -10.0 / 8.0, 1e-14);
    near(l.A[3 * 4 + 1], -5.0, 1e-14);
    near(l.B[2 * 3 + 0], 0.25, 1e-15);
    near(l.B[3 * 3 + 0], 0.0, 1e-15);
    near(l.B[2 * 3 + 1], 0.0, 1e-15);
    near(l.C[0 * 4 + 1], 0.5, 1e-15);  // angle of x
    near(l.C[1 * 4 + 1], 0.0, 1e-14);  // tension is even
    near(l.D[1 * 3 + 1], 10.0, 1e-13); // tension is m g
    near(l.D[1 * 3 + 2], 0.0, 1e-13);  // for any length
    near(l.D[2 * 3 + 1], 10.0, 1e-13); // the force on y too
    near(l.D[3 * 3 + 0], 1.0, 0.0);
    near(l.D[4 * 3 + 0], 0.25, 1e-15);
    near(l.C[4 * 4 + 1], 1.25, 1e-14);
    lab_close(&lab);
}

// Parameters that follow others move with them, those that were overridden do not.
static void parameters_follow_parameters(void)
{
    static const char text[] = "param a = 2, b = a^2\ncoord x\nkinetic 1/2*x'^2\n"
                               "force x = b\n";
    static const KalOverride override = {"b", "7"};
    for (int given = 0; given < 2; given++) {
        Lab lab;
        KalLinearization l;
        ok(lab_open_with(&lab, text, "a", &override, (size_t)given));
        (void)lab_good(&lab, kal_analysis_place(lab.analysis, NULL, NULL));
        (void)lab_good(&lab, kal_analysis_linearize(lab.analysis, &l));
        near(l.B[1], given ? 0.0 : 4.0, 0.0);
        lab_close(&lab);
    }
}

static void inputs_that_are_none_are_refused(void)
{
    static const char *const cases[][2] = {
        {"fixd",    "did you mean 'fixed'"},
        {"u, m, u", "twice"               },
        {"zzz",     "no actuator"         }
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Lab lab;
        ok(!lab_open(&lab, crane, cases[k][0]));
        has_text(kal_context_message(lab.ctx), cases[k][1]);
        lab_close(&lab);
    }
    Lab lab;
    ok(!lab_open(&lab, "param n = 2\ncoord x[n]\nkinetic 1/2*(x[1]'^2 + x[2]'^2)\n",
                 "n"));
    has_text(kal_context_message(lab.ctx), "structure");
    lab_close(&lab);
}

// Redundant constraints that only one of depends on the input come apart.
static void inputs_must_not_tear_constraints_apart(void)
{
    Lab lab;
    KalLinearization l;
    if (!lab_at(&lab,
                "param L = 1, K = 1\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                "potential 9.81*y\nconstraint a: x^2 + y^2 = L^2\n"
                "constraint b: x^2 + y^2 = K^2\ninit y ~ -1\n",
                "L", NULL)) {
        return;
    }
    ok(kal_analysis_linearize(lab.analysis, &l) == KAL_ERR_CONTRADICTION);
    has_text(kal_context_message(lab.ctx), "contradict");
    lab_close(&lab);
}

static void outputs_that_are_not_unique_are_not_given(void)
{
    Lab lab;
    if (!lab_at(&lab,
                "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                "constraint a: y = x^2\nconstraint b: 2*y = 2*x^2\n"
                "output r = reaction(a), f = cforce(y), none = 1/x\n",
                NULL, NULL)) {
        return;
    }
    const KalLinearization l = linearize(&lab);
    ok(isnan(l.C[0]) && isnan(l.C[1]));
    near(l.C[2], 0.0, 1e-15);
    ok(isnan(l.C[4]));
    lab_close(&lab);
}

// As they are; how far off they are is told, of positions first.
static void states_are_taken_as_they_are(void)
{
    static const char text[] = "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "constraint rod: x^2 + y^2 = 25\ninit x = 5, y = 0\n";
    Lab lab;
    KalMisfit misfit;
    if (!lab_at(&lab, text, NULL, NULL)) {
        return;
    }
    KalInstant *instant = kal_analysis_instant(lab.analysis);
    ok(kal_analysis_place(lab.analysis, "x = 3, y = 4", &misfit) == KAL_OK);
    ok(misfit.count == 0 && !misfit.constraint);
    ok(kal_analysis_place(lab.analysis, "y = 4, x' = 1", &misfit) == KAL_OK);
    ok(misfit.count == 1 && !misfit.velocity);
    same_text(misfit.constraint, "rod");
    near(misfit.off, 16.0, 1e-12);
    near(kal_instant_q(instant)[0], 5.0, 0.0);
    near(kal_instant_q(instant)[1], 4.0, 0.0);
    ok(kal_analysis_place(lab.analysis, "x = 3, y = 4, x' = 1", &misfit) == KAL_OK);
    ok(misfit.count == 1 && misfit.velocity);
    near(misfit.off, 6.0, 1e-12);
    ok(kal_analysis_place(lab.analysis, "z = 1", NULL) == KAL_ERR_SYNTAX);
    ok(kal_analysis_place(lab.analysis, NULL, &misfit) == KAL_OK && misfit.count == 0);
    near(kal_instant_q(instant)[0], 5.0, 0.0);
    lab_close(&lab);
}

// A state that is given whole will do where the model has no start.
static void whole_states_need_no_start(void)
{
    Lab lab;
    ok(lab_open(&lab,
                "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                "constraint rod: x^2 + y^2 = 25\ninit x = 9, y = 0\n",
                NULL));
    ok(kal_analysis_place(lab.analysis, NULL, NULL) == KAL_ERR_CONTRADICTION);
    ok(kal_analysis_place(lab.analysis, "x = 3", NULL) == KAL_ERR_CONTRADICTION);
    ok(kal_analysis_place(lab.analysis, "x = 3, y = 4, x' = 0, y' = 0", NULL)
       == KAL_OK);
    ok(linearize(&lab).n_states == 2);
    lab_close(&lab);
}

static void what_cannot_be_linearized_is_refused(void)
{
    Lab lab;
    KalLinearization l;
    ok(!lab_open(&lab, "coord x\nkinetic 1/2*x'^2\nservo go: x = 1, rate = 2\n", NULL));
    has_text(kal_context_message(lab.ctx), "servo");
    lab_close(&lab);
    if (lab_at(&lab, "coord x, y\nkinetic 1/2*x'^2\n", NULL, NULL)) {
        ok(kal_analysis_linearize(lab.analysis, &l) == KAL_ERR_NOT_UNIQUE);
        has_text(kal_context_message(lab.ctx), "y");
        lab_close(&lab);
    }
    if (lab_at(&lab, "coord x\nkinetic 1/2*x'^2\npotential abs(x)^(3/2)\n", NULL,
               NULL)) {
        ok(kal_analysis_linearize(lab.analysis, &l) == KAL_ERR_NUMBER);
        lab_close(&lab);
    }
}

static void time_and_unrest_are_noted(void)
{
    Lab lab;
    if (lab_at(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = sin(t)\n", NULL, NULL)) {
        const KalLinearization l = linearize(&lab);
        ok(!l.timeless && !l.steady);
        has_text(l.note, "time");
        has_text(l.note, "not an equilibrium");
        lab_close(&lab);
    }
    if (lab_at(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = 3\n", NULL, NULL)) {
        const KalLinearization l = linearize(&lab);
        ok(l.timeless && !l.steady);
        has_text(l.note, "x' changes at the rate 3");
        lab_close(&lab);
    }
}

// Every allocation may fail, and then nothing is left.
static void all_allocations_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 0; status == KAL_ERR_NOMEM && calls < 100000;
         calls = fault_next(calls)) {
        Lab lab = {.fault = {.calls_left = -1}};
        KalModes modes;
        ok(kal_context_create(fault_alloc, &lab.fault, &lab.ctx) == KAL_OK);
        ok(kal_system_load(lab.ctx, "test.kal", crane, strlen(crane), NULL, &lab.system)
           == KAL_OK);
        lab.fault.calls_left = calls;
        status = kal_analysis_create(lab.ctx, lab.system, "u, L", &lab.analysis);
        if (status == KAL_OK) {
            status = kal_analysis_place(lab.analysis, "y = -2", NULL);
        }
        if (status == KAL_OK) {
            status = kal_analysis_modes(lab.analysis, &modes);
        }
        lab.fault.calls_left = -1;
        lab_close(&lab);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(states_are_named_and_few), TAP_CASE(disguised_constraints_count),
        TAP_CASE(no_slope_is_too_steep), TAP_CASE(inputs_are_actuators_and_parameters),
        TAP_CASE(parameters_follow_parameters),
        TAP_CASE(inputs_that_are_none_are_refused),
        TAP_CASE(inputs_must_not_tear_constraints_apart),
        TAP_CASE(outputs_that_are_not_unique_are_not_given),
        TAP_CASE(states_are_taken_as_they_are), TAP_CASE(whole_states_need_no_start),
        TAP_CASE(what_cannot_be_linearized_is_refused),
        TAP_CASE(time_and_unrest_are_noted), TAP_CASE(all_allocations_may_fail))
