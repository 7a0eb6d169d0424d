// SPDX-License-Identifier: MIT

/// @file
/// Who may ask, and for what: the rules by which a studio refuses requests.
///
/// A server on the loopback address can be reached by every page that the user's browser
/// shows, and by every user of the machine.  Against these:
///
///     other users, other pages    a token of 128 random bits in every address
///     names that were led to the loopback address (DNS rebinding)
///                                 the host must be the loopback address or localhost
///     requests that another page sends    the origin, where there is one, must be ours,
///                                 and what changes something must have one
///     files elsewhere             names of models are relative, without hidden parts

#ifndef STUDIO_GUARD_H
#define STUDIO_GUARD_H

#include "base/context.h"

enum {
    KAL_TOKEN_SIZE = 33, ///< 32 digits, and the end
    KAL_GUARD_NAME = 200 ///< bytes of the name of a model
};

/// Make a token of random bits.  KAL_ERR_FILE when the system has none.
KAL_CHECKED KalStatus kal_token_make(KalContext *ctx, char out_token[KAL_TOKEN_SIZE]);

/// Find what follows the token in a path, `/TOKEN/rest`; NULL when the token is not there.
/// Takes the same time wherever a wrong token differs.
const char *kal_guard_path(const char *token, const char *path);

/// Whether a Host header, or NULL, names this machine and port.
bool kal_guard_host(const char *host, int port);

/// Whether an Origin header, not NULL, is that of our pages.
bool kal_guard_origin(const char *origin, int port);

/// Whether a text may name a file of the folder: `a.csv`, `sub/a.kal`.
bool kal_guard_file(const char *name);

/// Whether it may name a model: a file that ends with `.kal`.
bool kal_guard_name(const char *name);

#endif
