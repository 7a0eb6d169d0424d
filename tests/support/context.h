// SPDX-License-Identifier: MIT

/// @file
/// A context for a test that asks for nothing special.

#ifndef SUPPORT_CONTEXT_H
#define SUPPORT_CONTEXT_H

#include "tap.h"

#include <kalaba/context.h>

/// A context with the allocator of the C library.  The caller destroys it.
static inline KalContext *new_context(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    return ctx;
}

#endif
