// SPDX-License-Identifier: MIT

#include "base/index.h"
#include "fault.h"
#include "tap.h"

enum {
    HASHES = 37,
    EACH = 50
};

static uint32_t hash_of(const void *owner, uint32_t number)
{
    (void)owner;
    return number % HASHES * UINT32_C(0x08000001);
}

static uint32_t times_three(const void *owner, uint32_t number)
{
    (void)owner;
    return 3 * number;
}

static uint32_t last_place(const void *owner, uint32_t number)
{
    (void)owner;
    (void)number;
    return UINT32_MAX;
}

// Things of one hash come in the order in which they were put, however many others are
// around them.
static void things_of_a_hash_come_in_order(void)
{
    const KalHashes hashes = {hash_of, NULL};

    KalContext *ctx = NULL;
    KalIndex index = {.places = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (uint32_t i = 0; i < HASHES * EACH; i++) {
        ok(kal_index_reserve(ctx, &index, i, &hashes));
        kal_index_put(&index, hash_of(NULL, i), i);
    }
    ok(index.count == HASHES * EACH && 3 * index.count <= 2 * index.n_places);
    for (uint32_t h = 0; h < HASHES; h++) {
        const uint32_t hash = hash_of(NULL, h);
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

// Also where they begin at the last place and go on at the first, while the table grows.
static void order_goes_on_from_the_first_place(void)
{
    enum {
        THINGS = 500
    };

    const KalHashes hashes = {last_place, NULL};
    KalContext *ctx = NULL;
    KalIndex index = {.places = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (uint32_t i = 0; i < THINGS; i++) {
        ok(kal_index_reserve(ctx, &index, i, &hashes));
        kal_index_put(&index, UINT32_MAX, i);
    }
    size_t at = kal_index_begin(&index, UINT32_MAX);
    ok(at == index.n_places - 1);
    uint32_t count = 0;
    for (uint32_t i = 0; kal_index_next(&index, UINT32_MAX, &at, &i); count++) {
        ok(i == count);
    }
    ok(count == THINGS);
    kal_index_clear(ctx, &index);
    kal_context_destroy(ctx);
}

// Numbers may be any below 2^32 − 1, and come in any order.
static void numbers_may_be_large(void)
{
    const uint32_t numbers[] = {5, UINT32_MAX - 1, 0, 1U << 31, 6, 1U << 20};
    const size_t n = sizeof numbers / sizeof numbers[0];
    const KalHashes hashes = {times_three, NULL};
    KalContext *ctx = NULL;
    KalIndex index = {.places = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (size_t i = 0; i < n; i++) {
        ok(kal_index_reserve(ctx, &index, numbers[i], &hashes));
        kal_index_put(&index, times_three(NULL, numbers[i]), numbers[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t hash = times_three(NULL, numbers[i]);
        size_t at = kal_index_begin(&index, hash);
        bool found = false;
        for (uint32_t k = 0; kal_index_next(&index, hash, &at, &k);) {
            found = found || k == numbers[i];
        }
        ok(found);
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

    const KalHashes hashes = {times_three, NULL};
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalIndex index = {.places = NULL};
    uint32_t found = 0;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    fault.calls_left = 0;
    ok(!kal_index_make(ctx, &index, THINGS) && !index.places);
    ok(!kal_index_reserve(ctx, &index, 0, &hashes) && !index.places);
    fault.calls_left = 1;
    ok(kal_index_make(ctx, &index, THINGS));
    for (uint32_t i = 0; i < THINGS; i++) {
        ok(kal_index_reserve(ctx, &index, i, &hashes));
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

TAP_RUN(TAP_CASE(things_of_a_hash_come_in_order),
        TAP_CASE(order_goes_on_from_the_first_place), TAP_CASE(numbers_may_be_large),
        TAP_CASE(an_empty_index_has_nothing), TAP_CASE(room_can_be_made_at_once),
        TAP_CASE(texts_have_known_hashes))
