// SPDX-License-Identifier: MIT

/// @file
/// UTF-8: one character at a time, and text that is safe to show.

#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <kalaba/text.h>

#include <stddef.h>
#include <stdint.h>

enum {
    KAL_PRINTABLE_WIDTH = 40, ///< characters of a text that are shown
    KAL_PRINTABLE_SIZE = 512, ///< room for them, all escaped, with the end
    KAL_ESCAPE_SIZE = 12,     ///< room for one of them, escaped, with the end
    KAL_TITLE_WIDTH = 120,    ///< characters of a title that are shown
};

/// The character that `text` of `length` bytes begins with.  Returns how many bytes it
/// takes, 0 when they are not valid UTF-8 (surrogates and overlong forms are not).
size_t kal_utf8_parse(const char *text, size_t length, uint32_t *out_code);

/// As kal_utf8_parse, with each byte that is not valid read as U+FFFD: `length` must not
/// be 0, and the answer never is.
size_t kal_utf8_parse_any(const char *text, size_t length, uint32_t *out_code);

/// Print a character, which must not be a surrogate; returns the number of bytes.
size_t kal_utf8_print(uint32_t code, char out_text[4]);

/// Whether a character is seen, and only where it stands: no control, no direction override,
/// nothing invisible.
bool kal_utf8_is_harmless(uint32_t code);

/// Print a character as it is, or escaped when a terminal would obey it or it would
/// reorder or hide text; returns the number of bytes, and a NUL follows them.
size_t kal_printable_print_character(uint32_t code, char out_text[KAL_ESCAPE_SIZE]);

/// Print untrusted text for a message or a table: characters that a terminal obeys or
/// that reorder or hide text become `\u{1b}`, invalid bytes become `\u{fffd}`, and of a
/// text longer than KAL_PRINTABLE_WIDTH the middle becomes "…".
void kal_printable_print(const char *text, size_t length,
                         char out_text[KAL_PRINTABLE_SIZE]);

/// Write untrusted text, characters escaped as above; "…" stands for all beyond the first
/// `limit` characters.
void kal_printable_write(KalSink sink, const char *text, size_t limit);

#endif
