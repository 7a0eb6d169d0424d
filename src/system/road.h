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
/// The road is made where a run begins, for the rows that it begins with, and made anew
/// where it begins again, after events, if other rows were needed often enough for that to
/// pay.  Steps make none: they allocate nothing.

#ifndef SYSTEM_ROAD_H
#define SYSTEM_ROAD_H

#include "derive/eliminate.h"
#include "derive/equations.h"
#include "expr/order.h"
#include "prog/program.h"

#include <kalaba/motion.h>

struct KalInstant;

typedef struct KalRoad {
    struct KalInstant *instant;
    bool *rows;      ///< m: constraints that it solves with
    bool *wanted;    ///< m: those that are independent now
    bool *undecided; ///< n: coordinates without acceleration: none
    bool lends;      ///< rows lend M their weights
    bool made;       ///< for these rows, though there may be no program for them
    bool fits;       ///< these are the rows that are wanted
    int misses;      ///< times that they were not
    bool closed; ///< an answer was not vouched for, and rows are no farther apart yet
    int n_rows;
    KalProgram *program; ///< NULL where there is none
    KalEliminated at;    ///< where its results are
    double *block;       ///< numbers: of the three arrays below
    size_t block_size;
    double *work;
    double *inputs;  ///< what the program reads, where rows lend weights
    double *results; ///< and n zeros after them: C adds nothing
} KalRoad;

/// The order of M, Q, A and b, to be made while the graph of the equations can still be
/// walked through.  The caller clears it.
KAL_CHECKED KalStatus kal_road_order(const KalEquations *equations,
                                     KalOrder *out_order);

/// Whether an eliminated answer vouches for itself; nothing that is not finite does.
bool kal_eliminated_is_sound(const KalEliminated *at, const double *results);

KAL_CHECKED KalStatus kal_road_init(KalRoad *road, struct KalInstant *instant);
void kal_road_clear(KalRoad *road);

/// The parameters of the instant have changed.  The program reads them; where it is not one
/// of the rows that the next run begins with, another is made, as for a new instant.
void kal_road_prepare(KalRoad *road);

/// Rows that the instant knows as independent may have changed.
void kal_road_choose(KalRoad *road);

/// Make the road for them, if it is not there and pays.
void kal_road_make(KalRoad *road);

/// Accelerate the instant, whose rows are known, by the program; false: there is none, or
/// it does not vouch for what it found.
bool kal_road_take(KalRoad *road, KalMotionAnswer *out_answer);

#endif
