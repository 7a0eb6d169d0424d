// SPDX-License-Identifier: MIT

/// @file
/// Forget formulas that nothing is made of.

#ifndef EXPR_PRUNE_H
#define EXPR_PRUNE_H

#include "expr/graph.h"

/// Expressions that are to stay; KAL_NO_EXPR among them is passed over.
typedef struct KalKept {
    KalExpr *e;
    size_t n;
} KalKept;

/// Drop all nodes of an index `first` or larger that no root is made of.  Those that stay keep
/// their order and close ranks: roots get their new handles, and no other handle of an index
/// `first` or larger means anything from then on.  No root stands in two lists.  The graph is
/// packed after.  KAL_ERR_NOMEM, and what spoiled the graph; then all handles are what they were.
KAL_CHECKED KalStatus kal_graph_prune(KalGraph *g, uint32_t first, const KalKept *lists,
                                      size_t n_lists);

#endif
