// SPDX-License-Identifier: MIT

// Lagrange's form: [M −Aᵀ; A 0] [q''; λ] = [f; b].  For A it takes the orthonormal rows
// U₁ᵀ that say the same as the given ones, U₁ᵀ q'' = z: with nearly dependent rows the
// system would lose twice their digits.  Its rank is rank [M; A] + rank A, so a pivoted
// factorization cut there solves it under any redundancy (theory (7.4)).

#include "linalg/kernels.h"
#include "linalg/triangular.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

// The matrix [M −Uᵀ; U 0] with the orthonormal rows U, column after column, and its
// factors, cut at the rank that the verdict has found (theory (7.4)).
void kal_lagrange_prepare(KalMotion *s)
{
    const KalMotionVerdict *v = &s->verdict;
    KalQr *kkt = &s->literal.kkt;
    const int n = s->given.n;
    const int k = v->rank_A;
    assert(k <= n && v->excess <= v->freedom);
    kkt->rows = n + k;
    kkt->columns = n + k;
    memset(kkt->W, 0, (size_t)(n + k) * (size_t)(n + k) * sizeof *kkt->W);
    for (int j = 0; j < n; j++) {
        memcpy(kal_column(kkt->W, n + k, j), kal_const_column(v->mass, n, j),
               (size_t)n * sizeof *kkt->W);
    }
    for (int i = 0; i < k; i++) {
        double *row = s->literal.vector[0];
        double *column = kal_column(kkt->W, n + k, n + i);
        kal_qr_basis(&s->rows, i, row);
        for (int j = 0; j < n; j++) {
            kal_column(kkt->W, n + k, j)[n + i] = row[j];
            column[j] = -row[j];
        }
    }
    kal_qr_factor_to_rank(kkt, n - v->excess + k, 0);
    assert(kkt->rank <= kkt->columns);
}

// Solve with the factored system; the unknowns behind place n are multipliers of the
// orthonormal rows, which nobody needs: those of the given rows follow from q''.
void kal_lagrange_accelerate(KalMotion *s, const double *force, const double *b,
                             double *q)
{
    assert(s->literal.kkt.rows == s->given.n + s->verdict.rank_A);
    const KalQr *kkt = &s->literal.kkt;
    const int n = s->given.n;
    double *x = s->literal.vector[0];
    memcpy(x, force, (size_t)n * sizeof *x);
    kal_motion_fixed_part(s, b, x + n);
    kal_qr_apply_transposed(kkt, x);
    kal_solve_upper(kkt->rank, kkt->W, kkt->rows, x);
    memset(q, 0, (size_t)n * sizeof *q);
    for (int j = 0; j < kkt->rank; j++) {
        if (kkt->perm[j] < n) {
            q[kkt->perm[j]] = x[j];
        }
    }
}
