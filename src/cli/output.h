// SPDX-License-Identifier: MIT

/// @file
/// Where results go, and what the commands that solve an instant say besides.

#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <kalaba/kalaba.h>

/// Standard output as a sink.
extern const KalSink kal_standard_output;

/// Whether a path of `-o` means standard output.
bool kal_is_standard_output(const char *path);

/// Write a table to a path of `-o`; standard output gets it as CSV.  `options` may be NULL.
KAL_CHECKED KalStatus kal_table_deliver(const KalTable *table, const char *path,
                                        const KalTableWriteOptions *options);

/// Refuse `-o -` with --json: both would go to standard output.  False after a message.
bool kal_standard_output_is_free(const char *path, bool json);

/// Whether standard output is a terminal that may be shown colors.
bool kal_wants_color(void);

/// Warn on standard error that an acceleration is not unique, and of what.
void kal_warn_not_unique(const KalMotionAnswer *answer, const char *const *coordinates);

/// Warn on standard error that a state that was asked for is off the constraints, and how
/// far.
void kal_warn_off(const KalMisfit *misfit);

#endif
