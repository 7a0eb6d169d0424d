// SPDX-License-Identifier: MIT

#include "closed_lab.h"

static const KalResultKind QDD = KAL_RESULT_ACCELERATION;
static const KalResultKind LAMBDA = KAL_RESULT_REACTION;
static const KalResultKind FORCE = KAL_RESULT_FORCE;

static void chaplygins_sleigh(void)
{
    sleigh();
    ok(solve(false) == KAL_CLOSED_DONE);
    same_text(value_text(LAMBDA, 0),
              "m*I*theta'*(x'*cos(theta) + y'*sin(theta))/(m*b^2 + I)");
    same_text(value_text(QDD, 2),
              "-m*b*theta'*(x'*cos(theta) + y'*sin(theta))/(m*b^2 + I)");
    agrees_with_numbers(1, 1e-12);
    finish();
}

static void names_are_given_to_denominators_and_roots(void)
{
    sleigh();
    ok(solve(true) == KAL_CLOSED_DONE);
    ok(sheet.n_named == 1);
    same_text(sheet.named[0].name, "D");
    same_text(shown_text(sheet.named[0].value), "m*b^2 + I");
    same_text(value_text(LAMBDA, 0), "m*I*theta'*(x'*cos(theta) + y'*sin(theta))/D");
    finish();

    begin(); // where D is a name of the model's
    parameter("D", 2.0);
    parameter("R", 3.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "1/2*D*(x'^2 + y'^2)");
    constraint("ring", "x^2 + y^2 - R^2");
    ok(solve(true) == KAL_CLOSED_DONE);
    same_text(sheet.named[0].name, "D1");
    finish();
}

// systems.md 11: the inverse-square law.
static void inverse_kepler_problem(void)
{
    kepler();
    ok(solve(true) == KAL_CLOSED_DONE);
    same_text(sheet.named[0].name, "r");
    same_text(shown_text(sheet.named[0].value), "sqrt(x^2 + y^2)");
    same_text(on_text(FORCE, 0), "-L^2*x/(m*l*r^3)");
    same_text(on_text(FORCE, 1), "-L^2*y/(m*l*r^3)");
    finish();

    kepler();
    ok(solve(false) == KAL_CLOSED_DONE);
    agrees_with_numbers(2, 1e-10);
    // A state of the orbit: φ = 60°, r = l/(1 − e cos φ), any radial velocity that fits.
    const double e = 0.4;
    const double r = 1.0 / (1.0 - e * 0.5);
    const double x = 0.5 * r;
    const double y = sqrt(0.75) * r;
    const double h = 1.1 / 2.0; // x y' − y x'
    const double turn = h / (r * r);
    const double grow = -r * r * e * sqrt(0.75) * turn; // r' of r (1 − e cos φ) = l
    set("m", 2.0);
    set("l", 1.0);
    set("e", e);
    set("L", 1.1);
    set("x", x);
    set("y", y);
    set("x'", grow * 0.5 - y * turn);
    set("y'", grow * sqrt(0.75) + x * turn);
    const double want = -1.1 * 1.1 / (2.0 * 1.0 * r * r);
    near(result_value(FORCE, 0, true), want * x / r, 1e-13);
    near(result_value(FORCE, 1, true), want * y / r, 1e-13);
    near(result_value(FORCE, 0, false), want * x / r, 1e-12);
    near(result_value(FORCE, 1, false), want * y / r, 1e-12);
    finish();
}

// systems.md 6: λ = −m L θ'² − m g cos θ − f sin θ.
static void pendulum_in_polar_coordinates(void)
{
    begin();
    parameter("m", 1.0);
    parameter("L", 1.5);
    parameter("g", 9.81);
    parameter("f", 0.5);
    coordinates("r theta");
    term(KAL_TERM_KINETIC, "1/2*m*(r'^2 + r^2*theta'^2)");
    term(KAL_TERM_POTENTIAL, "-m*g*r*cos(theta)");
    term(KAL_TERM_POWER, "f*(r'*sin(theta) + r*theta'*cos(theta))");
    constraint("rod", "r - L");
    ok(solve(false) == KAL_CLOSED_DONE);
    same_text(on_text(LAMBDA, 0), "-m*(L*theta'^2 + g*cos(theta)) - f*sin(theta)");
    same_text(value_text(QDD, 0), "0");
    agrees_with_numbers(3, 1e-12);
    finish();
}

static void slider_crank_is_solved(void)
{
    slider_crank();
    ok(solve(false) == KAL_CLOSED_DONE);
    agrees_with_numbers(4, 1e-9);
    finish();
}

// systems.md 12, with the friction from the reaction itself.
static void friction_by_the_reaction(void)
{
    begin();
    parameter("m", 2.0);
    parameter("g", 9.81);
    parameter("mu", 0.3);
    parameter("alpha", 0.5);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "1/2*m*(x'^2 + y'^2)");
    term(KAL_TERM_POTENTIAL, "m*g*y");
    constraint("plane", "y - x*tan(alpha)");
    for (uint32_t i = 0; i < 2; i++) {
        const KalExpr along = f(i == 0 ? "-mu*sign(y')" : "-mu*sign(y')*tan(alpha)");
        const KalContribution entry = {
            .kind = KAL_TERM_NONIDEAL,
            .row = i,
            .value = kal_mul(g, along, model->constraints[0].reaction)};
        ok(kal_model_add_contribution(model, entry) == KAL_OK);
    }
    ok(solve(false) == KAL_CLOSED_DONE);
    same_text(value_text(QDD, 0),
              "-g*cos(alpha)*(mu*sign(y')*cos(alpha) + sin(alpha))");
    same_text(value_text(QDD, 1),
              "-g*sin(alpha)*(mu*sign(y')*cos(alpha) + sin(alpha))");
    same_text(value_text(FORCE, 0), "-m*g*sin(alpha)*cos(alpha)");
    same_text(value_text(FORCE, 1), "m*g*cos(alpha)^2");
    same_text(value_text(KAL_RESULT_NONIDEAL, 0), "-m*g*mu*sign(y')*cos(alpha)^2");
    finish();
}

static void wheel(const char *names)
{
    begin();
    parameter("m", 2.0);
    parameter("R", 0.4);
    parameter("g", 9.81);
    parameter("I", 0.3);
    parameter("alpha", 0.5);
    coordinates(names);
    term(KAL_TERM_KINETIC, "1/2*m*R^2*theta'^2 + 1/2*I*theta'^2");
    term(KAL_TERM_POTENTIAL, "-m*g*y");
    constraint("roll", "y - R*sin(alpha)*theta");
}

// systems.md 14 and 15.
static void singular_masses(void)
{
    wheel("theta y");
    ok(solve(false) == KAL_CLOSED_DONE);
    same_text(value_text(QDD, 0), "m*R*g*sin(alpha)/(m*R^2 + I)");
    same_text(value_text(QDD, 1), "m*R^2*g*sin(alpha)^2/(m*R^2 + I)");
    agrees_with_numbers(5, 1e-12);
    finish();

    wheel("theta y x");
    ok(solve(false) == KAL_CLOSED_NOT_UNIQUE);
    ok(closed.n_results == 0);
    finish();
}

// The same rod three times, scaled: λ of least norm is (1, 3, −2)/14 of the one.
static void dependent_constraints(void)
{
    begin();
    parameter("m", 1.0);
    parameter("L", 1.0);
    parameter("g", 9.81);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "1/2*m*(x'^2 + y'^2)");
    term(KAL_TERM_POTENTIAL, "m*g*y");
    constraint("rod", "x^2 + y^2 - L^2");
    constraint("triple", "3*x^2 + 3*y^2 - 3*L^2");
    constraint("back", "2*L^2 - 2*x^2 - 2*y^2");
    ok(solve(false) == KAL_CLOSED_DONE);
    ok(closed.dependent && closed.has_reactions);
    set("m", 1.3);
    set("L", 2.5);
    set("g", 9.0);
    set("x", 1.5);
    set("y", -2.0);
    set("x'", 2.0);
    set("y'", 1.5);
    const double one = 1.3 * (9.0 * -2.0 - 6.25) / (2.0 * 6.25);
    near(result_value(LAMBDA, 0, false), one / 14.0, 1e-14);
    near(result_value(LAMBDA, 1, false), 3.0 * one / 14.0, 1e-14);
    near(result_value(LAMBDA, 2, false), -2.0 * one / 14.0, 1e-14);
    near(result_value(FORCE, 0, true), 2.0 * 1.5 * one, 1e-13);
    near(result_value(QDD, 1, true), -9.0 + 2.0 * -2.0 * one / 1.3, 1e-13);
    finish();
}

// Rows that depend on each other only where the constraints hold.
static void rows_that_depend_on_the_constraints(void)
{
    begin();
    parameter("m", 1.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "1/2*m*(x'^2 + y'^2)");
    constraint("ring", "x^2 + y^2 - 1");
    constraint("again", "x*(x^2 + y^2 - 1)");
    ok(solve(false) == KAL_CLOSED_DONE);
    ok(closed.dependent);
    set("m", 1.0);
    set("x", 0.6);
    set("y", 0.8);
    set("x'", 0.8);
    set("y'", -0.6);
    near(result_value(QDD, 0, true), -0.6, 1e-13);
    near(result_value(QDD, 1, true), -0.8, 1e-13);
    finish();
}

static void driven_and_actuated_systems(void)
{
    begin();
    parameter("m", 1.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "1/2*m*(x'^2 + y'^2) + m*x'*y'/3");
    constraint("drive", "x - sin(2*t)");
    const KalActuator entry = {.name = keep("u"), .power = f("x*y'")};
    uint32_t index = 0;
    ok(kal_model_add_actuator(model, entry, &index) == KAL_OK);
    system_names();
    ok(solve(false) == KAL_CLOSED_DONE);
    same_text(value_text(QDD, 0), "-4*sin(2*t)");
    set("m", 2.0);
    set("x", 0.7);
    set("control(u)", 5.0);
    set("t", 0.4);
    // m (x''/3 + y'') = x u
    near(result_value(QDD, 1, false), 0.7 * 5.0 / 2.0 + 4.0 * sin(0.8) / 3.0, 1e-13);
    finish();
}

static void free_systems_have_no_forces(void)
{
    begin();
    parameter("m", 1.0);
    parameter("M", 3.0);
    parameter("l", 1.0);
    parameter("g", 9.81);
    coordinates("a b");
    term(KAL_TERM_KINETIC, "1/2*M*l^2*a'^2 + 1/2*m*l^2*((a'*cos(a) + b'*cos(b))^2"
                           " + (a'*sin(a) + b'*sin(b))^2)");
    term(KAL_TERM_POTENTIAL, "-(m + M)*g*l*cos(a) - m*g*l*cos(b)");
    ok(solve(false) == KAL_CLOSED_DONE);
    ok(!result(FORCE, 0) && !result(LAMBDA, 0));
    agrees_with_numbers(6, 1e-11);
    finish();
}

static void large_systems_are_refused(void)
{
    begin();
    parameter("m", 1.0);
    coordinates("a b c d e f h i j k l n o");
    term(KAL_TERM_KINETIC, "m*(a' + b'*cos(c) + d'*e' + f'*sin(h))^2 + i'^2 + j'*k' + "
                           "l'^2 + n'^2*cos(o) + o'^2");
    ok(solve(false) == KAL_CLOSED_TOO_LARGE);
    finish();

    begin(); // few unknowns but far too many terms
    char text[2000] = "0";
    for (int i = 0; i < 8; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        parameter(name, 1.0 + i);
    }
    coordinates("a b c d e f");
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     " + p%d*sin(p%d*%c)*%c'*%c'", (i + j) % 8, (i * j) % 8, 'a' + i,
                     'a' + i, 'a' + j);
        }
    }
    term(KAL_TERM_KINETIC, text);
    ok(solve(false) == KAL_CLOSED_TOO_LARGE);
    finish();
}

// Nothing is shown that was compared with nothing.
static void states_without_numbers_are_not_trusted(void)
{
    begin();
    parameter("m", 1.0);
    coordinates("x");
    term(KAL_TERM_KINETIC, "1/2*m*x'^2");
    force(KAL_TERM_FORCE, "x", "sqrt(-1 - x^2)");
    ok(solve(false) == KAL_CLOSED_UNCHECKED);
    finish();
}

TAP_RUN(TAP_CASE(chaplygins_sleigh),
        TAP_CASE(names_are_given_to_denominators_and_roots),
        TAP_CASE(inverse_kepler_problem), TAP_CASE(pendulum_in_polar_coordinates),
        TAP_CASE(slider_crank_is_solved), TAP_CASE(friction_by_the_reaction),
        TAP_CASE(singular_masses), TAP_CASE(dependent_constraints),
        TAP_CASE(rows_that_depend_on_the_constraints),
        TAP_CASE(driven_and_actuated_systems), TAP_CASE(free_systems_have_no_forces),
        TAP_CASE(large_systems_are_refused),
        TAP_CASE(states_without_numbers_are_not_trusted))
