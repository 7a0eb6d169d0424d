// SPDX-License-Identifier: MIT

/// @file
/// Whether a text is well-formed markup.

#ifndef SUPPORT_MARKUP_H
#define SUPPORT_MARKUP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    MARKUP_DEPTH = 64
};

/// Whether every element that begins in the text ends there, in the right order, and no
/// < or & stands for itself.
static inline bool markup_is_balanced(const char *text)
{
    const char *names[MARKUP_DEPTH];
    size_t lengths[MARKUP_DEPTH];
    int depth = 0;
    for (const char *c = text + strcspn(text, "<&"); *c; c += strcspn(c, "<&")) {
        if (*c == '&') {
            if (strspn(c + 1, "abcdefghijklmnopqrstuvwxyz#0123456789") == 0) {
                return false;
            }
            c++;
            continue;
        }
        const char *end = strchr(c, '>');
        const bool closes = c[1] == '/';
        const char *name = c + 1 + closes;
        const size_t length = strcspn(name, " >/");
        if (!end || length == 0) {
            return false;
        }
        if (closes) {
            depth--;
            if (depth < 0 || lengths[depth] != length
                || memcmp(names[depth], name, length) != 0) {
                return false;
            }
        } else if (end[-1] != '/') {
            if (depth == MARKUP_DEPTH) {
                return false;
            }
            names[depth] = name;
            lengths[depth++] = length;
        }
        c = end;
    }
    return depth == 0;
}

#endif
