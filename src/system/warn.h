// SPDX-License-Identifier: MIT

/// @file
/// What looks wrong in the equations of a model without being an error.

#ifndef SYSTEM_WARN_H
#define SYSTEM_WARN_H

#include "derive/equations.h"

/// Warn of coordinates that have neither inertia nor a constraint and of constraints that
/// never act.
KAL_CHECKED KalStatus kal_system_warn(const KalEquations *equations,
                                      KalDiagnostics *diagnostics);

/// Whether constraint i is off and no event engages it.
bool kal_constraint_stays_off(const KalModel *model, size_t i);

#endif
