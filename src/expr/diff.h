// SPDX-License-Identifier: MIT

/// @file
/// Derivatives, as formulas in the same graph.
///
/// A gradient costs a small multiple of its formula however many symbols there are
/// (reverse accumulation), and a second derivative a small multiple of the nodes that
/// depend on its symbol.  Nothing is expanded: derivatives share their parts with each
/// other and with what they were taken of.
///
/// Choices where a derivative does not exist everywhere: each branch of `if`, min and max
/// is differentiated by itself, conditions count as constant, abs' is sign, sign' is 0.
/// Where a and b are equal, min and max have the derivative of the first.

#ifndef EXPR_DIFF_H
#define EXPR_DIFF_H

#include "expr/graph.h"

/// Symbols with the derivative of each with respect to whatever is meant, such as time.
/// Symbols that are not listed are constant.
typedef struct KalRates {
    const KalExpr *symbols; ///< n different symbols
    const KalExpr *rates;   ///< n
    size_t n;
} KalRates;

/// A sparse matrix of formulas, by rows; what is not there is exactly zero.  Columns
/// ascend within a row.  Zeroed is empty.
typedef struct KalSparse {
    KalContext *ctx;
    size_t rows;
    size_t columns;
    int64_t *start;  ///< rows + 1: where each row begins in the next two
    int64_t *column; ///< start[rows]
    KalExpr *value;  ///< start[rows]
} KalSparse;

/// How many entries a sparse matrix has.
static inline size_t kal_sparse_entries(const KalSparse *matrix)
{
    return matrix->start ? (size_t)matrix->start[matrix->rows] : 0;
}

/// Free what a sparse matrix holds.
void kal_sparse_clear(KalSparse *matrix);

/// The entry of a row and column; KAL_NO_EXPR when it is zero.
KalExpr kal_sparse_get(const KalSparse *matrix, size_t row, size_t column);

/// Derivative of f with respect to the symbol x.
KAL_CHECKED KalStatus kal_diff(KalGraph *g, KalExpr f, KalExpr x, KalExpr *out_df);

/// Total derivatives of n expressions: Σ ∂e/∂symbol × rate.  With coordinate → velocity,
/// velocity → acceleration and t → 1, time derivatives.
KAL_CHECKED KalStatus kal_total(KalGraph *g, const KalExpr *e, size_t n,
                                const KalRates *rates, KalExpr *out_de);

/// Derivatives of f with respect to n different symbols.
KAL_CHECKED KalStatus kal_gradient(KalGraph *g, KalExpr f, const KalExpr *x, size_t n,
                                   KalExpr *out_df);

/// Derivatives of the m expressions e with respect to n different symbols: m × n.
KAL_CHECKED KalStatus kal_jacobian(KalGraph *g, const KalExpr *e, size_t m,
                                   const KalExpr *x, size_t n, KalSparse *out_J);

/// Second derivatives of f with respect to n different symbols: the lower triangle,
/// column ≤ row, of the symmetric n × n matrix.
KAL_CHECKED KalStatus kal_hessian(KalGraph *g, KalExpr f, const KalExpr *x, size_t n,
                                  KalSparse *out_H);

#endif
