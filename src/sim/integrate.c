// SPDX-License-Identifier: MIT

// Which integrator of `ode` takes a step, and how long it may be.
//
// The usual one is that which the options ask for, DOP853 unless they ask for another.
// Where it finds the system stiff, and the choice is free, the method for stiff systems is
// tried for a while and kept if it takes less work for each unit of time.  Where constraints
// are about to lose rank, Gauss collocation steps across.  All go on from the state of the
// one before; the integrals of powers, for the balance of the energy, are part of its state
// or, where it takes none, follow from the powers at the ends of its steps.
//
// Invariants: `at_work` is made; run->step is the last step, and `crossed` tells whether
// Gauss collocation took it.

#include "sim/run_impl.h"
#include "sim/slip.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    WINDOW = 40,    // steps in which the price of a method is found
    PATIENCE = 2000 // steps before the implicit method is tried again
};

// The implicit method pays when it takes no more than this part of the evaluations: each
// comes with algebra that takes the time of one or more.
static const double PAYS = 0.5;
// A slip that would be at rest in so many steps makes them short.
static const double SLOWING = 200.0;
// A loss of rank is crossed when it is nearer than this many steps.
static const double NEAR = 2.0;
static const double NEAR_STIFF = 30.0; // whose steps are short
// Otherwise steps go so far towards it.
static const double PART = 0.4;
// Nearer than this part of the last step is too near to begin at.
static const double TOO_NEAR = 0.2;
// Below this a sine is nearly its angle, and its slope tells when it will be zero.
static const double STRAIGHT = 0.5;
// A sine σ that has fallen to this part since a step across was first tried, with σσ' the
// same but for a factor of 2, is a root of time, and the mechanism locks: theory (15.15).
static const double FALLEN = 0.125;
// Errors of a step across that rounding near its middle makes, theory (15.14), and the most
// that is accepted.
static const double ROUNDING = 2.8e-14;
static const double MOST_ROUNDING = 1e-6;

static bool is_reduced(const KalRun *run)
{
    return run->options.form == KAL_RUN_FORM_REDUCED;
}

// An integrator gets the powers at the ends of its steps only.
static bool trails(const KalRun *run)
{
    return !kal_integrator_traits(run->integration.at_work)->takes_integrals;
}

static KalIntegrator *at_work(const KalRun *run)
{
    assert(run->integration.integrators[run->integration.at_work]);
    return run->integration.integrators[run->integration.at_work];
}

static void put_to_work(KalRun *run, KalIntegratorName name)
{
    assert(run->integration.integrators[name]);
    run->integration.at_work = name;
    run->integration.stiff = kal_integrator_traits(name)->needs_jacobian;
}

// The longest step is one of the run before; methods for stiff systems were given none.
void kal_run_integrate_reset(KalRun *run)
{
    put_to_work(run, run->integration.usual);
    run->integration.pulse = -INFINITY;
    if (!run->integration.stiff) {
        kal_integrator_set_max_step(at_work(run), 0.0);
    }
}

// What the implicit method needs of slopes.  What is there is of an attempt whose integrator
// could not be made.
static KalStatus make_slopes(KalRun *run)
{
    KalRunIntegration *integration = &run->integration;
    kal_newton_clear(&integration->newton);
    kal_tangent_clear(&integration->tangent, run->ctx);
    return kal_newton_serves(run->instant)
               ? kal_newton_init(&integration->newton, run->instant)
               : kal_tangent_init(&integration->tangent, run->ctx, run->system);
}

// Make an integrator, unless that was done.
// Jacobians are formulas of the system; those of the reduced form are not, so the usual
// integrator alone takes it.
static KalStatus make(KalRun *run, KalIntegratorName name)
{
    assert(name < KAL_INTEGRATOR_COUNT);
    const KalIntegratorTraits *traits = kal_integrator_traits(name);
    const bool usual = name == run->integration.usual;
    const KalOdeSystem system = usual && is_reduced(run)
                                    ? kal_run_reduced_ode(run)
                                    : kal_run_ode(run, traits->takes_integrals);
    KalOdeOptions options = kal_ode_options();
    options.rtol = run->options.rtol;
    options.atol = run->options.atol;
    options.fixed_step = usual ? run->options.fixed_step : 0.0;
    if (run->integration.integrators[name]) {
        return KAL_OK;
    }
    KAL_TRY(traits->needs_jacobian ? make_slopes(run) : KAL_OK);
    return kal_integrator_create(run->ctx, name, &system, &options,
                                 &run->integration.integrators[name]);
}

// Whether the equations of the run can be given to the usual integrator.
static KalStatus check_usual(const KalRun *run)
{
    const KalIntegratorTraits *traits = kal_integrator_traits(run->integration.usual);
    if (traits->needs_jacobian && is_reduced(run)) {
        return kal_fail(run->ctx, KAL_ERR_USAGE,
                        "the reduced form is integrated by method dop853, not by %s",
                        traits->word);
    }
    if (is_reduced(run) && run->system->n_states > 0) {
        return kal_fail(run->ctx, KAL_ERR_USAGE,
                        "the reduced form is not for models with states; take the full "
                        "one");
    }
    if (traits->needs_jacobian && !run->system->tangent.derived) {
        return run->system->n_servos > 0
                   ? kal_fail(run->ctx, KAL_ERR_USAGE,
                              "method %s is not for models with servos; take dop853",
                              traits->word)
                   : kal_fail(run->ctx, KAL_ERR_USAGE,
                              "method %s takes a system that was loaded for it",
                              traits->word);
    }
    return KAL_OK;
}

// Gauss collocation is made in any case, to be there where rank is lost; it is for positions
// and velocities alone.
KalStatus kal_run_integrate_init(KalRun *run)
{
    const char *word = kal_method_word(run->options.method);
    run->integration.usual = KAL_INTEGRATOR_DOP853;
    if (run->options.method != KAL_METHOD_AUTO
        && !kal_integrator_find(word, &run->integration.usual)) {
        return kal_fail(run->ctx, KAL_ERR_USAGE, "there is no integrator '%s'", word);
    }
    KAL_TRY(check_usual(run));
    KAL_TRY(run->system->n_states == 0 ? make(run, KAL_INTEGRATOR_GAUSS) : KAL_OK);
    KAL_TRY(make(run, run->integration.usual));
    kal_run_integrate_reset(run);
    return KAL_OK;
}

void kal_run_integrate_clear(KalRun *run)
{
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        kal_integrator_destroy(run->integration.integrators[i]);
    }
    kal_stages_clear(&run->integration.stages);
}

// Powers in the solved instant.
static void take_powers(KalRun *run)
{
    kal_balance_find_powers(&run->balance, run->instant, run->balance.powers);
}

static KalSubject method_at_work(const KalRun *run)
{
    return (KalSubject){KAL_INCIDENT_METHOD,
                        kal_integrator_traits(run->integration.at_work)->word};
}

// Tell once that the tolerance is tighter than the integrator can keep.
static KalStatus tell_limit(KalRun *run, double t)
{
    const double least = kal_integrator_least_tolerance(
        run->integration.at_work, (int)kal_system_state_size(run->system));
    const bool told = run->integration.watch.told_limit;
    if (told || run->options.rtol >= least) {
        return KAL_OK;
    }
    run->integration.watch.told_limit = true;
    return kal_run_tell(run, t, method_at_work(run),
                        "method %s keeps tolerances down to %.1g: the motion is no "
                        "more exact than that",
                        kal_integrator_traits(run->integration.at_work)->word, least);
}

// Begin the integrals of powers that are known at the ends of steps only.
static KalStatus start_trail(KalRun *run, double t, const double *y)
{
    assert(y);
    KalBalance *balance = &run->balance;
    if (balance->n == 0) {
        return KAL_OK;
    }
    kal_run_put(run, t, y);
    KAL_TRY(kal_run_accelerate(run));
    take_powers(run);
    kal_trail_start(&balance->trail, t, y + kal_system_state_size(run->system),
                    balance->powers);
    return KAL_OK;
}

// Let them follow to a time of the step.
static KalStatus follow_to(KalRun *run, double t, int order)
{
    KAL_TRY(kal_run_look(run, t));
    take_powers(run);
    kal_trail_add(&run->balance.trail, t, run->balance.powers, order);
    return KAL_OK;
}

// The same through equal parts of the step; *out_change is what that makes of the integrals.
static KalStatus follow_in_parts(KalRun *run, int parts, double *out_change)
{
    const KalOdeStep *step = &run->step;
    KalStatus status = KAL_OK;
    kal_trail_take_back(&run->balance.trail, step->t_old);
    run->rank.blind = true; // inside of a step nothing decides
    for (int k = 1; k < parts && status == KAL_OK; k++) {
        const double t = step->t_old + (step->t_new - step->t_old) * k / parts;
        status = follow_to(run, t, KAL_TRAIL_ORDER);
    }
    run->rank.blind = false;
    KAL_TRY(status);
    KAL_TRY(follow_to(run, step->t_new, KAL_TRAIL_ORDER));
    kal_trail_even_out(&run->balance.trail, parts);
    *out_change = kal_trail_change(&run->balance.trail);
    return KAL_OK;
}

// Tell once that powers change faster than can be followed.
static KalStatus tell_powers(KalRun *run, double change)
{
    if (run->integration.watch.told_powers) {
        return KAL_OK;
    }
    run->integration.watch.told_powers = true;
    return kal_run_tell(run, run->step.t_new, method_at_work(run),
                        "powers change too fast for the steps of method %s: works are "
                        "off by %.1g in this step, and perhaps in others",
                        kal_integrator_traits(run->integration.at_work)->word, change);
}

// Let them follow a step: by its ends, or by more and more of its states where powers change
// too fast for that, theory (16.9).
static KalStatus follow(KalRun *run)
{
    KalBalance *balance = &run->balance;
    if (balance->n == 0) {
        return KAL_OK;
    }
    const double allowed = run->options.rtol * balance->scale + run->options.atol;
    KAL_TRY(follow_to(run, run->step.t_new, kal_integrator_order(at_work(run))));
    double off = kal_trail_doubt(&balance->trail);
    for (int parts = 4; off > allowed && parts <= KAL_TRAIL_PARTS; parts *= 4) {
        KAL_TRY(follow_in_parts(run, parts, &off));
    }
    return off > allowed ? tell_powers(run, off) : KAL_OK;
}

// A step of the integrator at work, as long as it likes.
static KalStatus step_on(KalRun *run)
{
    kal_integrator_allow_integrals(at_work(run),
                                   run->options.rtol * run->balance.scale);
    KAL_TRY(kal_integrator_step(at_work(run), &run->step));
    return trails(run) ? follow(run) : KAL_OK;
}

// Choose speeds at a state.  Errors of velocities that follow do not count.
static KalStatus reduce(KalRun *run, double t, const double *y)
{
    assert(is_reduced(run));
    KalReducedForm *form = &run->integration.form;
    KAL_TRY(kal_form_choose(form, t, y));
    kal_integrator_neglect(at_work(run), form->entries, form->rank);
    run->solved = false;
    return KAL_OK;
}

// Tell once that work grows as the cube of a large model, and of what that comes.
static KalStatus tell_dense(KalRun *run, double t)
{
    const KalSystem *system = run->system;
    const bool told = run->integration.watch.told_dense;
    if (told || run->instant->large.solver || system->n <= KAL_DENSE_COORDINATES) {
        return KAL_OK;
    }
    run->integration.watch.told_dense = true;
    return kal_run_tell(
        run, t, method_at_work(run),
        "of %d coordinates, %s computed with dense matrices: time grows as "
        "the cube of the number of coordinates%s",
        system->n, is_reduced(run) ? "the reduced form is" : "contacts are",
        is_reduced(run) ? "; the full form goes without" : "");
}

KalStatus kal_run_integrate_start(KalRun *run, double t, const double *y)
{
    assert(y);
    KAL_TRY(tell_dense(run, t));
    const double pulse = run->integration.pulse;
    run->integration.peak =
        fmin(kal_run_next_peak(run, t), pulse > t ? pulse : INFINITY);
    run->pulses.t = NAN;
    const double until = kal_run_end(run);
    const double end = t < until ? until : t + 1.0; // where no step will be taken
    if (is_reduced(run)) {
        KAL_TRY(reduce(run, t, y));
    }
    KAL_TRY(tell_limit(run, t));
    KAL_TRY(kal_integrator_start(at_work(run), t, y, end));
    KAL_TRY(trails(run) ? start_trail(run, t, y) : KAL_OK);
    run->integration.crossed = false;
    kal_run_gap_close(run);
    run->integration.tried = INFINITY;
    run->step = (KalOdeStep){.t_old = t, .t_new = t};
    return KAL_OK;
}

// Where a step across begins: here or, if the last step came too near, at its beginning.
static KalStatus choose_start(KalRun *run, double distance, double *out_t)
{
    assert(distance > 0.0 && out_t);
    const KalOdeStep *last = &run->step;
    const bool too_near =
        distance < TOO_NEAR * (last->t_new - last->t_old) && run->t == last->t_new;
    *out_t = too_near ? last->t_old : run->t;
    return kal_run_interpolate(run, *out_t, run->state);
}

// Errors that a step across may have: no less than rounding makes them.
static double error_across(const KalRun *run)
{
    assert(!(run->rank.sine < 0.0));
    const double sine = run->rank.sine;
    const double rounding = fmin(ROUNDING / (sine * sine), MOST_ROUNDING);
    return fmax(run->options.rtol, rounding);
}

// Try steps across a loss of rank that lies ahead at a distance.  It is in the middle of
// them; or, where it is too near for that, further to the beginning, between nodes.  The peak
// of a pulse may lie in them, for it may be the instant of the loss.
static KalStatus try_across(KalRun *run, double distance, bool *out_done)
{
    assert(distance > 0.0 && !*out_done);
    static const double places[] = {0.5, 0.323, 0.169, 0.0608, 0.00995};
    KalIntegrator *gauss = run->integration.integrators[KAL_INTEGRATOR_GAUSS];
    const bool careful = run->careful;
    const size_t count = run->rank.sine < KAL_LOW_SINE ? 5 : 1;
    const double middle = run->t + distance;
    const double end = fmin(run->options.until, run->holds.next);
    double t = run->t;
    KAL_TRY(choose_start(run, distance, &t));
    KAL_TRY(kal_integrator_start(gauss, t, run->state, end));
    kal_integrator_allow(gauss, error_across(run));
    run->careful = true;
    for (size_t k = 0; k < count && !*out_done; k++) {
        const double h = (middle - t) / places[k];
        if (k > 0 && h > end - t) {
            break;
        }
        kal_integrator_set_max_step(gauss, h);
        *out_done = kal_integrator_step(gauss, &run->step) == KAL_OK;
    }
    run->careful = careful;
    if (*out_done) {
        run->integration.crossed = true;
        kal_run_gap_open(run, middle);
        run->statistics.crossings++;
    }
    return KAL_OK;
}

// The watch over ranks lets no step of an explicit method be longer than this.
static void limit_step(KalRun *run)
{
    const KalRankWatch *watch = &run->rank;
    const bool turns = watch->known && run->options.drift == KAL_DRIFT_PROJECT;
    const double longest = fmin(
        watch->turning > 0.0 ? KAL_TURN / watch->turning : INFINITY, kal_run_room(run));
    kal_integrator_set_max_step(at_work(run),
                                turns && longest < INFINITY ? longest : 0.0);
}

// An explicit method must not come upon it by accident.
static KalStatus step_nearer(KalRun *run, double distance)
{
    assert(distance > 0.0 && !run->integration.stiff);
    limit_step(run);
    const double end = kal_run_end(run);
    KAL_TRY(kal_integrator_set_end(at_work(run), fmin(run->t + PART * distance, end)));
    KAL_TRY(step_on(run));
    return kal_integrator_set_end(at_work(run), end);
}

// Whether the sine goes to zero as a root does.
static bool falls_as_root(const KalRun *run)
{
    const double sine = run->rank.sine;
    const double now = sine * run->rank.slope;
    const double before = run->integration.tried_sine * run->integration.tried_slope;
    return isfinite(run->integration.tried)
           && sine < FALLEN * run->integration.tried_sine && now < 0.5 * before
           && now > 2.0 * before;
}

// Whether a step across a loss of rank at a distance is to be tried now.
static bool is_due(const KalRun *run, double distance)
{
    assert(!(distance < 0.0));
    const double near = run->integration.stiff ? NEAR_STIFF : NEAR;
    // Steps may be short because of it.
    const bool is_near = isfinite(run->integration.tried)
                         || run->rank.sine < KAL_LOW_SINE
                         || distance < near * run->statistics.step;
    return run->integration.integrators[KAL_INTEGRATOR_GAUSS] && is_near
           && run->rank.slope < 0.0 && run->rank.sine < STRAIGHT
           && distance < 0.7 * run->integration.tried && !falls_as_root(run);
}

// A step across if it is due and succeeds; else one that comes nearer, where the next try
// knows better when the rank will be lost.
static KalStatus step_towards(KalRun *run, double distance)
{
    assert(distance > 0.0);
    bool done = false;
    if (is_due(run, distance)) {
        if (!isfinite(run->integration.tried)) {
            run->integration.tried_sine = run->rank.sine;
            run->integration.tried_slope = run->rank.slope;
        }
        KAL_TRY(try_across(run, distance, &done));
        run->integration.tried = done ? INFINITY : distance;
    }
    if (done) {
        return KAL_OK;
    }
    return run->integration.stiff ? step_on(run) : step_nearer(run, distance);
}

// Go on with the other method.
static KalStatus change_method(KalRun *run, bool stiff)
{
    const KalIntegratorName next = stiff ? KAL_INTEGRATOR_BDF : run->integration.usual;
    KAL_TRY(make(run, next));
    KAL_TRY(kal_run_interpolate(run, run->t, run->state));
    put_to_work(run, next);
    run->statistics.changes++;
    run->integration.watch.steps = 0;
    run->integration.watch.patience = stiff ? 0 : PATIENCE;
    run->integration.watch.warm = false;
    KAL_TRY(kal_run_tell(run, run->t, method_at_work(run), "%s",
                         stiff ? "the system is stiff here: changed to method bdf"
                               : "method bdf does not pay: changed back to dop853"));
    return kal_run_integrate_start(run, run->t, run->state);
}

// Work for each unit of time, once there were enough steps to tell; else 0.
static double price(KalRun *run)
{
    KalMethodWatch *watch = &run->integration.watch;
    double answer = 0.0;
    if (watch->steps++ == 0) {
        watch->t = run->t;
        watch->work = watch->spent;
    } else if (watch->steps > WINDOW && run->t > watch->t) {
        assert(watch->spent >= watch->work);
        answer = (watch->spent - watch->work) / (run->t - watch->t);
        watch->steps = 0;
    }
    return answer;
}

// Control depends on the state in ways whose derivatives are not known.
static KalStatus tell_stiff(KalRun *run)
{
    if (run->integration.watch.told || run->system->n_servos == 0) {
        return KAL_OK; // or it was not loaded for that
    }
    run->integration.watch.told = true;
    return kal_run_tell(run, run->t, method_at_work(run),
                        "the system is stiff here; method bdf is not for models with "
                        "servos, so dop853 goes on with short steps");
}

// Whether the method is the run's choice, step by step.
static bool weighs_methods(const KalRun *run)
{
    return run->options.method == KAL_METHOD_AUTO && !is_reduced(run)
           && run->options.fixed_step == 0.0;
}

// Note what the explicit method takes.
static void note_explicit(KalMethodWatch *watch, double price)
{
    watch->explicit_price = price > 0.0 ? price : watch->explicit_price;
    watch->patience -= watch->patience > 0;
}

// Whether steps count for the choice of a method.
static bool counts_steps(KalRun *run)
{
    return weighs_methods(run) && kal_run_has_jacobian(run);
}

void kal_run_integrate_pass(KalRun *run, double t)
{
    assert(!run->integration.stiff && t > run->t);
    run->t = t;
    if (counts_steps(run)) {
        note_explicit(&run->integration.watch, price(run));
    }
}

// A window begins with the step that finds none counted, and ends with the first beyond it.
long kal_run_integrate_alike(KalRun *run)
{
    const int steps = run->integration.watch.steps;
    const bool at_edge = steps == 0 || steps >= WINDOW;
    return !counts_steps(run) ? LONG_MAX : at_edge ? 0 : WINDOW - steps;
}

void kal_run_integrate_pass_alike(KalRun *run, long count)
{
    KalMethodWatch *watch = &run->integration.watch;
    assert(count >= 0 && count <= kal_run_integrate_alike(run));
    if (counts_steps(run)) {
        watch->steps += (int)count;
        watch->patience -= watch->patience < count ? watch->patience : (int)count;
    }
}

// Whether the explicit method calls for the other one; not where a slip comes to rest, before
// which its steps shrink in any case.
static KalStatus find_need(KalRun *run, bool *out_needed)
{
    const KalMethodWatch *watch = &run->integration.watch;
    bool ends = false;
    *out_needed = false;
    if (run->step.stiff && watch->patience == 0 && watch->explicit_price > 0.0) {
        KAL_TRY(kal_run_slip_ends(run, SLOWING * run->statistics.step, &ends));
        *out_needed = !ends;
    }
    return KAL_OK;
}

// Change the method when the other one pays.  Stiffness is told by the explicit method;
// whether the implicit one does better, by trying it.
static KalStatus choose_method(KalRun *run)
{
    KalMethodWatch *watch = &run->integration.watch;
    if (!weighs_methods(run)) {
        return KAL_OK;
    }
    if (!kal_run_has_jacobian(run)) {
        return run->step.stiff ? tell_stiff(run) : KAL_OK;
    }
    const double found = price(run);
    if (run->integration.stiff) { // it begins with low orders and short steps
        const bool judged = watch->warm;
        watch->warm = watch->warm || found > 0.0;
        return judged && found > PAYS * watch->explicit_price
                   ? change_method(run, false)
                   : KAL_OK;
    }
    note_explicit(watch, found);
    bool needed = false;
    KAL_TRY(find_need(run, &needed));
    return needed ? change_method(run, true) : KAL_OK;
}

// Other speeds where those that there are have come to differ much from what is free; the motion
// goes on, and so do steps.
static KalStatus renew_speeds(KalRun *run)
{
    if (!kal_form_is_worn(&run->integration.form)) {
        return KAL_OK;
    }
    KAL_TRY(kal_run_interpolate(run, run->t, run->state));
    return reduce(run, run->t, run->state);
}

// The explicit method starts anew behind a loss of rank; any method does at the peak of a pulse.
static KalStatus start_anew(KalRun *run)
{
    const bool peak = run->t >= run->integration.peak;
    const bool anew = run->integration.crossed || peak;
    run->integration.peaks += peak;
    if (!anew) {
        return is_reduced(run) ? renew_speeds(run) : KAL_OK;
    }
    KAL_TRY(kal_run_interpolate(run, run->t, run->state));
    run->integration.crossed = false;
    kal_run_gap_close(run);
    return kal_run_integrate_start(run, run->t, run->state);
}

// Start anew if the last step asks for that, change the method if it pays; a step is plain
// where no loss of rank is foreseen.
KalStatus kal_run_integrate_prepare(KalRun *run, bool *out_plain)
{
    KAL_TRY(start_anew(run));
    KAL_TRY(choose_method(run));
    kal_run_make_stages(run);
    *out_plain = !kal_run_foresee(run, &run->integration.distance);
    if (*out_plain) {
        run->integration.tried = INFINITY;
    }
    if (*out_plain && !run->integration.stiff) {
        limit_step(run);
    }
    return KAL_OK;
}

KalStatus kal_run_integrate_step(KalRun *run, bool plain)
{
    return plain ? step_on(run) : step_towards(run, run->integration.distance);
}

// A step across is known to Gauss collocation only, any other to the integrator at work.
KalStatus kal_run_interpolate(KalRun *run, double t, double *out_y)
{
    assert(out_y);
    if (run->integration.crossed) {
        return kal_integrator_interpolate(
            run->integration.integrators[KAL_INTEGRATOR_GAUSS], t, out_y);
    }
    KAL_TRY(kal_integrator_interpolate(at_work(run), t, out_y));
    if (trails(run) && run->balance.n > 0) {
        kal_trail_integrate(&run->balance.trail, t,
                            out_y + kal_system_state_size(run->system));
    }
    return KAL_OK;
}

KalStatus kal_run_interpolate_lanes(KalRun *run, double *at, int first, bool *out_known)
{
    assert(at && out_known);
    *out_known = false;
    return run->integration.crossed || trails(run)
               ? KAL_OK
               : kal_integrator_interpolate_lanes(at_work(run), at, first,
                                                  at + KAL_LANES, out_known);
}

// Of all integrators that the run has made.
KalOdeCounts kal_run_counts(const KalRun *run)
{
    KalOdeCounts sum = {.steps = 0};
    for (int i = 0; i < KAL_INTEGRATOR_COUNT; i++) {
        if (run->integration.integrators[i]) {
            const KalOdeCounts counts =
                kal_integrator_counts(run->integration.integrators[i]);
            sum.steps += counts.steps;
            sum.rejected += counts.rejected;
            sum.retries += counts.retries;
        }
    }
    return sum;
}
