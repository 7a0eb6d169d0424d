// SPDX-License-Identifier: MIT

// States, held values and laws against what is known in closed form.

#include "run_lab.h"

#include <math.h>

// A motor: J w' = k i - d w, L i' = U - R i - k w.  With J = 0.01, d = 0.02, k = 0.1, L = 0.5,
// R = 1 both decay at 2 and turn at √2; the end is w = 40, i = 8.
static const char motor[] =
    "coord phi\nkinetic 1/2*0.01*phi'^2\ndissipation 1/2*0.02*phi'^2\n"
    "state i [A]: i' = (12.0 - i - 0.1*phi')/0.5\npower 0.1*i*phi'\n"
    "output slope = i'\nsimulate 0 .. 3 every 0.1\n";

static void motor_at(double t, double *out_w, double *out_i)
{
    const double e = exp(-2.0 * t);
    const double c = cos(sqrt(2.0) * t);
    const double s = sin(sqrt(2.0) * t) / sqrt(2.0);
    *out_w = 40.0 + e * (-40.0 * c - 80.0 * s);
    *out_i = 8.0 + e * (-8.0 * c + 8.0 * s);
}

static void check_motor(Lab *lab, double tolerance)
{
    double w = 0.0;
    double i = 0.0;
    motor_at(kal_run_time(lab->run), &w, &i);
    near(lab_qd(lab, 0), w, tolerance);
    near(kal_instant_states(kal_run_instant(lab->run))[0], i, tolerance);
}

static void a_motor_with_a_circuit_follows_its_formula(void)
{
    Lab lab;
    if (lab_run(&lab, motor)) {
        const double *outputs = NULL;
        check_motor(&lab, 1e-8);
        ok(kal_instant_outputs(kal_run_instant(lab.run), &outputs) == KAL_OK);
        const double i = kal_instant_states(kal_run_instant(lab.run))[0];
        near(outputs[0], (12.0 - i - 0.1 * lab_qd(&lab, 0)) / 0.5, 1e-12);
        ok(kal_run_statistics(lab.run).energy_balance < 1e-8);
        same_text(kal_system_state_names(lab.system)[0], "i");
    }
    lab_close(&lab);
}

static void the_method_for_stiff_systems_knows_states(void)
{
    Lab lab;
    if (lab_load(&lab, motor)) {
        lab.options.method = KAL_METHOD_BDF;
        ok(lab_go(&lab) == KAL_OK);
        check_motor(&lab, 1e-6);
    }
    lab_close(&lab);
}

// The derivatives of states in vectors, by names that are declared later: z'' = -z as two.
static void states_may_use_each_other(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nstate z[2]: z' = [w, -z[1]]\n"
                      "state w: w' = -z[1]\ninit z = [0, 0], w = 1\n"
                      "simulate 0 .. 2 every 1\n")) {
        const double *states = kal_instant_states(kal_run_instant(lab.run));
        near(states[0], sin(2.0), 1e-10);
        near(states[1], cos(2.0) - 1.0, 1e-10);
        near(states[2], cos(2.0), 1e-10);
    }
    lab_close(&lab);
}

// An event may depend on a state, and a kink on where a state goes: i = 1 - e^-t reaches
// 1/2 at log 2, and the force is then 2 instead of 0.
static void events_and_pieces_see_states(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nstate i: i' = 1 - i\n"
                      "force x = if(i > 0.5, 2, 0)\nevent three: i - 0.75 rising stop\n"
                      "simulate 0 .. 2 every 1\n")) {
        const double since = log(4.0) - log(2.0);
        near(kal_run_time(lab.run), log(4.0), 1e-10);
        near(lab_q(&lab, 0), since * since, 1e-10);
        ok(kal_run_statistics(lab.run).switches == 1);
    }
    lab_close(&lab);
}

// A sampled controller of a double integrator is a difference equation:
// x += T v + T²/2 u, v += T u.
static void a_sampled_controller_is_its_difference_equation(void)
{
    Lab lab;
    const double T = 0.1;
    double x = 0.0;
    double v = 0.0;
    double s = 0.0;
    double u = 0.0;
    for (int k = 0; k <= 20; k++) {
        const double e = 1.0 - x;
        u = fmin(fmax(4.0 * e + s - 2.0 * v, -3.0), 3.0);
        s += T * e;
        if (k < 20) {
            x += T * v + 0.5 * T * T * u;
            v += T * u;
        }
    }
    if (lab_run(&lab, "param T = 0.1\ncoord x\nkinetic 1/2*x'^2\n"
                      "hold u every T: 4*(1 - x) + s - 2*x'\n"
                      "hold s every T: s + T*(1 - x)\n"
                      "actuator push: x', law = u, limit = 3\n"
                      "simulate 0 .. 2 every 0.05\n")) {
        const double *holds = kal_instant_holds(kal_run_instant(lab.run));
        near(lab_q(&lab, 0), x, 1e-12);
        near(lab_qd(&lab, 0), v, 1e-12);
        near(fmin(fmax(holds[0], -3.0), 3.0), u, 1e-12);
        near(holds[1], s, 1e-12);
    }
    lab_close(&lab);
}

// Renewals at 0.3 by 0.1 and by 0.3 differ by rounding and are one instant: both use the
// values before.  The start counts, and `init` is the value before it.
static void renewals_at_one_instant_use_the_values_before(void)
{
    Lab lab;
    if (lab_run(&lab,
                "coord x\nkinetic 1/2*x'^2\nhold a every 0.1: a + 1\n"
                "hold b every 0.3: a\ninit a = 10\nsimulate 0 .. 0.95 every 1\n")) {
        const double *holds = kal_instant_holds(kal_run_instant(lab.run));
        ok(holds[0] == 20.0); // at 0, 0.1, …, 0.9
        ok(holds[1] == 19.0); // at 0.9, of the value since 0.8
    }
    lab_close(&lab);
}

// A law in continuous time: x'' = -4 x - 4 x' + integral is linear; the demand is not cut.
static void a_law_is_a_force_and_its_limit_cuts_it(void)
{
    Lab lab;
    if (lab_run(&lab,
                "coord x\nkinetic 1/2*x'^2\nactuator u: x', law = 3 - t, limit = 1\n"
                "output given = control(u), asked = demand(u)\n"
                "simulate 0 .. 5 every 1\n")) {
        // 1 until t = 2, then 3 - t until t = 4, then -1: v = 2 + 0 - 1.
        const double *outputs = NULL;
        near(lab_qd(&lab, 0), 1.0, 1e-11);
        ok(kal_instant_outputs(kal_run_instant(lab.run), &outputs) == KAL_OK);
        near(outputs[0], -1.0, 1e-14);
        near(outputs[1], -2.0, 1e-14);
        ok(kal_run_statistics(lab.run).switches == 2);
    }
    lab_close(&lab);
}

static void refuses(const char *text, const char *message)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_system_load(ctx, "m", text, strlen(text), NULL, &system) != KAL_OK);
    has_text(kal_context_message(ctx), message);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
}

static void mistakes_are_told(void)
{
    refuses("coord x\nkinetic x'^2\nactuator a: x', law = control(b)\n"
            "actuator b: x', law = control(a)\n",
            "needs its own input");
    refuses("coord x\nkinetic x'^2\nstate z: z' = 1 - z'\n", "needs itself");
    refuses("coord x\nkinetic x'^2\nstate z: x' = 1\n", "what its derivative is");
    refuses("coord x\nkinetic x'^2\nhold u every -1: x\n", "has to be positive");
    refuses("coord x\nkinetic x'^2\nstate z: z' = 1\nconstraint c: x = z\n",
            "states cannot be used in a constraint");
    refuses("coord x\nkinetic x'^2\nactuator u: x'\noutput d = demand(u)\n", "a law");
    refuses("coord x\nkinetic x'^2\nactuator u: x', law = 1, weight = 2\n", "weight");
    refuses("coord x [m]\nkinetic x'^2\nstate z [A]: z' = 2 [m]\n", "m");
    refuses("coord x\nkinetic x'^2\nstate z: z' = y\n", "y");
}

// Every allocation may fail; nothing is left behind.
static void memory_may_end(void)
{
    Lab lab = {.fault = {.calls_left = -1}};
    bool done = false;
    for (long k = 0; !done && k < 100000; k += 7) {
        lab.fault = (Fault){.calls_left = k};
        lab.run = NULL;
        lab.system = NULL;
        lab.ctx = NULL;
        KalStatus status = kal_context_create(fault_alloc, &lab.fault, &lab.ctx);
        if (status == KAL_OK) {
            const KalLoadOptions options = {.stiff = true, .balance = true};
            static const char text[] =
                "coord x\nkinetic 1/2*x'^2\nstate z: z' = u - z\nhold u every 0.5: x\n"
                "actuator f: x', law = z, limit = 1\nsimulate 0 .. 1 every 1\n";
            status = kal_system_load(lab.ctx, "m", text, sizeof text - 1, &options,
                                     &lab.system);
        }
        if (status == KAL_OK) {
            lab.options = kal_run_options(lab.system);
            status = lab_go(&lab);
        }
        done = status == KAL_OK;
        ok(done || status == KAL_ERR_NOMEM);
        lab.fault.calls_left = -1;
        lab_close(&lab);
    }
    ok(done);
}

// Renewals that are closer than any step, but not the same instant, follow each other; those that
// differ by rounding are one.
static void renewals_that_are_close_are_two(void)
{
    static const double periods[] = {0.1000000001, 0.1000000000001, 0.1};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        char text[300];
        Lab lab;
        (void)snprintf(text, sizeof text,
                       "coord x\nkinetic 1/2*x'^2\nhold a every 0.1: a + 1\n"
                       "hold b every %.17g: a\nforce x = b\n"
                       "simulate 0 .. 0.15 every 0.01\n",
                       periods[i]);
        if (lab_run(&lab, text)) {
            near(lab_qd(&lab, 0), 0.05 * (i < 2 ? 2.0 : 1.0), 1e-9);
        }
        lab_close(&lab);
    }
}

// |u| of an input u = t - 1, by a law or by a servo, in every function that chooses and in a
// table: its integral over 0 .. 2 is 1.
static void pieces_of_inputs_are_followed(void)
{
    static const char *const inputs[] = {
        "actuator u: x', law = t - 1\n",
        "actuator u: x'\nservo s: x = t^3/6 - t^2/2, rate = 1\n"};
    static const char *const sizes[] = {"abs(control(u))",
                                        "max(control(u), -control(u))",
                                        "control(u)*sign(control(u))",
                                        "if(control(u) > 0, control(u), -control(u))",
                                        "f(control(u))",
                                        "control(u)*(1 + 2*floor(control(u)/2))"};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char text[300];
            Lab lab;
            (void)snprintf(text, sizeof text,
                           "table f = [-2, 0, 2], [2, 0, 2], method = linear\n"
                           "coord x\nkinetic 1/2*x'^2\n%sstate i: i' = %s\n"
                           "simulate 0 .. 2 every 0.1\n",
                           inputs[i], sizes[k]);
            if (lab_run(&lab, text)) {
                near(kal_instant_states(kal_run_instant(lab.run))[0], 1.0, 1e-9);
            }
            lab_close(&lab);
        }
    }
}

TAP_RUN(TAP_CASE(pieces_of_inputs_are_followed),
        TAP_CASE(renewals_that_are_close_are_two),
        TAP_CASE(a_motor_with_a_circuit_follows_its_formula),
        TAP_CASE(the_method_for_stiff_systems_knows_states),
        TAP_CASE(states_may_use_each_other), TAP_CASE(events_and_pieces_see_states),
        TAP_CASE(a_sampled_controller_is_its_difference_equation),
        TAP_CASE(renewals_at_one_instant_use_the_values_before),
        TAP_CASE(a_law_is_a_force_and_its_limit_cuts_it), TAP_CASE(mistakes_are_told),
        TAP_CASE(memory_may_end))
