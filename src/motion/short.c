// SPDX-License-Identifier: MIT

// The short way of the regular road, for constraints that are well apart: M = L Lᵀ,
// W = L⁻¹Aᵀ, WᵀW = K Kᵀ, and λ = (WᵀW)⁻¹(b − Wᵀg) with g = L⁻¹Q (theory (4.1), (4.2)).
// That squares the conditioning of W.  So where M is soft in some direction or constraints
// come near each other the answer is refined once, and in any case it counts only if its residuals, taken entry by
// entry, are at the level of rounding: then it is the exact answer to a problem that
// differs from the given one by rounding, and no method can promise more.  Every number
// given takes part in the residuals, so that NaN and infinity never pass.
//
// This file is compiled twice, the second time for processors with wide registers and
// with another name for its one function.

#include "linalg/padded.h"
#include "motion/motion_impl.h"

#ifndef KAL_SHORT_SOLVE
#define KAL_SHORT_SOLVE kal_short_solve
#endif

// Pivots are relative to the diagonal entries they come from; those of WᵀW are squares of
// the distance of a constraint from those before it.
static const double SAFE_PIVOT = 1e-8;
static const double SAFE_GRAM = 1e-6;
static const double WITHOUT_REFINEMENT = 1e-2;
static const double SAFE_RESIDUAL = 1e-13;

// As for all residuals (answer.c): the least that terms are measured by.
static const double FLOOR = 0x1p-4;

// Squares of lengths outside this range are not to be trusted: overflow, underflow.
static const double SMALLEST_SQUARE = 1e-200;
static const double LARGEST_SQUARE = 1e200;

// Keeps 0 / 0 from being anything but 0.
static const double NOTHING = 1e-300;

// The sizes of a problem and their padded values, apart from the workspace, so that the
// compiler may know them.
typedef struct Size {
    int n;
    int m;
    int ld;   // padded n
    int rows; // padded m
} Size;

// Copy `count` columns of n entries to two places; columns up to `padded` are zero.
KAL_INLINE void load_columns(Size z, int count, int padded, const double *from,
                             double *to, double *also)
{
    for (int j = 0; j < padded; j++) {
        for (int i = 0; i < z.ld; i += 4) {
            const KalFour x =
                kal_padded_load(j < count ? z.n : 0, from + (size_t)j * (size_t)z.n, i);
            *kal_four(to + (size_t)j * (size_t)z.ld + i) = x;
            *kal_four(also + (size_t)j * (size_t)z.ld + i) = x;
        }
    }
}

// The roots of the diagonal entries j..j+3.
KAL_INLINE KalFour root_of_diagonal(const double *a, int ld, int j)
{
    const size_t next = (size_t)ld + 1;
    const double *d = a + (size_t)j * next;
    return (KalFour){sqrt(d[0]), sqrt(d[next]), sqrt(d[2 * next]), sqrt(d[3 * next])};
}

// M, A, Q, b and C, with their paddings; M and A twice, since factors replace them.  And
// the natural units 1 / d_j = √M_jj.
KAL_INLINE void load(const KalMotionProblem *p, const KalShort *w, Size z)
{
    load_columns(z, z.n, z.ld, p->M, w->M, w->L);
    load_columns(z, z.m, z.rows, p->A, w->A, w->W);
    kal_padded_copy(z.n, z.ld, p->Q, w->Q);
    kal_padded_copy(z.n, z.ld, p->Q, w->g);
    if (p->C) {
        kal_padded_copy(z.n, z.ld, p->C, w->g + z.ld);
    }
    kal_padded_copy(z.m, z.rows, p->b, w->b);
    for (int j = 0; j < z.ld; j += 4) {
        *kal_four(w->unit + j) = root_of_diagonal(w->M, z.ld, j);
    }
}

// The Gram matrix, lower triangle in whole groups, and the lengths of the constraints;
// false when a length cannot be trusted.
KAL_INLINE bool fill_gram(const KalShort *w, Size z)
{
    const size_t ld = (size_t)z.ld;
    bool sound = true;
    for (int j = 0; j < z.m; j++) {
        double *column = w->S + (size_t)j * (size_t)z.rows;
        for (int i = j / 4 * 4; i < z.rows; i += 4) {
            *kal_four(column + i) =
                kal_padded_dots(0, z.ld, w->W + (size_t)j * ld, w->W + (size_t)i * ld);
        }
        sound &= column[j] > SMALLEST_SQUARE && column[j] < LARGEST_SQUARE;
    }
    for (int j = z.m; j < z.rows; j++) {
        *kal_four(w->S + (size_t)(j + 1) * (size_t)z.rows - 4) = kal_all(0.0);
    }
    for (int j = 0; j < z.rows; j += 4) {
        *kal_four(w->length + j) = root_of_diagonal(w->S, z.rows, j);
    }
    return sound;
}

// Returns the smallest pivot of both factorizations, 0 when they cannot be trusted.
KAL_INLINE double factor(const KalShort *w, Size z, bool nonideal)
{
    const double mass = kal_padded_cholesky(z.n, z.ld, w->L, w->inverse);
    if (mass < SAFE_PIVOT) {
        return 0.0;
    }
    kal_padded_solve(z.ld, w->L, w->inverse, z.m, w->W);
    kal_padded_solve(z.ld, w->L, w->inverse, nonideal ? 2 : 1, w->g);
    if (!fill_gram(w, z)) {
        return 0.0;
    }
    const double gram = kal_padded_cholesky(z.m, z.rows, w->S, w->inverse_rows);
    return gram < SAFE_GRAM ? 0.0 : fmin(mass, gram);
}

// lambda = (WᵀW)⁻¹ (b − Wᵀg).
KAL_INLINE void find_multipliers(const KalShort *w, Size z, const double *b,
                                 const double *g, double *lambda)
{
    for (int i = 0; i < z.rows; i += 4) {
        const double *rows = w->W + (size_t)i * (size_t)z.ld;
        *kal_four(lambda + i) =
            *kal_const_four(b + i) - kal_padded_dots(0, z.ld, g, rows);
    }
    kal_padded_solve(z.rows, w->S, w->inverse_rows, 1, lambda);
    kal_padded_solve_transposed(z.rows, w->S, w->inverse_rows, lambda);
}

// L⁻ᵀ (g + W λ), in the place of g.
KAL_INLINE void accelerate(const KalShort *w, Size z, const double *lambda, double *g)
{
    for (int i = 0; i < z.rows; i += 4) {
        const double *rows = w->W + (size_t)i * (size_t)z.ld;
        kal_strip_on_one((KalStrip){rows, (size_t)z.ld, 0, z.ld},
                         -*kal_const_four(lambda + i), g);
    }
    kal_padded_solve_transposed(z.ld, w->L, w->inverse, g);
}

// Σ f_j x_j over four columns of a padded matrix, for one group of rows; adds Σ |f_j x_j|
// to size.
KAL_INLINE KalFour combine(const double *x, size_t ld, KalFour f, KalFour *size)
{
    const KalFour a = f[0] * *kal_const_four(x);
    const KalFour b = f[1] * *kal_const_four(x + ld);
    const KalFour c = f[2] * *kal_const_four(x + 2 * ld);
    const KalFour d = f[3] * *kal_const_four(x + 3 * ld);
    *size += (kal_absolute(a) + kal_absolute(b)) + (kal_absolute(c) + kal_absolute(d));
    return (a + b) + (c + d);
}

// Entry by entry; a NaN on either side wins.
KAL_INLINE KalFour larger(KalFour x, KalFour y)
{
    const KalFourBits pick = (x > y) | (x != x);
    return (KalFour)(((KalFourBits)x & pick) | ((KalFourBits)y & ~pick));
}

// The largest entry; NaN if there is one.
KAL_INLINE double largest(KalFour x)
{
    const KalFour halves = larger(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
    return larger(halves, __builtin_shufflevector(halves, halves, 1, 0, 3, 2))[0];
}

// missing = Q + C + Aᵀλ − M q'', and the size of its terms; force = Aᵀλ.  Returns the
// largest size in natural units.
KAL_INLINE double motion_errors(const KalShort *w, Size z, const double *lambda,
                                const double *C)
{
    const size_t ld = (size_t)z.ld;
    KalFour most = kal_all(0.0);
    for (int i = 0; i < z.ld; i += 4) {
        const KalFour Q = *kal_const_four(w->Q + i);
        const KalFour c = C ? *kal_const_four(C + i) : kal_all(0.0);
        KalFour size = kal_absolute(Q) + kal_absolute(c);
        KalFour inertia = kal_all(0.0);
        KalFour force = kal_all(0.0);
        for (int j = 0; j < z.ld; j += 4) {
            inertia += combine(w->M + (size_t)j * ld + i, ld, *kal_const_four(w->g + j),
                               &size);
        }
        for (int j = 0; j < z.rows; j += 4) {
            force += combine(w->A + (size_t)j * ld + i, ld, *kal_const_four(lambda + j),
                             &size);
        }
        *kal_four(w->force + i) = force;
        *kal_four(w->size + i) = size;
        *kal_four(w->missing + i) = Q + c + force - inertia;
        most = larger(most, size / (*kal_const_four(w->unit + i) + NOTHING));
    }
    return largest(most);
}

// max |Q + C + Aᵀλ − M q''| relative to its terms.
KAL_INLINE double motion_residual(const KalShort *w, Size z, const double *lambda,
                                  const double *C, double acceleration)
{
    const double most =
        largest((KalFour){acceleration, motion_errors(w, z, lambda, C), 0.0, 0.0});
    KalFour worst = kal_all(0.0);
    for (int i = 0; i < z.ld; i += 4) {
        const KalFour size = *kal_const_four(w->size + i)
                             + FLOOR * most * *kal_const_four(w->unit + i) + NOTHING;
        worst = larger(worst, kal_absolute(*kal_const_four(w->missing + i)) / size);
    }
    return largest(worst);
}

// The products of q'' with four rows, and the sizes of their terms.
KAL_INLINE KalFour row_products(const KalShort *w, Size z, const double *rows,
                                KalFour *size)
{
    const size_t ld = (size_t)z.ld;
    KalFour sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    KalFour terms[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int j = 0; j < z.ld; j += 4) {
        const KalFour q = *kal_const_four(w->g + j);
        for (int k = 0; k < 4; k++) {
            const KalFour term = q * *kal_const_four(rows + (size_t)k * ld + j);
            sum[k] += term;
            terms[k] += kal_absolute(term);
        }
    }
    *size = kal_sums(terms[0], terms[1], terms[2], terms[3]);
    return kal_sums(sum[0], sum[1], sum[2], sum[3]);
}

// The largest acceleration that occurs or is asked for, in natural units.
KAL_INLINE double largest_acceleration(const KalShort *w, Size z, const double *b_size)
{
    KalFour most = kal_all(0.0);
    for (int j = 0; j < z.ld; j += 4) {
        most = larger(most, kal_absolute(*kal_const_four(w->g + j)
                                         * *kal_const_four(w->unit + j)));
    }
    for (int i = 0; i < z.rows; i += 4) {
        most = larger(most, kal_absolute(*kal_const_four(b_size + i))
                                / (*kal_const_four(w->length + i) + NOTHING));
    }
    return largest(most);
}

// missing_rows = b − A q''; returns max |b − A q''| relative to its terms, where b_size
// (padded) says how large those of b are.
KAL_INLINE double constraint_residual(const KalShort *w, Size z, const double *b_size,
                                      double acceleration)
{
    KalFour worst = kal_all(0.0);
    for (int i = 0; i < z.rows; i += 4) {
        KalFour size;
        const KalFour sum = row_products(w, z, w->A + (size_t)i * (size_t)z.ld, &size);
        const KalFour missing = *kal_const_four(w->b + i) - sum;
        size += kal_absolute(*kal_const_four(b_size + i))
                + FLOOR * acceleration * *kal_const_four(w->length + i) + NOTHING;
        *kal_four(w->missing_rows + i) = missing;
        worst = larger(worst, kal_absolute(missing) / size);
    }
    return largest(worst);
}

// Fill the residuals of the acceleration in g and its multipliers.
KAL_INLINE void measure(const KalMotion *s, Size z, const double *lambda,
                        KalMotionAnswer *answer)
{
    const KalShort *w = &s->short_way;
    const double *b_size = w->b;
    if (s->b_size) {
        kal_padded_copy(z.m, z.rows, s->b_size, w->b_size);
        b_size = w->b_size;
    }
    const double most = largest_acceleration(w, z, b_size);
    answer->residual_motion =
        motion_residual(w, z, lambda, s->given.C ? w->g + z.ld : NULL, most);
    answer->residual_constraints = constraint_residual(w, z, b_size, most);
}

// Solve once more for what is missing, and add it.  Without C only: its place is used.
KAL_INLINE void refine(const KalShort *w, Size z)
{
    double *h = w->g + z.ld;
    kal_padded_copy(z.ld, z.ld, w->missing, h);
    kal_padded_solve(z.ld, w->L, w->inverse, 1, h);
    find_multipliers(w, z, w->missing_rows, h, w->lambda_total);
    accelerate(w, z, w->lambda_total, h);
    kal_padded_subtract(0, z.ld, -1.0, h, w->g);
    kal_padded_subtract(0, z.rows, -1.0, w->lambda_total, w->lambda);
}

// The multipliers that go with Q + C, and what C adds beyond the ideal part: C itself and
// the change of the multipliers that it causes.
KAL_INLINE void add_nonideal(const KalMotion *s, Size z, double *lambda_total)
{
    const KalShort *w = &s->short_way;
    double *h = w->g + z.ld;
    kal_padded_subtract(0, z.ld, -1.0, h, w->g);
    find_multipliers(w, z, w->b, w->g, lambda_total);
    kal_padded_copy(z.n, z.ld, s->given.C, h);
    kal_padded_copy(z.n, z.ld, s->given.C, w->added);
    for (int i = 0; i < z.m; i++) {
        kal_padded_subtract(0, z.ld, w->lambda[i] - lambda_total[i],
                            w->A + (size_t)i * (size_t)z.ld, w->added);
    }
}

// Aᵀλ of the ideal part, when what was found on the way belongs to Q + C.
KAL_INLINE void find_ideal(const KalShort *w, Size z)
{
    for (int i = 0; i < z.ld; i += 4) {
        KalFour size = kal_all(0.0);
        KalFour force = kal_all(0.0);
        for (int j = 0; j < z.rows; j += 4) {
            force += combine(w->A + (size_t)j * (size_t)z.ld + i, (size_t)z.ld,
                             *kal_const_four(w->lambda + j), &size);
        }
        *kal_four(w->force + i) = force;
    }
}

KAL_INLINE void store(const KalMotion *s, Size z)
{
    const KalShort *w = &s->short_way;
    for (int j = 0; j < z.n; j++) {
        s->qdd[j] = w->g[j];
        s->ideal[j] = w->force[j];
        s->nonideal[j] = s->given.C ? w->added[j] : 0.0;
    }
    for (int i = 0; i < z.m; i++) {
        s->lambda[i] = w->lambda[i];
    }
}

KAL_INLINE bool solve(const KalMotion *s, Size z, KalMotionAnswer *answer)
{
    const KalShort *w = &s->short_way;
    load(&s->given, w, z);
    const double pivot = factor(w, z, s->given.C != NULL);
    const bool near = pivot < WITHOUT_REFINEMENT;
    if (pivot == 0.0 || (near && s->given.C)) {
        return false;
    }
    find_multipliers(w, z, w->b, w->g, w->lambda);
    double *lambda_total = w->lambda;
    if (s->given.C) {
        lambda_total = w->lambda_total;
        add_nonideal(s, z, lambda_total);
    }
    accelerate(w, z, lambda_total, w->g);
    measure(s, z, lambda_total, answer);
    if (near) {
        refine(w, z);
        measure(s, z, lambda_total, answer);
    }
    if (!(answer->residual_motion <= SAFE_RESIDUAL
          && answer->residual_constraints <= SAFE_RESIDUAL)) {
        return false;
    }
    if (s->given.C) {
        find_ideal(w, z);
    }
    store(s, z);
    answer->rank_A = z.m;
    return true;
}

// Small sizes are told to the compiler.
bool KAL_SHORT_SOLVE(KalMotion *s, KalMotionAnswer *answer)
{
    const int n = s->given.n;
    const int m = s->given.m;
    const int ld = kal_padded(n);
    const int rows = kal_padded(m);
    if (ld == 4 && rows == 4) {
        return solve(s, (Size){n, m, 4, 4}, answer);
    }
    if (ld == 8 && rows == 8) {
        return solve(s, (Size){n, m, 8, 8}, answer);
    }
    return solve(s, (Size){n, m, ld, rows}, answer);
}
