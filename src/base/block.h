// SPDX-License-Identifier: MIT

/// @file
/// Arrays that grow, and a block of memory that grows at its end.

#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#include "base/context.h"

/// Let an array of elements of `size` bytes, which has room for *capacity, have room for
/// `wanted`, more than that: at least twice as much as before, or a quarter more where that
/// is more than a megabyte.  Returns where it is now; its new elements are not zeroed.  NULL
/// when there is no memory, and then nothing changes.
void *kal_grow(KalContext *ctx, void *array, size_t size, size_t wanted,
               size_t *capacity);

/// Let an array that will not grow any more have room for the elements that it has.  Returns
/// where it is now; where memory cannot be given back it stays as it was.
void *kal_trim(KalContext *ctx, void *array, size_t size, size_t count,
               size_t *capacity);

/// Zeroed is empty.  Adding may move the data.
typedef struct KalBlock {
    void *data;
    size_t size;     ///< bytes in use
    size_t capacity; ///< bytes there are: less than twice the largest `size`, plus 64
} KalBlock;

/// Make room for `size` bytes behind the end, which do not count yet.  KAL_ERR_NOMEM leaves the
/// block as it was.
KAL_CHECKED KalStatus kal_block_reserve(KalContext *ctx, KalBlock *block, size_t size);

/// Copy `size` bytes to the end.  KAL_ERR_NOMEM leaves the block as it was.
KAL_CHECKED KalStatus kal_block_add(KalContext *ctx, KalBlock *block, const void *data,
                                    size_t size);

/// Give the memory back.
void kal_block_clear(KalContext *ctx, KalBlock *block);

#endif
