// SPDX-License-Identifier: MIT

/// @file
/// An allocator that fails on demand and knows what is still held.

#ifndef SUPPORT_FAULT_H
#define SUPPORT_FAULT_H

#include <stdlib.h>

typedef struct Fault {
    long calls_left;   ///< allocations that still succeed; negative: all of them
    size_t live_bytes; ///< handed out and not given back
} Fault;

static inline void *fault_alloc(void *user, void *block, size_t old_size,
                                size_t new_size)
{
    Fault *fault = user;
    if (new_size == 0) {
        fault->live_bytes -= old_size;
        free(block);
        return NULL;
    }
    if (fault->calls_left == 0) {
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved) {
        fault->calls_left -= fault->calls_left > 0;
        fault->live_bytes += new_size - old_size;
    }
    return moved;
}

/// The number of allocations that succeed in the next turn of a loop that lets the first 0, 1,
/// 2, … succeed.  With KAL_TEST_SHARE, where sanitizers look on, the numbers from 50 on become
/// sparser: by a fiftieth of what they are.
static inline long fault_next(long calls)
{
    return calls + 1 + (getenv("KAL_TEST_SHARE") ? calls / 50 : 0);
}

#endif
