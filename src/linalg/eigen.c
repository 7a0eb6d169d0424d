// SPDX-License-Identifier: MIT

// Jacobi's method with cyclic sweeps (Golub and Van Loan, Matrix Computations, 8.5).  Each
// rotation makes one pair of off-diagonal entries zero; the sum of squares of the others
// falls by as much, and near the end quadratically.  Throughout, V S V^T is the matrix as it
// was given and V is orthogonal.
//
// It is chosen for its accuracy and not for its speed: with the stopping rule of Demmel and
// Veselic (Jacobi's method is more accurate than QR, 1992), an entry is small when it is
// small against the diagonal entries of its own row and column, the small eigenvalues of a
// graded matrix keep their digits.

#include "linalg/eigen.h"

#include "linalg/kernels.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// Convergence is quadratic: six to ten sweeps are usual, more never needed.
enum {
    MOST_SWEEPS = 60
};

typedef struct Rotation {
    double c;
    double s;
} Rotation;

// The rotation that makes the off-diagonal entry of [a b; b d] vanish.
static Rotation rotation_for(double a, double b, double d)
{
    const double theta = (d - a) / (2.0 * b);
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
    const double c = 1.0 / hypot(1.0, t);
    assert(!(fabs(t) > 1.0)); // the smaller of the two angles
    return (Rotation){c, t * c};
}

static void rotate(int n, Rotation r, double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        const double xi = x[i];
        const double yi = y[i];
        x[i] = r.c * xi - r.s * yi;
        y[i] = r.s * xi + r.c * yi;
    }
}

// Columns, then rows p and q of S; the same rotation gathers in V.
static void rotate_both(int n, Rotation r, int p, int q, double *S, double *V)
{
    assert(0 <= p && p < q && q < n);
    rotate(n, r, kal_column(S, n, p), kal_column(S, n, q));
    for (int k = 0; k < n; k++) {
        double *sk = kal_column(S, n, k);
        const double x = sk[p];
        const double y = sk[q];
        sk[p] = r.c * x - r.s * y;
        sk[q] = r.s * x + r.c * y;
    }
    kal_column(S, n, q)[p] = 0.0;
    kal_column(S, n, p)[q] = 0.0;
    rotate(n, r, kal_column(V, n, p), kal_column(V, n, q));
}

static bool sweep(int n, double *S, double *V)
{
    bool rotated = false;
    for (int p = 0; p < n - 1; p++) {
        for (int q = p + 1; q < n; q++) {
            const double a = kal_column(S, n, p)[p];
            const double d = kal_column(S, n, q)[q];
            const double b = kal_column(S, n, q)[p];
            if (fabs(b) > DBL_EPSILON * sqrt(fabs(a * d)) && fabs(b) > DBL_MIN) {
                rotate_both(n, rotation_for(a, b, d), p, q, S, V);
                rotated = true;
            }
        }
    }
    return rotated;
}

void kal_eigen_symmetric(int n, double *S, double *V, double *w)
{
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int j = 0; j < n; j++) {
        kal_column(V, n, j)[j] = 1.0;
    }
    for (int k = 0; k < MOST_SWEEPS && sweep(n, S, V); k++) {
    }
    for (int j = 0; j < n; j++) {
        w[j] = kal_column(S, n, j)[j];
    }
}
