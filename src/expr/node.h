// SPDX-License-Identifier: MIT

/// @file
/// Nodes of a graph, for modules whose work is nodes: tests for zero, exact algebra,
/// printing.
///
/// A pointer to a node holds until the graph grows.  Who builds with kal_cons() builds just
/// what it says: the forms that expr/graph.h promises are then the caller's care.

#ifndef EXPR_NODE_H
#define EXPR_NODE_H

#include "expr/graph.h"

/// What every graph begins with.
typedef struct KalNodeTable {
    KalExprNode *nodes;
    uint32_t count;
} KalNodeTable;

static inline const KalExprNode *kal_node(const KalGraph *g, KalExpr e)
{
    return &((const KalNodeTable *)g)->nodes[e.index];
}

static inline bool kal_is_op(const KalGraph *g, KalExpr e, KalOp op)
{
    return kal_node(g, e)->op == op;
}

/// The exponent of a POWI.
static inline int32_t kal_node_exponent(const KalExprNode *n)
{
    return (int32_t)n->arg[1].index;
}

/// The function of a SPLINE.
static inline const KalSplineFunction *kal_node_spline(const KalExprNode *n)
{
    return kal_spline_of(n->arg[1].index, n->arg[2].index);
}

static inline bool kal_same(KalExpr a, KalExpr b)
{
    return a.index == b.index;
}

/// The one node with this operator and these operands, made if need be.
KalExpr kal_cons(KalGraph *g, KalOp op, KalExpr a, KalExpr b, KalExpr c);

/// The same, if it is there already; KAL_NO_EXPR if not.  Not of a frozen graph.
KalExpr kal_find(KalGraph *g, KalOp op, KalExpr a, KalExpr b);

/// An expression as number × rest; rest is KAL_NO_EXPR for 1.
typedef struct KalTerm {
    KalRational k;
    KalExpr rest;
} KalTerm;

/// Take the number off an expression.
KalTerm kal_split(const KalGraph *g, KalExpr e);

#endif
