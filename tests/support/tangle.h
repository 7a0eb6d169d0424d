// SPDX-License-Identifier: MIT

/// @file
/// Tangles: random graphs of formulas, of any size, for tests of what evaluates them.

#ifndef SUPPORT_TANGLE_H
#define SUPPORT_TANGLE_H

#include "expr/graph.h"
#include "rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What a random graph is to be like.
typedef struct TangleSpec {
    uint32_t symbols; ///< ids 0 and so on: the first nodes
    uint32_t nodes;   ///< symbols included
    uint32_t reach;   ///< how far back operands are, at most
    bool smooth;      ///< only what complex numbers can do
} TangleSpec;

static const KalOp TANGLE_COMMON[] = {KAL_OP_ADD, KAL_OP_SUB, KAL_OP_MUL, KAL_OP_MUL,
                                      KAL_OP_NEG, KAL_OP_DIV, KAL_OP_SIN, KAL_OP_COS};

static inline KalExpr tangle_powi(KalGraph *graph, Rng *rng, KalExpr a)
{
    static const int exponents[] = {2, 2, 3, -1, -2, 4, 5, -3};
    return kal_powi(graph, a, exponents[rng_int(rng, 0, 7)]);
}

static inline KalExpr tangle_choice(KalGraph *graph, Rng *rng, const KalExpr arg[3])
{
    KalExpr condition =
        kal_binary(graph, (KalOp)rng_int(rng, KAL_OP_LT, KAL_OP_NE), arg[0], arg[1]);
    if (rng_int(rng, 0, 1)) {
        condition = kal_unary(graph, KAL_OP_NOT, condition);
    }
    if (rng_int(rng, 0, 1)) {
        const KalExpr other = kal_binary(graph, KAL_OP_LT, arg[1], arg[2]);
        const KalOp logic = rng_int(rng, 0, 1) ? KAL_OP_AND : KAL_OP_OR;
        condition = kal_binary(graph, logic, condition, other);
    }
    return kal_select(graph, condition, arg[1], arg[2]);
}

static inline KalExpr tangle_operation(KalGraph *graph, Rng *rng, bool smooth,
                                       const KalExpr arg[3])
{
    const int kind = rng_int(rng, 0, 19);
    if (kind < 13) {
        return kal_build(graph, TANGLE_COMMON[rng_int(rng, 0, 7)], arg);
    }
    if (kind < 15) {
        return tangle_powi(graph, rng, arg[0]);
    }
    if (kind == 15) {
        return kal_mul(graph, kal_const(graph, 0.25 * rng_int(rng, -9, 9)), arg[0]);
    }
    if (smooth) {
        static const KalOp calls[] = {KAL_OP_SQRT, KAL_OP_TAN, KAL_OP_SINH, KAL_OP_COSH,
                                      KAL_OP_TANH, KAL_OP_EXP, KAL_OP_LOG,  KAL_OP_POW};
        return kal_build(graph, calls[rng_int(rng, 0, 7)], arg);
    }
    if (kind == 16) {
        return tangle_choice(graph, rng, arg);
    }
    if (kind == 17) {
        return kal_mul(graph, kal_pi(graph), arg[0]);
    }
    return kal_build(graph, (KalOp)rng_int(rng, KAL_OP_POW, KAL_OP_HYPOT), arg);
}

/// Build a random graph; out_nodes has room for spec.nodes, and all of them are filled.
static inline void tangle_build(KalGraph *graph, Rng *rng, TangleSpec spec,
                                KalExpr *out_nodes)
{
    for (uint32_t i = 0; i < spec.nodes; i++) {
        KalExpr arg[3];
        out_nodes[i] = KAL_NO_EXPR;
        if (i < spec.symbols) {
            out_nodes[i] = kal_symbol(graph, i);
            continue;
        }
        while (out_nodes[i].index == 0) {
            const int reach = (int)(i < spec.reach ? i : spec.reach);
            for (int k = 0; k < 3; k++) {
                arg[k] = out_nodes[i - 1U - (uint32_t)rng_int(rng, 0, reach - 1)];
            }
            out_nodes[i] = tangle_operation(graph, rng, spec.smooth, arg);
            kal_graph_recover(graph); // an exact zero below a fraction
        }
    }
}

/// Whether two numbers are the same bits, or neither is a number.
static inline bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

#endif
