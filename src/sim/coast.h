// SPDX-License-Identifier: MIT

/// @file
/// Runs that coast: what a run does about a step at which nothing happens, for KAL_LANES runs
/// at once.
///
/// Between two steps a run looks for losses of rank ahead, notes how its rows change, and
/// bounds the next step (sim/rank.c, sim/rows.c, sim/integrate.c).  Mostly nothing comes of
/// it.  Here the same numbers are found for all lanes together, and a step is quiet where
/// they show beyond doubt, which is more than rounding, that the run would only go on.  Of
/// any other the run decides, as if it had come there alone: it gets back what is kept here.
///
/// Numbers of lanes stand together, in groups of eight.

#ifndef SIM_COAST_H
#define SIM_COAST_H

#include "base/workspace.h"
#include "ode/dop853_lanes.h"
#include "sim/run_impl.h"
#include "system/lanes.h"

enum {
    KAL_COAST_RATES = 12, ///< of an attempt at most
    KAL_COAST_PAST = 4    ///< sines before it that a run would remember
};

/// What is kept of lanes, as KalRankWatch has it.
typedef struct KalCoastLanes {
    KalEight turning;
    KalEight largest;
    KalEight past_t[KAL_COAST_PAST]; ///< the last sines before the present attempt
    KalEight past[KAL_COAST_PAST];
    KalEightBits
        mixed; ///< lanes whose past sines are not those of the end of the last step
    KalEightBits strange; ///< mixed lanes that no attempt at this step was rejected in
    KalEight sines[KAL_COAST_RATES]; ///< that the present attempt meets
    KalEightBits evaluations;        ///< evaluations that runs do not know of yet
    KalEightBits steps;              ///< steps that runs do not know of yet
    KalEightBits alike;              ///< steps to come of which they need not know
    KalEightBits due;                ///< runs that have to know of this one
} KalCoastLanes;

typedef struct KalCoast {
    KalContext *ctx;
    const KalRoadLanes *road;
    bool watches; ///< rows act, which may become dependent or vanish
    bool any_due; ///< a run has to know of its present step
    int n_rows;   ///< of them, all that act
    int *active;  ///< n_rows: which constraints they are
    KalCoastLanes *of;
    KalEight *longest; ///< n_rows: KalRankWatch.longest
    KalEight *once;    ///< KalRankWatch.entries: the largest that entries of A were
    KalEight *rows;    ///< KalRankWatch.rows: entries of A at the beginning of the step
    KalRun *runs[KAL_LANES]; ///< that coast, or NULL
    KalWorkspace workspace;
} KalCoast;

/// Make room for the rows of these lanes; false: there is none.
bool kal_coast_make(KalCoast *coast, const KalRoadLanes *road, const KalRun *run);
void kal_coast_clear(KalCoast *coast);

/// For how many steps a run, whose next one is a plain one in these lanes, may coast at most;
/// 0: not at all.
long kal_coast_steps(const KalCoast *coast, const KalRun *run);

/// A run begins to coast.
void kal_coast_enter(KalCoast *coast, int lane, KalRun *run);

/// What KalLaneSystem.coast does.
void kal_coast_on(KalCoast *coast, const KalLaneNotes *notes, KalEightBits *out_on,
                  KalEight *out_longest);

/// A run has coasted up to t, and gets all back.
void kal_coast_leave(KalCoast *coast, int lane, double t);

/// What is done for all lanes at once, for coast.c: count; and of lanes that have taken a step
/// those stay quiet of which the watch over ranks would say nothing, and how long their next steps
/// may be.  Compiled once for every processor and once for those with wide registers
/// (base/eight.h).
void kal_coast_look(KalCoast *coast, const KalLaneNotes *notes, KalEightBits *quiet,
                    KalEight *out_longest);

/// The same, x86-64 only.
void kal_coast_look_widest(KalCoast *coast, const KalLaneNotes *notes,
                           KalEightBits *quiet, KalEight *out_longest);
void kal_coast_look_wide(KalCoast *coast, const KalLaneNotes *notes,
                         KalEightBits *quiet, KalEight *out_longest);

#endif
