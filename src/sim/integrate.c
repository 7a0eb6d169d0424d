// SPDX-License-Identifier: MIT

// The integrators, one of which is at work.

#include "sim/run.h"

#include <math.h>
#include <string.h>

enum {
    WINDOW = 40,    // steps in which the price of a method is found
    PATIENCE = 2000 // steps before the implicit method is tried again
};

// The implicit method pays when it takes no more than this part of the evaluations: each
// comes with algebra that takes the time of one or more.
static const double PAYS = 0.5;
// A loss of rank is crossed when it is nearer than this many steps.
static const double NEAR = 2.0;
static const double NEAR_STIFF = 30.0; // whose steps are short
// Otherwise steps go so far towards it.
static const double PART = 0.4;
// Nearer than this part of the last step is too near to begin at.
static const double TOO_NEAR = 0.2;
// Below this a sine is nearly its angle, and its slope tells when it will be zero.
static const double STRAIGHT = 0.5;
// No step turns rows by more, in radians, or it could pass two losses of rank.
static const double TURN = 1.0;

static bool is_reduced(const KalRun *run)
{
    return run->options.form == KAL_RUN_FORM_REDUCED;
}

static KalOdeOptions options_of(const KalRun *run)
{
    KalOdeOptions options = kal_ode_options();
    options.rtol = run->options.rtol;
    options.atol = run->options.atol;
    return options;
}

static KalStatus create_stiff(KalRun *run)
{
    const KalOdeSystem system = kal_run_ode(run, false);
    const KalOdeOptions options = options_of(run);
    KAL_TRY(kal_tangent_init(&run->tangent, run->ctx, run->system));
    return kal_stiff_create(run->ctx, &system, &options, &run->stiff_solver);
}

KalStatus kal_run_integrate_init(KalRun *run)
{
    KalOdeSystem system = kal_run_ode(run, true);
    KalOdeOptions options = options_of(run);
    KAL_TRY(kal_cross_init(&run->cross, run->ctx, &system, &options));
    options.fixed_step = run->options.fixed_step;
    system = is_reduced(run) ? kal_run_reduced_ode(run) : system;
    KAL_TRY(kal_dop853_create(run->ctx, &system, &options, &run->explicit_solver));
    if (run->options.method != KAL_METHOD_BDF) {
        return KAL_OK;
    }
    if (is_reduced(run)) {
        return kal_fail(run->ctx, KAL_ERR_USAGE,
                        "the reduced form is integrated by method dop853, not by bdf");
    }
    if (!run->system->has_tangent) {
        return kal_fail(run->ctx, KAL_ERR_USAGE, "%s",
                        run->system->n_servos > 0
                            ? "method bdf is not for models with servos; take dop853"
                            : "method bdf takes a system that was loaded for it");
    }
    run->stiff = true;
    return create_stiff(run);
}

// Powers in the solved instant.
static void take_powers(KalRun *run)
{
    kal_balance_find_powers(&run->balance, run->instant, run->balance.powers);
}

// Tell once that the tolerance is tighter than the implicit method can keep.
static KalStatus tell_limit(KalRun *run, double t)
{
    const double least = kal_stiff_least_tolerance(2 * run->system->n);
    const bool told = run->method.told_limit;
    run->method.told_limit = true;
    return told || options_of(run).rtol >= least
               ? KAL_OK
               : kal_run_tell(run, t,
                              "method bdf keeps tolerances down to %.1g: the motion is "
                              "no more exact than that",
                              least);
}

// The implicit method: powers are known at the ends of its steps.
static KalStatus start_stiff(KalRun *run, double t, const double *y, double end)
{
    KalBalance *balance = &run->balance;
    KAL_TRY(tell_limit(run, t));
    KAL_TRY(kal_stiff_start(run->stiff_solver, t, y, end));
    if (balance->n > 0) {
        kal_run_put(run, t, y);
        KAL_TRY(kal_run_accelerate(run));
        take_powers(run);
        kal_trail_start(&balance->trail, t, y + 2 * (size_t)run->system->n,
                        balance->powers);
    }
    return KAL_OK;
}

static KalStatus step_stiff(KalRun *run)
{
    KalBalance *balance = &run->balance;
    KAL_TRY(kal_stiff_step(run->stiff_solver, &run->step));
    if (balance->n > 0) {
        KAL_TRY(kal_run_look(run, run->step.t_new));
        take_powers(run);
        kal_trail_add(&balance->trail, run->step.t_new, balance->powers,
                      kal_stiff_order(run->stiff_solver));
    }
    return KAL_OK;
}

// Choose speeds at a state and write it in them.
static KalStatus reduce(KalRun *run, double t, const double *y)
{
    KAL_TRY(kal_form_choose(&run->form, t, y));
    kal_form_contract(&run->form, y, run->form.z);
    run->solved = false;
    memcpy(run->form.z + 2 * (size_t)run->system->n, y + 2 * (size_t)run->system->n,
           (size_t)run->balance.n * sizeof(double));
    return KAL_OK;
}

KalStatus kal_run_integrate_start(KalRun *run, double t, const double *y)
{
    const double until = run->options.until;
    const double end = t < until ? until : t + 1.0; // where no step will be taken
    if (is_reduced(run)) {
        KAL_TRY(reduce(run, t, y));
        y = run->form.z;
    }
    KAL_TRY(run->stiff ? start_stiff(run, t, y, end)
                       : kal_dop853_start(run->explicit_solver, t, y, end));
    run->crossed = false;
    run->tried = INFINITY;
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

// Try steps across a loss of rank that lies ahead at a distance.  It is in the middle of
// them; or, where it is too near for that, further to the beginning, between nodes.
static KalStatus try_across(KalRun *run, double distance, bool *out_done)
{
    static const double places[] = {0.5, 0.323, 0.169, 0.0608, 0.00995};
    const bool careful = run->careful;
    const size_t count = run->rank.sine < KAL_LOW_SINE ? 5 : 1;
    const double middle = run->t + distance;
    double t = run->t;
    KAL_TRY(choose_start(run, distance, &t));
    const double left = run->options.until - t;
    run->careful = true;
    for (size_t k = 0; k < count && !*out_done; k++) {
        const double h = (middle - t) / places[k];
        if (k > 0 && h > left) {
            break;
        }
        kal_cross_step(&run->cross, t, fmin(h, left), run->state, out_done, &run->step);
        run->statistics.rejected += !*out_done;
    }
    run->careful = careful;
    if (*out_done) {
        run->crossed = true;
        run->statistics.crossings++;
    }
    return KAL_OK;
}

// The watch over ranks lets no step of the explicit method be longer than this.
static void limit_step(KalRun *run)
{
    const KalRankWatch *watch = &run->rank;
    const bool turns =
        watch->known && watch->turning > 0.0 && run->options.drift == KAL_DRIFT_PROJECT;
    kal_dop853_set_max_step(run->explicit_solver, turns ? TURN / watch->turning : 0.0);
}

// The explicit method must not come upon it by accident.
static KalStatus step_nearer(KalRun *run, double distance)
{
    KalDop853 *solver = run->explicit_solver;
    limit_step(run);
    KAL_TRY(kal_dop853_set_end(solver, run->t + PART * distance));
    KAL_TRY(kal_dop853_step(solver, &run->step));
    return kal_dop853_set_end(solver, run->options.until);
}

static KalStatus step_towards(KalRun *run, double distance)
{
    bool done = false;
    const double near = run->stiff ? NEAR_STIFF : NEAR;
    // Steps may be short because of it.
    const bool is_due = isfinite(run->tried) || run->rank.sine < KAL_LOW_SINE
                        || distance < near * run->statistics.step;
    if (is_due && run->rank.sine < STRAIGHT && distance < 0.7 * run->tried) {
        KAL_TRY(try_across(run, distance, &done));
        run->tried = done ? INFINITY : distance;
    }
    if (done) {
        return KAL_OK;
    }
    return run->stiff ? step_stiff(run) : step_nearer(run, distance);
}

// Go on with the other method.
static KalStatus change_method(KalRun *run, bool stiff)
{
    if (stiff && !run->stiff_solver) {
        KAL_TRY(create_stiff(run));
    }
    KAL_TRY(kal_run_interpolate(run, run->t, run->state));
    run->stiff = stiff;
    run->statistics.changes++;
    run->method.steps = 0;
    run->method.patience = stiff ? 0 : PATIENCE;
    run->method.warm = false;
    KAL_TRY(kal_run_tell(run, run->t, "%s",
                         stiff ? "the system is stiff here: changed to method bdf"
                               : "method bdf does not pay: changed back to dop853"));
    return kal_run_integrate_start(run, run->t, run->state);
}

// Work for each unit of time, once there were enough steps to tell; else 0.
static double price(KalRun *run)
{
    KalMethodWatch *watch = &run->method;
    double answer = 0.0;
    if (watch->steps++ == 0) {
        watch->t = run->t;
        watch->work = watch->spent;
    } else if (watch->steps > WINDOW && run->t > watch->t) {
        answer = (watch->spent - watch->work) / (run->t - watch->t);
        watch->steps = 0;
    }
    return answer;
}

// Control depends on the state in ways whose derivatives are not known.
static KalStatus tell_stiff(KalRun *run)
{
    const bool told = run->method.told;
    run->method.told = true;
    return told ? KAL_OK
                : kal_run_tell(run, run->t,
                               "the system is stiff here; method bdf is not for models "
                               "with servos, so dop853 goes on with short steps");
}

// Change the method when the other one pays.  Stiffness is told by the explicit method;
// whether the implicit one does better, by trying it.
static KalStatus choose_method(KalRun *run)
{
    KalMethodWatch *watch = &run->method;
    if (run->options.method != KAL_METHOD_AUTO || is_reduced(run)
        || run->options.fixed_step > 0.0) {
        return KAL_OK;
    }
    if (!run->system->has_tangent) {
        return run->step.stiff && run->system->n_servos > 0 ? tell_stiff(run) : KAL_OK;
    }
    const double found = price(run);
    if (run->stiff) { // it begins with low orders and short steps
        const bool judged = watch->warm;
        watch->warm = watch->warm || found > 0.0;
        return judged && found > PAYS * watch->explicit_price
                   ? change_method(run, false)
                   : KAL_OK;
    }
    watch->explicit_price = found > 0.0 ? found : watch->explicit_price;
    watch->patience -= watch->patience > 0;
    return run->step.stiff && watch->patience == 0 && watch->explicit_price > 0.0
               ? change_method(run, true)
               : KAL_OK;
}

// The explicit method starts anew behind a loss of rank, and with speeds that have come to
// differ much from what is free.
static KalStatus start_anew(KalRun *run)
{
    bool anew = run->crossed;
    if (!anew && !is_reduced(run)) {
        return KAL_OK;
    }
    KAL_TRY(kal_run_interpolate(run, run->t, run->state));
    if (!anew) {
        KAL_TRY(kal_form_is_worn(&run->form, run->t, run->state, &anew));
    }
    run->crossed = false;
    return anew ? kal_run_integrate_start(run, run->t, run->state) : KAL_OK;
}

// A step of the explicit method, as long as it likes but for the watch over ranks.
static KalStatus step_freely(KalRun *run)
{
    limit_step(run);
    return kal_dop853_step(run->explicit_solver, &run->step);
}

KalStatus kal_run_integrate_step(KalRun *run)
{
    double distance = 0.0;
    KAL_TRY(start_anew(run));
    KAL_TRY(choose_method(run));
    if (kal_run_foresee(run, &distance)) {
        return step_towards(run, distance);
    }
    run->tried = INFINITY;
    return run->stiff ? step_stiff(run) : step_freely(run);
}

// From speeds to velocities; the instant becomes that state.
static KalStatus interpolate_reduced(KalRun *run, double t, double *out_y)
{
    const size_t state = 2 * (size_t)run->system->n;
    run->solved = false;
    KAL_TRY(kal_dop853_interpolate(run->explicit_solver, t, run->form.z));
    memcpy(out_y + state, run->form.z + state, (size_t)run->balance.n * sizeof(double));
    return kal_form_expand(&run->form, t, run->form.z, out_y);
}

KalStatus kal_run_interpolate(KalRun *run, double t, double *out_y)
{
    if (run->crossed) {
        kal_cross_interpolate(&run->cross, t, out_y);
        return KAL_OK;
    }
    if (is_reduced(run)) {
        return interpolate_reduced(run, t, out_y);
    }
    if (!run->stiff) {
        return kal_dop853_interpolate(run->explicit_solver, t, out_y);
    }
    KAL_TRY(kal_stiff_interpolate(run->stiff_solver, t, out_y));
    if (run->balance.n > 0) {
        kal_trail_integrate(&run->balance.trail, t, out_y + 2 * (size_t)run->system->n);
    }
    return KAL_OK;
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
