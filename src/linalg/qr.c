// SPDX-License-Identifier: MIT

// Householder's QR with column pivoting after Businger and Golub (Golub and Van Loan, Matrix
// Computations, 5.4).  Step k takes the column whose part outside the span of those taken
// is the longest, and reflects it onto the axis k.
//
// What holds before step k: rows 0..k-1 of all columns are final; norms[j] is the squared
// length of column j below row k, up to the error that CANCELLED allows; those lengths are
// the distances of the columns from the span of those taken.  The squared lengths are
// brought up to date by subtraction, as LINPACK does, and computed anew once so much was
// subtracted that cancellation would show.
//
// Columns behind the matrix, the followers, undergo the reflections but are never taken.

#include "linalg/qr.h"

#include "linalg/kernels.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Squared norms are updated, not recomputed, until so much has been subtracted that
// cancellation would show: below this fraction of the last computed value.
static const double CANCELLED = 1e-6;

static int largest_column(const KalQr *qr, int from)
{
    int best = from;
    for (int j = from + 1; j < qr->columns; j++) {
        if (qr->norms[j] > qr->norms[best]) {
            best = j;
        }
    }
    return best;
}

static void exchange_columns(KalQr *qr, int i, int j)
{
    assert(0 <= i && i <= j && j < qr->columns);
    if (i == j) {
        return;
    }
    kal_swap(qr->rows, kal_column(qr->W, qr->rows, i), kal_column(qr->W, qr->rows, j));
    const int keep = qr->perm[i];
    qr->perm[i] = qr->perm[j];
    qr->perm[j] = keep;
    double *norms = qr->norms;
    norms[j] = norms[i];
    norms[qr->columns + j] = norms[qr->columns + i];
}

// Make the reflector that takes x (n entries) to (±|x|, 0, …); returns tau.
// The sign of beta is that against which x[0] - beta does not cancel, so 1 <= tau <= 2.
static double make_reflector(int n, double *x)
{
    assert(n > 0);
    const double tail = kal_dot(n - 1, x + 1, x + 1);
    if (tail == 0.0) {
        return 0.0;
    }
    const double norm = sqrt(x[0] * x[0] + tail);
    const double beta = x[0] > 0.0 ? -norm : norm;
    kal_vector_scale(n - 1, 1.0 / (x[0] - beta), x + 1);
    const double tau = (beta - x[0]) / beta;
    assert(!(tau < 1.0) && !(tau > 2.0));
    x[0] = beta;
    return tau;
}

// y ← (I − tau v vᵀ) y with v(0) = 1 understood.
static void reflect(int n, double tau, const double *restrict v, double *restrict y)
{
    const double f = tau * (y[0] + kal_dot(n - 1, v + 1, y + 1));
    y[0] -= f;
    kal_axpy(n - 1, -f, v + 1, y + 1);
}

// Take the new top entry out of a column's remaining squared norm.
static void shorten_norm(KalQr *qr, int column, int step)
{
    assert(step < column && column < qr->columns && step < qr->rows);
    double *norm = &qr->norms[column];
    double *reference = &qr->norms[qr->columns + column];
    const double *w = kal_const_column(qr->W, qr->rows, column);
    *norm -= w[step] * w[step];
    if (*norm <= CANCELLED * *reference) {
        const int left = qr->rows - step - 1;
        *norm = kal_dot(left, w + step + 1, w + step + 1);
        *reference = *norm;
    }
    assert(!(*norm < 0.0));
}

static void swap_entries(double *x, int i, int j)
{
    const double keep = x[i];
    x[i] = x[j];
    x[j] = keep;
}

// Bring the largest entry of the pivot column to the top, in the whole matrix: what is
// stored is then the factorization of the matrix with its rows in that order.
static void swap_rows(KalQr *qr, int step, int followers)
{
    const double *v = kal_const_column(qr->W, qr->rows, step);
    int best = step;
    for (int i = step + 1; i < qr->rows; i++) {
        best = fabs(v[i]) > fabs(v[best]) ? i : best;
    }
    assert(best >= step);
    qr->swaps[step] = best;
    for (int j = 0; j < qr->columns + followers && best != step; j++) {
        swap_entries(kal_column(qr->W, qr->rows, j), step, best);
    }
}

// The reflector of column `step`, applied to all columns behind it, followers included;
// squared lengths of the columns that may still be taken lose what has gone into row
// `step`.  With `swaps` the largest entry of the column comes into that row first.
static void eliminate(KalQr *qr, int step, int followers)
{
    const int n = qr->rows - step;
    if (qr->swaps) {
        swap_rows(qr, step, followers);
    }
    double *v = kal_column(qr->W, qr->rows, step) + step;
    const double tau = make_reflector(n, v);
    qr->tau[step] = tau;
    for (int j = step + 1; j < qr->columns; j++) {
        reflect(n, tau, v, kal_column(qr->W, qr->rows, j) + step);
        shorten_norm(qr, j, step);
    }
    for (int j = qr->columns; j < qr->columns + followers; j++) {
        reflect(n, tau, v, kal_column(qr->W, qr->rows, j) + step);
    }
}

// Take columns until `rank` of them are taken or the best is not above `tolerance`.
static void factor(KalQr *qr, int rank, double tolerance, int followers)
{
    assert(rank >= 0 && rank <= qr->rows && rank <= qr->columns);
    assert(tolerance >= 0.0 && followers >= 0);
    for (int j = 0; j < qr->columns; j++) {
        const double *w = kal_const_column(qr->W, qr->rows, j);
        qr->perm[j] = j;
        qr->norms[j] = kal_dot(qr->rows, w, w);
        qr->norms[qr->columns + j] = qr->norms[j];
    }
    qr->smallest = 1.0;
    qr->dropped = 0.0;
    int step = 0;
    for (; step < rank; step++) {
        const int p = largest_column(qr, step);
        if (!(qr->norms[p] > tolerance * tolerance)) {
            break;
        }
        exchange_columns(qr, step, p);
        eliminate(qr, step, followers);
        qr->smallest = fabs(kal_const_column(qr->W, qr->rows, step)[step]);
    }
    assert(step <= rank);
    qr->rank = step;
    if (step < qr->columns && step < qr->rows) {
        qr->dropped = sqrt(qr->norms[largest_column(qr, step)]);
    }
}

static int most_steps(const KalQr *qr)
{
    return qr->rows < qr->columns ? qr->rows : qr->columns;
}

void kal_qr_factor(KalQr *qr, double tolerance, int followers)
{
    factor(qr, most_steps(qr), tolerance, followers);
}

void kal_qr_factor_to_rank(KalQr *qr, int rank, int followers)
{
    factor(qr, rank, 0.0, followers);
}

void kal_qr_apply(const KalQr *qr, double *x)
{
    for (int k = qr->rank - 1; k >= 0; k--) {
        reflect(qr->rows - k, qr->tau[k], kal_const_column(qr->W, qr->rows, k) + k,
                x + k);
    }
    for (int k = qr->rank - 1; k >= 0 && qr->swaps; k--) {
        swap_entries(x, k, qr->swaps[k]);
    }
}

void kal_qr_apply_transposed(const KalQr *qr, double *x)
{
    for (int k = 0; k < qr->rank && qr->swaps; k++) {
        swap_entries(x, k, qr->swaps[k]);
    }
    for (int k = 0; k < qr->rank; k++) {
        reflect(qr->rows - k, qr->tau[k], kal_const_column(qr->W, qr->rows, k) + k,
                x + k);
    }
}

void kal_qr_basis(const KalQr *qr, int j, double *x)
{
    assert(j >= 0 && j < qr->rows);
    memset(x, 0, (size_t)qr->rows * sizeof *x);
    x[j] = 1.0;
    kal_qr_apply(qr, x);
}
