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
/// The program also gives A where it led to, by which a run watches ranks.

#ifndef SYSTEM_RETURN_H
#define SYSTEM_RETURN_H

#include "prog/program.h"

#include <stdbool.h>

struct KalRoad;

typedef struct KalReturn {
    bool made;           ///< for the rows of the road, though there may be no program
    bool open;           ///< it is taken in this run
    KalProgram *program; ///< NULL where there is none
    double *block;       ///< numbers: of all arrays below
    size_t block_size;
    double *work;
    double *results; ///< q and q', then what is said below, then the entries of A
    double *given;   ///< 2 n: the state that was given
    double *place;   ///< 1 + n: t and q that A in the results is of
    bool knows;      ///< it is of any
    int refusals; ///< ends of steps that it did not lead back, less those that it did
} KalReturn;

/// Make it for the rows of the road; where that is impossible there is no program.
void kal_return_make(struct KalRoad *road);

/// Forget it.
void kal_return_forget(struct KalRoad *road);

/// Bring the state of the instant to the constraints.  The largest residuals that are left
/// are written, of positions and of velocities.  False: the state is as it was.
bool kal_return_take(struct KalRoad *road, double *out_position, double *out_velocity);

/// The last return was one at the end of a step, and led back or did not: where it mostly
/// does not, it is no longer tried in this run.
void kal_return_note(struct KalRoad *road, bool done);

/// Write A at the present state into the instant, rows of active constraints only; false
/// where it is not known.
bool kal_return_rows(struct KalRoad *road);

#endif
