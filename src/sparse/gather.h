// SPDX-License-Identifier: MIT

/// @file
/// A sparse matrix from entries as they come.
///
/// They are put in any order and perhaps more than once, and sorted by columns then; values of
/// one place are added up.  Zeros are none.

#ifndef SPARSE_GATHER_H
#define SPARSE_GATHER_H

#include "sparse/lu.h"

#include <assert.h>

/// A workspace; zeroed holds none.
typedef struct KalGather {
    KalContext *ctx;
    KalWorkspace workspace; ///< all arrays below
    int size;               ///< rows and columns at most
    int64_t room;           ///< entries at most
    int64_t count;          ///< that were put
    int *from;              ///< 2 room: their rows and columns
    double *given;          ///< room: their values
    int64_t *start;         ///< size + 2: the matrix by columns
    int *row;               ///< room
    double *value;          ///< room
    int64_t *mark;          ///< size
} KalGather;

/// Make a workspace for matrices of up to `size` rows and columns and `room` entries.  The
/// caller clears it, whatever is returned.
KAL_CHECKED KalStatus kal_gather_init(KalGather *gather, KalContext *ctx, int size,
                                      int64_t room);

void kal_gather_clear(KalGather *gather);

/// Begin with no entry.
static inline void kal_gather_begin(KalGather *gather)
{
    gather->count = 0;
}

static inline void kal_gather_put(KalGather *gather, int row, int column, double value)
{
    if (value != 0.0) {
        assert(gather->count < gather->room);
        gather->from[2 * gather->count] = row;
        gather->from[2 * gather->count + 1] = column;
        gather->given[gather->count++] = value;
    }
}

/// The square matrix of this size with the entries that were put; true until the next begins.
KalColumns kal_gather_columns(KalGather *gather, int size);

#endif
