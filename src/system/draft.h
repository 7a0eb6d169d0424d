// SPDX-License-Identifier: MIT

/// @file
/// A draft: a compiled system whose formulas can be worked with.
///
/// A system never changes, and to derive from formulas, to simplify and even to walk
/// through them takes a graph that does.  A draft is the same system around a fork of the
/// graph, in the context of whoever asks: names, numbers and programs are those of the
/// system, which has to live longer, and formulas that are added stay in the draft.  So
/// any number of threads may draft from one system at a time.

#ifndef SYSTEM_DRAFT_H
#define SYSTEM_DRAFT_H

#include "system/system.h"

/// Zeroed is none.  A draft has pointers into itself: it stays where it was made.
typedef struct KalDraft {
    KalModel *model;        ///< a fork
    KalEquations equations; ///< of it
    KalSystem system;       ///< of these
} KalDraft;

/// Make a draft.  The caller clears it, whatever the answer.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_draft_init(KalDraft *draft, KalContext *ctx,
                                     const KalSystem *system);

/// Free what a draft holds of its own.
void kal_draft_clear(KalDraft *draft);

#endif
