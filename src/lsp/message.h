// SPDX-License-Identifier: MIT

/// @file
/// Messages of an editor: a header with the length of what follows, then JSON.
///
/// Of a message only what we use is read: its method, its id, and from its parameters the
/// document, its text and a place in it.

#ifndef LSP_MESSAGE_H
#define LSP_MESSAGE_H

#include "base/arena.h"
#include "base/block.h"

#include <kalaba/lsp.h>

enum {
    KAL_LSP_MESSAGE_LIMIT = 32 << 20 ///< bytes of one
};

/// A message that was read.  Texts live in its arena; those that it lacks are NULL.
typedef struct KalLspMessage {
    KalArena *arena;
    const char *id; ///< as JSON: `1`, `"a"`
    const char *method;
    const char *uri;
    const char *text; ///< of the document
    double line;
    double character;
    double version;
} KalLspMessage;

/// Bytes that were read from a channel, ahead of what was used.
typedef struct KalLspInput {
    KalContext *ctx;
    const KalLspChannel *channel;
    char bytes[4096];
    size_t count;
    size_t used;
} KalLspInput;

/// Read the body of the next message into a block, which is emptied first.  *out_there becomes
/// false at the end of the input.  KAL_ERR_SYNTAX, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_lsp_read(KalLspInput *input, KalBlock *body, bool *out_there);

/// Read a message.  The caller clears it in any case.  KAL_ERR_SYNTAX, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_lsp_message_init(KalLspMessage *message, KalContext *ctx,
                                           const char *text, size_t length);

/// Give its memory back.
void kal_lsp_message_clear(KalLspMessage *message);

#endif
