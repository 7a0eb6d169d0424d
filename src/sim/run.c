// SPDX-License-Identifier: MIT

// A run: make, start, go on, fail, sample.
//
// The integrator goes ahead by a step, events in it cut the horizon, and the run follows as
// far as it is asked to:
//
//     go_on()    a step; horizon = its end, or the first event in it
//     reach(t)   the state at t ≤ horizon becomes the present one; at the horizon the rank is
//                looked at, and events happen
//
// Every state that is reached is on the constraints, solved, and noted in the statistics.
//
// Invariant: t ≤ horizon, and a run that failed is at the last state that it reached.

#include "sim/options.h"
#include "sim/run_impl.h"
#include "sim/window.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    INCIDENTS = 10000,    // that are told
    TEXT_BYTES = 1 << 22, // for their texts
    TEXT_SIZE = 1000
};

// Beside numbers of so many absolute tolerances smaller ones are nothing to the rounding of a
// residual, which is far below the tolerance then.
static const double MATTERS = 1e3;

// What kinds of residuals there are.
static void note_structure(KalRun *run)
{
    assert(run->system->equations);
    const KalEquations *equations = run->system->equations;
    run->projection.same_rows = true;
    for (size_t i = 0; i < equations->m; i++) {
        const bool position = equations->phi[i].index != KAL_NO_EXPR.index;
        const bool velocity = equations->psi[i].index != KAL_NO_EXPR.index;
        run->projection.has_position = run->projection.has_position || position;
        run->projection.has_velocity = run->projection.has_velocity || velocity;
        run->projection.same_rows = run->projection.same_rows && position == velocity;
    }
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = owner;
    const size_t n = (size_t)run->system->n;
    const size_t m = (size_t)run->system->m;
    const size_t rests = run->instant->large.solver ? 1 : m;
    const size_t entries = (size_t)run->system->equations->A.start[m];
    run->state = kal_carve_doubles(
        carver, kal_system_state_size(run->system) + (size_t)run->balance.n, 1);
    run->kept = kal_carve_doubles(carver, n, 2);
    run->projection.trial = kal_carve_doubles(carver, n, 1);
    run->rank.kept_sines = kal_carve_doubles(carver, m, 1);
    run->rank.sines = kal_carve_doubles(carver, m, 1);
    run->rank.end_sines = kal_carve_doubles(carver, m, 1);
    run->rank.slopes = kal_carve_doubles(carver, m, 1);
    run->rank.zeros = kal_carve_doubles(carver, m, 1);
    for (int k = 0; k < 3; k++) {
        run->rank.parts[k] = kal_carve_doubles(carver, m, 1);
    }
    run->rank.near = kal_carve_ints(carver, m);
    run->rank.longest = kal_carve_doubles(carver, m, 1);
    run->rank.shares = kal_carve_doubles(carver, n, 1);
    run->rank.entries = kal_carve_doubles(carver, entries, 1);
    run->rank.rows = kal_carve_doubles(carver, entries, 1);
    run->rank.kept_rests = kal_carve_doubles(carver, rests, n);
    run->rank.rests = kal_carve_doubles(carver, rests, n);
    run->rank.copy = kal_carve_doubles(carver, rests, n);
    run->events.crossings = kal_carve_ints(carver, kal_run_functions(run->system));
    run->events.held = kal_carve_bools(carver, 2 * n);
    run->events.setters = kal_carve_ints(carver, kal_system_state_size(run->system)
                                                     + (size_t)run->system->n_holds);
    run->holds.counts = kal_carve_doubles(carver, (size_t)run->system->n_holds, 1);
    run->holds.due = kal_carve_bools(carver, (size_t)run->system->n_holds);
    run->events.resting = kal_carve_bools(carver, run->system->model->n_events);
    run->events.bands = kal_carve_doubles(carver, run->system->model->n_events, 1);
    run->events.row = kal_carve_doubles(carver, n, 1);
    run->events.first = kal_carve_doubles(carver, run->system->model->n_events, 1);
    run->told.blamed = kal_carve_names(carver, n + m + (size_t)run->system->n_servos);
    run->projection.used = kal_carve_bools(carver, m);
    run->rank.concerned = kal_carve_bools(carver, m);
    run->rank.departing = kal_carve_doubles(carver, n, 3);
    kal_run_gap_lay_out(run, carver);
}

// Speeds of the reduced form are made of dense matrices.
static KalStatus init_instant(KalRun *run)
{
    return run->options.form == KAL_RUN_FORM_REDUCED
               ? kal_instant_create_dense(run->ctx, run->system,
                                          "a run in the reduced form", &run->instant)
               : kal_instant_create(run->ctx, run->system, &run->instant);
}

// Parts are made in an order in which each finds what it needs; kal_run_destroy() takes
// what there is.
static KalStatus init(KalRun *run)
{
    assert(run->ctx && run->system && !run->instant);
    KAL_TRY(kal_options_check(run->ctx, &run->options));
    KAL_TRY(kal_balance_init(&run->balance, run->ctx, run->system));
    KAL_TRY(init_instant(run));
    KAL_TRY(kal_workspace_make(run->ctx, "for a run", lay_out, run, &run->workspace));
    KAL_TRY(kal_run_limits_init(run));
    KAL_TRY(kal_run_modes_init(run));
    KAL_TRY(kal_run_pulses_init(run));
    KAL_TRY(kal_run_jumps_init(run));
    KAL_TRY(kal_run_contacts_init(run));
    note_structure(run);
    KAL_TRY(kal_arena_create(run->ctx, TEXT_BYTES, &run->told.texts));
    if (run->options.drift == KAL_DRIFT_STABILIZE) {
        run->instant->stabilize = run->options.stabilize;
    }
    if (run->options.form == KAL_RUN_FORM_REDUCED) {
        KAL_TRY(kal_form_init(&run->integration.form, run->instant, run->options.rtol,
                              run->options.atol));
    }
    KAL_TRY(kal_projector_init(&run->projection.projector, run->instant, NULL));
    return kal_run_integrate_init(run);
}

KalStatus kal_run_create(KalContext *ctx, const KalSystem *system,
                         const KalRunOptions *options, KalRun **out_run)
{
    KAL_NEED(ctx, ctx && system && out_run);
    KalRun *run = KAL_NEW(ctx, KalRun);
    if (!run) {
        return kal_no_memory(ctx, "for a run");
    }
    run->ctx = ctx;
    run->system = system;
    run->options = options ? *options : kal_run_options(system);
    const KalStatus status = init(run);
    if (status != KAL_OK) {
        kal_run_destroy(run);
        return status;
    }
    *out_run = run;
    return KAL_OK;
}

void kal_run_destroy(KalRun *run)
{
    if (!run) {
        return;
    }
    kal_roots_destroy(run->events.roots);
    kal_run_integrate_clear(run);
    kal_run_samples_clear(run);
    kal_form_clear(&run->integration.form);
    kal_projector_clear(&run->projection.projector);
    kal_newton_clear(&run->integration.newton);
    kal_instant_destroy(run->instant);
    kal_arena_destroy(run->told.texts);
    kal_block_clear(run->ctx, &run->told.incidents);
    kal_run_limits_clear(run);
    kal_run_modes_clear(run);
    kal_run_pulses_clear(run);
    kal_run_jumps_clear(run);
    kal_run_contacts_clear(run);
    kal_scan_clear(&run->events.scan);
    kal_run_clear_marks(run);
    kal_tangent_clear(&run->integration.tangent, run->ctx);
    kal_balance_clear(&run->balance);
    kal_workspace_clear(run->ctx, &run->workspace);
    kal_free(run->ctx, run, sizeof *run);
}

// Parameters that `simulate` depends on would ask for other options than the run has: they are
// refused, and all parameters are those of the system again.
KalStatus kal_run_set_parameters(KalRun *run, const KalSetting *settings, size_t n)
{
    KAL_NEED(run ? run->ctx : NULL, run && (settings || n == 0));
    KAL_TRY(kal_instant_set_parameters(run->instant, settings, n));
    run->started = false;
    const KalStatus status =
        kal_options_check_current(run->ctx, &run->options, run->instant);
    if (status != KAL_OK) {
        kal_instant_apply_settings(run->instant, &run->system->settings);
    }
    kal_balance_set_proven(&run->balance, kal_instant_has_parameters(
                                              run->instant, &run->system->settings));
    return status;
}

// Copy a text to where those of incidents are.
static KalStatus keep(KalRun *run, const char *text, const char **out_copy)
{
    assert(text && out_copy);
    const size_t size = strlen(text) + 1;
    char *copy = (char *)kal_arena_alloc(run->told.texts, size, 1);
    if (!copy) {
        return kal_no_memory(run->ctx, "to tell what happened");
    }
    memcpy(copy, text, size);
    *out_copy = copy;
    return KAL_OK;
}

KalStatus kal_run_tell(KalRun *run, double t, KalSubject subject, const char *format,
                       ...)
{
    assert(format && run->told.texts);
    KalIncident incident = {.t = t, .kind = subject.kind};
    char text[TEXT_SIZE];
    if (run->told.incidents.size >= INCIDENTS * sizeof incident) {
        return KAL_OK;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    KAL_TRY(keep(run, text, &incident.text));
    if (subject.name) {
        KAL_TRY(keep(run, subject.name, &incident.name));
    }
    return kal_block_add(run->ctx, &run->told.incidents, &incident, sizeof incident);
}

KalStatus kal_run_visit(KalRun *run, double t)
{
    KAL_TRY(kal_run_interpolate(run, t, run->state));
    kal_run_put(run, t, run->state);
    return kal_run_meet(run);
}

// Let the instant be the state at t; true if it was already, and solved.
static KalStatus go_to(KalRun *run, double t, bool *out_solved)
{
    assert(out_solved);
    KAL_TRY(kal_run_interpolate(run, t, run->state));
    *out_solved =
        kal_run_is_at(run, t, run->state)
        && (run->options.drift == KAL_DRIFT_PROJECT || !run->projection.has_velocity)
        && kal_run_is_solved(run);
    if (*out_solved) {
        run->stock.away = false; // who looks, looks here
        return KAL_OK;
    }
    kal_run_put(run, t, run->state);
    return kal_run_meet_again(run);
}

KalStatus kal_run_look(KalRun *run, double t)
{
    bool solved = false;
    KAL_TRY(go_to(run, t, &solved));
    return solved ? KAL_OK : kal_run_accelerate(run);
}

// Solve all rows of the instant, unless that was done.
static KalStatus answer_fully(KalRun *run, bool solved)
{
    if (solved && run->complete) {
        return KAL_OK;
    }
    return run->instant->ranks.n_independent == run->instant->n_active
               ? kal_run_accelerate(run)
               : kal_run_solve(run);
}

KalStatus kal_run_look_fully(KalRun *run, double t)
{
    bool solved = false;
    KAL_TRY(go_to(run, t, &solved));
    return answer_fully(run, solved);
}

// Works up to the state that was looked at last.
static void take_works(KalRun *run)
{
    const double *works = run->state + kal_system_state_size(run->system);
    for (int i = 0; i < run->balance.n; i++) {
        run->balance.sums[i] = works[i];
    }
}

KalStatus kal_run_look_ahead(KalRun *run, double t)
{
    run->rank.blind = true; // what is seen has no say in how the run goes on
    const KalStatus status = kal_run_gap_has(run, t) ? kal_run_look_across(run, t)
                                                     : kal_run_look_fully(run, t);
    run->rank.blind = false;
    take_works(run);
    return status;
}

// Residuals and energy of the instant, which was looked at last, go into the statistics.
static KalStatus note_numbers(KalRun *run, KalMoment moment)
{
    KalRunStatistics *s = &run->statistics;
    KalBalance *balance = &run->balance;
    assert(run->solved);
    kal_run_note_errors(run);
    take_works(run);
    KAL_TRY(kal_run_limits_note(run, false));
    KAL_TRY(kal_contacts_check_signs(run->instant));
    return kal_balance_note(balance, run->instant, moment, s);
}

KalStatus kal_run_look_there(KalRun *run, double t)
{
    kal_run_put(run, t, run->state);
    KAL_TRY(kal_run_meet_again(run));
    KAL_TRY(answer_fully(run, false));
    return note_numbers(run, KAL_MOMENT_NEXT);
}

// What was learned about rows, steps and events so far does not hold behind a jump: it is
// forgotten, and the integrator starts anew.
KalStatus kal_run_begin(KalRun *run)
{
    kal_run_forget_rows(run);
    KAL_TRY(kal_run_solve(run));
    memcpy(run->state, kal_instant_q(run->instant),
           kal_system_state_size(run->system) * sizeof(double));
    memcpy(run->state + kal_system_state_size(run->system), run->balance.sums,
           (size_t)run->balance.n * sizeof(double));
    // The rank is known before the first accelerations off the constraints are taken.
    run->horizon = run->t;
    run->step = (KalOdeStep){.t_old = run->t, .t_new = run->t};
    KAL_TRY(kal_run_check_departure(run));
    KAL_TRY(kal_run_watch_rank(run, true));
    KAL_TRY(kal_run_integrate_start(run, run->t, run->state));
    run->over = run->over || run->t >= run->options.until;
    KAL_TRY(kal_run_look_fully(run, run->t));
    KAL_TRY(kal_contacts_check_limits(run->instant));
    return kal_run_events_check(run);
}

// Forget the runs before: what they counted and told, and which constraints their events
// released.
static void forget(KalRun *run)
{
    run->placed = false;
    run->started = false;
    run->statistics = (KalRunStatistics){.steps = 0};
    run->integration.counted = kal_run_counts(run);
    run->told.incidents.size = 0;
    kal_arena_reset(run->told.texts);
    for (size_t i = 0; i < run->system->model->n_events; i++) {
        run->events.first[i] = NAN;
        run->events.resting[i] = false;
    }
    kal_run_integrate_reset(run);
    run->integration.watch = (KalMethodWatch){.steps = 0};
    run->over = false;
    run->stopped_by = NULL;
    run->rank.confirmed = false;
    kal_run_modes_forget(run);
    run->instant->road.least = MATTERS * run->options.atol;
    kal_road_begin(&run->instant->road,
                   (run->options.until - run->options.from) / run->options.every);
    kal_instant_activate(run->instant, run->system->starts_active);
    kal_run_contacts_forget(run);
    run->instant->ranks.n_independent = 0;
    run->projection.metric_lost = false;
    kal_run_use_rows(run);
}

// Whether pieces or contacts may have changed a state, or what constrains it, at the start.
static bool may_have_moved(const KalSystem *system)
{
    return system->pieces.n_switches > 0 || system->model->n_contacts > 0;
}

// The state as it is given, brought to the constraints, becomes the first of the run.
// `held`: n velocities that are to stay, or NULL.
static KalStatus start_here(KalRun *run, const bool *held)
{
    run->t = run->options.from;
    kal_run_window_begin(run);
    run->instant->variables[0] = run->t;
    memset(run->balance.sums, 0, (size_t)run->balance.n * sizeof(double));
    run->balance.lost = run->balance.unknown;
    kal_run_limits_start(run);
    KAL_TRY(kal_run_holds_start(run));
    KAL_TRY(kal_run_modes_prepare(run));
    KAL_TRY(kal_instant_givens(run->instant));
    KAL_TRY(kal_run_meet(run));
    run->placed = true;
    run->instant->contacts.stale = false;
    KAL_TRY(kal_run_modes_start(run, held));
    KAL_TRY(kal_run_contacts_start(run));
    KAL_TRY(kal_run_modes_follow(run, true));
    KAL_TRY(kal_run_modes_agree(run, true));
    KAL_TRY(may_have_moved(run->system) ? kal_run_meet(run) : KAL_OK);
    KAL_TRY(kal_run_begin(run));
    KAL_TRY(kal_run_events_start(run));
    KAL_TRY(kal_run_look_fully(run, run->t));
    KAL_TRY(note_numbers(run, KAL_MOMENT_FIRST));
    run->balance.scale = run->balance.size;
    run->started = true;
    return KAL_OK;
}

// Keep who is to blame for a failure of the last solve.
static KalStatus note_fault(KalRun *run, KalStatus status)
{
    const char *const *coordinates = kal_system_coordinate_names(run->system);
    const char *const *names = NULL;
    const size_t count = kal_instant_fault_names(run->instant, &names);
    run->told.n_blamed = 0;
    if (status == KAL_ERR_NOT_UNIQUE && run->instant->contacts.n_blamed == 0) {
        for (int i = 0; i < run->system->n; i++) {
            if (run->answer.indeterminate[i]) {
                run->told.blamed[run->told.n_blamed++] = coordinates[i];
            }
        }
    } else if (status != KAL_OK) {
        assert(count
               <= (size_t)(run->system->n + run->system->m + run->system->n_servos));
        memcpy(run->told.blamed, names, count * sizeof *names);
        run->told.n_blamed = count;
    }
    return status;
}

KalStatus kal_run_start(KalRun *run, KalStartReport *out_report)
{
    return kal_run_start_from(run, NULL, out_report);
}

// The velocities that the model holds at the start.
static const bool *note_held(KalRun *run)
{
    const KalModel *model = run->system->model;
    for (size_t i = 0; i < model->n_coordinates; i++) {
        run->events.held[i] = model->coordinates[i].start_v.kind == KAL_START_HELD;
    }
    return run->events.held;
}

// Begin where the instant was brought to, or blame the constraints that kept it from it.
static KalStatus begin_there(KalRun *run, KalStatus status,
                             const KalStartReport *report)
{
    assert(report);
    run->told.n_blamed = 0;
    const int n_failed = status == KAL_ERR_CONTRADICTION ? report->n_failed : 0;
    for (int i = 0; i < n_failed; i++) {
        run->told.blamed[run->told.n_blamed++] =
            kal_system_constraint_names(run->system)[report->failed[i]];
    }
    return status == KAL_OK ? note_fault(run, start_here(run, note_held(run))) : status;
}

KalStatus kal_run_start_from(KalRun *run, const char *text, KalStartReport *out_report)
{
    KAL_NEED(run ? run->ctx : NULL, run && out_report);
    *out_report = (KalStartReport){.n_failed = 0}; // not every failure fills it
    forget(run);
    const KalStatus status = kal_instant_start_from(run->instant, text, out_report);
    return begin_there(run, status, out_report);
}

KalStatus kal_run_start_at(KalRun *run, const KalStartPoint *point,
                           KalStartReport *out_report)
{
    assert(run && point && out_report);
    *out_report = (KalStartReport){.n_failed = 0};
    forget(run);
    const KalStatus status = kal_instant_start_at(run->instant, point, out_report);
    return begin_there(run, status, out_report);
}

// Tell what the constraints did to a state that was given.
static KalStatus tell_moved(KalRun *run, const double *given)
{
    const int n = run->system->n;
    const double *now = kal_instant_q(run->instant);
    int worst = -1;
    double ratio = 10.0; // less is what tolerances allow
    for (int i = 0; i < 2 * n; i++) {
        const double allowed =
            run->options.atol + run->options.rtol * fmax(1.0, fabs(given[i]));
        if (!(fabs(now[i] - given[i]) <= ratio * allowed)) {
            ratio = fabs(now[i] - given[i]) / allowed;
            worst = i;
        }
    }
    return worst < 0 ? KAL_OK
                     : kal_run_tell(run, run->t, (KalSubject){KAL_INCIDENT_START, NULL},
                                    "the state that the run was to begin at does not "
                                    "satisfy the constraints: %s%s moved from %.6g to "
                                    "%.6g, or others as far",
                                    kal_system_coordinate_names(run->system)[worst % n],
                                    worst < n ? "" : "'", given[worst], now[worst]);
}

KalStatus kal_run_start_here(KalRun *run)
{
    KAL_NEED(run ? run->ctx : NULL, run);
    const size_t size = 2 * (size_t)run->system->n * sizeof(double);
    double *given = (double *)kal_alloc(run->ctx, 1, size);
    if (!given) {
        return kal_no_memory(run->ctx, "to begin a run");
    }
    memcpy(given, kal_instant_q(run->instant), size);
    forget(run);
    KalStatus status = kal_instant_renew(run->instant, NULL);
    if (status == KAL_OK) {
        status = note_fault(run, start_here(run, NULL));
    }
    if (status == KAL_OK) {
        status = tell_moved(run, given);
    }
    kal_free(run->ctx, given, size);
    return status;
}

KalStatus kal_run_before_step(KalRun *run, bool *out_plain)
{
    KAL_TRY(kal_run_window_watch(run));
    return kal_run_integrate_prepare(run, out_plain);
}

// The step is the run's last; the horizon moves.
static KalStatus follow_step(KalRun *run, KalStatus status)
{
    status = status == KAL_OK ? kal_run_heed_pulses(run) : status;
    if (status != KAL_OK) {
        return kal_run_explain_lock(run, status);
    }
    assert(run->step.t_new > run->t);
    run->horizon = run->step.t_new;
    run->stock.away = false;
    run->marks.known = false;
    run->jumps.marks.known = false;
    const KalOdeCounts counts = kal_run_counts(run);
    const KalOdeCounts before = run->integration.counted;
    run->statistics.steps = counts.steps - before.steps;
    run->statistics.rejected =
        counts.rejected - before.rejected + counts.retries - before.retries;
    run->statistics.stiff = run->integration.stiff;
    run->statistics.step = run->step.t_new - run->step.t_old;
    return kal_run_events_find(run);
}

// A step of the integrator.
static KalStatus go_on(KalRun *run)
{
    bool plain = false;
    KalStatus status = kal_run_before_step(run, &plain);
    if (status == KAL_OK) {
        status = kal_run_integrate_step(run, plain);
    }
    return follow_step(run, status);
}

// Ask whether to go on.
static KalStatus ask(const KalRun *run)
{
    return !run->options.watch || run->options.watch(run->options.user, run)
               ? KAL_OK
               : kal_fail(run->ctx, KAL_ERR_INTERRUPTED, "interrupted at t = %g",
                          run->t);
}

// Let what happens at the present time happen.
static KalStatus happen(KalRun *run)
{
    KAL_TRY(kal_run_rest_end(run));
    KAL_TRY(kal_run_events_apply(run));
    KAL_TRY(kal_run_look_fully(run, run->t));
    return note_numbers(run, KAL_MOMENT_EVENT);
}

// A sample at a time of the last step, unless there was one.
static KalStatus sample_at(KalRun *run, double t)
{
    KAL_TRY(kal_run_look_fully(run, t));
    KAL_TRY(note_numbers(run, KAL_MOMENT_NEXT));
    run->t = t;
    return run->sampling.last == t ? KAL_OK : kal_run_take_sample(run);
}

// Two samples where an output jumps on the way to t, in the last step.
static KalStatus pass_jumps(KalRun *run, double t)
{
    KalOutputMark mark = {run->t, run->t};
    bool found = run->sampling.take != NULL;
    while (found) {
        KAL_TRY(kal_run_find_jump(run, mark.end, t, &mark, &found));
        KAL_TRY(found ? sample_at(run, mark.begin) : KAL_OK);
        KAL_TRY(found ? sample_at(run, mark.end) : KAL_OK);
    }
    return KAL_OK;
}

// Let the run be at t, which is known; `last`: and stay there.  Whoever takes samples gets
// one before and one behind a jump.
static KalStatus reach(KalRun *run, double t, bool last)
{
    assert(t >= run->t && t <= run->horizon);
    const bool ends = run->sampling.take && t == run->horizon;
    const bool happens = t == run->horizon && run->events.pending;
    if (last || happens || t >= run->options.until) {
        KAL_TRY(kal_run_samples_give(run)); // those that wait come first
    }
    bool jumps = ends && kal_run_events_jump(run);
    KAL_TRY(pass_jumps(run, t));
    KAL_TRY(ends && !jumps ? kal_run_pieces_jump(run, &jumps) : KAL_OK);
    run->rank.blind = t < run->horizon; // samples have no say in how the run goes on
    const KalStatus status = kal_run_gap_has(run, t) ? kal_run_look_across(run, t)
                             : last || jumps         ? kal_run_look_fully(run, t)
                                                     : kal_run_look(run, t);
    run->rank.blind = false;
    KAL_TRY(status);
    KAL_TRY(note_numbers(run, KAL_MOMENT_NEXT));
    run->t = t;
    if (t < run->horizon) {
        return KAL_OK;
    }
    run->balance.scale = fmax(run->balance.scale, run->balance.size);
    KAL_TRY(kal_run_watch_rank(
        run, false)); // before a sample, which leaves the run unsolved
    KAL_TRY(jumps ? kal_run_take_sample(run) : KAL_OK);
    KAL_TRY(run->events.pending ? happen(run) : KAL_OK);
    KAL_TRY(jumps ? kal_run_take_sample(run) : KAL_OK);
    run->over = run->over || t >= run->options.until;
    return run->over ? kal_run_limits_note(run, true) : KAL_OK;
}

// After a failure: back to the last state that was reached, with the reason kept.
static KalStatus fall_back(KalRun *run, KalStatus status)
{
    char why[4096];
    (void)note_fault(run, status);
    (void)snprintf(why, sizeof why, "%s", kal_context_message(run->ctx));
    (void)(kal_run_samples_give(run) == KAL_OK);
    if (kal_run_interpolate(run, run->t, run->state) == KAL_OK) {
        kal_run_put(run, run->t, run->state);
        if (kal_run_meet(run) == KAL_OK) {
            (void)(kal_run_solve(run) == KAL_OK);
        }
    }
    return kal_fail(run->ctx, status, "%s", why);
}

// Steps and reached states in turn, up to t or the end.
static KalStatus advance(KalRun *run, double t)
{
    while (run->t < t && !run->over) {
        KAL_TRY(run->t >= run->horizon ? go_on(run) : KAL_OK);
        KAL_TRY(ask(run));
        if (t < run->horizon && kal_run_samples_may_wait(run)) {
            return kal_run_samples_keep(run);
        }
        KAL_TRY(reach(run, fmin(t, run->horizon), t <= run->horizon));
    }
    return KAL_OK;
}

KalStatus kal_run_check_started(const KalRun *run, KalContext *ctx)
{
    return run->started ? KAL_OK
                        : kal_fail(ctx, KAL_ERR_USAGE, "the run was not started");
}

KalStatus kal_run_check_user(const KalRun *run, KalContext *ctx,
                             const KalSystem *system)
{
    if (run->system != system) {
        return kal_fail(ctx, KAL_ERR_USAGE, "the run is one of another system");
    }
    return kal_run_check_started(run, ctx);
}

KalStatus kal_run_check_placed(const KalRun *run, KalContext *ctx,
                               const KalSystem *system)
{
    if (run->system != system || !run->placed) {
        return kal_fail(ctx, KAL_ERR_USAGE, "the run has no start of this system");
    }
    return KAL_OK;
}

KalStatus kal_run_advance(KalRun *run, double t)
{
    KAL_NEED(run ? run->ctx : NULL, run);
    KAL_TRY(kal_run_check_started(run, run->ctx));
    if (isnan(t)) {
        return kal_fail(run->ctx, KAL_ERR_USAGE, "a run cannot go on to t = NaN");
    }
    const KalStatus status = advance(run, fmin(t, run->options.until));
    return status == KAL_OK ? KAL_OK : fall_back(run, status);
}

KalStatus kal_run_foreknow(KalRun *run)
{
    KalStatus status = kal_run_check_started(run, run->ctx);
    if (status != KAL_OK || run->over) {
        return status;
    }
    status = run->t >= run->horizon ? go_on(run) : KAL_OK;
    if (status == KAL_OK) {
        status = ask(run);
    }
    return status == KAL_OK ? KAL_OK : fall_back(run, status);
}

KalStatus kal_run_after_step(KalRun *run, KalStatus status)
{
    status = follow_step(run, status);
    if (status == KAL_OK) {
        status = ask(run);
    }
    return status == KAL_OK ? KAL_OK : fall_back(run, status);
}

// Go on to the horizon; `last`: and stay there.
static KalStatus arrive(KalRun *run, bool last)
{
    const KalStatus status = run->over ? KAL_OK : reach(run, run->horizon, last);
    return status == KAL_OK ? KAL_OK : fall_back(run, status);
}

KalStatus kal_run_arrive(KalRun *run)
{
    return arrive(run, run->horizon >= run->options.until);
}

KalStatus kal_run_step(KalRun *run)
{
    KAL_NEED(run ? run->ctx : NULL, run);
    KAL_TRY(kal_run_foreknow(run));
    return arrive(run, true);
}

// Powers of the present instant, and works as far as the integration has come.
size_t kal_run_works(KalRun *run, const KalWork **out_works)
{
    if (!(run && out_works)) {
        return 0;
    }
    KalBalance *balance = &run->balance;
    kal_run_settle(run);
    *out_works = balance->works;
    if (run->system->balance.derived && kal_run_is_solved(run)) {
        kal_balance_find_powers(balance, run->instant, balance->powers);
    }
    for (size_t i = 0; i < run->system->balance.n_workers; i++) {
        KalWork *work = &balance->works[i];
        const bool time = work->kind == KAL_WORK_TIME;
        work->power = time ? 0.0 : balance->powers[i];
        work->work = balance->n > 0 ? balance->sums[i] : balance->unknown ? NAN : 0.0;
        work->work += time ? balance->excess - balance->start : 0.0;
    }
    return run->system->balance.n_workers;
}
