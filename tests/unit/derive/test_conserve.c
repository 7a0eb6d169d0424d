// SPDX-License-Identifier: MIT

#include "derive/conserve.h"
#include "system.h"

static KalConservation *found;

static void conserve(void)
{
    derive();
    ok(kal_conserve(eq, &found) == KAL_OK);
}

static void finish(void)
{
    kal_conservation_destroy(found);
    found = NULL;
    end();
}

// The names found, with a space before each, and why the energy is not among them.
static void names(const char *want, const char *reason)
{
    char got[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < found->n; i++) {
        used +=
            (size_t)snprintf(got + used, sizeof got - used, " %s", found->list[i].name);
        ok(found->list[i].exact);
    }
    same_text(got, want);
    ok(found->energy == (reason == NULL));
    if (reason) {
        has_text(found->reason, reason);
    } else {
        ok(!found->reason);
    }
}

static void a_planet_keeps_energy_and_spin(void)
{
    begin();
    parameter("m", 2.0);
    parameter("k", 3.0);
    coordinates("r th");
    term(KAL_TERM_KINETIC, "m*(r'^2 + r^2*th'^2)/2");
    term(KAL_TERM_POTENTIAL, "-k/r");
    conserve();
    names(" energy momentum(th)", NULL);
    same_text(text_of(found->list[1].value), "m*r^2*th'");
    set("r", 2.0);
    set("th'", 0.5);
    set("r'", 1.0);
    near(value_of(found->list[0].value), 1.0 + 1.0 - 1.5, 1e-15);
    finish();
}

static void forces_take_energy(void)
{
    begin();
    parameter("c", 0.5);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    term(KAL_TERM_DISSIPATION, "c*x'^2/2");
    conserve();
    names(" momentum(y)", "there is dissipation");
    finish();

    begin();
    parameter("c", 0.0); // a dissipation that is none
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    term(KAL_TERM_DISSIPATION, "c*x'^2/2");
    conserve();
    names(" energy momentum(x) momentum(y)", NULL);
    finish();

    begin();
    parameter("B", 2.0); // a magnetic field does no work
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    force(KAL_TERM_FORCE, "x", "B*y'");
    force(KAL_TERM_FORCE, "y", "-B*x'");
    conserve();
    names(" energy", NULL);
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    force(KAL_TERM_FORCE, "y", "x");
    conserve();
    names(" momentum(x)", "the force on 'y' does work");
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    term(KAL_TERM_POWER, "x*x'");
    conserve();
    names(" momentum(y)", "forces with a power of their own act");
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    force(KAL_TERM_NONIDEAL, "x", "-x'");
    conserve();
    names(" momentum(y)", "the non-ideal force on 'x' does work");
    finish();
}

static void energies_must_be_of_the_right_kind(void)
{
    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "(x' + 1)^2/2");
    conserve();
    names(" jacobi momentum(x)", "not homogeneous of degree two");
    finish();

    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "(1 + t)*x'^2/2");
    conserve();
    names(" momentum(x)", "the kinetic energy depends on time");
    finish();

    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    term(KAL_TERM_POTENTIAL, "t*x");
    conserve();
    names("", "the potential energy depends on time");
    finish();

    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    term(KAL_TERM_POTENTIAL, "x'");
    conserve();
    names(" energy momentum(x)", NULL);
    same_text(text_of(found->list[1].value), "x' - 1");
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x'^2/2");
    mass("y", "y", "2");
    conserve();
    names(" momentum(x)", "a mass of 'y' is given directly");
    finish();

    begin(); // zero and quadratic, but not for everyone to see
    coordinates("x");
    term(KAL_TERM_KINETIC, "(x' + 1)^2/4 + (x' - 1)^2/4 - 1/2");
    term(KAL_TERM_POTENTIAL, "x^2*(sin(t)^2 + cos(t)^2)");
    conserve();
    names(" energy", NULL);
    finish();
}

// A frame that turns, and a particle near the speed of light.
static void jacobi_is_found_where_energy_is_not_kept(void)
{
    begin();
    parameter("w", 2.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "((x' - w*y)^2 + (y' + w*x)^2)/2");
    term(KAL_TERM_POTENTIAL, "x^2 + 3*y");
    conserve();
    names(" jacobi", "the kinetic energy is not homogeneous of degree two");
    set("x", 0.5);
    set("y", -0.25);
    set("x'", 3.0);
    set("y'", 1.5); // T2 - T0 + V
    near(value_of(found->list[0].value),
         (9.0 + 2.25) / 2 - 4.0 * (0.25 + 0.0625) / 2 + 0.25 - 0.75, 1e-14);
    finish();

    begin();
    parameter("c", 2.0);
    coordinates("x");
    term(KAL_TERM_KINETIC, "-3*c^2*sqrt(1 - x'^2/c^2)");
    term(KAL_TERM_POTENTIAL, "-5*x");
    conserve();
    ok(found->n == 1 && !found->energy);
    same_text(found->n == 1 ? found->list[0].name : "", "jacobi");
    set("x", 0.5);
    set("x'", 1.2); // gamma m c^2 + V
    near(value_of(found->list[0].value), 12.0 / 0.8 - 2.5, 1e-14);
    finish();

    begin(); // friction takes Jacobi's integral too
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2 + x^2");
    term(KAL_TERM_DISSIPATION, "x'^2");
    conserve();
    names("", "there is dissipation");
    finish();

    begin(); // what depends on time cancels
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2 + t*x");
    term(KAL_TERM_POTENTIAL, "t*x + x^2");
    conserve();
    names(" jacobi", "not homogeneous");
    finish();
}

// A charge in a magnetic field, L = T + q v·A: the energy is T, the momentum has A in it.
static void potentials_may_have_velocities(void)
{
    begin();
    parameter("B", 2.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    term(KAL_TERM_POTENTIAL, "-B*x*y'");
    conserve();
    names(" energy momentum(y)", NULL);
    same_text(text_of(eq->Q[0]), "B*y'");
    same_text(text_of(eq->Q[1]), "-B*x'");
    set("x", 3.0);
    set("x'", 1.0);
    set("y'", 2.0);
    near(value_of(found->list[0].value), 2.5, 1e-15);
    near(value_of(found->list[1].value), 2.0 + 2.0 * 3.0, 1e-15);
    finish();

    begin(); // Weber's force: quadratic in the velocity, so it is a mass as well
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2");
    term(KAL_TERM_POTENTIAL, "(1 - x'^2/8)/x");
    conserve();
    names(" energy", NULL);
    set("x", 2.0);
    set("x'", 3.0);
    near(value_of(eq->M.value[0]), 2.0 + 0.25 / 2.0, 1e-15);
    near(value_of(eq->Q[0]), 1.0 / 4.0 + 9.0 / (8.0 * 4.0), 1e-15);
    near(value_of(found->list[0].value), 9.0 + 0.5 + 9.0 / 16.0, 1e-15);
    finish();
}

// What is held does no work, whatever pushes it.
static void forces_on_what_is_held_do_no_work(void)
{
    begin();
    parameter("F", 3.0);
    coordinates("x y z");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + z'^2)/2");
    force(KAL_TERM_FORCE, "x", "F*sin(y)");
    force(KAL_TERM_FORCE, "z", "x - 2");
    term(KAL_TERM_DISSIPATION, "x'^2");
    constraint("hold", "2*x - 4");
    conserve();
    names(" energy momentum(y)", NULL);
    finish();

    begin();
    coordinates("x y"); // a slope, along which nothing pushes
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    force(KAL_TERM_FORCE, "x", "-3*x");
    force(KAL_TERM_FORCE, "y", "3*x");
    constraint("slope", "x - y");
    conserve();
    names(" energy", NULL);
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    force(KAL_TERM_FORCE, "x", "-3*y");
    constraint("circle", "x^2 + y^2 - 1");
    conserve();
    names("", "the force on 'x' may do work");
    finish();

    begin(); // an event lets go of it
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    force(KAL_TERM_FORCE, "x", "3");
    constraint("hold", "x");
    KalAction action = {.kind = KAL_ACTION_RELEASE, .target = 0};
    const KalEvent event = {
        .name = "drop", .value = f("t - 1"), .actions = &action, .n_actions = 1};
    ok(kal_model_add_event(model, event) == KAL_OK);
    conserve();
    names("", "the force on 'x' may do work");
    finish();
}

static void constraints_may_do_work(void)
{
    begin();
    parameter("b", 0.3);
    coordinates("x y theta");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + theta'^2)/2");
    constraint("skid", "-x'*sin(theta) + y'*cos(theta) - b*theta'");
    conserve();
    names(" energy", NULL);
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    constraint("rail", "x - t^2");
    conserve();
    names(" momentum(y)", "constraint 'rail' depends on time");
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    constraint("speed", "x'^2 + y'^2 - 1");
    conserve();
    names("", "constraint 'speed' may do work: it is not homogeneous");
    finish();

    begin();
    coordinates("x y z");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + z'^2)/2");
    constraint("cone", "x'^2 + y'^2 - z'^2");
    conserve();
    names(" energy", NULL);
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2)/2");
    constraint("odd", "x'' - 1");
    conserve();
    names(" momentum(y)", "constraint 'odd' is on accelerations");
    finish();
}

static void control_does_work(void)
{
    begin();
    coordinates("x y z");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + z'^2)/2");
    actuator("u", "x'");
    conserve();
    names(" energy momentum(x) momentum(y) momentum(z)", NULL); // nobody pulls
    finish();

    begin();
    coordinates("x y z");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + z'^2)/2");
    servo("follow", "y - t", "1");
    actuator("u", "x' + y'");
    conserve();
    names(" momentum(z)", "servo 'follow' may do work");
    finish();

    begin();
    coordinates("x y z");
    term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + z'^2)/2");
    servo("follow", "y - t", "1");
    conserve();
    names(" momentum(x) momentum(z)", "servo 'follow' may do work");
    finish();
}

static void events_end_it(void)
{
    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    KalAction action = {.kind = KAL_ACTION_SET, .order = 1, .value = f("-x'/2")};
    const KalEvent event = {
        .name = "bounce", .value = f("x"), .actions = &action, .n_actions = 1};
    ok(kal_model_add_event(model, event) == KAL_OK);
    conserve();
    names("", "event 'bounce' changes the motion");
    finish();
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status != KAL_OK && n < 20000; n++) {
        begin();
        parameter("k", 2.0);
        coordinates("x y z");
        term(KAL_TERM_KINETIC, "(x'^2 + y'^2 + z'^2)/2");
        term(KAL_TERM_POTENTIAL, "k*(x - y)^2");
        term(KAL_TERM_DISSIPATION, "k*(x' - y')^2");
        constraint("c", "x*y - 1");
        derive();
        system_fault.calls_left = n;
        status = kal_conserve(eq, &found);
        system_fault.calls_left = -1;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !found));
        finish();
    }
    ok(status == KAL_OK && n > 50);
}

// Momenta of which it is not known whether they are conserved, a space before each.
static void open_names(const char *want, bool energy)
{
    char got[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < found->n_open; i++) {
        used += (size_t)snprintf(got + used, sizeof got - used, " %s", found->open[i]);
    }
    same_text(got, want);
    ok(found->energy_open == energy);
}

// A force that acts only far away, or later.
static void forces_may_act_elsewhere(void)
{
    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    force(KAL_TERM_FORCE, "x", "if(x > 10, -3*x', 0)");
    conserve();
    names("", "the force on 'x' does work");
    open_names("", false);
    finish();

    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    force(KAL_TERM_FORCE, "x", "if(t > 3, 1, 0)");
    conserve();
    names("", "the force on 'x' does work");
    finish();

    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x'^2/2 + y'^2/2");
    force(KAL_TERM_FORCE, "x", "if(x > 1000000, -3*x', 0)");
    conserve();
    names(" momentum(y)", "it is not decided whether the force on 'x' does work");
    open_names(" momentum(x)", true);
    finish();

    begin(); // a force in all branches that does no work in any
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x'^2/2 + y'^2/2");
    force(KAL_TERM_FORCE, "x", "if(x > 10, 3, 5)*y'");
    force(KAL_TERM_FORCE, "y", "-if(x > 10, 3, 5)*x'");
    conserve();
    names(" energy", NULL);
    finish();
}

// A wire with a corner, gears that change: impacts, which cost energy.
static void constraints_may_jump(void)
{
    static const char *const jumping[] = {"x + max(0, x - 5) - y", "abs(x - 5) - y",
                                          "x' - if(y > 4, 1/2, 1)*y'",
                                          "x' - (2 + sign(x - 30))*y'"};
    static const char *const smooth[] = {"x + if(x > 5, (x - 5)^2, 0) - y",
                                         "x' - max(1, y - 20)*y'", "x' - abs(y)*y'"};
    for (size_t i = 0; i < sizeof jumping / sizeof *jumping; i++) {
        begin();
        coordinates("x y");
        term(KAL_TERM_KINETIC, "x'^2/2 + y'^2/2");
        constraint("c", jumping[i]);
        conserve();
        names("", "constraint 'c' may demand another velocity at once");
        finish();
    }
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        begin();
        coordinates("x y");
        term(KAL_TERM_KINETIC, "x'^2/2 + y'^2/2");
        constraint("c", smooth[i]);
        conserve();
        names(" energy", NULL);
        finish();
    }
}

// Derivatives of branches know nothing of the steps between these.
static void energies_may_jump(void)
{
    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x'^2/2 + y'^2/2");
    term(KAL_TERM_POTENTIAL, "if(x > 10, 5, 0)");
    conserve();
    names(" momentum(y)", "the potential energy may jump");
    finish();

    begin();
    coordinates("x");
    term(KAL_TERM_KINETIC, "x'^2/2");
    term(KAL_TERM_POTENTIAL, "if(t > 3, 1, 0)*x");
    conserve();
    names("", "the potential energy may jump");
    finish();

    begin(); // mass that is picked up
    coordinates("x y");
    term(KAL_TERM_KINETIC, "if(x > 10, 2, 1)*y'^2/2 + x'^2/2");
    conserve();
    names("", "the kinetic energy may jump");
    finish();

    begin(); // springs that begin to act, and stop to
    parameter("L", 2.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x'^2/2 + y'^2/2");
    term(KAL_TERM_POTENTIAL, "if(x > L, (x - L)^2, if(2*x < -3, (2*x + 3)^2, 0))");
    term(KAL_TERM_POTENTIAL, "max(0, x)^2 + abs(x)");
    conserve();
    names(" energy momentum(y)", NULL);
    finish();
}

TAP_RUN(TAP_CASE(a_planet_keeps_energy_and_spin), TAP_CASE(forces_take_energy),
        TAP_CASE(energies_must_be_of_the_right_kind),
        TAP_CASE(jacobi_is_found_where_energy_is_not_kept),
        TAP_CASE(potentials_may_have_velocities),
        TAP_CASE(forces_on_what_is_held_do_no_work), TAP_CASE(constraints_may_do_work),
        TAP_CASE(forces_may_act_elsewhere), TAP_CASE(constraints_may_jump),
        TAP_CASE(energies_may_jump), TAP_CASE(control_does_work),
        TAP_CASE(events_end_it), TAP_CASE(every_allocation_may_fail))
