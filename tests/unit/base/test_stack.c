// SPDX-License-Identifier: MIT

#include "base/stack.h"
#include "tap.h"

enum {
    FRAME = 1024,
    MOST = 10000
};

// NOLINTNEXTLINE(misc-no-recursion): this is what is tested
static int descend(KalStack stack, int level)
{
    volatile char frame[FRAME];
    frame[level % FRAME] = 1;
    if (!kal_stack_has_room(stack) || level == MOST) {
        return level;
    }
    return descend(stack, level + 1) + frame[level % FRAME] - 1;
}

static void bytes_end_a_recursion(void)
{
    const int levels = descend(kal_stack_begin(), 0);
    ok(levels > 10 && levels < MOST);
}

static void there_is_room_at_the_beginning(void)
{
    ok(kal_stack_has_room(kal_stack_begin()));
}

TAP_RUN(TAP_CASE(bytes_end_a_recursion), TAP_CASE(there_is_room_at_the_beginning))
