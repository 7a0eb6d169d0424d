// SPDX-License-Identifier: MIT

// Expressions: numbers, vectors, derivatives, sums, functions.

#include "model.h"

// The formula of an output of a text that has x, y, z and v = [x, y, z].
static void is_formula(const char *expression, const char *formula)
{
    char text[2000];
    Lab lab;
    snprintf(text, sizeof text,
             "param k = 3, n = 2\ncoord x, y, z, w[4]\nlet v = [x, y, z]\n"
             "let R = [[cos(x), -sin(x)], [sin(x), cos(x)]]\noutput o = %s\n",
             expression);
    lab_build(&lab, text);
    same_text(lab_formula(&lab, lab.model->outputs[0].value), formula);
    lab_close(&lab);
}

// The number of an output at the symbols' values.
static double value_of(const char *expression)
{
    char text[2000];
    Lab lab;
    snprintf(text, sizeof text, "param k = 3\ncoord x, y\noutput o = %s\n", expression);
    lab_build(&lab, text);
    const double value = lab_number(&lab, "o", 1);
    lab_close(&lab);
    return value;
}

static void arithmetic_has_the_usual_ranks(void)
{
    is_formula("-x^2", "-x^2");
    is_formula("2^3^2*x", "512*x");
    is_formula("x - y - z", "x - y - z");
    is_formula("x/y/z", "x/(y*z)");
    is_formula("0.1*x + 1/3", "1/10*x + 1/3");
    is_formula("k*x", "k*x");
    is_formula("30*deg", "1/6*pi");
    is_formula("t*pi", "pi*t");
}

static void functions_are_those_of_mathematics(void)
{
    const double x = lab_symbol("x", 1);
    const double y = lab_symbol("y", 1);
    const double xd = lab_symbol("x'", 1);
    near(value_of("sin(x) + cos(y)*tan(x)"), sin(x) + cos(y) * tan(x), 1e-14);
    near(value_of("atan2(x, y) + hypot(x, y)"), atan2(x, y) + hypot(x, y), 1e-14);
    near(value_of("exp(x)*log(y) + sqrt(x)"), exp(x) * log(y) + sqrt(x), 1e-14);
    near(value_of("asin(x/3) + acos(y/3) + atan(x)"),
         asin(x / 3) + acos(y / 3) + atan(x), 1e-14);
    near(value_of("sinh(x) + cosh(y) + tanh(x)"), sinh(x) + cosh(y) + tanh(x), 1e-14);
    near(value_of("min(x, y, 0.01) + max(x, y, 9)"), 9.01, 1e-14);
    near(value_of("abs(-x) + sign(-y)"), x - 1, 1e-14);
    near(value_of("if(x > 0 and not y < 0, x, y)"), x, 1e-15);
    near(value_of("if(x < 0 or y == 0, x, y')"), lab_symbol("y'", 1), 1e-15);
    near(value_of("(sin(x)*y)'"), cos(x) * xd * y + sin(x) * lab_symbol("y'", 1),
         1e-14);
}

static void vectors_add_scale_and_multiply(void)
{
    is_formula("(v + 2*v - v/2).z", "5/2*z");
    is_formula("(-v)[2]", "-y");
    is_formula("dot(v, [1, 2, k])", "x + 2*y + k*z");
    is_formula("cross(v, [0, 0, 1]).x", "y");
    is_formula("cross(v, [0, 0, 1]).y", "-x");
    is_formula("cross([x, y], [z, k])", "k*x - y*z");
    is_formula("norm([x, y])", "sqrt(x^2 + y^2)");
    is_formula("(R*[1, 0]).y", "sin(x)");
    is_formula("(transpose(R)*R)[1][1]", "1");
    is_formula("(transpose(R)*R)[1][2]", "0");
    is_formula("transpose(R)[1][2]", "sin(x)");
    is_formula("(k*R)[2].x", "k*sin(x)");
    is_formula("if(x > 0, v, -v).x", "if(0 < x, x, -x)");
    is_formula("w[n+1]", "w[3]");
    is_formula("w.y", "w[2]");
}

static void primes_are_time_derivatives(void)
{
    is_formula("x'", "x'");
    is_formula("x''", "x''");
    is_formula("(x')'", "x''");
    is_formula("w[2]'", "w[2]'");
    is_formula("w'[3]", "w[3]'");
    is_formula("v'.x", "x'");
    is_formula("v''[2]", "y''");
    is_formula("(k*x^2)'", "2*k*x*x'");
    is_formula("k'", "0");
    is_formula("(t*x)'", "x + t*x'");
    is_formula("(R*[1, 0])'.x", "-x'*sin(x)");
    is_formula("(x*y')'", "x'*y' + x*y''");
}

static void sums_go_through_their_range(void)
{
    is_formula("sum(i in 1..4 : i*w[i])", "w[1] + 2*w[2] + 3*w[3] + 4*w[4]");
    is_formula("sum(i in 1..4, i != 2 and i < 4 : w[i])", "w[1] + w[3]");
    is_formula("sum(i in 3..2 : w[i])", "0");
    is_formula("sum(i in 1..n : sum(j in i..n : w[i]*w[j]))",
               "w[1]*(w[1] + w[2]) + w[2]^2");
    is_formula("sum(i in 1..3 : i*v)[2]", "6*y");
    is_formula("sum(i in 1..2 : [[x, i], [y, 0]])[1][2]", "3");
    is_formula("sum(i in 1..4 : if(i > 1, w[i-1], 0))", "w[1] + w[2] + w[3]");
    is_formula("sum(i in 1..n+2 : if(i < n+2, w[i+1], 0))", "w[2] + w[3] + w[4]");
    is_formula("sum(i in 1..4, i <= n^2/2 : w[i])", "w[1] + w[2]");
    is_formula("sum(i in -1..1 : i*x)", "0");
}

// A condition on parameters alone stays: it can change from run to run.
static void parameters_are_not_folded(void)
{
    is_formula("if(k > 2, x, y)", "if(2 < k, x, y)");
    is_formula("k + 1", "k + 1");
    is_formula("sum(i in 1..2 : if(k > i, x, y))", "2*x");
    is_formula("w[n] + if(n > 4, w[n+3], x)", "w[2] + x"); // n chose an element
    is_formula("if(n > k, x, y)", "if(k < n, x, y)");
}

static void names_of_functions_can_be_names(void)
{
    builds("param min = 3, rate = 2, angle = 1\noutput o = min*rate + min(angle, 2)\n");
    builds("fn norm(a) = a + 1\ncoord x\noutput o = norm(x)\n");
    builds("coord every, sum\noutput o = every + sum + sum(i in 1..2 : sum)\n");
}

static void functions_of_the_model_substitute(void)
{
    const char *text = "param k = 3\ncoord x, y\n"
                       "fn f(x, p) = k*x + dot(p, [1, 2])\n"
                       "fn g(y) = f(y, [x, y])\n"
                       "fn M(a) = [[a, 0], [0, 2*a]]\n"
                       "output a = f(y, [x, 1]), b = g(2), c = (M(x)*[1, y]).y\n"
                       "output d = f(f(x, [0, 0]), [0, 0])\n";
    Lab lab;
    lab_build(&lab, text);
    same_text(lab_formula(&lab, lab_output(&lab, "a")), "k*y + x + 2");
    same_text(lab_formula(&lab, lab_output(&lab, "b")), "2*k + x + 4");
    same_text(lab_formula(&lab, lab_output(&lab, "c")), "2*x*y");
    same_text(lab_formula(&lab, lab_output(&lab, "d")), "k^2*x");
    lab_close(&lab);
}

static void what_can_fail_knows_its_place(void)
{
    Lab lab;
    KalSpan span = {.source = NULL};
    lab_build(&lab, "coord x, y\noutput o = x/y + sqrt(x)\n");
    ok(lab.model && lab.model->n_origins == 2);
    for (size_t i = 0; lab.model && i < lab.model->n_origins; i++) {
        ok(kal_model_find_origin(lab.model, lab.model->origins[i].node, &span));
    }
    ok(span.source && strncmp(span.source->text + span.begin, "sqrt(x)", 7) == 0);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(arithmetic_has_the_usual_ranks),
        TAP_CASE(functions_are_those_of_mathematics),
        TAP_CASE(vectors_add_scale_and_multiply), TAP_CASE(primes_are_time_derivatives),
        TAP_CASE(sums_go_through_their_range), TAP_CASE(parameters_are_not_folded),
        TAP_CASE(names_of_functions_can_be_names),
        TAP_CASE(functions_of_the_model_substitute),
        TAP_CASE(what_can_fail_knows_its_place))
