// SPDX-License-Identifier: MIT

// Two passes over one layout: count, then carve (base/workspace.h).

#include "base/workspace.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define HAS_GUARDS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_GUARDS 1
#endif
#endif

// A gap behind each piece, which the sanitizer watches.
#ifdef HAS_GUARDS
#include <sanitizer/asan_interface.h>

enum {
    GUARD = KAL_PIECE_ALIGNMENT
};

static void forbid(const void *start, const void *end)
{
    __asan_poison_memory_region(start,
                                (size_t)((const char *)end - (const char *)start));
}

static void allow(const KalWorkspace *workspace)
{
    __asan_unpoison_memory_region(workspace->block, workspace->size);
}
#else
enum {
    GUARD = 0
};

static void forbid(const void *start, const void *end)
{
    (void)start;
    (void)end;
}

static void allow(const KalWorkspace *workspace)
{
    (void)workspace;
}
#endif

// Room for a piece and its gap, in whole multiples of the alignment; false when the sum of
// all is beyond what a size can say.
static bool add_piece(KalCarver *carver, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)
        || __builtin_add_overflow(bytes, KAL_PIECE_ALIGNMENT - 1 + GUARD, &bytes)
        || __builtin_add_overflow(carver->used,
                                  bytes / KAL_PIECE_ALIGNMENT * KAL_PIECE_ALIGNMENT,
                                  &carver->used)) {
        carver->used = SIZE_MAX;
        return false;
    }
    return true;
}

void *kal_carve(KalCarver *carver, size_t count, size_t size)
{
    const size_t start = carver->used;
    if (start == SIZE_MAX || !add_piece(carver, count, size) || !carver->block) {
        return NULL;
    }
    unsigned char *piece = carver->block + start;
    forbid(piece + count * size, carver->block + carver->used);
    return piece;
}

double *kal_carve_doubles(KalCarver *carver, size_t rows, size_t columns)
{
    assert(columns <= SIZE_MAX / sizeof(double));
    return (double *)kal_carve(carver, rows, columns * sizeof(double));
}

int *kal_carve_ints(KalCarver *carver, size_t count)
{
    return (int *)kal_carve(carver, count, sizeof(int));
}

bool *kal_carve_bools(KalCarver *carver, size_t count)
{
    return (bool *)kal_carve(carver, count, sizeof(bool));
}

const char **kal_carve_names(KalCarver *carver, size_t count)
{
    return (const char **)kal_carve(carver, count, sizeof(const char *));
}

// Both passes.  The block has room for one alignment more, since the context may give
// memory that begins anywhere.
static KalStatus make(KalContext *ctx, const char *purpose, KalLayOutFn lay_out,
                      void *owner, bool zeroed, KalWorkspace *out_workspace)
{
    KalCarver carver = {.block = NULL, .used = 0};
    lay_out(&carver, owner);
    const size_t counted = carver.used;
    size_t size = 0;
    void *block = NULL;
    if (!__builtin_add_overflow(counted, KAL_PIECE_ALIGNMENT, &size)) {
        block = zeroed ? kal_alloc(ctx, 1, size) : kal_resize(ctx, NULL, 0, size);
    }
    if (!block) {
        return kal_no_memory(ctx, "%s", purpose);
    }
    const size_t beyond = (uintptr_t)block % KAL_PIECE_ALIGNMENT;
    carver.block =
        (unsigned char *)block + (KAL_PIECE_ALIGNMENT - beyond) % KAL_PIECE_ALIGNMENT;
    carver.used = 0;
    lay_out(&carver, owner);
    assert(carver.used == counted); // both passes asked for the same
    *out_workspace = (KalWorkspace){.block = block, .size = size};
    return KAL_OK;
}

KalStatus kal_workspace_make(KalContext *ctx, const char *purpose, KalLayOutFn lay_out,
                             void *owner, KalWorkspace *out_workspace)
{
    return make(ctx, purpose, lay_out, owner, true, out_workspace);
}

KalStatus kal_workspace_make_raw(KalContext *ctx, const char *purpose,
                                 KalLayOutFn lay_out, void *owner,
                                 KalWorkspace *out_workspace)
{
    return make(ctx, purpose, lay_out, owner, false, out_workspace);
}

void kal_workspace_clear(KalContext *ctx, KalWorkspace *workspace)
{
    if (workspace->block) {
        allow(workspace);
        kal_free(ctx, workspace->block, workspace->size);
        *workspace = (KalWorkspace){.block = NULL};
    }
}
