// SPDX-License-Identifier: MIT

// Ranks, decided once for all formulations, on the scaled problem.
//
// M_s = F Fᵀ by pivoted Cholesky gives rank M.  The scaled rows, factored with pivoting,
// give rank A and an orthonormal basis Z of the free directions.  G = FᵀZ is the mass
// that the free directions have: rank [M; A] = rank A + rank G, and what G does not see
// is massless and free (theory (3.3), (3.5)).

#include "linalg/cholesky.h"
#include "linalg/kernels.h"
#include "linalg/triangular.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// A coordinate is determined when all massless free directions of length 1 move it by
// less than this.
static const double DETERMINED = 1e-8;

static KalStatus fail_mass(KalMotion *s, int count, double value)
{
    assert(count > 0 && count <= s->given.n);
    s->fault = (KalMotionFault){count, s->fault_indices, false, value};
    const KalNames names = kal_motion_names(s, false, s->fault_indices, count);
    return kal_fail(s->ctx, KAL_ERR_MASS,
                    "M is not positive semi-definite: moving %s can give a negative "
                    "kinetic energy (%g in scaled units)",
                    names.text, value);
}

// Fill M_s.
static void scale_mass(KalMotion *s)
{
    const int n = s->given.n;
    assert(s->metric.d[0] > 0.0);
    for (int j = 0; j < n; j++) {
        const double *column = s->given.M + (size_t)j * (size_t)n;
        double *out = kal_column(s->verdict.mass, n, j);
        for (int i = 0; i < n; i++) {
            out[i] = column[i] * s->metric.d[i] * s->metric.d[j];
        }
    }
}

// Coordinates that nothing is coupled to have exactly the mass they have, however small it
// is beside others: they get a diagonal near 1 or -1 for the time of the factorization.
static double own_unit(const KalMotion *s, int j)
{
    assert(j >= 0 && j < s->given.n);
    const int n = s->given.n;
    const double mass = fabs(kal_const_column(s->verdict.mass, n, j)[j]);
    return mass > 0.0 && kal_mass_is_isolated(n, s->given.M, j)
               ? scalbn(1.0, -ilogb(mass) / 2)
               : 1.0;
}

// Name the coordinates of the direction in which the entry (p, p) of what remained after
// `rank` pivots is negative: e_p less what the pivots explain.
static KalStatus fail_indefinite(KalMotion *s, int rank, int p, double value)
{
    assert(rank >= 0 && rank <= p && p < s->given.n);
    const int n = s->given.n;
    const double *F = s->verdict.F;
    double *x = s->scratch[0];
    bool *moved = (bool *)s->scratch[1];
    memset(moved, 0, (size_t)n * sizeof *moved);
    for (int j = rank - 1; j >= 0; j--) { // x = L₁⁻ᵀ l_p
        const double *column = kal_const_column(F, n, j);
        x[j] = column[p];
        for (int i = j + 1; i < rank; i++) {
            x[j] -= column[i] * x[i];
        }
        x[j] /= column[j];
        moved[s->verdict.perm[j]] = fabs(x[j]) > 1e-6;
    }
    moved[s->verdict.perm[p]] = true;
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (moved[i]) {
            s->fault_indices[count++] = i;
        }
    }
    return fail_mass(s, count, value);
}

// What is left of M after the pivots must be nothing.
static KalStatus check_remainder(KalMotion *s, int rank, double tolerance)
{
    assert(rank >= 0 && rank <= s->given.n);
    const int n = s->given.n;
    for (int j = rank; j < n; j++) {
        const double *column = kal_const_column(s->verdict.F, n, j);
        if (column[j] < -tolerance) {
            return fail_indefinite(s, rank, j, column[j]);
        }
        for (int i = j + 1; i < n; i++) {
            if (fabs(column[i]) > 4.0 * tolerance) {
                return fail_indefinite(s, rank, j, -fabs(column[i]));
            }
        }
    }
    return KAL_OK;
}

// A negative mass, and two coordinates that share more than they have, are named as such.
static KalStatus check_diagonal(KalMotion *s, double tolerance)
{
    for (int j = 0; j < s->given.n; j++) {
        const double mass = kal_const_column(s->verdict.F, s->given.n, j)[j];
        s->fault_indices[0] = j;
        if (mass < -tolerance) {
            return fail_mass(s, 1, mass);
        }
    }
    return KAL_OK;
}

// Two coordinates whose common mass exceeds the geometric mean of their own.
static KalStatus check_pair(KalMotion *s, int j, int i, double tolerance)
{
    assert(j < i && i < s->given.n);
    const int n = s->given.n;
    const double x = kal_const_column(s->verdict.F, n, j)[j];
    const double y = kal_const_column(s->verdict.F, n, i)[i];
    const double shared = kal_const_column(s->verdict.F, n, j)[i];
    const double most = fmax(x, y) + tolerance;
    const double least = fmin(x, y) + tolerance;
    if (shared * shared <= most * least) {
        return KAL_OK;
    }
    s->fault_indices[0] = j;
    s->fault_indices[1] = i;
    return fail_mass(s, 2, least - shared * shared / most);
}

static KalStatus check_pairs(KalMotion *s, double tolerance)
{
    assert(tolerance >= 0.0);
    KalStatus status = check_diagonal(s, tolerance);
    for (int j = 0; j < s->given.n; j++) {
        for (int i = j + 1; i < s->given.n && status == KAL_OK; i++) {
            status = check_pair(s, j, i, tolerance);
        }
    }
    return status;
}

// M_s = F Fᵀ, F with rank_M columns (theory (3.3)); fails when M is not semi-definite.
static KalStatus factor_mass(KalMotion *s)
{
    KalMotionVerdict *v = &s->verdict;
    const int n = s->given.n;
    const size_t bytes = (size_t)n * sizeof(double);
    const double tolerance = kal_mass_tolerance(n);
    scale_mass(s);
    memcpy(v->F, v->mass, bytes * (size_t)n);
    for (int j = 0; j < n; j++) {
        const double unit = own_unit(s, j);
        kal_column(v->F, n, j)[j] *= unit * unit;
    }
    KAL_TRY(check_pairs(s, tolerance));
    v->rank_M = kal_cholesky_pivoted(n, v->F, tolerance, v->perm);
    assert(v->rank_M >= 0 && v->rank_M <= n);
    KAL_TRY(check_remainder(s, v->rank_M, tolerance));
    for (int j = 0; j < v->rank_M; j++) { // rows back in the given order
        double *column = kal_column(v->F, n, j);
        double *pivoted = s->scratch[0];
        memcpy(pivoted, column, bytes);
        for (int i = 0; i < n; i++) {
            column[v->perm[i]] = pivoted[i] / own_unit(s, v->perm[i]);
        }
    }
    return KAL_OK;
}

// The rank of the constraints, and an orthonormal basis Z of the free directions: the
// columns of U behind those that span the rows (theory (3.4)).
static void factor_rows(KalMotion *s)
{
    KalMotionVerdict *v = &s->verdict;
    s->rows.rows = s->given.n;
    s->rows.columns = s->given.m;
    s->rows.swaps = v->row_swaps;
    kal_qr_factor(&s->rows, s->rank_tolerance, 0);
    v->rank_A = s->rows.rank;
    v->freedom = s->given.n - v->rank_A;
    assert(v->rank_A <= s->given.m && v->freedom >= 0);
    for (int j = 0; j < v->freedom; j++) {
        kal_qr_basis(&s->rows, v->rank_A + j, kal_column(v->Z, s->given.n, j));
    }
}

// G = FᵀZ; with `own` its rows in units of masses that coordinates have for themselves.
static void fill_mobility(KalMotion *s, bool own)
{
    KalMotionVerdict *v = &s->verdict;
    const int n = s->given.n;
    KalQr *G = &v->mobility;
    G->rows = v->rank_M;
    G->columns = v->freedom;
    kal_multiply_transposed((KalMatrix){v->F, n, v->rank_M, n},
                            (KalMatrix){v->Z, n, v->freedom, n},
                            (KalMatrix){G->W, v->rank_M, v->freedom, v->rank_M});
    for (int i = 0; i < v->rank_M && own; i++) {
        const double unit = own_unit(s, v->perm[i]);
        for (int j = 0; j < v->freedom; j++) {
            kal_column(G->W, G->rows, j)[i] *= unit;
        }
    }
}

// Less than the tolerance under the root of twice its kinetic energy is no mass: the
// entries of M are not known so well.  Units of rows do not change what G cannot see.
static int rank_of_mobility(KalMotion *s)
{
    if (s->verdict.rank_M == s->given.n) {
        return s->verdict.freedom; // definite: every direction has mass
    }
    fill_mobility(s, true);
    kal_qr_factor(&s->verdict.mobility, sqrt(kal_mass_tolerance(s->given.n)), 0);
    return s->verdict.mobility.rank;
}

// G P = V S, cut at the rank that was decided in units of masses.
static void factor_mobility(KalMotion *s)
{
    KalMotionVerdict *v = &s->verdict;
    const int rank = rank_of_mobility(s);
    fill_mobility(s, false);
    kal_qr_factor_to_rank(&v->mobility, rank, 0);
    v->excess = v->freedom - v->mobility.rank;
    assert(v->mobility.rank <= v->rank_M && v->excess >= 0);
}

// Column c of the null space of G, in given order: (−S₁⁻¹ S₂ e_c, e_c).
static void null_vector(const KalQr *G, int c, double *scratch, double *x)
{
    assert(c >= 0 && G->rank + c < G->columns);
    memcpy(scratch, kal_const_column(G->W, G->rows, G->rank + c),
           (size_t)G->rank * sizeof *scratch);
    kal_solve_upper(G->rank, G->W, G->rows, scratch);
    memset(x, 0, (size_t)G->columns * sizeof *x);
    for (int j = 0; j < G->rank; j++) {
        x[G->perm[j]] = -scratch[j];
    }
    x[G->perm[G->rank + c]] = 1.0;
}

// Gram–Schmidt of column c against those before it; twice is enough.
static void orthonormalize(int n, double *X, int c)
{
    double *x = kal_column(X, n, c);
    assert(c >= 0 && c < n);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < c; k++) {
            const double *y = kal_const_column(X, n, k);
            kal_axpy(n, -kal_dot(n, x, y), y, x);
        }
        kal_vector_scale(n, 1.0 / sqrt(kal_dot(n, x, x)), x);
    }
}

// An orthonormal basis of null([M_s; A_s]) = Z null(G) (theory (3.5)).
static void find_massless(KalMotion *s)
{
    assert(s->verdict.excess <= s->verdict.freedom);
    KalMotionVerdict *v = &s->verdict;
    const int n = s->given.n;
    const KalMatrix Z = {v->Z, n, v->freedom, n};
    for (int c = 0; c < v->excess; c++) {
        double *x = s->scratch[1];
        null_vector(&v->mobility, c, s->scratch[0], x);
        kal_multiply(Z, (KalMatrix){x, v->freedom, 1, v->freedom},
                     (KalMatrix){kal_column(v->massless, n, c), n, 1, n});
        orthonormalize(n, v->massless, c);
    }
}

// Mark the coordinates that massless directions move; entries that are rounding become
// zero, and so do all of a coordinate that is determined.
static void mark_indeterminate(KalMotion *s)
{
    KalMotionVerdict *v = &s->verdict;
    const int n = s->given.n;
    s->found.marks_clear = false;
    for (int i = 0; i < n; i++) {
        double square = 0.0;
        for (int c = 0; c < v->excess; c++) {
            const double x = kal_column(v->massless, n, c)[i];
            square += x * x;
        }
        s->found.indeterminate[i] = square > DETERMINED * DETERMINED;
        for (int c = 0; c < v->excess; c++) {
            double *x = kal_column(v->massless, n, c) + i;
            const bool rounding = fabs(*x) < 16.0 * DBL_EPSILON * n;
            *x = s->found.indeterminate[i] && !rounding ? *x : 0.0;
        }
    }
}

// Q_s and C_s.
static void scale_vectors(KalMotion *s)
{
    KalMotionVerdict *v = &s->verdict;
    const KalMotionProblem *p = &s->given;
    for (int i = 0; i < p->n; i++) {
        v->force[i] = p->Q[i] * s->metric.d[i];
        v->nonideal[i] = p->C ? p->C[i] * s->metric.d[i] : 0.0;
    }
}

// M first, then A, then the mass of the directions that A leaves free: each factorization
// works with what the one before has found.
KalStatus kal_motion_verdict(KalMotion *s)
{
    assert(s->given.n >= 1 && s->given.n <= s->n_max);
    assert(s->given.m >= 0 && s->given.m <= s->m_max);
    KAL_TRY(kal_motion_scale(s));
    KAL_TRY(factor_mass(s));
    kal_motion_clear_marks(s);
    kal_formulation_keep_rows(s);
    factor_rows(s);
    factor_mobility(s);
    if (s->verdict.excess > 0) {
        find_massless(s);
        mark_indeterminate(s);
    }
    scale_vectors(s);
    return KAL_OK;
}
