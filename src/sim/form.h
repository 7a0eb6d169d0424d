// SPDX-License-Identifier: MIT

/// @file
/// The reduced form of a run: positions and speeds in place of positions and velocities.
///
/// The speeds are velocities of some coordinates, those that the others follow from by the
/// constraints, theory (20.7); which they are stays the same for some steps.  A step carries them
/// from its beginning to its end; velocities that follow go along with their accelerations, and
/// at the end they are what the constraints say, so that their errors do not count.

#ifndef SIM_FORM_H
#define SIM_FORM_H

#include "linalg/qr.h"
#include "system/projector.h"

typedef struct KalReducedForm {
    KalInstant *instant;
    KalProjector projector; ///< which knows the masses of coordinates
    int n;
    int k;     ///< speeds
    int rank;  ///< rows that count
    int *rows; ///< rank: constraints, in the order of pivots
    int *
        columns; ///< n: coordinates whose velocities follow, in the same order; then others
    int *entries;    ///< rank: where velocities that follow are in a state
    double *scale;   ///< n: roots of masses, theory (13.5)
    double *unscale; ///< n: one over them
    double rtol;     ///< tolerances of the run
    double atol;
    bool worn;    ///< what follows was moved too far, or did not follow
    int patience; ///< steps until that counts
    int *once;    ///< n: columns of the choice before
    double
        *K; ///< n × n: rows of constraints, scaled, and what elimination makes of them
    double *x;       ///< n
    double *lengths; ///< rank: one over those of rows, in the units of scale
    double *work;    ///< n
    double *kept;    ///< 2 n: a state of which the speeds are to stay
    double *is;      ///< n
    int *perm;       ///< n
    int *in_row;     ///< n: how many entries rows and columns have in what is left
    int *in_column;  ///< n
    KalQr qr;        ///< of the rows of constraints, scaled
    KalWorkspace workspace;
} KalReducedForm;

/// Make the form of an instant, whose way back keeps speeds from now on, for a run with these
/// tolerances.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_form_init(KalReducedForm *form, KalInstant *instant,
                                    double rtol, double atol);

void kal_form_clear(KalReducedForm *form);

/// Choose speeds at the state y of 2 n numbers.
KAL_CHECKED KalStatus kal_form_choose(KalReducedForm *form, double t, const double *y);

/// A step begins: whether other speeds would do better.
bool kal_form_is_worn(KalReducedForm *form);

/// The speeds in the state of the instant are to stay.
void kal_form_keep(KalReducedForm *form);

/// They have: note by how much what follows was moved.
void kal_form_compare(KalReducedForm *form);

/// Let the instant, whose positions may have changed since, have these speeds and the velocities
/// that follow from them by Newton's method, theory (20.7); it knows the residuals then.  Where
/// none follow, velocities stay as they are and the speeds are worn.
KAL_CHECKED KalStatus kal_form_follow(KalReducedForm *form);

#endif
