// SPDX-License-Identifier: MIT

/// @file
/// Finding a state near another in which nothing accelerates, and the family it is in.
///
/// The unknowns are states on the constraints: at rest the coordinates; in a steady motion
/// the coordinates that matter and the velocities of those that do not.  Damped
/// Gauss–Newton steps on the rates, theory (18.1) to (18.3), with the derivatives of the
/// linearization, go with the least change in the sense of the kinetic energy.

#ifndef ANALYSIS_BALANCE_H
#define ANALYSIS_BALANCE_H

#include "analysis/analysis_impl.h"

/// What is sought; then a workspace.
typedef struct KalBalancer {
    KalAnalysis *a;
    bool steady;           ///< coordinates marked below may run; else nothing moves
    const bool *ignorable; ///< n
    bool hold_speeds;      ///< and their velocities stay as they are
    bool all_columns;      ///< all states are unknowns, as in a walk
    double rounding;       ///< rates below this are 0
    int rows;
    int columns;
    int *row_state;    ///< rows: the state whose rate it is, or −1 − the constraint
    int *column_state; ///< columns
    double *lengths;   ///< active constraints: lengths of their rows in the metric
    double *r;         ///< rows, scaled
    double *J;         ///< rows × columns, scaled, row after row
    double *H;         ///< columns × columns
    double *inverse;   ///< columns
    double *step;      ///< columns: of states
    double *way;       ///< columns: towards a goal
    int *pivot;        ///< rows: scratch
    double *scale;     ///< columns: of Newton's steps
    double *course;    ///< 2 × 2n: Newton's step as a change of y, and the one before
    double *found;     ///< 2n: a state to be confirmed
    double *y;         ///< 2n: the state before a trial
    double *null;      ///< 2n × 2n: directions of a family
    double *origin;    ///< 2n
    double *goal;      ///< 2n
} KalBalancer;

/// Make a workspace in the analysis' arena.
KAL_CHECKED KalStatus kal_balancer_init(KalBalancer *balancer, KalAnalysis *analysis);

/// Go from the present state to one that is balanced; `out_found` says whether there is
/// one near.  Fails for lack of memory only.
KAL_CHECKED KalStatus kal_balancer_seek(KalBalancer *balancer, bool *out_found);

/// The dimension of the family that the present, balanced, state belongs to: directions
/// without effect in which there are balanced states a little further on.  The state stays;
/// the last linearization does not.
KAL_CHECKED KalStatus kal_balancer_family(KalBalancer *balancer, int *out_dimension);

/// Make numbers of the present, balanced, state that look like rounding 0, if it is
/// balanced then too.
KAL_CHECKED KalStatus kal_balancer_clean(KalBalancer *balancer);

/// Whether one can go from one balanced state to another, 2n numbers each, along a family.
KAL_CHECKED KalStatus kal_balancer_walk(KalBalancer *balancer, const double *from,
                                        const double *to, bool *out_arrived);

/// Bring the present state onto the constraints; at rest velocities become 0.
/// `out_met`: whether that was possible.
KAL_CHECKED KalStatus kal_balancer_settle(KalBalancer *balancer, bool *out_met);

#endif
