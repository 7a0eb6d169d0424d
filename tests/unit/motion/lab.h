// SPDX-License-Identifier: MIT

/// @file
/// A workspace for every formulation, for tests that compare them.

#ifndef MOTION_LAB_H
#define MOTION_LAB_H

#include "fault.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
#define LAB_COUNT(name, word, meaning) +1
    FORMULATIONS = KAL_FORMULATION_LIST(LAB_COUNT)
#undef LAB_COUNT
};

typedef struct Lab {
    Fault fault;
    KalContext *ctx;
    KalMotion *solver[FORMULATIONS]; ///< by formulation
} Lab;

static inline void lab_open(Lab *lab, int n, int m)
{
    lab->fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &lab->fault, &lab->ctx) == KAL_OK);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionOptions options = kal_motion_options();
        options.formulation = (KalFormulation)f;
        ok(kal_motion_create(lab->ctx, &options, n, m, &lab->solver[f]) == KAL_OK);
    }
}

static inline void lab_close(Lab *lab)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        kal_motion_destroy(lab->solver[f]);
    }
    kal_context_destroy(lab->ctx);
    ok(lab->fault.live_bytes == 0);
}

static inline double lab_size(const double *x, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

/// The largest difference of entries, relative to the largest entry of `want`; absolute
/// when that is zero.  NaN stays.
static inline double lab_error(const double *got, const double *want, int count)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        const double d = fabs(got[i] - want[i]);
        worst = d <= worst ? worst : d;
    }
    const double size = lab_size(want, count);
    return size > 0.0 ? worst / size : worst;
}

/// Whether a formulation has an answer where the ranks are these.
static inline bool lab_applies(KalFormulation formulation, int n, int rank_M,
                               int rank_Mhat)
{
    return !((formulation == KAL_FORMULATION_PSEUDOINVERSE && rank_M < n)
             || (formulation == KAL_FORMULATION_AUXILIARY && rank_Mhat < n));
}

#endif
