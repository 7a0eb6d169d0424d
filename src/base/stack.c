// SPDX-License-Identifier: MIT

// How deep recursion is, in bytes: the distance of the frame at hand from the one where it
// began.  It needs no knowledge of how large frames are or where a thread's stack ends; the
// budget is well below KAL_STACK_SIZE, so that what is called at the deepest has room too.

#include "base/stack.h"

#include <stddef.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

// Instrumented code has frames that are several times as large.
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static const size_t budget = (size_t)1536 << 10;
#else
static const size_t budget = (size_t)384 << 10;
#endif

// An address in the frame at hand.
static uintptr_t here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

KalStack kal_stack_begin(void)
{
    return (KalStack){here()};
}

// Stacks grow up or down.
bool kal_stack_has_room(KalStack stack)
{
    const uintptr_t now = here();
    return (now > stack.begin ? now - stack.begin : stack.begin - now) < budget;
}
