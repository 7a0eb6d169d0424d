// SPDX-License-Identifier: MIT

/// @file
/// What the files of the server share.

#ifndef STUDIO_STUDIO_IMPL_H
#define STUDIO_STUDIO_IMPL_H

#include "model/library.h"
#include "studio/guard.h"
#include "studio/http_library.h"
#include "studio/request.h"
#include "studio/scratch.h"
#include "studio/worker.h"

#include <kalaba/studio.h>

#include <limits.h>

enum {
    KAL_STUDIO_CONNECTIONS = 64, ///< at a time
    KAL_STUDIO_WORKERS = 8,      ///< children at a time
    KAL_STUDIO_BODY = 8 << 20,   ///< bytes of a request
    KAL_STUDIO_PATIENCE = 10     ///< seconds in which a request must have arrived
};

/// A connection, and since when it is waited for a request on it.
typedef struct KalStudioLine {
    int socket; ///< -1: none
    bool asked; ///< a whole request has arrived and is not answered yet
    double since;
} KalStudioLine;

/// A request on its way through the server.
typedef struct KalStudioCall KalStudioCall;

struct KalStudio {
    KalContext *ctx;
    KalHttpLibrary http;
    struct MHD_Daemon *daemon;
    KalStudioOptions options;
    int port;
    char token[KAL_TOKEN_SIZE];
    char nonce[KAL_TOKEN_SIZE];     ///< of styles that the page makes
    char root[PATH_MAX];            ///< the folder, without links
    char first[KAL_GUARD_NAME + 1]; ///< the model to show first, or ""
    char address[128];
    KalStudioLine lines[KAL_STUDIO_CONNECTIONS];
    KalStudioCall *calls; ///< a list
};

struct KalStudioCall {
    KalStudioCall *next;
    KalStudio *studio;
    struct MHD_Connection *connection;
    KalStudioLine *line; ///< NULL if it is not known
    KalBlock body;
    bool too_long;
    const char *route; ///< behind the token; points into the address that was asked for
    KalStudioRequest request; ///< of a POST, once it was read
    KalScratch scratch;
    KalChild worker;
    bool waits; ///< suspended, until the worker has written something
    bool fated; ///< it was told that the worker did not end by itself
};

/// Answer with a text.
enum MHD_Result kal_studio_reply(KalStudioCall *call, unsigned status, const char *type,
                                 const char *text, size_t length);

/// Answer with an error: a JSON object with a message.
enum MHD_Result kal_studio_refuse(KalStudioCall *call, unsigned status,
                                  const char *message);

/// Answer a request that has arrived whole and may be answered.
enum MHD_Result kal_studio_answer(KalStudioCall *call, const char *method);

/// Begin the work that a request asks for, and answer with what comes of it.
enum MHD_Result kal_studio_evaluate(KalStudioCall *call);

/// Let connections go on whose workers have something for them, and look after the rest:
/// clients that are gone, workers that take too long.
void kal_studio_attend(KalStudio *studio);

/// The page, `*out_length` bytes with gaps as those of reports; NULL when the library was
/// built without it.
const char *kal_studio_page(size_t *out_length);

/// The examples, which are generated from examples/.
const KalLibraryModel *kal_example_table(int *out_count);

#endif
