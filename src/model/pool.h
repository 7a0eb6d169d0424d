// SPDX-License-Identifier: MIT

/// @file
/// Memory that is given back in the opposite order, like a stack.

#ifndef MODEL_POOL_H
#define MODEL_POOL_H

#include "base/context.h"

typedef struct KalPoolChunk KalPoolChunk;

/// Zeroed, with a context, is empty.
typedef struct KalPool {
    KalContext *ctx;
    KalPoolChunk *top;   ///< the one being filled
    KalPoolChunk *spare; ///< an empty one, so that a border is not crossed in vain
    size_t used;         ///< bytes of `top`
    size_t bytes;        ///< taken from the context
} KalPool;

/// A height of the stack.
typedef struct KalPoolMark {
    KalPoolChunk *top;
    size_t used;
} KalPoolMark;

/// A piece of memory, not zeroed and aligned for any type; NULL when there is none.
void *kal_pool_alloc(KalPool *pool, size_t size);

/// The present height.
KalPoolMark kal_pool_mark(const KalPool *pool);

/// Give back all that was taken since the mark.
void kal_pool_release(KalPool *pool, KalPoolMark mark);

/// Give everything back.
void kal_pool_clear(KalPool *pool);

#endif
