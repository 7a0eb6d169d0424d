// SPDX-License-Identifier: MIT

/// @file
/// Brackets of the motions that forms allow, at a point.

#ifndef DERIVE_CLOSURE_IMPL_H
#define DERIVE_CLOSURE_IMPL_H

#include "derive/closure.h"
#include "zero/basis.h"

/// ∂W_k/∂z_j of form i: a part of its differential.
typedef struct KalSlope {
    uint32_t form;
    uint32_t j;
    uint32_t k;
    KalExpr value;
} KalSlope;

/// Forms with their differentials.
typedef struct KalPfaffSystem {
    KalGraph *g;
    KalContext *ctx;
    KalArena *arena;
    KalProbe *probe;
    KalArithmetic field;
    KalPfaffForms forms;
    const size_t *pivot; ///< of forms that are solved: for which variable; else NULL
    KalSlope *slopes;
    size_t n_slopes;
    double work;         ///< multiplications that may still be spent
    uint32_t first_node; ///< the size of the graph at the beginning
} KalPfaffSystem;

/// Two free variables.
typedef struct KalFreePair {
    size_t f;
    size_t g;
} KalFreePair;

/// What brackets are like at a point: theory (10.9), (10.10).
typedef struct KalBrackets {
    KalArithmetic field;
    size_t rank;        ///< independent forms
    size_t *form;       ///< rank: which of the forms they are
    size_t *place;      ///< for each form 1 + its place among these, or 0
    size_t *pivot;      ///< rank: the variable that each is solved for
    size_t *solved;     ///< for each variable 1 + the place whose pivot it is, or 0
    size_t n_pairs;     ///< independent brackets, at most rank
    KalFreePair *pairs; ///< n_pairs: of which fields
    size_t *lost;  ///< n_pairs: an independent form, by its place, that each excludes
    bool finished; ///< all brackets were looked at, or enough of them
} KalBrackets;

/// Look at all brackets at a point at which forms and slopes have values.
KAL_CHECKED KalStatus kal_brackets_find(KalPfaffSystem *system, KalArithmetic field,
                                        int point, KalBrackets *out_brackets);

#endif
