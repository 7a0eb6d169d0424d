// SPDX-License-Identifier: MIT

/// @file
/// Zero crossings of functions of time: when events happen.
///
/// A KalRoots follows some functions along a run and finds the instants at which they
/// cross zero.  It knows no integrator: a callback gives all values at any time of the
/// stretch at hand, usually from dense output, and projected.
///
/// *Crossing.*  A function crosses when it was on one side and reaches zero or the other
/// side; one that touches zero and turns back reaches it, whatever rounding makes of its
/// last value.  Rising and falling are meant as the run goes, also where time runs backward.
///
/// *Leaving zero.*  A function that is zero at the start, or that has just crossed, waits:
/// it counts again when it has left zero by more than it was off at its crossing, so that
/// neither the start nor the remains of an event are one.
///
/// *Floors.*  A function that is to stay at zero or above crosses also when it leaves zero
/// downwards, after however long a wait.
///
/// *Poles.*  A function that changes its side through a pole does not cross, unless it is
/// said that poles count.
///
/// *What is seen.*  Each stretch is sampled at its end and at inner points, and where a
/// function dips towards zero between samples it is followed to the bottom; two crossings
/// closer than samples, without such a dip, are missed.  Whoever knows bounds of the
/// functions searches stretches so short that there is nothing to miss.
///
/// A step allocates nothing.  The same input gives the same bits.

#ifndef ODE_ROOT_H
#define ODE_ROOT_H

#include "base/context.h"

#include <stdbool.h>

enum {
    KAL_ROOT_LIMIT = 1 << 16,       ///< functions at most
    KAL_ROOT_SAMPLE_LIMIT = 1 << 10 ///< samples at most
};

/// Which crossings count.
typedef enum KalRootDirection {
    KAL_ROOT_FALLING = -1,
    KAL_ROOT_BOTH = 0,
    KAL_ROOT_RISING = 1,
} KalRootDirection;

/// The values of all functions at a time.
typedef KalStatus (*KalRootFn)(void *user, double t, double *out_values);

/// The functions to follow.
typedef struct KalRootSpec {
    int count; ///< functions
    KalRootFn values;
    void *user;                         ///< passed to `values` as it is
    const KalRootDirection *directions; ///< count; NULL: both.  Copied
    const double *zeros; ///< count: values up to this size may be rounding and are no
                         ///< departure from zero; NULL: 0.  Copied
    const bool *poles;   ///< count: sides are all that matters: a change through a pole
                         ///< counts as a crossing, a touch that is none to the bit does
                         ///< not; NULL: never.  Copied
    const bool
        *floors; ///< count: the function is to stay at zero or above, and crosses
                 ///< also when it leaves zero downwards; NULL: none.  Copied
    int samples; ///< inner points of a stretch, 0 or more
} KalRootSpec;

/// What a search found.  The arrays belong to the KalRoots and hold until its next call.
typedef struct KalRootHit {
    bool found;
    double t;             ///< just after the crossings; the end if there are none
    const int *crossings; ///< count: 1 rising, -1 falling, 0 no crossing now
    const double *values; ///< count: at t
} KalRootHit;

typedef struct KalRoots KalRoots;

/// Make a follower.  KAL_ERR_USAGE, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_roots_create(KalContext *ctx, const KalRootSpec *spec,
                                       KalRoots **out_roots);

/// Free a follower.  NULL is allowed.
void kal_roots_destroy(KalRoots *roots);

/// Start at t; what crosses within two tolerances from t was zero at the start.  Like all
/// calls that follow, evaluates the functions and passes on failures; KAL_ERR_NUMBER for a
/// NaN.
KAL_CHECKED KalStatus kal_roots_start(KalRoots *roots, double t);

/// Go on at t, the present time, after an event has changed the state: functions that
/// crossed still have to leave zero.  `jumps`, unless NULL, are the crossings that made the
/// event, and become 1 or −1 for other functions that jumped over zero in a direction that
/// counts, else 0.  One that waited at zero has
/// jumped over it if it comes out where its one direction leads: a reaction, zero before
/// its constraint acted, falls if it is negative at once.
KAL_CHECKED KalStatus kal_roots_restart(KalRoots *roots, double t, int *jumps);

/// Let a function wait at zero: it counts again when it has left it by more than `band`.
void kal_roots_wait(KalRoots *roots, int function, double band);

/// From now on values of a function up to this size may be rounding, and are no departure from
/// zero.
void kal_roots_set_zero(KalRoots *roots, int function, double zero);

/// Search from the present time to t_end for the first instant with crossings.  It is
/// found to `tolerance`, and all crossings within the tolerance belong to it.  The present
/// time moves there, or to t_end when there are none; call again for the rest.
KAL_CHECKED KalStatus kal_roots_find(KalRoots *roots, double t_end, double tolerance,
                                     KalRootHit *out_hit);

/// On which side a function is now: 1 or −1, or 0 while it has to leave zero; *out_band is
/// then the size that it has to exceed.
int kal_roots_side(const KalRoots *roots, int function, double *out_band);

/// From now on, look at this many inner points of a stretch: at most as many as `samples`
/// was at first.
void kal_roots_set_samples(KalRoots *roots, int samples);

/// The present time.
double kal_roots_time(const KalRoots *roots);

#endif
