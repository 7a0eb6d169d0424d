// SPDX-License-Identifier: MIT

/// @file
/// Constraints as differential forms Σ W_j dq_j + w₀ dt, theory (10.8).
///
/// Constraints on positions give their differentials, constraints on velocities that are
/// linear in them the forms that they are.  For questions of integrability parameters are
/// replaced by their values where these are exact, and coordinates that a constraint
/// gives in terms of others by what it gives.

#ifndef DERIVE_PFAFFIAN_H
#define DERIVE_PFAFFIAN_H

#include "derive/equations.h"

/// The forms of a model.
typedef struct KalPfaffian {
    size_t count;
    size_t *constraint; ///< count: which constraint each form is
    KalSparse W;        ///< count × (n + 1), time last; as typed
    KalExpr *value;     ///< by entry of W: the same with parameters and coordinates
                        ///< replaced; KAL_NO_EXPR for what is zero then
} KalPfaffian;

/// Make forms of the constraints that `use` marks; they are on positions, or on velocities
/// and linear in them.  A mark is cleared if a constraint has no value at rest.  Vectors
/// come from the arena; the caller clears W.
KAL_CHECKED KalStatus kal_pfaffian_init(const KalEquations *eq, KalArena *arena,
                                        bool *use, KalPfaffian *out_pfaffian);

#endif
