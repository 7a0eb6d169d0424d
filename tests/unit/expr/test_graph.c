// SPDX-License-Identifier: MIT

#include "graph.h"

static void equal_nodes_are_stored_once(void)
{
    begin();
    const KalExpr x = kal_symbol(g, 0);
    const KalExpr y = kal_symbol(g, 1);
    ok(x.index != y.index);
    ok(kal_symbol(g, 0).index == x.index);
    ok(kal_add(g, x, y).index == kal_add(g, y, x).index);
    ok(kal_mul(g, x, y).index == kal_mul(g, y, x).index);
    ok(kal_sub(g, x, y).index != kal_sub(g, y, x).index);
    ok(kal_pi(g).index == kal_pi(g).index);
    ok(kal_const(g, 0.5).index == kal_number(g, kal_rational(1, 2)).index);
    ok(kal_const(g, 0.1).index == kal_const(g, 0.1).index);
    ok(kal_const(g, 0.1).index != kal_number(g, kal_rational(1, 10)).index);
    const uint32_t count = kal_graph_count(g);
    ok(kal_sin(g, kal_add(g, y, x)).index == count);
    ok(kal_sin(g, kal_add(g, x, y)).index == count);
    ok(kal_graph_count(g) == count + 1);
    end();
}

static void operands_come_before_their_users(void)
{
    begin();
    f("sin(x*y + 3)^2/(x - hypot(y, 2)) + if(x < y and not (x == 2), x^y, exp(-x))");
    ok(kal_graph_status(g) == KAL_OK);
    for (uint32_t i = 1; i < kal_graph_count(g); i++) {
        const KalExprNode n = kal_graph_node(g, (KalExpr){i});
        for (int k = 0; k < kal_op_arity((KalOp)n.op); k++) {
            ok(n.arg[k].index > 0 && n.arg[k].index < i);
        }
    }
    end();
}

// Enough nodes for the tables to grow several times; all are found again.
static void tables_grow(void)
{
    enum {
        N = 20000
    };

    static KalExpr e[N];
    begin();
    for (uint32_t i = 0; i < N; i++) {
        const KalExpr x = kal_symbol(g, i);
        e[i] = kal_mul(g, kal_int(g, (int64_t)i + 2), kal_sin(g, x));
    }
    const uint32_t count = kal_graph_count(g);
    for (uint32_t i = 0; i < N; i++) {
        const KalExpr x = kal_symbol(g, i);
        ok(kal_mul(g, kal_sin(g, x), kal_int(g, (int64_t)i + 2)).index == e[i].index);
    }
    ok(kal_graph_count(g) == count);
    ok(kal_graph_bytes(g) <= kal_context_bytes(ctx));
    end();
}

static void a_limit_spoils_the_graph(void)
{
    begin();
    const KalExpr x = kal_symbol(g, 0);
    kal_graph_set_limit(g, 100);
    KalExpr e = x;
    for (int i = 0; i < 200; i++) {
        e = kal_sin(g, e);
    }
    ok(e.index == 0);
    ok(kal_graph_count(g) <= 101);
    ok(kal_graph_status(g) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "more than 100 operations");
    ok(kal_symbol(g, 0).index == 0);
    ok(kal_int(g, 5).index == 0);
    ok(kal_add(g, x, x).index == 0);
    kal_graph_recover(g);
    ok(kal_graph_status(g) == KAL_OK);
    ok(kal_symbol(g, 0).index == x.index);
    end();
}

static void division_by_zero_names_its_culprit(void)
{
    begin();
    const KalExpr x = f("x + y");
    ok(kal_is_zero(g, f("z - z")));
    ok(kal_div(g, x, f("z - z")).index == 0);
    ok(kal_graph_status(g) == KAL_ERR_NUMBER);
    same_text(kal_context_message(ctx), "division by zero");
    ok(kal_graph_culprit(g).index == x.index);
    ok(kal_sin(g, x).index == 0);
    kal_graph_recover(g);
    ok(kal_graph_culprit(g).index == 0);
    ok(kal_powi(g, kal_int(g, 0), -2).index == 0);
    ok(kal_graph_status(g) == KAL_ERR_NUMBER);
    kal_graph_recover(g);
    ok(f("0^(-1/2)").index == 0);
    kal_graph_recover(g);
    kal_graph_set_plain(g, true);
    ok(f("x/0").index == 0);
    kal_graph_recover(g);
    ok(kal_graph_status(g) == KAL_OK);
    end();
}

static void numbers_are_finite(void)
{
    begin();
    ok(kal_const(g, NAN).index == 0);
    ok(kal_graph_status(g) == KAL_ERR_NUMBER);
    has_text(kal_context_message(ctx), "not finite");
    ok(kal_graph_culprit(g).index == 0);
    kal_graph_recover(g);
    ok(kal_const(g, INFINITY).index == 0);
    kal_graph_recover(g);
    // What would overflow or underflow is left as it is.
    becomes("1e300*1e300", "1e300*1e300");
    becomes("1e-300*1e-300*x", "1e-300*1e-300*x");
    becomes("1e300/1e-300", "1e300/1e-300");
    becomes("1e200^2", "1e200^2");
    becomes("1e308 + 1e308", "1e308 + 1e308");
    end();
}

static void nothing_gives_nothing(void)
{
    begin();
    const KalExpr x = kal_symbol(g, 0);
    const KalExpr none = KAL_NO_EXPR;
    ok(kal_add(g, x, none).index == 0 && kal_add(g, none, x).index == 0);
    ok(kal_sub(g, none, x).index == 0 && kal_neg(g, none).index == 0);
    ok(kal_mul(g, none, x).index == 0 && kal_div(g, x, none).index == 0);
    ok(kal_div(g, none, kal_int(g, 0)).index == 0);
    ok(kal_pow(g, none, x).index == 0 && kal_pow(g, kal_int(g, 1), none).index == 0);
    ok(kal_powi(g, none, 3).index == 0 && kal_sqrt(g, none).index == 0);
    ok(kal_sin(g, none).index == 0 && kal_select(g, x, x, none).index == 0);
    ok(kal_binary(g, KAL_OP_MIN, none, x).index == 0);
    ok(!kal_is_zero(g, none) && !kal_is_int(g, none, 0));
    ok(kal_graph_status(g) == KAL_OK);
    end();
}

static void plain_graphs_keep_what_they_are_given(void)
{
    begin();
    kal_graph_set_plain(g, true);
    becomes("x + 0*y + 1*(x + x)", "x + 0*y + 1*(x + x)");
    becomes("sin(-x)^2 + 2/4", "sin(-x)^2 + 2/4");
    end();
}

static void operators_are_described(void)
{
    ok(kal_op_arity(KAL_OP_ATAN2) == 2 && kal_op_arity(KAL_OP_SELECT) == 3);
    ok(kal_op_kind(KAL_OP_NEG) == KAL_KIND_SUM);
    ok(kal_op_commutes(KAL_OP_MAX) && !kal_op_commutes(KAL_OP_POW));
    same_text(kal_op_word(KAL_OP_TANH), "tanh");
    ok(kal_op_find_function("atan2", 5) == KAL_OP_ATAN2);
    ok(kal_op_find_function("atan", 4) == KAL_OP_ATAN);
    ok(kal_op_find_function("atan", 3) == KAL_OP_COUNT);
    ok(kal_op_find_function("pi", 2) == KAL_OP_COUNT);
    ok(kal_op_find_function("if", 2) == KAL_OP_COUNT);
}

static KalStatus build_much(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr e = kal_symbol(graph, 0);
    for (int i = 0; i < 2000; i++) {
        const KalExpr x = kal_symbol(graph, (uint32_t)i);
        const KalExpr k = kal_number(graph, kal_rational(i, 7));
        e = kal_add(graph, kal_mul(graph, e, kal_cos(graph, x)),
                    kal_powi(graph, kal_sub(graph, k, x), 2));
        e = kal_sub(graph, kal_sqrt(graph, kal_mul(graph, e, e)), kal_div(graph, x, e));
    }
    const KalStatus status = kal_graph_status(graph);
    ok((status == KAL_OK) == (e.index != 0));
    kal_graph_destroy(graph);
    return status;
}

// Packed, a graph has no index; building makes it anew, and equal nodes are still stored once.
static void packed_graphs_go_on(void)
{
    begin();
    const KalExpr before = f("x*sin(y) - 3/7");
    const KalExpr zero = kal_int(g, 0);
    const size_t bytes = kal_context_bytes(ctx);
    kal_graph_pack(g);
    ok(kal_context_bytes(ctx) < bytes);
    ok(kal_int(g, 0).index == zero.index);
    ok(kal_context_bytes(ctx) < bytes);
    ok(kal_graph_node(g, before).op == KAL_OP_SUB
       || kal_graph_node(g, before).op == KAL_OP_ADD);
    ok(kal_symbol(g, 0).index != 0);
    ok(f("x*sin(y) - 3/7").index == before.index);
    kal_graph_pack(g);
    kal_graph_pack(g);
    kal_graph_unpack(g);
    ok(f("x*sin(y) - 3/7").index == before.index);
    end();
}

static KalStatus pack_and_build(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    const KalExpr x = kal_sin(graph, kal_symbol(graph, 1));
    kal_graph_pack(graph);
    const KalExpr again = kal_sin(graph, kal_symbol(graph, 1));
    const KalStatus status = kal_graph_status(graph);
    ok(status != KAL_OK || again.index == x.index);
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    kal_graph_destroy(NULL);
    each_allocation_fails(build_much);
    each_allocation_fails(pack_and_build);
}

TAP_RUN(TAP_CASE(equal_nodes_are_stored_once),
        TAP_CASE(operands_come_before_their_users), TAP_CASE(tables_grow),
        TAP_CASE(a_limit_spoils_the_graph),
        TAP_CASE(division_by_zero_names_its_culprit), TAP_CASE(numbers_are_finite),
        TAP_CASE(nothing_gives_nothing),
        TAP_CASE(plain_graphs_keep_what_they_are_given),
        TAP_CASE(operators_are_described), TAP_CASE(packed_graphs_go_on),
        TAP_CASE(every_allocation_may_fail))
