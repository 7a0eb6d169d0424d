// SPDX-License-Identifier: MIT

/// @file
/// Contradictions that rounding explains, theory (9.25).
///
/// A constraint and a multiple of it have right-hand sides that differ by what rounding
/// leaves of the constraint.  Redundant constraints must agree no better than that.

#ifndef SYSTEM_WAVER_H
#define SYSTEM_WAVER_H

#include "system/system.h"

#include <kalaba/system.h>

/// A workspace.
typedef struct KalWaver {
    double *block;
    size_t block_size;
    double *state;  ///< 2 n + 1: t, q, q' as they are
    double *b;      ///< m: right-hand sides in that state
    double *spread; ///< m: how far they move with rounding of the state
    double *few_A;  ///< m × n: rows that decide, zeros for the others; if dense
    double *few_b;  ///< m
} KalWaver;

/// Make a workspace, for dense instants or sparse ones.  The caller clears it, whatever
/// the answer.
KAL_CHECKED KalStatus kal_waver_init(KalWaver *waver, KalContext *ctx,
                                     const KalSystem *system, bool dense);

void kal_waver_clear(KalWaver *waver, KalContext *ctx);

/// Find how far right-hand sides move with rounding of the state.  Fails where formulas
/// have no value close by.
KAL_CHECKED KalStatus kal_waver_measure(KalWaver *waver, KalInstant *instant);

/// Of the rows to blame, the one that moves most, or −1 if they miss each other by more
/// than rounding explains.
int kal_waver_most_unsure(const KalInstant *instant, const KalMotionFault *fault);

/// After a solve of `problem`, the instant's, has found a contradiction: where rounding
/// explains it, change b so that the rows agree.  Otherwise nothing changes.
KAL_CHECKED KalStatus kal_waver_settle(KalInstant *instant,
                                       const KalMotionProblem *problem);

#endif
