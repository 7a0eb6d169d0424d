// SPDX-License-Identifier: MIT

#include "linalg/pseudoinverse.h"
#include "matrix.h"
#include "tap.h"

static Matrix X;
static Matrix P; // X⁺

// X⁺ column by column, in arrays of exactly the size asked for.
static void invert(int rank)
{
    double *doubles =
        malloc(kal_pseudoinverse_doubles(X.rows, X.columns) * sizeof *doubles + 1);
    int *ints = malloc(kal_pseudoinverse_ints(X.rows, X.columns) * sizeof *ints + 1);
    KalPseudoinverse inverse;
    const KalMatrix view = {X.at, X.rows, X.columns, X.rows};
    kal_pseudoinverse_factor(&inverse, view, rank, doubles, ints);
    matrix_zero(&P, X.columns, X.rows);
    for (int j = 0; j < X.rows; j++) {
        double unit[MATRIX_MOST] = {0.0};
        unit[j] = 1.0;
        kal_pseudoinverse_apply(&inverse, unit, P.at + j * X.columns);
    }
    free(doubles);
    free(ints);
}

// X P X = X, P X P = P, and X P and P X are symmetric (Penrose 1955).
static void check_conditions(void)
{
    static Matrix XP;
    static Matrix PX;
    static Matrix triple;
    static Matrix transposed;
    const double x = matrix_largest(&X) + 1e-300;
    const double p = matrix_largest(&P) + 1e-300;
    const double rounding = 1e-15 * (X.rows + X.columns) * (1.0 + x * p);
    matrix_multiply(&X, &P, &XP);
    matrix_multiply(&P, &X, &PX);
    matrix_multiply(&XP, &X, &triple);
    near(matrix_distance(&triple, &X), 0.0, rounding * x * X.columns);
    matrix_multiply(&PX, &P, &triple);
    near(matrix_distance(&triple, &P), 0.0, rounding * p * X.columns);
    matrix_transpose(&XP, &transposed);
    near(matrix_distance(&XP, &transposed), 0.0, rounding * X.columns);
    matrix_transpose(&PX, &transposed);
    near(matrix_distance(&PX, &transposed), 0.0, rounding * X.columns);
}

static void the_four_conditions_hold_for_every_shape_and_rank(void)
{
    for (int rows = 1; rows <= 9; rows++) {
        for (int columns = 1; columns <= 9; columns++) {
            const int most = rows < columns ? rows : columns;
            for (int rank = 0; rank <= most; rank++) {
                Rng rng = {(uint64_t)(100 * rows + 10 * columns + rank)};
                matrix_of_rank(&X, &rng, rows, columns, rank);
                invert(rank);
                check_conditions();
            }
        }
    }
}

static void the_four_conditions_hold_for_larger_matrices(void)
{
    for (int number = 1; number <= 30; number++) {
        Rng rng = {(uint64_t)number};
        const int rows = rng_int(&rng, 1, 60);
        const int columns = rng_int(&rng, 1, 60);
        const int rank = rng_int(&rng, 0, rows < columns ? rows : columns);
        matrix_of_rank(&X, &rng, rows, columns, rank);
        invert(rank);
        check_conditions();
    }
}

static void of_nothing_it_is_nothing(void)
{
    matrix_zero(&X, 4, 3);
    invert(0);
    near(matrix_largest(&P), 0.0, 0.0);

    double doubles[64];
    int ints[16];
    double y[3] = {1.0, 2.0, 3.0};
    KalPseudoinverse inverse;
    ok(kal_pseudoinverse_doubles(0, 3) <= 64 && kal_pseudoinverse_ints(0, 3) <= 16);
    kal_pseudoinverse_factor(&inverse, (KalMatrix){y, 0, 3, 0}, 0, doubles, ints);
    kal_pseudoinverse_apply(&inverse, doubles, y);
    ok(y[0] == 0.0 && y[1] == 0.0 && y[2] == 0.0);
}

// (u vᵀ)⁺ = v uᵀ / (uᵀu vᵀv), here with u = (3, 4) and v = (1, 2, 2).
static void a_single_product_is_inverted_by_hand(void)
{
    const double u[] = {3.0, 4.0};
    const double v[] = {1.0, 2.0, 2.0};
    matrix_zero(&X, 2, 3);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            *entry(&X, i, j) = u[i] * v[j];
        }
    }
    invert(1);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            near(value(&P, j, i), u[i] * v[j] / 225.0, 1e-17);
        }
    }
}

// The rank that is given decides: what a smaller rank leaves out counts as rounding.
static void small_columns_count_only_if_the_rank_says_so(void)
{
    matrix_zero(&X, 2, 2);
    *entry(&X, 0, 0) = 1.0;
    *entry(&X, 1, 1) = 1e-14;
    invert(1);
    near(value(&P, 0, 0), 1.0, 1e-15);
    near(value(&P, 1, 1), 0.0, 0.0);
    invert(2);
    near(value(&P, 1, 1) / 1e14, 1.0, 1e-15);
}

TAP_RUN(TAP_CASE(the_four_conditions_hold_for_every_shape_and_rank),
        TAP_CASE(the_four_conditions_hold_for_larger_matrices),
        TAP_CASE(of_nothing_it_is_nothing),
        TAP_CASE(a_single_product_is_inverted_by_hand),
        TAP_CASE(small_columns_count_only_if_the_rank_says_so))
