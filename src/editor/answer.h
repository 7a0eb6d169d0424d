// SPDX-License-Identifier: MIT

/// @file
/// What editors ask about a place of a text, as the Language Server Protocol has it: what may be
/// completed, what a name is, where it is declared, the canonical form of the text.  `kalaba lsp`
/// and the page of the studio are answered by the same code.

#ifndef EDITOR_ANSWER_H
#define EDITOR_ANSWER_H

#include "editor/message.h"
#include "json/writer.h"
#include "lang/source.h"

/// Whether a method is one of those that are answered here.
bool kal_editor_knows(const char *method);

/// Write the `result` of a message whose method is known; its uri is not NULL.  KAL_ERR_NOMEM:
/// what was written is of no use.
KAL_CHECKED KalStatus kal_editor_answer(KalContext *ctx, const KalSource *source,
                                        const KalEditorMessage *message,
                                        KalJsonWriter *writer);

/// Write a stretch of a text as the member `range`.
void kal_editor_put_range(KalJsonWriter *writer, const KalSource *source,
                          uint32_t begin, uint32_t end);

#endif
