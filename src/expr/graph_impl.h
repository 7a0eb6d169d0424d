// SPDX-License-Identifier: MIT

/// @file
/// What the files of the graph share: its tables, and the steps of simplification.
///
/// The constructors call each other in one direction only: functions (function.c) build
/// on sums (sum.c), these on products (product.c), these on the table (graph.c).  So
/// simplification ends.

#ifndef EXPR_GRAPH_IMPL_H
#define EXPR_GRAPH_IMPL_H

#include "base/block.h"
#include "base/index.h"
#include "expr/factors.h"
#include "expr/node.h"

enum {
    KAL_FLAG_SQUARE = 1 ///< a factor is a power of sin, cos, sinh or cosh
};

struct KalGraph {
    KalNodeTable table;
    KalContext *ctx;
    size_t capacity; ///< of nodes
    uint32_t limit;

    KalIndex index; ///< of the nodes; none once frozen, or packed

    KalRational *numbers;
    uint32_t n_numbers;
    size_t number_capacity;

    uint32_t *marks; ///< scratch of order.c: where the last walk listed a node
    size_t mark_capacity;

    KalStatus status;
    KalExpr culprit;
    double bad_number;
    bool plain;
    bool packed;  ///< there is no index
    KalExpr zero; ///< the number 0, if packed
    bool frozen;  ///< nothing above changes any more
};

/// Spoil the graph.
KalExpr kal_spoil(KalGraph *g, KalStatus status, KalExpr culprit);

/// Give the scratch of walks back.
void kal_graph_forget_marks(KalGraph *g);

/// k × rest as a node; the rest has no number of its own.
KalExpr kal_scale(KalGraph *g, KalRational k, KalExpr rest);

/// Whether −e is as simple as e: it has a negative number, or is a difference that was
/// first met the other way round.  Then also what −e is.
bool kal_find_negative(KalGraph *g, KalExpr e, KalExpr *out_negative);

/// What the form of an expression says of its sign; each says more than the one before.
typedef enum KalSign {
    KAL_SIGN_ANY,
    KAL_SIGN_NONNEGATIVE,
    KAL_SIGN_POSITIVE
} KalSign;

/// The sign of a node by its operator and the signs of its first two operands.
KalSign kal_sign_by_form(const KalGraph *g, KalExpr e, KalSign a, KalSign b);

/// |e|, which is e where the form shows that it is not negative.
KalExpr kal_absolute(KalGraph *g, KalExpr e);

/// The product as a node.
KalExpr kal_factors_build(KalGraph *g, KalFactors *f);

#endif
