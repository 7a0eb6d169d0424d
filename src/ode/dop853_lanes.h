// SPDX-License-Identifier: MIT

/// @file
/// DOP853 in lanes: attempts at steps of KAL_LANES integrators at once.
///
/// Each lane is an integrator (integrator.h) with its own time, size of steps and end.  An
/// attempt of all of them takes the sums and rates of all in one instruction stream; what
/// the attempt of a lane comes to, and the size of the next, is found as for one system
/// alone (dop853_impl.h).  A lane that the system does not vouch for is tried once more,
/// alone: so nothing that lanes find differs from what an integrator alone does, in no bit.
///
/// A lane may coast: as long as the system finds nothing to do about the steps that it takes,
/// it takes one after the other, and nobody else is told.  Before a step that somebody has to
/// look at, the system is told to leave, and the integrator is as if it had taken them alone.
///
/// Numbers of lanes stand together: each is a group of four, one for each lane.

#ifndef ODE_DOP853_LANES_H
#define ODE_DOP853_LANES_H

#include "base/eight.h"
#include "ode/integrator.h"

/// What was done for a lane in an attempt, which counts.
typedef struct KalLaneWork {
    int lane;
    int evaluations; ///< of rates: those of stages 1, 2, …; the last is at the end
    const double *times;     ///< a group for each: when
    bool projected;          ///< the end was brought to the manifold
    bool taken;              ///< the step was taken
    const double *end;       ///< 1 + n groups: time and state there
    const double *end_rates; ///< n_rates groups: what `rate` wrote there
} KalLaneWork;

/// What was done for all lanes in an attempt.
typedef struct KalLaneNotes {
    KalEightBits taken;    ///< lanes that coast and have taken a step
    KalEightBits rejected; ///< lanes that coast and whose attempt was not accurate
    KalEight t;            ///< times at which steps begin
    KalEight t_new;        ///< times at which they end
    const double *times;   ///< as in KalLaneWork, like all that follows
    const double *end;
    const double *end_rates;
} KalLaneNotes;

/// A system of n equations in lanes.  `good` has all bits of a lane set as long as the
/// system vouches for what it found there.
typedef struct KalLaneSystem {
    int n;
    int n_rates;  ///< groups that `rate` writes: n rates, and what else it finds
    int n_stages; ///< groups that `stages` writes
    void *user;
    /// Rates at a time and state of 1 + n groups; `k` counts them in an attempt.
    void (*rate)(void *user, int k, const double *at, double *out_rates,
                 KalEightBits *good);
    /// Rates of all stages but the first and that at the end, n groups each, for steps that begin
    /// at `begin`: time, state, size, the time at the end, and the rate.  Behind them the state of
    /// the last stage and what else is found, n_stages groups in all; the same bits as by
    /// `rate`.  NULL, or false: one by one.
    bool (*stages)(void *user, const double *begin, double *out_rates,
                   KalEightBits *good);
    /// Bring a state to the manifold; NULL: none.
    void (*project)(void *user, double *at, KalEightBits *good);
    /// The attempt of a lane counts, which all callbacks of its own system would have seen.
    void (*note)(void *user, const KalLaneWork *work);
    /// Attempts of lanes that coast count.  Finds those that have taken a step about which
    /// there is nothing to do; no step after it is longer than `out_longest`, where it is
    /// not 0.  Lanes that have taken another are as before the attempt: leave() and note()
    /// follow.
    void (*coast)(void *user, const KalLaneNotes *notes, KalEightBits *out_on,
                  KalEight *out_longest);
    /// A lane that coasts is to be as if it had never done so; t: where its step begins.
    void (*leave)(void *user, int lane, double t);
} KalLaneSystem;

typedef struct KalOdeLanes KalOdeLanes;

/// The caller owns it.  It lives longer than what its integrators are used for, or until they
/// are released.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_ode_lanes_create(KalContext *ctx, const KalLaneSystem *system,
                                           KalOdeLanes **out_lanes);
void kal_ode_lanes_destroy(KalOdeLanes *lanes);

/// Let the integrator of a lane be this one, a DOP853 of n states without integrals; it must
/// have been started, and begins a step, which kal_ode_lanes_try() takes.  It may coast for
/// fewer than so many steps; 0: not at all.
KAL_CHECKED KalStatus kal_ode_lanes_begin(KalOdeLanes *lanes, int lane,
                                          KalIntegrator *integrator, long coasts);

/// How the step of a lane stands.
typedef struct KalLaneStep {
    bool over; ///< it was taken, or cannot be
    KalStatus status;
    KalOdeStep step; ///< if it was taken
} KalLaneStep;

/// Attempts at the steps of all lanes that have begun one and for which `wanted` holds, until
/// one of them is over.
void kal_ode_lanes_try(KalOdeLanes *lanes, const bool *wanted, KalLaneStep *out_steps);

/// Let a DOP853 have what lanes hold of its last step: it needs them no more.
void kal_ode_lanes_release(KalIntegrator *integrator);

/// The rates of the last step of a lane become the integrator's own.
void kal_ode_lanes_fetch(const KalOdeLanes *lanes, int lane, double *const *k,
                         double *y_end);

#endif
