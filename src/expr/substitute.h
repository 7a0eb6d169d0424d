// SPDX-License-Identifier: MIT

/// @file
/// Replacing parts of formulas.

#ifndef EXPR_SUBSTITUTE_H
#define EXPR_SUBSTITUTE_H

#include "expr/graph.h"

/// Nodes, mostly symbols, with what takes the place of each.
typedef struct KalReplacements {
    const KalExpr *from; ///< n different nodes
    const KalExpr *to;   ///< n
    size_t n;
} KalReplacements;

/// The n expressions e with every `from` replaced, all at once: what replaces is not
/// looked into.  The results are simplified as they are rebuilt; a zero that comes to
/// stand below a fraction is KAL_ERR_NUMBER and spoils the graph (kal_graph_recover()).
KAL_CHECKED KalStatus kal_substitute(KalGraph *g, const KalExpr *e, size_t n,
                                     const KalReplacements *replacements,
                                     KalExpr *out_e);

#endif
