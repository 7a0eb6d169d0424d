// SPDX-License-Identifier: MIT

#include "linalg/qr.h"
#include "matrix.h"
#include "tap.h"

static Matrix X; // the matrix, kept, with its followers
static Matrix W; // its factored copy
static double tau[MATRIX_MOST];
static double norms[2 * MATRIX_MOST];
static int perm[MATRIX_MOST];
static int swaps[MATRIX_MOST];

// Ready to factor X without its last `followers` columns.
static KalQr prepare(int followers, bool with_swaps)
{
    W = X;
    return (KalQr){.rows = X.rows,
                   .columns = X.columns - followers,
                   .W = W.at,
                   .tau = tau,
                   .swaps = with_swaps ? swaps : NULL,
                   .perm = perm,
                   .norms = norms};
}

// Column j of T, zero below the diagonal or, for columns not taken, below the rank.
static void take_T(const KalQr *qr, int j, double *x)
{
    const int filled = j < qr->rank ? j + 1 : qr->rank;
    for (int i = 0; i < qr->rows; i++) {
        x[i] = i < filled ? value(&W, i, j) : 0.0;
    }
}

// Row by row, the largest error of X P = U T, relative to that row of X.  Columns that
// were not taken are off by their distance too, which `slack` allows.
static void check_product(const KalQr *qr, double tolerance, double slack)
{
    double error[MATRIX_MOST] = {0.0};
    double size[MATRIX_MOST] = {0.0};
    for (int j = 0; j < qr->columns; j++) {
        double x[MATRIX_MOST];
        take_T(qr, j, x);
        kal_qr_apply(qr, x);
        for (int i = 0; i < qr->rows; i++) {
            error[i] = fmax(error[i], fabs(x[i] - value(&X, i, qr->perm[j])));
            size[i] = fmax(size[i], fabs(value(&X, i, qr->perm[j])));
        }
    }
    for (int i = 0; i < qr->rows; i++) {
        near(error[i], 0.0, tolerance * size[i] + slack);
    }
}

static void check_order(const KalQr *qr)
{
    bool seen[MATRIX_MOST] = {false};
    for (int j = 0; j < qr->columns; j++) {
        ok(qr->perm[j] >= 0 && qr->perm[j] < qr->columns && !seen[qr->perm[j]]);
        seen[qr->perm[j]] = true;
        if (j > 0 && j < qr->rank) {
            ok(fabs(value(&W, j, j)) <= (1.0 + 1e-9) * fabs(value(&W, j - 1, j - 1)));
        }
    }
    if (qr->rank > 0) {
        ok(qr->smallest == fabs(value(&W, qr->rank - 1, qr->rank - 1)));
    }
}

static void check_orthogonal(const KalQr *qr)
{
    static Matrix U;
    matrix_zero(&U, qr->rows, qr->rows);
    for (int j = 0; j < qr->rows; j++) {
        kal_qr_basis(qr, j, U.at + j * qr->rows);
    }
    near(matrix_skewness(&U), 0.0, 1e-15 * (qr->rows + 8));
    Rng rng = {3};
    double x[MATRIX_MOST];
    double y[MATRIX_MOST];
    for (int i = 0; i < qr->rows; i++) {
        x[i] = rng_entry(&rng);
        y[i] = x[i];
    }
    kal_qr_apply(qr, y);
    kal_qr_apply_transposed(qr, y);
    for (int i = 0; i < qr->rows; i++) {
        near(y[i], x[i], 1e-15 * (qr->rows + 8));
    }
}

static void factors_multiply_to_the_matrix(void)
{
    const int sides[] = {1, 2, 3, 6, 17, 40};
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            for (int with_swaps = 0; with_swaps < 2; with_swaps++) {
                Rng rng = {(uint64_t)(100 * r + c)};
                matrix_random(&X, &rng, sides[r], sides[c]);
                KalQr qr = prepare(0, with_swaps);
                kal_qr_factor(&qr, 1e-12, 0);
                ok(qr.rank == (sides[r] < sides[c] ? sides[r] : sides[c]));
                check_product(&qr, 1e-14 * sides[r], 0.0);
                check_order(&qr);
                check_orthogonal(&qr);
            }
        }
    }
}

static void followers_are_reflected_but_never_taken(void)
{
    for (int number = 1; number <= 40; number++) {
        Rng rng = {(uint64_t)number};
        const int rows = rng_int(&rng, 1, 12);
        const int columns = rng_int(&rng, 0, 12);
        const int followers = rng_int(&rng, 1, 3);
        matrix_random(&X, &rng, rows, columns + followers);
        for (int k = 0; k < rows * followers; k++) {
            X.at[rows * columns + k] *= 1e6; // larger than any pivot
        }
        KalQr qr = prepare(followers, number % 2 == 0);
        kal_qr_factor(&qr, 1e-12, followers);
        check_order(&qr);
        for (int f = 0; f < followers; f++) {
            double x[MATRIX_MOST];
            memcpy(x, X.at + rows * (columns + f), (size_t)rows * sizeof x[0]);
            kal_qr_apply_transposed(&qr, x);
            for (int i = 0; i < rows; i++) {
                near(value(&W, i, columns + f), x[i], 1e-8);
            }
        }
    }
}

static void ranks_are_found(void)
{
    for (int number = 1; number <= 200; number++) {
        Rng rng = {(uint64_t)number};
        const int rows = rng_int(&rng, 1, 20);
        const int columns = rng_int(&rng, 1, 20);
        const int rank = rng_int(&rng, 0, rows < columns ? rows : columns);
        matrix_of_rank(&X, &rng, rows, columns, rank);
        KalQr qr = prepare(0, number % 2 == 0);
        kal_qr_factor(&qr, 1e-10, 0);
        ok(qr.rank == rank);
        ok(qr.dropped <= 1e-10);
        check_product(&qr, 1e-13, 1e-10);
        check_order(&qr);
    }
}

// The column (1, d, 0) is at distance d from the span of (2, 0, 0).
static void the_distance_of_a_column_decides(void)
{
    for (int k = 2; k <= 50; k++) {
        const double d = ldexp(1.0, -k);
        matrix_zero(&X, 3, 2);
        *entry(&X, 0, 0) = 2.0; // the longer column is the first to be taken
        *entry(&X, 0, 1) = 1.0;
        *entry(&X, 1, 1) = d;
        KalQr qr = prepare(0, false);
        kal_qr_factor(&qr, 0.5 * d, 0);
        ok(qr.rank == 2 && qr.perm[0] == 0);
        near(qr.smallest / d, 1.0, 1e-14);
        ok(qr.dropped == 0.0);
        qr = prepare(0, false);
        kal_qr_factor(&qr, 2.0 * d, 0);
        ok(qr.rank == 1);
        near(qr.dropped / d, 1.0, 1e-14);
    }
}

// The norms of remaining columns are updated, not recomputed; even after many steps the
// distance of the last column must be right although it is tiny.
static void distances_survive_many_steps(void)
{
    for (int k = 10; k <= 40; k += 5) {
        const int n = 30;
        const double d = ldexp(1.0, -k);
        Rng rng = {(uint64_t)k};
        matrix_random(&X, &rng, n, n);
        for (int j = 0; j < n - 1; j++) {
            *entry(&X, j, j) += 20.0;   // taken before the last column is
            *entry(&X, n - 1, j) = 0.0; // and all in a plane
        }
        *entry(&X, n - 1, n - 1) = d;
        KalQr qr = prepare(0, true);
        kal_qr_factor(&qr, 0.9 * d, 0);
        ok(qr.rank == n);
        qr = prepare(0, true);
        kal_qr_factor(&qr, 1.1 * d, 0);
        ok(qr.rank == n - 1);
        near(qr.dropped / d, 1.0, 1e-15 / d + 1e-12);
    }
}

static void the_rank_may_be_prescribed(void)
{
    Rng rng = {11};
    matrix_random(&X, &rng, 8, 6);
    for (int rank = 0; rank <= 6; rank++) {
        KalQr qr = prepare(0, false);
        kal_qr_factor_to_rank(&qr, rank, 0);
        ok(qr.rank == rank);
        check_order(&qr);
        check_orthogonal(&qr);
        ok(rank == 6 ? qr.dropped == 0.0 : qr.dropped > 0.0);
    }
    matrix_zero(&X, 3, 3);
    *entry(&X, 1, 2) = 1e-30;
    KalQr qr = prepare(0, true);
    kal_qr_factor_to_rank(&qr, 1, 0); // whatever its size
    ok(qr.rank == 1 && qr.perm[0] == 2);
    near(qr.smallest / 1e-30, 1.0, 1e-15);
}

static void nothing_has_rank_zero(void)
{
    matrix_zero(&X, 5, 4);
    KalQr qr = prepare(0, true);
    kal_qr_factor(&qr, 1e-12, 0);
    ok(qr.rank == 0 && qr.dropped == 0.0);
    check_orthogonal(&qr);
    matrix_zero(&X, 5, 1);
    qr = prepare(1, true); // no columns, one follower
    kal_qr_factor(&qr, 1e-12, 1);
    ok(qr.rank == 0 && qr.dropped == 0.0);
}

// Rows of all sizes from 2⁻¹⁰⁰ to 2¹⁰⁰: with swaps each row keeps its own accuracy.
static void rows_of_wild_scales_keep_their_digits(void)
{
    for (int number = 1; number <= 60; number++) {
        Rng rng = {(uint64_t)number};
        const int rows = rng_int(&rng, 2, 16);
        const int columns = rng_int(&rng, 1, rows);
        matrix_random(&X, &rng, rows, columns);
        for (int i = 0; i < rows; i++) {
            const double unit = ldexp(1.0, rng_int(&rng, -100, 100));
            for (int j = 0; j < columns; j++) {
                *entry(&X, i, j) *= unit;
            }
        }
        KalQr qr = prepare(0, true);
        kal_qr_factor_to_rank(&qr, columns, 0);
        ok(qr.rank == columns);
        check_product(&qr, 1e-13, 0.0);
    }
}

TAP_RUN(TAP_CASE(factors_multiply_to_the_matrix),
        TAP_CASE(followers_are_reflected_but_never_taken), TAP_CASE(ranks_are_found),
        TAP_CASE(the_distance_of_a_column_decides),
        TAP_CASE(distances_survive_many_steps), TAP_CASE(the_rank_may_be_prescribed),
        TAP_CASE(nothing_has_rank_zero),
        TAP_CASE(rows_of_wild_scales_keep_their_digits))
