// SPDX-License-Identifier: MIT

#include "expr/diff.h"
#include "expr/order.h"
#include "graph.h"

static const char *derivative(const char *text)
{
    KalExpr df = KAL_NO_EXPR;
    const KalExpr e = f(text);
    ok(e.index != 0 && kal_diff(g, e, f("x"), &df) == KAL_OK);
    return text_of(df);
}

#define derives(formula, want) same_text(derivative(formula), want)

static void derivatives_are_those_of_the_textbook(void)
{
    begin();
    derives("7", "0");
    derives("y", "0");
    derives("x", "1");
    derives("a*x^2 + b*x + c", "b + 2*a*x");
    derives("a/x", "-a/x^2");
    derives("x^(-3)", "-3/x^4");
    derives("sin(2*x)", "2*cos(2*x)");
    derives("cos(x)", "-sin(x)");
    derives("tan(x)", "tan(x)^2 + 1");
    derives("asin(x)", "1/sqrt(1 - x^2)");
    derives("acos(x)", "-1/sqrt(1 - x^2)");
    derives("atan(x)", "1/(x^2 + 1)");
    derives("atan2(x, y)", "y/(y^2 + x^2)");
    derives("atan2(y, x)", "-y/(y^2 + x^2)");
    derives("sinh(x)", "cosh(x)");
    derives("cosh(x)", "sinh(x)");
    derives("tanh(x)", "1 - tanh(x)^2");
    derives("exp(a*x)", "a*exp(a*x)");
    derives("log(x)", "1/x");
    derives("sqrt(x)", "1/(2*sqrt(x))");
    derives("x^y", "y*x^(y - 1)");
    derives("y^x", "y^x*log(y)");
    derives("hypot(x, y)", "x/hypot(x, y)");
    end();
}

static void choices_differentiate_branch_by_branch(void)
{
    begin();
    derives("abs(x)", "sign(x)");
    derives("sign(x)", "0");
    derives("if(x < 1, x^2, y)", "if(x < 1, 2*x, 0)");
    derives("min(x^2, y)", "if(x^2 <= y, 2*x, 0)");
    derives("max(x, y)", "if(y <= x, 1, 0)");
    derives("if(x < 1, y, z)", "0");
    KalExpr d[2] = {KAL_NO_EXPR, KAL_NO_EXPR};
    const KalExpr x[2] = {f("x"), f("y")};
    ok(kal_gradient(g, f("min(x, y) + if(y < 0, 3*x, y)"), x, 2, d) == KAL_OK);
    same_text(text_of(d[0]), "3*if(y < 0, 1, 0) + if(x <= y, 1, 0)");
    same_text(text_of(d[1]), "if(y < 0, 0, 1) + if(x <= y, 0, 1)");
    end();
}

static void total_derivatives_follow_time(void)
{
    begin();
    const KalExpr symbols[] = {f("x"), f("x'"), f("t")};
    const KalExpr rates[] = {f("x'"), f("x''"), f("1")};
    const KalRates time = {symbols, rates, 3};
    const KalExpr e[] = {f("L*sin(x)"), f("x*t"), f("x'^2/2"), f("L")};
    KalExpr d[4];
    ok(kal_total(g, e, 4, &time, d) == KAL_OK);
    ok(d[0].index == f("L*cos(x)*x'").index);
    ok(d[1].index == f("x'*t + x").index);
    ok(d[2].index == f("x'*x''").index);
    ok(kal_is_int(g, d[3], 0));
    ok(kal_total(g, NULL, 0, &time, NULL) == KAL_OK);
    end();
}

static void gradients_have_an_entry_for_each_symbol(void)
{
    begin();
    const KalExpr x[] = {f("y"), f("z"), f("x")};
    KalExpr d[3];
    ok(kal_gradient(g, f("x*y^2 + sin(x)"), x, 3, d) == KAL_OK);
    ok(d[0].index == f("2*x*y").index);
    ok(kal_is_int(g, d[1], 0));
    ok(d[2].index == f("y^2 + cos(x)").index);
    ok(kal_gradient(g, f("x"), x, 3, d) == KAL_OK);
    ok(kal_is_int(g, d[0], 0) && kal_is_int(g, d[2], 1));
    ok(kal_gradient(g, f("x"), NULL, 0, d) == KAL_OK);
    end();
}

static uint32_t reachable(const KalExpr *e, size_t n)
{
    KalOrder order = {0};
    ok(kal_order_init(g, e, n, &order) == KAL_OK);
    const uint32_t count = order.count;
    kal_order_clear(&order);
    return count;
}

// The kinetic energy of a chain of n links: its gradient with respect to all 2n
// variables costs a small multiple of it, whatever n.
static void gradients_do_not_swell(void)
{
    enum {
        N = 200
    };

    KalExpr x[2 * N];
    KalExpr d[2 * N];
    for (uint32_t n = 25; n <= N; n *= 2) {
        begin();
        KalExpr u = kal_int(g, 0);
        KalExpr v = kal_int(g, 0);
        KalExpr T = kal_int(g, 0);
        for (uint32_t i = 0; i < n; i++) {
            x[i] = kal_symbol(g, 3 * i);
            x[n + i] = kal_symbol(g, 3 * i + 1);
            const KalExpr m = kal_symbol(g, 3 * i + 2);
            u = kal_add(g, u, kal_mul(g, kal_cos(g, x[i]), x[n + i]));
            v = kal_add(g, v, kal_mul(g, kal_sin(g, x[i]), x[n + i]));
            T = kal_add(
                g, T, kal_mul(g, m, kal_add(g, kal_powi(g, u, 2), kal_powi(g, v, 2))));
        }
        const uint32_t before = kal_graph_count(g);
        const uint32_t size = reachable(&T, 1);
        ok(kal_gradient(g, T, x, 2 * n, d) == KAL_OK);
        ok(reachable(d, 2 * n) <= 3 * size);
        ok(kal_graph_count(g) - before <= 3 * size);
        end();
    }
}

// Reverse accumulation through products and functions with many operands.
static void long_formulas_differentiate_in_linear_space(void)
{
    enum {
        N = 5000
    };

    static KalExpr x[N];
    static KalExpr d[N];
    begin();
    KalExpr e = kal_int(g, 1);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = kal_symbol(g, i);
        e = i % 2 == 0 ? kal_mul(g, e, kal_sin(g, x[i])) : kal_add(g, e, x[i]);
        e = i % 7 == 0 ? kal_div(g, e, kal_add(g, x[i], kal_int(g, 3))) : e;
    }
    const uint32_t before = kal_graph_count(g);
    ok(kal_gradient(g, e, x, N, d) == KAL_OK);
    ok(kal_graph_count(g) < 8 * before);
    end();
}

static KalStatus differentiate(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    const KalExpr x = kal_symbol(graph, 0);
    const KalExpr e = kal_mul(graph, kal_sin(graph, x), x);
    KalExpr df = KAL_NO_EXPR;
    KalStatus status = kal_diff(graph, e, x, &df);
    ok((status == KAL_OK) == (df.index != 0));
    if (status == KAL_OK) {
        df = KAL_NO_EXPR;
        status = kal_gradient(graph, e, &x, 1, &df);
        ok((status == KAL_OK) == (df.index != 0));
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(differentiate);
}

static void spoiled_graphs_have_no_derivatives(void)
{
    begin();
    const KalExpr x = f("x");
    f("x/0");
    KalExpr df = x;
    KalSparse J = {0};
    const KalRates none = {NULL, NULL, 0};
    ok(kal_diff(g, x, x, &df) == KAL_ERR_NUMBER);
    ok(kal_gradient(g, x, &x, 1, &df) == KAL_ERR_NUMBER);
    ok(kal_total(g, &x, 1, &none, &df) == KAL_ERR_NUMBER);
    ok(kal_jacobian(g, &x, 1, &x, 1, &J) == KAL_ERR_NUMBER);
    ok(kal_hessian(g, x, &x, 1, &J) == KAL_ERR_NUMBER);
    ok(df.index == x.index && J.start == NULL);
    end();
}

TAP_RUN(TAP_CASE(derivatives_are_those_of_the_textbook),
        TAP_CASE(choices_differentiate_branch_by_branch),
        TAP_CASE(total_derivatives_follow_time),
        TAP_CASE(gradients_have_an_entry_for_each_symbol),
        TAP_CASE(gradients_do_not_swell),
        TAP_CASE(long_formulas_differentiate_in_linear_space),
        TAP_CASE(every_allocation_may_fail),
        TAP_CASE(spoiled_graphs_have_no_derivatives))
