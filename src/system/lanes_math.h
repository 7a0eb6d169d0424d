// SPDX-License-Identifier: MIT

/// @file
/// What lanes of roads and ways back (system/lanes.h) do besides their programs.
///
/// Compiled once for every processor and once more for those with wide registers
/// (base/eight.h); all give the same bits.  Numbers are in groups of eight, and so are bits.

#ifndef SYSTEM_LANES_MATH_H
#define SYSTEM_LANES_MATH_H

#include "base/eight.h"
#include "derive/eliminate.h"
#include "prog/program.h"

/// A step of the way back in lanes.
typedef struct KalLaneReturn {
    size_t count;          ///< numbers of a state
    const double *results; ///< of the program: where it leads to, then words
    size_t position;    ///< the word that says what is left of residuals of positions
    size_t velocity;    ///< the word for residuals of velocities
    double *state;      ///< to be moved
    KalEightBits *on;   ///< lanes on their way, which may be there now, or lost
    KalEightBits *good; ///< lanes that are not lost
} KalLaneReturn;

/// Accelerations in lanes, by the brief program (system/road.h).
typedef struct KalLaneRush {
    const KalProgram *program;
    size_t excess; ///< where it says by how much pivots are not safe
    size_t n;      ///< of coordinates
    double *work;
} KalLaneRush;

typedef struct KalLaneMath {
    /// Rates at a time and state of 1 + 2 n groups: n velocities, then the results of the
    /// program; judged.
    void (*rush)(const KalLaneRush *rush, const double *restrict at,
                 double *restrict out_rates, KalEightBits *good);

    /// Lanes in which pivots grow more, or less, than is safe are not good: four groups as
    /// KalEliminated has them from most_growth to least_gram.
    void (*pivots)(const double *growth, KalEightBits *good);

    /// Lanes whose results are not sound are not good, as kal_eliminated_is_sound() has it.
    void (*judge)(const KalEliminated *where, const double *results,
                  KalEightBits *good);

    /// Take a step.
    void (*step)(const KalLaneReturn *step);

    /// Let groups be others where bits are set.
    void (*merge)(const KalEightBits *where, size_t count, const double *others,
                  double *groups);

    /// Lanes in which the sum of two groups is not finite are not good.
    void (*bound)(const double *two, KalEightBits *good);
} KalLaneMath;

extern const KalLaneMath kal_lane_math;
extern const KalLaneMath kal_lane_math_wide;   ///< x86-64 only
extern const KalLaneMath kal_lane_math_widest; ///< likewise

#endif
