// SPDX-License-Identifier: MIT

#include "base/map.h"
#include "fault.h"
#include "tap.h"

static void maps_find_what_was_set(void)
{
    KalContext *ctx = NULL;
    KalMap map = {.pairs = {.data = NULL}};
    uint64_t value = 0;
    int target = 0;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(!kal_map_find(&map, 7, &value));
    for (uint64_t i = 1; i <= 5000; i++) {
        ok(kal_map_set(ctx, &map, i * i << 20, i) == KAL_OK);
    }
    ok(kal_map_set(ctx, &map, 9U << 20, 42) == KAL_OK);
    ok(kal_map_count(&map) == 5000);
    for (uint64_t i = 1; i <= 5000; i++) {
        ok(kal_map_find(&map, i * i << 20, &value) && value == (i == 3 ? 42 : i));
    }
    ok(!kal_map_find(&map, 5, &value));
    ok(kal_map_set_pointer(ctx, &map, kal_map_key(&target), &target) == KAL_OK);
    ok(kal_map_find_pointer(&map, kal_map_key(&target)) == &target);
    ok(kal_map_find_pointer(&map, 5) == NULL);
    kal_map_clear(ctx, &map);
    kal_context_destroy(ctx);
}

static void zero_is_a_key_as_any_other(void)
{
    KalContext *ctx = NULL;
    KalMap map = {.pairs = {.data = NULL}};
    uint64_t value = 0;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(!kal_map_find(&map, 0, &value));
    ok(kal_map_set(ctx, &map, 0, 3) == KAL_OK);
    ok(kal_map_find(&map, 0, &value) && value == 3);
    ok(!kal_map_find(&map, 1, &value));
    bool known = false;
    ok(kal_map_add(ctx, &map, 0, 4, &known) == KAL_OK && known);
    ok(kal_map_find(&map, 0, &value) && value == 3);
    ok(kal_map_add(ctx, &map, 1, 4, &known) == KAL_OK && !known);
    ok(kal_map_find(&map, 1, &value) && value == 4);
    kal_map_clear(ctx, &map);
    kal_context_destroy(ctx);
}

// Whatever allocation fails, what was set before stays.
static void failing_leaves_the_map(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (int calls = 1; status != KAL_OK && calls < 100; calls++) {
        Fault fault = {.calls_left = calls};
        KalContext *ctx = NULL;
        KalMap map = {.pairs = {.data = NULL}};
        uint64_t value = 0;
        uint64_t i = 0;
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        for (status = KAL_OK; status == KAL_OK && i < 200; i++) {
            status = kal_map_set(ctx, &map, i, i + 7);
        }
        const uint64_t count = status == KAL_OK ? i : i - 1;
        ok(kal_map_count(&map) == count);
        for (uint64_t k = 0; k < count; k++) {
            ok(kal_map_find(&map, k, &value) && value == k + 7);
        }
        ok(!kal_map_find(&map, count, &value));
        kal_map_clear(ctx, &map);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(maps_find_what_was_set), TAP_CASE(zero_is_a_key_as_any_other),
        TAP_CASE(failing_leaves_the_map))
