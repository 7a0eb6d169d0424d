// SPDX-License-Identifier: MIT

/// @file
/// Which forms of a model are integrable, given all of them.
///
/// Forms that share no variable, neither by what they are made of nor by what their
/// factors depend on, have nothing to do with each other: each such group has its own
/// closure.  Time alone ties no groups together, theory (10.12).

#ifndef DERIVE_FROBENIUS_H
#define DERIVE_FROBENIUS_H

#include "derive/classify.h"
#include "derive/closure.h"
#include "derive/pfaffian.h"

/// Verdicts on forms.
typedef struct KalFrobenius {
    bool *integrable;      ///< for each form
    KalDecision *decision; ///< for each form
    KalExpr **extras; ///< n_extras rows of n: combinations that are integrable though
                      ///< their forms are not; parameters replaced
    size_t n_extras;
    KalClosureEnd end; ///< what stopped the first group that was given up
} KalFrobenius;

/// Find out.  Vectors come from the arena.
KAL_CHECKED KalStatus kal_frobenius_find(const KalModel *model,
                                         const KalPfaffian *forms, KalArena *arena,
                                         KalFrobenius *out_verdicts);

#endif
