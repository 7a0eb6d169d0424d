// SPDX-License-Identifier: MIT

/// @file
/// The library's side of the context: the allocation gate and the error convention.
///
/// Nothing in the library calls malloc but the default allocator in context.c.  Sizes
/// are passed on freeing, so that the context knows at any time how much it holds.

#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <kalaba/context.h>

#include <stdarg.h>
#include <stdbool.h>

/// Keep the explanation and return the status: `return kal_fail(ctx, …)`.
KalStatus kal_fail(KalContext *ctx, KalStatus status, const char *format, ...)
    KAL_PRINTF(3, 4);

/// As kal_fail, for callers that were given their arguments themselves.
KalStatus kal_fail_v(KalContext *ctx, KalStatus status, const char *format,
                     va_list args) KAL_PRINTF(3, 0);

/// Fail with KAL_ERR_USAGE because a function was called without something that it needs,
/// or with a value that there is not.
/// The context may be what is missing.
KalStatus kal_fail_null(KalContext *ctx, const char *function);

/// Fail with KAL_ERR_NOMEM and the message "no memory …", which `purpose` completes: "for a
/// run", "to read %s".
KalStatus kal_no_memory(KalContext *ctx, const char *purpose, ...) KAL_PRINTF(2, 3);

/// A zeroed block of count × size bytes, or NULL when there is no memory or the product
/// does not fit.  A product of zero gives NULL too and needs no freeing.
void *kal_alloc(KalContext *ctx, size_t count, size_t size);

/// Let a block grow or shrink; new bytes are not zeroed.  NULL: the old one still holds.
void *kal_resize(KalContext *ctx, void *block, size_t old_size, size_t new_size);

/// Give back a block of `size` bytes.  NULL is allowed.
void kal_free(KalContext *ctx, void *block, size_t size);

/// Whether the C library has so many bytes to give.  Asked before calls of libraries that
/// take memory by themselves and end the program, or crash, when there is none.  It is no
/// promise: another thread may take them first.
bool kal_memory_is_there(size_t bytes);

/// Make a context for another thread: with the allocation function of a first, and what it
/// allows.  KAL_ERR_NOMEM, told nowhere.
KAL_CHECKED KalStatus kal_context_create_like(const KalContext *first,
                                              KalContext **out_ctx);

/// Whether programs made in the context may be machine code.
bool kal_context_native(const KalContext *ctx);

/// What a limit of models is in this context, that is usually so much.
size_t kal_usual_times(const KalContext *ctx, size_t limit);

/// Ask whoever watches whether to go on.  KAL_ERR_INTERRUPTED: no.
KAL_CHECKED KalStatus kal_ask(KalContext *ctx);

/// Have a function called when the context is destroyed: the last one that was given.  A
/// library that keeps memory for each thread gives that of the calling one back there, for
/// a context is of a thread and ends with its work.
void kal_context_at_end(KalContext *ctx, void (*call)(void));

/// One zeroed object of a type.
#define KAL_NEW(ctx, Type) ((Type *)kal_alloc((ctx), 1, sizeof(Type)))

/// Refuse a call whose arguments are not all there.  Public functions begin with it; what
/// they need themselves stands in the condition.
#define KAL_NEED(ctx, condition)                   \
    do {                                           \
        if (!(condition)) {                        \
            return kal_fail_null((ctx), __func__); \
        }                                          \
    } while (0)

/// Pass a failure on to the caller.
#define KAL_TRY(call)                            \
    do {                                         \
        const KalStatus kal_try_status = (call); \
        if (kal_try_status != KAL_OK) {          \
            return kal_try_status;               \
        }                                        \
    } while (0)

#endif
