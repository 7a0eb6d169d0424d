// SPDX-License-Identifier: MIT

#include "expr/substitute.h"
#include "graph.h"

static void symbols_and_parts_are_replaced(void)
{
    begin();
    const KalExpr from[] = {f("x"), f("y"), f("sin(z)")};
    const KalExpr to[] = {f("y"), f("2*x"), f("3")};
    const KalReplacements all = {from, to, 3};
    const KalExpr e[] = {f("x + y"), f("sin(x)^2 + cos(y)"), f("sin(z)*w"), f("w")};
    KalExpr out[4];
    ok(kal_substitute(g, e, 4, &all, out) == KAL_OK);
    ok(out[0].index == f("y + 2*x").index);
    ok(out[1].index == f("sin(y)^2 + cos(2*x)").index);
    ok(out[2].index == f("3*w").index);
    ok(out[3].index == f("w").index);
    end();
}

static void results_are_simplified(void)
{
    begin();
    const KalExpr from = f("x");
    const KalExpr zero = f("0");
    const KalReplacements all = {&from, &zero, 1};
    KalExpr e = f("cos(x)*y + x*z + if(x < 1, y, z)");
    ok(kal_substitute(g, &e, 1, &all, &e) == KAL_OK);
    same_text(text_of(e), "2*y");
    e = f("y/x");
    ok(kal_substitute(g, &e, 1, &all, &e) == KAL_ERR_NUMBER);
    ok(kal_graph_culprit(g).index != 0);
    kal_graph_recover(g);
    same_text(text_of(e), "y/x");
    end();
}

static KalStatus replace(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    const KalExpr x = kal_symbol(graph, 0);
    const KalExpr y = kal_symbol(graph, 1);
    const KalReplacements all = {&x, &y, 1};
    KalExpr e = kal_sin(graph, x);
    const KalStatus status = kal_substitute(graph, &e, 1, &all, &e);
    if (status == KAL_OK) {
        ok(e.index == kal_sin(graph, y).index);
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(replace);
}

TAP_RUN(TAP_CASE(symbols_and_parts_are_replaced), TAP_CASE(results_are_simplified),
        TAP_CASE(every_allocation_may_fail))
