// SPDX-License-Identifier: MIT

/// @file
/// Coordinates and velocities as the constraints leave them.
///
/// Where a constraint is linear in a coordinate or velocity, with a number as its factor, it
/// can be solved for it.  What is a formula of the others then takes its place, such as 0
/// for the velocity of a coordinate that is held: theory (10.17).

#ifndef DERIVE_ALLOWED_H
#define DERIVE_ALLOWED_H

#include "derive/equations.h"
#include "expr/substitute.h"

/// What replaces what.
typedef struct KalAllowed {
    KalContext *ctx;
    KalExpr *from; ///< n of `room`
    KalExpr *to;   ///< n: without any of `from`
    size_t n;
    size_t room;
    bool complete; ///< no constraint is left that restricts anything
} KalAllowed;

/// Solve the constraints, those that events release or engage left aside.  The caller
/// clears the result, whatever the answer.  Statuses: as of kal_graph_status().
KAL_CHECKED KalStatus kal_allowed_init(KalAllowed *allowed, const KalEquations *eq);

/// Replace in a formula.
KAL_CHECKED KalStatus kal_allowed_put(const KalAllowed *allowed, KalGraph *g,
                                      KalExpr *e);

/// Free what it holds.
void kal_allowed_clear(KalAllowed *allowed);

#endif
