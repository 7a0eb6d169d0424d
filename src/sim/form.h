// SPDX-License-Identifier: MIT

/// @file
/// The reduced form of a run: positions and speeds in place of positions and velocities.
///
/// The speeds are velocities of some coordinates, those that the others follow from by the
/// constraints, theory (20.7), so that constraints of velocity level hold by themselves; which
/// they are stays the same for some steps.  Velocities are found by programs (system/speeds.h)
/// where these are worth their making, else by Newton's method.  States of 2 n numbers become
/// ones of n + k, filled up with zeros.

#ifndef SIM_FORM_H
#define SIM_FORM_H

#include "linalg/qr.h"
#include "system/projector.h"

typedef struct KalReducedForm {
    KalInstant *instant;
    KalProjector projector; ///< which knows the masses of coordinates
    int n;
    int integrals; ///< numbers of a state behind positions and velocities
    int k;         ///< speeds
    int rank;      ///< rows that count
    int *rows;     ///< rank: constraints, in the order of pivots
    int *
        columns; ///< n: coordinates whose velocities follow, in the same order; then others
    double *scale;   ///< n: roots of masses, theory (13.5)
    double *unscale; ///< n: one over them
    double steep;    ///< speeds are worn where velocities follow faster, theory (20.9)
    double
        *K; ///< n × n: rows of constraints, scaled, and what elimination makes of them
    double *x;      ///< n
    double *work;   ///< n
    double *y;      ///< 2 n and integrals: a state of positions and velocities
    double *z;      ///< the same: one of positions and speeds
    double *guess;  ///< n: velocities where the search for them begins
    double t;       ///< a state that is known in both ways, at this time; NaN: none
    double *known;  ///< 2 n: its positions and speeds
    double *is;     ///< 2 n: and velocities
    double slope_t; ///< when a program found slopes last
    double slope;   ///< the largest of these slopes
    int *perm;      ///< n
    KalQr qr;       ///< of the rows of constraints, scaled
    KalWorkspace workspace;
} KalReducedForm;

/// Make the form of an instant; states have so many integrals behind them, which are left
/// to the caller.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_form_init(KalReducedForm *form, KalInstant *instant,
                                    int integrals);

void kal_form_clear(KalReducedForm *form);

/// Choose speeds at the state y of 2 n numbers.
KAL_CHECKED KalStatus kal_form_choose(KalReducedForm *form, double t, const double *y);

/// A step begins: take the programs of the speeds if they are due.
void kal_form_make(KalReducedForm *form);

/// Whether other speeds would do better at the state y.
KAL_CHECKED KalStatus kal_form_is_worn(KalReducedForm *form, double t, const double *y,
                                       bool *out_worn);

/// From positions and velocities to positions and speeds.
void kal_form_contract(const KalReducedForm *form, const double *y, double *out_z);

/// The state y in positions and speeds, z, is known.
void kal_form_know(KalReducedForm *form, double t, const double *y, const double *z);

/// From positions and speeds to velocities where that is known or a program finds it; the instant
/// stays as it is.
bool kal_form_leap(KalReducedForm *form, double t, const double *z, double *out_y);

/// The state that is known at t as z, in positions and velocities; NULL for others.
const double *kal_form_recall(const KalReducedForm *form, double t, const double *z);

/// The same by Newton's method, theory (20.7).  The instant becomes that state.
KAL_CHECKED KalStatus kal_form_expand(KalReducedForm *form, double t, const double *z,
                                      double *out_y);

/// Of n numbers x those of the speeds; what is left of the n numbers is zero.
void kal_form_apply(const KalReducedForm *form, const double *x, double *out_v);

#endif
