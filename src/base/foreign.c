// SPDX-License-Identifier: MIT

// Libraries that are loaded when they are first needed: programs that never draw, integrate
// stiffly or write HDF5 start without them and run where they are not installed.
//
// Loading needs memory that no gate controls, and a library may end the program where it has
// none: so there is a look beforehand whether enough is there.  Handles are never closed:
// libraries keep state of their own.

#include "base/foreign.h"

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

KalStatus kal_foreign_fail(KalContext *ctx, const KalForeign *library,
                           const char *reason)
{
    assert(library->purpose && library->title && library->package);
    return kal_fail(ctx, KAL_ERR_FILE,
                    "%s need the %s library, which cannot be loaded (%s): install %s",
                    library->purpose, library->title,
                    reason ? reason : "no reason is known", library->package);
}

// A library that the program has itself comes first.  Its variables may have moved into the
// program, where only a search that begins there finds them.
static void *find_own(const char *probe)
{
    void *program = probe ? dlopen(NULL, RTLD_LAZY) : NULL;
    return program && dlsym(program, probe) ? program : NULL;
}

// A library that the process has loaded already, by whichever of its names.
static void *find_loaded(const char *const *names)
{
    assert(names);
    void *handle = NULL;
    for (size_t i = 0; !handle && names[i]; i++) {
        handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    }
    return handle;
}

// Whether so much memory can be had now.
static KalStatus check_room(KalContext *ctx, const KalForeign *library, size_t room)
{
    return room == 0 || kal_memory_is_there(room)
               ? KAL_OK
               : kal_no_memory(ctx, "for %s: %s needs %zu MiB", library->purpose,
                               library->title, room >> 20);
}

// The reason is that of the first name, which is the one that should be there.
static KalStatus load(KalContext *ctx, const KalForeign *library, void **out_handle)
{
    const char *const *names = library->names;
    void *handle = NULL;
    KAL_TRY(check_room(ctx, library, library->loading));
    for (size_t i = 0; !handle && names[i]; i++) {
        handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    }
    if (!handle) {
        (void)dlopen(names[0], RTLD_LAZY | RTLD_LOCAL);
        return kal_foreign_fail(ctx, library, dlerror());
    }
    *out_handle = handle;
    return KAL_OK;
}

KalStatus kal_foreign_open(KalContext *ctx, const KalForeign *library,
                           void **out_handle)
{
    assert(ctx && library && out_handle);
    void *handle = find_own(library->probe);
    handle = handle ? handle : find_loaded(library->names);
    if (!handle) {
        KAL_TRY(load(ctx, library, &handle));
    }
    KAL_TRY(check_room(ctx, library, library->room));
    *out_handle = handle;
    return KAL_OK;
}

KalStatus kal_foreign_find(KalContext *ctx, const KalForeign *library, void *handle,
                           const char *name, void **out_symbol)
{
    assert(handle && name && out_symbol);
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        return kal_foreign_fail(ctx, library, dlerror());
    }
    *out_symbol = symbol;
    return KAL_OK;
}

KalStatus kal_foreign_bind(KalContext *ctx, const KalForeign *library, void *handle,
                           const KalForeignSymbol *symbols, size_t count, void *members)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = NULL;
        assert(symbols[i].name);
        KAL_TRY(kal_foreign_find(ctx, library, handle, symbols[i].name, &symbol));
        memcpy((char *)members + symbols[i].offset, &symbol, sizeof symbol);
    }
    return KAL_OK;
}
