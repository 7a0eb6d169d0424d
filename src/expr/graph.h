// SPDX-License-Identifier: MIT

/// @file
/// The expression graph: every formula of the project lives in one.
///
/// A graph is an append-only table of nodes.  A node refers only to nodes of smaller
/// index, so index order is a topological order and a pass over a graph is a loop, never
/// a recursion.  Equal nodes are stored once: two handles are equal exactly when the
/// nodes are, and for operators that commute the order of operands does not count (the
/// order in which they were first given is kept, for printing).
///
/// Building cannot fail visibly.  A graph that runs out of memory, meets its limit or is
/// asked to divide by an exact zero becomes *spoiled*: from then on its constructors
/// return KAL_NO_EXPR, which they also accept, and kal_graph_status() says why.  Whoever
/// takes a graph in checks it.
///
/// Constructors simplify, by rules that look at a bounded number of nodes each.  So every
/// node is in the form that docs/theory/expressions.md, section 8, calls normal:
///
/// - a product is a number times (numerator / denominator), each a chain of powers with
///   positive exponents, sorted by the index of their bases; number −1 is a NEG;
/// - a sum holds no two neighbors that make one term, and no NEG: there are SUBs;
/// - numbers are exact as long as they fit (expr/rational.h) and always finite.
///
/// Simplification treats formulas as formulas: x/x is 1, and sqrt(x)^2 is x.  Where both
/// forms have a value the values are the same, but for rounding.  Who needs to know where a
/// formula has no value looks at expr/domain.h.

#ifndef EXPR_GRAPH_H
#define EXPR_GRAPH_H

#include "base/context.h"
#include "expr/op.h"
#include "expr/rational.h"
#include "expr/spline.h"

typedef struct KalGraph KalGraph;

/// A node of one graph.  Pass by value; meaningless in another graph.
typedef struct KalExpr {
    uint32_t index;
} KalExpr;

#define KAL_NO_EXPR ((KalExpr){0})

/// A node.  SYMBOL keeps its id in arg[0].index, CONST its place among the numbers;
/// POWI keeps its whole exponent, as int32_t, in arg[1].index; a SPLINE the address of its
/// function in arg[1] and arg[2], see kal_spline_of().
typedef struct KalExprNode {
    uint8_t op;    ///< a KalOp
    uint8_t flags; ///< the graph's own
    KalExpr arg[3];
} KalExprNode;

enum {
    KAL_GRAPH_LIMIT = 1 << 24 ///< nodes that a graph may have unless told otherwise
};

/// Make an empty graph.  The caller owns it.
KAL_CHECKED KalStatus kal_graph_create(KalContext *ctx, KalGraph **out_g);

/// A graph that begins as another one: every handle of it means the same in both, and what
/// either gets from then on the other does not have.  The original is only looked at, so
/// that many threads may fork one graph, each in a context of its own.  The caller owns it.
/// KAL_ERR_NOMEM, and what spoiled the original.
KAL_CHECKED KalStatus kal_graph_fork(KalContext *ctx, const KalGraph *g,
                                     KalGraph **out_fork);

/// Give back what only building needs, for as long as nothing is built: formulas can be looked
/// at and walked through.
void kal_graph_pack(KalGraph *g);

/// Be ready to build again, in the time that a fork takes.  Symbols and numbers ask for that
/// themselves, but for 0; the graph is spoiled (KAL_ERR_NOMEM) where memory does not suffice.
void kal_graph_unpack(KalGraph *g);

/// Let the graph never change again, from now on to be shared by threads.  Not only
/// building changes a graph but every walk through formulas (expr/order.h), which takes
/// notes in it: who has to, forks it.  Nodes and numbers can be looked at; what only building
/// needs is given back.
void kal_graph_freeze(KalGraph *g);
bool kal_graph_is_frozen(const KalGraph *g);

/// Free a graph and all its nodes.  NULL is allowed.
void kal_graph_destroy(KalGraph *g);

/// How many nodes the graph may have, at most 2^31.
void kal_graph_set_limit(KalGraph *g, uint32_t nodes);

/// Build nodes just as asked for, without simplifying.  For tests that compare.
void kal_graph_set_plain(KalGraph *g, bool plain);

/// KAL_OK, or the first failure while building, with its explanation put into the
/// context again: KAL_ERR_NOMEM, KAL_ERR_LIMIT, or KAL_ERR_NUMBER (a division by an exact
/// zero, or a number that is not finite).
KAL_CHECKED KalStatus kal_graph_status(const KalGraph *g);

/// What was divided by zero, when that spoiled the graph, else KAL_NO_EXPR.  To blame the
/// right place in a text, ask kal_is_zero() before dividing.
KalExpr kal_graph_culprit(const KalGraph *g);

/// Forget a failure.  The nodes built before it are as good as ever.
void kal_graph_recover(KalGraph *g);

/// Nodes so far, the unused one of index 0 included.
uint32_t kal_graph_count(const KalGraph *g);

/// Bytes that the graph holds.
size_t kal_graph_bytes(const KalGraph *g);

/// The context that the graph was made in.
KalContext *kal_graph_context(const KalGraph *g);

/// A copy of a node.
KalExprNode kal_graph_node(const KalGraph *g, KalExpr e);

/// The number that a CONST node stands for.
KalRational kal_graph_number(const KalGraph *g, KalExpr e);

/// @name Leaves
/// @{

/// The symbol of an id, which is the caller's to choose; small ids are best.
KalExpr kal_symbol(KalGraph *g, uint32_t id);
KalExpr kal_number(KalGraph *g, KalRational value);
KalExpr kal_int(KalGraph *g, int64_t value);

/// See kal_rational_of() for what becomes of a double.
KalExpr kal_const(KalGraph *g, double value);
KalExpr kal_pi(KalGraph *g);
/// @}

/// @name Algebra
/// @{
KalExpr kal_add(KalGraph *g, KalExpr a, KalExpr b);
KalExpr kal_sub(KalGraph *g, KalExpr a, KalExpr b);
KalExpr kal_neg(KalGraph *g, KalExpr a);
KalExpr kal_mul(KalGraph *g, KalExpr a, KalExpr b);
KalExpr kal_div(KalGraph *g, KalExpr a, KalExpr b);
KalExpr kal_powi(KalGraph *g, KalExpr a, int32_t n);
KalExpr kal_pow(KalGraph *g, KalExpr a, KalExpr b);
KalExpr kal_sqrt(KalGraph *g, KalExpr a);
KalExpr kal_sin(KalGraph *g, KalExpr a);
KalExpr kal_cos(KalGraph *g, KalExpr a);
KalExpr kal_select(KalGraph *g, KalExpr condition, KalExpr a, KalExpr b);

/// A function of a table; its operator is SPLINE, SPLINE_KINK or SPLINE_JUMP, as smooth as it
/// is.  Derivatives that are zero everywhere are 0.
KalExpr kal_spline(KalGraph *g, const KalSpline *spline, KalSplineFunctionKind kind,
                   KalExpr x);
/// @}

/// Any operator with operands, by its arity; POWI takes its exponent as kept in a node, and
/// a SPLINE its function.
/// `a > b` is LT with operands exchanged.
KalExpr kal_build(KalGraph *g, KalOp op, const KalExpr arg[3]);
KalExpr kal_unary(KalGraph *g, KalOp op, KalExpr a);
KalExpr kal_binary(KalGraph *g, KalOp op, KalExpr a, KalExpr b);

/// Whether an expression is the exact number n.
bool kal_is_int(const KalGraph *g, KalExpr e, int64_t n);

/// Whether an expression is the number zero.
bool kal_is_zero(const KalGraph *g, KalExpr e);

/// Whether an expression is a condition, always 1 or 0.
bool kal_is_condition(const KalGraph *g, KalExpr e);

#endif
