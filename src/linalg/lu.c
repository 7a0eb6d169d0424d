// SPDX-License-Identifier: MIT

// Gaussian elimination with partial pivoting, P A = L R (Golub and Van Loan, Matrix
// Computations, 3.4).  Before step k the rows from k on hold what is left of the matrix
// after the first k unknowns are eliminated; L stands where its elimination left zeros, so
// that factors of size at most 1 and R share the place of A.  Rows are exchanged whole, so
// `perm` says at any time where each row came from.
//
// Matrices here are at most a few dozen rows and stand row after row, as whoever writes
// down equations has them.

#include "linalg/lu.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static double largest_entry(int n, const double *a)
{
    double largest = 0.0;
    for (int i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

static void swap_rows(int n, double *a, int *perm, int i, int k)
{
    assert(0 <= i && i < k && k < n);
    for (int j = 0; j < n; j++) {
        const double kept = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = kept;
    }
    const int row = perm[i];
    perm[i] = perm[k];
    perm[k] = row;
}

// Bring the largest entry of column k, from row k on, to its place.
static double pivot(int n, double *a, int *perm, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++) {
        if (fabs(a[i * n + k]) > fabs(a[best * n + k])) {
            best = i;
        }
    }
    if (best != k) {
        swap_rows(n, a, perm, k, best);
    }
    return a[k * n + k];
}

static void eliminate(int n, double *a, int k)
{
    const double *from = a + (size_t)k * (size_t)n;
    for (int i = k + 1; i < n; i++) {
        double *row = a + (size_t)i * (size_t)n;
        if (row[k] == 0.0) {
            continue;
        }
        const double factor = row[k] / from[k];
        assert(!(fabs(factor) > 1.0)); // for the pivot is the largest of its column
        row[k] = factor;
        for (int j = k + 1; j < n; j++) {
            row[j] -= factor * from[j];
        }
    }
}

bool kal_lu_factor(int n, double *a, int *perm)
{
    assert(n >= 0);
    const double rounding = (double)n * DBL_EPSILON * largest_entry(n, a);
    for (int k = 0; k < n; k++) {
        perm[k] = k;
    }
    for (int k = 0; k < n; k++) {
        if (!(fabs(pivot(n, a, perm, k)) > rounding)) {
            return false;
        }
        eliminate(n, a, k);
    }
    return true;
}

// Forward with L, whose diagonal is 1, on the right-hand side in the order of the rows;
// then backward with R.
void kal_lu_solve(int n, const double *a, const int *perm, double *work, double *x)
{
    for (int i = 0; i < n; i++) {
        assert(perm[i] >= 0 && perm[i] < n);
        work[i] = x[perm[i]];
        for (int j = 0; j < i; j++) {
            work[i] -= a[i * n + j] * work[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            work[i] -= a[i * n + j] * work[j];
        }
        work[i] /= a[i * n + i];
    }
    memcpy(x, work, (size_t)n * sizeof(double));
}
