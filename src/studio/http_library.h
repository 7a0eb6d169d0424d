// SPDX-License-Identifier: MIT

/// @file
/// GNU libmicrohttpd, loaded when a studio needs it and not with the program.
///
/// microhttpd.h is there for types and constants; functions are called through the members
/// of KalHttpLibrary that bear their names.

#ifndef STUDIO_HTTP_LIBRARY_H
#define STUDIO_HTTP_LIBRARY_H

#include "base/context.h"

#include <microhttpd.h>

/// The functions that we call.
#define KAL_HTTP_FUNCTIONS(X)            \
    X(MHD_add_response_header)           \
    X(MHD_create_response_from_buffer)   \
    X(MHD_create_response_from_callback) \
    X(MHD_destroy_response)              \
    X(MHD_get_connection_info)           \
    X(MHD_get_connection_values)         \
    X(MHD_get_daemon_info)               \
    X(MHD_get_fdset2)                    \
    X(MHD_get_timeout)                   \
    X(MHD_lookup_connection_value)       \
    X(MHD_lookup_connection_value_n)     \
    X(MHD_queue_response)                \
    X(MHD_resume_connection)             \
    X(MHD_run_from_select)               \
    X(MHD_start_daemon)                  \
    X(MHD_stop_daemon)                   \
    X(MHD_suspend_connection)

#define KAL_HTTP_MEMBER(name) __typeof__(name) *(name);

/// An open library.
typedef struct KalHttpLibrary {
    KAL_HTTP_FUNCTIONS(KAL_HTTP_MEMBER)
} KalHttpLibrary;

/// Open the first of `names`, which end with NULL, that is there.  KAL_ERR_FILE, with what to
/// install, when none is.
KAL_CHECKED KalStatus kal_http_library_open(KalContext *ctx, const char *const *names,
                                            KalHttpLibrary *out_lib);

#endif
