// SPDX-License-Identifier: MIT

// The table of nodes, by hash consing: an index finds the node that there is for an operator
// and its operands, so that equal formulas are one node.
//
// On hash consing see J.-C. Filliâtre and S. Conchon, Type-safe modular hash-consing
// (ML Workshop 2006).
//
// Invariants: operands have smaller indices than the nodes that use them, so that
// indices are an order in which all can be evaluated; no two nodes are equal, where
// operands of what commutes count in either order; a node never changes once it is
// there.  Node 0 is none and stands for a result that could not be built.  After a
// failure the graph is spoiled: it builds nothing more and returns node 0, so that
// callers need to ask for the status only once, in the end.

#include "expr/graph_impl.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    FIRST_NODES = 256, // a power of two
    FIRST_NUMBERS = 32,
    NODES_BETWEEN = 4096 // two questions whether to go on
};

static_assert(offsetof(KalGraph, table) == 0, "expr/node.h looks for nodes there");

KalStatus kal_graph_create(KalContext *ctx, KalGraph **out_g)
{
    KalGraph *g = KAL_NEW(ctx, KalGraph);
    if (!g) {
        return kal_no_memory(ctx, "for formulas");
    }
    g->ctx = ctx;
    g->table.count = 1;
    g->limit = (uint32_t)kal_usual_times(ctx, KAL_GRAPH_LIMIT);
    g->capacity = FIRST_NODES;
    g->number_capacity = FIRST_NUMBERS;
    g->table.nodes = kal_alloc(ctx, g->capacity, sizeof *g->table.nodes);
    g->numbers = kal_alloc(ctx, g->number_capacity, sizeof *g->numbers);
    if (!g->table.nodes || !g->numbers) {
        kal_graph_destroy(g);
        return kal_no_memory(ctx, "for formulas");
    }
    *out_g = g;
    return KAL_OK;
}

// Exact numbers by their fraction, rounded ones by their bits.
static uint32_t hash_number(const KalRational *x)
{
    if (x->den != 0) {
        return kal_hash((uint64_t)x->num, (uint64_t)x->den);
    }
    uint64_t bits;
    memcpy(&bits, &x->value, sizeof bits);
    return kal_hash(bits, 0);
}

// The hash of a node with operands or of a leaf that is no number.
static uint32_t hash_node(const KalExprNode *n)
{
    uint64_t a = n->arg[0].index;
    uint64_t b = n->arg[1].index;
    if (kal_op_commutes((KalOp)n->op) && a > b) {
        a = n->arg[1].index;
        b = n->arg[0].index;
    }
    return kal_hash(a << 32 | b, (uint64_t)n->arg[2].index << 8 | n->op);
}

// Find all nodes by their hashes again, in an index with room for so many.  They are gone
// through in order, which takes less time than by their places.
static bool index_nodes(KalGraph *g, size_t things)
{
    assert(g->table.count > 0 && things >= g->table.count);
    KalIndex index = {.places = NULL};
    if (!kal_index_make(g->ctx, &index, things)) {
        return false;
    }
    for (uint32_t i = 1; i < g->table.count; i++) {
        const KalExprNode *n = &g->table.nodes[i];
        kal_index_put(&index,
                      n->op == KAL_OP_CONST ? hash_number(&g->numbers[n->arg[0].index])
                                            : hash_node(n),
                      i);
    }
    kal_index_clear(g->ctx, &g->index);
    g->index = index;
    return true;
}

// Nodes are copied with their places.  An overlay that refers to the nodes of the original
// would save the copy and cost a branch at every look at a node; the copy and its index take
// a small part of the time of any derivation that follows it.
KalStatus kal_graph_fork(KalContext *ctx, const KalGraph *g, KalGraph **out_fork)
{
    assert(ctx && g && out_fork);
    if (g->status != KAL_OK) {
        return kal_fail(ctx, g->status, "the formulas to begin with are not whole");
    }
    KalGraph *fork = KAL_NEW(ctx, KalGraph);
    if (!fork) {
        return kal_no_memory(ctx, "for formulas");
    }
    *fork = *g;
    fork->ctx = ctx;
    fork->frozen = false;
    fork->packed = false;
    fork->marks = NULL;
    fork->mark_capacity = 0;
    fork->index = (KalIndex){.places = NULL};
    fork->table.nodes = kal_alloc(ctx, g->capacity, sizeof *g->table.nodes);
    fork->numbers = kal_alloc(ctx, g->number_capacity, sizeof *g->numbers);
    const bool fits = fork->table.nodes && fork->numbers;
    if (fits) {
        memcpy(fork->table.nodes, g->table.nodes,
               g->table.count * sizeof *g->table.nodes);
        memcpy(fork->numbers, g->numbers, g->n_numbers * sizeof *g->numbers);
    }
    if (!fits || !index_nodes(fork, fork->table.count)) {
        kal_graph_destroy(fork);
        return kal_no_memory(ctx, "for formulas");
    }
    assert(fork->table.count == g->table.count && fork->n_numbers == g->n_numbers);
    *out_fork = fork;
    return KAL_OK;
}

void kal_graph_pack(KalGraph *g)
{
    assert(!g->frozen);
    g->zero = g->packed ? g->zero : kal_number(g, kal_rational(0, 1));
    kal_index_clear(g->ctx, &g->index);
    g->table.nodes = kal_trim(g->ctx, g->table.nodes, sizeof *g->table.nodes,
                              g->table.count, &g->capacity);
    g->numbers = kal_trim(g->ctx, g->numbers, sizeof *g->numbers, g->n_numbers,
                          &g->number_capacity);
    g->packed = true;
}

void kal_graph_unpack(KalGraph *g)
{
    assert(!g->frozen);
    if (!g->packed) {
        return;
    }
    g->packed = false;
    if (!index_nodes(g, g->table.count)) {
        kal_spoil(g, KAL_ERR_NOMEM, KAL_NO_EXPR);
    }
}

void kal_graph_forget_marks(KalGraph *g)
{
    kal_free(g->ctx, g->marks, g->mark_capacity * sizeof *g->marks);
    g->marks = NULL;
    g->mark_capacity = 0;
}

void kal_graph_freeze(KalGraph *g)
{
    kal_graph_forget_marks(g);
    kal_graph_pack(g);
    g->frozen = true;
}

bool kal_graph_is_frozen(const KalGraph *g)
{
    return g->frozen;
}

void kal_graph_destroy(KalGraph *g)
{
    if (!g) {
        return;
    }
    KalContext *ctx = g->ctx;
    kal_free(ctx, g->table.nodes, g->capacity * sizeof *g->table.nodes);
    kal_index_clear(ctx, &g->index);
    kal_free(ctx, g->numbers, g->number_capacity * sizeof *g->numbers);
    kal_free(ctx, g->marks, g->mark_capacity * sizeof *g->marks);
    kal_free(ctx, g, sizeof *g);
}

void kal_graph_set_limit(KalGraph *g, uint32_t nodes)
{
    assert(nodes <= UINT32_C(1) << 31);
    g->limit = nodes;
}

void kal_graph_set_plain(KalGraph *g, bool plain)
{
    g->plain = plain;
}

KalStatus kal_graph_status(const KalGraph *g)
{
    if (g->status == KAL_OK) {
        return KAL_OK;
    }
    if (g->status == KAL_ERR_NOMEM) {
        return kal_no_memory(g->ctx, "for more formulas");
    }
    if (g->status == KAL_ERR_LIMIT) {
        return kal_fail(g->ctx, KAL_ERR_LIMIT,
                        "the formulas have more than %lu operations",
                        (unsigned long)g->limit);
    }
    if (g->status == KAL_ERR_INTERRUPTED) {
        return kal_fail(g->ctx, g->status, "interrupted");
    }
    if (g->culprit.index != 0) {
        return kal_fail(g->ctx, g->status, "division by zero");
    }
    return kal_fail(g->ctx, g->status, "a number is not finite");
}

KalExpr kal_graph_culprit(const KalGraph *g)
{
    return g->culprit;
}

void kal_graph_recover(KalGraph *g)
{
    g->status = KAL_OK;
    g->culprit = KAL_NO_EXPR;
}

uint32_t kal_graph_count(const KalGraph *g)
{
    return g->table.count;
}

size_t kal_graph_bytes(const KalGraph *g)
{
    return sizeof *g + g->capacity * sizeof *g->table.nodes
           + g->index.n_places * sizeof *g->index.places
           + g->number_capacity * sizeof *g->numbers
           + g->mark_capacity * sizeof *g->marks;
}

KalContext *kal_graph_context(const KalGraph *g)
{
    return g->ctx;
}

KalExprNode kal_graph_node(const KalGraph *g, KalExpr e)
{
    assert(e.index != 0 && e.index < g->table.count);
    return g->table.nodes[e.index];
}

KalRational kal_graph_number(const KalGraph *g, KalExpr e)
{
    assert(kal_is_op(g, e, KAL_OP_CONST));
    return g->numbers[g->table.nodes[e.index].arg[0].index];
}

KalExpr kal_spoil(KalGraph *g, KalStatus status, KalExpr culprit)
{
    assert(status != KAL_OK);
    assert(!g->frozen);
    if (g->status == KAL_OK) {
        g->status = status;
        g->culprit = culprit;
    }
    return KAL_NO_EXPR;
}

// Equal as formulas: operands of what commutes may be exchanged.
static bool same_node(const KalExprNode *x, const KalExprNode *y)
{
    if (x->op != y->op || x->arg[2].index != y->arg[2].index) {
        return false;
    }
    if (x->arg[0].index == y->arg[0].index && x->arg[1].index == y->arg[1].index) {
        return true;
    }
    return kal_op_commutes((KalOp)x->op) && x->arg[0].index == y->arg[1].index
           && x->arg[1].index == y->arg[0].index;
}

// Doubling.
static bool grow_nodes(KalGraph *g)
{
    KalExprNode *nodes = kal_grow(g->ctx, g->table.nodes, sizeof *nodes,
                                  (size_t)g->table.count + 1, &g->capacity);
    if (!nodes) {
        return false;
    }
    g->table.nodes = nodes;
    return true;
}

// The next size of the index.
static bool grow_index(KalGraph *g)
{
    return index_nodes(g, g->table.count + g->index.n_places / 8);
}

// Make sure that one more node has room.
static bool have_room(KalGraph *g)
{
    assert(!g->frozen);
    if (g->table.count > g->limit) {
        kal_spoil(g, KAL_ERR_LIMIT, KAL_NO_EXPR);
        return false;
    }
    if ((g->table.count == g->capacity && !grow_nodes(g))
        || (!kal_index_has_room(&g->index, g->table.count) && !grow_index(g))) {
        kal_spoil(g, KAL_ERR_NOMEM, KAL_NO_EXPR);
        return false;
    }
    return true;
}

// Whether sin² + cos² may hide in the node: a power of one is among its factors.
static uint8_t flags_of(const KalGraph *g, const KalExprNode *n)
{
    assert(n->arg[0].index < g->table.count || n->op == KAL_OP_SYMBOL
           || n->op == KAL_OP_CONST);
    const KalExprNode *a = &g->table.nodes[n->arg[0].index];
    if (n->op == KAL_OP_POWI) {
        return kal_op_partner((KalOp)a->op) != KAL_OP_CONST ? KAL_FLAG_SQUARE : 0;
    }
    if (n->op == KAL_OP_MUL) {
        return a->flags | g->table.nodes[n->arg[1].index].flags;
    }
    return n->op == KAL_OP_NEG || n->op == KAL_OP_DIV ? a->flags : 0;
}

// A node that is not there yet.
static KalExpr add_node(KalGraph *g, const KalExprNode *n, uint32_t hash)
{
    assert(n->op < KAL_OP_COUNT);
    if (!have_room(g)) {
        return KAL_NO_EXPR;
    }
    if (g->table.count % NODES_BETWEEN == 0 && kal_ask(g->ctx) != KAL_OK) {
        return kal_spoil(g, KAL_ERR_INTERRUPTED, KAL_NO_EXPR);
    }
    const KalExpr e = {g->table.count++};
    assert(n->op == KAL_OP_SYMBOL || n->op == KAL_OP_CONST
           || n->arg[0].index < e.index);
    kal_index_put(&g->index, hash, e.index);
    g->table.nodes[e.index] = *n;
    g->table.nodes[e.index].flags = flags_of(g, n);
    return e;
}

// The node that there is, or none.
static KalExpr find_node(const KalGraph *g, const KalExprNode *n, uint32_t hash)
{
    size_t at = kal_index_begin(&g->index, hash);
    for (KalExpr e; kal_index_next(&g->index, hash, &at, &e.index);) {
        if (same_node(kal_node(g, e), n)) {
            return e;
        }
    }
    return KAL_NO_EXPR;
}

KalExpr kal_find(KalGraph *g, KalOp op, KalExpr a, KalExpr b)
{
    assert(!g->frozen);
    if (g->packed) {
        kal_graph_unpack(g);
    }
    const KalExprNode n = {
        .op = (uint8_t)op, .arg = {a, b, KAL_NO_EXPR}
    };
    return find_node(g, &n, hash_node(&n));
}

// Hash consing: a node that is there already is found, so that equal formulas have equal
// indices. A graph in which something has failed takes no more nodes; whoever builds
// checks once, at the end.
KalExpr kal_cons(KalGraph *g, KalOp op, KalExpr a, KalExpr b, KalExpr c)
{
    assert(op < KAL_OP_COUNT);
    assert(op != KAL_OP_CONST);
    const int arity = kal_op_arity(op);
    if (g->packed) {
        kal_graph_unpack(g);
    }
    if (g->status != KAL_OK || (arity > 0 && a.index == 0)
        || (arity > 1 && b.index == 0) || (arity > 2 && c.index == 0)) {
        return KAL_NO_EXPR;
    }
    const KalExprNode n = {
        .op = (uint8_t)op, .arg = {a, b, c}
    };
    const uint32_t hash = hash_node(&n);
    const KalExpr e = find_node(g, &n, hash);
    return e.index != 0 ? e : add_node(g, &n, hash);
}

KalExpr kal_symbol(KalGraph *g, uint32_t id)
{
    return kal_cons(g, KAL_OP_SYMBOL, (KalExpr){id}, KAL_NO_EXPR, KAL_NO_EXPR);
}

KalExpr kal_pi(KalGraph *g)
{
    return kal_cons(g, KAL_OP_PI, KAL_NO_EXPR, KAL_NO_EXPR, KAL_NO_EXPR);
}

// The table of numbers grows like that of nodes.
static bool have_number_room(KalGraph *g)
{
    assert(g->n_numbers <= g->number_capacity);
    assert(!g->frozen);
    if (g->n_numbers < g->number_capacity) {
        return true;
    }
    KalRational *numbers = kal_grow(g->ctx, g->numbers, sizeof *numbers,
                                    (size_t)g->n_numbers + 1, &g->number_capacity);
    if (!numbers) {
        kal_spoil(g, KAL_ERR_NOMEM, KAL_NO_EXPR);
        return false;
    }
    g->numbers = numbers;
    return true;
}

// Numbers are found by value and exactness: a fraction and a rounded number of the same
// value are two.
KalExpr kal_number(KalGraph *g, KalRational value)
{
    if (g->packed && kal_rational_same(value, kal_rational(0, 1))) {
        return g->zero;
    }
    if (g->packed) {
        kal_graph_unpack(g);
    }
    if (g->status != KAL_OK) {
        return KAL_NO_EXPR;
    }
    if (!isfinite(value.value)) {
        return kal_spoil(g, KAL_ERR_NUMBER, KAL_NO_EXPR);
    }
    const uint32_t hash = hash_number(&value);
    size_t at = kal_index_begin(&g->index, hash);
    for (KalExpr known; kal_index_next(&g->index, hash, &at, &known.index);) {
        if (kal_is_op(g, known, KAL_OP_CONST)
            && kal_rational_same(kal_graph_number(g, known), value)) {
            return known;
        }
    }
    if (!have_number_room(g)) {
        return KAL_NO_EXPR;
    }
    g->numbers[g->n_numbers] = value;
    const KalExprNode n = {.op = KAL_OP_CONST, .arg = {{g->n_numbers}}};
    const KalExpr e = add_node(g, &n, hash);
    g->n_numbers += e.index != 0;
    return e;
}

KalExpr kal_int(KalGraph *g, int64_t value)
{
    return kal_number(g, kal_rational(value, 1));
}

KalExpr kal_const(KalGraph *g, double value)
{
    return kal_number(g, kal_rational_of(value));
}

bool kal_is_int(const KalGraph *g, KalExpr e, int64_t n)
{
    return e.index != 0 && kal_is_op(g, e, KAL_OP_CONST)
           && kal_rational_is(kal_graph_number(g, e), n);
}

bool kal_is_zero(const KalGraph *g, KalExpr e)
{
    return e.index != 0 && kal_is_op(g, e, KAL_OP_CONST)
           && kal_graph_number(g, e).value == 0.0;
}

bool kal_is_condition(const KalGraph *g, KalExpr e)
{
    assert(e.index != 0);
    const KalKind kind = kal_op_kind((KalOp)kal_node(g, e)->op);
    return kind == KAL_KIND_RELATION || kind == KAL_KIND_LOGIC || kal_is_int(g, e, 0)
           || kal_is_int(g, e, 1);
}
