// SPDX-License-Identifier: MIT

// Every name is looked up anew for each table: it takes 20 µs, and nothing has to be
// remembered between calls.
//
// That all names are there is also how we know the version.  Of those that came before or
// after the version of hdf5.h, one that would not do lacks some of them or has them under
// another name.

#include "table/hdf5_library.h"

#include "base/foreign.h"

#include <assert.h>
#include <string.h>

// Twice, since hdf5.h may define a name as that of a version: it is the latter that counts.
#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)

#define SYMBOL(name) {TEXT(name), offsetof(KalHdf5Library, name)},

static const KalForeignSymbol functions[] = {KAL_HDF5_FUNCTIONS(SYMBOL)};
static const KalForeignSymbol ids[] = {KAL_HDF5_IDS(SYMBOL)};

enum {
    FUNCTIONS = sizeof functions / sizeof functions[0],
    IDS = sizeof ids / sizeof ids[0]
};

KalStatus kal_hdf5_library_open(KalContext *ctx, const char *const *names,
                                KalHdf5Library *out_lib)
{
    assert(ctx && names && out_lib);
    const KalForeign library = {
        .purpose = "HDF5 files",
        .title = "HDF5",
        .package = "libhdf5-103-1",
        .probe = "H5open",
        .names = names,
        .room = (size_t)16 << 20,
    };
    KalHdf5Library lib;
    void *handle = NULL;
    void *symbol = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(kal_foreign_bind(ctx, &library, handle, functions, FUNCTIONS, &lib));
    if (lib.H5open() < 0) { // which sets the variables
        return kal_foreign_fail(ctx, &library, "it does not start");
    }
    for (size_t i = 0; i < IDS; i++) {
        KAL_TRY(kal_foreign_find(ctx, &library, handle, ids[i].name, &symbol));
        memcpy((char *)&lib + ids[i].offset, symbol, sizeof(hid_t));
    }
    *out_lib = lib;
    return KAL_OK;
}
