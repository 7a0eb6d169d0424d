// SPDX-License-Identifier: MIT

/// @file
/// Kinks and jumps of the equations in the state of a linearization.

#ifndef ANALYSIS_KINK_H
#define ANALYSIS_KINK_H

#include "analysis/analysis_impl.h"

/// Find where the equations and outputs are made of pieces.  The caller clears it, whatever
/// the answer.
KAL_CHECKED KalStatus kal_kinks_init(KalKinks *kinks, KalAnalysis *analysis);

void kal_kinks_clear(KalKinks *kinks);

#endif
