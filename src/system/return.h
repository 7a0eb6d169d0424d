// SPDX-License-Identifier: MIT

/// @file
/// The return to the constraints as one program, for the rows of a fast road.
///
/// At the end of every step a state is brought to the constraints, theory (15.1) and (15.2).
/// Both levels are one program: a Gauss–Newton step of positions with M and A of the state
/// that is given, then one of velocities, with the same factors, for ψ at the positions that
/// the first led to.  Of constraints that have no residual of a level the step keeps A x.
/// As rows are independent there is no damping.  Newton's steps converge or not, and what
/// they leave of the residuals vouches for them: an answer with more than rounding left is
/// none, and whoever asked returns by the other road.
///
/// The program also gives what is asked for next where it led to: A, by which a run watches
/// ranks; the answer of the road, with the same bits as the road's own program; T and V; and
/// outputs.  So a state that a run arrives at, or looks at between the ends of steps, is
/// one evaluation, in which sines and entries of M and A are computed once.

#ifndef SYSTEM_RETURN_H
#define SYSTEM_RETURN_H

#include "prog/program.h"

#include <stdbool.h>

struct KalRoad;

/// Speeds: velocities that the way back of a run in the reduced form (sim/form.h) leaves as they
/// are at the ends of steps, and positions of their coordinates.
typedef struct KalFollowing {
    double *masses; ///< n: with which all coordinates move elsewhere; NULL: no such run
    double *kept;   ///< n: the same, infinite for speeds
    bool known;     ///< in this run
} KalFollowing;

typedef struct KalReturn {
    bool made;           ///< for the rows of the road, though there may be no program
    bool open;           ///< it is taken in this run
    KalProgram *program; ///< NULL where there is none
    double *block;       ///< numbers: of all arrays below
    size_t block_size;
    double *work;
    double *speeds;   ///< another, where speeds are kept
    double *results;  ///< as system/return.c lays them out
    double *given;    ///< 2 n: the state that was given
    double *settings; ///< parameters of the model, then masses
    double *place;    ///< t, q, q', weights and modes that the results are of
    bool knows;       ///< they are of any
    bool on_modes;    ///< and on given pieces
    int refusals; ///< ends of steps that it did not lead back, less those that it did
} KalReturn;

/// Where its results say what is noted of a state; q and q' are the first of them.
typedef struct KalReturnPlaces {
    size_t position;  ///< the largest residual of positions that is left
    size_t velocity;  ///< the largest residual of velocities that is left
    size_t sine;      ///< the least sine of the rows
    size_t energy;    ///< T and V
    size_t outputs;   ///< outputs of the model, if `has_outputs`
    bool has_outputs; ///< the way back finds outputs
} KalReturnPlaces;

KalReturnPlaces kal_return_places(const struct KalRoad *road);

/// Make it for the rows of the road; where that is impossible there is no program.
void kal_return_make(struct KalRoad *road);

/// Forget it.
void kal_return_forget(struct KalRoad *road);

/// The parameters of the instant have changed.
void kal_return_prepare(const struct KalRoad *road);

/// @name Speeds
/// @{
/// Returns may keep speeds from now on; at first, there are none.
KAL_CHECKED KalStatus kal_return_keep_speeds(struct KalRoad *road);
void kal_return_clear(struct KalRoad *road);
/// A run begins: its first choice decides over masses.
void kal_return_begin(struct KalRoad *road);
/// From now on the velocities of these coordinates follow, and all others are speeds.  Masses, n,
/// stay those of the first choice where nothing is kept.
void kal_return_follow(struct KalRoad *road, const double *masses, const int *columns,
                       int count);
/// As kal_return_take(), but speeds stay as they are.
bool kal_return_take_in_speeds(struct KalRoad *road, double *out_position,
                               double *out_velocity);
/// @}

/// Whether it can be taken now.
bool kal_return_may_lead(const struct KalRoad *road);

/// Bring the state of the instant to the constraints.  The largest residuals that are left
/// are written, of positions and of velocities.  False: the state is as it was.
bool kal_return_take(struct KalRoad *road, double *out_position, double *out_velocity);

/// The results, which were written by another (system/lanes.h), are those of a return that led
/// to the state as it is now, and the road has found what they say of it.
void kal_return_adopt(struct KalRoad *road);

/// The last return was one at the end of a step, and led back or did not: where it mostly
/// does not, it is no longer tried in this run.
void kal_return_note(struct KalRoad *road, bool done);

/// The answer of the road for these inputs (kal_road_inputs) and the instant's modes; NULL
/// where the last return, which led somewhere (`knows`), did not lead there.
const double *kal_return_find(const struct KalRoad *road, const double *inputs);

/// T and V of the present state, two numbers; NULL where the last return did not lead there.
const double *kal_return_energy(struct KalRoad *road);

/// The outputs of the model, of the present state and the answer of the road for it, after T
/// and V; NULL where they are not known.
const double *kal_return_outputs(struct KalRoad *road);

/// Give the instant the entries of A at the present state, which hold until the next return;
/// false where they are not known.
bool kal_return_rows(struct KalRoad *road);

#endif
