// SPDX-License-Identifier: MIT

/// @file
/// The context: where memory comes from and where explanations go.
///
/// Every object of the library is made in a context and uses it for two things: all
/// memory passes through its one allocation function, and a failing call leaves its
/// explanation there.  There is no other state, in particular no global one.
///
/// A context, and what was made in it, belongs to one thread at a time.  Contexts are
/// small: give each thread its own.

#ifndef KALABA_CONTEXT_H
#define KALABA_CONTEXT_H

#include <kalaba/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where memory comes from and explanations go.
typedef struct KalContext KalContext;

/// Bytes of stack that suffice for any call and any text: texts that are nested so deeply
/// that they would need more are refused.  Four times as much for code that a sanitizer
/// instruments.
enum {
    KAL_STACK_SIZE = 512 << 10
};

/// The one way to memory.  `block` is NULL or what an earlier call returned for
/// `old_size` bytes; `new_size` 0 frees it and returns NULL; otherwise the answer is a
/// block of `new_size` bytes that begins with the old contents, or NULL if there is
/// none, and then the old block is still valid.  Alignment as from malloc.
typedef void *(*KalAllocFn)(void *user, void *block, size_t old_size, size_t new_size);

/// Make a context.  `alloc` may be NULL, for the C library's allocator; `user` is
/// passed to it as it is.  The caller owns the context and destroys it last.
KAL_API KAL_CHECKED KalStatus kal_context_create(KalAllocFn alloc, void *user,
                                                 KalContext **out_ctx);

/// Free a context.  NULL is allowed.  Everything made in it must be gone before.
KAL_API void kal_context_destroy(KalContext *ctx);

/// The explanation of the last failure: one or more sentences in plain text, "" if
/// nothing failed yet.  Borrowed until the next failing call in this context.
KAL_API const char *kal_context_message(const KalContext *ctx);

/// Bytes now allocated through the context, the context itself included.
KAL_API size_t kal_context_bytes(const KalContext *ctx);

/// Whether what is made in the context from now on may run as machine code, where the
/// processor and the system allow it; at first it may.  The answers are the same bits
/// either way.
KAL_API void kal_context_set_native(KalContext *ctx, bool native);

/// Whether models that are loaded in the context from now on may be sixteen times as large as
/// the usual limits allow; at first they may not, for their texts may be anybody's.  A chain
/// of a million bodies needs some 10 GB.
KAL_API void kal_context_set_huge(KalContext *ctx, bool huge);

/// Asked every now and then in calls that may take long; false: the call is to end.
typedef bool (*KalWatchFn)(void *user);

/// Have a function asked while models are loaded, consistent starts and equilibria are sought,
/// many states are solved, and whenever one of a large model is; if it says no, the call ends
/// with KAL_ERR_INTERRUPTED.  NULL: none, as at first.  Runs and sweeps have a watch of their
/// own in their options, which knows where they are and is asked from step to step.
KAL_API void kal_context_set_watch(KalContext *ctx, KalWatchFn watch, void *user);

/// How many blocks were asked for so far; a solve does not move this number.
KAL_API size_t kal_context_allocations(const KalContext *ctx);

#ifdef __cplusplus
}
#endif

#endif
