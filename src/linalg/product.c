// SPDX-License-Identifier: MIT

// Products of matrices that lie column after column.  The one that factorizations wait for,
// Y -= X F, goes in tiles of two columns of Y and four of X: each number of X that is loaded
// serves two columns and each number of Y four terms, so that arithmetic and not memory is
// what takes the time.  The order of operations depends on the sizes alone, and the results
// are the same bits on every machine.

#include "linalg/product.h"

#include "linalg/kernels.h"

#include <assert.h>
#include <string.h>

// y0, y1 −= four columns of X times their factors: six streams for sixteen operations.
static void update_4_by_2(int rows, const double *restrict X, size_t ldx,
                          double f[2][4], double *restrict y0, double *restrict y1)
{
    const double *restrict x0 = X;
    const double *restrict x1 = X + ldx;
    const double *restrict x2 = X + 2 * ldx;
    const double *restrict x3 = X + 3 * ldx;
    for (int i = 0; i < rows; i++) {
        y0[i] -=
            (f[0][0] * x0[i] + f[0][1] * x1[i]) + (f[0][2] * x2[i] + f[0][3] * x3[i]);
        y1[i] -=
            (f[1][0] * x0[i] + f[1][1] * x1[i]) + (f[1][2] * x2[i] + f[1][3] * x3[i]);
    }
}

static double factor_at(KalFactor F, int k, int j)
{
    return F.data[(size_t)k * F.row_step + (size_t)j * F.column_step];
}

// Tiles of four columns of X by two of Y; what is left at the edges goes column by
// column.
void kal_subtract_product(KalMatrix X, KalFactor F, KalMatrix Y)
{
    assert(X.rows >= Y.rows && X.rows <= X.ld && Y.rows <= Y.ld);
    int j = 0;
    for (; j + 2 <= Y.columns; j += 2) {
        double *y0 = kal_column(Y.data, Y.ld, j);
        double *y1 = kal_column(Y.data, Y.ld, j + 1);
        int k = 0;
        for (; k + 4 <= X.columns; k += 4) {
            double f[2][4];
            for (int lane = 0; lane < 4; lane++) {
                f[0][lane] = factor_at(F, k + lane, j);
                f[1][lane] = factor_at(F, k + lane, j + 1);
            }
            update_4_by_2(Y.rows, kal_column(X.data, X.ld, k), (size_t)X.ld, f, y0, y1);
        }
        for (; k < X.columns; k++) {
            const double *x = kal_column(X.data, X.ld, k);
            kal_axpy(Y.rows, -factor_at(F, k, j), x, y0);
            kal_axpy(Y.rows, -factor_at(F, k, j + 1), x, y1);
        }
    }
    for (; j < Y.columns; j++) {
        for (int k = 0; k < X.columns; k++) {
            kal_axpy(Y.rows, -factor_at(F, k, j), kal_column(X.data, X.ld, k),
                     kal_column(Y.data, Y.ld, j));
        }
    }
}

void kal_multiply(KalMatrix X, KalMatrix Z, KalMatrix Y)
{
    assert(X.columns == Z.rows && X.rows == Y.rows && Z.columns == Y.columns);
    for (int j = 0; j < Y.columns; j++) {
        double *y = kal_column(Y.data, Y.ld, j);
        const double *z = kal_column(Z.data, Z.ld, j);
        memset(y, 0, (size_t)Y.rows * sizeof *y);
        for (int k = 0; k < X.columns; k++) {
            kal_axpy(Y.rows, z[k], kal_column(X.data, X.ld, k), y);
        }
    }
}

void kal_multiply_transposed(KalMatrix X, KalMatrix Z, KalMatrix Y)
{
    assert(X.rows == Z.rows && X.columns == Y.rows && Z.columns == Y.columns);
    for (int j = 0; j < Y.columns; j++) {
        double *y = kal_column(Y.data, Y.ld, j);
        const double *z = kal_column(Z.data, Z.ld, j);
        for (int i = 0; i < Y.rows; i++) {
            y[i] = kal_dot(X.rows, kal_column(X.data, X.ld, i), z);
        }
    }
}
