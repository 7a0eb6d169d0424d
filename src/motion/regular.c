// SPDX-License-Identifier: MIT

// The regular road: M definite, or strengthened by constraints so that it is;
// constraints clearly independent or clearly dependent.
//
// The short way (short.c) serves constraints that are well apart.  The long way factors
// M = L Lᵀ and, with pivoting, W = L⁻¹Aᵀ with columns of length 1: W P = U T.  In the
// coordinates u = UᵀLᵀq'' the constraints fix the first k entries and the force gives the
// others (theory (4.3), (4.4)).  Where M is weak, the metric M + AᵀWA stands for it, and
// Q + AᵀWb for Q (theory (3.8)).

#include "linalg/cholesky.h"
#include "linalg/kernels.h"
#include "linalg/triangular.h"
#include "motion/motion_impl.h"
#include "motion/weights.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What must hold for an answer of the long way: pivots of M, relative to the diagonal
// entries they come from, and residuals.
static const double SAFE_PIVOT = 1e-2;
static const double SAFE_DISTANCE = 1e-3; // of a constraint from those before it
static const double SAFE_RESIDUAL = 1e-10;

// Squares of lengths outside this range are not to be trusted: overflow, underflow.
static const double SMALLEST_SQUARE = 1e-200;
static const double LARGEST_SQUARE = 1e200;

// The lower triangle of M to the place where it is factored.
static void copy_mass(KalMotion *s)
{
    assert(s->given.n >= 1);
    const size_t n = (size_t)s->given.n;
    for (size_t j = 0; j < n; j++) {
        const size_t diagonal = j * n + j;
        memcpy(s->L + diagonal, s->given.M + diagonal, (n - j) * sizeof *s->L);
    }
}

// M + AᵀWA for M; false when there are no good weights.
static bool strengthen(KalMotion *s)
{
    const KalMotionProblem *p = &s->given;
    const bool found = kal_motion_find_weights(s);
    kal_metric_add_rows(p->n, p->m, p->A, s->metric.weights, s->L);
    return found;
}

// The factorization overwrites the diagonal; natural units are made of it.
static void keep_diagonal(KalMotion *s)
{
    for (int j = 0; j < s->given.n; j++) {
        s->metric.mass[j] = s->L[(size_t)j * (size_t)(s->given.n + 1)];
    }
}

// Factor M, or where it has small pivots the metric.  Returns the smallest pivot, relative
// to the diagonal entry it comes from; notes whether it is that of the metric.
static double factor_mass(KalMotion *s)
{
    if (!s->metric.weak) {
        copy_mass(s);
        keep_diagonal(s);
        const double pivot = kal_cholesky(s->given.n, s->L, s->inverse);
        if (pivot >= SAFE_PIVOT || s->given.m == 0) {
            return pivot;
        }
    }
    s->metric.weak = true;
    copy_mass(s);
    if (!strengthen(s)) {
        return 0.0;
    }
    keep_diagonal(s);
    return kal_motion_metric_is_sane(s) ? kal_cholesky(s->given.n, s->L, s->inverse)
                                        : 0.0;
}

// Columns of W: the constraints, then L⁻¹Q and, if there is one, L⁻¹C.
static void transform_rows(KalMotion *s)
{
    assert(s->rows.W);
    const KalMotionProblem *p = &s->given;
    const size_t n = (size_t)p->n;
    double *force = kal_column(s->rows.W, p->n, p->m);
    if (p->m > 0) {
        memcpy(s->rows.W, p->A, n * (size_t)p->m * sizeof *p->A);
    }
    memcpy(force, p->Q, n * sizeof *p->Q);
    for (int i = 0; i < p->m && s->metric.weak; i++) {
        kal_axpy(p->n, s->metric.weights[i] * p->b[i], p->A + (size_t)i * n, force);
    }
    if (p->C) {
        memcpy(force + n, p->C, n * sizeof *p->C);
    }
    kal_solve_lower(p->n, s->L, s->inverse, p->m + (p->C ? 2 : 1), s->rows.W);
}

// Columns of W of length 1, so that distances of constraints are sines of angles; false when
// a length is out of the range of safe numbers.
static bool scale_rows(KalMotion *s)
{
    bool sound = true;
    for (int i = 0; i < s->given.m; i++) {
        double *w = kal_column(s->rows.W, s->given.n, i);
        const double square = kal_dot(s->given.n, w, w);
        sound &= square > SMALLEST_SQUARE && square < LARGEST_SQUARE;
        s->metric.r[i] = 1.0 / sqrt(square);
        kal_vector_scale(s->given.n, s->metric.r[i], w);
    }
    return sound;
}

// W P = U T, with followers Uᵀ L⁻¹Q and Uᵀ L⁻¹C.
static bool factor_rows(KalMotion *s)
{
    KalQr *rows = &s->rows;
    rows->rows = s->given.n;
    rows->columns = s->given.m;
    rows->swaps = NULL;
    transform_rows(s);
    if (!scale_rows(s)) {
        return false;
    }
    kal_motion_prefer_long_rows(s);
    kal_qr_factor(rows, s->rank_tolerance, s->given.C ? 2 : 1);
    return true;
}

// Distances were measured here through M⁻¹, on the general road through units alone.  The
// two differ by at most the root of M's conditioning; a verdict counts only if it is the
// same either way (theory (3.10)).
static bool verdict_is_safe(const KalMotion *s, double pivot)
{
    assert(s->rows.rank <= s->rows.columns);
    const double margin = sqrt(pivot / s->given.n);
    return s->rows.smallest > SAFE_DISTANCE
           && s->rows.dropped <= s->rank_tolerance * margin;
}

static void natural_units(KalMotion *s)
{
    for (int j = 0; j < s->given.n; j++) {
        assert(s->metric.mass[j] > 0.0);
        s->metric.d[j] = 1.0 / sqrt(s->metric.mass[j]);
    }
}

// q'' = L⁻ᵀ U u.
static void accelerate(const KalMotion *s, const double *u, double *q)
{
    memcpy(q, u, (size_t)s->given.n * sizeof *q);
    kal_qr_apply(&s->rows, q);
    kal_solve_lower_transposed(s->given.n, s->L, s->inverse, q);
}

// The non-ideal force is L U (0, h): what C does in the free directions (theory (4.7)).
static void nonideal_force(KalMotion *s, const double *h)
{
    const int n = s->given.n;
    const int k = s->rows.rank;
    double *v = s->scratch[0];
    assert(k <= n && h != v);
    memset(s->found.nonideal, 0, (size_t)n * sizeof *s->found.nonideal);
    memset(v, 0, (size_t)k * sizeof *v);
    memcpy(v + k, h + k, (size_t)(n - k) * sizeof *v);
    kal_qr_apply(&s->rows, v);
    for (int j = 0; j < n; j++) {
        kal_axpy(n - j, v[j], kal_column(s->L, n, j) + j, s->found.nonideal + j);
    }
}

// Accelerations and multipliers from the factors (theory (4.4)–(4.6)): in the coordinates
// u = UᵀLᵀq'' the constraints fix the first k entries, and forces make up the rest; the
// multipliers make up the difference between the two in the first k.
static void solve_instant(KalMotion *s, double *lambda_total)
{
    const int n = s->given.n;
    const int k = s->rows.rank;
    assert(k >= 0 && k <= n);
    assert(s->given.m == 0 || lambda_total != s->scratch[0]);
    assert(s->given.m == 0 || lambda_total != s->scratch[1]);
    const double *g = kal_column(s->rows.W, n, s->given.m); // Uᵀ L⁻¹ Q
    const double *h = s->given.C ? g + n : NULL;            // Uᵀ L⁻¹ C
    double *u = s->scratch[0];
    double *y = s->scratch[1];
    double *y_total = s->scratch[2];

    kal_motion_fixed_part(s, s->given.b, u);
    for (int j = 0; j < n; j++) {
        const double free_part = g[j] + (h ? h[j] : 0.0);
        if (j < k) {
            y[j] = u[j] - g[j];
            y_total[j] = u[j] - free_part;
        } else {
            u[j] = free_part;
        }
    }
    accelerate(s, u, s->found.qdd);
    kal_motion_multipliers(s, y, s->found.lambda);
    if (h) {
        kal_motion_multipliers(s, y_total, lambda_total);
        nonideal_force(s, h);
    } else {
        memset(s->found.nonideal, 0, (size_t)n * sizeof *s->found.nonideal);
    }
}

// What the equations miss: force (n) = Q + C − M q'' + Aᵀλ, with AᵀW of what constraints
// miss, b (m) = b − A q''.
static void find_missing(const KalMotion *s, const double *lambda, double *force,
                         double *b)
{
    assert(force && (b || s->given.m == 0));
    const KalMotionProblem *p = &s->given;
    const size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; i++) {
        force[i] = p->Q[i] + (p->C ? p->C[i] : 0.0)
                   - kal_dot(p->n, p->M + i * n, s->found.qdd);
    }
    for (int i = 0; i < p->m; i++) {
        const double *row = p->A + (size_t)i * n;
        b[i] = p->b[i] - kal_dot(p->n, row, s->found.qdd);
        kal_axpy(p->n, lambda[i] + (s->metric.weak ? s->metric.weights[i] * b[i] : 0.0),
                 row, force);
    }
}

// Solve once more for what is missing: weights have nothing to do with the forces there
// are, and their rounding must not show in them; nor that of heavy coordinates in light ones
// that have nothing to do with them (theory (7.6)).
static void refine(KalMotion *s, double *lambda)
{
    const int n = s->given.n;
    const int k = s->rows.rank;
    double *g = s->scratch[0];
    double *u = s->scratch[1];
    double *y = s->scratch[2];
    double *change = s->scratch[4];
    assert(s->given.m == 0 || (lambda != g && lambda != u));
    assert(s->given.m == 0 || (lambda != y && lambda != change));
    find_missing(s, lambda, g, s->missing);
    kal_solve_lower(n, s->L, s->inverse, 1, g);
    kal_qr_apply_transposed(&s->rows, g);
    kal_motion_fixed_part(s, s->missing, u);
    for (int j = 0; j < k; j++) {
        y[j] = u[j] - g[j];
    }
    memcpy(u + k, g + k, (size_t)(n - k) * sizeof *u);
    accelerate(s, u, change);
    kal_axpy(n, 1.0, change, s->found.qdd);
    kal_motion_multipliers(s, y, change);
    kal_axpy(s->given.m, 1.0, change, lambda);
}

// Dependent constraints: their sets, whether they agree, least multipliers.
static bool settle_dependence(KalMotion *s, double *lambda_total)
{
    kal_dependence_find(s);
    if (!kal_dependence_agrees(s, s->found.qdd)
        || kal_dependence_find_violated(s) >= 0) {
        return false; // the general road names who is to blame
    }
    kal_dependence_least_norm(s, lambda_total);
    return true;
}

// Whether the residuals vouch for the answer.
static bool is_small(const KalMotionAnswer *answer)
{
    return answer->residual_constraints <= SAFE_RESIDUAL
           && answer->residual_motion <= SAFE_RESIDUAL; // false for NaN
}

// False when M is not clearly semi-definite: there the general road judges.
static bool publish(const KalMotion *s, KalMotionAnswer *answer)
{
    answer->rank_M = s->given.n;
    if (s->metric.weak && !kal_mass_find_rank(s, &answer->rank_M)) {
        return false;
    }
    answer->rank_Mhat = s->given.n;
    answer->fast = true;
    kal_motion_publish(s, answer);
    return true;
}

// The long way: constraints that are dependent, or not clearly independent.
static bool solve_pivoted(KalMotion *s, KalMotionAnswer *answer)
{
    const double pivot = factor_mass(s);
    if (pivot < SAFE_PIVOT || !factor_rows(s) || !verdict_is_safe(s, pivot)) {
        return false;
    }
    natural_units(s);
    const bool dependent = s->rows.rank < s->given.m;
    double *lambda_total = s->given.C ? s->scratch[3] : s->found.lambda;
    solve_instant(s, lambda_total);
    refine(s, lambda_total);
    kal_motion_clear_marks(s);
    if (dependent && !settle_dependence(s, lambda_total)) {
        return false;
    }
    (void)kal_motion_residuals(s, lambda_total, s->found.ideal, answer);
    if (!is_small(answer)) {
        return false;
    }
    if (s->given.C) {
        kal_motion_constraint_force(s, s->found.lambda, s->found.ideal);
    }
    answer->rank_A = s->rows.rank;
    answer->least_sine = s->rows.rank > 0 ? s->rows.smallest : 1.0;
    return true;
}

// The version of the short way that the processor has registers for.
static KalShortEnd try_short(KalMotion *s, bool weak, KalMotionAnswer *answer)
{
#ifdef KAL_WIDE
    return s->wide ? kal_short_solve_wide(s, weak, answer)
                   : kal_short_solve(s, weak, answer);
#else
    return kal_short_solve(s, weak, answer);
#endif
}

bool kal_motion_short(KalMotion *s, KalMotionAnswer *answer)
{
    KalShortEnd end = try_short(s, false, answer);
    if (end == KAL_SHORT_WEAK) {
        s->metric.weak = true;
        end = try_short(s, true, answer);
    }
    if (end != KAL_SHORT_SOLVED) {
        return false;
    }
    kal_motion_clear_marks(s);
    return publish(s, answer);
}

bool kal_motion_short_again(KalMotion *s, KalMotionAnswer *answer)
{
#ifdef KAL_WIDE
    const KalShortEnd end =
        s->wide ? kal_short_again_wide(s, answer) : kal_short_again(s, answer);
#else
    const KalShortEnd end = kal_short_again(s, answer);
#endif
    if (end != KAL_SHORT_SOLVED) {
        return false;
    }
    kal_motion_clear_marks(s);
    return publish(s, answer);
}

bool kal_motion_regular(KalMotion *s, KalMotionAnswer *answer)
{
    return solve_pivoted(s, answer) && publish(s, answer);
}
