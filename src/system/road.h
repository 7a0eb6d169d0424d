// SPDX-License-Identifier: MIT

/// @file
/// The fast road of runs: the constrained acceleration as one program.
///
/// Where the same rows act for long, the equations of an instant are eliminated as formulas
/// (derive/eliminate.h) and compiled.  One evaluation then gives accelerations, multipliers
/// and forces, and pivots and residuals, which vouch for them as those of the short way do
/// (motion/short.c): an answer that they do not vouch for is none, and whoever asked solves
/// the instant.  So no verdict is the road's own.
///
/// Making a program takes the time of some hundred accelerations.  So it is made where a run
/// begins only if the run has many samples; else at the end of a step, after some steps with
/// its rows; and anew for other rows, where the run begins anew after an event, if there were
/// twice as many steps with these.  A run that is short never pays for it.  Programs stay with
/// the instant, but the next run takes them no sooner than one that had to make them: what
/// ran before changes no bits, nor does any sample.

#ifndef SYSTEM_ROAD_H
#define SYSTEM_ROAD_H

#include "derive/eliminate.h"
#include "prog/native.h"
#include "prog/program.h"
#include "system/return.h"

#include <kalaba/motion.h>

struct KalInstant;
struct KalTranscript;

enum {
    KAL_ROAD_NODES =
        40000 ///< formulas beyond which plain solves of matrices are faster
};

/// Accelerations alone, for the stages of steps: the same formulas, and of what vouches for them
/// the pivots; whoever takes it looks at whether accelerations are finite.  Residuals are looked
/// at where steps end, in the whole answer.
typedef struct KalBrief {
    KalProgram *program; ///< n accelerations, and the two numbers below
    size_t sine;         ///< which result is the least sine
    size_t
        excess; ///< which result says by how much pivots grow beyond what is safe, at most
    size_t count;
    unsigned long number; ///< counts those that were made for the road
    double *inputs;       ///< a state aside
    double *work;
    double *results;
} KalBrief;

typedef struct KalRoad {
    struct KalInstant *instant;
    bool *rows;       ///< m: constraints that it solves with
    bool *active;     ///< m: constraints that act with them
    bool *undecided;  ///< n: coordinates without acceleration: none
    bool lends;       ///< rows lend M their weights
    bool lanes;       ///< programs are wanted for lanes too (system/lanes.h)
    bool samples;     ///< so many are taken that the way back is wanted for them
    double stabilize; ///< > 0: residuals decay at this rate, theory (15.3)
    double tolerance; ///< of residuals, relative to their terms
    double least; ///< at least, numbers in the terms of residuals that returns leave
    bool made;    ///< for these rows, though there may be no program for them
    bool same;    ///< these are the rows that are independent now
    bool fits;    ///< they are, and the program is taken
    int misses;   ///< steps for which the program was not taken
    int patience; ///< so many of them until a program is taken
    int steps;    ///< with a program until the way back is taken
    bool open;    ///< the patience was needed once in this run: programs are taken
    bool closed;  ///< an answer was not vouched for, and rows are no farther apart yet
    unsigned long prepared; ///< counts programs and sets of parameters
    int n_rows;
    bool plain; ///< programs are made without machine code, until the run proves long
    bool lacks; ///< some programs were made without machine code
    size_t work_done; ///< in this run since then: operations of a stage for each step
    KalNative code;   ///< machine code of programs that were made without
    KalProgram *program; ///< NULL where there is none
    KalEliminated at;    ///< where its results are
    KalBrief brief;
    double *block; ///< numbers: of the brief answer, and of the three arrays below
    size_t block_size;
    double *work;
    double *inputs; ///< what the program reads, where rows lend weights
    double *results;
    const double
        *found; ///< the last answer: these, brief ones, or what a return found besides
    KalReturn back; ///< to the constraints
    bool pays;      ///< in this run programs are worth their making from its start on
    KalFollowing following; ///< what the way back leaves as it is
    KalProgram *energy;     ///< T and V in lanes, where no return finds them; or NULL
    double *energy_work;
} KalRoad;

/// Formulas of the answer for the rows of the road, as kal_eliminated_layout() has them, in
/// the state that `values` say (system/transcript.h).
KAL_CHECKED KalStatus kal_road_eliminate(const KalRoad *road,
                                         struct KalTranscript *transcript,
                                         const KalExpr *values, KalExpr *out_answer);

/// By how much pivots of that answer grow beyond what is safe, at most: of a brief answer.
KalExpr kal_road_exceed(const KalRoad *road, KalGraph *g, const KalExpr *answer);

/// Whether pivots of M and of A M⁻¹Aᵀ, the most and the least growth of each, vouch for an answer.
bool kal_growth_is_safe(const double *growth);

/// Whether an eliminated answer vouches for itself; nothing that is not finite does.
bool kal_eliminated_is_sound(const KalEliminated *at, const double *results);

KAL_CHECKED KalStatus kal_road_init(KalRoad *road, struct KalInstant *instant);
void kal_road_clear(KalRoad *road);

/// The parameters of the instant have changed, and the program reads them.
void kal_road_prepare(KalRoad *road);

/// A run begins, which has so many samples.
void kal_road_begin(KalRoad *road, double samples);

/// Rows that the instant knows as independent may have changed.
void kal_road_choose(KalRoad *road);

/// Where a run begins or begins anew after an event (`fresh`), and at the ends of steps: make
/// the road for them, or the way back (system/return.h), if it is not there and pays.  This
/// alone allocates memory; without, there is no road.
void kal_road_make(KalRoad *road, bool fresh);

/// Whether there is a program that can be taken now.
bool kal_road_may_lead(const KalRoad *road);

/// Accelerate the instant, whose rows are known, by the program, which can be taken, or by the
/// brief one; or take what a return that led to this state has found.  False: it does not vouch
/// for what it found.
bool kal_road_take(KalRoad *road, bool brief);

/// The brief answer in a state aside, at t and y: the instant stays where it is.
/// Of n positions and velocities; false also where a program reads more.
/// A brief answer of the instant is lost.
bool kal_road_glance(KalRoad *road, double t, const double *y);

/// What it has found: n accelerations and the least sine.
static inline const double *kal_road_glanced(const KalRoad *road)
{
    return road->brief.results;
}

/// Whether the last answer is brief.
static inline bool kal_road_is_brief(const KalRoad *road)
{
    return road->found == road->brief.results;
}

/// Let the last answer, in a state that has not changed since, be a whole one; false: it does
/// not vouch for it.
bool kal_road_complete(KalRoad *road);

/// What its programs read: the state of the instant, and weights.
const double *kal_road_inputs(KalRoad *road);

/// What it found: the n accelerations, the least sine of the rows, and all of it as an
/// answer, in memory of the road and the instant.
static inline const double *kal_road_accelerations(const KalRoad *road)
{
    return road->found + (kal_road_is_brief(road) ? 0 : road->at.qdd);
}

static inline double kal_road_sine(const KalRoad *road)
{
    return road->found[kal_road_is_brief(road) ? road->brief.sine : road->at.sine];
}

void kal_road_publish(const KalRoad *road, KalMotionAnswer *out_answer);

#endif
