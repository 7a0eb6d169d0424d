// SPDX-License-Identifier: MIT

// The context: the allocation gate and the last message.
//
// Invariants: `bytes` is the sum of the sizes of all live blocks with that of the context
// itself, which the gate keeps by being told the size of everything that is freed; so a
// context at its end holds itself alone, and whoever forgot a block is found out.

#include "base/context.h"

#include "base/limits.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MESSAGE_SIZE = 4096,
    HUGE_TIMES = 16 // as large as usual
};

struct KalContext {
    KalAllocFn alloc;
    void *user;
    size_t bytes;       // live, this struct included
    size_t allocations; // blocks handed out so far
    bool native;        // machine code may be made
    bool huge;          // models may be larger than usual
    size_t divisor;     // of the limits of models: 1 but in tests
    void (*at_end)(void);
    KalWatchFn watch; // or NULL
    void *watch_user;
    char message[MESSAGE_SIZE];
};

// The gate of those who give none: Lua's shape, one function for all three acts.
static void *libc_alloc(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

KalStatus kal_context_create(KalAllocFn alloc, void *user, KalContext **out_ctx)
{
    if (!out_ctx) {
        return KAL_ERR_USAGE;
    }
    if (!alloc) {
        alloc = libc_alloc;
    }
    KalContext *ctx = alloc(user, NULL, 0, sizeof *ctx);
    if (!ctx) {
        return KAL_ERR_NOMEM;
    }
    memset(ctx, 0, sizeof *ctx);
    ctx->alloc = alloc;
    ctx->user = user;
    ctx->bytes = sizeof *ctx;
    ctx->allocations = 1;
    ctx->native = true;
    ctx->divisor = 1;
    *out_ctx = ctx;
    return KAL_OK;
}

KalStatus kal_context_create_like(const KalContext *first, KalContext **out_ctx)
{
    assert(first && out_ctx);
    KAL_TRY(kal_context_create(first->alloc, first->user, out_ctx));
    (*out_ctx)->native = first->native;
    (*out_ctx)->huge = first->huge;
    (*out_ctx)->divisor = first->divisor;
    return KAL_OK;
}

void kal_context_destroy(KalContext *ctx)
{
    if (ctx) {
        assert(ctx->bytes == sizeof *ctx
               && "something made in the context is still there");
        if (ctx->at_end) {
            ctx->at_end();
        }
        ctx->alloc(ctx->user, ctx, sizeof *ctx, 0);
    }
}

void kal_context_set_native(KalContext *ctx, bool native)
{
    if (ctx) {
        ctx->native = native;
    }
}

bool kal_context_native(const KalContext *ctx)
{
    return ctx->native;
}

void kal_context_set_huge(KalContext *ctx, bool huge)
{
    if (ctx) {
        ctx->huge = huge;
    }
}

void kal_context_divide_limits(KalContext *ctx, size_t divisor)
{
    assert(ctx && divisor > 0);
    ctx->divisor = divisor;
}

size_t kal_usual_times(const KalContext *ctx, size_t limit)
{
    return (ctx->huge ? HUGE_TIMES * limit : limit) / ctx->divisor;
}

void kal_context_set_watch(KalContext *ctx, KalWatchFn watch, void *user)
{
    if (ctx) {
        ctx->watch = watch;
        ctx->watch_user = user;
    }
}

KalStatus kal_ask(KalContext *ctx)
{
    return !ctx->watch || ctx->watch(ctx->watch_user)
               ? KAL_OK
               : kal_fail(ctx, KAL_ERR_INTERRUPTED, "interrupted");
}

void kal_context_at_end(KalContext *ctx, void (*call)(void))
{
    ctx->at_end = call;
}

const char *kal_context_message(const KalContext *ctx)
{
    if (!ctx) {
        return "";
    }
    return ctx->message;
}

size_t kal_context_bytes(const KalContext *ctx)
{
    if (!ctx) {
        return 0;
    }
    return ctx->bytes;
}

size_t kal_context_allocations(const KalContext *ctx)
{
    if (!ctx) {
        return 0;
    }
    return ctx->allocations;
}

// A message that is too long ends with dots, not inside a character.
KalStatus kal_fail_v(KalContext *ctx, KalStatus status, const char *format,
                     va_list args)
{
    assert(status != KAL_OK);
    const int length = vsnprintf(ctx->message, MESSAGE_SIZE, format, args);
    if (length >= MESSAGE_SIZE) {
        size_t end = MESSAGE_SIZE - 4;
        while (end > 0 && ((unsigned char)ctx->message[end] & 0xC0U) == 0x80U) {
            end--; // not inside a UTF-8 character
        }
        memcpy(ctx->message + end, "...", 4);
    }
    return status;
}

KalStatus kal_fail(KalContext *ctx, KalStatus status, const char *format, ...)
{
    assert(ctx && format);
    va_list args;
    va_start(args, format);
    kal_fail_v(ctx, status, format, args);
    va_end(args);
    return status;
}

KalStatus kal_fail_null(KalContext *ctx, const char *function)
{
    assert(function);
    return ctx ? kal_fail(ctx, KAL_ERR_USAGE,
                          "%s(): an argument is NULL that must not be, or has a value "
                          "that it cannot have",
                          function)
               : KAL_ERR_USAGE;
}

KalStatus kal_no_memory(KalContext *ctx, const char *purpose, ...)
{
    assert(ctx && purpose);
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, purpose);
    (void)vsnprintf(text, sizeof text, purpose, args);
    va_end(args);
    return kal_fail(ctx, KAL_ERR_NOMEM, "no memory %s", text);
}

void *kal_resize(KalContext *ctx, void *block, size_t old_size, size_t new_size)
{
    assert(ctx && ctx->alloc);
    assert(new_size > 0);
    assert(!block == (old_size == 0)); // a new block has no old size
    void *moved = ctx->alloc(ctx->user, block, old_size, new_size);
    if (moved) {
        ctx->bytes += new_size - old_size;
        ctx->allocations++;
    }
    return moved;
}

bool kal_memory_is_there(size_t bytes)
{
    void *volatile block = malloc(bytes); // the compiler must not see through it
    free(block);
    return block != NULL;
}

void *kal_alloc(KalContext *ctx, size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size) {
        return NULL;
    }
    void *block = kal_resize(ctx, NULL, 0, count * size);
    if (block) {
        memset(block, 0, count * size);
    }
    return block;
}

void kal_free(KalContext *ctx, void *block, size_t size)
{
    if (block) {
        assert(ctx->bytes >= size);
        assert(size > 0);
        ctx->bytes -= size;
        ctx->alloc(ctx->user, block, size, 0);
    }
}
