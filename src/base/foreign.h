// SPDX-License-Identifier: MIT

/// @file
/// Libraries of others that are loaded when they are needed and not with the program.
///
/// Some bring dozens of libraries along, which would make every start of the program pay
/// for what few need.  Their headers are there for types; functions are called through
/// the members of a struct that bear their names.  A library is never closed: it may have
/// asked to be called at the end of the program.

#ifndef BASE_FOREIGN_H
#define BASE_FOREIGN_H

#include "base/context.h"

/// What is loaded, and why.
typedef struct KalForeign {
    const char *purpose; ///< what needs it, in the plural: "HDF5 files"
    const char *title;   ///< "HDF5"
    const char *package; ///< what to install: "libhdf5-103-1"
    const char *probe;   ///< a function of it; if the program has it, the program's own
                         ///< library is taken.  May be NULL
    /// Of the file, ended by NULL; the first that opens is taken.
    const char *const *names;
    size_t loading; ///< bytes of memory that loading it takes; it may crash without
    size_t room;    ///< bytes that it needs to be of use, asked for at each opening
} KalForeign;

/// A symbol of the library and the member that is to hold its address.
typedef struct KalForeignSymbol {
    const char *name;
    size_t offset;
} KalForeignSymbol;

/// Open a library; again costs next to nothing.  KAL_ERR_FILE with what to install,
/// KAL_ERR_NOMEM when there is not the memory that it needs.
KAL_CHECKED KalStatus kal_foreign_open(KalContext *ctx, const KalForeign *library,
                                       void **out_handle);

/// The address of a symbol of an open library.  KAL_ERR_FILE when it has none.
KAL_CHECKED KalStatus kal_foreign_find(KalContext *ctx, const KalForeign *library,
                                       void *handle, const char *name,
                                       void **out_symbol);

/// Find `count` functions of an open library; their addresses go to the members of a
/// struct, whose contents are undefined on failure.  That all are there is also how a
/// library of another version is recognized.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_foreign_bind(KalContext *ctx, const KalForeign *library,
                                       void *handle, const KalForeignSymbol *symbols,
                                       size_t count, void *members);

/// Fail with KAL_ERR_FILE: the library cannot be loaded, for this reason (NULL: unknown),
/// and what to install.
KalStatus kal_foreign_fail(KalContext *ctx, const KalForeign *library,
                           const char *reason);

#endif
