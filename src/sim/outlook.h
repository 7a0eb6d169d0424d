// SPDX-License-Identifier: MIT

/// @file
/// Where the motion leads from the border of two pieces, theory (15.13), and what is at a border
/// at all, theory (15.34).  All of it works on run->modes.

#ifndef SIM_OUTLOOK_H
#define SIM_OUTLOOK_H

#include "sim/run_impl.h"
#include "system/switch.h"

/// The sides that a switching function comes to on either piece, 1, −1 or 0 for none, counted from
/// the lower piece to the upper one.
typedef struct KalOutlook {
    int above;
    int below;
} KalOutlook;

/// All switching functions of the instant; their levels follow them in its results.
KAL_CHECKED KalStatus kal_outlook_evaluate(KalRun *run);

/// Find the bands of switching functions, in run->modes.bands: what is no larger is zero.  Their
/// values in the instant are run->modes.values.
void kal_outlook_find_bands(KalRun *run);

/// The size from which on function i has left zero, if it is at a border now.
double kal_outlook_clear(const KalRun *run, size_t i);

/// Where the motion leads from the border that function i is at, or has just passed.  Its mode is
/// NaN when this returns.
KalOutlook kal_outlook_find(KalRun *run, size_t i, KalSwitchSides sides);

/// Whether function i stays at zero where formulas are taken as they come.
bool kal_outlook_rests(KalRun *run, size_t i);

/// Let the mode of a function of time alone be the nearest piece that lies ahead, however soon
/// another follows.
void kal_outlook_decide_timed(KalRun *run, size_t i, KalSwitchSides sides);

#endif
