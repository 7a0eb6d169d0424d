// SPDX-License-Identifier: MIT

/// @file
/// What elimination.c asks of sparse.c, for instants that are sparse; each does what the function
/// of the same name without `sparse` does for others.

#ifndef VERIFY_ELIMINATION_IMPL_H
#define VERIFY_ELIMINATION_IMPL_H

#include "verify/elimination.h"

/// A row nearer than this to the span of others depends on them.
#define KAL_ELIMINATION_DEPENDENT 1e-6
/// Masses are not taken for less than this part of their mean.
#define KAL_ELIMINATION_LIGHT     1e-3

static inline bool kal_elimination_is_sparse(const KalElimination *e)
{
    return e->instant->large.solver != NULL;
}

/// 0, 1, 2: what active constraint k is about, positions, velocities or accelerations.
int kal_elimination_level(const KalElimination *e, int k);

KAL_CHECKED KalStatus kal_elimination_init_sparse(KalElimination *e);
void kal_elimination_lay_out_sparse(KalElimination *e, KalCarver *carver);
void kal_elimination_clear_sparse(KalElimination *e);
KAL_CHECKED KalStatus kal_elimination_choose_sparse(KalElimination *e);
KAL_CHECKED KalStatus kal_elimination_measure_sparse(KalElimination *e,
                                                     double *out_sine);

/// Factor Lagrange's matrix of the rows chosen.
KAL_CHECKED KalStatus kal_elimination_factor_sparse(KalElimination *e);

/// Solve by its factors: accelerations and negative multipliers come to e->x.
void kal_elimination_solve_sparse(KalElimination *e, const double *top,
                                  const double *bottom);

#endif
