// SPDX-License-Identifier: MIT

/// @file
/// UTF-8: one character at a time, and text that is safe to show.

#ifndef JSON_UTF8_H
#define JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum {
    KAL_PRINTABLE_WIDTH = 40, ///< characters of a text that are shown
    KAL_PRINTABLE_SIZE = 512, ///< room for them, all escaped, with the end
};

/// The character that `text` of `length` bytes begins with.  Answers how many bytes it
/// takes, 0 when they are not valid UTF-8 (surrogates and overlong forms are not).
size_t kal_utf8_parse(const char *text, size_t length, uint32_t *out_code);

/// Print a character, which must not be a surrogate; answers the number of bytes.
size_t kal_utf8_print(uint32_t code, char out_text[4]);

/// Print untrusted text for a message or a table: characters that a terminal obeys or
/// that reorder or hide text become `\u{1b}`, invalid bytes become `\u{fffd}`, and of a
/// text longer than KAL_PRINTABLE_WIDTH the middle becomes "…".
void kal_printable_print(const char *text, size_t length,
                         char out_text[KAL_PRINTABLE_SIZE]);

#endif
