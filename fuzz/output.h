// SPDX-License-Identifier: MIT

/// @file
/// What the targets share: text that was written, and things that must hold.

#ifndef FUZZ_OUTPUT_H
#define FUZZ_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    OUTPUT_SIZE = 1 << 20 ///< room for what any input of a usual length gives
};

typedef struct Output {
    char *text;
    size_t length;
} Output;

static inline void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

static inline void keep(void *user, const char *text, size_t length)
{
    Output *output = user;
    const size_t room = OUTPUT_SIZE - output->length;
    const size_t kept = length < room ? length : room;
    memcpy(output->text + output->length, text, kept);
    output->length += kept;
}

/// What was written for people obeys no terminal commands but new lines.
static inline void demand_plain(const Output *output)
{
    for (size_t i = 0; i < output->length; i++) {
        const unsigned char c = (unsigned char)output->text[i];
        demand((c >= 0x20 && c != 0x7f) || c == '\n');
    }
}

#endif
