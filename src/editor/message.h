// SPDX-License-Identifier: MIT

/// @file
/// Messages of an editor, in the JSON of the Language Server Protocol.
///
/// Of a message only what we use is read: its method, its id, and from its parameters the
/// document, its text and a place in it.

#ifndef EDITOR_MESSAGE_H
#define EDITOR_MESSAGE_H

#include "base/arena.h"

/// A message that was read.  Texts live in its arena; those that it lacks are NULL.
typedef struct KalEditorMessage {
    KalArena *arena;
    const char *id; ///< as JSON: `1`, `"a"`
    const char *method;
    const char *uri;
    const char *text; ///< of the document
    size_t text_length;
    double line;
    double character;
    double version;
} KalEditorMessage;

/// Read a message.  The caller clears it in any case.  KAL_ERR_SYNTAX, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_editor_message_init(KalEditorMessage *message,
                                              KalContext *ctx, const char *text,
                                              size_t length);

/// Give its memory back.
void kal_editor_message_clear(KalEditorMessage *message);

#endif
