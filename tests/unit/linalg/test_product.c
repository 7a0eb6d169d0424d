// SPDX-License-Identifier: MIT

// On small whole numbers every product is exact, whatever the order of its sums; so the
// blocked kernels must give the very bits of the textbook.

#include "linalg/product.h"
#include "rng.h"
#include "tap.h"

enum {
    MOST = 12,
    LD = MOST + 3
};

static double X[LD * LD];
static double Z[LD * LD];
static double Y[LD * LD];
static double before[LD * LD];

static void fill(int seed)
{
    Rng rng = {(uint64_t)seed};
    for (int k = 0; k < LD * LD; k++) {
        X[k] = rng_int(&rng, -9, 9);
        Z[k] = rng_int(&rng, -9, 9);
        Y[k] = rng_int(&rng, -9, 9);
    }
    memcpy(before, Y, sizeof before);
}

typedef struct Shape {
    int rows;
    int inner;
    int columns;
} Shape;

// All shapes with sides from 0 to MOST, some steps left out.
static Shape shape(int number)
{
    static const int side[] = {0, 1, 2, 3, 4, 5, 7, 8, MOST};
    const int count = sizeof side / sizeof side[0];
    return (Shape){side[number % count], side[number / count % count],
                   side[number / count / count % count]};
}

enum {
    SHAPES = 9 * 9 * 9
};

// Entry (i, j) of X Z, where Z is stored transposed or not.
static double product_at(Shape s, int i, int j, bool transposed)
{
    double sum = 0.0;
    for (int k = 0; k < s.inner; k++) {
        sum += X[k * LD + i] * (transposed ? Z[k * LD + j] : Z[j * LD + k]);
    }
    return sum;
}

static void products_are_subtracted(void)
{
    for (int number = 0; number < 2 * SHAPES; number++) {
        const bool transposed = number >= SHAPES;
        const Shape s = shape(number);
        fill(number);
        const KalFactor F = {Z, transposed ? LD : 1, transposed ? 1 : LD};
        kal_subtract_product((KalMatrix){X, s.rows, s.inner, LD}, F,
                             (KalMatrix){Y, s.rows, s.columns, LD});
        bool same = true;
        for (int j = 0; j < LD; j++) {
            for (int i = 0; i < LD; i++) {
                const double taken =
                    i < s.rows && j < s.columns ? product_at(s, i, j, transposed) : 0.0;
                same &= Y[j * LD + i] == before[j * LD + i] - taken;
            }
        }
        ok(same);
    }
}

static void products_are_formed(void)
{
    for (int number = 0; number < SHAPES; number++) {
        const Shape s = shape(number);
        fill(number);
        kal_multiply((KalMatrix){X, s.rows, s.inner, LD},
                     (KalMatrix){Z, s.inner, s.columns, LD},
                     (KalMatrix){Y, s.rows, s.columns, LD});
        bool same = true;
        for (int j = 0; j < LD; j++) {
            for (int i = 0; i < LD; i++) {
                const double want = i < s.rows && j < s.columns
                                        ? product_at(s, i, j, false)
                                        : before[j * LD + i];
                same &= Y[j * LD + i] == want;
            }
        }
        ok(same);
    }
}

// Y = XᵀZ: X is inner × rows here.
static void transposed_products_are_formed(void)
{
    for (int number = 0; number < SHAPES; number++) {
        const Shape s = shape(number);
        fill(number);
        kal_multiply_transposed((KalMatrix){X, s.inner, s.rows, LD},
                                (KalMatrix){Z, s.inner, s.columns, LD},
                                (KalMatrix){Y, s.rows, s.columns, LD});
        bool same = true;
        for (int j = 0; j < s.columns; j++) {
            for (int i = 0; i < s.rows; i++) {
                double sum = 0.0;
                for (int k = 0; k < s.inner; k++) {
                    sum += X[i * LD + k] * Z[j * LD + k];
                }
                same &= Y[j * LD + i] == sum;
            }
        }
        ok(same);
    }
}

TAP_RUN(TAP_CASE(products_are_subtracted), TAP_CASE(products_are_formed),
        TAP_CASE(transposed_products_are_formed))
