// SPDX-License-Identifier: MIT

/// @file
/// Where results go, and what the commands that solve an instant say besides.

#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <kalaba/kalaba.h>

/// Standard output as a sink.
extern const KalSink kal_standard_output;

/// Whether standard output is a terminal that may be shown colors.
bool kal_wants_color(void);

/// Warn on standard error that an acceleration is not unique, and of what.
void kal_warn_not_unique(const KalMotionAnswer *answer, const char *const *coordinates);

/// Warn on standard error that a state that was asked for is off the constraints, and how
/// far.
void kal_warn_off(const KalMisfit *misfit);

#endif
