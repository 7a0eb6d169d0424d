// SPDX-License-Identifier: MIT

// What all integrators do alike: arguments are checked, the present time and the last step
// are kept, and the states at the ends of a step are handed out.  The rest is done by the
// functions of a kind.
//
// Invariants, from a successful start on: last.t_new is the present time t, last.y_new the
// present state, and t does not lie beyond t_end in the direction of the integration.

#include "ode/integrator.h"

#include "ode/ode_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 50000 // in one advance
};

static const KalIntegratorKind *const kinds[] = {
#define KAL_INTEGRATOR(name, kind) [KAL_INTEGRATOR_##name] = &(kind),
#include "ode/integrators.def"
#undef KAL_INTEGRATOR
};

static const KalIntegratorKind *kind_of(KalIntegratorName name)
{
    assert((unsigned)name < KAL_INTEGRATOR_COUNT);
    return kinds[name];
}

const KalIntegratorTraits *kal_integrator_traits(KalIntegratorName name)
{
    return &kind_of(name)->traits;
}

bool kal_integrator_find(const char *word, KalIntegratorName *out_name)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        assert(kinds[i]->traits.word);
        if (strcmp(kinds[i]->traits.word, word) == 0) {
            *out_name = (KalIntegratorName)i;
            return true;
        }
    }
    return false;
}

double kal_integrator_least_tolerance(KalIntegratorName name, int n)
{
    const KalIntegratorKind *kind = kind_of(name);
    assert(n >= 1);
    return kind->least_tolerance ? kind->least_tolerance(n) : 0.0;
}

// Whether an integrator can do what is asked of it with what it is given.
static KalStatus check(KalContext *ctx, const KalIntegratorTraits *traits,
                       const KalOdeSystem *system, const KalOdeOptions *options)
{
    if (system->n > traits->most_states && traits->most_states < KAL_ODE_LIMIT
        && !system->prepare) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "%d states are too many for the method %s: at most %d",
                        system->n, traits->word, traits->most_states);
    }
    KAL_TRY(kal_ode_check(ctx, system, options));
    assert(!system->prepare == !system->solve);
    const bool slopes = system->jacobian || system->prepare;
    const char *lack = traits->needs_jacobian && !slopes             ? "a Jacobian"
                       : traits->needs_residual && !system->residual ? "a residual"
                                                                     : NULL;
    const char *surplus =
        !traits->takes_fixed_step && options->fixed_step > 0.0 ? "fixed steps"
        : !traits->takes_integrals && system->n_integrals > 0  ? "integrals"
                                                               : NULL;
    if (lack || surplus) {
        return kal_fail(ctx, KAL_ERR_USAGE, "the method %s %s %s", traits->word,
                        lack ? "needs" : "does not take", lack ? lack : surplus);
    }
    return KAL_OK;
}

KalStatus kal_integrator_create(KalContext *ctx, KalIntegratorName name,
                                const KalOdeSystem *system,
                                const KalOdeOptions *options,
                                KalIntegrator **out_integrator)
{
    const KalIntegratorKind *kind = kind_of(name);
    const KalOdeOptions chosen = options ? *options : kal_ode_options();
    KAL_TRY(check(ctx, &kind->traits, system, &chosen));
    assert(kind->size >= sizeof(KalIntegrator));
    assert(kind->init && kind->clear && kind->start && kind->step);
    assert(kind->interpolate && kind->order);
    KalIntegrator *base = (KalIntegrator *)kal_alloc(ctx, 1, kind->size);
    if (!base) {
        return kal_no_memory(ctx, "for an integrator");
    }
    base->kind = kind;
    base->name = name;
    base->ctx = ctx;
    base->system = *system;
    base->options = chosen;
    const KalStatus status = kind->init(base);
    base->options.atols = NULL; // borrowed for this call only
    if (status != KAL_OK) {
        kal_integrator_destroy(base);
        return status;
    }
    *out_integrator = base;
    return KAL_OK;
}

void kal_integrator_destroy(KalIntegrator *integrator)
{
    if (integrator) {
        integrator->kind->clear(integrator);
        kal_free(integrator->ctx, integrator, integrator->kind->size);
    }
}

KalStatus kal_integrator_start(KalIntegrator *integrator, double t, const double *y,
                               double t_end)
{
    KalIntegrator *base = integrator;
    KAL_TRY(kal_ode_check_start(base->ctx, base->system.n, t, y, t_end));
    base->started = false;
    base->t = t;
    base->t_end = t_end;
    base->goal = t_end;
    base->direction = t_end > t ? 1.0 : -1.0;
    KAL_TRY(base->kind->start(base, y));
    assert(base->last.t_new == t && base->last.y_new);
    base->started = true;
    return KAL_OK;
}

KalStatus kal_integrator_set_end(KalIntegrator *integrator, double t_end)
{
    KalIntegrator *base = integrator;
    if (!base->started || !(base->direction * (t_end - base->t) >= 0.0)) {
        return kal_fail(base->ctx, KAL_ERR_USAGE,
                        "the end, t = %.17g, lies behind the present time, %.17g",
                        t_end, base->t);
    }
    base->t_end = t_end;
    base->goal = t_end;
    if (base->kind->end_moved) {
        base->kind->end_moved(base);
    }
    return KAL_OK;
}

void kal_integrator_allow(KalIntegrator *integrator, double rtol)
{
    assert(rtol > 0.0);
    integrator->options.rtol = rtol;
}

void kal_integrator_allow_integrals(KalIntegrator *integrator, double error)
{
    assert(error >= 0.0);
    if (integrator->kind->allow_integrals) {
        integrator->kind->allow_integrals(integrator, error);
    }
}

void kal_integrator_neglect(KalIntegrator *integrator, const int *entries, int count)
{
    assert(integrator->kind->neglect && count >= 0);
    integrator->kind->neglect(integrator, entries, count);
}

void kal_integrator_set_max_step(KalIntegrator *integrator, double longest)
{
    assert(longest >= 0.0);
    integrator->options.max_step = longest;
    if (integrator->kind->max_step_set) {
        integrator->kind->max_step_set(integrator);
    }
}

// Before the kind tries, `last` is a step of no length at the present state: what a failure
// leaves behind is then consistent whatever the kind did.
KalStatus kal_integrator_begin_step(KalIntegrator *integrator)
{
    KalIntegrator *base = integrator;
    if (!base->started || base->t == base->t_end) {
        return kal_fail(base->ctx, KAL_ERR_USAGE, "there is no step to take");
    }
    base->last = kal_ode_no_step(base->t, base->last.y_new);
    return KAL_OK;
}

void kal_integrator_end_step(KalIntegrator *integrator, KalOdeStep *out_step)
{
    KalIntegrator *base = integrator;
    assert(base->last.t_old == base->t);
    assert(base->last.y_old && base->last.y_new
           && base->last.y_old != base->last.y_new);
    assert(base->direction * (base->last.t_new - base->t) > 0.0);
    assert(base->direction * (base->t_end - base->last.t_new) >= 0.0);
    base->t = base->last.t_new;
    base->last.finished = base->t == base->t_end;
    base->counts.steps++;
    *out_step = base->last;
}

KalStatus kal_integrator_step(KalIntegrator *integrator, KalOdeStep *out_step)
{
    KAL_TRY(kal_integrator_begin_step(integrator));
    KAL_TRY(integrator->kind->step(integrator));
    kal_integrator_end_step(integrator, out_step);
    return KAL_OK;
}

KalStatus kal_integrator_interpolate(KalIntegrator *integrator, double t, double *out_y)
{
    KalIntegrator *base = integrator;
    const KalOdeStep *last = &base->last;
    KAL_TRY(kal_ode_check_inside(base->ctx, last, t));
    if (t == last->t_old || t == last->t_new) {
        const double *y = t == last->t_old ? last->y_old : last->y_new;
        memcpy(out_y, y, (size_t)base->system.n * sizeof(double));
        return KAL_OK;
    }
    assert(last->t_old != last->t_new); // a step of no length has its ends only
    return base->kind->interpolate(base, t, out_y);
}

KalStatus kal_integrator_interpolate_lanes(KalIntegrator *integrator,
                                           const double *times, int first,
                                           double *out_groups, bool *out_known)
{
    KalIntegrator *base = integrator;
    *out_known = base->kind->interpolate_lanes != NULL;
    return *out_known ? base->kind->interpolate_lanes(base, times, first, out_groups)
                      : KAL_OK;
}

KalStatus kal_integrator_advance(KalIntegrator *integrator, double t, double *out_y)
{
    KalIntegrator *base = integrator;
    base->goal = t;
    for (int i = 0; base->direction * (t - base->t) > 0.0; i++) {
        KalOdeStep step;
        if (i == MOST_STEPS) {
            return kal_fail(base->ctx, KAL_ERR_STEP,
                            "%d steps of the method %s have not led to t = %.17g", i,
                            base->kind->traits.word, t);
        }
        KAL_TRY(kal_integrator_step(base, &step));
    }
    return kal_integrator_interpolate(base, t, out_y);
}

KalIntegratorName kal_integrator_name(const KalIntegrator *integrator)
{
    return integrator->name;
}

int kal_integrator_order(const KalIntegrator *integrator)
{
    const int order = integrator->kind->order(integrator);
    assert(order >= 1);
    return order;
}

KalOdeCounts kal_integrator_counts(const KalIntegrator *integrator)
{
    return integrator->counts;
}
