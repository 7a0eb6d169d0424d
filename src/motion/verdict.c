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

#include <float.h>
#include <math.h>
#include <string.h>

// A coordinate is determined when all massless free directions of length 1 move it by
// less than this.
static const double DETERMINED = 1e-8;

static KalStatus fail_mass(KalMotion *s, int count, double value)
{
    s->fault = (KalMotionFault){count, s->fault_indices, false, value};
    const KalNames names = kal_motion_names(s, false, s->fault_indices, count);
    return kal_fail(s->ctx, KAL_ERR_MASS,
                    "M is not positive semi-definite: moving %s can give a negative "
                    "kinetic energy (%g in scaled units)",
                    names.text, value);
}

// Fill M_s; refuse a negative diagonal and a zero one with anything beside it.
static KalStatus scale_mass(KalMotion *s)
{
    const int n = s->given.n;
    const double *M = s->given.M;
    for (int j = 0; j < n; j++) {
        const double *column = M + (size_t)j * (size_t)n;
        double *out = kal_column(s->verdict.mass, n, j);
        s->fault_indices[0] = j;
        if (column[j] < 0.0) {
            return fail_mass(s, 1, column[j]);
        }
        for (int i = 0; i < n; i++) {
            out[i] = column[i] * s->d[i] * s->d[j];
            if (column[j] == 0.0 && column[i] != 0.0) {
                s->fault_indices[0] = i < j ? i : j;
                s->fault_indices[1] = i < j ? j : i;
                return fail_mass(s, 2, -fabs(out[i]));
            }
        }
    }
    return KAL_OK;
}

// Name the coordinates of the direction in which the entry (p, p) of what remained after
// `rank` pivots is negative: e_p less what the pivots explain.
static KalStatus fail_indefinite(KalMotion *s, int rank, int p, double value)
{
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

static KalStatus factor_mass(KalMotion *s)
{
    KalVerdict *v = &s->verdict;
    const int n = s->given.n;
    const size_t bytes = (size_t)n * sizeof(double);
    const double tolerance = kal_mass_tolerance(n);
    KAL_TRY(scale_mass(s));
    memcpy(v->F, v->mass, bytes * (size_t)n);
    v->rank_M = kal_cholesky_pivoted(n, v->F, tolerance, v->perm);
    KAL_TRY(check_remainder(s, v->rank_M, tolerance));
    for (int j = 0; j < v->rank_M; j++) { // rows back in the given order
        double *column = kal_column(v->F, n, j);
        double *pivoted = s->scratch[0];
        memcpy(pivoted, column, bytes);
        for (int i = 0; i < n; i++) {
            column[v->perm[i]] = pivoted[i];
        }
    }
    return KAL_OK;
}

static void factor_rows(KalMotion *s)
{
    KalVerdict *v = &s->verdict;
    s->rows.rows = s->given.n;
    s->rows.columns = s->given.m;
    s->rows.swaps = v->row_swaps;
    kal_qr_factor(&s->rows, s->rank_tolerance, 0);
    v->rank_A = s->rows.rank;
    v->freedom = s->given.n - v->rank_A;
    for (int j = 0; j < v->freedom; j++) {
        kal_qr_basis(&s->rows, v->rank_A + j, kal_column(v->Z, s->given.n, j));
    }
}

static void factor_mobility(KalMotion *s)
{
    KalVerdict *v = &s->verdict;
    const int n = s->given.n;
    KalQr *G = &v->mobility;
    G->rows = v->rank_M;
    G->columns = v->freedom;
    kal_multiply_transposed((KalMatrix){v->F, n, v->rank_M, n},
                            (KalMatrix){v->Z, n, v->freedom, n},
                            (KalMatrix){G->W, v->rank_M, v->freedom, v->rank_M});
    if (v->rank_M == n) {
        kal_qr_factor_to_rank(G, v->freedom, 0); // definite: every direction has mass
    } else {
        // Less than this under the root of twice its kinetic energy is no mass: the
        // entries of M are not known so well.
        kal_qr_factor(G, sqrt(kal_mass_tolerance(n)), 0);
    }
    v->excess = v->freedom - G->rank;
}

// Column c of the null space of G, in given order: (−S₁⁻¹ S₂ e_c, e_c).
static void null_vector(const KalQr *G, int c, double *scratch, double *x)
{
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
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < c; k++) {
            const double *y = kal_const_column(X, n, k);
            kal_axpy(n, -kal_dot(n, x, y), y, x);
        }
        kal_scale(n, 1.0 / sqrt(kal_dot(n, x, x)), x);
    }
}

static void find_massless(KalMotion *s)
{
    KalVerdict *v = &s->verdict;
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
    KalVerdict *v = &s->verdict;
    const int n = s->given.n;
    s->marks_clear = false;
    for (int i = 0; i < n; i++) {
        double square = 0.0;
        for (int c = 0; c < v->excess; c++) {
            const double x = kal_column(v->massless, n, c)[i];
            square += x * x;
        }
        s->indeterminate[i] = square > DETERMINED * DETERMINED;
        for (int c = 0; c < v->excess; c++) {
            double *x = kal_column(v->massless, n, c) + i;
            const bool rounding = fabs(*x) < 16.0 * DBL_EPSILON * n;
            *x = s->indeterminate[i] && !rounding ? *x : 0.0;
        }
    }
}

static void scale_vectors(KalMotion *s)
{
    KalVerdict *v = &s->verdict;
    const KalMotionProblem *p = &s->given;
    for (int i = 0; i < p->n; i++) {
        v->force[i] = p->Q[i] * s->d[i];
        v->nonideal[i] = p->C ? p->C[i] * s->d[i] : 0.0;
    }
}

KalStatus kal_motion_verdict(KalMotion *s)
{
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
