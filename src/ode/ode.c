// SPDX-License-Identifier: MIT

// What integrators share besides their interface: default options, checks of what users
// give, calls of the rate that notice what is not finite, and the measures by which a
// projection and a step count as too long or too short.

#include "ode/ode_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

KalOdeOptions kal_ode_options(void)
{
    return (KalOdeOptions){.rtol = 1e-9, .atol = 1e-12};
}

static bool is_positive(double x)
{
    return x > 0.0 && isfinite(x);
}

// A bound on steps: 0 stands for none.
static bool is_bound(double x)
{
    return x >= 0.0 && isfinite(x);
}

// Relative tolerances may be 0; absolute ones may not, since a state may pass zero.
static KalStatus check_tolerances(KalContext *ctx, int n, const KalOdeOptions *options)
{
    if (!(options->rtol >= 0.0 && options->rtol < 1.0)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "the relative tolerance lies between 0 and 1, not at %g",
                        options->rtol);
    }
    for (int i = 0; i < (options->atols ? n : 1); i++) {
        const double atol = options->atols ? options->atols[i] : options->atol;
        if (!is_positive(atol)) {
            return kal_fail(ctx, KAL_ERR_USAGE,
                            "an absolute tolerance is a positive number, not %g", atol);
        }
    }
    return KAL_OK;
}

KalStatus kal_ode_check(KalContext *ctx, const KalOdeSystem *system,
                        const KalOdeOptions *options)
{
    if (system->n < 1 || !system->rate) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "an integrator needs a rate and at least one state, not %d",
                        system->n);
    }
    const size_t most = kal_usual_times(ctx, KAL_ODE_LIMIT);
    if ((size_t)system->n > most) {
        return kal_fail(ctx, KAL_ERR_LIMIT, "%d states are too many: at most %zu",
                        system->n, most);
    }
    KAL_TRY(check_tolerances(ctx, system->n, options));
    if (!is_bound(options->first_step) || !is_bound(options->max_step)
        || !is_bound(options->fixed_step)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "steps are positive numbers or 0, not %g (first), %g (longest) "
                        "and %g (fixed)",
                        options->first_step, options->max_step, options->fixed_step);
    }
    return KAL_OK;
}

KalStatus kal_ode_check_start(KalContext *ctx, int n, double t, const double *y,
                              double t_end)
{
    if (!isfinite(t) || isnan(t_end) || t == t_end) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "there is nothing to integrate from t = %g to %g", t, t_end);
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(y[i])) {
            return kal_fail(ctx, KAL_ERR_NUMBER, "state %d is %g at the start, t = %g",
                            i, y[i], t);
        }
    }
    return KAL_OK;
}

KalOdeStep kal_ode_no_step(double t, const double *y)
{
    assert(isfinite(t) && y);
    return (KalOdeStep){.t_old = t, .t_new = t, .y_old = y, .y_new = y};
}

// Written with `!` so that a NaN is outside.
KalStatus kal_ode_check_inside(KalContext *ctx, const KalOdeStep *step, double t)
{
    if (!step->y_new) {
        return kal_fail(ctx, KAL_ERR_USAGE, "there is no step to interpolate in");
    }
    const double from = fmin(step->t_old, step->t_new);
    const double to = fmax(step->t_old, step->t_new);
    if (!(t >= from && t <= to)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "t = %.17g is outside of the last step, from %.17g to %.17g", t,
                        step->t_old, step->t_new);
    }
    return KAL_OK;
}

bool kal_ode_may_retry(const KalOdeSystem *system, KalStatus status)
{
    return system->may_retry ? system->may_retry(status) : status == KAL_ERR_NUMBER;
}

KalStatus kal_ode_fail_rate(KalContext *ctx, int n, double t, const double *rate)
{
    int first = 0;
    while (first + 1 < n && isfinite(rate[first])) {
        first++;
    }
    return kal_fail(ctx, KAL_ERR_NUMBER, "the rate of state %d is %s at t = %.17g",
                    first, isnan(rate[first]) ? "not a number" : "infinite", t);
}

KalStatus kal_ode_rate(KalContext *ctx, const KalOdeSystem *system, double t,
                       const double *y, double *out_rate)
{
    KAL_TRY(system->rate(system->user, t, y, out_rate));
    double sum = 0.0;
    for (int i = 0; i < system->n; i++) {
        sum += 0.0 * out_rate[i]; // 0, or NaN when one is not finite
    }
    return sum == 0.0 ? KAL_OK : kal_ode_fail_rate(ctx, system->n, t, out_rate);
}

double kal_ode_shift(int n, const KalOdeAllowed *allowed, const double *from,
                     const double *to)
{
    const double late = 4.0 * DBL_EPSILON * fabs(allowed->t);
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fabs(to[i]) > largest ? fabs(to[i]) : largest;
    }
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        const double part = allowed->rtol * fabs(to[i]);
        const double usual = isinf(allowed->atol[i])
                                 ? KAL_ODE_SHIFT_NEGLECTED * (allowed->own + part)
                                 : allowed->atol[i] + part;
        const double most_of_it =
            usual + KAL_ODE_SHIFT_ROUNDING * largest + late * fabs(allowed->rate[i]);
        // For absolute tolerances are positive.
        assert(most_of_it > 0.0 || isnan(most_of_it));
        const double shift = fabs(to[i] - from[i]) / most_of_it;
        most = shift > most ? shift : most;
    }
    return most;
}

// Sixteen times the distance of t from the next number, so that a step of this length
// still has four bits; near t = 0 the smallest number that has all digits.
double kal_ode_least_step(double t)
{
    return 16.0 * DBL_EPSILON * fabs(t) + 16.0 * DBL_MIN;
}

KalStatus kal_ode_collapse(KalContext *ctx, double t, double h)
{
    assert(isfinite(t));
    return kal_fail(
        ctx, KAL_ERR_STEP,
        "the step size fell to %.3g at t = %.17g: the solution may end there, "
        "or the tolerances ask for more digits than there are",
        fabs(h), t);
}
