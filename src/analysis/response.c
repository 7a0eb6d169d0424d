// SPDX-License-Identifier: MIT

// The answer of accelerations and multipliers to small changes: the equations of motion with
// other right-hand sides, factored once (theory (17.2)).
//
// The null-space method by QR: rows of A, scaled by roots of masses and to length 1, are
// U T; in the coordinates Uᵀa the rows determine the first entries, and the lower corner of
// UᵀMU, positive definite where accelerations are unique, gives the others.

#include "analysis/response.h"

#include "linalg/cholesky.h"
#include "linalg/kernels.h"
#include "linalg/triangular.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double *take(KalArena *arena, size_t count)
{
    return (double *)kal_arena_alloc(arena, count, sizeof(double));
}

KalStatus kal_responder_init(KalResponder *r, KalContext *ctx, KalArena *arena, int n,
                             int m)
{
    const size_t k = (size_t)n;
    const size_t rows = (size_t)m;
    *r = (KalResponder){.n = n};
    r->roots = take(arena, k);
    r->lengths = take(arena, rows);
    r->M = take(arena, k * k);
    r->free = take(arena, k * k);
    r->inverse = take(arena, k);
    r->a = take(arena, k);
    r->f = take(arena, k);
    r->qr.W = take(arena, k * rows);
    r->qr.tau = take(arena, rows);
    r->qr.norms = take(arena, 2 * rows);
    r->qr.perm = (int *)kal_arena_alloc(arena, rows, sizeof(int));
    return r->roots && r->lengths && r->M && r->free && r->inverse && r->a && r->f
                   && r->qr.W && r->qr.tau && r->qr.norms && r->qr.perm
               ? KAL_OK
               : kal_no_memory(ctx, "for derivatives");
}

// A in natural units: the columns of qr.W.
static void factor_rows(KalResponder *r, const double *A)
{
    const int n = r->n;
    for (int k = 0; k < r->rows; k++) {
        double *column = kal_column(r->qr.W, n, k);
        for (int j = 0; j < n; j++) {
            column[j] = A[k * n + j] / r->roots[j];
        }
        r->lengths[k] = sqrt(kal_dot(n, column, column));
        assert(r->lengths[k] > 0.0); // it is independent of the others
        kal_vector_scale(n, 1.0 / r->lengths[k], column);
    }
    r->qr.rows = n;
    r->qr.columns = r->rows;
    kal_qr_factor_to_rank(&r->qr, r->rows, 0);
}

// Uᵀ M U, of which the last rows and columns are those of the free directions.
static void turn_mass(KalResponder *r)
{
    const int n = r->n;
    memcpy(r->free, r->M, (size_t)n * (size_t)n * sizeof(double));
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < n; j++) {
            kal_qr_apply_transposed(&r->qr, kal_column(r->free, n, j));
        }
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < j; i++) {
                const double keep = r->free[j * n + i];
                r->free[j * n + i] = r->free[i * n + j];
                r->free[i * n + j] = keep;
            }
        }
    }
}

// In units of the masses the rows are factored; the mass matrix is turned into their
// basis, and its block of free directions gets a Cholesky factor. Columns of the
// derivative then cost two substitutions each.
bool kal_responder_factor(KalResponder *r, const double *M, const double *A, int rows,
                          const double *masses)
{
    assert(0 <= rows && rows <= r->n && masses);
    const int n = r->n;
    const int left = n - rows;
    r->rows = rows;
    for (int i = 0; i < n; i++) {
        r->roots[i] = sqrt(masses[i]);
    }
    for (int i = 0; i < n * n; i++) {
        r->M[i] = M[i] / (r->roots[i / n] * r->roots[i % n]);
    }
    factor_rows(r, A);
    turn_mass(r);
    for (int j = 0; j < left; j++) {
        memmove(r->free + (size_t)j * (size_t)left,
                kal_column(r->free, n, rows + j) + rows, (size_t)left * sizeof(double));
    }
    assert(left >= 0 && r->qr.rank == rows);
    return left == 0 || kal_cholesky(left, r->free, r->inverse) > 0.0;
}

// x ← F − M x, scaled.
static void subtract_inertia(const KalResponder *r, const double *force,
                             const double *a, double *out)
{
    const int n = r->n;
    for (int i = 0; i < n; i++) {
        out[i] = force[i] / r->roots[i] - kal_dot(n, kal_const_column(r->M, n, i), a);
    }
}

void kal_responder_solve(KalResponder *r, const double *force, const double *b,
                         double *out_a, double *out_l)
{
    const int n = r->n;
    const int rows = r->rows;
    // What the rows determine.
    memset(r->a, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < rows; k++) {
        r->a[k] = b[r->qr.perm[k]] / r->lengths[r->qr.perm[k]];
    }
    kal_solve_upper_transposed(rows, r->qr.W, n, r->a);
    memcpy(out_a, r->a, (size_t)n * sizeof(double));
    kal_qr_apply(&r->qr, out_a);
    // What forces do in the free directions.
    subtract_inertia(r, force, out_a, r->f);
    kal_qr_apply_transposed(&r->qr, r->f);
    if (rows < n) {
        kal_solve_lower(n - rows, r->free, r->inverse, 1, r->f + rows);
        kal_solve_lower_transposed(n - rows, r->free, r->inverse, r->f + rows);
        memcpy(r->a + rows, r->f + rows, (size_t)(n - rows) * sizeof(double));
    }
    kal_qr_apply(&r->qr, r->a);
    // The multipliers make up for the rest.
    subtract_inertia(r, force, r->a, r->f);
    kal_qr_apply_transposed(&r->qr, r->f);
    kal_solve_upper(rows, r->qr.W, n, r->f);
    for (int k = 0; k < rows; k++) {
        out_l[r->qr.perm[k]] = -r->f[k] / r->lengths[r->qr.perm[k]];
    }
    for (int i = 0; i < n; i++) {
        out_a[i] = r->a[i] / r->roots[i];
    }
}
