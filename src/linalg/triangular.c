// SPDX-License-Identifier: MIT

// Substitution.  Forward for many right-hand sides goes by blocks of rows: within a block
// two right-hand sides share each column of L that is loaded, and what a finished block
// contributes to the rows below is one product, blocked for registers.  Before a block the
// rows of X above it are solved, and those from it on have had the solved ones subtracted.
// Single right-hand sides take the plain loops: by columns forward, by inner products
// backward, so that L is read along its columns in both.

#include "linalg/triangular.h"

#include "linalg/kernels.h"
#include "linalg/product.h"

#include <assert.h>

// Rows that are solved together before the rows below are updated by them.
enum {
    PANEL = 32
};

// The rows k0..k1-1 of a lower triangle.
typedef struct Block {
    const double *L;
    const double *inverse;
    int n;
    int k0;
    int k1;
} Block;

// Solve within the block for two right-hand sides at once.
static void solve_pair(Block block, double *restrict x, double *restrict y)
{
    for (int j = block.k0; j < block.k1; j++) {
        const double *restrict lj = kal_const_column(block.L, block.n, j);
        const double f = x[j] * block.inverse[j];
        const double g = y[j] * block.inverse[j];
        x[j] = f;
        y[j] = g;
        for (int i = j + 1; i < block.k1; i++) {
            x[i] -= f * lj[i];
            y[i] -= g * lj[i];
        }
    }
}

static void solve_single(Block block, double *restrict x)
{
    for (int j = block.k0; j < block.k1; j++) {
        x[j] *= block.inverse[j];
        kal_axpy(block.k1 - j - 1, -x[j], kal_const_column(block.L, block.n, j) + j + 1,
                 x + j + 1);
    }
}

// Rows k0 to k1 are solved for all right-hand sides; then they are taken off all rows
// below in one product.
void kal_solve_lower(int n, double *L, const double *inverse, int columns, double *X)
{
    assert(n >= 0 && columns >= 0);
    for (int k0 = 0; k0 < n; k0 += PANEL) {
        const int k1 = k0 + PANEL < n ? k0 + PANEL : n;
        const Block block = {L, inverse, n, k0, k1};
        int j = 0;
        for (; j + 2 <= columns; j += 2) {
            solve_pair(block, kal_column(X, n, j), kal_column(X, n, j + 1));
        }
        for (; j < columns; j++) {
            solve_single(block, kal_column(X, n, j));
        }
        const KalFactor F = {X + k0, 1, (size_t)n};
        const KalMatrix below = {kal_column(L, n, k0) + k1, n - k1, k1 - k0, n};
        kal_subtract_product(below, F, (KalMatrix){X + k1, n - k1, columns, n});
    }
}

void kal_solve_lower_transposed(int n, const double *L, const double *inverse,
                                double *x)
{
    for (int j = n - 1; j >= 0; j--) {
        const double *lj = kal_const_column(L, n, j);
        x[j] = (x[j] - kal_dot(n - j - 1, lj + j + 1, x + j + 1)) * inverse[j];
    }
}

void kal_solve_upper(int k, const double *T, int ld, double *x)
{
    assert(k <= ld);
    for (int j = k - 1; j >= 0; j--) {
        const double *tj = kal_const_column(T, ld, j);
        x[j] /= tj[j];
        kal_axpy(j, -x[j], tj, x);
    }
}

void kal_solve_upper_transposed(int k, const double *T, int ld, double *x)
{
    assert(k <= ld);
    for (int j = 0; j < k; j++) {
        const double *tj = kal_const_column(T, ld, j);
        x[j] = (x[j] - kal_dot(j, tj, x)) / tj[j];
    }
}
