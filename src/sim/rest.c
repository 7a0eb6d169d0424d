// SPDX-License-Identifier: MIT

// Event functions that rest at zero because a constraint holds them there: theory (15.18).
//
// The gap that a constraint keeps closed is zero but for rounding, and rounding changes its
// sign.  So a function g of t, q and q' whose row, ∂g/∂q' or else ∂g/∂q, is a combination of
// the rows of acting constraints is taken for zero while |g| is no more than these
// constraints are off.  At one instant rows may be parallel by accident; a function that
// rests does so at both ends of a step.
//
// Invariant: `resting` of an event is true only while its function has not left zero.

#include "linalg/span.h"
#include "sim/run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// What is left of a row by the rows of constraints, relative to it: no more than rounding.
static const double PARALLEL = 1e-9;
// A function that rests is off by no more than this part of its terms.
static const double OFF = 1e-6;
// Roundings that a function at rest may be off by.
static const double ROUNDINGS = 64.0;

// An orthonormal basis of the rows of acting constraints, in `basis`; returns how many rows it
// has.
static int span_dense_rows(const KalRun *run, double *basis)
{
    assert(basis);
    const int n = run->system->n;
    const size_t size = (size_t)n * sizeof(double);
    int count = 0;
    for (int i = 0; i < run->system->m && count < n; i++) {
        memcpy(basis + (size_t)count * (size_t)n,
               run->instant->A + (size_t)i * (size_t)n, size);
        count += kal_span_add(n, basis, count, PARALLEL);
    }
    return count;
}

// Get ready to compare rows with those of acting constraints; in a large system by its
// factors.  Returns how many rows the basis of a small one has.
static int span_rows(KalRun *run)
{
    KalProjector *projector = &run->projection.projector;
    if (!run->instant->large.solver) {
        return span_dense_rows(run, run->rank.copy);
    }
    kal_projector_set_metric(projector);
    kal_projector_set_rows(projector, NULL);
    run->projection.prepared = false;
    run->events.comparable = kal_projector_factor(projector, KAL_LEAST_DAMPING);
    return 0;
}

// The part of a row that is no combination of those, relative to its length.
static double part_beyond(const KalRun *run, double *row, int n_basis)
{
    const int n = run->system->n;
    if (run->instant->large.solver) {
        return run->events.comparable ? kal_large_instant_beyond(run->instant, row)
                                      : 1.0;
    }
    const double length = kal_length(n, row);
    kal_span_reduce(n, run->rank.copy, n_basis, row);
    return length > 0.0 ? kal_length(n, row) / length : 1.0;
}

// The row of event i in the present state, and the size of the terms of its function.
static double take_row(const KalRun *run, size_t i, const double *entries, double *row)
{
    assert(i < run->system->model->n_events && row);
    const KalSparse *rows = &run->system->bounds.rows;
    const double *q = kal_instant_q(run->instant); // velocities follow
    const size_t n = (size_t)run->system->n;
    double size = 0.0;
    memset(row, 0, n * sizeof *row);
    for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const size_t column = (size_t)rows->column[k];
        const bool velocity = column >= n;
        size += fabs(entries[k]) * fmax(1.0, fabs(q[column]));
        if (velocity == run->system->bounds.velocity[i]) {
            row[velocity ? column - n : column] = entries[k];
        }
    }
    return size;
}

// Whether the function of the row, with this value, rests in the present state.
static bool rests(const KalRun *run, double value, double size, int n_basis)
{
    return fabs(value) <= OFF * size
           && part_beyond(run, run->events.row, n_basis) <= PARALLEL;
}

// Judge events by the present state: those that `may` rest and do, do so from now on.  Those
// that no longer do wait at zero, as far off as they ever were: a constraint that drifts passes
// zero now and then, and how far it is off at such an instant tells nothing.
static KalStatus judge(KalRun *run, const bool *may)
{
    assert(may);
    const KalSystem *system = run->system;
    KalInstant *instant = run->instant;
    const size_t n_events = system->model->n_events;
    KAL_TRY(kal_instant_residuals(instant, KAL_PROGRAM_VELOCITY));
    run->solved = false;
    const int n_basis = span_rows(run);
    const bool known = kal_instant_evaluate(instant, KAL_PROGRAM_EVENT_ROWS) == KAL_OK;
    const double *entries = instant->results + n_events;
    for (size_t i = 0; i < n_events; i++) {
        const bool rested = run->events.resting[i];
        const double size = take_row(run, i, entries, run->events.row);
        const double value = instant->results[i];
        run->events.resting[i] = known && may[i] && rests(run, value, size, n_basis);
        if (run->events.resting[i]) {
            const double off = fmax(ROUNDINGS * DBL_EPSILON * size, 2.0 * fabs(value));
            run->events.bands[i] = rested ? fmax(run->events.bands[i], off) : off;
        } else if (rested && run->events.roots) {
            kal_roots_wait(run->events.roots, (int)i, run->events.bands[i]);
        }
    }
    return KAL_OK;
}

static bool any(const bool *flags, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (flags[i]) {
            return true;
        }
    }
    return false;
}

KalStatus kal_run_rest_begin(KalRun *run)
{
    const bool *bounded = run->system->bounds.exact;
    const size_t n_events = run->system->model->n_events;
    const bool may = run->instant->n_active > 0 && any(bounded, n_events);
    return may || any(run->events.resting, n_events) ? judge(run, bounded) : KAL_OK;
}

KalStatus kal_run_rest_end(KalRun *run)
{
    return any(run->events.resting, run->system->model->n_events)
               ? judge(run, run->events.resting)
               : KAL_OK;
}

KalStatus kal_run_rest_confirm(KalRun *run)
{
    if (any(run->events.resting, run->system->model->n_events)) {
        KAL_TRY(kal_run_visit(run, run->step.t_new));
    }
    return kal_run_rest_end(run);
}
