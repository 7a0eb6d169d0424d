// SPDX-License-Identifier: MIT

/// @file
/// Places as editors count them: lines from 0, and units of UTF-16 within a line.

#ifndef EDITOR_PLACE_H
#define EDITOR_PLACE_H

#include "base/diagnostic.h"

/// A place of an editor.
typedef struct KalEditorPlace {
    uint32_t line;
    uint32_t character;
} KalEditorPlace;

/// Where a byte of a text is; beyond its end, the end.
KalEditorPlace kal_editor_place(const KalSource *source, uint32_t at);

/// The byte at a place; beyond the end of a line its end, beyond that of the text that.
uint32_t kal_editor_byte(const KalSource *source, KalEditorPlace place);

/// The byte at a line and column as remarks count them: from 1, in characters.
uint32_t kal_editor_remark_byte(const KalSource *source, size_t line, size_t column);

#endif
