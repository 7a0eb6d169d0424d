// SPDX-License-Identifier: MIT

// The short way of the regular road, for constraints that are well apart: M = L D Lᵀ,
// W = L⁻¹Aᵀ, and λ = (WᵀD⁻¹W)⁻¹(b − WᵀD⁻¹g) with g = L⁻¹Q (theory (4.1), (4.2), where
// L stands for L√D).  That squares the conditioning of W.  So where M is soft in some
// direction or constraints come near each other the answer is refined once.  So it is where
// constraints are missed: q'' is the sum of M⁻¹Q and M⁻¹Aᵀλ, and where these are far larger
// than q'' itself, as for a light coordinate that is led, their rounding is all that one solve
// leaves.  In any case the answer counts only if its residuals, taken entry by entry, are at
// the level of rounding: then it is the exact answer to a problem that differs from the
// given one by rounding, and no method can promise more.  Every number given takes part
// in the residuals, so that NaN and infinity never pass.
//
// Where M has a pivot that is too small, M + AᵀWA and Q + AᵀWb stand for M and Q
// (theory (3.8)): the accelerations and multipliers are the same, and residuals are taken
// of the equations as they were given.
//
// The factors stay for problems that differ in Q and b alone.
//
// This file is compiled twice, the second time for processors with wide registers and
// with other names for its two functions.

#include "linalg/padded.h"
#include "motion/motion_impl.h"
#include "motion/trust.h"

#include <assert.h>

#ifndef KAL_SHORT_SOLVE
#define KAL_SHORT_SOLVE kal_short_solve
#define KAL_SHORT_AGAIN kal_short_again
#endif

// Pivots are relative to the diagonal entries they come from; those of WᵀD⁻¹W are
// squares of the distance of a constraint from those before it.
static const double SAFE_PIVOT = 1e-8;
static const double SAFE_GRAM = 1e-6;
static const double WITHOUT_REFINEMENT = 1.0 / KAL_SAFE_GROWTH;

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
    int ld;     // padded n
    int rows;   // padded m
    bool exact; // the compiler knows n and m too
} Size;

KAL_INLINE KalSide coordinates(Size z)
{
    return (KalSide){z.n, z.ld, z.exact};
}

KAL_INLINE KalSide constraints(Size z)
{
    return (KalSide){z.m, z.rows, z.exact};
}

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
KAL_INLINE KalFour root_of_diagonal(int ld, const double *a, int j)
{
    const KalFour d = kal_padded_diagonal(ld, a, j);
    return (KalFour){sqrt(d[0]), sqrt(d[1]), sqrt(d[2]), sqrt(d[3])};
}

// Q and b, with their paddings.
KAL_INLINE void load_sides(const KalMotion *s, const KalShort *w, Size z)
{
    const KalMotionProblem *p = &s->given;
    kal_padded_copy(z.n, z.ld, p->Q, w->Q);
    kal_padded_copy(z.n, z.ld, p->Q, w->g);
    kal_padded_copy(z.m, z.rows, p->b, w->b);
    kal_padded_copy(z.m, z.rows, s->b_size ? s->b_size : p->b, w->b_size);
}

// M, A, Q, b and C, with their paddings; M and A twice, since factors replace them.  And
// the natural units 1 / d_j = √M_jj.
KAL_INLINE void load(const KalMotion *s, const KalShort *w, Size z, const double *C)
{
    const KalMotionProblem *p = &s->given;
    load_columns(z, z.n, z.ld, p->M, w->M, w->L);
    load_columns(z, z.m, z.rows, p->A, w->A, w->W);
    load_sides(s, w, z);
    if (C) {
        kal_padded_copy(z.n, z.ld, C, w->g + z.ld);
    }
    for (int j = 0; j < z.ld; j += 4) {
        *kal_four(w->unit + j) = root_of_diagonal(z.ld, w->M, j);
    }
}

// D⁻¹ x, in a place that is free until residuals are taken.
KAL_INLINE const double *over_pivots(const KalShort *w, Size z, const double *x)
{
    for (int i = 0; i < z.ld; i += 4) {
        *kal_four(w->size + i) =
            *kal_const_four(x + i) * *kal_const_four(w->inverse + i);
    }
    return w->size;
}

// The Gram matrix, lower triangle in whole groups, and the lengths of the constraints;
// false when a length cannot be trusted.
KAL_INLINE bool fill_gram(const KalShort *w, Size z)
{
    const size_t ld = (size_t)z.ld;
    bool sound = true;
    for (int j = 0; j < z.m; j++) {
        double *column = w->S + (size_t)j * (size_t)z.rows;
        const double *scaled = over_pivots(w, z, w->W + (size_t)j * ld);
        for (int i = j / 4 * 4; i < z.rows; i += 4) {
            *kal_four(column + i) =
                kal_padded_dots(0, z.ld, kal_side_left(constraints(z), i), scaled,
                                w->W + (size_t)i * ld);
        }
        sound &= column[j] > SMALLEST_SQUARE && column[j] < LARGEST_SQUARE;
    }
    for (int j = z.m; j < z.rows; j++) {
        *kal_four(w->S + (size_t)(j + 1) * (size_t)z.rows - 4) = kal_all(0.0);
    }
    for (int j = 0; j < z.rows; j += 4) {
        *kal_four(w->length + j) = root_of_diagonal(z.rows, w->S, j);
    }
    return sound;
}

// The smallest pivots of the factors of M and of WᵀD⁻¹W, 0 when they cannot be trusted.
typedef struct Pivots {
    double mass;
    double gram;
} Pivots;

KAL_INLINE Pivots factor(const KalShort *w, Size z, bool nonideal)
{
    const double mass = kal_padded_factor(coordinates(z), w->L, w->inverse);
    if (!(mass >= SAFE_PIVOT)) {
        return (Pivots){0.0, 0.0};
    }
    kal_padded_solve(coordinates(z), w->L, w->inverse, z.m, w->W);
    kal_padded_solve(coordinates(z), w->L, w->inverse, nonideal ? 2 : 1, w->g);
    if (!fill_gram(w, z)) {
        return (Pivots){mass, 0.0};
    }
    const double gram = kal_padded_factor(constraints(z), w->S, w->inverse_rows);
    return (Pivots){mass, gram >= SAFE_GRAM ? gram : 0.0};
}

// Q + AᵀWb for Q (theory (3.8)).
static void strengthen_force(const KalMotion *s, const KalShort *w, Size z)
{
    for (int i = 0; i < z.m; i++) {
        kal_padded_subtract(0, z.ld, -s->metric.weights[i] * w->b[i],
                            w->A + (size_t)i * (size_t)z.ld, w->g);
    }
}

// M + AᵀWA for M, in the lower triangle, and Q + AᵀWb for Q; and natural units from it
// (theory (3.8)).  False when there are no good weights.
static bool strengthen(KalMotion *s, const KalShort *w, Size z)
{
    if (!kal_motion_find_weights(s)) {
        return false;
    }
    strengthen_force(s, w, z);
    for (int i = 0; i < z.m; i++) {
        const double *row = w->A + (size_t)i * (size_t)z.ld;
        for (int j = 0; j < z.n; j++) {
            if (row[j] != 0.0) {
                kal_padded_subtract(j / 4 * 4, z.ld, -s->metric.weights[i] * row[j],
                                    row, w->L + (size_t)j * (size_t)z.ld);
            }
        }
    }
    for (int j = 0; j < z.n; j++) {
        s->metric.mass[j] = w->L[(size_t)j * (size_t)(z.ld + 1)];
        w->unit[j] = sqrt(s->metric.mass[j]);
    }
    return kal_motion_metric_is_sane(s);
}

// lambda = (WᵀD⁻¹W)⁻¹ (b − WᵀD⁻¹g).
KAL_INLINE void find_multipliers(const KalShort *w, Size z, const double *b,
                                 const double *g, double *lambda)
{
    const double *scaled = over_pivots(w, z, g);
    for (int i = 0; i < z.rows; i += 4) {
        const double *rows = w->W + (size_t)i * (size_t)z.ld;
        *kal_four(lambda + i) =
            *kal_const_four(b + i)
            - kal_padded_dots(0, z.ld, kal_side_left(constraints(z), i), scaled, rows);
    }
    kal_padded_solve(constraints(z), w->S, w->inverse_rows, 1, lambda);
    kal_padded_solve_transposed(constraints(z), w->S, w->inverse_rows, lambda);
}

// Σ f_j x_j over the first `count` of four columns of a padded matrix, for one group of
// rows; adds Σ |f_j x_j| to size.
KAL_INLINE KalFour combine(const double *x, size_t ld, int count, KalFour f,
                           KalFour *size)
{
    KalFour pair[2] = {{0.0}, {0.0}};
    KalFour terms[2] = {{0.0}, {0.0}};
    for (int k = 0; k < 4 && k < count; k++) {
        const KalFour term = f[k] * *kal_const_four(x + (size_t)k * ld);
        pair[k / 2] += term;
        terms[k / 2] += kal_four_absolute(term);
    }
    *size += terms[0] + terms[1];
    return pair[0] + pair[1];
}

// Σ f_j x_j over all columns of a padded matrix, for the group of rows at X; adds the size
// of its terms to size.
KAL_INLINE KalFour product(const double *X, size_t ld, KalSide side, const double *f,
                           KalFour *size)
{
    KalFour sum = kal_all(0.0);
    for (int j = 0; j < side.ld; j += 4) {
        sum += combine(X + (size_t)j * ld, ld, kal_side_left(side, j),
                       *kal_const_four(f + j), size);
    }
    return sum;
}

// L⁻ᵀD⁻¹ (g + W λ), in the place of g.
KAL_INLINE void accelerate(const KalShort *w, Size z, const double *lambda, double *g)
{
    for (int i = 0; i < z.rows; i += 4) {
        const double *rows = w->W + (size_t)i * (size_t)z.ld;
        for (int j = 0; j < z.ld; j += 4) {
            KalFour size = kal_all(0.0);
            *kal_four(g + j) +=
                combine(rows + j, (size_t)z.ld, kal_side_left(constraints(z), i),
                        *kal_const_four(lambda + i), &size);
        }
    }
    kal_padded_solve_transposed(coordinates(z), w->L, w->inverse, g);
}

// Entry by entry; a NaN on either side wins.
KAL_INLINE KalFour larger(KalFour x, KalFour y)
{
    // NOLINTNEXTLINE(misc-redundant-expression): only a NaN differs from itself
    const KalFourBits pick = (x > y) | (x != x);
    return (KalFour)(((KalFourBits)x & pick) | ((KalFourBits)y & ~pick));
}

// The largest of the first `count` entries, no others being larger; NaN if there is one.
KAL_INLINE double largest(KalFour x, int count)
{
    if (count > 2) {
        x = larger(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
    }
    if (count > 1) {
        x = larger(x, __builtin_shufflevector(x, x, 1, 0, 3, 2));
    }
    return x[0];
}

// missing = Q + C + Aᵀλ − M q'', and the size of its terms; force = Aᵀλ.  Returns the
// largest size in natural units, or `acceleration` if that is larger: natural masses are
// 1, so that it is a force too.
KAL_INLINE double motion_errors(const KalShort *w, Size z, const double *lambda,
                                const double *C, double acceleration)
{
    const size_t ld = (size_t)z.ld;
    KalFour most = kal_all(acceleration);
    for (int i = 0; i < z.ld; i += 4) {
        const KalFour Q = *kal_const_four(w->Q + i);
        const KalFour c = C ? *kal_const_four(C + i) : kal_all(0.0);
        KalFour size = kal_four_absolute(Q) + kal_four_absolute(c);
        const KalFour inertia = product(w->M + i, ld, coordinates(z), w->g, &size);
        const KalFour force = product(w->A + i, ld, constraints(z), lambda, &size);
        *kal_four(w->force + i) = force;
        *kal_four(w->size + i) = size;
        *kal_four(w->missing + i) = Q + c + force - inertia;
        most = larger(most, size / (*kal_const_four(w->unit + i) + NOTHING));
    }
    return largest(most, kal_side_left(coordinates(z), 0));
}

// max |Q + C + Aᵀλ − M q''| relative to its terms; `most` is the largest size anywhere.
KAL_INLINE double motion_residual(const KalShort *w, Size z, double most)
{
    KalFour worst = kal_all(0.0);
    for (int i = 0; i < z.ld; i += 4) {
        const KalFour size = *kal_const_four(w->size + i)
                             + KAL_RESIDUAL_FLOOR * most * *kal_const_four(w->unit + i)
                             + NOTHING;
        worst =
            larger(worst, kal_four_absolute(*kal_const_four(w->missing + i)) / size);
    }
    return largest(worst, kal_side_left(coordinates(z), 0));
}

// The products of q'' with the first `count` of four rows, and the sizes of their terms.
KAL_INLINE KalFour row_products(const KalShort *w, Size z, int count,
                                const double *rows, KalFour *size)
{
    KalFour sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    KalFour terms[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int j = 0; j < z.ld; j += 4) {
        const KalFour q = *kal_const_four(w->g + j);
        for (int k = 0; k < 4 && k < count; k++) {
            const KalFour term =
                q * *kal_const_four(rows + (size_t)k * (size_t)z.ld + j);
            sum[k] += term;
            terms[k] += kal_four_absolute(term);
        }
    }
    *size = kal_sums(terms[0], terms[1], terms[2], terms[3]);
    return kal_sums(sum[0], sum[1], sum[2], sum[3]);
}

// The largest acceleration that occurs or is asked for, in natural units.
KAL_INLINE double largest_acceleration(const KalShort *w, Size z)
{
    KalFour most = kal_all(0.0);
    for (int i = 0; i < z.rows; i += 4) {
        most = larger(most, kal_four_absolute(*kal_const_four(w->b_size + i))
                                / (*kal_const_four(w->length + i) + NOTHING));
    }
    for (int j = 0; j < z.ld; j += 4) {
        most = larger(most, kal_four_absolute(*kal_const_four(w->g + j)
                                              * *kal_const_four(w->unit + j)));
    }
    return largest(most, kal_side_left(coordinates(z), 0));
}

// missing_rows = b − A q''; returns max |b − A q''| relative to its terms.
KAL_INLINE double constraint_residual(const KalShort *w, Size z, double most)
{
    KalFour worst = kal_all(0.0);
    for (int i = 0; i < z.rows; i += 4) {
        KalFour size;
        const KalFour sum = row_products(w, z, kal_side_left(constraints(z), i),
                                         w->A + (size_t)i * (size_t)z.ld, &size);
        const KalFour missing = *kal_const_four(w->b + i) - sum;
        size += kal_four_absolute(*kal_const_four(w->b_size + i))
                + KAL_RESIDUAL_TRACE * most * *kal_const_four(w->length + i) + NOTHING;
        *kal_four(w->missing_rows + i) = missing;
        worst = larger(worst, kal_four_absolute(missing) / size);
    }
    return largest(worst, kal_side_left(constraints(z), 0));
}

// Fill the residuals of the acceleration in g and its multipliers.
KAL_INLINE void measure(const KalShort *w, Size z, const double *lambda,
                        const double *C, KalMotionAnswer *answer)
{
    const double acceleration = largest_acceleration(w, z);
    const double most = motion_errors(w, z, lambda, C, acceleration);
    answer->residual_motion = motion_residual(w, z, most);
    answer->residual_constraints = constraint_residual(w, z, most);
}

// Solve once more for what is missing, add it, and measure again.  Without C only: its
// place is used.  Rare enough to be compiled once for all sizes.
__attribute__((noinline)) static void refine(const KalShort *w, Size z,
                                             KalMotionAnswer *answer)
{
    double *h = w->g + z.ld;
    kal_padded_copy(z.ld, z.ld, w->missing, h);
    kal_padded_solve(coordinates(z), w->L, w->inverse, 1, h);
    find_multipliers(w, z, w->missing_rows, h, w->lambda_total);
    accelerate(w, z, w->lambda_total, h);
    kal_padded_subtract(0, z.ld, -1.0, h, w->g);
    kal_padded_subtract(0, z.rows, -1.0, w->lambda_total, w->lambda);
    measure(w, z, w->lambda, NULL, answer);
}

// The multipliers that go with Q + C, and what C adds beyond the ideal part: C itself and
// the change of the multipliers that it causes.
KAL_INLINE void add_nonideal(const KalShort *w, Size z, const double *C,
                             double *lambda_total)
{
    double *h = w->g + z.ld;
    kal_padded_subtract(0, z.ld, -1.0, h, w->g);
    find_multipliers(w, z, w->b, w->g, lambda_total);
    kal_padded_copy(z.n, z.ld, C, h);
    kal_padded_copy(z.n, z.ld, C, w->added);
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
        *kal_four(w->force + i) =
            product(w->A + i, (size_t)z.ld, constraints(z), w->lambda, &size);
    }
}

// The answer, to where all ways leave it.  Before this nothing of the workspace that others
// read has changed: an attempt that is refused leaves no traces.
KAL_INLINE void store(const KalMotion *s, const KalShort *w, Size z, const double *C)
{
    for (int j = 0; j < z.n; j++) {
        s->found.qdd[j] = w->g[j];
        s->found.ideal[j] = w->force[j];
        s->found.nonideal[j] = C ? w->added[j] : 0.0;
    }
    for (int i = 0; i < z.m; i++) {
        s->found.lambda[i] = w->lambda[i];
    }
}

// The answer from factors that are at hand, with g = L⁻¹Q.
KAL_INLINE KalShortEnd finish(const KalMotion *s, const KalShort *w, Size z,
                              const double *C, bool near, KalMotionAnswer *answer)
{
    find_multipliers(w, z, w->b, w->g, w->lambda);
    double *lambda_total = w->lambda;
    if (C) {
        lambda_total = w->lambda_total;
        add_nonideal(w, z, C, lambda_total);
    }
    accelerate(w, z, lambda_total, w->g);
    measure(w, z, lambda_total, C ? w->g + z.ld : NULL, answer);
    const bool missed = !(answer->residual_constraints <= KAL_SAFE_RESIDUAL);
    if (near || (missed && !C)) {
        refine(w, (Size){z.n, z.m, z.ld, z.rows, false}, answer);
    }
    if (!(answer->residual_motion <= KAL_SAFE_RESIDUAL
          && answer->residual_constraints <= KAL_SAFE_RESIDUAL)) {
        return KAL_SHORT_REFUSED;
    }
    if (C) {
        find_ideal(w, z);
    }
    store(s, w, z, C);
    answer->rank_A = z.m;
    return KAL_SHORT_SOLVED;
}

// C is NULL or that of the problem; `weak` says that M needs to be strengthened.
KAL_INLINE KalShortEnd solve(KalMotion *s, const KalShort *w, Size z, const double *C,
                             bool weak, KalMotionAnswer *answer)
{
    load(s, w, z, C);
    if (weak && !strengthen(s, w, z)) {
        return KAL_SHORT_REFUSED;
    }
    const Pivots pivots = factor(w, z, C != NULL);
    const bool near =
        weak || pivots.mass < WITHOUT_REFINEMENT || pivots.gram < WITHOUT_REFINEMENT;
    if (pivots.gram == 0.0 || (near && C)) {
        return pivots.mass == 0.0 ? KAL_SHORT_WEAK : KAL_SHORT_REFUSED;
    }
    const KalShortEnd end = finish(s, w, z, C, near, answer);
    answer->least_sine = sqrt(pivots.gram);
    s->factors = (KalKeptFactors){.kept = end == KAL_SHORT_SOLVED && w == &s->short_way,
                                  .near = near,
                                  .least_sine = answer->least_sine};
    return end;
}

// Room for the arrays of a problem with up to four coordinates and constraints.
enum {
    ROOM = 5 * 4 * 4 + 16 * 4
};

KAL_INLINE KalShort lay_out(Size z, double *memory)
{
    const size_t ld = (size_t)z.ld;
    const size_t rows = (size_t)z.rows;
    double *A = memory + 2 * ld * ld;
    double *S = A + 2 * ld * rows;
    double *v = S + rows * rows;
    double *u = v + 8 * ld;
    assert(u + ld + 7 * rows <= memory + ROOM);
    return (KalShort){
        .M = memory,
        .L = memory + ld * ld,
        .A = A,
        .W = A + ld * rows,
        .S = S,
        .inverse = v,
        .g = v + ld,
        .Q = v + 3 * ld,
        .force = v + 4 * ld,
        .unit = v + 5 * ld,
        .size = v + 6 * ld,
        .missing = v + 7 * ld,
        .added = u,
        .inverse_rows = u + ld,
        .b = u + ld + rows,
        .b_size = u + ld + 2 * rows,
        .lambda = u + ld + 3 * rows,
        .lambda_total = u + ld + 4 * rows,
        .length = u + ld + 5 * rows,
        .missing_rows = u + ld + 6 * rows,
    };
}

// Up to four coordinates and constraints, without C.  What lies in arrays that nobody else
// sees travels in registers.
KAL_INLINE KalShortEnd solve_small(KalMotion *s, int n, int m, KalMotionAnswer *answer)
{
    _Alignas(32) double memory[ROOM];
    const Size z = {n, m, 4, 4, true};
    const KalShort w = lay_out(z, memory);
    assert(n >= 1 && n <= 4 && m >= 1 && m <= n);
    return solve(s, &w, z, NULL, false, answer);
}

// Small sizes are told to the compiler; there are no more constraints than coordinates.
KAL_INLINE KalShortEnd solve_few(KalMotion *s, int n, KalMotionAnswer *answer)
{
    switch (s->given.m) {
    case 1: return solve_small(s, n, 1, answer);
    case 2: return n >= 2 ? solve_small(s, n, 2, answer) : KAL_SHORT_REFUSED;
    case 3: return n >= 3 ? solve_small(s, n, 3, answer) : KAL_SHORT_REFUSED;
    case 4: return n >= 4 ? solve_small(s, n, 4, answer) : KAL_SHORT_REFUSED;
    default: return KAL_SHORT_REFUSED;
    }
}

// The same code, with sizes that the compiler knows where they are common: loops of known
// length are unrolled and kept in registers.  All branches compute the same, to the bit.
static KalShortEnd solve_given(KalMotion *s, Size z, KalMotionAnswer *answer)
{
    if (z.ld == 4 && z.rows == 4 && !s->given.C) {
        switch (z.n) {
        case 1: return solve_few(s, 1, answer);
        case 2: return solve_few(s, 2, answer);
        case 3: return solve_few(s, 3, answer);
        default: return solve_few(s, 4, answer);
        }
    }
    if (z.ld == 8 && z.rows == 8 && !s->given.C) {
        return solve(s, &s->short_way, (Size){z.n, z.m, 8, 8, false}, NULL, false,
                     answer);
    }
    if (z.ld == 8 && z.rows == 4 && !s->given.C) {
        return solve(s, &s->short_way, (Size){z.n, z.m, 8, 4, false}, NULL, false,
                     answer);
    }
    return solve(s, &s->short_way, z, s->given.C, false, answer);
}

// Constraints lend their weight to M; without any there is nothing to lend.
static KalShortEnd solve_weak(KalMotion *s, Size z, KalMotionAnswer *answer)
{
    if (z.m == 0) {
        return KAL_SHORT_REFUSED;
    }
    if (z.ld == 4 && z.rows == 4 && !s->given.C) {
        return solve(s, &s->short_way, (Size){z.n, z.m, 4, 4, false}, NULL, true,
                     answer);
    }
    if (z.ld == 8 && !s->given.C) {
        return solve(s, &s->short_way, (Size){z.n, z.m, 8, z.rows, false}, NULL, true,
                     answer);
    }
    return solve(s, &s->short_way, z, s->given.C, true, answer);
}

KalShortEnd KAL_SHORT_SOLVE(KalMotion *s, bool weak, KalMotionAnswer *answer)
{
    const int n = s->given.n;
    const int m = s->given.m;
    assert(n >= 1 && n <= s->n_max && m >= 0 && m <= n);
    const Size z = {n, m, kal_padded(n), kal_padded(m), false};
    return weak ? solve_weak(s, z, answer) : solve_given(s, z, answer);
}

KalShortEnd KAL_SHORT_AGAIN(KalMotion *s, KalMotionAnswer *answer)
{
    const int n = s->given.n;
    const int m = s->given.m;
    const KalShort *w = &s->short_way;
    assert(s->factors.kept && !s->given.C);
    const Size z = {n, m, kal_padded(n), kal_padded(m), false};
    load_sides(s, w, z);
    if (s->metric.weak) {
        strengthen_force(s, w, z);
    }
    kal_padded_solve(coordinates(z), w->L, w->inverse, 1, w->g);
    const KalShortEnd end = finish(s, w, z, NULL, s->factors.near, answer);
    answer->least_sine = s->factors.least_sine;
    return end;
}
