// SPDX-License-Identifier: MIT

// Messages of the tool: one line on standard error.  Texts in them may come from a model,
// so that control characters, which a terminal would obey, are shown as escapes.

#include "command.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    MESSAGE_SIZE = 8192
};

// C0 and DEL, and C1, which UTF-8 writes as 0xc2 and one more byte.
static bool is_control(const char *text)
{
    assert(text);
    const unsigned char first = (unsigned char)text[0];
    const unsigned char second = first ? (unsigned char)text[1] : 0;
    return first < 0x20 || first == 0x7f
           || (first == 0xc2 && second >= 0x80 && second < 0xa0);
}

// A message longer than the room for it is cut.
void kal_message_print(const char *format, ...)
{
    assert(format);
    char message[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);

    fputs("kalaba: ", stderr);
    for (const char *c = message; *c; c++) {
        if (is_control(c)) {
            fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, stderr);
        }
    }
    fputc('\n', stderr);
}
