// SPDX-License-Identifier: MIT

/// @file
/// Random states of a model, at which formulas are compared before they are shown.

#ifndef CLOSED_SAMPLE_H
#define CLOSED_SAMPLE_H

#include "derive/equations.h"

enum {
    KAL_SAMPLES = 3 ///< states of each kind
};

/// Values of all symbols of the model in some states.  Parameters are near their values,
/// but not equal to them, for 1 and 0 hide mistakes; accelerations, reactions and inputs
/// are any numbers.  Zeroed is empty.
typedef struct KalSamples {
    KalContext *ctx;
    size_t n_symbols;
    /// 2 KAL_SAMPLES × n_symbols: any states, then those on constraints.
    double *values;
    int n_on; ///< how many were found on the constraints
} KalSamples;

/// Find states, the same ones every time.  The caller clears the samples.
KAL_CHECKED KalStatus kal_samples_init(const KalEquations *eq, KalSamples *out_samples);

void kal_samples_clear(KalSamples *samples);

/// The values of any state, or of one on the constraints.
const double *kal_sample(const KalSamples *samples, bool on_constraints, int i);

/// Choose rows of A that span all of them at state i on the constraints, or at any state
/// where none was found.  Returns how many there are and lists them, in ascending order.
/// *out_settled is false if A has branches, of which others may have a larger rank.
KAL_CHECKED KalStatus kal_samples_rank(const KalEquations *eq,
                                       const KalSamples *samples, int i,
                                       size_t *out_rank, size_t *out_rows,
                                       bool *out_settled);

#endif
