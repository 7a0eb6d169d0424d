// SPDX-License-Identifier: MIT

// Cholesky's factorization, right-looking and by panels (Golub and Van Loan, Matrix
// Computations, 4.2).  A panel of columns is finished first; then the rest of the matrix
// gets the update of all of them at once, by a product that is blocked for registers.
//
// What holds between panels: the columns before k0 are those of L, and the lower triangle
// from k0 on is the Schur complement, what is left of the matrix without them.  The pivots
// are squares of the distances of each coordinate from the span of those before it, in the
// metric of the matrix.  So a pivot divided by the diagonal entry that it came from tells
// how dependent a coordinate is, in units that no scaling of the matrix changes.
//
// The pivoted form takes the largest remaining diagonal entry at each step.  In a
// semi-definite matrix that entry bounds all that are left, |a_ij| <= sqrt(a_ii a_jj), so
// stopping where it falls below the tolerance finds the rank (Higham, Accuracy and Stability
// of Numerical Algorithms, 10.3).

#include "linalg/cholesky.h"

#include "linalg/kernels.h"
#include "linalg/product.h"

#include <assert.h>
#include <math.h>

// Columns that are finished together before the rest of the matrix is updated by them.
enum {
    PANEL = 32
};

// Finish columns k0..k1-1, which carry the updates of all columns before k0.  Returns
// the smallest relative pivot, 0 if one is not positive.
static double factor_panel(int n, double *restrict a, int k0, int k1,
                           double *restrict inverse)
{
    assert(0 <= k0 && k0 < k1 && k1 <= n);
    double worst = 1.0;
    for (int j = k0; j < k1; j++) {
        double *aj = kal_column(a, n, j);
        const double pivot = aj[j];
        if (!(pivot > 0.0)) {
            return 0.0;
        }
        const double relative = pivot / inverse[j];
        worst = relative < worst ? relative : worst;
        const double root = sqrt(pivot);
        assert(root > 0.0);
        inverse[j] = 1.0 / root;
        aj[j] = root;
        kal_vector_scale(n - j - 1, inverse[j], aj + j + 1);
        for (int i = j + 1; i < k1; i++) {
            kal_axpy(n - i, -aj[i], aj + i, kal_column(a, n, i) + i);
        }
    }
    return worst;
}

// Subtract from columns k1.. what the finished columns k0..k1-1 contribute.
static void update_trailing(int n, double *restrict a, int k0, int k1)
{
    double *panel = kal_column(a, n, k0);
    for (int j = k1; j < n; j += 2) {
        const KalFactor F = {panel + j, (size_t)n, 1};
        const KalMatrix X = {panel + j, n - j, k1 - k0, n};
        const KalMatrix Y = {kal_column(a, n, j) + j, n - j, n - j < 2 ? 1 : 2, n};
        kal_subtract_product(X, F, Y);
    }
}

double kal_cholesky(int n, double *restrict a, double *restrict inverse)
{
    assert(n >= 0);
    double worst = 1.0;
    for (int j = 0; j < n; j++) {
        inverse[j] = kal_column(a, n, j)[j]; // until the pivot replaces it
    }
    for (int k0 = 0; k0 < n; k0 += PANEL) {
        const int k1 = k0 + PANEL < n ? k0 + PANEL : n;
        const double relative = factor_panel(n, a, k0, k1, inverse);
        worst = relative < worst ? relative : worst;
        if (worst == 0.0) {
            break;
        }
        update_trailing(n, a, k0, k1);
    }
    assert(worst >= 0.0 && worst <= 1.0);
    return worst;
}

// Exchange rows and columns i and j of the symmetric trailing block, and rows i and j of
// the finished columns.
static void exchange(int n, double *restrict a, int i, int j)
{
    assert(0 <= i && i <= j && j < n);
    if (i == j) {
        return;
    }
    for (int k = 0; k < n; k++) {
        double *ak = kal_column(a, n, k);
        const double keep = ak[i];
        ak[i] = ak[j];
        ak[j] = keep;
    }
    kal_swap(n, kal_column(a, n, i), kal_column(a, n, j));
}

static int largest_diagonal(int n, const double *a, int from)
{
    int best = from;
    for (int j = from + 1; j < n; j++) {
        if (kal_const_column(a, n, j)[j] > kal_const_column(a, n, best)[best]) {
            best = j;
        }
    }
    return best;
}

// Outer products, one column at a time: the column of the pivot, divided by its root, is
// the next one of L, and the columns behind it lose the product of that column with
// itself. What is left is kept whole, not only its lower half, so that rows and columns
// can be exchanged; above the diagonal of L there are zeros.
int kal_cholesky_pivoted(int n, double *restrict a, double tolerance,
                         int *restrict perm)
{
    assert(tolerance >= 0.0);
    for (int j = 0; j < n; j++) {
        perm[j] = j;
    }
    for (int j = 0; j < n; j++) {
        const int p = largest_diagonal(n, a, j);
        if (!(kal_const_column(a, n, p)[p] > tolerance)) {
            return j;
        }
        exchange(n, a, j, p);
        const int keep = perm[j];
        perm[j] = perm[p];
        perm[p] = keep;

        double *aj = kal_column(a, n, j);
        const double root = sqrt(aj[j]);
        aj[j] = root;
        kal_vector_scale(n - j - 1, 1.0 / root, aj + j + 1);
        for (int i = j + 1; i < n; i++) {
            double *ai = kal_column(a, n, i);
            ai[j] = 0.0;
            kal_axpy(n - j - 1, -aj[i], aj + j + 1, ai + j + 1);
        }
    }
    return n;
}
