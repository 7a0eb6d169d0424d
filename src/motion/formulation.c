// SPDX-License-Identifier: MIT

// Which formulation does what, and where each applies.

#include "linalg/kernels.h"
#include "motion/motion_impl.h"

// The factorization destroys the rows.  Only formulations that the literature writes with A
// itself have a place for them.
void kal_formulation_keep_rows(KalMotion *s)
{
    double *A = s->literal.A;
    if (!A) {
        return;
    }
    for (int i = 0; i < s->given.m; i++) {
        const double *row = kal_column(s->rows.W, s->given.n, i);
        for (int j = 0; j < s->given.n; j++) {
            kal_column(A, s->given.m, j)[i] = row[j];
        }
    }
}

static KalStatus require_definite(KalMotion *s)
{
    if (s->verdict.rank_M == s->given.n) {
        return KAL_OK;
    }
    return kal_fail(
        s->ctx, KAL_ERR_FORMULATION,
        "the formulation \"pseudoinverse\" needs a positive definite M, but M "
        "has rank %d of %d; use \"semidefinite\" or \"default\"",
        s->verdict.rank_M, s->given.n);
}

static KalStatus require_unique(KalMotion *s)
{
    if (s->verdict.excess == 0) {
        return KAL_OK;
    }
    return kal_fail(
        s->ctx, KAL_ERR_FORMULATION,
        "the formulation \"auxiliary\" needs a unique acceleration, but [M; A] "
        "has rank %d of %d; use \"semidefinite\" or \"default\"",
        s->given.n - s->verdict.excess, s->given.n);
}

KalStatus kal_formulation_prepare(KalMotion *s)
{
    switch (s->options.formulation) {
    case KAL_FORMULATION_DEFAULT:
    case KAL_FORMULATION_NULLSPACE: break; // the verdict has all they need
    case KAL_FORMULATION_PSEUDOINVERSE:
        KAL_TRY(require_definite(s));
        kal_definite_prepare(s, s->verdict.mass);
        break;
    case KAL_FORMULATION_SEMIDEFINITE: kal_semidefinite_prepare(s); break;
    case KAL_FORMULATION_AUXILIARY:
        KAL_TRY(require_unique(s));
        kal_auxiliary_prepare(s);
        break;
    case KAL_FORMULATION_LAGRANGE: kal_lagrange_prepare(s); break;
    }
    return KAL_OK;
}

void kal_formulation_accelerate(KalMotion *s, const double *force, const double *b,
                                double *q)
{
    switch (s->options.formulation) {
    case KAL_FORMULATION_DEFAULT:
    case KAL_FORMULATION_NULLSPACE: kal_nullspace_accelerate(s, force, b, q); break;
    case KAL_FORMULATION_PSEUDOINVERSE: kal_definite_accelerate(s, force, b, q); break;
    case KAL_FORMULATION_SEMIDEFINITE:
        kal_semidefinite_accelerate(s, force, b, q);
        break;
    case KAL_FORMULATION_AUXILIARY: kal_auxiliary_accelerate(s, force, b, q); break;
    case KAL_FORMULATION_LAGRANGE: kal_lagrange_accelerate(s, force, b, q); break;
    }
}
