// SPDX-License-Identifier: MIT

// The integrators, one of which is at work.

#include "sim/run.h"

KalStatus kal_run_integrate_start(KalRun *run, double t, const double *y)
{
    const double until = run->options.until;
    const double end = t < until ? until : t + 1.0; // where no step will be taken
    KAL_TRY(run->stiff ? kal_stiff_start(run->stiff_solver, t, y, end)
                       : kal_dop853_start(run->explicit_solver, t, y, end));
    run->step = (KalOdeStep){.t_old = t, .t_new = t};
    return KAL_OK;
}

KalStatus kal_run_integrate_step(KalRun *run)
{
    return run->stiff ? kal_stiff_step(run->stiff_solver, &run->step)
                      : kal_dop853_step(run->explicit_solver, &run->step);
}

KalStatus kal_run_interpolate(KalRun *run, double t, double *out_y)
{
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
