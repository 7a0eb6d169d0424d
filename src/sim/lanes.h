// SPDX-License-Identifier: MIT

/// @file
/// Runs in lanes: steps of KAL_LANES runs of one system in one instruction stream.
///
///     kal_team_create(ctx, &team);
///     kal_team_join(team, lane, run);      // a run that was started
///     kal_team_go(team, news);             // again and again
///     … for lanes with news[lane].known: look ahead, kal_run_arrive(), …
///
/// A team does for each of its runs what kal_run_foreknow() does, to the same bits.  Runs
/// whose next step is one of DOP853 by the fast road (system/road.h) are tried together, one
/// attempt after the other; all others take their steps one by one.  So runs in a team may have
/// steps, events and ends as they like, and may be of different systems.

#ifndef SIM_LANES_H
#define SIM_LANES_H

#include "base/eight.h"
#include "sim/ahead.h"

typedef struct KalTeam KalTeam;

/// What kal_team_go() did for a lane.
typedef struct KalLaneNews {
    bool known; ///< the motion up to the next horizon is, or `status` says why not
    KalStatus status; ///< as kal_run_foreknow() returns it
} KalLaneNews;

/// The caller owns the team.  It lives longer than what its runs are used for.
KAL_CHECKED KalStatus kal_team_create(KalContext *ctx, KalTeam **out_team);
void kal_team_destroy(KalTeam *team);

/// The run is to be one of a team: its programs are made for lanes too, from its start on.
void kal_run_prefer_lanes(KalRun *run);

/// Let a lane have this run, which was started; NULL: none.  Nobody looks at it before it is
/// over if it `coasts`: then steps about which there is nothing to do are no news.
void kal_team_join(KalTeam *team, int lane, KalRun *run, bool coasts);

/// Go on with all runs that are not over, until there is news of any.
void kal_team_go(KalTeam *team, KalLaneNews *out_news);

#endif
