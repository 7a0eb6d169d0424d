// SPDX-License-Identifier: MIT

/// @file
/// Errors of a build, and what stops it.
///
/// Messages as for kal_diagnostics_add().  An error is told once for each place of the
/// text, however often a loop or part comes by; indices of loops are added to it.

#ifndef MODEL_REPORT_IMPL_H
#define MODEL_REPORT_IMPL_H

#include "base/map.h"
#include "model/value_impl.h"

/// What was told, by report.c.
typedef struct KalBuildReport {
    bool muted;    ///< the last error was told before; so are its notes
    size_t errors; ///< how many there were
    KalMap told;
} KalBuildReport;

/// Work that was done, by report.c; there are limits.
typedef struct KalBuildWork {
    size_t steps;
    size_t passes;
    size_t scalars;
} KalBuildWork;

void kal_build_error(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// Reports an error and returns the value that comes of it.
KalValue kal_build_bad(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// Adds to the error or warning before.
void kal_build_note(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);
void kal_build_warn(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// Reports an error and stops the build.
void kal_build_limit(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// A span as messages have it: one in the statement made of an override is one in what the
/// user gave.
KalSpan kal_build_shown(const KalBuild *b, KalSpan span);

/// Stops the build when the status of some call is not KAL_OK; returns whether it is.
bool kal_build_check(KalBuild *b, KalStatus status);

/// Stops the build for want of memory.
void kal_build_no_memory(KalBuild *b);

/// Counts work and looks at the stack; false when that was too much, or the build has
/// stopped.
bool kal_build_step(KalBuild *b, KalSpan span, size_t count);

/// Counts a pass of a loop or sum.
bool kal_build_pass(KalBuild *b, KalSpan span);

/// Counts declared scalars.
bool kal_build_count(KalBuild *b, KalSpan span, size_t count);

/// Reports that the graph refused what `span` asked of it.
KalValue kal_build_graph_failed(KalBuild *b, KalSpan span);

#endif
