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

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        sum += a[j] * b[j];
    }
    return sum;
}

// Take the parts along orthonormal rows out of x, twice, which is enough.
static void sweep(const double *rows, size_t count, size_t n, double *x)
{
    assert(x && (rows || count == 0));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < count; k++) {
            const double part = dot(rows + k * n, x, n);
            for (size_t j = 0; j < n; j++) {
                x[j] -= part * rows[k * n + j];
            }
        }
    }
}

// An orthonormal basis of the rows of acting constraints, by Gram and Schmidt, in `basis`;
// returns how many rows it has.
static size_t span_dense_rows(const KalRun *run, double *basis)
{
    assert(basis);
    const size_t n = (size_t)run->system->n;
    size_t count = 0;
    for (int i = 0; i < run->system->m && count < n; i++) {
        double *row = basis + count * n;
        memcpy(row, run->instant->A + (size_t)i * n, n * sizeof *row);
        const double before = sqrt(dot(row, row, n));
        sweep(basis, count, n, row);
        const double rest = sqrt(dot(row, row, n));
        if (rest > PARALLEL * before) {
            for (size_t j = 0; j < n; j++) {
                row[j] /= rest;
            }
            count++;
        }
    }
    return count;
}

// Get ready to compare rows with those of acting constraints; in a large system by its
// factors.  Returns how many rows the basis of a small one has.
static size_t span_rows(KalRun *run)
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
static double part_beyond(const KalRun *run, double *row, size_t n_basis)
{
    const size_t n = (size_t)run->system->n;
    if (run->instant->large.solver) {
        return run->events.comparable ? kal_large_instant_beyond(run->instant, row)
                                      : 1.0;
    }
    const double length = sqrt(dot(row, row, n));
    sweep(run->rank.copy, n_basis, n, row);
    return length > 0.0 ? sqrt(dot(row, row, n)) / length : 1.0;
}

// The row of event i in the present state, and the size of the terms of its function.
static double take_row(const KalRun *run, size_t i, const double *entries, double *row)
{
    assert(i < run->system->model->n_events && row);
    const KalSparse *rows = &run->system->event_rows;
    const double *q = kal_instant_q(run->instant); // velocities follow
    const size_t n = (size_t)run->system->n;
    double size = 0.0;
    memset(row, 0, n * sizeof *row);
    for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const size_t column = (size_t)rows->column[k];
        const bool velocity = column >= n;
        size += fabs(entries[k]) * fmax(1.0, fabs(q[column]));
        if (velocity == run->system->event_velocity[i]) {
            row[velocity ? column - n : column] = entries[k];
        }
    }
    return size;
}

// Whether the function of the row, with this value, rests in the present state.
static bool rests(const KalRun *run, double value, double size, size_t n_basis)
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
    const size_t n_basis = span_rows(run);
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
    const bool *bounded = run->system->event_bounded;
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
