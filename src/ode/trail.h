// SPDX-License-Identifier: MIT

/// @file
/// Integrals of functions whose values are known at the ends of steps only.
///
/// For methods of many steps: as their state, the functions are taken for polynomials
/// through the last values, theory (16.6).  Nothing is allocated after the beginning.

#ifndef ODE_TRAIL_H
#define ODE_TRAIL_H

#include "base/workspace.h"

enum {
    KAL_TRAIL_MOST = 6 ///< values that are remembered
};

/// The last values of n functions, newest first, and their integrals.
typedef struct KalTrail {
    KalContext *ctx;
    int n;
    int count;                      ///< values that are known
    int order;                      ///< of the polynomial
    double t[KAL_TRAIL_MOST];       ///< of these values
    double *values[KAL_TRAIL_MOST]; ///< n each
    double *before;                 ///< n: integrals up to t[1], or t[0] if it is alone
    double *sums;                   ///< n: and up to t[0]
    KalWorkspace workspace;
} KalTrail;

/// Prepare for n functions.  The caller clears it, whatever the answer.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_trail_init(KalTrail *trail, KalContext *ctx, int n);

/// Free it.  Zeroed is allowed.
void kal_trail_clear(KalTrail *trail);

/// Begin at t, where integrals and functions have these values.
void kal_trail_start(KalTrail *trail, double t, const double *sums,
                     const double *values);

/// Go on to t with the values there, by polynomials of this order, 1 or more, as far as
/// there are values.
void kal_trail_add(KalTrail *trail, double t, const double *values, int order);

/// The integrals up to t, which lies in the last step.
void kal_trail_integrate(const KalTrail *trail, double t, double *out_sums);

#endif
