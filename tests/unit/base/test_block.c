// SPDX-License-Identifier: MIT

#include "base/block.h"
#include "fault.h"
#include "tap.h"

#include <stdint.h>

static void keeps_what_was_added(void)
{
    KalContext *ctx = NULL;
    KalBlock block = {.data = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int i = 0; i < 1000; i++) {
        ok(kal_block_add(ctx, &block, &i, sizeof i) == KAL_OK);
    }
    const int *values = block.data;
    ok(block.size == 1000 * sizeof(int));
    for (int i = 0; i < 1000; i++) {
        ok(values[i] == i);
    }
    ok(block.capacity < 2 * block.size + 64);
    kal_block_clear(ctx, &block);
    ok(block.data == NULL && block.size == 0 && block.capacity == 0);
    kal_context_destroy(ctx);
}

static void adding_nothing_allocates_nothing(void)
{
    KalContext *ctx = NULL;
    KalBlock block = {.data = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_block_add(ctx, &block, NULL, 0) == KAL_OK);
    ok(block.data == NULL);
    kal_context_destroy(ctx);
}

static void failing_to_grow_leaves_the_block(void)
{
    Fault fault = {.calls_left = 2}; // the context and the first piece
    KalContext *ctx = NULL;
    KalBlock block = {.data = NULL};
    const char text[100] = "abc";
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_block_add(ctx, &block, text, 4) == KAL_OK);
    ok(kal_block_add(ctx, &block, text, sizeof text) == KAL_ERR_NOMEM);
    has_text(kal_context_message(ctx), "no memory for a block");
    ok(block.size == 4);
    same_text(block.data, "abc");
    kal_block_clear(ctx, &block);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

// Capacities double, those above a megabyte by a quarter, unless more is wanted; they can be
// given back; and sizes that no memory can have are refused.
static void arrays_grow(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    size_t capacity = 0;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    double *array = kal_grow(ctx, NULL, sizeof *array, 5, &capacity);
    if (!ok(array && capacity == 5)) {
        return;
    }
    array[4] = 7.0;
    array = kal_grow(ctx, array, sizeof *array, 6, &capacity);
    ok(array && capacity == 10 && array[4] == 7.0);
    array = kal_grow(ctx, array, sizeof *array, 100, &capacity);
    ok(array && capacity == 100 && array[4] == 7.0);
    array = kal_grow(ctx, array, sizeof *array, 1 << 20, &capacity);
    array = kal_grow(ctx, array, sizeof *array, (1 << 20) + 1, &capacity);
    ok(array && capacity == (1 << 20) + (1 << 18) && array[4] == 7.0);
    fault.calls_left = 0;
    array = kal_trim(ctx, array, sizeof *array, 100, &capacity);
    ok(array && capacity == (1 << 20) + (1 << 18));
    fault.calls_left = -1;
    array = kal_trim(ctx, array, sizeof *array, 100, &capacity);
    ok(array && capacity == 100 && array[4] == 7.0);
    ok(!kal_grow(ctx, array, sizeof *array, SIZE_MAX / 4, &capacity));
    fault.calls_left = 0;
    ok(!kal_grow(ctx, array, sizeof *array, 101, &capacity));
    ok(capacity == 100 && array[4] == 7.0);
    fault.calls_left = -1;
    kal_free(ctx, array, capacity * sizeof *array);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

TAP_RUN(TAP_CASE(keeps_what_was_added), TAP_CASE(adding_nothing_allocates_nothing),
        TAP_CASE(failing_to_grow_leaves_the_block), TAP_CASE(arrays_grow))
