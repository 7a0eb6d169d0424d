// SPDX-License-Identifier: MIT

// Values that are held: renewed at t0, t0 + T, t0 + 2 T, … and constant between.
//
// Times are multiples of the period, not sums of it, and so do not drift.  Holds whose times
// differ by rounding alone are renewed at one instant, each from the values before it.
//
// Invariant: `counts` of a hold is the number of its renewals so far, and no step of the run
// goes across `next`.

#include "sim/run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

// Times closer than this part of the longest time differ by rounding.
static const double REST = 64.0 * DBL_EPSILON;

static double period_of(const KalRun *run, int i)
{
    return run->instant->settings.periods[i];
}

static double rounding(const KalRun *run)
{
    return REST * fmax(fabs(run->options.from), fabs(run->options.until));
}

// When hold i is renewed next; a time that the end misses by rounding is the end.
static double time_of(const KalRun *run, int i)
{
    const double period = period_of(run, i);
    const double t = run->options.from + run->holds.counts[i] * period;
    return fabs(t - run->options.until) <= rounding(run) ? run->options.until : t;
}

static void find_next(KalRun *run)
{
    run->holds.next = INFINITY;
    for (int i = 0; i < run->system->n_holds; i++) {
        run->holds.next = fmin(run->holds.next, time_of(run, i));
    }
}

// More renewals than steps are not waited for.
static KalStatus check_count(const KalRun *run, int i)
{
    const double count = (run->options.until - run->options.from) / period_of(run, i);
    if (run->options.max_steps == 0 || count <= (double)run->options.max_steps) {
        return KAL_OK;
    }
    return kal_fail(
        run->ctx, KAL_ERR_LIMIT,
        "'%s' would be renewed %.3g times; every renewal ends a step, and no "
        "more than %ld steps are allowed",
        run->system->model->holds[i].name, count, run->options.max_steps);
}

KalStatus kal_run_holds_start(KalRun *run)
{
    for (int i = 0; i < run->system->n_holds; i++) {
        KAL_TRY(check_count(run, i));
        run->holds.counts[i] = 1.0;
    }
    find_next(run);
    return KAL_OK;
}

double kal_run_end(const KalRun *run)
{
    return fmin(run->options.until, fmin(run->holds.next, run->integration.peak));
}

bool kal_run_holds_due(const KalRun *run, double t)
{
    return t >= run->holds.next;
}

// Several holds may be due at once; times are multiples of periods, and are compared up
// to rounding.
KalStatus kal_run_holds_renew(KalRun *run)
{
    assert(run->instant);
    if (!kal_run_holds_due(run, run->t)) {
        return KAL_OK;
    }
    for (int i = 0; i < run->system->n_holds; i++) {
        run->holds.due[i] = time_of(run, i) <= run->holds.next + rounding(run);
    }
    KAL_TRY(kal_instant_renew(run->instant, run->holds.due));
    for (int i = 0; i < run->system->n_holds; i++) {
        run->holds.counts[i] += run->holds.due[i] ? 1.0 : 0.0;
    }
    run->solved = false;
    find_next(run);
    assert(run->holds.next > run->t);
    return KAL_OK;
}
