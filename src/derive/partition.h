// SPDX-License-Identifier: MIT

/// @file
/// Velocities that follow from others, as formulas: A q' + a = 0 solved for as many of them as
/// there are rows, theory (20.7).
///
/// Which follow, and in which order they are eliminated, is given: whoever chooses looks at
/// numbers.  What is zero by structure is not computed.  As no pivot can be refused here, the
/// formulas also say how good they are.

#ifndef DERIVE_PARTITION_H
#define DERIVE_PARTITION_H

#include "expr/graph.h"

/// Rows and columns of A in the order of pivots: the first `rank` columns are those of the
/// velocities that follow, the others those that they follow from.
typedef struct KalPartition {
    size_t n;
    size_t rank;
    const KalExpr *A; ///< rank × n in this order; KAL_NO_EXPR is zero
    const KalExpr *a; ///< rank: A q' + a, where velocities that follow are zero
    double tolerance; ///< of residuals, relative to their terms
} KalPartition;

/// Where the parts of an answer begin, in a list of formulas.
typedef struct KalPartitioned {
    size_t velocities; ///< rank
    size_t excess;     ///< by how much a residual exceeds the tolerance, at most
    size_t
        slopes; ///< rank × (n − rank): by how much each follows when one of the others changes
    size_t count;
} KalPartitioned;

KalPartitioned kal_partitioned_layout(size_t n, size_t rank);

/// Build the formulas in a graph that simplifies nothing; what is not there is the number 0.
/// KAL_ERR_LIMIT when the graph has no room for them, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_partition_solve(KalGraph *g, const KalPartition *given,
                                          KalExpr *out_answer);

#endif
