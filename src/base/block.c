// SPDX-License-Identifier: MIT

// Doubling: a block that has no room for more becomes twice as large or larger, so that n
// bytes that come one by one are copied less than twice each.  Large ones, which the system
// moves by their pages and not byte by byte, grow by a quarter: of gigabytes half would lie
// idle.

#include "base/block.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum {
    SMALLEST = 64,
    LARGE = 1 << 20 // bytes
};

void *kal_grow(KalContext *ctx, void *array, size_t size, size_t wanted,
               size_t *capacity)
{
    assert(wanted > *capacity && size > 0);
    const size_t most = SIZE_MAX / size;
    const size_t more = *capacity * size > LARGE ? *capacity / 4 : *capacity;
    const size_t grown = *capacity <= most - more ? *capacity + more : most;
    const size_t room = wanted > grown ? wanted : grown;
    void *moved =
        room <= most ? kal_resize(ctx, array, *capacity * size, room * size) : NULL;
    if (moved) {
        *capacity = room;
    }
    return moved;
}

void *kal_trim(KalContext *ctx, void *array, size_t size, size_t count,
               size_t *capacity)
{
    assert(count <= *capacity && size > 0);
    if (count == 0 || count == *capacity) {
        return array;
    }
    void *moved = kal_resize(ctx, array, *capacity * size, count * size);
    *capacity = moved ? count : *capacity;
    return moved ? moved : array;
}

KalStatus kal_block_reserve(KalContext *ctx, KalBlock *block, size_t size)
{
    assert(block->size <= block->capacity);
    if (size > block->capacity - block->size) {
        const size_t needed = block->size + size;
        const size_t wanted = needed > SMALLEST ? needed : SMALLEST;
        void *moved = kal_grow(ctx, block->data, 1, wanted, &block->capacity);
        if (!moved) {
            return kal_no_memory(ctx, "for a block of %zu bytes", needed);
        }
        block->data = moved;
    }
    return KAL_OK;
}

KalStatus kal_block_add(KalContext *ctx, KalBlock *block, const void *data, size_t size)
{
    assert(data || size == 0);
    if (size == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_block_reserve(ctx, block, size));
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
