// SPDX-License-Identifier: MIT

// Places in a text: the protocol counts lines and units of UTF-16, we count bytes.

#include "editor/place.h"

// Units of UTF-16 that a character has, by its first byte; 0 for a byte that continues one.
static uint32_t units_of(char byte)
{
    const unsigned char c = (unsigned char)byte;
    return c >= 0xf0 ? 2 : c >= 0x80 && c < 0xc0 ? 0 : 1;
}

KalEditorPlace kal_editor_place(const KalSource *source, uint32_t at)
{
    KalEditorPlace place = {0};
    for (uint32_t i = 0; i < at && i < source->length; i++) {
        if (source->text[i] == '\n') {
            place = (KalEditorPlace){place.line + 1, 0};
        } else {
            place.character += units_of(source->text[i]);
        }
    }
    return place;
}

static uint32_t line_start(const KalSource *source, size_t line)
{
    uint32_t at = 0;
    for (; line > 0 && at < source->length; at++) {
        line -= source->text[at] == '\n';
    }
    return at;
}

uint32_t kal_editor_byte(const KalSource *source, KalEditorPlace place)
{
    uint32_t at = line_start(source, place.line);
    uint32_t left = place.character;
    while (at < source->length && source->text[at] != '\n') {
        const uint32_t units = units_of(source->text[at]);
        if (units > left) {
            break;
        }
        left -= units;
        at++;
        while (at < source->length && units_of(source->text[at]) == 0) {
            at++;
        }
        if (left == 0) {
            break;
        }
    }
    return place.character == 0 ? line_start(source, place.line) : at;
}

uint32_t kal_editor_remark_byte(const KalSource *source, size_t line, size_t column)
{
    uint32_t at = line_start(source, line > 0 ? line - 1 : 0);
    for (size_t left = column;
         left > 1 && at < source->length && source->text[at] != '\n'; left--) {
        at++;
        while (at < source->length && units_of(source->text[at]) == 0) {
            at++;
        }
    }
    return at;
}
