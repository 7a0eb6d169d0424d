// SPDX-License-Identifier: MIT

/// @file
/// Products taken apart into a number and powers of bases.

#ifndef EXPR_FACTORS_H
#define EXPR_FACTORS_H

#include "expr/graph.h"

enum {
    KAL_FACTORS_MAX = 12 ///< factors of a product that are looked at
};

/// An exponent; den > 0.
typedef struct KalExponent {
    int32_t num;
    int32_t den;
} KalExponent;

/// A product: k × Π base^exponent, sorted by key, no exponent zero.
typedef struct KalFactors {
    KalRational k;
    int n;
    uint64_t key[KAL_FACTORS_MAX]; ///< of the base, see kal_factor_key()
    KalExpr base[KAL_FACTORS_MAX];
    KalExponent exponent[KAL_FACTORS_MAX];
} KalFactors;

static inline KalFactors kal_factors_none(void)
{
    KalFactors f;
    f.k = (KalRational){1, 1, 1.0};
    f.n = 0;
    return f;
}

/// Multiply by e^n, taking products, quotients and powers apart.  False if there are too
/// many factors or an exponent is too large; then f is of no use.
bool kal_factors_add(const KalGraph *g, KalFactors *f, KalExpr e, int32_t n);

/// Where a base stands among factors: numbers, symbols by id, functions, sums.
uint64_t kal_factor_key(const KalGraph *g, KalExpr base);

#endif
