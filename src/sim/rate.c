// SPDX-License-Identifier: MIT

// What integrators see of a run: rates, projection and Jacobians as functions of a time
// and a state.  The state goes into the run's instant, which computes; so after a call the
// instant is wherever the integrator wanted it, and `solved` says whether its answer is of
// that state.

#include "base/four.h"
#include "base/number.h"
#include "sim/run_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_SIZE = 3000,
    STRIDES = 2000 // attempts at steps until all their stages are worth a program
};

// What sparse factors for an implicit step take, in accelerations.
static const double NEWTON = 12.0;

void kal_run_put(KalRun *run, double t, const double *y)
{
    assert(y && y != run->instant->variables);
    double *variables = run->instant->variables;
    variables[0] = t;
    kal_copy_numbers(variables + run->system->layout.q, y, // velocities follow
                     kal_system_state_size(run->system));  // and states
    run->solved = false;
    run->stock.away = false; // whoever looks, looks here
}

bool kal_run_is_at(const KalRun *run, double t, const double *y)
{
    assert(y);
    return run->instant->variables[0] == t
           && kal_same_numbers(kal_instant_q(run->instant), y,
                               kal_system_state_size(run->system));
}

// Add the time to a message that does not have it.
static KalStatus tell_time(KalRun *run, KalStatus status)
{
    if (status == KAL_OK || status == KAL_ERR_NUMBER || status == KAL_ERR_NOMEM) {
        return status; // formulas without value tell it themselves
    }
    char why[TEXT_SIZE];
    char t[KAL_NUMBER_SIZE];
    (void)snprintf(why, sizeof why, "%s", kal_context_message(run->ctx));
    kal_number_print(run->instant->variables[0], 12, t);
    return kal_fail(run->ctx, status, "at t = %s: %s", t, why);
}

static KalStatus fail_unique(const KalRun *run)
{
    const char *const *names = kal_system_coordinate_names(run->system);
    char text[TEXT_SIZE] = "";
    size_t used = 0;
    for (int i = 0; i < run->system->n && used < sizeof text; i++) {
        if (run->answer.indeterminate[i]) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used > 0 ? ", " : "", names[i]);
        }
    }
    return kal_fail(run->ctx, KAL_ERR_NOT_UNIQUE,
                    "the acceleration is not unique: nothing determines that of %s",
                    text);
}

// What to do with the answer, and what to tell of a failure.
static KalStatus take_answer(KalRun *run, KalStatus status)
{
    run->statistics.evaluations++;
    if (status == KAL_OK && !run->answer.unique) {
        status = fail_unique(run);
    }
    run->solved = status == KAL_OK;
    run->rushed = false;
    if (run->solved) {
        kal_run_note_sine(run, run->answer.least_sine);
    }
    return tell_time(run, status);
}

KalStatus kal_run_solve(KalRun *run)
{
    run->complete = true;
    return take_answer(run, kal_instant_solve(run->instant, &run->answer));
}

// By the fast road if it leads; else by the rows that are known to be independent; else,
// where nothing is known or control needs all rows, by all of them.
KalStatus kal_run_accelerate(KalRun *run)
{
    KalInstant *instant = run->instant;
    if (run->rank.confirmed && kal_instant_hurry(instant, &run->answer)) {
        run->complete = instant->ranks.n_independent == instant->n_active;
        return take_answer(run, KAL_OK);
    }
    if (!run->rank.confirmed || instant->control
        || (instant->ranks.n_independent == instant->n_active
            && !instant->ranks.lends)) {
        return kal_run_solve(run);
    }
    run->complete = instant->ranks.n_independent == instant->n_active;
    return take_answer(run, kal_instant_accelerate(run->instant, &run->answer));
}

bool kal_run_is_solved(KalRun *run)
{
    if (run->solved && run->rushed) {
        run->rushed = false;
        run->solved = kal_road_complete(&run->instant->road);
        if (run->solved) {
            kal_instant_publish(run->instant, &run->answer);
        }
    }
    return run->solved;
}

// Whether rates need more of an answer than accelerations.
static bool needs_all(const KalRun *run)
{
    return run->balance.n > 0 || run->system->rates_need_solve;
}

// Accelerations by the fast road; whoever looks at more of the answer has it published.
static bool rush(KalRun *run)
{
    KalInstant *instant = run->instant;
    if (!run->rank.confirmed || !kal_instant_rush(instant, !needs_all(run))) {
        return false;
    }
    run->complete = instant->ranks.n_independent == instant->n_active;
    run->statistics.evaluations++;
    run->solved = true;
    run->rushed = true;
    kal_run_note_sine(run, kal_road_sine(&instant->road));
    return true;
}

// And the rates of states, after all others.
static KalStatus find_state_rates(KalRun *run, double *out_rates)
{
    if (run->system->n_states == 0) {
        return KAL_OK;
    }
    if (run->system->rates_need_solve) {
        (void)kal_run_is_solved(run);
    }
    return kal_instant_rates(run->instant, out_rates);
}

// Accelerations alone, while the instant stays where it is; but where a way back may have led
// here, it is looked at, for all is known there.
static bool glance(KalRun *run, double t, const double *y, double *out_rate)
{
    KalRoad *road = &run->instant->road;
    const size_t n = (size_t)run->system->n;
    if (!run->rank.confirmed || run->careful || needs_all(run)
        || (road->back.knows && road->back.place[0] == t)
        || !kal_road_glance(road, t, y)) {
        return false;
    }
    const double *found = kal_road_glanced(road);
    run->solved = run->solved && !kal_road_is_brief(road); // that answer is overwritten
    run->integration.watch.spent += 1.0;
    run->statistics.evaluations++;
    kal_copy_numbers(out_rate, y + n, n);
    kal_copy_numbers(out_rate + n, found, n);
    kal_run_note_sine_of_rows(run, t, found[road->brief.sine]);
    return true;
}

// Whether stages might be taken by one program, of the road that leads now.  Interpreted it would
// take no less time than they do one by one.
static bool may_stride(const KalRun *run)
{
    const KalRoad *road = &run->instant->road;
    return run->rank.confirmed && !run->careful && !needs_all(run) && !road->lends
           && !road->lacks && kal_context_native(run->ctx)
           && run->system->pieces.n_switches == 0 && kal_road_may_lead(road)
           && run->system->layout.qdd == 1 + 2 * (size_t)run->system->n;
}

void kal_run_make_stages(KalRun *run)
{
    KalStages *stages = &run->integration.stages;
    const KalRoad *road = &run->instant->road;
    if (run->integration.attempts < STRIDES
        || (stages->made && stages->road == road->brief.number) || !may_stride(run)) {
        return;
    }
    stages->ctx = run->ctx;
    kal_stages_make(stages, road, false);
}

// What a run knows after the stages of an attempt one by one.
static void note_stages(KalRun *run, const double *begin)
{
    const KalStages *stages = &run->integration.stages;
    const KalRoad *road = &run->instant->road;
    const size_t state = 2 * (size_t)run->system->n;
    const double h = begin[1 + state];
    run->solved = run->solved && !kal_road_is_brief(road);
    run->integration.watch.spent += KAL_DOP853_END - 1;
    run->statistics.evaluations += KAL_DOP853_END - 1;
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        const double c = kal_dop853_nodes[stage];
        const double t = c < 1.0 ? begin[0] + c * h : begin[2 + state];
        kal_run_note_sine_of_rows(run, t,
                                  stages->found[stages->at.sines + (size_t)stage - 1]);
    }
}

// Attempts by one road, in this run and those before it.
static void count_attempt(KalRun *run)
{
    KalRunIntegration *integration = &run->integration;
    const unsigned long road = run->instant->road.brief.number;
    integration->attempts = integration->road == road ? integration->attempts + 1 : 1;
    integration->road = road;
}

// All stages at once, by a program that is there.
static const double *find_stages(void *user, const double *begin)
{
    KalRun *run = (KalRun *)user;
    KalStages *stages = &run->integration.stages;
    const KalRoad *road = &run->instant->road;
    count_attempt(run);
    if (!stages->program || stages->road != road->brief.number || !may_stride(run)
        || !kal_stages_take_alone(stages, road, begin)) {
        return NULL;
    }
    note_stages(run, begin);
    return stages->found;
}

// y' = (q', q'', s').  While it is not sure which rows depend on others, of the state
// projected.
static KalStatus find_rate(KalRun *run, double t, const double *y, double *out_rate)
{
    assert(y && out_rate);
    const size_t n = (size_t)run->system->n;
    if (glance(run, t, y, out_rate)) {
        return KAL_OK;
    }
    kal_run_put(run, t, y);
    if (run->careful) {
        KAL_TRY(kal_run_project(run));
    }
    run->integration.watch.spent += 1.0;
    kal_copy_numbers(out_rate, run->instant->variables + run->system->layout.qd, n);
    if (rush(run)) {
        kal_copy_numbers(out_rate + n, kal_road_accelerations(&run->instant->road), n);
    } else {
        KAL_TRY(kal_run_accelerate(run));
        kal_copy_numbers(out_rate + n, run->answer.qdd, n);
    }
    return find_state_rates(run, out_rate + 2 * n);
}

static KalStatus rate(void *user, double t, const double *y, double *out_rate)
{
    return find_rate((KalRun *)user, t, y, out_rate);
}

static KalStatus rate_and_powers(void *user, double t, const double *y,
                                 double *out_rate)
{
    assert(user && out_rate);
    KalRun *run = (KalRun *)user;
    KAL_TRY(find_rate(run, t, y, out_rate));
    (void)kal_run_is_solved(run); // powers need all of the answer
    kal_balance_find_powers(&run->balance, run->instant,
                            out_rate + kal_system_state_size(run->system));
    return KAL_OK;
}

static KalStatus project(void *user, double t, double *y)
{
    assert(user && y);
    KalRun *run = (KalRun *)user;
    kal_run_put(run, t, y);
    KAL_TRY(kal_run_meet(run));
    memcpy(y, kal_instant_q(run->instant), 2 * (size_t)run->system->n * sizeof(double));
    return KAL_OK;
}

// The same with speeds that stay as they are, theory (20.7).
static KalStatus project_reduced(void *user, double t, double *y)
{
    KalRun *run = (KalRun *)user;
    kal_run_put(run, t, y);
    KAL_TRY(kal_run_meet_in_speeds(run));
    memcpy(y, kal_instant_q(run->instant), 2 * (size_t)run->system->n * sizeof(double));
    return KAL_OK;
}

// ∂rate/∂y, from the rows that are independent as the last ranking has them.
static KalStatus jacobian(void *user, double t, const double *y, double *out_J)
{
    KalRun *run = (KalRun *)user;
    KalInstant *instant = run->instant;
    const bool ranked = instant->ranks.n_independent > 0;
    const int count = ranked ? instant->ranks.n_independent : instant->n_active;
    assert(count <= instant->n_active);
    kal_run_put(run, t, y);
    if (run->careful) {
        KAL_TRY(kal_run_project(run));
    }
    KAL_TRY(kal_run_accelerate(run));
    KAL_TRY(kal_instant_need_givens(instant));
    for (int k = 0; !ranked && k < count; k++) {
        instant->ranks.independent[k] = k;
    }
    run->integration.watch.spent +=
        1.0 + 0.5 * (double)run->system->n; // solves without formulas
    run->solved = false;
    return tell_time(run, kal_tangent_fill(&run->integration.tangent, instant,
                                           instant->ranks.independent, count, out_J));
}

// The same by sparse factors, as what solves by 1 − γ ∂rate/∂y.
static KalStatus prepare(void *user, const KalNewtonPlace *place)
{
    KalRun *run = (KalRun *)user;
    kal_run_put(run, place->t, place->y);
    if (run->careful) {
        KAL_TRY(kal_run_project(run));
    }
    KAL_TRY(kal_run_accelerate(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    run->integration.watch.spent += NEWTON;
    run->solved = false;
    return tell_time(
        run, kal_newton_factor(&run->integration.newton, &run->answer, place->factor));
}

static void solve(void *user, double *x)
{
    KalRun *run = (KalRun *)user;
    kal_newton_solve(&run->integration.newton, x);
}

// A state that was tried may lie where formulas have no value or where constraints, off
// which it is, contradict each other.
static bool may_retry(KalStatus status)
{
    return status == KAL_ERR_NUMBER || status == KAL_ERR_CONTRADICTION
           || status == KAL_ERR_NOT_UNIQUE || status == KAL_ERR_NO_ACCELERATION
           || status == KAL_ERR_MASS;
}

bool kal_run_has_jacobian(const KalRun *run)
{
    return run->system->tangent.derived;
}

bool kal_run_projects(const KalRun *run)
{
    return run->options.drift == KAL_DRIFT_PROJECT && run->projection.has_velocity;
}

// Integrals of powers stand behind the state; no projection touches them.
KalOdeSystem kal_run_ode(KalRun *run, bool integrals)
{
    const int n_integrals = integrals ? run->balance.n : 0;
    const bool has_slopes = kal_run_has_jacobian(run);
    const bool sparse = kal_newton_serves(run->instant);
    return (KalOdeSystem){.n = (int)kal_system_state_size(run->system) + n_integrals,
                          .n_integrals = n_integrals,
                          .user = run,
                          .rate = n_integrals > 0 ? rate_and_powers : rate,
                          .stages = n_integrals > 0 ? NULL : find_stages,
                          .project = kal_run_projects(run) ? project : NULL,
                          .jacobian = has_slopes && !sparse ? jacobian : NULL,
                          .prepare = has_slopes && sparse ? prepare : NULL,
                          .solve = has_slopes && sparse ? solve : NULL,
                          .may_retry = may_retry};
}

KalOdeSystem kal_run_reduced_ode(KalRun *run)
{
    KalOdeSystem system = kal_run_ode(run, true);
    system.project = run->projection.has_velocity ? project_reduced : NULL;
    system.jacobian = NULL;
    system.prepare = NULL;
    system.solve = NULL;
    return system;
}
