// SPDX-License-Identifier: MIT

/// @file
/// Sparse factors P A Q = L U of any matrix, with rows exchanged as its numbers ask.
///
/// Columns are eliminated one after the other (left-looking); for each, a walk through the
/// columns of L that it meets finds which entries it will have, so that the work goes with
/// the products that are not zero.  (J. R. Gilbert and T. Peierls, Sparse partial pivoting
/// in time proportional to arithmetic operations, SIAM J. Sci. Stat. Comput. 9 (1988).)
/// Columns go in an order of minimum degree of AᵀA (sparse/degree.h), which bounds the fill
/// whatever rows become pivots.
///
/// *Ranks.*  A column of which hardly anything is left, relative to what it began with,
/// depends on columns before it and has no pivot.

#ifndef SPARSE_LU_H
#define SPARSE_LU_H

#include "base/block.h"
#include "base/workspace.h"

#include <stdint.h>

/// A matrix by columns.  Rows of a column stand in any order, none twice.  Borrowed.
typedef struct KalColumns {
    int rows;
    int columns;
    const int64_t *start; ///< columns + 1
    const int *row;       ///< start[columns]
    const double *value;  ///< start[columns]
} KalColumns;

/// How to factor.
typedef struct KalSparseLuOptions {
    const double
        *weights; ///< rows: the pivot is the largest |entry| times this; NULL: one
                  ///< that is not small in its row and column, in a short row
    double least; ///< of a column that depends on others less than this is left
    int64_t most; ///< entries of the factors, else KAL_ERR_LIMIT
    int first; ///< columns that are eliminated before all others, and so do not depend on
               ///< these
} KalSparseLuOptions;

/// Factors.  Zeroed are none.
typedef struct KalSparseLu {
    KalContext *ctx;
    KalWorkspace workspace; ///< all arrays below
    int rows;
    int columns;
    int rank;
    double
        left;  ///< the least part of a column that a pivot was, of those that have one
    int first; ///< columns that go before others in the order
    int64_t ordered; ///< entries of the matrix that the order was made for
    int *order;      ///< columns: the column at each place
    int *pivot; ///< columns: the row that column j is solved in; −1: depends on others
    int *place;      ///< rows: the place whose pivot it is; −1: none
    int64_t *start;  ///< columns + 1: of L, by places
    int64_t *ustart; ///< columns + 1: of U
    double *inverse; ///< columns: of the pivots, by places
    double *x;       ///< rows: the column at work; zero between
    double *scale;   ///< rows: weights of pivots
    int *count;      ///< rows: entries that it has
    int *mark;       ///< rows: the place that met it last
    int *reach;      ///< rows: what a column meets, in the order of elimination
    int *stack;      ///< rows
    int64_t *next;   ///< rows: where the walk goes on in each
    KalBlock L;      ///< KalSparseLuEntry, by columns; rows as they are in A
    KalBlock U;      ///< KalSparseLuEntry; rows are places
} KalSparseLu;

/// An entry of a factor.
typedef struct KalSparseLuEntry {
    int row;
    double value;
} KalSparseLuEntry;

/// Factor.  Where `lu`, which comes zeroed, has factors of a matrix of the same size with as many
/// entries or more and as many columns that went first, the order of columns and the memory serve
/// again; else it is cleared first.  KAL_ERR_LIMIT, KAL_ERR_NOMEM.  The caller clears it,
/// whatever is returned.
KAL_CHECKED KalStatus kal_sparse_lu_factor(KalSparseLu *lu, KalContext *ctx,
                                           const KalColumns *matrix,
                                           const KalSparseLuOptions *options);

void kal_sparse_lu_clear(KalSparseLu *lu);

/// Solve A x = b for a square matrix of full rank; x and b have as many entries as it has
/// rows, b is used up.
void kal_sparse_lu_solve(KalSparseLu *lu, double *b, double *out_x);

#endif
