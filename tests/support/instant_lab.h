// SPDX-License-Identifier: MIT

/// @file
/// A model from a text with an instant of it, for tests.

#ifndef SUPPORT_INSTANT_LAB_H
#define SUPPORT_INSTANT_LAB_H

#include "fault.h"
#include "tap.h"

#include <kalaba/kalaba.h>

typedef struct Lab {
    Fault fault;
    KalContext *ctx;
    KalSystem *system;
    KalInstant *instant;
} Lab;

/// Load a text; false after a failure, whose message the context has.
static inline bool lab_open(Lab *lab, const char *text)
{
    *lab = (Lab){.fault = {.calls_left = -1}};
    return kal_context_create(fault_alloc, &lab->fault, &lab->ctx) == KAL_OK
           && kal_system_load(lab->ctx, "test.kal", text, strlen(text), NULL,
                              &lab->system)
                  == KAL_OK
           && kal_instant_create(lab->ctx, lab->system, &lab->instant) == KAL_OK;
}

/// Free everything; nothing may be left.
static inline void lab_close(Lab *lab)
{
    kal_instant_destroy(lab->instant);
    kal_system_destroy(lab->system);
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
}

/// As lab_open, where nothing may go wrong.
static inline bool lab_expect(Lab *lab, const char *text)
{
    const bool opened = lab_open(lab, text);
    if (!ok(opened)) {
        printf("# %s\n", lab->ctx ? kal_context_message(lab->ctx) : "no context");
        lab_close(lab);
    }
    return opened;
}

#endif
