// SPDX-License-Identifier: MIT

// The complete orthogonal decomposition (Golub and Van Loan, Matrix Computations, 5.4.7): a
// pivoted QR of X splits off its null space on the left, a second one, of the transposed
// trapezoid that is left, that on the right.  What stays between is triangular and of full
// rank, so that applying X+ is two products with reflectors and one substitution.  Squares
// are never formed: the condition is that of X and not of its normal equations.

#include "linalg/pseudoinverse.h"

#include "linalg/kernels.h"
#include "linalg/triangular.h"

#include <assert.h>
#include <string.h>

static size_t largest(int a, int b)
{
    return (size_t)(a > b ? a : b);
}

static size_t smallest(int a, int b)
{
    return (size_t)(a < b ? a : b);
}

size_t kal_pseudoinverse_doubles(int rows, int columns)
{
    const size_t both = (size_t)rows * (size_t)columns;
    const size_t taken = smallest(rows, columns);
    const size_t outer = both + taken + 2 * (size_t)columns;
    const size_t inner = (size_t)columns * taken + taken + 2 * taken;
    return outer + inner + largest(rows, columns);
}

size_t kal_pseudoinverse_ints(int rows, int columns)
{
    return (size_t)columns + 3 * smallest(rows, columns);
}

// Give a factorization its arrays and return what is left of the doubles.
static double *lay_out(KalQr *qr, int rows, int columns, double *doubles, int *ints)
{
    qr->rows = rows;
    qr->columns = columns;
    qr->perm = ints;
    qr->swaps = ints + columns;
    qr->W = doubles;
    qr->tau = qr->W + (size_t)rows * (size_t)columns;
    qr->norms = qr->tau + smallest(rows, columns);
    return qr->norms + 2 * (size_t)columns;
}

// X P = U [R S; 0 0] by the outer factorization; then [R S]ᵀ = V T, with columns
// exchanged, by the inner one. So X is U, times the transpose of a triangle, times Vᵀ,
// but for exchanges.
void kal_pseudoinverse_factor(KalPseudoinverse *inverse, KalMatrix X, int rank,
                              double *doubles, int *ints)
{
    assert(rank >= 0 && rank <= X.rows && rank <= X.columns);
    KalQr *outer = &inverse->outer;
    KalQr *inner = &inverse->inner;
    double *rest = lay_out(outer, X.rows, X.columns, doubles, ints);
    for (int j = 0; j < X.columns; j++) {
        memcpy(kal_column(outer->W, X.rows, j), kal_column(X.data, X.ld, j),
               (size_t)X.rows * sizeof *rest);
    }
    kal_qr_factor_to_rank(outer, rank, 0);

    rest = lay_out(inner, X.columns, outer->rank, rest,
                   ints + X.columns + smallest(X.rows, X.columns));
    inverse->scratch = rest;
    for (int i = 0; i < outer->rank; i++) {
        double *row = kal_column(inner->W, X.columns, i);
        for (int j = 0; j < X.columns; j++) {
            row[j] = j < i ? 0.0 : kal_const_column(outer->W, X.rows, j)[i];
        }
    }
    kal_qr_factor_to_rank(inner, outer->rank, 0);
    assert(inner->rank <= outer->rank);
}

// y = P V T⁻ᵀ Uᵀ x: reflections of the outer factors, forward substitution with the
// triangle, reflections of the inner ones, and the columns back in their places.
void kal_pseudoinverse_apply(const KalPseudoinverse *inverse, const double *x,
                             double *y)
{
    const KalQr *outer = &inverse->outer;
    const KalQr *inner = &inverse->inner;
    double *u = inverse->scratch;
    memcpy(u, x, (size_t)outer->rows * sizeof *u);
    kal_qr_apply_transposed(outer, u);

    memset(y, 0, (size_t)outer->columns * sizeof *y);
    for (int i = 0; i < inner->rank; i++) {
        y[i] = u[inner->perm[i]];
    }
    kal_solve_upper_transposed(inner->rank, inner->W, inner->rows, y);
    kal_qr_apply(inner, y);
    memcpy(u, y, (size_t)outer->columns * sizeof *u);
    for (int j = 0; j < outer->columns; j++) {
        y[outer->perm[j]] = u[j];
    }
}
