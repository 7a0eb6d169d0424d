// SPDX-License-Identifier: MIT

// Mark and compact (R. Jones, A. Hosking and E. Moss, The Garbage Collection Handbook, chapters 2
// and 3): operands have smaller indices than their users, so that one pass down marks what is in
// use and one pass up moves it.  Order is kept, so that normal forms, which are sorted by index,
// stay what they are.

#include "expr/prune.h"

#include "expr/graph_impl.h"

#include <assert.h>

// Where nodes go.
typedef struct Moves {
    uint32_t first;
    uint32_t count; // of nodes before
    uint32_t *to;   // count − first: the new index, 0 for none
} Moves;

static void mark(const Moves *moves, KalExpr e)
{
    if (e.index >= moves->first) {
        assert(e.index < moves->count);
        moves->to[e.index - moves->first] = 1;
    }
}

static KalExpr moved(const Moves *moves, KalExpr e)
{
    assert(e.index < moves->first || moves->to[e.index - moves->first] != 0);
    return e.index < moves->first ? e : (KalExpr){moves->to[e.index - moves->first]};
}

// Roots, then operands from the last node down.
static void mark_all(const KalGraph *g, const Moves *moves, const KalKept *lists,
                     size_t n_lists)
{
    for (size_t k = 0; k < n_lists; k++) {
        for (size_t i = 0; i < lists[k].n; i++) {
            mark(moves, lists[k].e[i]);
        }
    }
    for (uint32_t i = moves->count; i-- > moves->first;) {
        const KalExprNode *n = &g->table.nodes[i];
        const int arity = moves->to[i - moves->first] ? kal_op_arity((KalOp)n->op) : 0;
        for (int k = 0; k < arity; k++) {
            mark(moves, n->arg[k]);
        }
    }
}

// The number of the first node to move that has one; numbers stand in the order of their nodes.
static uint32_t first_number(const KalGraph *g, const Moves *moves)
{
    uint32_t i = moves->first;
    while (i < moves->count && g->table.nodes[i].op != KAL_OP_CONST) {
        i++;
    }
    return i < moves->count ? g->table.nodes[i].arg[0].index : g->n_numbers;
}

// Nodes that are in use, to the front, and their numbers with them.
static void move_nodes(KalGraph *g, const Moves *moves)
{
    uint32_t next = moves->first;
    uint32_t number = first_number(g, moves);
    for (uint32_t i = moves->first; i < moves->count; i++) {
        if (moves->to[i - moves->first] == 0) {
            continue;
        }
        KalExprNode n = g->table.nodes[i];
        for (int k = 0; k < kal_op_arity((KalOp)n.op); k++) {
            n.arg[k] = moved(moves, n.arg[k]);
        }
        if (n.op == KAL_OP_CONST) {
            assert(number <= n.arg[0].index);
            g->numbers[number] = g->numbers[n.arg[0].index];
            n.arg[0].index = number++;
        }
        g->table.nodes[next] = n;
        moves->to[i - moves->first] = next++;
    }
    g->table.count = next;
    g->n_numbers = number;
}

static void move_roots(const Moves *moves, const KalKept *lists, size_t n_lists)
{
    for (size_t k = 0; k < n_lists; k++) {
        for (size_t i = 0; i < lists[k].n; i++) {
            lists[k].e[i] = moved(moves, lists[k].e[i]);
        }
    }
}

KalStatus kal_graph_prune(KalGraph *g, uint32_t first, const KalKept *lists,
                          size_t n_lists)
{
    assert(first > 0 && (lists || n_lists == 0));
    KAL_TRY(kal_graph_status(g));
    kal_graph_pack(g); // nodes are going to be found by their new indices
    KAL_TRY(kal_graph_status(g));
    Moves moves = {.first = first, .count = g->table.count};
    if (first >= moves.count) {
        return KAL_OK;
    }
    moves.to = kal_alloc(g->ctx, moves.count - first, sizeof *moves.to);
    if (!moves.to) {
        return kal_no_memory(g->ctx, "for formulas");
    }
    mark(&moves, g->zero);
    mark_all(g, &moves, lists, n_lists);
    move_nodes(g, &moves);
    move_roots(&moves, lists, n_lists);
    g->zero = moved(&moves, g->zero);
    kal_free(g->ctx, moves.to, (moves.count - first) * sizeof *moves.to);
    kal_graph_forget_marks(g);
    kal_graph_pack(g); // no more room than what is left needs
    return KAL_OK;
}
