// SPDX-License-Identifier: MIT

/// @file
/// Models in any editor: a server of the Language Server Protocol.
///
///     kal_lsp_serve(ctx, &channel);   // until the editor says exit, or hangs up
///
/// An editor sends the texts that it has open and asks about places in them; the answers come
/// from the parser and the builder of models.  Texts are sent whole (full synchronization);
/// places count lines from 0 and UTF-16 units within a line, as the protocol does.

#ifndef KALABA_LSP_H
#define KALABA_LSP_H

#include <kalaba/context.h>
#include <kalaba/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where an editor is heard and answered.
typedef struct KalLspChannel {
    /// Reads up to `most` bytes, waiting for at least one; 0 when there are no more.
    size_t (*read)(void *user, char *bytes, size_t most);
    void *user;    ///< passed to `read`
    KalSink write; ///< gets whole messages
    /// Limits of the work on one text, which is done in a child of this process: seconds of
    /// computing, twice as many by the clock, and mebibytes of memory.  What takes more is
    /// told, and the rest goes on.  Both 0: no child and no limits.
    int seconds;
    int megabytes;
} KalLspChannel;

/// Serve an editor to its end.  A body that is no JSON is answered as an error.
/// KAL_ERR_SYNTAX when what it sends has no headers of the protocol, KAL_ERR_LIMIT when a
/// message is too long, KAL_ERR_USAGE when it hangs up without saying shutdown,
/// KAL_ERR_FILE when there can be no child, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_lsp_serve(KalContext *ctx,
                                            const KalLspChannel *channel);

#ifdef __cplusplus
}
#endif

#endif
