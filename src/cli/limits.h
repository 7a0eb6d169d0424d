// SPDX-License-Identifier: MIT

/// @file
/// Limits of the work that a server does for one change of a text.

#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "command.h"

/// The options of these limits.
#define KAL_LIMIT_OPTIONS                                                            \
    {"--seconds", "S", "of computing for one change; otherwise 60", false},          \
    {                                                                                \
        "--memory", "MIB", "of memory for one change, in mebibytes; otherwise 2048", \
            false                                                                    \
    }

/// Read them, where they are given: `texts` begins with those of the options.  False after a
/// message.
bool kal_limits_read(const char *const *texts, int *seconds, int *megabytes);

/// A whole number from 1 to `most`; left as it is where `text` is NULL.  False after a message.
bool kal_option_positive(const KalCommandOption *option, const char *text, double most,
                         int *value);

#endif
