// SPDX-License-Identifier: MIT

// Which part of a formula is to blame for a value that is not finite.

#include "lab.h"

// Evaluate at a, b (parameters), c, d; the culprit must be `want`, "" for none.
static void blames(const char *first, const char *second, const double values[4],
                   const char *want)
{
    begin();
    kal_graph_set_plain(g, true);
    const KalExpr outputs[] = {f(first), f(second)};
    const KalExpr culprit = *want ? f(want) : KAL_NO_EXPR;
    Lab lab;
    double got[2];
    lab_open(&lab, outputs, 2, 2, 2);
    lab_eval(&lab, values, 2, got);
    const KalExpr found = kal_program_find_fault(lab.program, values + 2, lab.work);
    if (!ok(found.index == culprit.index)) {
        printf("# %s is blamed, not %s\n", text_of(found), want);
    }
    ok((culprit.index == 0) == (isfinite(got[0]) && isfinite(got[1])));
    lab_close(&lab);
    end();
}

static void finite_values_are_nobodys_fault(void)
{
    const double values[] = {1.0, 2.0, 3.0, 4.0};
    blames("a + c", "b*d", values, "");
    blames("if(c > 0, c, log(-d))", "1", values, ""); // not taken
    blames("1/(1 + exp(1000*c))", "1", values, "");   // too large, and rightly 0
    blames("a", "1", values, "");
}

static void the_innermost_is_blamed(void)
{
    const double values[] = {1.0, 2.0, 0.0, -4.0};
    blames("a + b*sin(2 + 1/c)", "d", values, "1/c");
    blames("a", "b - 3*sqrt(d)*c", values, "sqrt(d)");
    blames("exp(1000*b) - 1", "c", values, "exp(1000*b)");
    blames("-(c/c)", "1", values, "c/c");
    blames("3 - log(c)", "1", values, "log(c)");
    blames("c^-2 + d", "1", values, "c^-2");
    blames("sin(1/c)", "cos(1/c)", values, "1/c");
    blames("d + cos(1/c)", "sin(1/c)", values, "1/c");
    blames("a/(b - 2)", "c", values, "a/(b - 2)"); // on the first tape
    blames("c + a/(b - 2)", "c", values, "a/(b - 2)");
    blames("atan2(c, d) + hypot(d, 1/c)", "1", values, "1/c");
    blames("atan(1/c)", "1", values,
           "1/c"); // a pole is no number, also where its limit is
    blames("sign(a/c) + exp(-1/c^2)", "1", values, "a/c");
    blames("min(3, sqrt(d))", "1", values, "sqrt(d)");
    blames("if(sqrt(d) < 1, a, b)", "1", values, "sqrt(d)");
}

// A part that has no value but does not count is not to blame.
static void only_what_counts_is_blamed(void)
{
    const double values[] = {1.0, 2.0, 0.0, -4.0};
    blames("if(c < 1, sqrt(d), log(d)) + log(c)", "1", values, "sqrt(d)");
    blames("if(c > 1, sqrt(d), 3) + log(c)", "1", values, "log(c)");
    blames("if(c > 1, 3, d/c)", "1", values, "d/c");
    blames("if(c > 1, sqrt(d), 3)", "asin(b)", values, "asin(b)");
}

static void symbols_may_be_to_blame(void)
{
    blames("a + sin(c)", "d", (double[]){1.0, 1.0, INFINITY, 1.0}, "c");
    blames("a + sin(c)", "d", (double[]){1.0, 1.0, 1.0, NAN}, "d");
    blames("a*b + sin(c)", "d", (double[]){1.0, NAN, 1.0, 1.0}, "b");
    blames("a + sin(c)", "d", (double[]){1.0, NAN, 1.0, 1.0}, ""); // b is not used
}

// Along a chain with many runs, over several windows.
static void the_blame_is_found_far_down(void)
{
    begin();
    kal_graph_set_plain(g, true);
    const KalExpr culprit = kal_unary(g, KAL_OP_LOG, f("c"));
    KalExpr e = culprit;
    for (int i = 0; i < 20000; i++) {
        e = i % 2 ? kal_add(g, f("a"), e) : kal_mul(g, f("d"), e);
        e = i % 5 ? e : kal_sin(g, kal_mul(g, f("c"), e));
    }
    Lab lab;
    double got = 0.0;
    lab_open(&lab, &e, 1, 2, 2);
    const double values[] = {0.5, 0.25, -1.0, 0.5};
    lab_eval(&lab, values, 2, &got);
    ok(isnan(got));
    ok(kal_program_find_fault(lab.program, values + 2, lab.work).index
       == culprit.index);
    lab_close(&lab);
    end();
}

TAP_RUN(TAP_CASE(finite_values_are_nobodys_fault), TAP_CASE(the_innermost_is_blamed),
        TAP_CASE(only_what_counts_is_blamed), TAP_CASE(symbols_may_be_to_blame),
        TAP_CASE(the_blame_is_found_far_down))
