// SPDX-License-Identifier: MIT

/// @file
/// The studio: models of a folder in a browser, live.
///
///     kal_studio_create(ctx, &options, &studio);
///     … tell the user kal_studio_address(studio) …
///     kal_studio_serve(studio, watch, user);
///
/// A small web server for the page of the studio.  It listens on the loopback address alone,
/// serves whoever knows the token that its address holds, reads and writes models of one
/// folder and nothing else, and works on texts in processes of their own, which end with
/// their limits of time and memory or with the next request of the same page
/// (docs/studio.md).
///
/// Serving forks: a program that has other threads should not serve.

#ifndef KALABA_STUDIO_H
#define KALABA_STUDIO_H

#include <kalaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A server.
typedef struct KalStudio KalStudio;

/// How to serve.  Fill with kal_studio_options(), then change single fields.
typedef struct KalStudioOptions {
    const char *path; ///< a folder, or a model in one; NULL: the current folder
    int port;         ///< 0: any that is free
    int seconds;      ///< of computing that one request may take, > 0
    int megabytes;    ///< of memory, > 0
} KalStudioOptions;

/// The current folder, any port, 60 seconds, 2048 megabytes.
KAL_API KalStudioOptions kal_studio_options(void);

/// Begin to listen.  The caller owns the studio.  KAL_ERR_FILE when there is no such folder
/// or model, when libmicrohttpd is not installed, or when the port is taken; KAL_ERR_USAGE
/// when an option has no sense or the library was built without its web parts;
/// KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_studio_create(KalContext *ctx,
                                                const KalStudioOptions *options,
                                                KalStudio **out_studio);

/// Stop listening, end what is being computed, and free the studio.  NULL is allowed.
KAL_API void kal_studio_destroy(KalStudio *studio);

/// Where a browser finds it, token included.
KAL_API const char *kal_studio_address(const KalStudio *studio);

/// Answer requests as long as `watch`, which is asked several times a second, says so.
/// KAL_ERR_FILE when the system refuses to go on.
KAL_API KAL_CHECKED KalStatus kal_studio_serve(KalStudio *studio, KalWatchFn watch,
                                               void *user);

#ifdef __cplusplus
}
#endif

#endif
