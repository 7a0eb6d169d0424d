// SPDX-License-Identifier: MIT

/// @file
/// The nodes that some expressions are made of, in an order for passes.
///
/// An order lists every node that the roots depend on once, operands before users.  Steps
/// name their operands by position in the list, so a pass is a loop over an array that is
/// as long as the formulas, however large the graph around them is.  An order stays valid
/// when the graph grows.

#ifndef EXPR_ORDER_H
#define EXPR_ORDER_H

#include "expr/graph.h"

/// A node with its operands' positions; arg of a leaf, and what follows the operands of
/// POWI and SPLINE, as in the node.
typedef struct KalStep {
    KalExpr node;
    uint8_t op; ///< a KalOp
    uint32_t arg[3];
} KalStep;

/// Zeroed is empty.
typedef struct KalOrder {
    KalContext *ctx;
    KalStep *steps;  ///< count
    uint32_t *roots; ///< n_roots: where each root is
    uint32_t count;
    size_t capacity;
    size_t n_roots;
} KalOrder;

/// What an evaluation costs, by kind of operation.
typedef struct KalOperations {
    size_t sums;      ///< + and −
    size_t products;  ///< ×, and the multiplications of whole powers
    size_t quotients; ///< /
    size_t functions; ///< calls
    size_t choices;   ///< conditions and if, min, max, abs, sign
} KalOperations;

/// Fill an order.  The caller clears it.  Roots may repeat; none is KAL_NO_EXPR.
KAL_CHECKED KalStatus kal_order_init(KalGraph *g, const KalExpr *roots, size_t n_roots,
                                     KalOrder *out_order);

/// Let `look` have an order, which is gone after.
KAL_CHECKED KalStatus kal_order_visit(KalGraph *g, const KalExpr *roots, size_t n_roots,
                                      KalStatus (*look)(void *user,
                                                        const KalOrder *order),
                                      void *user);

/// Free what an order holds.
void kal_order_clear(KalOrder *order);

/// Count the operations of one evaluation of all roots.
KalOperations kal_order_operations(const KalOrder *order);

/// The symbols among the steps, as ids in ascending order: what the roots depend on.  The
/// caller has room for order->count of them; returns how many there are.
size_t kal_order_symbols(const KalOrder *order, uint32_t *out_ids);

/// For each root the union of the marks of the symbols that it depends on: classes[id]
/// has a bit for each class that symbol id belongs to.
KAL_CHECKED KalStatus kal_order_classes(const KalOrder *order, const uint64_t *classes,
                                        uint64_t *out_classes);

/// Whether e depends on the symbol x.
KAL_CHECKED KalStatus kal_depends_on(KalGraph *g, KalExpr e, KalExpr x,
                                     bool *out_depends);

#endif
