// SPDX-License-Identifier: MIT

/// @file
/// The fast road (system/road.h) and the way back (system/return.h) of KAL_LANES instants of
/// one system at once, for their runs in lanes (sim/lanes.h).
///
/// Programs are functions of the rows that they are for.  So the program of one instant is
/// good for all whose roads have the same rows; each lane has its own parameters.  What one
/// instant decides alone, whether an answer counts, is decided for each lane by the same
/// comparisons of the same numbers.
///
/// Numbers of lanes stand together, in groups of KAL_LANES (prog/program.h).

#ifndef SYSTEM_LANES_H
#define SYSTEM_LANES_H

#include "base/eight.h"
#include "base/workspace.h"
#include "system/instant.h"
#include "system/lanes_math.h"

typedef struct KalRoadLanes {
    KalContext *ctx;
    const KalSystem *system;  ///< NULL: there are no lanes yet
    size_t n_results;         ///< of the acceleration
    size_t n_returns;         ///< results of the way back
    bool returns;             ///< there is one
    double stabilize;         ///< as roads have it
    const KalRoad *lead;      ///< whose programs are taken in the present attempt
    bool prepared[KAL_LANES]; ///< the parameters are those of the lane
    bool *rows;               ///< m: constraints that programs solve with
    bool *active;             ///< m: constraints that act with them
    double *work;
    double *back_work;
    double *back;   ///< results of the way back
    double *again;  ///< the same, where one step was not enough
    double *energy; ///< T and V, where no way back finds them
    double *energy_work;
    double *brief_work;
    KalLaneRush rush; ///< how accelerations of stages are taken in the present attempt
    const KalLaneMath *math;
    KalWorkspace workspace;
} KalRoadLanes;

/// Whether an instant can be accelerated in lanes now, and brought back if `returns`: what
/// programs do not know of is done one by one.
bool kal_road_has_lanes(const KalRoad *road, bool returns);

/// Make lanes for the rows of this road, if they are for others; without memory there are
/// none.
void kal_road_lanes_make(KalRoadLanes *lanes, const KalRoad *road, bool returns);
void kal_road_lanes_clear(KalRoadLanes *lanes);

/// Whether a road is one of these lanes.
bool kal_road_lanes_fit(const KalRoadLanes *lanes, const KalRoad *road, bool returns);

/// Let the parameters of a lane be those of its instant; this road may lead from now on.
void kal_road_lanes_enter(KalRoadLanes *lanes, int lane, const KalRoad *road);

/// Rates of all lanes at times and states of 1 + 2 n groups: n groups of velocities, then
/// what kal_road_take() finds, n_results groups.  Lanes that are not vouched for are not `good`
/// any more.
void kal_road_lanes_take(const KalRoadLanes *lanes, const double *at, double *out_rates,
                         KalEightBits *good);

/// The same by the brief program: of what kal_road_take() finds then there are fewer groups.
void kal_road_lanes_rush(const KalRoadLanes *lanes, const double *at, double *out_rates,
                         KalEightBits *good);

/// Bring the states of all lanes back, as kal_return_take() does.
void kal_return_lanes_take(const KalRoadLanes *lanes, double *at, KalEightBits *good);

/// Rates of all lanes where the way back has led to, which has found them: velocities and
/// accelerations.  Returns all that kal_road_take() finds.
const double *kal_return_lanes_find(const KalRoadLanes *lanes, const double *at,
                                    double *out_rates, KalEightBits *good);

/// Lanes in which what the way back has found there is not vouched for are not `good` any more.
void kal_return_lanes_judge(const KalRoadLanes *lanes, KalEightBits *good);

/// What it has found in a lane (system/return_impl.h): every KAL_LANES-th number from here on.
static inline const double *kal_return_lanes_values(const KalRoadLanes *lanes, int lane)
{
    return lanes->back + lane;
}

/// Lanes in which the energy is not finite at the times and states `at`, to which the way back
/// has led if there is one, are not good any more.
void kal_road_lanes_energy(const KalRoadLanes *lanes, const double *at,
                           KalEightBits *good);

/// Let an instant be as if it had taken the road, and the way back before if there is one, to
/// the time and state `at` of its lane.
void kal_road_lanes_leave(const KalRoadLanes *lanes, int lane, KalRoad *road,
                          const double *at, const double *results);

/// Where the way back leaves the entries of A, in the order of KalEquations.A.
const double *kal_return_lanes_rows(const KalRoadLanes *lanes);

/// The largest residuals that the way back has left in a lane.
void kal_return_lanes_leave(const KalRoadLanes *lanes, int lane, double *out_position,
                            double *out_velocity);

#endif
