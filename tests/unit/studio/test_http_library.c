// SPDX-License-Identifier: MIT

// How libmicrohttpd comes into the program.

#include "context.h"
#include "loaded.h"
#include "studio/http_library.h"
#include "tap.h"

#include <string.h>

static void a_missing_library_is_named(void)
{
    KalContext *ctx = new_context();
    KalHttpLibrary lib = {.MHD_start_daemon = NULL};
    const char *const names[] = {"libkalaba-none.so.1", NULL};
    ok(kal_http_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    ok(!lib.MHD_start_daemon);
    has_text(kal_context_message(ctx), "studios need the libmicrohttpd library");
    has_text(kal_context_message(ctx), "install libmicrohttpd12");
    kal_context_destroy(ctx);
}

static void the_library_is_loaded_when_needed(void)
{
    KalContext *ctx = new_context();
    KalHttpLibrary lib;
    const char *const names[] = {"libmicrohttpd.so.12", NULL};
    ok(!is_loaded(names[0]));
    ok(kal_http_library_open(ctx, names, &lib) == KAL_OK && lib.MHD_start_daemon);
    ok(is_loaded(names[0]));
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_missing_library_is_named),
        TAP_CASE(the_library_is_loaded_when_needed))
