// SPDX-License-Identifier: MIT

/// @file
/// Lists of names in the value of an option: "x, theta', reaction(*)".

#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum {
    KAL_NAME_OPTION_LIMIT = 256
};

/// Names between commas; zeroed has none.
typedef struct KalNameOption {
    char *text; ///< a copy, cut into names
    const char *names[KAL_NAME_OPTION_LIMIT];
    size_t count;
} KalNameOption;

/// Cut a text at its commas, but for those within brackets; spaces around names do not
/// count.  False after a message, which calls the option by its word.
bool kal_name_option_read(const char *option, const char *text, KalNameOption *names);

/// Give the memory back.
void kal_name_option_clear(KalNameOption *names);

#endif
