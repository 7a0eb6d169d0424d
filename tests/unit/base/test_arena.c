// SPDX-License-Identifier: MIT

#include "base/arena.h"
#include "fault.h"
#include "rng.h"
#include "tap.h"

#include <stdint.h>

static void pieces_are_zeroed_aligned_and_apart(void)
{
    enum {
        PIECES = 2000
    };

    static unsigned char *piece[PIECES];
    static size_t size[PIECES];
    KalContext *ctx;
    KalArena *arena;
    Rng rng = {7};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_arena_create(ctx, (size_t)1 << 30, &arena) == KAL_OK);
    for (int i = 0; i < PIECES; i++) {
        size[i] = (size_t)rng_int(&rng, 1, i % 100 == 0 ? 100000 : 100);
        piece[i] = kal_arena_alloc(arena, size[i], 1);
        ok(piece[i] && (uintptr_t)piece[i] % _Alignof(max_align_t) == 0);
        for (size_t k = 0; k < size[i]; k++) {
            ok(piece[i][k] == 0);
        }
        memset(piece[i], i % 251 + 1, size[i]);
    }
    for (int i = 0; i < PIECES; i++) { // nobody wrote into somebody else's piece
        ok(piece[i][0] == i % 251 + 1 && piece[i][size[i] - 1] == i % 251 + 1);
    }
    ok(kal_arena_bytes(arena) <= kal_context_bytes(ctx));
    kal_arena_destroy(arena);
    kal_arena_destroy(NULL);
    kal_context_destroy(ctx);
}

static void the_limit_holds(void)
{
    KalContext *ctx;
    KalArena *arena;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_arena_create(ctx, 10000, &arena) == KAL_OK);
    int pieces = 0;
    while (pieces < 1000 && kal_arena_alloc(arena, 10, 10)) {
        pieces++;
    }
    ok(pieces > 20 && pieces <= 100);
    ok(kal_arena_bytes(arena) <= 10000);
    ok(!kal_arena_alloc(arena, SIZE_MAX / 2, 3));
    ok(!kal_arena_alloc(arena, SIZE_MAX, 1));
    kal_arena_destroy(arena);
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    for (long n = 1; n < 10; n++) {
        Fault fault = {.calls_left = n};
        KalContext *ctx;
        KalArena *arena = NULL;
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        if (kal_arena_create(ctx, (size_t)1 << 20, &arena) == KAL_OK) {
            int pieces = 0;
            while (pieces < 100 && kal_arena_alloc(arena, 1, 3000)) {
                pieces++;
            }
            ok(pieces < 100 || n > 5);
        }
        kal_arena_destroy(arena);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
}

// However often, pieces are zeroed again and memory does not grow.
static void pieces_can_be_taken_back(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalArena *arena = NULL;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_arena_create(ctx, 100000, &arena) == KAL_OK);
    kal_arena_reset(arena); // of nothing
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 50; i++) {
            unsigned char *piece = kal_arena_alloc(arena, 1000, 1);
            if (!ok(piece && piece[0] == 0 && piece[999] == 0)) {
                break;
            }
            memset(piece, 0xFF, 1000);
        }
        kal_arena_reset(arena);
        ok(kal_arena_bytes(arena) <= 70000);
    }
    kal_arena_destroy(arena);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

TAP_RUN(TAP_CASE(pieces_are_zeroed_aligned_and_apart), TAP_CASE(the_limit_holds),
        TAP_CASE(pieces_can_be_taken_back), TAP_CASE(every_allocation_may_fail))
