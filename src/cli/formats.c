// SPDX-License-Identifier: MIT

// Formats of formulas, by word.

#include "formats.h"

#include <assert.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct {
    const char *word;
    KalShowFormat format;
} formats[] = {
    {"text",     KAL_SHOW_TEXT    },
    {"latex",    KAL_SHOW_LATEX   },
    {"markdown", KAL_SHOW_MARKDOWN},
};

bool kal_format_read(const char *word, KalShowFormat *out_format)
{
    assert(out_format);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (!word || strcmp(formats[i].word, word) == 0) {
            *out_format = formats[i].format;
            return true;
        }
    }
    kal_message_print("unknown format '%s'; there are text, latex and markdown", word);
    return false;
}

int kal_terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
