// SPDX-License-Identifier: MIT

/// @file
/// The reduced form of a run: positions and speeds in place of positions and velocities.
///
/// The speeds are v = U q' with numbers U that stay the same for some steps: an orthonormal
/// basis of the velocities that the constraints leave free, where it was chosen.  Velocities
/// follow from them and the constraints, theory (20.7), so that constraints of velocity
/// level hold by themselves.  States of 2 n numbers become ones of n + k, filled up with
/// zeros.

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
    int *rows;     ///< rank: constraints
    double *U;     ///< k × n
    double *basis; ///< k × n: the same in units of masses
    double *scale; ///< n: roots of masses, theory (13.5)
    double *K;     ///< n × n: constraints, then U
    double *x;     ///< n
    double *work;  ///< n
    double *y;     ///< 2 n and integrals: a state of positions and velocities
    double *z;     ///< the same: one of positions and speeds
    double *guess; ///< n: velocities where the search for them begins
    int *perm;     ///< n
    KalQr qr;      ///< of the rows of constraints, scaled
    KalWorkspace workspace;
} KalReducedForm;

/// Make the form of an instant; states have so many integrals behind them, which are left
/// to the caller.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_form_init(KalReducedForm *form, KalInstant *instant,
                                    int integrals);

void kal_form_clear(KalReducedForm *form);

/// Choose speeds at the state y of 2 n numbers.
KAL_CHECKED KalStatus kal_form_choose(KalReducedForm *form, double t, const double *y);

/// Whether other speeds would do better at the state y.
KAL_CHECKED KalStatus kal_form_is_worn(KalReducedForm *form, double t, const double *y,
                                       bool *out_worn);

/// From positions and velocities to positions and speeds.
void kal_form_contract(const KalReducedForm *form, const double *y, double *out_z);

/// And back, theory (20.7).  The instant becomes that state.
KAL_CHECKED KalStatus kal_form_expand(KalReducedForm *form, double t, const double *z,
                                      double *out_y);

/// U x, for n numbers x; what is left of the n numbers is zero.
void kal_form_apply(const KalReducedForm *form, const double *x, double *out_v);

#endif
