// SPDX-License-Identifier: MIT

/// @file
/// Programs for runs in speeds (sim/form.h): velocities from speeds, and the rates of both.
///
/// Speeds are the velocities of some coordinates; those of the others follow from the
/// constraints, theory (20.7), eliminated as formulas (derive/partition.h).  A choice of speeds
/// has two programs.  One finds all velocities.  The other goes on from there to what the road
/// of its rows finds, so that a stage of a step is one evaluation.  Choices of a run come and
/// go and come back, so their programs are kept, with the road that they are made of; a run takes
/// them no sooner than one that had to make them.

#ifndef SYSTEM_SPEEDS_H
#define SYSTEM_SPEEDS_H

#include "derive/partition.h"
#include "prog/program.h"

struct KalRoad;

/// Which velocities follow from which, and the programs for it.
typedef struct KalSpeeds {
    struct KalSpeeds *next; ///< another choice
    int rank;
    int *rows; ///< rank: constraints, in the order of pivots
    int *
        columns; ///< n: coordinates whose velocities follow, in the same order; then the others,
                 ///< whose velocities are the speeds
    int steps;    ///< with this choice in this run, and so many
    int patience; ///< until programs are taken; negative: the choice was not made yet
    bool made;    ///< the first program, though there may be none
    bool made_rates;   ///< and the second
    bool open;         ///< the first is taken in this run
    bool open_rates;   ///< and the second
    bool whole;        ///< accelerations come with the whole answer
    KalPartitioned at; ///< where results of the first program are, but for velocities
    KalProgram *velocities; ///< n velocities, excess of residuals, slopes
    KalProgram *
        rates; ///< n velocities, accelerations of the speeds, excess of residuals; then the
               ///< least sine and the excess of pivots, or the whole answer
    size_t
        n_inputs; ///< t, q, speeds, and what else formulas are made of; for the second program
                  ///< weights come behind them (KalRoad.lends)
    double *
        block; ///< numbers: what programs read, then work memory and results of the first
    size_t block_size;
    double *inputs;
    double *work;
    double *found;
    double *rates_block; ///< the same of the second
    size_t rates_size;
    double *rates_inputs;
    double *rates_work;
    double *rates_found;
    void *lanes; ///< work memory and results of the first in lanes; NULL: none yet
    size_t lanes_size;
    double *lanes_work;
    double *lanes_found;
    unsigned long prepared; ///< for which parameters these are (KalRoad.prepared)
} KalSpeeds;

/// Go on with a choice, as KalSpeeds has it.  Where it was made in this run in another order of
/// pivots, that order is written.
void kal_speeds_choose(struct KalRoad *road, int rank, int *rows, int *columns);

/// A step begins; take the programs of the choice if they are due, and make them if they are not
/// there.  Without memory there are none.
void kal_speeds_make(struct KalRoad *road);

/// A run begins.
void kal_speeds_begin(struct KalRoad *road);

/// The parameters of the instant have changed.
void kal_speeds_prepare(struct KalRoad *road);

/// Forget all choices.
void kal_speeds_forget(struct KalRoad *road);

enum {
    KAL_SPEEDS_MOST = 8,     ///< choices whose programs are kept
    KAL_SPEEDS_PROGRAMS = 16 ///< programs that are kept
};

/// Add the programs of all choices to a list of `count`; returns how many are in it then.
size_t kal_speeds_list(const struct KalRoad *road, KalProgram **list, size_t count);

/// The choice, if there is a program for its velocities; else NULL.
KalSpeeds *kal_speeds_lead(const struct KalRoad *road);

/// Velocities by the program, at t and the n positions and the speeds z: n numbers.  False: it
/// does not vouch for them.
bool kal_speeds_find(struct KalRoad *road, double t, const double *z, double *out_qd);

/// The largest slope of the velocities that were found last, in the units of n scales.
double kal_speeds_steepness(const struct KalRoad *road, const double *scale);

/// The same in lanes, for groups of t, positions and speeds.  False: not in all of them.
bool kal_speeds_find_lanes(struct KalRoad *road, const double *at, double *out_qd);

/// Rates of positions and speeds, theory (20.8).  False: the program does not vouch for them.
bool kal_speeds_find_rates(struct KalRoad *road, double t, const double *z,
                           double *out_rates);

/// The least sine of the rows there; and, where `whole`, the answer, which becomes that of the
/// road (kal_road_accelerations()).
double kal_speeds_sine(const struct KalRoad *road);
void kal_speeds_adopt(struct KalRoad *road);

#endif
