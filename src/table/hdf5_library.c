// SPDX-License-Identifier: MIT

// Every name is looked up anew for each table: it takes 20 µs, and nothing has to be
// remembered between calls.
//
// That all names are there is also how we know the version.  Of those that came before or
// after the version of hdf5.h, one that would not do lacks some of them or has them under
// another name.

#include "table/hdf5_library.h"

#include <dlfcn.h>
#include <string.h>

// Twice, since hdf5.h may define a name as that of a version: it is the latter that counts.
#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)

typedef struct Symbol {
    const char *name;
    size_t offset; // of its member
} Symbol;

#define SYMBOL(name) {TEXT(name), offsetof(KalHdf5Library, name)},

static const Symbol functions[] = {KAL_HDF5_FUNCTIONS(SYMBOL)};
static const Symbol ids[] = {KAL_HDF5_IDS(SYMBOL)};

enum {
    FUNCTIONS = sizeof functions / sizeof functions[0],
    IDS = sizeof ids / sizeof ids[0]
};

static KalStatus fail(KalContext *ctx, const char *reason)
{
    return kal_fail(ctx, KAL_ERR_FILE,
                    "HDF5 files need the HDF5 library, which cannot be loaded (%s): "
                    "install libhdf5-103-1",
                    reason ? reason : "no reason is known");
}

// A library that the program has itself comes first.  Its variables may have moved into the
// program, where only a search that begins there finds them.
static void *find_own(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    return program && dlsym(program, "H5open") ? program : NULL;
}

// The reason is that of the first name, which is the one that should be there.  A library
// is never closed: HDF5 has asked to be called at the end of the program.
static KalStatus find_library(KalContext *ctx, const char *const *names,
                              void **out_handle)
{
    void *handle = find_own();
    for (size_t i = 0; !handle && names[i]; i++) {
        handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    }
    if (!handle) {
        (void)dlopen(names[0], RTLD_LAZY | RTLD_LOCAL);
        return fail(ctx, dlerror());
    }
    *out_handle = handle;
    return KAL_OK;
}

static KalStatus find_symbol(KalContext *ctx, void *handle, const char *name,
                             void **out_symbol)
{
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        return fail(ctx, dlerror());
    }
    *out_symbol = symbol;
    return KAL_OK;
}

KalStatus kal_hdf5_library_open(KalContext *ctx, const char *const *names,
                                KalHdf5Library *out_lib)
{
    KalHdf5Library lib;
    char *members = (char *)&lib;
    void *handle = NULL;
    void *symbol = NULL;
    KAL_TRY(find_library(ctx, names, &handle));
    for (size_t i = 0; i < FUNCTIONS; i++) {
        KAL_TRY(find_symbol(ctx, handle, functions[i].name, &symbol));
        memcpy(members + functions[i].offset, &symbol, sizeof symbol);
    }
    if (lib.H5open() < 0) { // which sets the variables
        return fail(ctx, "it does not start");
    }
    for (size_t i = 0; i < IDS; i++) {
        KAL_TRY(find_symbol(ctx, handle, ids[i].name, &symbol));
        memcpy(members + ids[i].offset, symbol, sizeof(hid_t));
    }
    *out_lib = lib;
    return KAL_OK;
}
