// SPDX-License-Identifier: MIT

/// @file
/// Values of parameters and coordinates that replace those of the text.

#ifndef MODEL_OVERRIDE_IMPL_H
#define MODEL_OVERRIDE_IMPL_H

#include "base/map.h"
#include "model/target_impl.h"

/// An override, ready for use.
typedef struct KalReplacement {
    const KalSource *shown;  ///< what errors point to: name=value as it was given
    const KalSource *parsed; ///< a statement that holds it, `offset` bytes further on
    uint32_t offset;
    KalTree *tree;
    const KalNode *assignment;
    bool used;
} KalReplacement;

/// All of them, by override.c.
typedef struct KalOverrides {
    KalReplacement *list;
    KalMap names; ///< atom → 1 + place
} KalOverrides;

KAL_CHECKED KalStatus kal_build_init_overrides(KalBuild *b);
void kal_build_clear_overrides(KalBuild *b);

/// The assignment whose value is to replace that of a name, or NULL.
const KalNode *kal_build_find_override(KalBuild *b, const KalNameText *name);

/// Evaluates its value, with the unit that it may have.
KalValue kal_build_eval_override(KalBuild *b, const KalNode *assignment);

/// Reports overrides that nothing asked for.
void kal_build_check_overrides(KalBuild *b);

#endif
