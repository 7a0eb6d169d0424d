// SPDX-License-Identifier: MIT

#include "base/context.h"
#include "fault.h"
#include "tap.h"

#include <stdint.h>

static KalContext *make(Fault *fault)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(fault_alloc, fault, &ctx) == KAL_OK);
    return ctx;
}

static void a_new_context_holds_itself_and_no_message(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    ok(kal_context_bytes(ctx) == fault.live_bytes);
    ok(kal_context_bytes(ctx) > 0);
    ok(kal_context_allocations(ctx) == 1);
    same_text(kal_context_message(ctx), "");
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void without_an_allocator_the_one_of_libc_is_used(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    int *block = kal_alloc(ctx, 3, sizeof *block);
    ok(block && block[0] == 0 && block[2] == 0);
    kal_free(ctx, block, 3 * sizeof *block);
    kal_context_destroy(ctx);
    kal_context_destroy(NULL);
}

static void a_context_that_cannot_be_made_is_not_written(void)
{
    Fault fault = {.calls_left = 0};
    KalContext *const before = (KalContext *)&fault;
    KalContext *ctx = before;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_ERR_NOMEM);
    ok(ctx == before);
    ok(fault.live_bytes == 0);
}

// Bytes follow every block as it comes, grows, shrinks and goes; the count of blocks
// asked for only rises.
static void bytes_and_blocks_are_counted(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    const size_t own = kal_context_bytes(ctx);
    unsigned char *a = kal_alloc(ctx, 10, 8);
    double *b = KAL_NEW(ctx, double);
    ok(a && b && *b == 0.0);
    ok(kal_context_bytes(ctx) == own + 88);
    ok(kal_context_allocations(ctx) == 3);
    for (int i = 0; i < 80; i++) {
        ok(a[i] == 0);
        a[i] = (unsigned char)i;
    }

    a = kal_resize(ctx, a, 80, 200);
    ok(a && a[0] == 0 && a[79] == 79);
    ok(kal_context_bytes(ctx) == own + 208);
    a = kal_resize(ctx, a, 200, 16);
    ok(a && a[15] == 15);
    ok(kal_context_bytes(ctx) == own + 24);
    ok(kal_context_allocations(ctx) == 5);

    kal_free(ctx, a, 16);
    kal_free(ctx, NULL, 0);
    ok(kal_context_bytes(ctx) == own + 8);
    ok(kal_context_allocations(ctx) == 5);
    kal_free(ctx, b, sizeof *b);
    ok(kal_context_bytes(ctx) == own && fault.live_bytes == own);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void sizes_that_overflow_or_are_nothing_give_no_block(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    const size_t own = kal_context_bytes(ctx);
    ok(kal_alloc(ctx, 0, 8) == NULL);
    ok(kal_alloc(ctx, 8, 0) == NULL);
    ok(kal_alloc(ctx, SIZE_MAX / 2 + 1, 2) == NULL);
    ok(kal_alloc(ctx, 2, SIZE_MAX / 2 + 1) == NULL);
    ok(kal_alloc(ctx, SIZE_MAX, SIZE_MAX) == NULL);
    ok(kal_alloc(ctx, (SIZE_MAX >> 32) + 2, (SIZE_MAX >> 32) + 1) == NULL);
    ok(kal_context_bytes(ctx) == own);
    ok(kal_context_allocations(ctx) == 1);
    kal_context_destroy(ctx);
}

// A refused request changes nothing: not the counts, not the block that was to grow.
static void without_memory_the_old_block_still_holds(void)
{
    Fault fault = {.calls_left = 2};
    KalContext *ctx = make(&fault);
    char *block = kal_alloc(ctx, 1, 6);
    ok(block != NULL);
    memcpy(block, "spoke", 6);
    const size_t bytes = kal_context_bytes(ctx);
    ok(kal_alloc(ctx, 1, 1) == NULL);
    ok(kal_resize(ctx, block, 6, 1000) == NULL);
    same_text(block, "spoke");
    ok(kal_context_bytes(ctx) == bytes);
    ok(kal_context_allocations(ctx) == 2);
    kal_free(ctx, block, 6);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void a_failure_returns_its_status_and_leaves_its_message(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    ok(kal_fail(ctx, KAL_ERR_SHAPE, "%d rows of %s", 3, "A") == KAL_ERR_SHAPE);
    same_text(kal_context_message(ctx), "3 rows of A");
    ok(kal_fail(ctx, KAL_ERR_LIMIT, "no") == KAL_ERR_LIMIT);
    same_text(kal_context_message(ctx), "no");
    ok(kal_context_allocations(ctx) == 1);
    kal_context_destroy(ctx);
}

static KalStatus first(KalStatus status)
{
    KAL_TRY(status);
    return KAL_ERR_USAGE;
}

static void a_failure_is_passed_on_and_success_goes_on(void)
{
    ok(first(KAL_ERR_NUMBER) == KAL_ERR_NUMBER);
    ok(first(KAL_OK) == KAL_ERR_USAGE);
}

// What does not fit is cut and says so; what just fits is whole.
static void a_message_too_long_is_cut_with_dots(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    static char text[10000];
    memset(text, 'x', sizeof text - 1);
    ok(kal_fail(ctx, KAL_ERR_FILE, "%s", text) == KAL_ERR_FILE);
    const size_t room = strlen(kal_context_message(ctx));
    ok(room >= 1000 && room < sizeof text - 1);
    same_text(kal_context_message(ctx) + room - 4, "x...");

    ok(kal_fail(ctx, KAL_ERR_FILE, "%.*s", (int)room, text) == KAL_ERR_FILE);
    ok(strlen(kal_context_message(ctx)) == room);
    same_text(kal_context_message(ctx) + room - 4, "xxxx");
    kal_context_destroy(ctx);
}

// A cut never leaves half a character: with é filling the message from an even or an odd
// start, the text before the dots is whole characters.
static void a_message_is_not_cut_inside_a_character(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    static char text[10001];
    for (size_t i = 0; i < sizeof text - 1; i += 2) {
        memcpy(text + i, "\xc3\xa9", 2);
    }
    for (int odd = 0; odd < 2; odd++) {
        ok(kal_fail(ctx, KAL_ERR_FILE, "%s%s", odd ? "o" : "", text) == KAL_ERR_FILE);
        const char *message = kal_context_message(ctx);
        const size_t length = strlen(message) - 3;
        same_text(message + length, "...");
        ok((length - (size_t)odd) % 2 == 0);
        ok((unsigned char)message[length - 1] == 0xa9U);
    }
    kal_context_destroy(ctx);
}

// Limits of models are sixteen times as high where that was allowed, also in contexts of
// other threads.
static void limits_are_higher_where_that_is_allowed(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = make(&fault);
    KalContext *other = NULL;
    ok(kal_usual_times(ctx, 100) == 100);
    kal_context_set_huge(ctx, true);
    ok(kal_usual_times(ctx, 100) == 1600);
    ok(kal_context_create_like(ctx, &other) == KAL_OK);
    ok(kal_usual_times(other, 100) == 1600);
    kal_context_set_huge(ctx, false);
    kal_context_set_huge(NULL, true);
    ok(kal_usual_times(ctx, 100) == 100);
    kal_context_destroy(other);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_new_context_holds_itself_and_no_message),
        TAP_CASE(without_an_allocator_the_one_of_libc_is_used),
        TAP_CASE(a_context_that_cannot_be_made_is_not_written),
        TAP_CASE(bytes_and_blocks_are_counted),
        TAP_CASE(sizes_that_overflow_or_are_nothing_give_no_block),
        TAP_CASE(without_memory_the_old_block_still_holds),
        TAP_CASE(a_failure_returns_its_status_and_leaves_its_message),
        TAP_CASE(a_failure_is_passed_on_and_success_goes_on),
        TAP_CASE(a_message_too_long_is_cut_with_dots),
        TAP_CASE(a_message_is_not_cut_inside_a_character),
        TAP_CASE(limits_are_higher_where_that_is_allowed))
