// SPDX-License-Identifier: MIT

/// @file
/// An analysis of a model from a text, for tests.

#ifndef ANALYSIS_LAB_H
#define ANALYSIS_LAB_H

#include "fault.h"
#include "tap.h"

#include <kalaba/kalaba.h>

typedef struct Lab {
    Fault fault;
    KalContext *ctx;
    KalSystem *system;
    KalAnalysis *analysis;
} Lab;

/// Load a text, with the values of `-p` in it; false after a failure.
static inline bool lab_open_with(Lab *lab, const char *text, const char *inputs,
                                 const KalOverride *overrides, size_t n_overrides)
{
    const KalLoadOptions options = {.overrides = overrides, .n_overrides = n_overrides};
    *lab = (Lab){.fault = {.calls_left = -1}};
    return kal_context_create(fault_alloc, &lab->fault, &lab->ctx) == KAL_OK
           && kal_system_load(lab->ctx, "test.kal", text, strlen(text), &options,
                              &lab->system)
                  == KAL_OK
           && kal_analysis_create(lab->ctx, lab->system, inputs, &lab->analysis)
                  == KAL_OK;
}

static inline bool lab_open(Lab *lab, const char *text, const char *inputs)
{
    return lab_open_with(lab, text, inputs, NULL, 0);
}

/// Free everything; nothing may be left.
static inline void lab_close(Lab *lab)
{
    kal_analysis_destroy(lab->analysis);
    kal_system_destroy(lab->system);
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
    *lab = (Lab){.fault = {.calls_left = -1}}; // to close twice does no harm
}

/// Nothing may go wrong; tells why if it does.
static inline bool lab_good(Lab *lab, KalStatus status)
{
    if (!ok(status == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
    return status == KAL_OK;
}

/// As lab_open, then at a state, where nothing may go wrong.
static inline bool lab_at(Lab *lab, const char *text, const char *inputs,
                          const char *values)
{
    const bool opened = lab_open(lab, text, inputs);
    if (!ok(opened)) {
        printf("# %s\n", lab->ctx ? kal_context_message(lab->ctx) : "no context");
    }
    if (!opened || !lab_good(lab, kal_analysis_place(lab->analysis, values, NULL))) {
        lab_close(lab);
        return false;
    }
    return true;
}

/// Modes at a state, where nothing may go wrong; the caller closes the lab.
static inline KalModes lab_modes(Lab *lab, const char *text, const char *values)
{
    KalModes modes = {.n = 0};
    if (lab_at(lab, text, "", values)) {
        (void)lab_good(lab, kal_analysis_modes(lab->analysis, &modes));
    }
    return modes;
}

/// How far the nearest eigenvalue is from re + i im.
static inline double lab_distance(const KalModes *modes, double re, double im)
{
    double least = INFINITY;
    for (int k = 0; k < modes->n; k++) {
        least = fmin(least, hypot(modes->modes[k].re - re, modes->modes[k].im - im));
    }
    return least;
}

/// How many eigenvalues are within a distance of re + i im.
static inline int lab_count(const KalModes *modes, double re, double im,
                            double distance)
{
    int count = 0;
    for (int k = 0; k < modes->n; k++) {
        count += hypot(modes->modes[k].re - re, modes->modes[k].im - im) <= distance;
    }
    return count;
}

#endif
