// SPDX-License-Identifier: MIT

/// @file
/// Every allocation of a thing that is made and freed again may fail.

#ifndef SUPPORT_ALLOCATIONS_H
#define SUPPORT_ALLOCATIONS_H

#include "fault.h"
#include "tap.h"

#include <kalaba/context.h>

/// Make and free something in a context of which the first 0, 1, 2, … allocations succeed, until
/// it can be made; nothing may be held afterwards.
static inline void try_allocations(KalStatus (*make_and_free)(KalContext *ctx))
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 1000; n = fault_next(n)) {
        Fault fault = {.calls_left = n};
        KalContext *ctx = NULL;
        status = kal_context_create(fault_alloc, &fault, &ctx);
        if (status == KAL_OK) {
            status = make_and_free(ctx);
        }
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

#endif
