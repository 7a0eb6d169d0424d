// SPDX-License-Identifier: MIT

// The integrators, one of which is at work.

#include "sim/run.h"

#include <math.h>

// A loss of rank is crossed when it is nearer than this many steps.
static const double NEAR = 1.5;
// Otherwise steps go so far towards it.
static const double PART = 0.4;
// Nearer than this part of the last step is too near to begin at.
static const double TOO_NEAR = 0.2;

KalStatus kal_run_integrate_start(KalRun *run, double t, const double *y)
{
    const double until = run->options.until;
    const double end = t < until ? until : t + 1.0; // where no step will be taken
    KAL_TRY(run->stiff ? kal_stiff_start(run->stiff_solver, t, y, end)
                       : kal_dop853_start(run->explicit_solver, t, y, end));
    run->crossed = false;
    run->step = (KalOdeStep){.t_old = t, .t_new = t};
    return KAL_OK;
}

// Where a step across begins: here or, if the last step came too near, at its beginning.
static KalStatus choose_start(KalRun *run, double distance, double *out_t)
{
    const KalOdeStep *last = &run->step;
    const bool too_near =
        distance < TOO_NEAR * (last->t_new - last->t_old) && run->t == last->t_new;
    *out_t = too_near ? last->t_old : run->t;
    return kal_run_interpolate(run, *out_t, run->state);
}

// Try a step across a loss of rank that lies ahead at a distance.
static KalStatus try_across(KalRun *run, double distance, bool *out_done)
{
    const bool careful = run->careful;
    const double middle = run->t + distance;
    double t = run->t;
    KAL_TRY(choose_start(run, distance, &t));
    const double h = fmin(2.0 * (middle - t), run->options.until - t);
    run->careful = true;
    kal_cross_step(&run->cross, t, h, run->state, out_done, &run->step);
    run->careful = careful;
    if (*out_done) {
        run->crossed = true;
        run->statistics.crossings++;
    } else {
        run->statistics.rejected++;
    }
    return KAL_OK;
}

// The explicit method must not come upon it by accident.
static KalStatus step_nearer(KalRun *run, double distance)
{
    KalDop853 *solver = run->explicit_solver;
    KAL_TRY(kal_dop853_set_end(solver, run->t + PART * distance));
    KAL_TRY(kal_dop853_step(solver, &run->step));
    return kal_dop853_set_end(solver, run->options.until);
}

static KalStatus step_towards(KalRun *run, double distance)
{
    bool done = false;
    if (distance < NEAR * run->statistics.step) {
        KAL_TRY(try_across(run, distance, &done));
    }
    return done ? KAL_OK : step_nearer(run, distance);
}

KalStatus kal_run_integrate_step(KalRun *run)
{
    double distance = 0.0;
    if (run->crossed) { // the explicit method starts anew behind it
        KAL_TRY(kal_run_interpolate(run, run->t, run->state));
        run->crossed = false;
        KAL_TRY(kal_run_integrate_start(run, run->t, run->state));
    }
    if (run->stiff) {
        return kal_stiff_step(run->stiff_solver, &run->step);
    }
    return kal_run_foresee(run, &distance)
               ? step_towards(run, distance)
               : kal_dop853_step(run->explicit_solver, &run->step);
}

KalStatus kal_run_interpolate(KalRun *run, double t, double *out_y)
{
    if (run->crossed) {
        kal_cross_interpolate(&run->cross, t, out_y);
        return KAL_OK;
    }
    return run->stiff ? kal_stiff_interpolate(run->stiff_solver, t, out_y)
                      : kal_dop853_interpolate(run->explicit_solver, t, out_y);
}

KalOdeCounts kal_run_counts(const KalRun *run)
{
    KalOdeCounts counts = kal_dop853_counts(run->explicit_solver);
    if (run->stiff_solver) {
        const KalOdeCounts more = kal_stiff_counts(run->stiff_solver);
        counts.steps += more.steps;
        counts.rejected += more.rejected;
        counts.retries += more.retries;
    }
    return counts;
}
