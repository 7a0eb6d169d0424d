// SPDX-License-Identifier: MIT

#include "expr/eval.h"
#include "graph.h"
#include "print/print.h"

static const char *c_of(const char *text)
{
    return formula_print(g, f(text), KAL_FORMAT_C);
}

static void text_is_the_model_language(void)
{
    begin();
    becomes("1/2*m*(x'^2 + y'^2)", "1/2*m*(x'^2 + y'^2)");
    becomes("-x^2", "-x^2");
    becomes("(-x)^y", "(-x)^y");
    becomes("(1/2)^x", "(1/2)^x");
    becomes("x^(1/3)", "x^(1/3)");
    becomes("x^(y^z)", "x^(y^z)");
    becomes("(x^y)^z", "(x^y)^z");
    becomes("x^(-y)", "x^(-y)");
    becomes("(a + b)*(c - d)", "(a + b)*(c - d)");
    becomes("a - (b + c)", "a - b - c");
    becomes("a/(b*c)", "a/(b*c)");
    becomes("a*(b/c)", "a*b/c");
    becomes("a/(b + c)^2", "a/(b + c)^2");
    becomes("-(a + b)*c", "-c*(a + b)");
    becomes("-2/3*x", "-2/3*x");
    becomes("-3/(4*x*y)", "-3/(4*x*y)");
    becomes("x - 1/2", "x - 1/2");
    becomes("x[3]*link[2].a'", "x[3]*link[2].a'");
    becomes("0.1*x", "1/10*x");
    becomes("2*pi*x", "2*pi*x");
    becomes("hypot(x, y) + atan2(y, -x)", "hypot(x, y) + atan2(y, -x)");
    becomes("if(x < y and (x > 1 or not (y <= z)), x, y)",
            "if(x < y and (1 < x or (not (y <= z))), x, y)");
    same_text(text_of(kal_const(g, 0.1)), "0.1");
    same_text(text_of(kal_const(g, -1e300)), "-1e300");
    same_text(text_of(kal_const(g, 1e-7)), "1e-07");
    same_text(text_of(kal_mul(g, kal_const(g, -0.1), f("x"))), "-0.1*x");
    // A condition where a number is expected.
    const KalExpr less = kal_binary(g, KAL_OP_LT, f("x"), f("y"));
    same_text(text_of(kal_mul(g, f("z"), less)), "z*if(x < y, 1, 0)");
    end();
}

static void c_is_grouped_as_the_graph_is(void)
{
    begin();
    same_text(c_of("x^2 + x^3"), "(x*x)*(x + 1.0)");
    same_text(c_of("2*x"), "2.0*x");
    same_text(c_of("a - (b + sin(c)*d)"), "a - (b + d*sin(c))");
    same_text(c_of("(a + b)^2"), "pow(a + b, 2.0)");
    same_text(c_of("a*b/(c*d)"), "a*b/(c*d)");
    same_text(c_of("-x"), "-x");
    same_text(c_of("-(x*y)"), "-(x*y)");
    same_text(c_of("min(x, y + 1)"), "(x <= (y + 1.0) || x != x ? x : (y + 1.0))");
    same_text(c_of("abs(x)"), "fabs(x)");
    same_text(c_of("sign(x)"), "(x == x ? (x > 0.0) - (x < 0.0) : x)");
    same_text(c_of("x < y"), "(isunordered(x, y) ? NAN : x < y)");
    same_text(c_of("if(z, x, y)"), "(z == z ? (z != 0.0 ? x : y) : z)");
    same_text(c_of("atan2(x, y)^(1/3)"),
              "(atan2(x, y) != 0.0 || 0.3333333333333333 >= 0.0 ? "
              "pow(atan2(x, y), 0.3333333333333333) : NAN)");
    same_text(c_of("pi*x"), "3.14159265358979323846*x");
    same_text(c_of("-0.5*x"), "(-0.5)*x");
    end();
}

// What is shared is named once, in an order in which C and the language accept it.
static void parts_get_names(void)
{
    begin();
    const KalExpr e[] = {f("sin(a + b)^2 + cos(a + b)"), f("sin(a + b)*x"), f("x")};
    const char *const names[] = {"p", "q", "r"};
    KalPrintOptions options = {.format = KAL_FORMAT_TEXT, .name = formula_name};
    const KalSink sink = {formula_keep, NULL};
    ok(kal_print_parts(g, e, names, 3, &options, sink) == KAL_OK);
    same_text(formula_text, "let v1 = a + b\n"
                            "let v2 = sin(v1)\n"
                            "let p = v2^2 + cos(v1)\n"
                            "let q = x*v2\n"
                            "let r = x\n");
    options.format = KAL_FORMAT_C;
    options.prefix = "s";
    ok(kal_print_parts(g, e, names, 3, &options, sink) == KAL_OK);
    same_text(formula_text, "const double s1 = a + b;\n"
                            "const double s2 = sin(s1);\n"
                            "p = (s2*s2) + cos(s1);\n"
                            "q = x*s2;\n"
                            "r = x;\n");
    options.format = KAL_FORMAT_LATEX;
    ok(kal_print_parts(g, e, names, 2, &options, sink) == KAL_OK);
    same_text(formula_text, "s_{1} = a + b\n"
                            "s_{2} = \\sin\\left(s_{1}\\right)\n"
                            "p = s_{2}^{2} + \\cos\\left(s_{1}\\right)\n"
                            "q = x s_{2}\n");
    ok(kal_print_parts(g, e, names, 0, &options, sink) == KAL_OK);
    end();
}

static size_t written;

static void count_bytes(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    written += length;
}

// Text of 2^100 leaves is refused, by name; with named parts it is short.
static void exponential_text_is_refused(void)
{
    begin();
    KalExpr e = f("x");
    for (int i = 0; i < 100; i++) {
        e = kal_add(g, kal_sin(g, e), kal_cos(g, e));
    }
    const char *const name = "y";
    const KalSink sink = {count_bytes, NULL};
    for (int format = KAL_FORMAT_TEXT; format <= KAL_FORMAT_C; format++) {
        KalPrintOptions options = {.format = (KalFormat)format, .name = formula_name};
        written = 0;
        ok(kal_print(g, e, &options, sink) == KAL_ERR_LIMIT);
        has_text(kal_context_message(ctx), "longer than 1000000 characters");
        ok(written == 0);
        ok(kal_print_parts(g, &e, &name, 1, &options, sink) == KAL_OK);
        ok(written > 0 && written < 40000);
        options.limit = 10;
        ok(kal_print_parts(g, &e, &name, 1, &options, sink) == KAL_ERR_LIMIT);
    }
    end();
}

static void deep_formulas_print(void)
{
    begin();
    KalExpr e = f("x");
    for (int i = 0; i < 100000; i++) {
        e = kal_unary(g, KAL_OP_ATAN, e);
    }
    KalExpr sum = kal_int(g, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        sum = kal_add(g, sum, kal_unary(g, KAL_OP_EXP, kal_symbol(g, i % 26)));
        sum = kal_sin(g, sum);
    }
    const KalSink sink = {count_bytes, NULL};
    for (int format = KAL_FORMAT_TEXT; format <= KAL_FORMAT_C; format++) {
        const KalPrintOptions options = {
            .format = (KalFormat)format, .name = formula_name, .limit = 100000000};
        ok(kal_print(g, e, &options, sink) == KAL_OK);
        ok(kal_print(g, sum, &options, sink) == KAL_OK);
    }
    end();
}

static KalStatus print_something(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr e = kal_symbol(graph, 0);
    for (int i = 0; i < 100; i++) {
        e = kal_sin(graph, kal_add(graph, kal_mul(graph, e, e), e));
    }
    const char *const name = "y";
    const KalSink sink = {count_bytes, NULL};
    KalStatus status = KAL_OK;
    for (int format = 0; format < 3 && status == KAL_OK; format++) {
        const KalPrintOptions options = {.format = (KalFormat)format,
                                         .name = formula_name};
        written = 0;
        status = kal_print_parts(graph, &e, &name, 1, &options, sink);
        ok((status == KAL_OK) == (written > 0));
        if (status == KAL_OK) {
            status = kal_print(graph, kal_symbol(graph, 0), &options, sink);
        }
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(print_something);
}

TAP_RUN(TAP_CASE(text_is_the_model_language), TAP_CASE(c_is_grouped_as_the_graph_is),
        TAP_CASE(parts_get_names), TAP_CASE(exponential_text_is_refused),
        TAP_CASE(deep_formulas_print), TAP_CASE(every_allocation_may_fail))
