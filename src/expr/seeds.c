// SPDX-License-Identifier: MIT

// Symbols with their places in a list, sorted by node, so that finding one takes few
// comparisons.

#include "expr/seeds.h"

#include <assert.h>
#include <stdlib.h>

// By node.
static int compare_seeds(const void *a, const void *b)
{
    const KalSeed *x = a;
    const KalSeed *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

KalStatus kal_seeds_init(KalContext *ctx, const KalExpr *symbols, size_t n,
                         KalSeeds *out_seeds)
{
    assert(symbols || n == 0);
    KalSeed *list = kal_alloc(ctx, n, sizeof *list);
    if (n > 0 && !list) {
        return kal_no_memory(ctx, "for a list of formulas");
    }
    for (size_t i = 0; i < n; i++) {
        list[i] = (KalSeed){symbols[i].index, (uint32_t)i};
    }
    if (n > 0) {
        qsort(list, n, sizeof *list, compare_seeds);
    }
    *out_seeds = (KalSeeds){ctx, list, n};
    return KAL_OK;
}

void kal_seeds_clear(KalSeeds *seeds)
{
    kal_free(seeds->ctx, seeds->list, seeds->n * sizeof *seeds->list);
}

int64_t kal_seeds_find(const KalSeeds *seeds, KalExpr symbol)
{
    const KalSeed key = {.node = symbol.index};
    const KalSeed *found =
        seeds->n == 0 ? NULL
                      : bsearch(&key, seeds->list, seeds->n, sizeof key, compare_seeds);
    return found ? (int64_t)found->place : -1;
}
