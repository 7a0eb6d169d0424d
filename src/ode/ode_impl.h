// SPDX-License-Identifier: MIT

/// @file
/// What the integrators have in common inside.

#ifndef ODE_ODE_IMPL_H
#define ODE_ODE_IMPL_H

#include "ode/integrator.h"

typedef struct KalIntegratorKind KalIntegratorKind;

/// What every integrator has; the object of a kind begins with it.  integrator.c keeps all
/// of it but for what functions of the kind are said to write.
struct KalIntegrator {
    const KalIntegratorKind *kind;
    KalIntegratorName name;
    KalContext *ctx;
    KalOdeSystem system;
    KalOdeOptions options; ///< `atols` is NULL after `init`
    bool started;          ///< there is a present state
    double t;              ///< present time
    double t_end;
    double goal;         ///< where the caller wants to look next: at most t_end
    double direction;    ///< 1 or −1: the sign of t_end − t
    KalOdeStep last;     ///< the last step; `start` and `step` write it
    KalOdeCounts counts; ///< all but `steps` are counted by the kind
};

/// An integrator as a table of functions.  Each gets the object of its kind; arguments were
/// checked.  Those that may be NULL say so.
struct KalIntegratorKind {
    KalIntegratorTraits traits;
    size_t size; ///< of the object, which comes zeroed but for its KalIntegrator

    /// Get the workspace.  `clear` follows in any case.
    KalStatus (*init)(KalIntegrator *base);

    /// Give back what `init` got, as far as it came.
    void (*clear)(KalIntegrator *base);

    /// Forget all but the counts and begin with y at base->t.  Leaves a step of no length
    /// in base->last, at a copy of y, also when it fails.
    KalStatus (*start)(KalIntegrator *base, const double *y);

    /// Step from base->t on, not beyond base->t_end, and leave the step in base->last; or
    /// fail, and leave the present state and base->last as they are.
    KalStatus (*step)(KalIntegrator *base);

    /// The state at a time inside the last step, which has a length.
    KalStatus (*interpolate)(KalIntegrator *base, double t, double *out_y);

    /// The same at KAL_LANES times, in groups of as many, of which the lanes before `first` stay
    /// as they are.  NULL: one by one.
    KalStatus (*interpolate_lanes)(KalIntegrator *base, const double *times, int first,
                                   double *out_groups);

    /// The order of the last step.
    int (*order)(const KalIntegrator *base);

    /// base->t_end has changed.  NULL: `step` looks at it each time.
    void (*end_moved)(KalIntegrator *base);

    /// base->options.max_step has changed.  NULL: `step` looks at it each time.
    void (*max_step_set)(KalIntegrator *base);

    /// Errors of integrals up to this size are allowed; 0: any.  NULL: any are.
    void (*allow_integrals)(KalIntegrator *base, double error);

    /// Errors of these entries do not count, and those of all others do.  NULL: cannot.
    void (*neglect)(KalIntegrator *base, const int *entries, int count);

    /// The smallest tolerance that is kept for n states.  NULL: any is.
    double (*least_tolerance)(int n);
};

#define KAL_INTEGRATOR(name, kind) extern const KalIntegratorKind kind;
#include "ode/integrators.def"
#undef KAL_INTEGRATOR

/// Whether a system and options can be worked with: KAL_ERR_USAGE, KAL_ERR_LIMIT.
KAL_CHECKED KalStatus kal_ode_check(KalContext *ctx, const KalOdeSystem *system,
                                    const KalOdeOptions *options);

/// Whether a time and a state are finite numbers and lie before the end.
KAL_CHECKED KalStatus kal_ode_check_start(KalContext *ctx, int n, double t,
                                          const double *y, double t_end);

/// A step of no length at the present state.
KalOdeStep kal_ode_no_step(double t, const double *y);

/// Whether t lies in the last step, one of no length included.  Before the start there
/// is none, and it has no states.
KAL_CHECKED KalStatus kal_ode_check_inside(KalContext *ctx, const KalOdeStep *step,
                                           double t);

/// Whether a failure with this status may pass with a smaller step.
bool kal_ode_may_retry(const KalOdeSystem *system, KalStatus status);

/// Call the rate and see that all of it is finite.
KAL_CHECKED KalStatus kal_ode_rate(KalContext *ctx, const KalOdeSystem *system,
                                   double t, const double *y, double *out_rate);

/// Fail because a rate of n numbers is not finite.
KalStatus kal_ode_fail_rate(KalContext *ctx, int n, double t, const double *rate);

/// Rounding of a state before constraints magnify it, in parts of its largest number.
#define KAL_ODE_SHIFT_ROUNDING 1e-9

/// What numbers of a state may be off by.
typedef struct KalOdeAllowed {
    double rtol;
    const double *atol; ///< infinite where errors do not count
    double own;         ///< in place of these
    const double *rate; ///< rate of the state at about t
    double t;           ///< a time, known up to rounding
} KalOdeAllowed;

/// So many times what is allowed for numbers whose errors count others may be moved, for they
/// follow from those.
#define KAL_ODE_SHIFT_NEGLECTED 16.0

/// How far a projection moved n numbers, in units of what is allowed for each, theory
/// (12.19).
double kal_ode_shift(int n, const KalOdeAllowed *allowed, const double *from,
                     const double *to);

/// Both halves of kal_integrator_step(): before the kind tries, and after it has taken a step.
KAL_CHECKED KalStatus kal_integrator_begin_step(KalIntegrator *integrator);
void kal_integrator_end_step(KalIntegrator *integrator, KalOdeStep *out_step);

/// The steps that can be told from none at time t are longer than this.
double kal_ode_least_step(double t);

/// Fail because steps became too small at time t.
KalStatus kal_ode_collapse(KalContext *ctx, double t, double h);

#endif
