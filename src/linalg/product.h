// SPDX-License-Identifier: MIT

/// @file
/// Matrix products, blocked for registers: what large factorizations spend their time in.

#ifndef LINALG_PRODUCT_H
#define LINALG_PRODUCT_H

#include <stddef.h>

/// A view of a matrix that lies column after column in somebody else's memory.  Views
/// are passed by value; a function that only reads through one says so.
typedef struct KalMatrix {
    double *data;
    int rows;
    int columns;
    int ld; ///< from one column to the next
} KalMatrix;

/// The factor on the right of kal_subtract_product: its entry (k, j) stands at
/// data[k * row_step + j * column_step], so that a transposed one needs no copy.
typedef struct KalFactor {
    const double *data;
    size_t row_step;
    size_t column_step;
} KalFactor;

/// Y −= X F, where F has as many rows as X has columns.  Y must not overlap X; F may lie
/// inside X.  X is only read.
void kal_subtract_product(KalMatrix X, KalFactor F, KalMatrix Y);

/// Y = X Z.  X and Z are only read.
void kal_multiply(KalMatrix X, KalMatrix Z, KalMatrix Y);

/// Y = Xᵀ Z.  X and Z are only read.
void kal_multiply_transposed(KalMatrix X, KalMatrix Z, KalMatrix Y);

#endif
