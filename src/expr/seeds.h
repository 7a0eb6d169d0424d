// SPDX-License-Identifier: MIT

/// @file
/// Where the nodes of a list stand in it: symbols to differentiate by, parts with names.

#ifndef EXPR_SEEDS_H
#define EXPR_SEEDS_H

#include "expr/graph.h"

/// A symbol's node and its place in the caller's list.
typedef struct KalSeed {
    uint32_t node;
    uint32_t place;
} KalSeed;

/// The caller's symbols, sorted by node.
typedef struct KalSeeds {
    KalContext *ctx;
    KalSeed *list;
    size_t n;
} KalSeeds;

KAL_CHECKED KalStatus kal_seeds_init(KalContext *ctx, const KalExpr *symbols, size_t n,
                                     KalSeeds *out_seeds);
void kal_seeds_clear(KalSeeds *seeds);

/// The place of a symbol, −1 if it is none of them.
int64_t kal_seeds_find(const KalSeeds *seeds, KalExpr symbol);

#endif
