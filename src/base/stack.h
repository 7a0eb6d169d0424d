// SPDX-License-Identifier: MIT

/// @file
/// How much of the stack a recursion may take, in bytes: what a level takes depends on the
/// compiler, and a thread that embeds the library may have a small stack.

#ifndef BASE_STACK_H
#define BASE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/// Where a recursion began.
typedef struct KalStack {
    uintptr_t begin;
} KalStack;

/// The place of the stack that a recursion begins at.
KalStack kal_stack_begin(void);

/// Whether a recursion may go deeper.  What comes after its last level, such as telling of
/// the failure, is not counted.
bool kal_stack_has_room(KalStack stack);

#endif
