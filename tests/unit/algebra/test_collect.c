// SPDX-License-Identifier: MIT

#include "algebra/collect.h"
#include "expr/eval.h"
#include "graph.h"
#include "rng.h"

static KalGraph *shown;

static const KalPrintOptions OPTIONS = {.format = KAL_FORMAT_TEXT,
                                        .name = formula_name};

// What a text becomes; the graph for readers starts anew each time.
static const char *collected(const char *text)
{
    const KalExpr e = f(text);
    KalExpr out = KAL_NO_EXPR;
    kal_graph_destroy(shown);
    shown = NULL;
    ok(kal_graph_create(ctx, &shown) == KAL_OK);
    ok(kal_collect(g, &e, 1, &OPTIONS, shown, &out) == KAL_OK);
    return formula_print(shown, out, KAL_FORMAT_TEXT);
}

#define collects(formula, want) same_text(collected(formula), want)

static void finish(void)
{
    kal_graph_destroy(shown);
    shown = NULL;
    end();
}

static void common_factors_are_collected(void)
{
    begin();
    collects("m*g*l*sin(x) + m*l*a", "l*m*(a + g*sin(x))");
    collects("I + m*l^2 + n*l^2", "l^2*(m + n) + I");
    collects("a*c + a*d + b*c + b*d + e", "(a + b)*(c + d) + e");
    collects("-m*g - k*(x - y)", "k*(y - x) - g*m");
    collects("-x*(a + b - c)", "x*(c - a - b)");
    collects("x*y*a + x*y*b - x*y*c", "x*y*(a + b - c)");
    finish();
}

static void like_terms_are_merged_across_sums(void)
{
    begin();
    collects("a*b + c*d + (e*b - (c*d - a*b))", "b*(2*a + e)");
    collects("(x + y)*(x - y) + y^2", "x^2");
    collects("(a + b)^3 - a^3 - b^3", "3*a*b*(a + b)");
    collects("0.5*x + x/2 + 0.25*y*z", "x + 1/4*y*z");
    finish();
}

static void squares_of_sine_and_cosine_are_contracted(void)
{
    begin();
    collects("m*(l*cos(x)*w)^2 + I*w + m*l^2*sin(x)^2*w^2", "w*(l^2*m*w + I)");
    collects("a*sin(x)^4 + 2*a*sin(x)^2*cos(x)^2 + a*cos(x)^4 + b", "a + b");
    collects("k*cosh(x)^2*b + c*z - k*b*sinh(x)^2", "b*k + c*z");
    collects("(m + n)*l^2 - n*l^2*cos(x)^2", "l^2*(m + n*sin(x)^2)");
    finish();
}

static void angles_are_added_and_subtracted(void)
{
    begin();
    collects("l*k*cos(a)*cos(b) + l*k*sin(a)*sin(b)", "k*l*cos(a - b)");
    collects("l*sin(a)*cos(b) - l*cos(a)*sin(b)", "l*sin(a - b)");
    collects("cos(a)*cos(b) - sin(a)*sin(b) + sin(a)*cos(b) + cos(a)*sin(b)",
             "cos(a + b) + sin(a + b)");
    collects("m*((l*cos(a)*w + k*cos(b)*v)^2 + (l*sin(a)*w + k*sin(b)*v)^2)",
             "m*(k^2*v^2 + 2*k*l*v*w*cos(a - b) + l^2*w^2)");
    finish();
}

static void roots_are_squared(void)
{
    begin();
    collects("m*x^2/sqrt(x^2 + y^2) + m*y^2/sqrt(x^2 + y^2)", "m*sqrt(x^2 + y^2)");
    collects("x^2/hypot(x, y)^2 + y^2/hypot(x, y)^2", "1");
    finish();
}

static void arguments_of_functions_are_shortened(void)
{
    begin();
    collects("exp(a*b + a*c + a*d)*x", "x*exp(a*(b + c + d))");
    collects("if(x*y + x*z + x*w < 1, a, b)", "if(x*(w + y + z) < 1, a, b)");
    finish();
}

static void short_formulas_stay(void)
{
    begin();
    collects("x", "x");
    collects("1/2", "1/2");
    collects("1/2*m*x^2", "1/2*m*x^2");
    collects("a/x + b/y + c/z", "a/x + b/y + c/z");
    collects("(a + b)^20", "(a + b)^20");
    collects("tan(x) + 0.1", "tan(x) + 1/10");
    finish();
}

// Too many terms, atoms, digits or powers: the formula comes out as it is.
static void large_formulas_stay(void)
{
    begin();
    char text[4000] = "0";
    for (int i = 0; i < 60; i++) {
        char more[40];
        snprintf(more, sizeof more, " + sin(x*%d)*y", i + 1);
        strcat(text, more);
    }
    const KalExpr many = f(text);
    const KalExpr powers = f("(a + b + c + d + e)^40*(a - b) + (a + b)^1000");
    const KalExpr digits = f("(a/9000000000000000001 + b)^9*(a - b/8999999999999999999)"
                             " + (a + b/7999999999999999999)^9");
    const KalExpr all[] = {many, powers, digits};
    KalExpr out[3];
    ok(kal_graph_create(ctx, &shown) == KAL_OK);
    ok(kal_collect(g, all, 3, &OPTIONS, shown, out) == KAL_OK);
    for (int i = 0; i < 3; i++) {
        char *before = strdup(text_of(all[i]));
        const char *after = formula_print(shown, out[i], KAL_FORMAT_TEXT);
        ok(strlen(after) <= strlen(before));
        free(before);
    }
    finish();
}

// A division by what is zero in disguise is left alone.
static void hidden_zeros_are_not_divided_by(void)
{
    begin();
    collects("x/((a + b)^2 - a^2 - 2*a*b - b^2 + c*0 + (d - e)*(d + e) - d^2 + e^2)",
             formula_print(g,
                           f("x/((a + b)^2 - a^2 - 2*a*b - b^2 + c*0"
                             " + (d - e)*(d + e) - d^2 + e^2)"),
                           KAL_FORMAT_TEXT));
    finish();
}

// Σ over products of powers of symbols, sines and cosines, some of them below a line.
static KalExpr random_formula(Rng *rng)
{
    KalExpr sum = kal_int(g, 0);
    const int terms = rng_int(rng, 2, 7);
    for (int i = 0; i < terms; i++) {
        KalExpr product = kal_number(g, kal_rational(rng_int(rng, -4, 4), 2));
        for (int k = 0; k < 4; k++) {
            KalExpr factor = kal_symbol(g, (uint32_t)rng_int(rng, 0, 3));
            switch (rng_int(rng, 0, 5)) {
            case 0: factor = kal_sin(g, factor); break;
            case 1: factor = kal_cos(g, factor); break;
            case 2: factor = kal_add(g, factor, kal_symbol(g, 4)); break;
            case 3:
                factor = kal_sqrt(g, kal_add(g, kal_powi(g, factor, 2), f("e")));
                break;
            default: break;
            }
            product = kal_mul(g, product, kal_powi(g, factor, rng_int(rng, 1, 2)));
        }
        if (rng_int(rng, 0, 3) == 0) {
            product = kal_div(g, product, f("a + e"));
        }
        sum = kal_add(g, sum, product);
    }
    return sum;
}

static void values_are_kept(void)
{
    begin();
    Rng rng = {.state = 11};
    int shorter = 0;
    for (int round = 0; round < 300; round++) {
        const KalExpr e = random_formula(&rng);
        KalExpr out = KAL_NO_EXPR;
        double x[5];
        double want = NAN;
        double got = NAN;
        ok(kal_graph_create(ctx, &shown) == KAL_OK);
        ok(kal_collect(g, &e, 1, &OPTIONS, shown, &out) == KAL_OK);
        const size_t before = strlen(text_of(e));
        const size_t after = strlen(formula_print(shown, out, KAL_FORMAT_TEXT));
        ok(after <= before);
        shorter += after < before;
        for (int point = 0; point < 3; point++) {
            for (int i = 0; i < 5; i++) {
                x[i] = 0.5 + rng_unit(&rng);
            }
            ok(kal_eval(g, &e, 1, x, &want) == KAL_OK);
            ok(kal_eval(shown, &out, 1, x, &got) == KAL_OK);
            near(got, want, 1e-11 * (10.0 + fabs(want)));
        }
        kal_graph_destroy(shown);
        shown = NULL;
    }
    printf("# %d of 300 became shorter\n", shorter);
    ok(shorter > 30);
    end();
}

static KalStatus collect_once(KalContext *context)
{
    KalGraph *from = NULL;
    KalGraph *to = NULL;
    KalExpr out = KAL_NO_EXPR;
    KalStatus status = kal_graph_create(context, &from);
    if (status == KAL_OK) {
        status = kal_graph_create(context, &to);
    }
    if (status == KAL_OK) {
        const KalExpr e = formula_parse(
            from, "m*l*cos(a)*cos(b) + m*l*sin(a)*sin(b) + exp(a*c + a*d)*m"
                  " + sqrt(x^2 + y^2)^2*(sin(a)^2 + z)/m");
        status = kal_graph_status(from);
        if (status == KAL_OK) {
            status = kal_collect(from, &e, 1, &OPTIONS, to, &out);
        }
    }
    kal_graph_destroy(to);
    kal_graph_destroy(from);
    return status;
}

static void survives_every_failing_allocation(void)
{
    begin();
    each_allocation_fails(collect_once);
    end();
}

TAP_RUN(TAP_CASE(common_factors_are_collected),
        TAP_CASE(like_terms_are_merged_across_sums),
        TAP_CASE(squares_of_sine_and_cosine_are_contracted),
        TAP_CASE(angles_are_added_and_subtracted), TAP_CASE(roots_are_squared),
        TAP_CASE(arguments_of_functions_are_shortened), TAP_CASE(short_formulas_stay),
        TAP_CASE(large_formulas_stay), TAP_CASE(hidden_zeros_are_not_divided_by),
        TAP_CASE(values_are_kept), TAP_CASE(survives_every_failing_allocation))
