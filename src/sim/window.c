// SPDX-License-Identifier: MIT

// Whether steps lead on: every run ends, and says why where it ends early.

#include "sim/window.h"

#include <assert.h>

enum {
    STEPS_OF_PIECE = 20 // with more on average, pieces are not why they are short
};

// A window of steps leads at least this far, in parts of the run.
static const double PROGRESS = 1e-6;

void kal_run_window_begin(KalRun *run)
{
    run->window.t = run->t;
    run->window.steps = run->statistics.steps;
    run->window.switches = run->statistics.switches;
}

// What helps where an explicit method is held by stability.
static const char *advise_stiff(const KalRun *run)
{
    if (run->system->n_servos > 0) {
        return "method bdf is not for models with servos: a law in place of the servo, "
               "or a constraint in place of what is stiff, lets it go on";
    }
    return run->options.form == KAL_RUN_FORM_REDUCED
               ? "method bdf takes longer ones, in the full form"
               : "method bdf takes longer ones";
}

// A window of steps led nowhere, and formulas went over to other pieces in it.
static KalStatus fail_progress(const KalRun *run, double way, long switches)
{
    assert(switches >= 0);
    if (switches >= KAL_RUN_WINDOW / STEPS_OF_PIECE) {
        return kal_fail(
            run->ctx, KAL_ERR_STEP,
            "%d steps before t = %.17g have led on by %.3g only, for "
            "piecewise formulas changed %ld times in them and every change "
            "ends a step: run for a shorter time, or write a smooth function "
            "in their place",
            KAL_RUN_WINDOW, run->t, way, switches);
    }
    if (run->step.stiff && !run->integration.stiff) {
        return kal_fail(run->ctx, KAL_ERR_STEP,
                        "%d steps before t = %.17g have led on by %.3g only: something "
                        "decays or swings so fast that stability holds the steps of "
                        "an explicit method small; %s",
                        KAL_RUN_WINDOW, run->t, way, advise_stiff(run));
    }
    return kal_fail(
        run->ctx, KAL_ERR_STEP,
        "%d steps before t = %.17g have led on by %.3g only: the solution "
        "may end there, or change so fast that rounding hides where it goes",
        KAL_RUN_WINDOW, run->t, way);
}

// Steps, and each window of them, have to lead to the end in a time that can be waited for.
KalStatus kal_run_window_watch(KalRun *run)
{
    const long steps = run->statistics.steps;
    const double span = run->options.until - run->options.from;
    if (run->options.max_steps > 0 && steps >= run->options.max_steps) {
        return kal_fail(run->ctx, KAL_ERR_LIMIT,
                        "the run has taken %ld steps and is at t = %.9g: more were not "
                        "allowed",
                        steps, run->t);
    }
    if (steps - run->window.steps < KAL_RUN_WINDOW) {
        return KAL_OK;
    }
    const double way = run->t - run->window.t;
    const long switches = run->statistics.switches - run->window.switches;
    kal_run_window_begin(run);
    return way >= PROGRESS * span ? KAL_OK : fail_progress(run, way, switches);
}
