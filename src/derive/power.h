// SPDX-License-Identifier: MIT

/// @file
/// The powers that change the energy of a model, as formulas: theory (16.3).
///
/// What constraints and control contribute is not among them: it takes forces that are
/// known only once an instant was solved.

#ifndef DERIVE_POWER_H
#define DERIVE_POWER_H

#include "derive/equations.h"

/// Why the energy changes.
typedef enum KalPowerTerm {
    KAL_POWER_FORCES,      ///< forces, but those of laws, and `power` statements: F·q'
    KAL_POWER_DISSIPATION, ///< −∂D/∂q'·q'
    KAL_POWER_TIME,        ///< ∂V/∂t − ∂T/∂t
    KAL_POWER_MASSES,      ///< −q'·M q'' of the masses given directly
    KAL_POWER_EXCESS, ///< no power: G = 2T − ∂T/∂q'·q', whose change counts as one
    KAL_POWER_TERMS   ///< how many there are
} KalPowerTerm;

/// The formulas, of time, parameters, coordinates, velocities and accelerations; what is
/// zero for all states is the number 0.
typedef struct KalPowers {
    KalExpr term[KAL_POWER_TERMS];
} KalPowers;

/// Derive them.  Statuses as of kal_graph_status().
KAL_CHECKED KalStatus kal_powers_derive(const KalEquations *equations,
                                        KalPowers *out_powers);

#endif
