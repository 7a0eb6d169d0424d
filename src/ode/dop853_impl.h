// SPDX-License-Identifier: MIT

/// @file
/// DOP853 inside: what its steps one by one (dop853.c) and in lanes (dop853_lanes.c) share.
///
/// An attempt at a step is planned, tried and judged.  Plans and judgements are made here for
/// both; only the sums of rates in between are taken of one system or of KAL_LANES at once,
/// entry by entry in the same order, so that both come to the same bits.

#ifndef ODE_DOP853_IMPL_H
#define ODE_DOP853_IMPL_H

#include "base/workspace.h"
#include "ode/dop853_sums.h"
#include "ode/ode_impl.h"

struct KalOdeLanes;

enum {
    KAL_DOP853_COEFFICIENTS =
        7, ///< of dense output, besides the state at its beginning
    KAL_DOP853_MOST_ATTEMPTS =
        500,                     ///< at one step; none shrinks it by less than a tenth
    KAL_DOP853_STIFF_AFTER = 15, ///< steps at the edge of stability
    KAL_DOP853_CALM_AFTER = 6    ///< steps away from it
};

/// Where the region of stability ends on the negative real axis, theory (12.8).
#define KAL_DOP853_STABLE 6.1

/// Arrays are padded to `ld` entries with zeros, which every operation keeps; where the
/// sums of rates divide, the padding of `atol` is 1.
typedef struct KalDop853 {
    KalIntegrator base;
    const KalDop853Sums *sums;
    int ld;
    bool taken;     ///< a step was, and its rates still are those of its stages
    bool dense;     ///< its polynomial was made
    bool rejected;  ///< the attempt before failed: do not grow at once
    int attempts;   ///< at the present step
    int retries;    ///< of them for failures
    double h;       ///< size to try next, positive
    double h_last;  ///< size of the last accepted step, signed
    double old_log; ///< and the logarithm of its error
    int stiff;      ///< steps at the edge of stability
    int calm;       ///< steps away from it since
    double *y;      ///< present state
    double *y_old;  ///< state before the last step
    double *y_next; ///< projected end of the attempt
    double *y_end; ///< end of the attempt, then of the last step, as the method took it
    double *stage; ///< state of the stage at hand
    double *begun; ///< sum of rates for the next, but for the last term
    double *rate;  ///< as the system wrote it
    double *begin; ///< what all stages together begin with
    double *atol;
    double *k[KAL_DOP853_STAGES];
    double *dense_of[KAL_DOP853_COEFFICIENTS];
    KalWorkspace workspace;
    struct KalOdeLanes
        *away; ///< who has the rates, and y_end, of the last step; or NULL
    int lane;  ///< and where
} KalDop853;

/// A step to try.
typedef struct KalDop853Attempt {
    double h; ///< signed
    double t_new;
    double error;
} KalDop853Attempt;

/// How far the present state and that of the stage before it, both at the end of a step, and
/// their rates are from each other: sums of squares.
typedef struct KalDop853Edge {
    double change;
    double distance;
} KalDop853Edge;

/// What an attempt came to.
typedef enum KalDop853Verdict {
    KAL_DOP853_TAKEN,  ///< the step was accurate
    KAL_DOP853_AGAIN,  ///< a shorter one is to be tried
    KAL_DOP853_FAILED, ///< there is none
} KalDop853Verdict;

/// The sums that suit the processor.
const KalDop853Sums *kal_dop853_choose_sums(void);

/// Begin a step: its rates are here, and that at the end of the last is that of stage 0.
void kal_dop853_begin(KalDop853 *s);

/// Plan the next attempt; KAL_ERR_STEP when there can be none.
KAL_CHECKED KalStatus kal_dop853_plan(KalDop853 *s, KalDop853Attempt *out_attempt);

/// The error of an attempt, theory (12.5), from the largest of the estimates.
double kal_dop853_error(double h, double most5, double most3);

/// Whether its error is small enough.
bool kal_dop853_is_accurate(const KalDop853 *s, const KalDop853Attempt *attempt);

/// Try it, and find the edge of stability where it is accurate.
KAL_CHECKED KalStatus kal_dop853_try(KalDop853 *s, KalDop853Attempt *attempt,
                                     KalDop853Edge *out_edge);

/// Judge an attempt that ended with *status: take its end, y_next, or shrink the step; or tell
/// in *status why neither can be.
KalDop853Verdict kal_dop853_judge(KalDop853 *s, const KalDop853Attempt *attempt,
                                  const KalDop853Edge *edge, KalStatus *status);

#endif
