// SPDX-License-Identifier: MIT

#include "analysis/chart.h"

#include <math.h>
#include <stddef.h>

// What is left of a row of length 1 when it counts as dependent.
static const double DEPENDENT = 1e-10;

static double *row_of(const KalEchelon *e, int i)
{
    return e->W + (size_t)i * (size_t)(e->columns + e->followers);
}

// The largest weighted entry of a row becomes 1; a row of zeros stays.
static void normalize(const KalEchelon *e, int i)
{
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

static bool is_pivot(const KalEchelon *e, int column)
{
    for (int i = 0; i < e->rows; i++) {
        if (e->pivot[i] == column) {
            return true;
        }
    }
    return false;
}

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

static void eliminate(const KalEchelon *e, int pivot_row, int column)
{
    const int width = e->columns + e->followers;
    double *p = row_of(e, pivot_row);
    const double pivot = p[column];
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

static void take_all(KalEchelon *e, Choice choice)
{
    int row = 0;
    int column = 0;
    while (find_pivot(e, choice, &row, &column)) {
        eliminate(e, row, column);
        e->pivot[row] = column;
        e->rank++;
    }
}

void kal_echelon_reduce(KalEchelon *e)
{
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
