// SPDX-License-Identifier: MIT

/// @file
/// What the files of the graph share: its tables, and the steps of simplification.
///
/// The constructors call each other in one direction only: functions (function.c) build
/// on sums (sum.c), these on products (product.c), these on the table (graph.c).  So
/// simplification ends.

#ifndef EXPR_GRAPH_IMPL_H
#define EXPR_GRAPH_IMPL_H

#include "expr/graph.h"

enum {
    KAL_FLAG_SQUARE = 1, ///< a factor is a power of sin, cos, sinh or cosh
    KAL_FACTORS_MAX = 12 ///< factors of a product that simplification looks at
};

struct KalGraph {
    KalContext *ctx;
    KalExprNode *nodes;
    uint32_t count;
    uint32_t capacity;
    uint32_t limit;

    uint64_t *table; ///< open addressing: hash and, in the low half, index; 0 for none
    uint32_t table_size;

    KalRational *numbers;
    uint32_t n_numbers;
    uint32_t number_capacity;

    uint64_t *marks; ///< scratch of order.c: epoch and position of each node
    uint32_t mark_capacity;
    uint32_t epoch;

    KalStatus status;
    KalExpr culprit;
    double bad_number;
    bool plain;
    bool frozen; ///< nothing above changes any more
};

static inline const KalExprNode *kal_node(const KalGraph *g, KalExpr e)
{
    return &g->nodes[e.index];
}

static inline bool kal_is_op(const KalGraph *g, KalExpr e, KalOp op)
{
    return g->nodes[e.index].op == op;
}

static inline int32_t kal_node_exponent(const KalExprNode *n)
{
    return (int32_t)n->arg[1].index;
}

static inline bool kal_same(KalExpr a, KalExpr b)
{
    return a.index == b.index;
}

/// The one node with this operator and these operands, made if need be.
KalExpr kal_cons(KalGraph *g, KalOp op, KalExpr a, KalExpr b, KalExpr c);

/// The same, if it is there already; KAL_NO_EXPR if not.
KalExpr kal_find(const KalGraph *g, KalOp op, KalExpr a, KalExpr b);

/// Spoil the graph.
KalExpr kal_spoil(KalGraph *g, KalStatus status, KalExpr culprit);

/// An expression as number × rest; rest is KAL_NO_EXPR for 1.
typedef struct KalTerm {
    KalRational k;
    KalExpr rest;
} KalTerm;

/// Take the number off an expression.
KalTerm kal_split(const KalGraph *g, KalExpr e);

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

/// The product as a node.
KalExpr kal_factors_build(KalGraph *g, KalFactors *f);

#endif
