// SPDX-License-Identifier: MIT

// Statements, one after the other.  Each is built by the function that nodes.def names; what
// it leaves in the pool is released after it.
//
// Recursion by way of blocks ends at KAL_BLOCK_DEPTH and KAL_BUILD_PART_DEPTH.

#include "model/build_impl.h"
#include "model/statement_impl.h"

#include <assert.h>

// The title of the model; files that are used may have one of their own, which is passed by.
void kal_build_title(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_MODEL);
    const KalNode *title = node->of.unary.operand;
    if (b->names.scope->owner || b->names.frame) {
        kal_build_error(b, node->span, "model stands outside of components and loops");
        return;
    }
    if (node->span.source != b->main) {
        return; // the title of a file that is used
    }
    if (b->title.source) {
        kal_build_error(b, node->span, "a model has one title");
        kal_build_note(b, b->title, "the first is here");
        return;
    }
    b->title = node->span;
    const char *text =
        kal_model_text(b->model, title->of.text.data, title->of.text.length);
    if (!text) {
        kal_build_no_memory(b);
        return;
    }
    b->model->title = text;
}

// NOLINTNEXTLINE(misc-no-recursion)
// No default: the compiler knows which statements there are.
static void build_statement(KalBuild *b, const KalNode *node)
{
    switch (node->kind) {
#define KAL_STATEMENT(name, member, word, printer, builder, declares) \
    case KAL_NODE_##name:                                             \
        kal_build_##builder(b, node);                                 \
        return;
#define KAL_NODE(name, member) case KAL_NODE_##name:
#include "lang/nodes.def"
        break;
    }
    assert(false && "not a statement");
}

// NOLINTNEXTLINE(misc-no-recursion)
void kal_build_statements(KalBuild *b, const KalNode *first)
{
    for (const KalNode *s = first; s && kal_build_step(b, s->span, 1); s = s->next) {
        const KalPoolMark mark = kal_pool_mark(&b->pool);
        b->statement = s->span;
        build_statement(b, s);
        kal_pool_release(&b->pool, mark);
    }
}
