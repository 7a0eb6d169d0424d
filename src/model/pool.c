// SPDX-License-Identifier: MIT

// A stack of chunks: what was allocated after a mark is released together.
//
// Invariants: `used` bytes of the top chunk are taken, and all of those below; one chunk
// that was emptied is kept as a spare, so that a loop around a chunk's end does not allocate
// in every pass.

#include "model/pool.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>

enum {
    FIRST = 1 << 12, // most models need no more, and pages take time
    CHUNK = 1 << 16
};

struct KalPoolChunk {
    alignas(max_align_t) KalPoolChunk *below;
    size_t size; // of what follows this head
};

// Free a chunk; NULL is allowed.
static void drop(KalPool *pool, KalPoolChunk *chunk)
{
    if (chunk) {
        assert(pool->bytes >= sizeof *chunk + chunk->size);
        pool->bytes -= sizeof *chunk + chunk->size;
        kal_free(pool->ctx, chunk, sizeof *chunk + chunk->size);
    }
}

// A chunk with room for `size` bytes: the spare one if it fits.
static KalPoolChunk *find_chunk(KalPool *pool, size_t size)
{
    KalPoolChunk *chunk = pool->spare;
    if (chunk && chunk->size >= size) {
        pool->spare = NULL;
        assert(chunk->size >= size);
        return chunk;
    }
    const size_t usual = pool->bytes == 0 ? FIRST : CHUNK;
    const size_t room = size > usual ? size : usual;
    chunk = (KalPoolChunk *)kal_alloc(pool->ctx, 1, sizeof *chunk + room);
    if (chunk) {
        chunk->size = room;
        pool->bytes += sizeof *chunk + room;
    }
    return chunk;
}

// A stack of chunks: pieces are given back all at once, down to a mark.
void *kal_pool_alloc(KalPool *pool, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t need = (size + align - 1) / align * align;
    if (!pool->top || pool->top->size - pool->used < need) {
        KalPoolChunk *chunk = find_chunk(pool, need);
        if (!chunk) {
            return NULL;
        }
        chunk->below = pool->top;
        pool->top = chunk;
        pool->used = 0;
    }
    assert(pool->top->size - pool->used >= need);
    void *piece = (unsigned char *)(pool->top + 1) + pool->used;
    pool->used += need;
    return piece;
}

KalPoolMark kal_pool_mark(const KalPool *pool)
{
    return (KalPoolMark){pool->top, pool->used};
}

void kal_pool_release(KalPool *pool, KalPoolMark mark)
{
    while (pool->top != mark.top) {
        assert(pool->top); // the mark is one of this pool
        KalPoolChunk *chunk = pool->top;
        pool->top = chunk->below;
        drop(pool, pool->spare);
        pool->spare = chunk;
    }
    assert(!pool->top || mark.used <= pool->top->size);
    pool->used = mark.used;
}

void kal_pool_clear(KalPool *pool)
{
    kal_pool_release(pool, (KalPoolMark){NULL, 0});
    drop(pool, pool->spare);
    pool->spare = NULL;
}
