// SPDX-License-Identifier: MIT

// SUNDIALS' libraries, loaded when an integrator first needs them (base/foreign.h): a run
// that is not stiff does not pay for them.  The tables list every function that is used;
// binding fails as a whole if one is missing, and says which package has it.

#include "ode/sundials.h"

#include "base/foreign.h"

#define COMMON_SYMBOL(name) {#name, offsetof(KalSundialsLibrary, name)},
#define CVODE_SYMBOL(name)  {#name, offsetof(KalCvodeLibrary, name)},
#define IDA_SYMBOL(name)    {#name, offsetof(KalIdaLibrary, name)},

// The common functions are the first member of both libraries.
static const KalForeignSymbol cvode_functions[] = {
    KAL_SUNDIALS_FUNCTIONS(COMMON_SYMBOL) KAL_CVODE_FUNCTIONS(CVODE_SYMBOL)};
static const KalForeignSymbol ida_functions[] = {KAL_SUNDIALS_FUNCTIONS(COMMON_SYMBOL)
                                                     KAL_IDA_FUNCTIONS(IDA_SYMBOL)};

_Static_assert(offsetof(KalCvodeLibrary, common) == 0, "common functions come first");
_Static_assert(offsetof(KalIdaLibrary, common) == 0, "common functions come first");

enum {
    CVODE_COUNT = sizeof cvode_functions / sizeof cvode_functions[0],
    IDA_COUNT = sizeof ida_functions / sizeof ida_functions[0],
    ROOM = 4 << 20
};

KalStatus kal_cvode_library_open(KalContext *ctx, const char *name,
                                 KalCvodeLibrary *out_lib)
{
    const char *const names[] = {name, NULL};
    const KalForeign library = {
        .purpose = "stiff motions",
        .title = "CVODE",
        .package = "libsundials-cvode6",
        .names = names,
        .loading = ROOM,
    };
    KalCvodeLibrary lib;
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(
        kal_foreign_bind(ctx, &library, handle, cvode_functions, CVODE_COUNT, &lib));
    *out_lib = lib;
    return KAL_OK;
}

KalStatus kal_ida_library_open(KalContext *ctx, const char *name,
                               KalIdaLibrary *out_lib)
{
    const char *const names[] = {name, NULL};
    const KalForeign library = {
        .purpose = "second opinions on runs",
        .title = "IDA",
        .package = "libsundials-ida6",
        .names = names,
        .loading = ROOM,
    };
    KalIdaLibrary lib;
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    KAL_TRY(kal_foreign_bind(ctx, &library, handle, ida_functions, IDA_COUNT, &lib));
    *out_lib = lib;
    return KAL_OK;
}
