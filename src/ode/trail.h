// SPDX-License-Identifier: MIT

/// @file
/// Integrals of functions whose values are known at some times only, such as the ends of
/// steps.
///
/// For methods of many steps: as their state, the functions are taken for polynomials
/// through the last values, theory (16.6).  Whoever doubts an integral takes values back and
/// gives more of them, up to KAL_TRAIL_PARTS for the last step.  Nothing is allocated after
/// the beginning.

#ifndef ODE_TRAIL_H
#define ODE_TRAIL_H

#include "base/workspace.h"

enum {
    KAL_TRAIL_ORDER = 5,  ///< of polynomials, at most
    KAL_TRAIL_PARTS = 64, ///< of a step
    KAL_TRAIL_MOST =
        KAL_TRAIL_ORDER + 1 + KAL_TRAIL_PARTS ///< values that are remembered
};

/// The last values of n functions, newest first, and their integrals.
typedef struct KalTrail {
    KalContext *ctx;
    int n;
    int count;                      ///< values that are known
    int order;                      ///< of the polynomial
    double t[KAL_TRAIL_MOST];       ///< of these values
    double *values[KAL_TRAIL_MOST]; ///< n each
    double *sums[KAL_TRAIL_MOST];   ///< n each: integrals up to these times
    double *former;                 ///< n: that were taken back
    double *scratch;                ///< n
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

/// By how much an integral over the last addition would differ with one order less, at most.
double kal_trail_doubt(KalTrail *trail);

/// Forget all values after t, which is the time of one of the last KAL_TRAIL_PARTS + 1.
void kal_trail_take_back(KalTrail *trail, double t);

/// Integrate the last additions anew, with values on both sides of each: the first of them
/// were added when few were known.
void kal_trail_even_out(KalTrail *trail, int parts);

/// By how much an integral differs from what was taken back, at most.
double kal_trail_change(const KalTrail *trail);

/// The integrals up to t, which lies among the times that are known.
void kal_trail_integrate(const KalTrail *trail, double t, double *out_sums);

#endif
