// SPDX-License-Identifier: MIT

/// @file
/// Which contacts push, which hold and which slide: complementarity with Coulomb's law at
/// one instant.  Theory section 21.
///
/// The problem is one of rows: each has a force along it and a rate, and
///
///     rates = G forces + free,
///
/// with G symmetric and positive semi-definite.  Rates are accelerations or, in an impact,
/// velocities after it; forces are then impulses.  A touch has a row of its gap, whose force
/// pushes and never pulls, and rows of its slip, whose force is limited by that of the gap.

#ifndef CONTACT_TOUCH_H
#define CONTACT_TOUCH_H

#include "base/context.h"

#include <stdbool.h>

enum {
    KAL_TOUCH_SLIPS = 2, ///< rows of a slip, at most
    KAL_NO_ROW = -1
};

/// What a touch may do.
typedef struct KalTouchLaw {
    int gap;                   ///< row; KAL_NO_ROW: it is always closed
    int n_slips;               ///< 0 without friction
    int slip[KAL_TOUCH_SLIPS]; ///< rows
    double slope;              ///< of the friction on the force of the gap
    double force;              ///< and what it is without that
    double slope_hold;         ///< the same while it holds
    double force_hold;
    bool bound; ///< no gap, and the one slip is held whatever that takes
    bool moves; ///< it slides already, along `direction`
    bool leans; ///< if it does not hold it slides along `direction`, or not far from it
    double direction[KAL_TOUCH_SLIPS]; ///< of the slip, of length 1
} KalTouchLaw;

/// A problem.
typedef struct KalTouchProblem {
    int n; ///< touches
    const KalTouchLaw *laws;
    int rows;
    const double *G;    ///< rows × rows
    const double *free; ///< rows: rates without forces
    double dust;        ///< of rates over √Gᵢᵢ: up to this they are rounding
} KalTouchProblem;

/// What a touch does.  One with friction that stays closed without a force holds or slides as if
/// it pushed.
typedef enum KalTouchMode {
    KAL_TOUCH_OPEN,  ///< no force
    KAL_TOUCH_HOLD,  ///< it pushes, and its slip does not change; or it has none
    KAL_TOUCH_SLIDE, ///< it pushes, with a friction at its limit
} KalTouchMode;

/// A touch in a solution.
typedef struct KalTouch {
    KalTouchMode mode;
    bool pushes; ///< with a force
    bool leaves; ///< the rate of its gap is positive
    bool slips;  ///< that of its slip is not zero, or it moved before
    bool grips;  ///< what holds its slip is a force of its own, which no limit gives
    double direction[KAL_TOUCH_SLIPS]; ///< of the slip that it slides along
} KalTouch;

/// How a search ended.
typedef enum KalTouchEnd {
    KAL_TOUCH_FOUND,
    KAL_TOUCH_NONE,    ///< nothing satisfies the laws
    KAL_TOUCH_LOST,    ///< nothing was found that does, though not all was tried
    KAL_TOUCH_SEVERAL, ///< there are solutions with different rates
    KAL_TOUCH_SHARED, ///< so there are, as redundant touches share a force in several ways
} KalTouchEnd;

/// A solution.  Arrays belong to the solver and hold until its next call.
typedef struct KalTouchAnswer {
    const double *forces;    ///< rows
    const double *rates;     ///< rows
    const KalTouch *touches; ///< n
    const bool *blamed; ///< n: those that take part in why there is none, or several
} KalTouchAnswer;

typedef struct KalTouchSolver KalTouchSolver;

/// Make a solver for n touches with this many rows.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_touch_create(KalContext *ctx, int n, int rows,
                                       KalTouchSolver **out_solver);

/// Free a solver.  NULL is allowed.
void kal_touch_destroy(KalTouchSolver *solver);

/// Solve.  What is found satisfies the laws; it was tried.  Asks for no memory.
KalTouchEnd kal_touch_solve(KalTouchSolver *solver, const KalTouchProblem *problem,
                            KalTouchAnswer *out_answer);

/// The solver of complementarity problems in it.
struct KalLcp *kal_touch_lcp(KalTouchSolver *solver);

#endif
