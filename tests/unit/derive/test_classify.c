// SPDX-License-Identifier: MIT

#include "derive/classify.h"
#include "system.h"

static KalClassification *found;

static void classify(void)
{
    derive();
    ok(kal_classify(eq, &found) == KAL_OK);
}

static void finish(void)
{
    kal_classification_destroy(found);
    found = NULL;
    end();
}

// Check kinds, given by their first letters in the order of the constraints: h, i, n, a;
// capital letters for those that depend on time.
static void kinds(const char *want)
{
    char got[32] = "";
    for (size_t i = 0; i < found->m && i < sizeof got - 1; i++) {
        const KalConstraintClass *of = &found->classes[i];
        const char letter = kal_constraint_kind_word(of->kind)[0];
        got[i] = of->time_dependent ? (char)toupper((unsigned char)letter) : letter;
    }
    same_text(got, want);
}

static void decided(KalDecision want)
{
    for (size_t i = 0; i < found->m; i++) {
        ok(found->classes[i].level != KAL_LEVEL_VELOCITY
           || found->classes[i].decision == want
           || found->classes[i].decision == KAL_DECISION_FORM);
    }
    ok(found->complete && found->undecided == 0 && !found->reason);
}

static void free_positions(size_t want)
{
    ok(model->n_coordinates - found->rank == want);
}

// Examples 2 to 4 of Udwadia and Kalaba's three Pfaffian forms.
static void three_forms_in_space(void)
{
    begin();
    coordinates("x y z");
    constraint("c", "x' + 2*y*y' + z'");
    classify();
    kinds("i");
    decided(KAL_DECISION_EXACT);
    free_positions(2);
    finish();

    begin();
    coordinates("x y z");
    constraint("c", "x' + 2*y*y' + z' - 1");
    classify();
    kinds("I");
    free_positions(2);
    finish();

    begin();
    coordinates("x y z");
    constraint("c", "x' + 2*z*y' + z'");
    classify();
    kinds("n");
    decided(KAL_DECISION_EXACT);
    free_positions(3);
    finish();
}

static void a_disc_rolls(void)
{
    begin();
    parameter("r", 0.3);
    coordinates("x y theta phi");
    constraint("along", "x' - r*phi'*cos(theta)");
    constraint("across", "y' - r*phi'*sin(theta)");
    classify();
    kinds("nn");
    decided(KAL_DECISION_EXACT);
    free_positions(4);
    finish();

    begin();
    parameter("r", 0.3);
    coordinates("x y theta phi");
    constraint("along", "x' - r*phi'*cos(theta)");
    constraint("across", "y' - r*phi'*sin(theta)");
    constraint("straight", "theta'");
    classify();
    kinds("iii");
    ok(found->classes[2].decision == KAL_DECISION_FORM);
    free_positions(1);
    finish();
}

static void a_knife_slides(void)
{
    begin();
    coordinates("x y theta");
    constraint("edge", "-x'*sin(theta) + y'*cos(theta)");
    classify();
    kinds("n");
    free_positions(3);
    finish();

    begin();
    parameter("alpha", 0.7);
    coordinates("x y theta");
    constraint("edge", "-x'*sin(theta) + y'*cos(theta)");
    constraint("held", "theta - alpha");
    classify();
    kinds("ih");
    free_positions(1);
    finish();

    begin();
    coordinates("x y theta");
    constraint("edge", "-x'*sin(theta) + y'*cos(theta)");
    constraint("turned", "theta - 3*t");
    classify();
    kinds("nH");
    free_positions(2);
    finish();
}

// Only on z = 0 is the first one integrable, not where z is another constant.
static void constraints_on_positions_hold(void)
{
    begin();
    coordinates("x y z u");
    constraint("odd", "x' + z*u*y'");
    constraint("plane", "2*z + x - x");
    classify();
    kinds("ih");
    free_positions(2);
    finish();

    begin();
    coordinates("x y z u");
    constraint("odd", "x' + z*u*y'");
    constraint("plane", "z - 1");
    classify();
    kinds("nh");
    free_positions(3);
    finish();

    begin(); // x = y and x + y = 1 make x − 1/2 zero
    coordinates("x y z u w");
    constraint("odd", "w' + (x - 1/2)*u*z'");
    constraint("same", "x - y");
    constraint("one", "x + y - 1");
    classify();
    kinds("ihh");
    free_positions(2);
    finish();
}

// A ball that rolls on a plane, orientation by Euler angles.
static void a_ball_rolls(void)
{
    begin();
    parameter("R", 2.0);
    coordinates("x y psi th phi");
    constraint("u", "x' - R*(th'*sin(psi) - phi'*sin(th)*cos(psi))");
    constraint("v", "y' + R*(th'*cos(psi) + phi'*sin(th)*sin(psi))");
    classify();
    kinds("nn");
    decided(KAL_DECISION_EXACT);
    free_positions(5);
    finish();

    begin(); // without pivoting about the vertical: still all of space
    parameter("R", 2.0);
    coordinates("x y psi th phi");
    constraint("u", "x' - R*(th'*sin(psi) - phi'*sin(th)*cos(psi))");
    constraint("v", "y' + R*(th'*cos(psi) + phi'*sin(th)*sin(psi))");
    constraint("pivot", "psi' + phi'*cos(th)");
    classify();
    kinds("nnn");
    free_positions(5);
    finish();
}

static void wheels_in_the_plane_are_integrable(void)
{
    begin();
    parameter("r", 0.3);
    coordinates("x phi");
    constraint("roll", "x' - r*phi'");
    classify();
    kinds("i");
    ok(found->classes[0].decision == KAL_DECISION_FORM);
    free_positions(1);
    finish();

    begin(); // an integrating factor is needed
    coordinates("x y");
    constraint("ray", "y*x' - x*y'");
    classify();
    kinds("i");
    decided(KAL_DECISION_EXACT);
    finish();

    begin(); // what is left of space by two forms is a curve
    coordinates("x y z");
    constraint("a", "x' + z*y'");
    constraint("b", "y' - x*z'");
    classify();
    kinds("ii");
    free_positions(1);
    finish();

    begin(); // but with time it is a surface
    coordinates("x y z");
    constraint("a", "x' + z*y'");
    constraint("b", "y' - x*z' - t*z");
    classify();
    kinds("nN");
    free_positions(3);
    finish();
}

// Two forms of which a combination is integrable, though neither is.
static void combinations_count(void)
{
    begin();
    coordinates("x y z w");
    constraint("a", "x' + z*y'");
    constraint("b", "w' + (2*w + y)*x' + y*z*y'"); // dw + 2 w dx and y times a
    classify();
    kinds("nn");
    free_positions(3);
    ok(found->integrals.rows == 1);
    finish();

    begin(); // a − b = d(x − w) exactly
    coordinates("x y z w");
    constraint("a", "x' + z*y'");
    constraint("b", "w' + z*y'");
    classify();
    kinds("nn");
    free_positions(3);
    ok(found->integrals.rows == 1);
    set("z", 0.3);
    const double x = value_of(kal_sparse_get(&found->integrals, 0, 0));
    const double w = value_of(kal_sparse_get(&found->integrals, 0, 3));
    ok(fabs(x) > 0.1);
    near(w, -x, 1e-12);
    ok(kal_sparse_get(&found->integrals, 0, 1).index == 0);
    finish();
}

// A car with trailers: n trailers need n + 1 rounds of brackets.
static void trailers_need_many_brackets(void)
{
    begin();
    coordinates("x y a b c d");
    constraint("w0", "x'*sin(a + b) - y'*cos(a + b) - b'*0");
    constraint("w1", "x'*sin(a) - y'*cos(a) - a'*cos(b)");
    constraint("w2", "x'*sin(c) - y'*cos(c) + c'*cos(a - c)");
    constraint("w3", "x'*sin(d) - y'*cos(d) + c'*cos(c - d) + d'");
    classify();
    kinds("nnnn");
    decided(KAL_DECISION_EXACT);
    free_positions(6);
    finish();

    begin(); // chained form: x1 = u, x2' = x1-direction, x3' = x2, … and one spectator
    coordinates("s a b c d e");
    constraint("a", "a' - b*s'");
    constraint("b", "b' - c*s'");
    constraint("c", "c' - d*s'");
    constraint("e", "e' - 2*a*(a' - b*s') - 3*s^2*s'");
    classify();
    kinds("nnnn");
    free_positions(5); // e − s³ stays
    finish();
}

static void time_makes_a_difference(void)
{
    begin();
    coordinates("x y");
    constraint("belt", "x' - 2*t");
    classify();
    ok(found->classes[0].decision == KAL_DECISION_EXACT);
    kinds("I");
    finish();

    begin();
    coordinates("x y");
    constraint("free", "y'*x + t");
    classify();
    kinds("N");
    free_positions(2);
    finish();

    begin();
    coordinates("x y");
    constraint("mix", "t*x' + x + y'"); // d(t x + y)
    classify();
    kinds("I");
    free_positions(1);
    finish();

    begin();
    coordinates("x y z");
    constraint("affine", "x' + z*y' - 1");
    constraint("round", "x'^2 + y'^2 - t");
    classify();
    kinds("nN");
    ok(found->classes[0].linear_in_velocity && !found->classes[1].linear_in_velocity);
    finish();
}

static void levels_and_linearity_show(void)
{
    begin();
    coordinates("x y");
    constraint("p", "x*y - 1");
    constraint("v", "x'*y' - 1");
    constraint("a", "x'' + x'^2 - t");
    constraint("b", "y'' + x*x'");
    constraint("w", "(x' + y)^2 - (x' - y)^2 - x'*y");
    classify();
    kinds("hnAai");
    const bool linear[] = {true, false, false, true, true};
    for (size_t i = 0; i < 5; i++) {
        ok(found->classes[i].linear_in_velocity == linear[i]);
        same_text(kal_level_word(found->classes[i].level), i == 0 ? "position"
                                                           : i == 2 || i == 3
                                                               ? "acceleration"
                                                               : "velocity");
    }
    finish();
}

// The value of a parameter may be what makes a form integrable.
static void parameters_have_values(void)
{
    begin();
    parameter("k", 0.0);
    coordinates("x y z");
    constraint("c", "x' + k*z*y' + z'");
    classify();
    kinds("i");
    finish();

    begin();
    parameter("k", 1.0 / 3.0); // rounded: any value
    coordinates("x y z");
    constraint("c", "x' + k*z*y' + z'");
    classify();
    kinds("n");
    decided(KAL_DECISION_EXACT);
    finish();
}

static void odd_functions_are_known_by_their_operands(void)
{
    begin();
    coordinates("x y z");
    constraint("c", "atan(x*y)*(x*y' + y*x') + abs(z)*z'"); // in each variable exact
    classify();
    kinds("i");
    decided(KAL_DECISION_EXACT);
    finish();

    begin();
    coordinates("x y z");
    constraint("c", "atan2(x, y)*z' + abs(z)*x' + y'");
    classify();
    kinds("n");
    decided(KAL_DECISION_NUMERIC);
    finish();
}

// The first constraint is not decided, which is said.
static void undecided(void)
{
    ok(found->classes[0].decision == KAL_DECISION_NONE && found->undecided == 1);
    has_text(found->reason, "branches");
}

// Forms whose factors have branches.
static void branches_are_not_overlooked(void)
{
    begin();
    coordinates("x y z");
    constraint("c", "z' - if(x > 5, y, 0)*x'"); // integrable nearby only
    classify();
    kinds("n");
    decided(KAL_DECISION_NUMERIC);
    finish();

    begin();
    coordinates("x y z");
    constraint("c", "z' - if(x > 1000000, y, 0)*x'");
    classify();
    kinds("n");
    undecided();
    finish();

    begin(); // on each side of x = 5 integrable, but one can go round the edge
    coordinates("x y z");
    constraint("c", "z' - if(x > 5, 1, 0)*y'");
    classify();
    kinds("n");
    undecided();
    finish();

    begin(); // a drive that begins later: two variables are always integrable
    coordinates("x y z");
    constraint("c", "x' - if(t > 5, 2, 0)");
    classify();
    kinds("I");
    ok(found->complete && found->rank == 1);
    finish();

    begin();
    coordinates("x y z");
    constraint("c", "max(x, y)*z'");
    classify();
    kinds("i");
    decided(KAL_DECISION_EXACT);
    finish();

    begin();
    coordinates("x y");
    constraint("c", "x' - if(x > 1000000, y'^2, y')");
    classify();
    kinds("n");
    ok(!found->classes[0].linear_in_velocity);
    undecided();
    finish();
}

// Many independent rolling discs are as many small questions.
// A step has no slope, but what it switches is not linear in what switches it.
static void steps_are_not_linear(void)
{
    static const char *const residuals[] = {
        "x' + if(y' > 3, y', 2*y')", "x' + if(y' > 30, y', x)", "x' + max(y', 0)",
        "x' + if(y' > 30, 1, 0)", "x' + sign(z')*y'"};
    for (size_t i = 0; i < sizeof residuals / sizeof residuals[0]; i++) {
        begin();
        coordinates("x y z");
        constraint("c", residuals[i]);
        classify();
        ok(!found->classes[0].linear_in_velocity);
        kinds("n");
        finish();
    }
    begin(); // both sides are the same
    coordinates("x y");
    constraint("c", "x' + if(y' > 3, y', 2*y' - y')");
    classify();
    ok(found->classes[0].linear_in_velocity);
    finish();
}

static void groups_are_independent(void)
{
    begin();
    for (int i = 0; i < 4; i++) {
        char text[64];
        for (int k = 0; k < 3; k++) {
            snprintf(text, sizeof text, "%c%d", "xyz"[k], i);
            coordinate(text);
        }
        snprintf(text, sizeof text, i % 2 ? "x%d' + z%d*y%d'" : "x%d'*z%d + x%d*z%d'",
                 i, i, i, i);
        constraint("c", text);
    }
    classify();
    kinds("inin");
    free_positions(10);
    finish();
}

// x_k' − x_(k+1) s', each mixed with all that follow: as many rounds as there are forms.
static void build_chain(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = 0;
        ok(kal_model_add_coordinate(model, (KalCoordinate){.name = "q"}, &index)
           == KAL_OK);
    }
    const KalCoordinate *c = model->coordinates;
    for (uint32_t i = 0; i + 2 < n; i++) {
        KalExpr sum = kal_int(g, 0);
        for (uint32_t k = i + 1; k + 1 < n; k++) {
            const KalExpr form = kal_sub(g, c[k].v, kal_mul(g, c[k + 1].q, c[0].v));
            const KalExpr factor =
                kal_add(g, kal_int(g, k == i + 1 ? 5 : 2), c[(i + k) % n].q);
            sum = kal_add(g, sum, kal_mul(g, factor, form));
        }
        const KalConstraint entry = {
            .name = "c", .residual = sum, .driven = KAL_NOT_DRIVEN};
        uint32_t index = 0;
        ok(kal_model_add_constraint(model, entry, &index) == KAL_OK);
    }
}

// What is beyond all bounds ends with an answer that says so.
static void large_systems_are_given_up(void)
{
    begin();
    build_chain(10);
    classify();
    ok(found->complete && found->undecided == 0 && found->rank == 0 && !found->reason);
    finish();

    begin();
    build_chain(60);
    classify();
    ok(!found->complete && found->reason);
    has_text(found->reason, "the formulas would grow too large");
    for (size_t i = 0; i < found->m; i++) {
        ok(found->classes[i].kind == KAL_CONSTRAINT_NONHOLONOMIC);
    }
    finish();
}

static void nothing_is_nothing(void)
{
    begin();
    coordinates("x");
    classify();
    ok(found->m == 0 && found->rank == 0 && found->integrals.rows == 0);
    finish();
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status != KAL_OK && n < 20000; n++) {
        begin();
        parameter("k", 2.0);
        coordinates("x y z w u");
        constraint("a", "x' + z*y'");
        constraint("b", "w' + 2*w*x' + (z - 1)*y'*k/2");
        constraint("p", "u - 3*z");
        derive();
        system_fault.calls_left = n;
        status = kal_classify(eq, &found);
        system_fault.calls_left = -1;
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !found));
        finish();
    }
    ok(status == KAL_OK && n > 100);
}

TAP_RUN(TAP_CASE(three_forms_in_space), TAP_CASE(a_disc_rolls),
        TAP_CASE(a_knife_slides), TAP_CASE(constraints_on_positions_hold),
        TAP_CASE(a_ball_rolls), TAP_CASE(wheels_in_the_plane_are_integrable),
        TAP_CASE(combinations_count), TAP_CASE(trailers_need_many_brackets),
        TAP_CASE(time_makes_a_difference), TAP_CASE(levels_and_linearity_show),
        TAP_CASE(parameters_have_values),
        TAP_CASE(odd_functions_are_known_by_their_operands),
        TAP_CASE(branches_are_not_overlooked), TAP_CASE(steps_are_not_linear),
        TAP_CASE(groups_are_independent), TAP_CASE(large_systems_are_given_up),
        TAP_CASE(nothing_is_nothing), TAP_CASE(every_allocation_may_fail))
