// SPDX-License-Identifier: MIT

/// @file
/// Workspaces: the arrays of one object, carved from one block in two passes.
///
/// An object that runs says in one function, its layout, which arrays it has and how long
/// they are.  The function is called twice: first with a carver that only counts, then
/// with one that hands out pieces of a block of just that size.  So no size is written
/// twice and no sum of sizes can go wrong.
///
///     static void lay_out(KalCarver *carver, void *owner)
///     {
///         Thing *thing = owner;
///         thing->M = kal_carve_doubles(carver, thing->n, thing->n);
///         thing->perm = kal_carve_ints(carver, thing->n);
///     }
///
///     kal_workspace_make(ctx, "for a thing", lay_out, thing, &thing->workspace);
///
/// Pieces begin at multiples of KAL_PIECE_ALIGNMENT bytes, so that vector registers may be
/// loaded from them and no two share a line of the cache.  In builds with an address
/// sanitizer there is a gap behind each that nobody may touch.

#ifndef BASE_WORKSPACE_H
#define BASE_WORKSPACE_H

#include "base/context.h"

enum {
    KAL_PIECE_ALIGNMENT = 64
};

/// What hands out pieces.  Layouts pass it on and do not look into it.
typedef struct KalCarver {
    unsigned char *block; ///< NULL while sizes are counted
    size_t used;          ///< bytes so far; SIZE_MAX when there are too many to count
} KalCarver;

/// The block of an object.  Zeroed is none.
typedef struct KalWorkspace {
    void *block;
    size_t size;
} KalWorkspace;

/// Says what pieces `owner` has.  It is called twice and must ask for the same ones both
/// times; the pointers that it gets the first time are NULL.
typedef void (*KalLayOutFn)(KalCarver *carver, void *owner);

/// @name Pieces
/// Of count × size bytes, or rows × columns numbers.  One of no bytes may not be used.
/// @{
void *kal_carve(KalCarver *carver, size_t count, size_t size);
double *kal_carve_doubles(KalCarver *carver, size_t rows, size_t columns);
int *kal_carve_ints(KalCarver *carver, size_t count);
bool *kal_carve_bools(KalCarver *carver, size_t count);
const char **kal_carve_names(KalCarver *carver, size_t count);
/// @}

/// Make the block of `owner`, zeroed.  `purpose` is that of kal_no_memory().  KAL_ERR_NOMEM
/// leaves the pointers of the owner NULL and the workspace untouched.
KAL_CHECKED KalStatus kal_workspace_make(KalContext *ctx, const char *purpose,
                                         KalLayOutFn lay_out, void *owner,
                                         KalWorkspace *out_workspace);

/// The same, but not zeroed: pages that are never touched are then never made.
KAL_CHECKED KalStatus kal_workspace_make_raw(KalContext *ctx, const char *purpose,
                                             KalLayOutFn lay_out, void *owner,
                                             KalWorkspace *out_workspace);

/// Give the block back.  A zeroed workspace is allowed.
void kal_workspace_clear(KalContext *ctx, KalWorkspace *workspace);

#endif
