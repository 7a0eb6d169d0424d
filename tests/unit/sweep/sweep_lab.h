// SPDX-License-Identifier: MIT

/// @file
/// Sweeps of models from texts, for tests.

#ifndef SWEEP_LAB_H
#define SWEEP_LAB_H

#include "fault.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
    LAB_ROWS = 1000,
    LAB_NUMBERS = 16 ///< inputs, and values, of a row
};

/// A row that was taken.
typedef struct LabRow {
    int times; ///< it came
    double inputs[LAB_NUMBERS];
    double values[LAB_NUMBERS];
    KalStatus status;
    char reason[KAL_SWEEP_REASON_SIZE];
} LabRow;

typedef struct SweepLab {
    Fault fault;
    KalContext *ctx;
    const char *text;
    KalSystem *system;
    KalSweep *sweep;
    LabRow rows[LAB_ROWS]; ///< by their numbers, from 0
} SweepLab;

static inline KalStatus sweep_lab_load(void *user, const KalOverride *overrides,
                                       size_t n, KalSystem **out_system)
{
    SweepLab *lab = (SweepLab *)user;
    const KalLoadOptions options = {.overrides = overrides, .n_overrides = n};
    return kal_system_load(lab->ctx, "test.kal", lab->text, strlen(lab->text), &options,
                           out_system);
}

/// Load a text; so many allocations succeed.  Negative: all, and threads may share the
/// context's allocator.
static inline KalStatus sweep_lab_open(SweepLab *lab, const char *text, long calls)
{
    *lab = (SweepLab){.fault = {.calls_left = calls}, .text = text};
    const KalStatus status =
        kal_context_create(calls < 0 ? NULL : fault_alloc, &lab->fault, &lab->ctx);
    return status == KAL_OK ? sweep_lab_load(lab, NULL, 0, &lab->system) : status;
}

static inline KalStatus sweep_lab_plan(SweepLab *lab, KalSweepOptions options)
{
    options.load = sweep_lab_load;
    options.user = lab;
    kal_sweep_destroy(lab->sweep);
    lab->sweep = NULL;
    return kal_sweep_create(lab->ctx, lab->system, &options, &lab->sweep);
}

static inline KalStatus sweep_lab_take(void *user, const KalSweepRow *row)
{
    SweepLab *lab = (SweepLab *)user;
    const size_t inputs = kal_sweep_inputs(lab->sweep);
    const size_t values = kal_sweep_kept(lab->sweep);
    if (!ok(row->run >= 1 && row->run <= LAB_ROWS && inputs <= LAB_NUMBERS
            && values <= LAB_NUMBERS)) {
        return KAL_ERR_USAGE;
    }
    LabRow *kept = &lab->rows[row->run - 1];
    kept->times++;
    kept->status = row->status;
    memcpy(kept->inputs, row->inputs, inputs * sizeof(double));
    memcpy(kept->values, row->values, values * sizeof(double));
    (void)snprintf(kept->reason, sizeof kept->reason, "%s", row->reason);
    return KAL_OK;
}

static inline KalStatus sweep_lab_go(SweepLab *lab, KalSweepJob job)
{
    job.take = sweep_lab_take;
    job.user = lab;
    memset(lab->rows, 0, sizeof lab->rows);
    return kal_sweep_go(lab->sweep, &job);
}

static inline void sweep_lab_close(SweepLab *lab)
{
    kal_sweep_destroy(lab->sweep);
    kal_system_destroy(lab->system);
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
}

/// Open, plan with one `vary` and what to keep, and go in one thread; nothing may fail.
static inline bool sweep_lab_run(SweepLab *lab, const char *text, const char *vary,
                                 const char *keep)
{
    const KalSweepOptions options = {
        .vary = &vary, .n_vary = vary != NULL, .keep = keep};
    const bool done = sweep_lab_open(lab, text, -1) == KAL_OK
                      && sweep_lab_plan(lab, options) == KAL_OK
                      && sweep_lab_go(lab, (KalSweepJob){.threads = 1}) == KAL_OK;
    if (!ok(done)) {
        printf("# %s\n", lab->ctx ? kal_context_message(lab->ctx) : "no context");
    }
    return done;
}

#endif
