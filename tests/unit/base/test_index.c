// SPDX-License-Identifier: MIT

#include "base/index.h"
#include "fault.h"
#include "tap.h"

// Things of one hash come in the order in which they were put, however many others are
// around them.
static void things_of_a_hash_come_in_order(void)
{
    enum {
        HASHES = 37,
        EACH = 50
    };

    KalContext *ctx = NULL;
    KalIndex index = {.places = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (uint32_t i = 0; i < HASHES * EACH; i++) {
        ok(kal_index_reserve(ctx, &index));
        kal_index_put(&index, i % HASHES * UINT32_C(0x08000001), i);
    }
    ok(index.count == HASHES * EACH && 3 * index.count <= 2 * index.n_places);
    for (uint32_t h = 0; h < HASHES; h++) {
        const uint32_t hash = h * UINT32_C(0x08000001);
        size_t at = kal_index_begin(&index, hash);
        uint32_t count = 0;
        for (uint32_t i = 0; kal_index_next(&index, hash, &at, &i); count++) {
            ok(i == count * HASHES + h);
        }
        ok(count == EACH);
    }
    kal_index_clear(ctx, &index);
    kal_context_destroy(ctx);
}

static void an_empty_index_has_nothing(void)
{
    const KalIndex index = {.places = NULL};
    size_t at = kal_index_begin(&index, 7);
    uint32_t i = 0;
    ok(!kal_index_next(&index, 7, &at, &i));
}

// Room that was made needs no more memory; without memory there is none.
static void room_can_be_made_at_once(void)
{
    enum {
        THINGS = 1000
    };

    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalIndex index = {.places = NULL};
    uint32_t found = 0;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    fault.calls_left = 0;
    ok(!kal_index_make(ctx, &index, THINGS) && !index.places);
    ok(!kal_index_reserve(ctx, &index) && !index.places);
    fault.calls_left = 1;
    ok(kal_index_make(ctx, &index, THINGS));
    for (uint32_t i = 0; i < THINGS; i++) {
        ok(kal_index_reserve(ctx, &index));
        kal_index_put(&index, 3 * i, i);
    }
    size_t at = kal_index_begin(&index, 3 * 8);
    ok(kal_index_next(&index, 3 * 8, &at, &found) && found == 8);
    ok(!kal_index_next(&index, 3 * 8, &at, &found));
    kal_index_clear(ctx, &index);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

// The published test values of FNV-1a with 64 bits.
static void texts_have_known_hashes(void)
{
    ok(kal_hash_text(KAL_HASH_BEGIN, "", 0) == UINT64_C(0xcbf29ce484222325));
    ok(kal_hash_text(KAL_HASH_BEGIN, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    ok(kal_hash_text(KAL_HASH_BEGIN, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    const uint64_t half = kal_hash_text(KAL_HASH_BEGIN, "foo", 3);
    ok(kal_hash_text(half, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

TAP_RUN(TAP_CASE(things_of_a_hash_come_in_order), TAP_CASE(an_empty_index_has_nothing),
        TAP_CASE(room_can_be_made_at_once), TAP_CASE(texts_have_known_hashes))
