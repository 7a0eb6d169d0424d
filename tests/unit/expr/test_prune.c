// SPDX-License-Identifier: MIT

#include "expr/order.h"
#include "expr/prune.h"
#include "graph.h"

// What is kept says the same as before, whatever stood between; what is not, is gone.
static void roots_keep_their_formulas(void)
{
    begin();
    const KalExpr old = f("sin(x) + y");
    const uint32_t first = kal_graph_count(g);
    f("exp(x*y*z) - 17");
    KalExpr kept[] = {f("x*sin(x)^2/(y + 4)"), KAL_NO_EXPR, old, f("cos(z)")};
    f("exp(x*y*z)*cos(z) + 18");
    KalExpr more = f("sin(x)^2*cos(z) + 19");
    char text[4][100];
    const KalExpr before[] = {kept[0], kept[2], kept[3], more};
    for (int i = 0; i < 4; i++) {
        (void)snprintf(text[i], sizeof text[i], "%s", text_of(before[i]));
    }
    const KalKept lists[] = {
        {kept,  4},
        {&more, 1},
        {NULL,  0}
    };
    const uint32_t count = kal_graph_count(g);
    ok(kal_graph_prune(g, first, lists, 3) == KAL_OK);
    ok(kal_graph_count(g) < count - 6);
    ok(kept[1].index == 0 && kept[2].index == old.index);
    same_text(text_of(kept[0]), text[0]);
    same_text(text_of(kept[2]), text[1]);
    same_text(text_of(kept[3]), text[2]);
    same_text(text_of(more), text[3]);
    end();
}

// Equal formulas are one node, after as before.
static void what_is_left_is_found_again(void)
{
    begin();
    const uint32_t first = kal_graph_count(g);
    f("x*y*z + 2/7");
    KalExpr e = f("sin(x*y) + 0.1*z");
    f("atan2(x, y)");
    const KalKept list = {&e, 1};
    ok(kal_graph_prune(g, first, &list, 1) == KAL_OK);
    const uint32_t count = kal_graph_count(g);
    ok(f("sin(x*y) + 0.1*z").index == e.index);
    ok(kal_is_zero(g, f("0")));
    ok(kal_graph_count(g) == count);
    ok(same("x*y*z + 2/7", "2/7 + z*y*x"));
    ok(kal_graph_count(g) > count);
    end();
}

// Every node that is left has a user or is a root, and operands stand before their users.
static void nothing_else_is_left(void)
{
    begin();
    const uint32_t first = kal_graph_count(g);
    for (int i = 0; i < 500; i++) {
        kal_mul(g, kal_sin(g, f("x")), kal_int(g, i + 2));
    }
    KalExpr e = f("x");
    for (int i = 0; i < 1000; i++) {
        kal_cos(g, kal_sin(g, e));
        e = kal_sin(g, kal_add(g, e, kal_int(g, i + 1)));
    }
    const KalKept list = {&e, 1};
    ok(kal_graph_prune(g, first, &list, 1) == KAL_OK);
    ok(kal_graph_count(g)
       <= first + 1 + 3 * 1000 + 1); // x, sums, sines, numbers, and 0
    KalOrder order;
    ok(kal_order_init(g, &e, 1, &order) == KAL_OK);
    ok(order.count + 1 >= kal_graph_count(g) - first);
    kal_order_clear(&order);
    end();
}

// However often formulas are made and forgotten, the graph is as large as it was.
static void nothing_gathers(void)
{
    begin();
    const uint32_t first = kal_graph_count(g);
    size_t bytes = 0;
    for (int round = 0; round < 5; round++) {
        KalExpr e = f("x/3 + sin(5*x)");
        for (int i = 2; i < 300; i++) {
            kal_sin(g, kal_mul(g, f("y"), kal_int(g, i)));
        }
        const KalKept list = {&e, 1};
        ok(kal_graph_prune(g, first, &list, 1) == KAL_OK);
        same_text(text_of(e), "1/3*x + sin(5*x)");
        ok(round == 0 || kal_graph_bytes(g) == bytes);
        bytes = kal_graph_bytes(g);
    }
    end();
}

static KalStatus prune_something(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr e = kal_symbol(graph, 0);
    const uint32_t first = kal_graph_count(graph);
    for (int i = 0; i < 300; i++) {
        kal_cos(graph, kal_sin(graph, e));
        e = kal_sin(graph, e);
    }
    const KalKept list = {&e, 1};
    KalStatus status = kal_graph_prune(graph, first, &list, 1);
    if (status == KAL_OK) {
        status = kal_sin(graph, e).index == 0 ? kal_graph_status(graph) : KAL_OK;
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(prune_something);
}

TAP_RUN(TAP_CASE(roots_keep_their_formulas), TAP_CASE(what_is_left_is_found_again),
        TAP_CASE(nothing_else_is_left), TAP_CASE(nothing_gathers),
        TAP_CASE(every_allocation_may_fail))
