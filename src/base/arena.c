// SPDX-License-Identifier: MIT

// Chunks in a list, of which the first is being filled; each is twice as large as the one
// before, up to LARGEST_CHUNK.  So n bytes take of the order of log n calls of the gate, and
// less than half of the memory is unused.  A piece that does not fit into what is left of a
// chunk gets a new one; the rest of the old one stays empty.

#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum {
    FIRST_CHUNK = 4096,
    LARGEST_CHUNK = 1 << 20 // chunks double up to this; larger pieces get their own
};

// A chunk's pieces follow its head.
typedef struct Chunk Chunk;

struct Chunk {
    alignas(max_align_t) Chunk *next;
    size_t size; // with this head
    size_t used;
};

struct KalArena {
    KalContext *ctx;
    Chunk *chunks; // the first one is being filled
    size_t limit;
    size_t bytes;
    size_t next_size;
};

KalStatus kal_arena_create(KalContext *ctx, size_t limit, KalArena **out_arena)
{
    assert(ctx && limit > 0 && out_arena);
    KalArena *arena = KAL_NEW(ctx, KalArena);
    if (!arena) {
        return kal_no_memory(ctx, "for an arena");
    }
    arena->ctx = ctx;
    arena->limit = limit;
    arena->next_size = FIRST_CHUNK;
    *out_arena = arena;
    return KAL_OK;
}

void kal_arena_destroy(KalArena *arena)
{
    if (!arena) {
        return;
    }
    while (arena->chunks) {
        Chunk *next = arena->chunks->next;
        kal_free(arena->ctx, arena->chunks, arena->chunks->size);
        arena->chunks = next;
    }
    kal_free(arena->ctx, arena, sizeof *arena);
}

// A chunk with room for `need` bytes, in front of the others.
static Chunk *add_chunk(KalArena *arena, size_t need)
{
    const size_t least = need + sizeof(Chunk);
    const size_t size = least > arena->next_size ? least : arena->next_size;
    if (least < need || size > arena->limit - arena->bytes) {
        return NULL;
    }
    Chunk *chunk = kal_alloc(arena->ctx, 1, size);
    if (!chunk) {
        return NULL;
    }
    chunk->next = arena->chunks;
    chunk->size = size;
    chunk->used = sizeof(Chunk);
    arena->chunks = chunk;
    arena->bytes += size;
    assert(arena->bytes <= arena->limit);
    if (arena->next_size < LARGEST_CHUNK) {
        arena->next_size *= 2;
    }
    return chunk;
}

// From the chunk at hand, or a new one; pieces are aligned for anything.
void *kal_arena_alloc(KalArena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - alignof(max_align_t)) / size) {
        return NULL;
    }
    const size_t align = alignof(max_align_t);
    const size_t need = (count * size + align - 1) / align * align;
    Chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < need) {
        chunk = add_chunk(arena, need);
    }
    if (!chunk) {
        return NULL;
    }
    assert(chunk->used % align == 0 && chunk->size - chunk->used >= need);
    void *piece = (unsigned char *)chunk + chunk->used;
    chunk->used += need;
    return piece;
}

// The newest chunk is the largest but for pieces with chunks of their own.
void kal_arena_reset(KalArena *arena)
{
    Chunk *kept = arena->chunks;
    while (kept && kept->next) {
        Chunk *older = kept->next;
        kept->next = older->next;
        arena->bytes -= older->size;
        kal_free(arena->ctx, older, older->size);
    }
    if (kept) {
        assert(kept->used >= sizeof(Chunk) && kept->used <= kept->size);
        memset(kept + 1, 0, kept->used - sizeof(Chunk));
        kept->used = sizeof(Chunk);
    }
}

size_t kal_arena_bytes(const KalArena *arena)
{
    return arena->bytes;
}
