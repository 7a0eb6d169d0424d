// SPDX-License-Identifier: MIT

/// @file
/// The integrators behind one interface.
///
///     kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &integrator);
///     kal_integrator_start(integrator, t, y, t_end);
///     do {
///         kal_integrator_step(integrator, &step);
///         … kal_integrator_interpolate(integrator, between, y) …
///     } while (!step.finished);
///
/// Which there are stands in integrators.def; what each is good for, at the head of its
/// file.  An integrator is a workspace, sized when it is made: a step takes no memory of
/// the context.  (SUNDIALS, in bdf.c and dae.c, takes its own, past the context, the last
/// of it in the first step.)
///
/// *States.*  There is a present state from a successful start on; a failure of a step
/// leaves it as it was after the last step.  A step is projected, if the system has a
/// projection, and the next one goes on from the projected state.

#ifndef ODE_INTEGRATOR_H
#define ODE_INTEGRATOR_H

#include "ode/ode.h"

/// The integrators by name.
typedef enum KalIntegratorName {
#define KAL_INTEGRATOR(name, kind) KAL_INTEGRATOR_##name,
#include "ode/integrators.def"
#undef KAL_INTEGRATOR
    KAL_INTEGRATOR_COUNT
} KalIntegratorName;

/// What an integrator needs and what it can do.
typedef struct KalIntegratorTraits {
    const char *word; ///< its name in options: `dop853`
    int most_states;  ///< it takes no more, unless the system solves linear equations
                      ///< itself; KAL_ODE_LIMIT: as many as there may be
    bool needs_jacobian;  ///< of the system, or its `prepare`: it is for stiff problems
    bool needs_residual;  ///< of the system: it is for implicit equations
    bool takes_integrals; ///< the system may have n_integrals > 0
    bool takes_fixed_step; ///< and the options a `fixed_step`
} KalIntegratorTraits;

/// An integrator at work.
typedef struct KalIntegrator KalIntegrator;

/// What an integrator is like.
const KalIntegratorTraits *kal_integrator_traits(KalIntegratorName name);

/// The integrator with a word; false when there is none.
bool kal_integrator_find(const char *word, KalIntegratorName *out_name);

/// The smallest relative tolerance that an integrator keeps for n states: with a smaller
/// one errors are no smaller.  0: any.
double kal_integrator_least_tolerance(KalIntegratorName name, int n);

/// Make an integrator.  `options` may be NULL, for kal_ode_options(); both are copied.
/// KAL_ERR_USAGE when it lacks something or takes no such option, KAL_ERR_LIMIT,
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_integrator_create(KalContext *ctx, KalIntegratorName name,
                                            const KalOdeSystem *system,
                                            const KalOdeOptions *options,
                                            KalIntegrator **out_integrator);

/// Free an integrator.  NULL is allowed.
void kal_integrator_destroy(KalIntegrator *integrator);

/// Start at (t, y), or start anew after an event, towards t_end, which may lie before t
/// and may be infinite.  Nothing is remembered but the counts.  May evaluate the system at
/// y, and passes on failures; KAL_ERR_USAGE, KAL_ERR_NUMBER.
KAL_CHECKED KalStatus kal_integrator_start(KalIntegrator *integrator, double t,
                                           const double *y, double t_end);

/// Move the end of the integration; it must not lie behind the present time.
KAL_CHECKED KalStatus kal_integrator_set_end(KalIntegrator *integrator, double t_end);

/// No step is longer than this from now on, unless steps are fixed; positive, or 0 for any
/// length.
void kal_integrator_set_max_step(KalIntegrator *integrator, double longest);

/// Let steps from now on have this relative error, whatever the options were.  For
/// integrators that look at it in each step: that is `gauss`.
void kal_integrator_allow(KalIntegrator *integrator, double rtol);

/// Errors of integrals in a step are to be no larger than this from now on; 0, as at first:
/// they do not count.
void kal_integrator_allow_integrals(KalIntegrator *integrator, double error);

/// Errors of these entries of a state do not count from now on, and those of all others do.  For
/// `dop853`, of one absolute tolerance.
void kal_integrator_neglect(KalIntegrator *integrator, const int *entries, int count);

/// Take a step.  The last one ends exactly at t_end.  Failures: those of callbacks,
/// KAL_ERR_STEP when no step succeeds, KAL_ERR_NOMEM, KAL_ERR_USAGE when there is no way to
/// go.
KAL_CHECKED KalStatus kal_integrator_step(KalIntegrator *integrator,
                                          KalOdeStep *out_step);

/// The state at t within the last step.  At its ends it is exactly that of the step;
/// between them it is that of the method, not projected.  After a start or a failure there
/// is the present time only.  The first call in a step may evaluate the system, and passes
/// on failures.
KAL_CHECKED KalStatus kal_integrator_interpolate(KalIntegrator *integrator, double t,
                                                 double *out_y);

/// The same at KAL_LANES times between the ends of the last step, each number being a group of
/// as many, aligned as such; the lanes before `first` stay as they are, whatever their times.
/// False in *out_known where the method does it one by one.
KAL_CHECKED KalStatus kal_integrator_interpolate_lanes(KalIntegrator *integrator,
                                                       const double *times, int first,
                                                       double *out_groups,
                                                       bool *out_known);

/// Step until t, which does not lie behind the last step, is reached or passed, and write
/// the state there.  As kal_integrator_step(); KAL_ERR_STEP also after 50000 steps.
KAL_CHECKED KalStatus kal_integrator_advance(KalIntegrator *integrator, double t,
                                             double *out_y);

/// Which integrator it is.
KalIntegratorName kal_integrator_name(const KalIntegrator *integrator);

/// The order of the last step, 1 or more.
int kal_integrator_order(const KalIntegrator *integrator);

/// The work done so far.
KalOdeCounts kal_integrator_counts(const KalIntegrator *integrator);

#endif
