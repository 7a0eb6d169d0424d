// SPDX-License-Identifier: MIT

// What an editor sends to the language server, any bytes: it answers in order or says what is
// wrong, and gives all memory back.

#include "output.h"
#include "target.h"

#include <kalaba/lsp.h>

#include <string.h>

typedef struct Bytes {
    const char *data;
    size_t left;
} Bytes;

static size_t read_bytes(void *user, char *bytes, size_t most)
{
    Bytes *from = (Bytes *)user;
    const size_t n = from->left < most ? from->left : most;
    memcpy(bytes, from->data, n);
    from->data += n;
    from->left -= n;
    return n;
}

static void drop(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    (void)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes = {(const char *)data, size};
    const KalLspChannel channel = {
        .read = read_bytes, .user = &bytes, .write = {drop, NULL}
    };
    KalContext *ctx = NULL;
    demand(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    const size_t before = kal_context_bytes(ctx);
    const KalStatus status = kal_lsp_serve(ctx, &channel);
    demand(status == KAL_OK || *kal_context_message(ctx));
    demand(kal_context_bytes(ctx) == before);
    kal_context_destroy(ctx);
    return 0;
}
