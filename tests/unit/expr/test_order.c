// SPDX-License-Identifier: MIT

#include "expr/order.h"
#include "graph.h"

static void operands_come_first_and_once(void)
{
    begin();
    const KalExpr roots[] = {f("sin(x*y) + exp(x*y)"), f("x"), f("cos(x*y)"), f("x")};
    f("unrelated + 1");
    KalOrder order;
    ok(kal_order_init(g, roots, 4, &order) == KAL_OK);
    ok(order.count == 7); // x y xy sin exp sum cos
    for (uint32_t i = 0; i < order.count; i++) {
        const KalStep *step = &order.steps[i];
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            ok(step->arg[k] < i);
            ok(order.steps[step->arg[k]].node.index
               == kal_graph_node(g, step->node).arg[k].index);
        }
    }
    for (size_t r = 0; r < 4; r++) {
        ok(order.steps[order.roots[r]].node.index == roots[r].index);
    }
    kal_order_clear(&order);
    ok(kal_order_init(g, NULL, 0, &order) == KAL_OK);
    ok(order.count == 0);
    kal_order_clear(&order);
    end();
}

// Deep and shared: 2^200 paths, and a chain of 300,000.
static void depth_and_sharing_do_not_matter(void)
{
    begin();
    KalExpr e = f("x");
    for (int i = 0; i < 200; i++) {
        e = kal_add(g, kal_sin(g, e), kal_cos(g, e));
    }
    for (int i = 0; i < 300000; i++) {
        e = kal_unary(g, KAL_OP_ATAN, e);
    }
    KalOrder order;
    ok(kal_order_init(g, &e, 1, &order) == KAL_OK);
    ok(order.count == 1 + 3 * 200 + 300000);
    kal_order_clear(&order);
    bool depends;
    ok(kal_depends_on(g, e, f("x"), &depends) == KAL_OK && depends);
    ok(kal_depends_on(g, e, f("y"), &depends) == KAL_OK && !depends);
    end();
}

static void dependence_is_listed(void)
{
    begin();
    const KalExpr roots[] = {f("sin(q) + d"), f("q*x + a"), f("3")};
    uint32_t ids[32];
    uint64_t classes[26] = {0};
    uint64_t of[3];
    KalOrder order;
    classes['d' - 'a'] = 1;
    classes['q' - 'a'] = 2;
    classes['x' - 'a'] = 4;
    ok(kal_order_init(g, roots, 3, &order) == KAL_OK);
    ok(kal_order_symbols(&order, ids) == 4);
    ok(ids[0] == 0 && ids[1] == 3 && ids[2] == 'q' - 'a' && ids[3] == 'x' - 'a');
    ok(kal_order_classes(&order, classes, of) == KAL_OK);
    ok(of[0] == 3 && of[1] == 6 && of[2] == 0);
    kal_order_clear(&order);
    end();
}

static void operations_are_counted(void)
{
    begin();
    const KalExpr e = f("sin(x)*y + x^5/(y - z) + min(x, z)");
    KalOrder order;
    ok(kal_order_init(g, &e, 1, &order) == KAL_OK);
    const KalOperations n = kal_order_operations(&order);
    ok(n.sums == 3);
    ok(n.products == 1 + 3); // x^5 is 3 multiplications
    ok(n.quotients == 1);
    ok(n.functions == 1);
    ok(n.choices == 1);
    kal_order_clear(&order);
    kal_graph_set_plain(g, true);
    const KalExpr inverse = kal_powi(g, f("x"), -4);
    ok(kal_order_init(g, &inverse, 1, &order) == KAL_OK);
    ok(kal_order_operations(&order).products == 2);
    ok(kal_order_operations(&order).quotients == 1);
    kal_order_clear(&order);
    end();
}

static KalStatus order_something(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr e = kal_symbol(graph, 0);
    for (int i = 0; i < 300; i++) {
        e = kal_sin(graph, e);
    }
    KalOrder order = {0};
    uint64_t all = 1;
    uint64_t of = 0;
    bool depends = false;
    KalStatus status = kal_order_init(graph, &e, 1, &order);
    if (status == KAL_OK) {
        status = kal_order_classes(&order, &all, &of);
        kal_order_clear(&order);
    }
    if (status == KAL_OK) {
        ok(of == 1);
        status = kal_depends_on(graph, e, kal_symbol(graph, 0), &depends);
        ok(depends == (status == KAL_OK));
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(order_something);
}

TAP_RUN(TAP_CASE(operands_come_first_and_once),
        TAP_CASE(depth_and_sharing_do_not_matter), TAP_CASE(dependence_is_listed),
        TAP_CASE(operations_are_counted), TAP_CASE(every_allocation_may_fail))
