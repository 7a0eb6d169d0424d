// SPDX-License-Identifier: MIT

/// @file
/// All stages of a step of DOP853 as one program, for lanes.
///
/// A stage is a sum of rates and an acceleration at the state that it gives.  Taken one by one,
/// each writes its numbers for the next to read, and is called by way of several functions; for
/// small systems that takes longer than the numbers themselves.  So the formulas of the fast road
/// (system/road.h) are copied once for each stage, with the sums, theory (12.1), in the place of
/// the state.  Operations are those of the stages one by one, in the same order: bits are the
/// same, and who makes the program when is nobody's concern.

#ifndef SIM_STAGES_H
#define SIM_STAGES_H

#include "base/eight.h"
#include "base/workspace.h"
#include "ode/dop853_table.h"
#include "system/instant.h"

/// What the program finds besides the rates of stages 1 to 11, in groups after them.
typedef struct KalStagesLayout {
    size_t state;  ///< 2 n: of the last stage
    size_t sines;  ///< one for each stage: the least of its rows
    size_t growth; ///< 4: of pivots in any stage, as KalEliminated has them
    size_t count;
} KalStagesLayout;

typedef struct KalStages {
    KalContext *ctx;
    KalProgram *program; ///< NULL: none
    bool made;           ///< though there may be no program
    bool lanes;          ///< for several states
    KalStagesLayout at;
    double *work;  ///< of lanes
    double *alone; ///< of one of them, while its parameters are set; or of the only one
    double *found; ///< by the only one
    unsigned long road;     ///< of which it was made (KalBrief.number)
    unsigned long prepared; ///< and, of the only one, for which parameters
    KalWorkspace workspace;
} KalStages;

KalStagesLayout kal_stages_layout(size_t n);

/// Make the program for the rows of a road, if it is small enough to be worth it; without memory
/// there is none.  For lanes, or for one state alone.
void kal_stages_make(KalStages *stages, const KalRoad *road, bool lanes);
void kal_stages_clear(KalStages *stages);

/// Let a lane have the parameters of its instant.
void kal_stages_enter(KalStages *stages, int lane, const KalInstant *instant);

/// Stages of all lanes that begin at `begin`, in groups: time, state, size of the step, its end,
/// and the rate at its beginning.  A rate that is not finite makes the end of the step so: a stage
/// that is not the last leads to others.
void kal_stages_take(const KalStages *stages, const double *begin, double *out_rates);

/// The same of one state, of the road that the program was made of, and whether its pivots vouch
/// for it and all rates are finite.
bool kal_stages_take_alone(KalStages *stages, const KalRoad *road, const double *begin);

#endif
