// SPDX-License-Identifier: MIT

/// @file
/// The motion within a step, for those who follow a run and not only sample it.
///
///     while (!kal_run_is_over(run)) {
///         kal_run_foreknow(run);
///         … kal_run_look_ahead(run, t) for any t from kal_run_time() to kal_run_horizon() …
///         kal_run_arrive(run);
///     }

#ifndef SIM_AHEAD_H
#define SIM_AHEAD_H

#include "sim/access.h"
#include "system/start.h"

/// As kal_run_start_from(), with values by their places.
KAL_CHECKED KalStatus kal_run_start_at(KalRun *run, const KalStartPoint *point,
                                       KalStartReport *out_report);

/// Unless more than the present state is known: take a step of the integrator.  The motion
/// is then known up to the horizon, where events may happen.  Ends as kal_run_advance().
KAL_CHECKED KalStatus kal_run_foreknow(KalRun *run);

/// How far the motion is known.
double kal_run_horizon(const KalRun *run);

/// Let the instant be the state at t, from the time reached to the horizon, with all that a
/// solve gives and all works; the run stays where it is.
KAL_CHECKED KalStatus kal_run_look_ahead(KalRun *run, double t);

/// A stretch of time in which an output may change its piece or have a peak.
typedef struct KalOutputMark {
    double begin;
    double end;
} KalOutputMark;

/// The first such stretch from a time on, which is known, up to `until`; false: there is none, as
/// far as it is not one of very many in a step: theory (15.26).  *out_mark has then both its ends
/// at `until`.  The instant is another state when this returns.
KAL_CHECKED KalStatus kal_run_find_mark(KalRun *run, double from, double until,
                                        KalOutputMark *out_mark, bool *out_found);

/// Go on to the horizon, after kal_run_foreknow(), and let what happens there happen.
KAL_CHECKED KalStatus kal_run_arrive(KalRun *run);

/// When event i of the model happened first; NaN: not yet.
double kal_run_first_time(const KalRun *run, size_t i);

#endif
