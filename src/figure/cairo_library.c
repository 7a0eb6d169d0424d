// SPDX-License-Identifier: MIT

// cairo, loaded when a figure is first drawn (base/foreign.h).

#include "figure/cairo_library.h"

#include "base/foreign.h"

#include <assert.h>

#define SYMBOL(name) {#name, offsetof(KalCairoLibrary, name)},

static const KalForeignSymbol functions[] = {KAL_CAIRO_FUNCTIONS(SYMBOL)};

KalStatus kal_cairo_library_open(KalContext *ctx, const char *const *names,
                                 KalCairoLibrary *out_lib)
{
    assert(ctx && names && out_lib);
    const KalForeign library = {
        .purpose = "figures",
        .title = "cairo",
        .package = "libcairo2",
        .names = names,
        .loading = (size_t)24 << 20, // with fonts
        .room = (size_t)24 << 20,
    };
    KalCairoLibrary lib;
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(kal_foreign_bind(ctx, &library, handle, functions,
                             sizeof functions / sizeof functions[0], &lib));
    *out_lib = lib;
    return KAL_OK;
}
