// SPDX-License-Identifier: MIT

/// @file
/// Accelerations, multipliers and constraint forces as formulas, for small systems.

#ifndef CLOSED_CLOSED_H
#define CLOSED_CLOSED_H

#include "closed/sheet.h"

/// What became of a closed form.
typedef enum KalClosedVerdict {
    KAL_CLOSED_DONE,
    KAL_CLOSED_TOO_LARGE,  ///< too many unknowns or terms
    KAL_CLOSED_NOT_UNIQUE, ///< the accelerations are not determined
    KAL_CLOSED_BRANCHES,   ///< branches of A may differ in rank
    KAL_CLOSED_WAITING,    ///< a constraint does not act at the start
    KAL_CLOSED_SERVOS,     ///< there are servos, whose control is not solved for
    KAL_CLOSED_UNCHECKED,  ///< no state was found at which the formulas hold
    KAL_CLOSED_CONTACTS    ///< what acts changes by itself
} KalClosedVerdict;

typedef enum KalResultKind {
    KAL_RESULT_ACCELERATION, ///< of a coordinate
    KAL_RESULT_REACTION,     ///< multiplier of a constraint
    KAL_RESULT_FORCE,        ///< ideal constraint force on a coordinate
    KAL_RESULT_NONIDEAL      ///< non-ideal part of it
} KalResultKind;

typedef struct KalResult {
    KalResultKind kind;
    size_t index;  ///< coordinate or constraint
    KalExpr value; ///< in the sheet's graph
    KalExpr on;    ///< what it is on the constraints, where that is shorter
} KalResult;

/// A closed form.  Zeroed is empty.
typedef struct KalClosed {
    KalContext *ctx;
    KalClosedVerdict verdict;
    size_t n_results;
    KalResult *results; ///< by kind
    bool dependent;     ///< rows of A depend on each other
    bool has_reactions; ///< else they are not unique, and those of least norm too long
} KalClosed;

/// Solve the equations of a sheet.  With `named`, roots and denominators that occur often
/// get names in the sheet.  The caller clears the closed form.  KAL_ERR_NOMEM; what else
/// may happen is in the verdict.
KAL_CHECKED KalStatus kal_closed_solve(KalSheet *sheet, bool named,
                                       KalClosed *out_closed);

void kal_closed_clear(KalClosed *closed);

#endif
