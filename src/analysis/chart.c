// SPDX-License-Identifier: MIT

// Gauss–Jordan elimination with complete pivoting by weights (Golub and Van Loan, Matrix
// Computations, 3.4.8): rows are solved for the unknowns that follow the others.
//
// Pivots are taken in passes: first rows that come first, within these columns that come
// first; then all columns; then later rows.  So whoever has a preference gets it as far as
// the rank allows.  Followers, columns behind the matrix, undergo all steps and are never
// taken.
//
// Invariants: the column of each pivot is zero but for a 1 in its row; rows without a pivot
// are combinations of the given ones that have nothing left but rounding once all passes are
// done, and what their followers then hold is the misfit.

#include "analysis/chart.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

// What is left of a row of length 1 when it counts as dependent.
static const double DEPENDENT = 1e-10;

// Row i with its followers.
static double *row_of(const KalEchelon *e, int i)
{
    assert(i >= 0 && i < e->rows);
    return e->W + (size_t)i * (size_t)(e->columns + e->followers);
}

// The largest weighted entry of a row becomes 1; a row of zeros stays.
static void normalize(const KalEchelon *e, int i)
{
    assert(i >= 0 && i < e->rows);
    double *row = row_of(e, i);
    double largest = 0.0;
    for (int j = 0; j < e->columns; j++) {
        largest = fmax(largest, fabs(row[j]) * e->weights[j]);
    }
    for (int j = 0; j < e->columns + e->followers && largest > 0.0; j++) {
        row[j] /= largest;
    }
}

// Which rows and columns a search for a pivot looks at.
typedef struct Choice {
    bool later_rows;
    bool all_columns;
} Choice;

// Whether a column was taken.
static bool is_pivot(const KalEchelon *e, int column)
{
    assert(column >= 0 && column < e->columns);
    for (int i = 0; i < e->rows; i++) {
        if (e->pivot[i] == column) {
            return true;
        }
    }
    return false;
}

// The largest weighted entry that may be taken; false when all are rounding.
static bool find_pivot(const KalEchelon *e, Choice choice, int *out_row,
                       int *out_column)
{
    double best = DEPENDENT;
    for (int j = 0; j < e->columns; j++) {
        const bool first = e->first_column && e->first_column[j];
        if (e->weights[j] == 0.0 || !(first || choice.all_columns) || is_pivot(e, j)) {
            continue;
        }
        for (int i = 0; i < e->rows; i++) {
            const bool later = e->later_row && e->later_row[i];
            const double size = fabs(row_of(e, i)[j]) * e->weights[j];
            if (e->pivot[i] < 0 && (!later || choice.later_rows) && size > best) {
                best = size;
                *out_row = i;
                *out_column = j;
            }
        }
    }
    return best > DEPENDENT;
}

// Make a column that of a pivot.
static void eliminate(const KalEchelon *e, int pivot_row, int column)
{
    assert(pivot_row >= 0 && pivot_row < e->rows && e->pivot[pivot_row] < 0);
    const int width = e->columns + e->followers;
    double *p = row_of(e, pivot_row);
    const double pivot = p[column];
    assert(pivot != 0.0 && column < e->columns);
    for (int j = 0; j < width; j++) {
        p[j] /= pivot;
    }
    p[column] = 1.0;
    for (int i = 0; i < e->rows; i++) {
        double *row = row_of(e, i);
        const double f = row[column];
        if (i == pivot_row || f == 0.0) {
            continue;
        }
        for (int j = 0; j < width; j++) {
            row[j] -= f * p[j];
        }
        row[column] = 0.0;
    }
}

// Of all rows, or of those without a pivot.
static double largest_follower(const KalEchelon *e, bool dependent)
{
    double largest = 0.0;
    for (int i = 0; i < e->rows; i++) {
        for (int j = 0; j < e->followers && (!dependent || e->pivot[i] < 0); j++) {
            largest = fmax(largest, fabs(row_of(e, i)[e->columns + j]));
        }
    }
    return largest;
}

// As many pivots as a pass has.
static void take_all(KalEchelon *e, Choice choice)
{
    int row = 0;
    int column = 0;
    while (find_pivot(e, choice, &row, &column)) {
        eliminate(e, row, column);
        e->pivot[row] = column;
        e->rank++;
        assert(e->rank <= e->rows && e->rank <= e->columns);
    }
}

// Gauss–Jordan elimination with complete pivoting in four passes: rows and columns that
// are preferred give pivots before the others. What it leaves of the followers is the
// misfit of a system that has no solution.
void kal_echelon_reduce(KalEchelon *e)
{
    assert(e->rows >= 0 && e->columns >= 0 && e->followers >= 0);
    e->rank = 0;
    for (int i = 0; i < e->rows; i++) {
        e->pivot[i] = -1;
        normalize(e, i);
    }
    const double before = largest_follower(e, false);
    for (int later = 0; later < 2; later++) {
        take_all(e, (Choice){.later_rows = later == 1, .all_columns = false});
        take_all(e, (Choice){.later_rows = later == 1, .all_columns = true});
    }
    const double left = largest_follower(e, true);
    e->misfit = before > 0.0 ? left / before : 0.0;
}
