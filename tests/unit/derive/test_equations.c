// SPDX-License-Identifier: MIT

#include "expr/order.h"
#include "system.h"

static void a_pendulum_swings(void)
{
    begin();
    parameter("m", 2.0);
    parameter("L", 0.5);
    parameter("g", 9.81);
    coordinates("th");
    term(KAL_TERM_KINETIC, "m*L^2*th'^2/2");
    term(KAL_TERM_POTENTIAL, "-m*g*L*cos(th)");
    derive();
    ok(eq->n == 1 && eq->m == 0);
    same_text(text_of(kal_sparse_get(&eq->M, 0, 0)), "m*L^2");
    same_text(text_of(eq->Q[0]), "-m*L*g*sin(th)");
    ok(!eq->has_C && !eq->has_reactions && kal_is_zero(g, eq->C[0]));
    end();
}

// Polar coordinates: the centrifugal and Coriolis terms come from T alone.
static void moving_frames_give_inertial_forces(void)
{
    begin();
    parameter("w", 3.0);
    coordinates("r th");
    term(KAL_TERM_KINETIC, "(r'^2 + r^2*(th' + w*t)^2)/2");
    derive();
    set("r", 2.0);
    set("r'", -0.7);
    set("th'", 0.3);
    set("t", 0.25);
    near(value_of(lower(&eq->M, 0, 0)), 1.0, 0.0);
    near(value_of(lower(&eq->M, 1, 1)), 4.0, 0.0);
    ok(lower(&eq->M, 1, 0).index == 0);
    near(value_of(eq->Q[0]), 2.0 * 1.05 * 1.05, 1e-14);
    near(value_of(eq->Q[1]), -2.0 * 2.0 * -0.7 * 1.05 - 4.0 * 3.0, 1e-13);
    end();
}

// A slider-crank by the velocity of its rod's middle: Q has nothing that cancels.
static void speeds_of_points_make_short_forces(void)
{
    begin();
    parameter("m2", 3.0);
    parameter("L1", 0.4);
    parameter("L2", 0.7);
    coordinates("th ph x");
    term(KAL_TERM_KINETIC, "m2*((2*L1*th'*sin(th) + L2*ph'*sin(ph))^2"
                           " + (2*L1*th'*cos(th) + L2*ph'*cos(ph))^2)/2");
    term(KAL_TERM_KINETIC, "th'^2 + ph'^2 + x'^2");
    derive();
    set("th", 0.6);
    set("ph", -0.9);
    set("th'", 1.7);
    set("ph'", -2.1);
    const double factor = 2.0 * 3.0 * 0.4 * 0.7 * sin(1.5);
    near(value_of(eq->Q[0]), -factor * 2.1 * 2.1, 1e-14);
    near(value_of(eq->Q[1]), factor * 1.7 * 1.7, 1e-14);
    ok(kal_is_zero(g, eq->Q[2]));
    KalOrder order = {0};
    ok(kal_order_init(g, eq->Q, 2, &order) == KAL_OK);
    const KalOperations operations = kal_order_operations(&order);
    ok(operations.sums + operations.products <= 30);
    kal_order_clear(&order);
    end();
}

// Speeds that are rates of no position, as those of turning about a body's axes, need all
// terms of theory (9.23).
static void other_speeds_keep_their_twist(void)
{
    begin();
    coordinates("a b");
    term(KAL_TERM_KINETIC, "(a'*sin(b))^2/2 + b'^2/2 + (a'*cos(b) + t)^2");
    derive();
    set("b", 0.4);
    set("a'", 1.2);
    set("b'", -0.8);
    set("t", 0.3);
    const double s = sin(0.4);
    const double c = cos(0.4);
    near(value_of(eq->Q[0]),
         -(2.0 * 1.2 * s * c * -0.8 - 2.0 * (1.2 * c + 0.3) * s * -0.8
           + 2.0 * c * (-1.2 * s * -0.8 + 1.0)),
         1e-14);
    near(value_of(eq->Q[1]), 1.44 * s * c - 2.0 * (1.2 * c + 0.3) * 1.2 * s, 1e-14);
    end();
}

static void forces_add_up(void)
{
    begin();
    parameter("c", 0.5);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x'^2/2");
    mass("y", "x", "3 + x");
    mass("x", "y", "1");
    mass("x", "x", "t");
    mass("y", "y", "2");
    term(KAL_TERM_DISSIPATION, "c*(x' - y')^2/2");
    term(KAL_TERM_POWER, "5*y' + x^2*x' + sin(t)");
    force(KAL_TERM_FORCE, "x", "t*y'");
    force(KAL_TERM_FORCE, "x", "1");
    derive();
    set("x", 2.0);
    set("x'", 1.5);
    set("y'", -0.5);
    set("t", 4.0);
    near(value_of(lower(&eq->M, 0, 0)), 5.0, 0.0);
    near(value_of(lower(&eq->M, 0, 1)), 6.0, 0.0);
    near(value_of(lower(&eq->M, 1, 1)), 2.0, 0.0);
    near(value_of(eq->Q[0]), -0.5 * 2.0 + 2.0 * 2.0 + 4.0 * -0.5 + 1.0, 1e-15);
    near(value_of(eq->Q[1]), 0.5 * 2.0 + 5.0, 1e-15);
    end();
}

static void constraints_of_every_level_become_rows(void)
{
    begin();
    coordinates("x y z");
    constraint("rod", "x^2 + y^2 - t^2");
    constraint("knife", "x' + 2*z*y' + z'");
    constraint("push", "3*x'' + y*z'' - x'*t");
    constraint("speed", "x'^2 + y'^2 - 1");
    derive();
    set("x", 2.0);
    set("y", 3.0);
    set("z", 5.0);
    set("x'", 7.0);
    set("y'", 11.0);
    set("z'", 13.0);
    set("t", 0.5);
    const double A[4][3] = {
        {4.0,  6.0,  0.0},
        {1.0,  10.0, 1.0},
        {3.0,  0.0,  3.0},
        {14.0, 22.0, 0.0}
    };
    const double b[] = {-(2.0 * 49.0 + 2.0 * 121.0 - 2.0), -2.0 * 11.0 * 13.0,
                        7.0 * 0.5, 0.0};
    for (size_t i = 0; i < 4; i++) {
        near(value_of(eq->b[i]), b[i], 0.0);
        for (size_t j = 0; j < 3; j++) {
            near(value_of(kal_sparse_get(&eq->A, i, j)), A[i][j], 0.0);
        }
    }
    near(value_of(eq->phi[0]), 12.75, 0.0);
    near(value_of(eq->psi[0]), 2.0 * 2.0 * 7.0 + 2.0 * 3.0 * 11.0 - 1.0, 0.0);
    near(value_of(eq->psi_t[0]), -1.0, 0.0);
    near(value_of(kal_sparse_get(&eq->psi_q, 0, 0)), 14.0, 0.0);
    near(value_of(kal_sparse_get(&eq->psi_q, 1, 2)), 22.0, 0.0);
    ok(eq->phi[1].index == 0 && eq->psi[1].index != 0 && eq->psi_t[1].index == 0);
    ok(eq->phi[2].index == 0 && eq->psi[2].index == 0 && eq->psi_t[2].index == 0);
    ok(eq->psi_q.start[2] == eq->psi_q.start[3]);
    end();
}

static void non_ideal_forces_fill_C(void)
{
    begin();
    coordinates("x y");
    constraint("plane", "y");
    const KalExpr N = model->constraints[0].reaction;
    const KalContribution entry = {
        .kind = KAL_TERM_NONIDEAL, .row = 0, .value = kal_mul(g, f("-1/5"), N)};
    ok(kal_model_add_contribution(model, entry) == KAL_OK);
    term(KAL_TERM_NONIDEAL_POWER, "-3*t*x' + y'");
    derive();
    ok(eq->has_C && eq->has_reactions);
    set("t", 2.0);
    system_values[kal_graph_node(g, N).arg[0].index] = 10.0;
    near(value_of(eq->C[0]), -8.0, 0.0);
    near(value_of(eq->C[1]), 1.0, 0.0);
    ok(kal_is_zero(g, eq->Q[0]));
    end();
}

static void servos_decay_and_actuators_push(void)
{
    begin();
    parameter("k", 2.0);
    coordinates("x y");
    servo("place", "x^2 - y", "k");
    servo("speed", "x'*y' - t", "k");
    actuator("u", "3*y' - x*x'");
    actuator("w", "x'");
    derive();
    set("x", 1.0);
    set("y", 3.0);
    set("x'", 0.5);
    set("y'", 4.0);
    set("t", 1.0);
    const double rate = 2.0 * 0.5 - 4.0;
    near(value_of(eq->servo_b[0]), -2.0 * 0.25 - 4.0 * rate - 4.0 * -2.0, 0.0);
    near(value_of(eq->servo_b[1]), 1.0 - 2.0 * (2.0 - 1.0), 0.0);
    near(value_of(eq->servo_e[0]), -2.0, 0.0);
    near(value_of(eq->servo_e[1]), 1.0, 0.0);
    near(value_of(kal_sparse_get(&eq->servo_A, 0, 0)), 2.0, 0.0);
    near(value_of(kal_sparse_get(&eq->servo_A, 0, 1)), -1.0, 0.0);
    near(value_of(kal_sparse_get(&eq->servo_A, 1, 0)), 4.0, 0.0);
    near(value_of(kal_sparse_get(&eq->servo_A, 1, 1)), 0.5, 0.0);
    ok(eq->B.rows == 2 && eq->B.columns == 2);
    near(value_of(kal_sparse_get(&eq->B, 0, 0)), -1.0, 0.0);
    near(value_of(kal_sparse_get(&eq->B, 1, 0)), 3.0, 0.0);
    near(value_of(kal_sparse_get(&eq->B, 0, 1)), 1.0, 0.0);
    ok(kal_sparse_get(&eq->B, 1, 1).index == 0);
    end();
}

// Each model is refused with words that name what is wrong.
static void expect_fault(const char *part)
{
    ok(kal_derive(model, diagnostics, &eq) == KAL_ERR_SYNTAX && !eq);
    const KalDiagnostic *first = kal_diagnostics_first(diagnostics);
    has_text(first ? first->message : NULL, part);
    end();
}

static void faults_of_models_are_named(void)
{
    begin();
    coordinates("x y");
    constraint("odd", "x''*y'' - 1");
    expect_fault("'odd' is not linear in the accelerations: the factor of x'' depends "
                 "on y''");
    begin();
    coordinates("x y");
    constraint("undefined", "(x''^2 - y''^2)/(x'' - y'')");
    expect_fault("'undefined' is not linear");
    begin();
    coordinates("x");
    servo("jerk", "x''", "1");
    expect_fault("servo 'jerk' has accelerations");
    begin();
    coordinates("x y");
    term(KAL_TERM_POWER, "3*x' + x*(sin(t)*x' + cos(x)*y')^2 + 2");
    expect_fault(
        "power has to be linear in velocities, but its slope for x' depends on x'; "
        "for a force F that depends on velocities write 'power F along v'");
    begin();
    coordinates("x y");
    term(KAL_TERM_POWER, "3*x'");
    term(KAL_TERM_NONIDEAL_POWER, "-x'*abs(y')");
    expect_fault("the power of a non-ideal force has to be linear in velocities");
    begin();
    coordinates("x");
    actuator("u", "x'^2");
    expect_fault("actuator 'u' must be linear");
    begin();
    coordinates("x");
    actuator("u", "x' + x");
    expect_fault("actuator 'u' must be linear");
    begin();
    coordinates("x");
    force(KAL_TERM_FORCE, "x", "x''");
    expect_fault("a force cannot depend on accelerations");
}

// What only looks nonlinear is taken for what it is.
static void linear_in_disguise_is_linear(void)
{
    begin();
    coordinates("x y");
    constraint("push", "(x'' + y)^2/2 - (x'' - y)^2/2 + y''*(x + t)^2/(t + x) - 7");
    actuator("u", "(x' + y)^2 - (x' - y)^2");
    derive();
    set("x", 2.0);
    set("y", 3.0);
    set("t", 0.5);
    near(value_of(kal_sparse_get(&eq->A, 0, 0)), 6.0, 0.0);
    near(value_of(kal_sparse_get(&eq->A, 0, 1)), 2.5, 0.0);
    near(value_of(eq->b[0]), 7.0, 0.0);
    near(value_of(kal_sparse_get(&eq->B, 0, 0)), 12.0, 0.0);
    ok(kal_sparse_get(&eq->B, 1, 0).index == 0);
    end();
}

static void an_empty_model_has_empty_equations(void)
{
    begin();
    derive();
    ok(eq->n == 0 && eq->m == 0 && eq->n_servos == 0);
    ok(eq->M.rows == 0 && eq->A.rows == 0 && kal_is_zero(g, eq->kinetic));
    end();
}

static void build_all(void)
{
    parameter("k", 2.0);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "x^2*x'^2/2 + y'^2");
    term(KAL_TERM_POTENTIAL, "sin(x - y)");
    mass("x", "y", "1");
    constraint("a", "x*y - t");
    constraint("b", "x'*y");
    constraint("c", "x*x'' - y''");
    servo("s", "x - t", "k");
    actuator("u", "x'");
}

static size_t add_roots(KalExpr *roots, size_t n, const KalExpr *more, size_t n_more)
{
    for (size_t i = 0; i < n_more; i++) {
        if (more[i].index != 0) {
            roots[n++] = more[i];
        }
    }
    return n;
}

// Of what the derivation added to the graph, everything is part of its equations, but for the
// number 0.
static void steps_are_forgotten(void)
{
    static KalExpr roots[1000];
    KalOrder order = {.ctx = NULL};
    size_t n = 0;
    uint32_t added = 0;
    begin();
    build_all();
    kal_int(g, 1); // the rate of time
    const uint32_t before = kal_graph_count(g);
    derive();
    const KalSparse *matrices[] = {&eq->M, &eq->A, &eq->psi_q, &eq->servo_A, &eq->B};
    const KalExpr energies[] = {eq->kinetic, eq->potential, eq->stored};
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        n = add_roots(roots, n, matrices[i]->value,
                      (size_t)matrices[i]->start[matrices[i]->rows]);
    }
    n = add_roots(roots, n, energies, 3);
    n = add_roots(roots, n, eq->Q, eq->n);
    n = add_roots(roots, n, eq->C, eq->n);
    n = add_roots(roots, n, eq->b, eq->m);
    n = add_roots(roots, n, eq->phi, eq->m);
    n = add_roots(roots, n, eq->psi, eq->m);
    n = add_roots(roots, n, eq->psi_t, eq->m);
    n = add_roots(roots, n, eq->servo_b, eq->n_servos);
    n = add_roots(roots, n, eq->servo_e, eq->n_servos);
    ok(n < sizeof roots / sizeof roots[0]);
    ok(kal_order_init(g, roots, n, &order) == KAL_OK);
    for (uint32_t i = 0; i < order.count; i++) {
        added += order.steps[i].node.index >= before;
    }
    ok(added > 10 && kal_graph_count(g) - before <= added + 1);
    kal_order_clear(&order);
    end();
}

// Whichever allocation fails, the call says so, gives no equations and leaks nothing.
static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 10000; n = fault_next(n)) {
        begin();
        build_all();
        system_fault.calls_left = n;
        status = kal_derive(model, diagnostics, &eq);
        system_fault.calls_left = -1;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !eq));
        end();
    }
    ok(status == KAL_OK);
}

// Terms that are zero only where nobody is.  With u = x' + p y' the forces of
// T = u²/2 + y'²/2 are −p° y' for x and (p_x y' u) on it, −p (p° y') − p° u + p_y y' u for
// y: here p = x y beyond x = 10, so p° = x' y + x y'.
static void what_happens_far_away_counts(void)
{
    const double x = 20.0;
    const double y = 3.0;
    const double v = 0.7;
    const double w = -1.3;
    begin();
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x' + if(x > 10, x*y, 0)*y')^2/2 + y'^2/2");
    derive();
    set("x", x);
    set("y", y);
    set("x'", v);
    set("y'", w);
    const double p = x * y;
    const double u = v + p * w;
    const double rate = v * y + x * w;
    near(value_of(eq->Q[0]), y * w * u - rate * w, 1e-12);
    near(value_of(eq->Q[1]), x * w * u - p * rate * w - rate * u, 1e-11);
    near(value_of(eq->Q[0]), 270.4, 1e-12);
    near(value_of(eq->Q[1]), -1701.87, 1e-10);
    end();

    begin(); // p = x − 10, p° = x'
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x' + max(0, x - 10)*y')^2/2 + y'^2/2");
    derive();
    set("x", x);
    set("y", y);
    set("x'", v);
    set("y'", w);
    near(value_of(eq->Q[0]), w * (v + 10.0 * w) - v * w, 1e-13);
    near(value_of(eq->Q[1]), -10.0 * v * w - v * (v + 10.0 * w), 1e-13);
    end();

    begin(); // the same so far away that only the form tells
    coordinates("x y");
    term(KAL_TERM_KINETIC, "(x' + max(0, x - 1000000)*y')^2/2 + y'^2/2");
    derive();
    set("x", 1000010.0);
    set("y", y);
    set("x'", v);
    set("y'", w);
    near(value_of(eq->Q[0]), w * (v + 10.0 * w) - v * w, 1e-8);
    end();
}

static void what_is_not_proven_linear_is_refused(void)
{
    begin();
    coordinates("x y");
    constraint("odd", "x'' + if(x > 10, y''^2, y'') - 3");
    expect_fault("'odd' is not linear in the accelerations: the factor of y'' depends");

    begin();
    coordinates("x y");
    constraint("odd", "x'' + if(x > 1000000, y''^2, y'') - 3");
    expect_fault("it is not proven that the factor of y'' does not depend on y''");

    begin(); // linear on both sides of a step, and the slope of the step is zero
    coordinates("x y");
    constraint("odd", "x'' + max(y'', 0) - 1");
    expect_fault("'odd' is not linear in the accelerations: the factor of y'' depends");

    begin();
    coordinates("x y");
    constraint("odd", "x'' + if(y'' > 30, 1, 0)");
    expect_fault("it jumps as y'' changes");

    begin();
    coordinates("x y");
    actuator("u", "x' + if(x > 1000000, y'^2, 0)");
    expect_fault("that it is so is not proven");

    begin();
    coordinates("x y");
    actuator("u", "x' + if(x > 1000000, 1, 0)");
    expect_fault("actuator 'u' must be linear");
}

// What is linear as it stands needs no test for zero, which numbers that were rounded and
// branches would leave open.
static void linear_by_form_is_linear(void)
{
    static const char *const forms[] = {
        "(if(30 > x, 1, 0) + 0.27)*y' + x*x' + 1.1^60*y'",
        "(if(30 > x, sqrt(2), 0) + 0.27)*y' + cos(x)*x' + (0.0841^3)^2*y'",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        begin();
        coordinates("x y");
        actuator("u", forms[i]);
        derive();
        ok(eq->B.columns == 1);
        end();
    }
    begin();
    coordinates("x y");
    constraint("a", "(if(30 > x, 1, 0) + 0.27)*y'' + x*x'' + 1.1^60*y'' - 1");
    derive();
    near(value_of(eq->b[0]), 1.0, 0.0);
    end();
}

TAP_RUN(TAP_CASE(a_pendulum_swings), TAP_CASE(moving_frames_give_inertial_forces),
        TAP_CASE(speeds_of_points_make_short_forces),
        TAP_CASE(other_speeds_keep_their_twist), TAP_CASE(forces_add_up),
        TAP_CASE(constraints_of_every_level_become_rows),
        TAP_CASE(non_ideal_forces_fill_C), TAP_CASE(servos_decay_and_actuators_push),
        TAP_CASE(faults_of_models_are_named), TAP_CASE(linear_in_disguise_is_linear),
        TAP_CASE(what_happens_far_away_counts),
        TAP_CASE(what_is_not_proven_linear_is_refused),
        TAP_CASE(linear_by_form_is_linear),
        TAP_CASE(an_empty_model_has_empty_equations), TAP_CASE(steps_are_forgotten),
        TAP_CASE(every_allocation_may_fail))
