// SPDX-License-Identifier: MIT

/// @file
/// What modules that show an analysis see of it, beyond its public header.

#ifndef ANALYSIS_VIEW_H
#define ANALYSIS_VIEW_H

#include "system/instant.h"

#include <kalaba/analysis.h>

/// Holds until the analysis goes on to another state.
typedef struct KalAnalysisView {
    KalContext *ctx;
    const KalSystem *system;
    KalInstant *instant;      ///< the present state
    const char *const *names; ///< 2n: of coordinates and velocities
    const char *kink; ///< of the equations, in the last state looked at, or NULL
} KalAnalysisView;

/// All NULL for NULL.
KalAnalysisView kal_analysis_view(const KalAnalysis *analysis);

#endif
