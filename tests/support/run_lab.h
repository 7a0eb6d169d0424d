// SPDX-License-Identifier: MIT

/// @file
/// Runs of models from texts, for tests.

#ifndef SUPPORT_RUN_LAB_H
#define SUPPORT_RUN_LAB_H

#include "fault.h"
#include "tap.h"

#include <kalaba/kalaba.h>

typedef struct Lab {
    Fault fault;
    KalContext *ctx;
    KalSystem *system;
    KalRunOptions options; ///< change them between load and go
    KalRun *run;
} Lab;

/// Load a text; false after a failure.
static inline bool lab_load_with(Lab *lab, const char *text, KalLoadOptions options)
{
    *lab = (Lab){.fault = {.calls_left = -1}};
    const bool loaded =
        kal_context_create(fault_alloc, &lab->fault, &lab->ctx) == KAL_OK
        && kal_system_load(lab->ctx, "test.kal", text, strlen(text), &options,
                           &lab->system)
               == KAL_OK;
    if (!ok(loaded)) {
        printf("# %s\n", lab->ctx ? kal_context_message(lab->ctx) : "no context");
        return false;
    }
    lab->options = kal_run_options(lab->system);
    return true;
}

/// Load a text for any method, with the balance of energy.
static inline bool lab_load(Lab *lab, const char *text)
{
    return lab_load_with(lab, text, (KalLoadOptions){.stiff = true, .balance = true});
}

static inline KalStatus lab_start(Lab *lab)
{
    KalStartReport report;
    const KalStatus status =
        kal_run_create(lab->ctx, lab->system, &lab->options, &lab->run);
    return status == KAL_OK ? kal_run_start(lab->run, &report) : status;
}

/// Start and go to the end.
static inline KalStatus lab_go(Lab *lab)
{
    const KalStatus status = lab_start(lab);
    return status == KAL_OK ? kal_run_advance(lab->run, lab->options.until) : status;
}

/// Load and go, where nothing may go wrong.
static inline bool lab_run(Lab *lab, const char *text)
{
    if (!lab_load(lab, text)) {
        return false;
    }
    const bool done = ok(lab_go(lab) == KAL_OK);
    if (!done) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
    return done;
}

/// Forget the run, to make another of the same system.
static inline void lab_again(Lab *lab)
{
    kal_run_destroy(lab->run);
    lab->run = NULL;
}

/// Free everything; nothing may be left.
static inline void lab_close(Lab *lab)
{
    kal_run_destroy(lab->run);
    kal_system_destroy(lab->system);
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
}

static inline double lab_q(Lab *lab, int i)
{
    return kal_instant_q(kal_run_instant(lab->run))[i];
}

static inline double lab_qd(Lab *lab, int i)
{
    return kal_instant_qd(kal_run_instant(lab->run))[i];
}

/// The k-th thing that happened, or "".
static inline const char *lab_incident(Lab *lab, size_t k)
{
    const KalIncident *incidents = NULL;
    return k < kal_run_incidents(lab->run, &incidents) ? incidents[k].text : "";
}

#endif
