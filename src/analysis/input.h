// SPDX-License-Identifier: MIT

/// @file
/// The inputs of a linearization: actuators and parameters.

#ifndef ANALYSIS_INPUT_H
#define ANALYSIS_INPUT_H

#include "expr/diff.h"
#include "system/system.h"

/// One input: how all symbols of the model change with it.
typedef struct KalInput {
    const char *name;
    KalRates rates; ///< in the arena
} KalInput;

typedef struct KalInputs {
    KalInput *list; ///< in the arena
    const char **names;
    int count;
} KalInputs;

/// Find the inputs that a text names, `u, m`; NULL: all actuators.  A parameter takes
/// those along whose values follow it, unless they were overridden.  KAL_ERR_USAGE when a
/// name is none, or is of a parameter on which the structure depends.
KAL_CHECKED KalStatus kal_inputs_find(const KalSystem *system, KalArena *arena,
                                      const char *text, KalInputs *out_inputs);

#endif
