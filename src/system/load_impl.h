// SPDX-License-Identifier: MIT

/// @file
/// What the files that make a system share.

#ifndef SYSTEM_LOAD_IMPL_H
#define SYSTEM_LOAD_IMPL_H

#include "system/system.h"

/// Tell whoever wants to know that a phase of loading begins.
void kal_load_enter(const KalLoadOptions *options, KalLoadPhase phase);

/// Derive the equations of the system's model and compile all programs.
KAL_CHECKED KalStatus kal_system_compile_model(KalSystem *system,
                                               const KalLoadOptions *options);

#endif
