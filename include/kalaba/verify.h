// SPDX-License-Identifier: MIT

/// @file
/// A second opinion on a run, by another formulation and another method.
///
///     kal_verify_create(ctx, system, &verify);
///     kal_run_start(run, &report);
///     kal_verify_take(verify, run);
///     while (!kal_run_is_over(run)) {
///         kal_run_advance(run, t += 0.01);
///         kal_verify_take(verify, run);
///     }
///     … kal_verify_report(verify) …
///
/// The same motion is computed once more from implicit equations with multipliers, with
/// constraints of position and velocity level as they are typed, by backward
/// differentiation (docs/theory/verification.md).  It shares the formulas of the model with
/// the run, and nothing that solves them.

#ifndef KALABA_VERIFY_H
#define KALABA_VERIFY_H

#include <kalaba/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The second computation of a run.
typedef struct KalVerify KalVerify;

/// Differences of two motions, each the largest of its kind.
typedef struct KalVerifyDifference {
    double q;     ///< of a coordinate
    double qd;    ///< of a velocity
    double force; ///< of a constraint force on a coordinate
} KalVerifyDifference;

/// A time that was not verified, and why.
typedef struct KalVerifyGap {
    double from;
    double to;
    const char *reason; ///< one sentence
} KalVerifyGap;

/// What a verification found so far.  It holds until the next sample.
typedef struct KalVerifyReport {
    const char *method;
    KalVerifyDifference difference; ///< the largest, at the samples
    /// How far apart the second motion is from itself when computed as inexactly as the
    /// run, or the tolerance if that is more: errors of this size are to be expected.
    KalVerifyDifference expected;
    double at;    ///< when the difference was largest relative to what is expected
    double ratio; ///< and how many times that it was
    double
        vague; ///< from when on a hundredth of the largest number is expected; NaN: never
    double allowed; ///< the largest ratio that passes
    bool passed;    ///< no ratio was larger, and some time was verified
    int samples;    ///< that were compared
    double time;    ///< of the motion that was verified
    int restarts;   ///< from states of the run, after times that could not be verified
    int n_gaps;     ///< of those times; of many the last stands for the rest
    const KalVerifyGap *gaps;
} KalVerifyReport;

/// Make the second computation of runs of a system.  The caller owns it and keeps the
/// system longer.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_verify_create(KalContext *ctx,
                                                const KalSystem *system,
                                                KalVerify **out_verify);

/// Free it.  NULL is allowed.
KAL_API void kal_verify_destroy(KalVerify *verify);

/// Take a sample of a run that was started: begin there, or go on to its time and compare.
/// Where events or a loss of rank came between, or the second computation fails, it begins
/// anew from the run's state; the report says so.  KAL_ERR_NOMEM, KAL_ERR_INTERRUPTED;
/// KAL_ERR_USAGE before the start and for a run of another system.
KAL_API KAL_CHECKED KalStatus kal_verify_take(KalVerify *verify, KalRun *run);

/// What was found.
KAL_API KalVerifyReport kal_verify_report(const KalVerify *verify);

#ifdef __cplusplus
}
#endif

#endif
