// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "lab.h"

static const KalSpan NOWHERE = {NULL, 0, 0};

static KalNode *name(KalTree *tree, const char *text)
{
    return kal_tree_add_text(tree, KAL_NODE_NAME, NOWHERE, text, strlen(text));
}

static KalNode *negate(KalTree *tree, KalNode *operand)
{
    return kal_tree_add(tree,
                        (KalNode){.kind = KAL_NODE_NEGATE, .of.unary = {operand}});
}

static void a_tree_can_be_built_by_hand(void)
{
    KalContext *ctx = NULL;
    KalTree *tree = NULL;
    Shown shown;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_tree_create(ctx, &tree) == KAL_OK);
    ok(!kal_tree_first(tree));
    KalNode *a = name(tree, "a");
    KalNode *half = kal_tree_add_number(tree, NOWHERE, "0.5", 3);
    a->next = half;
    half->join = KAL_JOIN_OVER;
    KalNode *product =
        kal_tree_add(tree, (KalNode){.kind = KAL_NODE_MULTIPLY, .of.list = {a}});
    KalNode *kinetic = kal_tree_add(
        tree, (KalNode){.kind = KAL_NODE_KINETIC, .of.unary = {negate(tree, product)}});
    kal_tree_append(tree, kinetic);
    kal_tree_append(tree, NULL);
    kal_tree_append(tree, kal_tree_add(tree, (KalNode){.kind = KAL_NODE_POTENTIAL,
                                                       .of.unary = {name(tree, "b")}}));
    kal_statements_print(kal_tree_first(tree), shown_sink(&shown));
    same_text(shown.text, "kinetic -(a/0.5)\npotential b\n");
    ok(kinetic->depth == 4 && kal_tree_nodes(tree) == 7);
    ok(kal_tree_status(tree) == KAL_OK);
    kal_tree_destroy(tree);
    kal_tree_destroy(NULL);
    kal_context_destroy(ctx);
}

static void no_tree_is_deeper_than_the_limit(void)
{
    KalContext *ctx = NULL;
    KalTree *tree = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_tree_create(ctx, &tree) == KAL_OK);
    KalNode *node = name(tree, "a");
    for (int depth = 2; depth <= KAL_TREE_DEPTH; depth++) {
        node = negate(tree, node);
        ok(node && node->depth == (unsigned)depth);
    }
    ok(!negate(tree, node));
    ok(kal_tree_status(tree) == KAL_OK);
    ok(negate(tree, NULL)); // what a spoiled tree gives is accepted
    kal_tree_destroy(tree);
    kal_context_destroy(ctx);
}

// Whether two models are equal.
static bool are_equal(const char *one, const char *other)
{
    Lab a;
    Lab b;
    lab_open(&a, one);
    lab_open(&b, other);
    const bool equal = kal_node_equal(kal_tree_first(a.tree), kal_tree_first(b.tree));
    ok(equal == kal_node_equal(kal_tree_first(b.tree), kal_tree_first(a.tree)));
    lab_close(&a);
    lab_close(&b);
    return equal;
}

static void equality_is_about_meaning_not_layout(void)
{
    ok(are_equal("", "# nothing"));
    ok(are_equal("let a = (x + 1)", "let  a = x+1 # the same"));
    ok(are_equal("let a = 0.5", "let a = 5e-1"));
    ok(are_equal("let a = 0", "let a = 0.000e5"));
    ok(!are_equal("let a = x + 1", "let a = x - 1"));
    ok(!are_equal("let a = x + 1", "let a = x + 1 + 0"));
    ok(!are_equal("let a = x", "let a = y"));
    ok(!are_equal("let a = x", "let a = xx"));
    ok(!are_equal("let a = 1", "let a = 10"));
    ok(!are_equal("let a = 1", "let a = 12"));
    ok(!are_equal("let a = 1", "let a = 2"));
    ok(!are_equal("let a = x'", "let a = x''"));
    ok(!are_equal("let a = x", "let a = 1"));
    ok(!are_equal("let a = 1", "let a = 1\nlet b = 1"));
    ok(!are_equal("init x = 1", "init x ~ 1"));
    ok(!are_equal("let a = 1 [m]", "let a = 1"));
    ok(!are_equal("use planar", "use \"planar\""));
    ok(!are_equal("", "let a = 1"));
}

static void words_are_compared_whole(void)
{
    Lab lab;
    lab_open(&lab, "use planar");
    const KalNode *what = kal_tree_first(lab.tree)->of.unary.operand;
    ok(kal_node_is_text(what, "planar"));
    ok(!kal_node_is_text(what, "plana"));
    ok(!kal_node_is_text(what, "planars"));
    lab_close(&lab);
}

static KalStatus build_and_destroy(KalContext *ctx)
{
    KalTree *tree = NULL;
    KalStatus status = kal_tree_create(ctx, &tree);
    for (int i = 0; tree && i < 1000; i++) {
        KalNode *node = negate(tree, name(tree, "abc"));
        ok(node || kal_tree_status(tree) == KAL_ERR_NOMEM);
        kal_tree_add_number(tree, NOWHERE, "12.5", 4);
    }
    status = tree ? kal_tree_status(tree) : status;
    kal_tree_destroy(tree);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(build_and_destroy);
}

TAP_RUN(TAP_CASE(a_tree_can_be_built_by_hand),
        TAP_CASE(no_tree_is_deeper_than_the_limit),
        TAP_CASE(equality_is_about_meaning_not_layout),
        TAP_CASE(words_are_compared_whole), TAP_CASE(every_allocation_may_fail))
