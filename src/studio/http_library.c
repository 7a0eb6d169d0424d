// SPDX-License-Identifier: MIT

// libmicrohttpd, loaded when a studio is opened (base/foreign.h).

#include "studio/http_library.h"

#include "base/foreign.h"

#include <assert.h>

#define SYMBOL(name) {#name, offsetof(KalHttpLibrary, name)},

static const KalForeignSymbol functions[] = {KAL_HTTP_FUNCTIONS(SYMBOL)};

KalStatus kal_http_library_open(KalContext *ctx, const char *const *names,
                                KalHttpLibrary *out_lib)
{
    assert(ctx && names && out_lib);
    const KalForeign library = {
        .purpose = "studios",
        .title = "libmicrohttpd",
        .package = "libmicrohttpd12",
        .probe = "MHD_start_daemon",
        .names = names,
    };
    KalHttpLibrary lib;
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(kal_foreign_bind(ctx, &library, handle, functions,
                             sizeof functions / sizeof functions[0], &lib));
    *out_lib = lib;
    return KAL_OK;
}
