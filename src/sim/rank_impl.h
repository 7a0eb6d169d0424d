// SPDX-License-Identifier: MIT

/// @file
/// Losses of rank, in parts: rank.c decides at the end of each step what has to be done,
/// nearness.c measures how near rows are (nearness_large.c in large systems), passage.c finds
/// what was lost in a step.  All of them work on run->rank.
///
/// Rows are judged in one metric, that of the projector, theory (13.1), and by one measure,
/// theory (15.5), which is continuous and zero exactly where a row comes to depend on others or
/// vanishes.

#ifndef SIM_RANK_IMPL_H
#define SIM_RANK_IMPL_H

#include "sim/run_impl.h"

/// Rows are lost whose measure is below this.
#define KAL_DEPENDENT 1e-5

/// What is left of a measure where a step ends in the very instant of a loss is less than this.
#define KAL_LOST 1e-9

enum {
    KAL_PASSAGE_NAMES = 600 ///< bytes of a text
};

/// Take the metric and the rows of the instant, whose givens are known.
void kal_nearness_take(KalRun *run);

/// Rank the rows that were taken; returns how many are independent.
int kal_nearness_rank(KalRun *run);

/// Keep what the rows that were taken have of their own, to see later where it turns round.
void kal_nearness_keep(KalRun *run);

/// Measure the rows of the instant, with signs in rank.sines: negative where what a row has of
/// its own has turned round since it was kept.  Returns the least |cosine| of all that turned.
double kal_nearness_compare(KalRun *run);

/// Mark the rows that are about to become dependent, so that this rank is left.
void kal_nearness_mark(KalRun *run, int rank);

/// Keep the rows that were ranked and take the slopes of their measures: rank.sine and
/// rank.slope are those of the one that comes to zero first.
KAL_CHECKED KalStatus kal_nearness_foretell(KalRun *run);

/// Choose the row to follow in a large system: the one that is nearest to depending on others,
/// or to vanishing.  What it has of its own is kept.
void kal_nearness_follow(KalRun *run);

/// The measure of the row that is followed, by the last factors: negative where what it has
/// of its own has turned round since it was kept.
double kal_nearness_of_followed(KalRun *run);

/// Mark the row that is followed in a large system, and those that it depends on.
void kal_nearness_mark_followed(KalRun *run);

/// Find where rows have turned round since the last look, and report what that was.  The
/// instant is solved at the horizon, and is so again.
KAL_CHECKED KalStatus kal_passage_find(KalRun *run);

/// The same for the row that is followed in a large system.
KAL_CHECKED KalStatus kal_passage_find_followed(KalRun *run);

/// Report that the rank of the rows that are marked was lost at t.
KAL_CHECKED KalStatus kal_passage_tell(KalRun *run, double t);

/// The names of the rows that are marked.
void kal_passage_names(const KalRun *run, char text[KAL_PASSAGE_NAMES]);

#endif
