// SPDX-License-Identifier: MIT

/// @file
/// Messages as they come from an editor: a header with the length of what follows, then JSON.

#ifndef LSP_INPUT_H
#define LSP_INPUT_H

#include "base/block.h"

#include <kalaba/lsp.h>

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

#endif
