// SPDX-License-Identifier: MIT

/// @file
/// The option --format of commands that show formulas.

#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include "command.h"

/// Its row in a table of options.
#define KAL_FORMAT_OPTION                                                       \
    {                                                                           \
        "--format", "WORD", "text, latex (a whole document) or markdown", false \
    }

/// The format that a word names; NULL is text.  False after a message.
bool kal_format_read(const char *word, KalShowFormat *out_format);

/// Columns of the terminal, 0 if there is none.
int kal_terminal_width(void);

#endif
