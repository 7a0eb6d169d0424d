// SPDX-License-Identifier: MIT

// FLINT is loaded when the first ring is made: it and what it needs take longer to load
// than most commands take to run.  Its types are compiled in, so that only the release
// that we were built with will do.

#include "algebra/flint_library.h"

#include "base/foreign.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define SYMBOL(name) {#name, offsetof(KalFlintLibrary, name)},

static const KalForeignSymbol functions[] = {KAL_FLINT_FUNCTIONS(SYMBOL)};

enum {
    REASON_SIZE = 96
};

// The first two of the three numbers of a version make the release; the third mends
// faults.
bool kal_flint_is_same_release(const char *ours, const char *theirs)
{
    assert(ours && theirs);
    const char *dot = strrchr(ours, '.');
    const size_t length = dot ? (size_t)(dot - ours) : strlen(ours);
    return strncmp(ours, theirs, length) == 0
           && (theirs[length] == '.' || theirs[length] == '\0');
}

// The types of FLINT_VERSION, which we were compiled with, are those of the library.
static KalStatus check_version(KalContext *ctx, const KalForeign *library, void *handle)
{
    char reason[REASON_SIZE];
    void *version = NULL;
    KAL_TRY(kal_foreign_find(ctx, library, handle, "flint_version", &version));
    if (kal_flint_is_same_release(FLINT_VERSION, (const char *)version)) {
        return KAL_OK;
    }
    (void)snprintf(reason, sizeof reason, "its version is %.20s and not %s",
                   (const char *)version, FLINT_VERSION);
    return kal_foreign_fail(ctx, library, reason);
}

KalStatus kal_flint_library_open(KalContext *ctx, const char *const *names,
                                 KalFlintLibrary *out_lib)
{
    assert(ctx && names && out_lib);
    const KalForeign library = {
        .purpose = "exact formulas",
        .title = "FLINT",
        .package = "libflint17",
        .names = names,
        .loading = (size_t)24 << 20, // with GMP, MPFR, NTL and the C++ library
    };
    KalFlintLibrary lib;
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(check_version(ctx, &library, handle));
    KAL_TRY(kal_foreign_bind(ctx, &library, handle, functions,
                             sizeof functions / sizeof functions[0], &lib));
    *out_lib = lib;
    return KAL_OK;
}
