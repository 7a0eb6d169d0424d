// SPDX-License-Identifier: MIT

/// @file
/// Factors and triangular solves on padded matrices: the fast kernels.
///
/// A *padded* matrix lies column after column, starts at a multiple of 32 bytes, and has
/// a multiple of four rows; those added are zero, and so are the columns added to a square
/// matrix.  So all work is done on whole groups
/// of four rows, from 1 × 1 matrices on, and numbers travel in registers: writing single
/// entries and reading them back as a group would stall the processor.
///
/// The header is compiled into a file once for every processor, and once more for those
/// with wide vector registers (see motion/short.c).  Callers pass sizes that are known at
/// compile time where problems are small; all of the kernel then melts into them.  Both
/// do the same operations in the same order, without contraction, so both give the same
/// bits.
///
/// Matrices are factored as L D Lᵀ, where L has a unit diagonal: one division per pivot
/// and no root, for small matrices wait for little else.  The reciprocals of D are kept
/// apart.  In the groups that contain the diagonal stands the strictly lower triangle of
/// L and zeros, below them L D: so neither is scaled while others wait for it.

#ifndef LINALG_PADDED_H
#define LINALG_PADDED_H

#include "base/four.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/// Columns that are finished before the rest is updated by them, and rows that are
/// updated together: such a piece of a factor (16 KiB) stays in the first-level cache.
enum {
    KAL_PANEL = 32,
    KAL_CHUNK = 64
};

/// One side of a padded matrix.
typedef struct KalSide {
    int n;
    int ld;     ///< padded n
    bool exact; ///< the compiler knows n: do not even compute with padding
} KalSide;

/// The padded size of n.
KAL_INLINE int kal_padded(int n)
{
    return (n + 3) / 4 * 4;
}

/// How many of the entries or columns k..k+3 are worth computing with; may exceed 4.
KAL_INLINE int kal_side_left(KalSide side, int k)
{
    return side.exact ? side.n - k : 4;
}

/// Entries i..i+3 of x, which has n; zeros where it ends.
KAL_INLINE KalFour kal_padded_load(int n, const double *x, int i)
{
    if (i + 4 <= n) {
        return *(const KalFourLoose *)(const void *)(x + i);
    }
    double none = 0.0;
    __asm__("" : "+x"(none)); // or gcc moves the last pair in a way that valgrind lacks
    return (KalFour){i < n ? x[i] : 0.0, i + 1 < n ? x[i + 1] : 0.0,
                     i + 2 < n ? x[i + 2] : 0.0, none};
}

/// Copy n entries and pad them with zeros up to `padded`.
KAL_INLINE void kal_padded_copy(int n, int padded, const double *restrict from,
                                double *restrict to)
{
    for (int i = 0; i < padded; i += 4) {
        *kal_four(to + i) = kal_padded_load(n, from, i);
    }
}

/// y −= f x, for entries from..to−1, both multiples of four.
KAL_INLINE void kal_padded_subtract(int from, int to, double f,
                                    const double *restrict x, double *restrict y)
{
    for (int i = from; i < to; i += 4) {
        *kal_four(y + i) -= f * *kal_const_four(x + i);
    }
}

/// The sums of the entries of four groups, as one group; each is (0 + 1) + (2 + 3).
KAL_INLINE KalFour kal_sums(KalFour a, KalFour b, KalFour c, KalFour d)
{
    const KalFour ab = __builtin_shufflevector(a, b, 0, 4, 2, 6)
                       + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const KalFour cd = __builtin_shufflevector(c, d, 0, 4, 2, 6)
                       + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5)
           + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// The products of x with the first `count` of four columns of a padded matrix, over
/// entries from..ld−1; 0 for the others.
KAL_INLINE KalFour kal_padded_dots(int from, int ld, int count,
                                   const double *restrict x, const double *restrict Y)
{
    KalFour sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int i = from; i < ld; i += 4) {
        const KalFour xi = *kal_const_four(x + i);
        for (int k = 0; k < 4 && k < count; k++) {
            sum[k] += xi * *kal_const_four(Y + (size_t)k * (size_t)ld + i);
        }
    }
    return kal_sums(sum[0], sum[1], sum[2], sum[3]);
}

/// Four columns of a factor, and the rows from..to−1 in which they act.
typedef struct KalStrip {
    const double *x;
    size_t ld;
    int from;
    int to;
} KalStrip;

/// y −= X f and z −= X g for the four columns X of a strip.
KAL_INLINE void kal_strip_on_two(KalStrip s, KalFour f, KalFour g, double *restrict y,
                                 double *restrict z)
{
    const double *restrict x0 = s.x;
    const double *restrict x1 = s.x + s.ld;
    const double *restrict x2 = s.x + 2 * s.ld;
    const double *restrict x3 = s.x + 3 * s.ld;
    for (int i = s.from; i < s.to; i += 4) {
        const KalFour a = *kal_const_four(x0 + i);
        const KalFour b = *kal_const_four(x1 + i);
        const KalFour c = *kal_const_four(x2 + i);
        const KalFour d = *kal_const_four(x3 + i);
        *kal_four(y + i) -= (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d);
        *kal_four(z + i) -= (g[0] * a + g[1] * b) + (g[2] * c + g[3] * d);
    }
}

/// y −= X f.
KAL_INLINE void kal_strip_on_one(KalStrip s, KalFour f, double *restrict y)
{
    const double *restrict x0 = s.x;
    const double *restrict x1 = s.x + s.ld;
    const double *restrict x2 = s.x + 2 * s.ld;
    const double *restrict x3 = s.x + 3 * s.ld;
    for (int i = s.from; i < s.to; i += 4) {
        *kal_four(y + i) -=
            (f[0] * *kal_const_four(x0 + i) + f[1] * *kal_const_four(x1 + i))
            + (f[2] * *kal_const_four(x2 + i) + f[3] * *kal_const_four(x3 + i));
    }
}

/// Solve with the 4 × 4 triangle on the diagonal at k: x ← L⁻¹ x.
KAL_INLINE KalFour kal_padded_corner(KalSide side, int k, const double *restrict L,
                                     KalFour x)
{
    const size_t ld = (size_t)side.ld;
    const double *corner = L + (size_t)k * ld + k;
    for (int c = 0; c < 3 && c + 1 < kal_side_left(side, k); c++) {
        x -= x[c] * *kal_const_four(corner + (size_t)c * ld);
    }
    return x;
}

/// Factor the 4 × 4 corner at k in place, without its padding.  On entry inverse[k..]
/// holds the diagonal of the matrix that is factored.  Returns how much larger than its
/// pivot such an entry is at most, or `most` if that is more; infinity when a pivot is not
/// positive.
KAL_INLINE double kal_padded_factor_corner(KalSide side, int k, double most,
                                           double *restrict a, double *restrict inverse)
{
    static const KalFourBits below[4] = {
        {0, -1, -1, -1},
        {0, 0,  -1, -1},
        {0, 0,  0,  -1},
        {0, 0,  0,  0 }
    };
    const size_t ld = (size_t)side.ld;
    double *corner = a + (size_t)k * ld + k;
    const KalFour given = *kal_const_four(inverse + k);
    KalFour column[4];
    KalFour scale = kal_all(1.0);
    for (int c = 0; c < 4; c++) {
        column[c] = *kal_const_four(corner + (size_t)c * ld);
    }
    for (int c = 0; c < 4 && c < side.n - k; c++) {
        const double pivot = column[c][c];
        if (!(pivot > 0.0)) {
            return (double)INFINITY;
        }
        scale[c] = 1.0 / pivot;
        const double growth = scale[c] * given[c];
        most = growth <= most ? most : growth;
        const KalFour l = column[c] * scale[c];
        for (int next = c + 1; next < 4 && next < side.n - k; next++) {
            column[next] -= l[next] * column[c];
        }
        *kal_four(corner + (size_t)c * ld) = (KalFour)((KalFourBits)l & below[c]);
    }
    *kal_four(inverse + k) = scale;
    return most;
}

/// Finish the rows below a factored corner at k, in its four columns.
KAL_INLINE void kal_padded_finish_strip(int ld, int k, double *restrict a)
{
    const size_t step = (size_t)ld;
    double *x0 = a + (size_t)k * step;
    double *x1 = x0 + step;
    double *x2 = x1 + step;
    double *x3 = x2 + step;
    const KalFour l0 = *kal_const_four(x0 + k);
    const KalFour l1 = *kal_const_four(x1 + k);
    const KalFour l2 = *kal_const_four(x2 + k);
    for (int i = k + 4; i < ld; i += 4) {
        const KalFour a0 = *kal_four(x0 + i);
        const KalFour a1 = *kal_four(x1 + i) - l0[1] * a0;
        const KalFour a2 = *kal_four(x2 + i) - l0[2] * a0 - l1[2] * a1;
        const KalFour a3 = *kal_four(x3 + i) - l0[3] * a0 - l1[3] * a1 - l2[3] * a2;
        *kal_four(x1 + i) = a1;
        *kal_four(x2 + i) = a2;
        *kal_four(x3 + i) = a3;
    }
}

/// What finished columns, with reciprocal pivots `scale`, take from the columns j0..j1−1.
KAL_INLINE void kal_padded_strip_on_matrix(KalStrip s, KalFour scale, int j0, int j1,
                                           double *restrict a)
{
    const int from = s.from;
    for (int j = j0; j < j1; j += 2) {
        const double *x = s.x + j;
        double *y = a + (size_t)j * s.ld;
        const KalFour f = {x[0], x[s.ld], x[2 * s.ld], x[3 * s.ld]};
        const KalFour g = {x[1], x[s.ld + 1], x[2 * s.ld + 1], x[3 * s.ld + 1]};
        s.from = from > j / 4 * 4 ? from : j / 4 * 4;
        kal_strip_on_two(s, scale * f, scale * g, y, y + s.ld);
    }
}

/// The diagonal entries j..j+3.
KAL_INLINE KalFour kal_padded_diagonal(int ld, const double *a, int j)
{
    const size_t next = (size_t)ld + 1;
    const double *d = a + (size_t)j * next;
    return (KalFour){d[0], d[next], d[2 * next], d[3 * next]};
}

/// Replace the lower triangle of a padded square matrix by its factor.  Returns the
/// smallest pivot relative to the diagonal entry it came from, 0 when one is not positive
/// and the factorization stopped.
KAL_INLINE double kal_padded_factor(KalSide side, double *restrict a,
                                    double *restrict inverse)
{
    const int ld = side.ld;
    const size_t step = (size_t)ld;
    double most = 1.0;
    for (int j = 0; j < ld; j += 4) {
        *kal_four(inverse + j) = kal_padded_diagonal(ld, a, j);
    }
    for (int p0 = 0; p0 < ld; p0 += KAL_PANEL) {
        const int p1 = p0 + KAL_PANEL < ld ? p0 + KAL_PANEL : ld;
        for (int k = p0; k < p1; k += 4) {
            const KalStrip strip = {a + (size_t)k * step, step, k + 4, ld};
            most = kal_padded_factor_corner(side, k, most, a, inverse);
            if (most == (double)INFINITY) {
                return 0.0;
            }
            kal_padded_finish_strip(ld, k, a);
            kal_padded_strip_on_matrix(strip, *kal_four(inverse + k), k + 4, p1, a);
        }
        for (int from = p1; from < ld; from += KAL_CHUNK) {
            const int to = from + KAL_CHUNK < ld ? from + KAL_CHUNK : ld;
            for (int k = p0; k < p1; k += 4) {
                const KalStrip strip = {a + (size_t)k * step, step, from, to};
                kal_padded_strip_on_matrix(strip, *kal_four(inverse + k), p1, to, a);
            }
        }
    }
    return 1.0 / most;
}

/// Rows p0..p1−1 of X ← L⁻¹ X for one column, or two.
KAL_INLINE void kal_padded_solve_panel(KalSide side, const double *restrict L,
                                       const double *restrict inverse, int p0,
                                       double *restrict y, double *restrict z)
{
    const size_t ld = (size_t)side.ld;
    const int p1 = p0 + KAL_PANEL < side.ld ? p0 + KAL_PANEL : side.ld;
    for (int k = p0; k < p1; k += 4) {
        const KalStrip strip = {L + (size_t)k * ld, ld, k + 4, p1};
        const KalFour scale = *kal_const_four(inverse + k);
        const KalFour f = kal_padded_corner(side, k, L, *kal_const_four(y + k));
        *kal_four(y + k) = f;
        if (z) {
            const KalFour g = kal_padded_corner(side, k, L, *kal_const_four(z + k));
            *kal_four(z + k) = g;
            kal_strip_on_two(strip, scale * f, scale * g, y, z);
        } else {
            kal_strip_on_one(strip, scale * f, y);
        }
    }
}

/// Rows from..to−1 less what the solved rows of a panel contribute, for one column or two.
KAL_INLINE void kal_padded_solve_below(KalStrip s, const double *restrict inverse,
                                       int p0, double *restrict y, double *restrict z)
{
    const double *L = s.x;
    for (int k = p0; k < p0 + KAL_PANEL; k += 4) {
        const KalFour scale = *kal_const_four(inverse + k);
        s.x = L + (size_t)k * s.ld;
        if (z) {
            kal_strip_on_two(s, scale * *kal_const_four(y + k),
                             scale * *kal_const_four(z + k), y, z);
        } else {
            kal_strip_on_one(s, scale * *kal_const_four(y + k), y);
        }
    }
}

/// X ← L⁻¹ X for a padded factor and `columns` padded columns.
KAL_INLINE void kal_padded_solve(KalSide side, const double *restrict L,
                                 const double *restrict inverse, int columns,
                                 double *restrict X)
{
    const int ld = side.ld;
    const size_t step = (size_t)ld;
    for (int p0 = 0; p0 < ld; p0 += KAL_PANEL) {
        for (int j = 0; j < columns; j += 2) {
            double *y = X + (size_t)j * step;
            double *z = j + 1 < columns ? y + step : NULL;
            kal_padded_solve_panel(side, L, inverse, p0, y, z);
        }
        for (int from = p0 + KAL_PANEL; from < ld; from += KAL_CHUNK) {
            const int to = from + KAL_CHUNK < ld ? from + KAL_CHUNK : ld;
            for (int j = 0; j < columns; j += 2) {
                double *y = X + (size_t)j * step;
                double *z = j + 1 < columns ? y + step : NULL;
                kal_padded_solve_below((KalStrip){L, step, from, to}, inverse, p0, y,
                                       z);
            }
        }
    }
}

/// Solve with the transposed 4 × 4 corner, of which `count` columns are not padding.
KAL_INLINE KalFour kal_padded_corner_transposed(const double *restrict corner,
                                                size_t ld, int count, KalFour b)
{
    double x[4] = {b[0], b[1], b[2], b[3]};
    for (int r = 2; r >= 0; r--) {
        for (int c = 3; c > r; c--) { // what is known last comes last
            x[r] -= c < count ? corner[(size_t)r * ld + (size_t)c] * x[c] : 0.0;
        }
    }
    return (KalFour){x[0], x[1], x[2], x[3]};
}

/// x ← L⁻ᵀ D⁻¹ x.
KAL_INLINE void kal_padded_solve_transposed(KalSide side, const double *restrict L,
                                            const double *restrict inverse,
                                            double *restrict x)
{
    const size_t ld = (size_t)side.ld;
    for (int k = side.ld - 4; k >= 0; k -= 4) {
        const double *strip = L + (size_t)k * ld;
        const KalFour b =
            (*kal_const_four(x + k) - kal_padded_dots(k + 4, side.ld, 4, x, strip))
            * *kal_const_four(inverse + k);
        *kal_four(x + k) =
            kal_padded_corner_transposed(strip + k, ld, kal_side_left(side, k), b);
    }
}

#endif
