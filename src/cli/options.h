// SPDX-License-Identifier: MIT

/// @file
/// Options and operands of a command, read after its table of options.

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <kalaba/kalaba.h>

#include <stdbool.h>

enum {
    KAL_OPTIONS_LIMIT = 32,
    KAL_OPERANDS_LIMIT = 4,
    KAL_REPEATS_LIMIT = 1000,
};

/// `word` is as typed ("--json", "-q").  An option has a value when `value`, its name in
/// the help, is not NULL; then it is written "--word value" or "--word=value".
typedef struct KalCommandOption {
    const char *word;
    const char *value;
    const char *meaning;
    bool repeatable; ///< every value counts; another option has one value only
} KalCommandOption;

typedef struct KalArguments {
    const char *options[KAL_OPTIONS_LIMIT]; ///< by row of the table: the value, "" when
                                            ///< it has none, NULL when it was not given
    const char *repeats[KAL_REPEATS_LIMIT]; ///< all values of repeatable options
    int repeat_rows[KAL_REPEATS_LIMIT];     ///< and whose they are, by row of the table
    int n_repeats;
    const char *operands[KAL_OPERANDS_LIMIT];
    int n_operands;
    bool help; ///< --help or -h was given, anywhere
} KalArguments;

struct KalCommand;

/// The values of a repeatable option, in their order, in `out_values`, which has room for
/// KAL_REPEATS_LIMIT; returns how many.
int kal_arguments_list(const KalArguments *arguments, int row, const char **out_values);

/// A text without the spaces at its ends, which are cut off.
char *kal_option_trim(char *text);

/// Read the arguments after the command's name.  False: wrong usage, and a message that
/// says so is on standard error.
bool kal_arguments_parse(const struct KalCommand *command, int argc, char *const *argv,
                         KalArguments *out_arguments);

#endif
