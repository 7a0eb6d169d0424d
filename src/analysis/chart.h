// SPDX-License-Identifier: MIT

/// @file
/// Which coordinates follow the others: elimination with pivots of choice.
///
/// Rows W x + F = 0 are solved for as many entries of x as their rank allows.  A pivot is
/// the largest entry there is, weighted by how much a column is wanted as one that
/// follows; rows and columns of an earlier group come first.

#ifndef ANALYSIS_CHART_H
#define ANALYSIS_CHART_H

#include <stdbool.h>

/// Rows on their way; all arrays are borrowed.
typedef struct KalEchelon {
    int rows;
    int columns;
    int followers;         ///< columns of F, stored behind those of W
    double *W;             ///< rows × (columns + followers), row after row
    const double *weights; ///< columns: 0 keeps a column from being a pivot
    const bool *later_row; ///< rows: a pivot only when no other row has one; NULL: none
    const bool *first_column; ///< columns: a pivot before the others; NULL: none
    int *pivot;               ///< rows: out: the column solved for, or −1
    int rank;                 ///< out
    double misfit; ///< out: what is left of F in rows without a pivot, relative to F
} KalEchelon;

/// Reduce: afterwards the row of a pivot reads x[pivot] + Σ W x + F = 0 over columns that
/// are not pivots.  A row counts as dependent when less than 1e-10 of it is left.
void kal_echelon_reduce(KalEchelon *e);

#endif
