// SPDX-License-Identifier: MIT

// Doubling: a block that has no room for more becomes twice as large or larger, so that n
// bytes that come one by one are copied less than twice each.

#include "base/block.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum {
    SMALLEST = 64
};

// At least `wanted` bytes.
static KalStatus grow(KalContext *ctx, KalBlock *block, size_t wanted)
{
    assert(wanted > block->capacity);
    size_t capacity = block->capacity > 0 ? block->capacity : SMALLEST;
    while (capacity < wanted && capacity <= SIZE_MAX / 2) {
        capacity *= 2;
    }
    void *data = capacity >= wanted
                     ? kal_resize(ctx, block->data, block->capacity, capacity)
                     : NULL;
    if (!data) {
        return kal_no_memory(ctx, "for a block of %zu bytes", capacity);
    }
    block->data = data;
    block->capacity = capacity;
    return KAL_OK;
}

KalStatus kal_block_add(KalContext *ctx, KalBlock *block, const void *data, size_t size)
{
    assert(block->size <= block->capacity && (data || size == 0));
    if (size == 0) {
        return KAL_OK;
    }
    if (size > block->capacity - block->size) {
        KAL_TRY(grow(ctx, block, block->size + size));
    }
    memcpy((char *)block->data + block->size, data, size);
    block->size += size;
    assert(block->size <= block->capacity);
    return KAL_OK;
}

void kal_block_clear(KalContext *ctx, KalBlock *block)
{
    kal_free(ctx, block->data, block->capacity);
    *block = (KalBlock){.data = NULL};
}
