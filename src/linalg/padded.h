// SPDX-License-Identifier: MIT

/// @file
/// Cholesky factors and triangular solves on padded matrices: the fast kernels.
///
/// A *padded* matrix lies column after column, starts at a multiple of 32 bytes, and has
/// a multiple of four rows; those added are zero, and so are the columns added to a square
/// matrix.  So all work is done on whole groups
/// of four rows, from 1 × 1 matrices on, and numbers travel in registers: writing single
/// entries and reading them back as a group would stall the processor.
///
/// The header is compiled into a file once for every processor, and once more for those
/// with wide vector registers (see motion/short.c).  Both do the same operations in the
/// same order, without contraction, so both give the same bits.
///
/// A factor L is kept as its strictly lower triangle, with the reciprocals of its
/// diagonal apart.  In groups that contain the diagonal all else is zero.

#ifndef LINALG_PADDED_H
#define LINALG_PADDED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A group of four rows; the loose one may start at any number.
typedef double KalFour __attribute__((vector_size(32), may_alias));
typedef double KalFourLoose __attribute__((vector_size(32), may_alias, aligned(8)));
typedef int64_t KalFourBits __attribute__((vector_size(32), may_alias));

/// Callers pass sizes that are known at compile time where problems are small; all of the
/// kernel then melts into them.
#define KAL_INLINE static inline __attribute__((always_inline))

/// Columns that are finished before the rest is updated by them, and rows that are
/// updated together: such a piece of a factor (16 KiB) stays in the first-level cache.
enum {
    KAL_PANEL = 32,
    KAL_CHUNK = 64
};

/// The padded size of n.
KAL_INLINE int kal_padded(int n)
{
    return (n + 3) / 4 * 4;
}

KAL_INLINE KalFour *kal_four(double *x)
{
    return (KalFour *)(void *)x;
}

KAL_INLINE const KalFour *kal_const_four(const double *x)
{
    return (const KalFour *)(const void *)x;
}

KAL_INLINE KalFour kal_all(double x)
{
    return (KalFour){x, x, x, x};
}

/// |x|, entry by entry.
KAL_INLINE KalFour kal_absolute(KalFour x)
{
    return (KalFour)((KalFourBits)x & INT64_C(0x7fffffffffffffff));
}

/// Entries i..i+3 of x, which has n; zeros where it ends.
KAL_INLINE KalFour kal_padded_load(int n, const double *x, int i)
{
    if (i + 4 <= n) {
        return *(const KalFourLoose *)(const void *)(x + i);
    }
    return (KalFour){i < n ? x[i] : 0.0, i + 1 < n ? x[i + 1] : 0.0,
                     i + 2 < n ? x[i + 2] : 0.0, 0.0};
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

/// The products of x with four columns of a padded matrix, over entries from..ld−1.
KAL_INLINE KalFour kal_padded_dots(int from, int ld, const double *restrict x,
                                   const double *restrict Y)
{
    const size_t step = (size_t)ld;
    KalFour a = kal_all(0.0);
    KalFour b = kal_all(0.0);
    KalFour c = kal_all(0.0);
    KalFour d = kal_all(0.0);
    for (int i = from; i < ld; i += 4) {
        const KalFour xi = *kal_const_four(x + i);
        a += xi * *kal_const_four(Y + i);
        b += xi * *kal_const_four(Y + step + i);
        c += xi * *kal_const_four(Y + 2 * step + i);
        d += xi * *kal_const_four(Y + 3 * step + i);
    }
    return kal_sums(a, b, c, d);
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
KAL_INLINE KalFour kal_padded_corner(int ld, int k, const double *restrict L,
                                     const double *restrict inverse, KalFour x)
{
    const double *corner = L + (size_t)k * (size_t)ld + k;
    const KalFour scale = *kal_const_four(inverse + k);
    x -= (x[0] * scale[0]) * *kal_const_four(corner);
    x -= (x[1] * scale[1]) * *kal_const_four(corner + ld);
    x -= (x[2] * scale[2]) * *kal_const_four(corner + 2 * (size_t)ld);
    return x * scale;
}

/// Factor the first `count` columns of the 4 × 4 corner at k in place; the others belong
/// to the padding.  On entry inverse[k..] holds the diagonal of the matrix that is
/// factored.  Returns the smallest pivot relative to its entry there, or `worst` if that
/// is smaller; 0 when a pivot is not positive.
KAL_INLINE double kal_padded_factor_corner(int ld, int k, int count, double worst,
                                           double *restrict a, double *restrict inverse)
{
    static const KalFourBits below[4] = {
        {0, -1, -1, -1},
        {0, 0,  -1, -1},
        {0, 0,  0,  -1},
        {0, 0,  0,  0 }
    };
    double *corner = a + (size_t)k * (size_t)ld + k;
    const KalFour given = *kal_const_four(inverse + k);
    KalFour column[4];
    KalFour scale = kal_all(1.0);
    for (int c = 0; c < 4; c++) {
        column[c] = *kal_const_four(corner + (size_t)c * (size_t)ld);
    }
    for (int c = 0; c < 4 && c < count; c++) {
        const double pivot = column[c][c];
        if (!(pivot > 0.0)) {
            return 0.0;
        }
        if (pivot < worst * given[c]) {
            worst = pivot / given[c];
        }
        scale[c] = 1.0 / sqrt(pivot);
        column[c] *= scale[c];
        for (int next = c + 1; next < 4; next++) {
            column[next] -= column[c][next] * column[c];
        }
    }
    for (int c = 0; c < 4; c++) {
        *kal_four(corner + (size_t)c * (size_t)ld) =
            (KalFour)((KalFourBits)column[c] & below[c]);
    }
    *kal_four(inverse + k) = scale;
    return worst;
}

/// Finish the rows below a factored corner at k, in its four columns.
KAL_INLINE void kal_padded_finish_strip(int ld, int k, double *restrict a,
                                        const double *restrict inverse)
{
    const size_t step = (size_t)ld;
    double *x0 = a + (size_t)k * step;
    double *x1 = x0 + step;
    double *x2 = x1 + step;
    double *x3 = x2 + step;
    const KalFour scale = *kal_const_four(inverse + k);
    const KalFour l0 = *kal_const_four(x0 + k);
    const KalFour l1 = *kal_const_four(x1 + k);
    const KalFour l2 = *kal_const_four(x2 + k);
    for (int i = k + 4; i < ld; i += 4) {
        const KalFour a0 = *kal_four(x0 + i) * scale[0];
        const KalFour a1 = (*kal_four(x1 + i) - l0[1] * a0) * scale[1];
        const KalFour a2 = (*kal_four(x2 + i) - l0[2] * a0 - l1[2] * a1) * scale[2];
        const KalFour a3 =
            (*kal_four(x3 + i) - l0[3] * a0 - l1[3] * a1 - l2[3] * a2) * scale[3];
        *kal_four(x0 + i) = a0;
        *kal_four(x1 + i) = a1;
        *kal_four(x2 + i) = a2;
        *kal_four(x3 + i) = a3;
    }
}

/// What the finished columns k take from the columns j0..j1−1, below row `from`.
KAL_INLINE void kal_padded_strip_on_matrix(KalStrip s, int j0, int j1,
                                           double *restrict a)
{
    const int from = s.from;
    for (int j = j0; j < j1; j += 2) {
        const double *x = s.x + j;
        double *y = a + (size_t)j * s.ld;
        const KalFour f = {x[0], x[s.ld], x[2 * s.ld], x[3 * s.ld]};
        const KalFour g = {x[1], x[s.ld + 1], x[2 * s.ld + 1], x[3 * s.ld + 1]};
        s.from = from > j / 4 * 4 ? from : j / 4 * 4;
        kal_strip_on_two(s, f, g, y, y + s.ld);
    }
}

/// Replace the lower triangle of the n × n matrix a, padded to ld × ld, by its factor.
/// Returns the smallest pivot relative to the diagonal entry it came from, 0 when one is
/// not positive and the factorization stopped.
KAL_INLINE double kal_padded_cholesky(int n, int ld, double *restrict a,
                                      double *restrict inverse)
{
    const size_t step = (size_t)ld;
    double worst = 1.0;
    for (int j = 0; j < ld; j += 4) {
        const double *d = a + (size_t)j * (step + 1);
        *kal_four(inverse + j) =
            (KalFour){d[0], d[step + 1], d[2 * (step + 1)], d[3 * (step + 1)]};
    }
    for (int p0 = 0; p0 < ld; p0 += KAL_PANEL) {
        const int p1 = p0 + KAL_PANEL < ld ? p0 + KAL_PANEL : ld;
        for (int k = p0; k < p1; k += 4) {
            const KalStrip strip = {a + (size_t)k * step, step, k + 4, ld};
            worst = kal_padded_factor_corner(ld, k, n - k, worst, a, inverse);
            if (worst == 0.0) {
                return 0.0;
            }
            kal_padded_finish_strip(ld, k, a, inverse);
            kal_padded_strip_on_matrix(strip, k + 4, p1, a);
        }
        for (int from = p1; from < ld; from += KAL_CHUNK) {
            const int to = from + KAL_CHUNK < ld ? from + KAL_CHUNK : ld;
            for (int k = p0; k < p1; k += 4) {
                const KalStrip strip = {a + (size_t)k * step, step, from, to};
                kal_padded_strip_on_matrix(strip, p1, to, a);
            }
        }
    }
    return worst;
}

/// Rows p0..p1−1 of X ← L⁻¹ X for one column, or two.
KAL_INLINE void kal_padded_solve_panel(int ld, const double *restrict L,
                                       const double *restrict inverse, int p0, int p1,
                                       double *restrict y, double *restrict z)
{
    for (int k = p0; k < p1; k += 4) {
        const KalStrip strip = {L + (size_t)k * (size_t)ld, (size_t)ld, k + 4, p1};
        const KalFour f = kal_padded_corner(ld, k, L, inverse, *kal_const_four(y + k));
        *kal_four(y + k) = f;
        if (z) {
            const KalFour g =
                kal_padded_corner(ld, k, L, inverse, *kal_const_four(z + k));
            *kal_four(z + k) = g;
            kal_strip_on_two(strip, f, g, y, z);
        } else {
            kal_strip_on_one(strip, f, y);
        }
    }
}

/// Rows from..to−1 less what the solved rows p0..p1−1 contribute, for one column or two.
KAL_INLINE void kal_padded_solve_below(KalStrip s, int p0, int p1, double *restrict y,
                                       double *restrict z)
{
    const double *L = s.x;
    for (int k = p0; k < p1; k += 4) {
        s.x = L + (size_t)k * s.ld;
        if (z) {
            kal_strip_on_two(s, *kal_const_four(y + k), *kal_const_four(z + k), y, z);
        } else {
            kal_strip_on_one(s, *kal_const_four(y + k), y);
        }
    }
}

/// X ← L⁻¹ X for a padded factor and `columns` padded columns.
KAL_INLINE void kal_padded_solve(int ld, const double *restrict L,
                                 const double *restrict inverse, int columns,
                                 double *restrict X)
{
    const size_t step = (size_t)ld;
    for (int p0 = 0; p0 < ld; p0 += KAL_PANEL) {
        const int p1 = p0 + KAL_PANEL < ld ? p0 + KAL_PANEL : ld;
        for (int j = 0; j < columns; j += 2) {
            double *y = X + (size_t)j * step;
            double *z = j + 1 < columns ? y + step : NULL;
            kal_padded_solve_panel(ld, L, inverse, p0, p1, y, z);
        }
        for (int from = p1; from < ld; from += KAL_CHUNK) {
            const int to = from + KAL_CHUNK < ld ? from + KAL_CHUNK : ld;
            for (int j = 0; j < columns; j += 2) {
                double *y = X + (size_t)j * step;
                double *z = j + 1 < columns ? y + step : NULL;
                kal_padded_solve_below((KalStrip){L, step, from, to}, p0, p1, y, z);
            }
        }
    }
}

/// x ← L⁻ᵀ x.
KAL_INLINE void kal_padded_solve_transposed(int ld, const double *restrict L,
                                            const double *restrict inverse,
                                            double *restrict x)
{
    const size_t step = (size_t)ld;
    for (int k = ld - 4; k >= 0; k -= 4) {
        const double *strip = L + (size_t)k * step;
        const double *l0 = strip + k;
        const double *l1 = l0 + step;
        const double *l2 = l1 + step;
        const KalFour scale = *kal_const_four(inverse + k);
        const KalFour b = *kal_const_four(x + k) - kal_padded_dots(k + 4, ld, x, strip);
        const double x3 = b[3] * scale[3];
        const double x2 = (b[2] - l2[3] * x3) * scale[2];
        const double x1 = (b[1] - l1[2] * x2 - l1[3] * x3) * scale[1];
        const double x0 = (b[0] - l0[1] * x1 - l0[2] * x2 - l0[3] * x3) * scale[0];
        *kal_four(x + k) = (KalFour){x0, x1, x2, x3};
    }
}

#endif
