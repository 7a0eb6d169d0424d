// SPDX-License-Identifier: MIT

/// @file
/// Plain dense matrices for tests of linear algebra: column after column, at most
/// MATRIX_MOST on a side, multiplied the way the textbook does.

#ifndef LINALG_MATRIX_H
#define LINALG_MATRIX_H

#include "rng.h"

#include <math.h>
#include <string.h>

enum {
    MATRIX_MOST = 104
};

typedef struct Matrix {
    int rows;
    int columns;
    double at[MATRIX_MOST * MATRIX_MOST]; ///< leading dimension: rows
} Matrix;

static inline double *entry(Matrix *X, int i, int j)
{
    return &X->at[j * X->rows + i];
}

static inline double value(const Matrix *X, int i, int j)
{
    return X->at[j * X->rows + i];
}

static inline void matrix_zero(Matrix *X, int rows, int columns)
{
    X->rows = rows;
    X->columns = columns;
    memset(X->at, 0, (size_t)(rows * columns) * sizeof X->at[0]);
}

static inline void matrix_random(Matrix *X, Rng *rng, int rows, int columns)
{
    matrix_zero(X, rows, columns);
    for (int k = 0; k < rows * columns; k++) {
        X->at[k] = rng_entry(rng);
    }
}

/// Z = X Y.
static inline void matrix_multiply(const Matrix *X, const Matrix *Y, Matrix *Z)
{
    matrix_zero(Z, X->rows, Y->columns);
    for (int j = 0; j < Y->columns; j++) {
        for (int k = 0; k < X->columns; k++) {
            for (int i = 0; i < X->rows; i++) {
                *entry(Z, i, j) += value(X, i, k) * value(Y, k, j);
            }
        }
    }
}

/// Y = Xᵀ.
static inline void matrix_transpose(const Matrix *X, Matrix *Y)
{
    matrix_zero(Y, X->columns, X->rows);
    for (int j = 0; j < X->columns; j++) {
        for (int i = 0; i < X->rows; i++) {
            *entry(Y, j, i) = value(X, i, j);
        }
    }
}

/// A random matrix of the given rank: the product of two of full rank.
static inline void matrix_of_rank(Matrix *X, Rng *rng, int rows, int columns, int rank)
{
    static Matrix left;
    static Matrix right;
    matrix_random(&left, rng, rows, rank);
    matrix_random(&right, rng, rank, columns);
    matrix_multiply(&left, &right, X);
}

/// S = B Bᵀ + shift I for a random B of `rank` columns, scaled to a unit diagonal when
/// shift is zero.
static inline void matrix_semidefinite(Matrix *S, Rng *rng, int n, int rank,
                                       double shift)
{
    static Matrix B;
    static Matrix Bt;
    matrix_random(&B, rng, n, rank);
    for (int i = 0; i < n && shift == 0.0 && rank > 0; i++) {
        double square = 0.0;
        for (int k = 0; k < rank; k++) {
            square += value(&B, i, k) * value(&B, i, k);
        }
        for (int k = 0; k < rank; k++) {
            *entry(&B, i, k) /= sqrt(square);
        }
    }
    matrix_transpose(&B, &Bt);
    matrix_multiply(&B, &Bt, S);
    for (int i = 0; i < n; i++) {
        *entry(S, i, i) += shift;
    }
}

static inline double matrix_largest(const Matrix *X)
{
    double largest = 0.0;
    for (int k = 0; k < X->rows * X->columns; k++) {
        largest = fmax(largest, fabs(X->at[k]));
    }
    return largest;
}

/// The largest difference of entries; infinite when shapes differ, NaN stays.
static inline double matrix_distance(const Matrix *X, const Matrix *Y)
{
    double worst = 0.0;
    if (X->rows != Y->rows || X->columns != Y->columns) {
        return INFINITY;
    }
    for (int k = 0; k < X->rows * X->columns; k++) {
        const double d = fabs(X->at[k] - Y->at[k]);
        worst = d <= worst ? worst : d;
    }
    return worst;
}

/// How far XᵀX is from the identity.
static inline double matrix_skewness(const Matrix *X)
{
    static Matrix Xt;
    static Matrix XtX;
    matrix_transpose(X, &Xt);
    matrix_multiply(&Xt, X, &XtX);
    for (int i = 0; i < X->columns; i++) {
        *entry(&XtX, i, i) -= 1.0;
    }
    return matrix_largest(&XtX);
}

#endif
