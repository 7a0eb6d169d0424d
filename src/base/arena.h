// SPDX-License-Identifier: MIT

/// @file
/// Memory for things that live and die together.
///
/// An arena hands out zeroed pieces and frees them all at once; nothing in it is freed
/// alone, and nothing moves.  It has a limit, so that untrusted input cannot make it grow
/// without bound.

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/context.h"

#include <stddef.h>

typedef struct KalArena KalArena;

/// Make an arena that will take at most `limit` bytes from the context.
KAL_CHECKED KalStatus kal_arena_create(KalContext *ctx, size_t limit,
                                       KalArena **out_arena);

/// Free the arena and all that came from it.  NULL is allowed.
void kal_arena_destroy(KalArena *arena);

/// A zeroed piece of count × size bytes, aligned for any type; NULL when memory or the
/// limit is exhausted, or the product does not fit.  A product of zero gives a piece that
/// may not be used.
void *kal_arena_alloc(KalArena *arena, size_t count, size_t size);

/// Take back all pieces; memory for as many again stays.
void kal_arena_reset(KalArena *arena);

/// Bytes taken from the context so far.
size_t kal_arena_bytes(const KalArena *arena);

#endif
