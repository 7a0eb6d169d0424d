// SPDX-License-Identifier: MIT

/// @file
/// What the files of the derivation share.

#ifndef DERIVE_DERIVE_IMPL_H
#define DERIVE_DERIVE_IMPL_H

#include "derive/equations.h"

/// A derivation on its way.  Pieces of `scratch` end with its part: motion, constraints or
/// control.
typedef struct KalDerivation {
    const KalModel *model;
    KalGraph *g;
    KalContext *ctx;
    KalDiagnostics *diagnostics;
    KalArena *scratch;
    KalEquations *eq;
    KalExpr *q;               ///< n: coordinates
    KalExpr *v;               ///< n: velocities
    KalExpr *a;               ///< n: accelerations
    KalRates drift;           ///< time passes while velocities stay: q → q', t → 1
    uint32_t first;           ///< formulas from here on are those of the derivation
    KalExpr motive;           ///< T less what of V has velocities in it
    KalExpr static_potential; ///< what of V has none
} KalDerivation;

/// A condition residual = 0, of a constraint or a servo.
typedef struct KalRow {
    const char *name;
    KalSpan span;
    KalExpr residual;
    KalConstraintLevel level;
} KalRow;

/// Conditions at acceleration level, A q'' = b, with their residuals at velocity level.
typedef struct KalRowSet {
    KalSparse A;
    KalExpr *b;
    KalExpr *psi; ///< KAL_NO_EXPR for rows of acceleration level
} KalRowSet;

/// m formulas, all KAL_NO_EXPR, that live as long as the equations.
KAL_CHECKED KalStatus kal_derivation_vector(const KalDerivation *d, size_t m,
                                            KalExpr **out_vector);

/// The same for as long as the part of the derivation.
KAL_CHECKED KalStatus kal_derivation_scratch(const KalDerivation *d, size_t m,
                                             KalExpr **out_vector);

/// Σ rate × ∂e/∂symbol along the drift, theory (9.13).
KAL_CHECKED KalStatus kal_derivation_drift(const KalDerivation *d, const KalExpr *e,
                                           size_t n, KalExpr *out_rates);

/// Bring m conditions to acceleration level.  Faults are added to the diagnostics.  On
/// failure out_rows->A may be filled; the caller clears it.
KAL_CHECKED KalStatus kal_derive_rows(const KalDerivation *d, const KalRow *rows,
                                      size_t m, KalRowSet *out_rows);

/// The impressed forces F, theory (9.14); v are the velocities.
KAL_CHECKED KalStatus kal_forces_derive(const KalModel *model, const KalExpr *v,
                                        KalExpr *out_F);

/// The inertial forces ∂K/∂q − p°, where p° is the drift of the momenta ∂K/∂q' and K the
/// motive part of the Lagrangian: theory (9.23).
KAL_CHECKED KalStatus kal_inertia_derive(const KalDerivation *d, KalExpr *out_inertia);

/// M, Q and C.
KAL_CHECKED KalStatus kal_derive_motion(KalDerivation *d);

/// A, b and what belongs to them.
KAL_CHECKED KalStatus kal_derive_constraints(KalDerivation *d);

/// Servos and actuators.
KAL_CHECKED KalStatus kal_derive_control(KalDerivation *d);

#endif
