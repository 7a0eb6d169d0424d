// SPDX-License-Identifier: MIT

// UTF-8 as RFC 3629 has it: the first byte tells the length, each of the others carries six
// bits, and only the shortest form of a code counts, so that no text has two spellings.
//
// Text that is shown has its control characters, direction marks and invisible characters
// escaped: a terminal would obey them, and a reader would see another text than there is
// (Boucher and Anderson, Trojan Source, 2021).

#include "base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof "\\u{10ffff}" <= KAL_ESCAPE_SIZE, "any escape fits");
static_assert(KAL_PRINTABLE_WIDTH * KAL_ESCAPE_SIZE <= KAL_PRINTABLE_SIZE,
              "a text that is all escapes fits");

// How many bytes a first byte announces, 0 when it cannot be one.
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2) {
        return 0;
    }
    if (first < 0xe0) {
        return 2;
    }
    if (first < 0xf0) {
        return 3;
    }
    return first < 0xf5 ? 4 : 0;
}

// A code that its length can and must express.
static bool is_proper(uint32_t code, size_t length)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    assert(length >= 1 && length <= 4);
    return code >= smallest[length] && code <= 0x10ffff
           && !(code >= 0xd800 && code <= 0xdfff);
}

// The length by the first byte; then the code must be one that needs that length and is
// no half of a pair (is_proper).
size_t kal_utf8_parse(const char *text, size_t length, uint32_t *out_code)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const size_t wanted = length > 0 ? sequence_length((unsigned char)text[0]) : 0;
    if (wanted == 0 || wanted > length) {
        return 0;
    }
    uint32_t code = (unsigned char)text[0] & first_bits[wanted];
    for (size_t i = 1; i < wanted; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (byte & 0x3f);
    }
    if (!is_proper(code, wanted)) {
        return 0;
    }
    *out_code = code;
    return wanted;
}

size_t kal_utf8_print(uint32_t code, char out_text[4])
{
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    assert(code <= 0x10ffff);
    if (code < 0x80) {
        out_text[0] = (char)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out_text[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out_text[0] = (char)(marks[length] | code);
    return length;
}

typedef struct Range {
    uint32_t first;
    uint32_t last;
} Range;

bool kal_utf8_is_harmless(uint32_t code)
{
    static const Range harmful[] = {
        {0x00,    0x1f   }, // terminal control
        {0x7f,    0x9f   }, // terminal control
        {0xad,    0xad   }, // soft hyphen
        {0x200b,  0x200f }, // invisible, direction marks
        {0x2028,  0x202e }, // line ends, direction overrides
        {0x2060,  0x206f }, // invisible, direction isolates
        {0xfeff,  0xfeff }, // byte order mark
        {0xfff9,  0xfffd }, // annotations, replacement
        {0xe0000, 0xe0fff}, // invisible tags
    };
    for (size_t i = 0; i < sizeof harmful / sizeof harmful[0]; i++) {
        if (code >= harmful[i].first && code <= harmful[i].last) {
            return false;
        }
    }
    return true;
}

size_t kal_utf8_parse_any(const char *text, size_t length, uint32_t *out_code)
{
    assert(length > 0);
    const size_t taken = kal_utf8_parse(text, length, out_code);
    if (taken > 0) {
        return taken;
    }
    *out_code = 0xfffd;
    return 1;
}

static size_t count_characters(const char *text, size_t length)
{
    size_t count = 0;
    uint32_t code;
    for (size_t i = 0; i < length;
         i += kal_utf8_parse_any(text + i, length - i, &code)) {
        count++;
    }
    return count;
}

size_t kal_printable_print_character(uint32_t code, char out_text[KAL_ESCAPE_SIZE])
{
    if (kal_utf8_is_harmless(code)) {
        const size_t length = kal_utf8_print(code, out_text);
        out_text[length] = '\0';
        return length;
    }
    return (size_t)snprintf(out_text, KAL_ESCAPE_SIZE, "\\u{%x}", (unsigned)code);
}

// The end of a long name often tells it from its neighbors ("…[17]"), so the middle
// goes.
void kal_printable_print(const char *text, size_t length,
                         char out_text[KAL_PRINTABLE_SIZE])
{
    const size_t tail = KAL_PRINTABLE_WIDTH / 4;
    const size_t head = KAL_PRINTABLE_WIDTH - 1 - tail;
    const size_t count = count_characters(text, length);
    const bool shorten = count > KAL_PRINTABLE_WIDTH;
    char *end = out_text;
    size_t taken;

    for (size_t i = 0, k = 0; i < length; i += taken, k++) {
        uint32_t code;
        taken = kal_utf8_parse_any(text + i, length - i, &code);
        if (shorten && k == head) {
            end += kal_utf8_print(0x2026, end);
        }
        if (!shorten || k < head || k >= count - tail) {
            end += kal_printable_print_character(code, end);
        }
    }
    *end = '\0';
}

void kal_printable_write(KalSink sink, const char *text, size_t limit)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; limit--) {
        if (limit == 0) {
            sink.write(sink.user, "…", strlen("…"));
            return;
        }
        uint32_t code;
        char shown[KAL_ESCAPE_SIZE];
        i += kal_utf8_parse_any(text + i, length - i, &code);
        const size_t size = kal_printable_print_character(code, shown);
        sink.write(sink.user, shown, size);
    }
}
