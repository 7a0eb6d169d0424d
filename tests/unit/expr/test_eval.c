// SPDX-License-Identifier: MIT

#include "expr/eval.h"
#include "graph.h"

// The value of a formula, built as it is written, where x = 0.7, y = -1.3, z = 2.
static double value(const char *text)
{
    double values[FORMULA_NAMES] = {0.0};
    values['x' - 'a'] = 0.7;
    values['y' - 'a'] = -1.3;
    values['z' - 'a'] = 2.0;
    kal_graph_set_plain(g, true);
    const KalExpr e = f(text);
    double out = NAN;
    ok(e.index != 0 && kal_eval(g, &e, 1, values, &out) == KAL_OK);
    return out;
}

static void operators_have_their_values(void)
{
    const volatile double x = 0.7; // the compiler's own functions round better
    const volatile double y = -1.3;
    begin();
    ok(value("x + y") == x + y && value("x - y") == x - y && value("-x") == -x);
    ok(value("x*y") == x * y && value("x/y") == x / y);
    ok(value("x^y") == pow(x, y) && value("sqrt(x)") == sqrt(x));
    ok(value("sin(x)") == sin(x) && value("cos(x)") == cos(x)
       && value("tan(x)") == tan(x));
    ok(value("asin(x)") == asin(x) && value("acos(x)") == acos(x));
    ok(value("atan(x)") == atan(x) && value("atan2(y, x)") == atan2(y, x));
    ok(value("sinh(x)") == sinh(x) && value("cosh(x)") == cosh(x));
    ok(value("tanh(x)") == tanh(x) && value("exp(x)") == exp(x));
    ok(value("log(x)") == log(x) && value("abs(y)") == 1.3);
    ok(value("sign(y)") == -1.0 && value("sign(x)") == 1.0
       && value("sign(0*x)") == 0.0);
    ok(value("min(x, y)") == y && value("max(x, y)") == x);
    ok(value("hypot(x, y)") == hypot(x, y));
    ok(value("pi") == acos(-1.0) && value("1/3") == 1.0 / 3.0);
    end();
}

static void conditions_choose(void)
{
    begin();
    ok(value("if(x < y, 1, 2)") == 2.0 && value("if(y < x, 1, 2)") == 1.0);
    ok(value("if(x <= x, 1, 2)") == 1.0 && value("if(x > x, 1, 2)") == 2.0);
    ok(value("if(x == x, 1, 2)") == 1.0 && value("if(x != x, 1, 2)") == 2.0);
    ok(value("if(x > 0 and y < 0, 1, 2)") == 1.0);
    ok(value("if(x < 0 or y < 0, 1, 2)") == 1.0);
    ok(value("if(x < 0 or y > 0, 1, 2)") == 2.0);
    ok(value("if(not (x < 0), 1, 2)") == 1.0);
    end();
}

// Where x = 0.7, y = −1.3: √y is no number, and x − x is zero in formulas as written.
static void what_is_no_number_stays_none(void)
{
    static const char *const none[] = {
        "min(sqrt(y), 3)",
        "min(3, sqrt(y))",
        "max(sqrt(y), 3)",
        "max(3, sqrt(y))",
        "sign(sqrt(y))",
        "if(sqrt(y) < 1, 1, 2)",
        "if(sqrt(y) <= 1, 1, 2)",
        "if(sqrt(y) == 1, 1, 2)",
        "if(sqrt(y) != 1, 1, 2)",
        "if(not (sqrt(y) < 1), 1, 2)",
        "if(x > 0 and sqrt(y) < 1, 1, 2)",
        "if(x < 0 or sqrt(y) < 1, 1, 2)",
    };
    begin();
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ok(isnan(value(none[i])));
    }
    ok(value("if(x < 0 and sqrt(y) < 1, 1, 2)") == 2.0);
    ok(value("if(x > 0 or sqrt(y) < 1, 1, 2)") == 1.0);
    ok(value("if(y < 0, 1, sqrt(y))") == 1.0);
    end();
}

static void poles_have_no_value(void)
{
    static const char *const poles[] = {
        "sign(1/(x - x))", "atan(1/(x - x))",   "1/(1 + 1/(x - x))", "tanh(log(x - x))",
        "exp(log(x - x))", "1/(x - x)^(-0.5)",  "min(1/(x - x), 3)", "(x - x)^(-2) > 1",
        "1/(x - x)^(-3)",  "exp(-(x - x)^(-2))"};
    begin();
    for (size_t i = 0; i < sizeof poles / sizeof *poles; i++) {
        ok(isnan(value(poles[i])));
    }
    ok(value("1/(1 + exp(2000*x))") == 0.0 && value("tanh(exp(2000*x))") == 1.0);
    ok(value("if(x == x, 1, 1/(x - x))") == 1.0);
    end();
}

static void whole_powers_multiply(void)
{
    begin();
    for (int32_t n = -9; n <= 9; n++) {
        const double x = 1.7;
        const KalExpr s = kal_symbol(g, 0);
        kal_graph_set_plain(g, true);
        const KalExpr e = kal_powi(g, s, n);
        double out = NAN;
        ok(kal_eval(g, &e, 1, &x, &out) == KAL_OK);
        near(out, pow(x, n), 4e-16 * pow(x, n));
    }
    end();
}

static KalStatus evaluate(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    const double x = 0.5;
    double out = 42.0;
    const KalExpr e = kal_sin(graph, kal_symbol(graph, 0));
    const KalStatus status = kal_eval(graph, &e, 1, &x, &out);
    ok(out == (status == KAL_OK ? sin(x) : 42.0));
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(evaluate);
}

TAP_RUN(TAP_CASE(operators_have_their_values), TAP_CASE(conditions_choose),
        TAP_CASE(what_is_no_number_stays_none), TAP_CASE(poles_have_no_value),
        TAP_CASE(whole_powers_multiply), TAP_CASE(every_allocation_may_fail))
