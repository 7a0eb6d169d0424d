// SPDX-License-Identifier: MIT

/// @file
/// The options that say how runs go: those of every command that simulates.

#ifndef CLI_WISHES_H
#define CLI_WISHES_H

#include <kalaba/kalaba.h>

/// Values of options; NULL: not given.
typedef struct KalRunWishes {
    const char *until;
    const char *tolerance;
    const char *method;
    const char *drift;
    const char *max_steps;
} KalRunWishes;

/// Change what a model asks for as the options say.  False after a message, when one of them
/// has no sense.
bool kal_run_wishes_apply(const KalRunWishes *wishes, KalRunOptions *options);

/// Whether the method that is asked for, NULL for any, may be one for stiff systems.
bool kal_run_wishes_stiff(const char *method);

/// A number that an option has; left as it is where `text` is NULL.  False after a message.
bool kal_option_number(const char *word, const char *text, double *out_number);

/// A whole number from `least` on that an option has, in the same way.
bool kal_option_whole(const char *word, const char *text, double least,
                      double *out_number);

#endif
