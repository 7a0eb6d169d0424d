// SPDX-License-Identifier: MIT

// The null-space form: q = q_p + Z y, where q_p satisfies the constraints, Z spans the
// free directions and y balances the forces along them, ZᵀMZ y = Zᵀ(f − M q_p).  With
// G = FᵀZ, G P = V S, the inertia of q_p enters through V and not through ZᵀMZ, so that
// the square of G's condition never appears there (theory (7.5)).

#include "linalg/kernels.h"
#include "linalg/triangular.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

// t −= the first entries of VᵀFᵀq.
static void subtract_inertia(KalMotion *s, const double *q, double *t)
{
    assert(s->verdict.rank_M >= 0 && s->verdict.rank_M <= s->given.n);
    const KalMotionVerdict *v = &s->verdict;
    double *w = s->scratch[1];
    for (int j = 0; j < v->rank_M; j++) {
        w[j] = kal_dot(s->given.n, kal_const_column(v->F, s->given.n, j), q);
    }
    kal_qr_apply_transposed(&v->mobility, w);
    kal_axpy(v->mobility.rank, -1.0, w, t);
}

void kal_nullspace_accelerate(KalMotion *s, const double *force, const double *b,
                              double *q)
{
    const KalMotionVerdict *v = &s->verdict;
    const KalQr *G = &v->mobility;
    const int n = s->given.n;
    assert(G->rank <= G->columns && G->columns == v->freedom);
    assert(force != s->scratch[0] && force != s->scratch[1] && force != q);
    double *t = s->scratch[0];
    for (int j = 0; j < G->rank; j++) {
        t[j] = kal_dot(n, kal_const_column(v->Z, n, G->perm[j]), force);
    }
    kal_solve_upper_transposed(G->rank, G->W, G->rows, t);
    // t = S₁⁻ᵀ of the forces along the free directions; q = q_p, which satisfies A q = b.
    memset(q, 0, (size_t)n * sizeof *q);
    kal_motion_fixed_part(s, b, q);
    kal_qr_apply(&s->rows, q);
    // Then t = S₁⁻¹ (t − VᵀFᵀq_p) are the free components, and q = q_p + Z t.
    subtract_inertia(s, q, t);
    kal_solve_upper(G->rank, G->W, G->rows, t);
    for (int j = 0; j < G->rank; j++) {
        kal_axpy(n, t[j], kal_const_column(v->Z, n, G->perm[j]), q);
    }
}
