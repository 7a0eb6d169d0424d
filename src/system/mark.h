// SPDX-License-Identifier: MIT

/// @file
/// Where outputs change their pieces or have narrow peaks: theory (15.26).
///
/// Outputs do not make the motion, so no step ends for them.  But whoever asks for the largest
/// value of an output, or for its mean, has to know where it changes between two looks.

#ifndef SYSTEM_MARK_H
#define SYSTEM_MARK_H

#include "system/system.h"

/// Find the functions whose zeros are such places: switching functions of outputs, operands of
/// their even powers and cosh, and what the motion meets pulses at; those with accelerations,
/// forces or the energy in them in a list of their own.
KAL_CHECKED KalStatus kal_system_find_marks(KalSystem *system);

#endif
