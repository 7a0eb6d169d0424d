// SPDX-License-Identifier: MIT

// Events: when functions of the state cross zero, and what happens then.

#include "sim/run.h"
#include "sim/start.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SAMPLES = 3,        // inner points of a piece at which functions are looked at
    MOST_PIECES = 256,  // of a step
    MOST_CROWDED = 100, // events in a row that are close to each other
    MOST_SHRINKING = 8, // gaps between events in a row, each shorter than the last
    TEXT_SIZE = 1000
};

// Events closer than this part of a run are close to each other.
static const double CLOSE = 1e-6;
// A residual of a constraint that engages, relative to its terms.
static const double CLOSED = 1e-6;

// All functions at a time of the last step.
static KalStatus values(void *user, double t, double *out_values)
{
    KalRun *run = (KalRun *)user;
    KalInstant *instant = run->instant;
    const bool limits = kal_run_limits(run->system) > 0;
    if (run->system->events_need_solve || limits) {
        KAL_TRY(kal_run_look_fully(run, t));
    } else {
        KAL_TRY(kal_run_visit(run, t));
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY));
    instant->variables[run->system->layout.energy] =
        instant->results[0] + instant->results[1];
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_EVENTS));
    memcpy(out_values, instant->results,
           run->system->model->n_events * sizeof *out_values);
    if (limits) {
        kal_run_limits_find(run, out_values + run->system->model->n_events);
    }
    return KAL_OK;
}

size_t kal_run_functions(const KalSystem *system)
{
    return system->model->n_events + 2 * kal_run_limits(system);
}

static KalRootDirection direction_of(const KalEvent *event)
{
    if (event->rising == event->falling) {
        return KAL_ROOT_BOTH;
    }
    return event->rising ? KAL_ROOT_RISING : KAL_ROOT_FALLING;
}

static KalStatus create_roots(KalRun *run)
{
    const KalModel *model = run->system->model;
    const size_t count = kal_run_functions(run->system);
    if (count > KAL_ROOT_LIMIT) {
        return kal_fail(run->ctx, KAL_ERR_LIMIT, "%zu events are too many", count);
    }
    KalRootDirection *directions =
        (KalRootDirection *)kal_alloc(run->ctx, count, sizeof *directions);
    if (!directions) {
        return kal_fail(run->ctx, KAL_ERR_NOMEM, "no memory for events");
    }
    for (size_t i = 0; i < model->n_events; i++) {
        directions[i] = direction_of(&model->events[i]);
    }
    const KalRootSpec spec = {.count = (int)count,
                              .values = values,
                              .user = run,
                              .directions = directions,
                              .samples = SAMPLES};
    const KalStatus status = kal_roots_create(run->ctx, &spec, &run->roots);
    kal_free(run->ctx, directions, count * sizeof *directions);
    return status;
}

KalStatus kal_run_events_start(KalRun *run)
{
    if (kal_run_functions(run->system) == 0) {
        return KAL_OK;
    }
    if (!run->roots) {
        KAL_TRY(create_roots(run));
    }
    run->events.pending = false;
    run->events.gap = INFINITY;
    run->events.last = -INFINITY;
    run->events.shrinking = 0;
    run->events.crowded = 0;
    return kal_roots_start(run->roots, run->t);
}

// The event that a formula belongs to, of events first and then of what they set.
static const KalEvent *event_of(const KalModel *model, size_t formula, bool *out_sets)
{
    *out_sets = formula >= model->n_events;
    if (!*out_sets) {
        return &model->events[formula];
    }
    size_t left = formula - model->n_events + 1;
    const KalEvent *event = model->events;
    for (size_t i = 0; i < model->n_events && left > 0; i++) {
        event = &model->events[i];
        for (size_t k = 0; k < event->n_actions && left > 0; k++) {
            left -= event->actions[k].kind == KAL_ACTION_SET;
        }
    }
    return event;
}

KalStatus kal_run_events_check(KalRun *run)
{
    const KalSystem *system = run->system;
    const size_t outputs = (size_t)system->n_outputs;
    if (system->model->n_events == 0) {
        return KAL_OK;
    }
    const bool *doubts = kal_instant_doubts(run->instant);
    for (size_t i = outputs; i < system->doubts.n; i++) {
        if (doubts[i]) {
            bool sets = false;
            const KalEvent *event = event_of(system->model, i - outputs, &sets);
            return kal_fail(run->ctx, KAL_ERR_CONTRADICTION,
                            "at t = %g: %s event '%s' depends on reactions that are "
                            "not unique: redundant constraints share a force, and the "
                            "motion would depend on an arbitrary choice; remove the "
                            "constraints that repeat others, or let the event depend "
                            "on what they do together, such as the sum of reactions or "
                            "cforce(x)",
                            run->t, sets ? "what is set by" : "the", event->name);
        }
    }
    return KAL_OK;
}

// Look for events up to t.  Where a function has no value, up to there: something may
// happen before.
static KalStatus find_until(KalRun *run, double t, double tolerance, KalRootHit *hit)
{
    KalStatus status = kal_roots_find(run->roots, t, tolerance, hit);
    double fails = t;
    while (status == KAL_ERR_NUMBER) {
        const double begin = kal_roots_time(run->roots);
        if (fails - begin <= tolerance) {
            return kal_roots_find(run->roots, fails, tolerance, hit);
        }
        const double middle = begin + 0.5 * (fails - begin);
        status = kal_roots_find(run->roots, middle, tolerance, hit);
        if (status == KAL_OK && hit->found) {
            return KAL_OK;
        }
        fails = status == KAL_OK ? fails : middle;
        status = status == KAL_OK ? KAL_ERR_NUMBER : status;
    }
    return status;
}

KalStatus kal_run_events_find(KalRun *run)
{
    if (!run->roots) {
        return KAL_OK;
    }
    const KalOdeStep *step = &run->step;
    const double largest =
        fmax(fabs(run->options.from), fmax(fabs(run->options.until), 1e-300));
    const double tolerance = 8.0 * DBL_EPSILON * largest;
    // Times that are looked at lie as close together as samples, within reason.
    const double piece = fmax((SAMPLES + 1) * run->options.every,
                              (step->t_new - step->t_old) / MOST_PIECES);
    KalRootHit hit = {.found = false, .t = kal_roots_time(run->roots)};
    while (!hit.found && hit.t < step->t_new) {
        KAL_TRY(find_until(run, fmin(hit.t + piece, step->t_new), tolerance, &hit));
    }
    run->events.pending = hit.found;
    if (hit.found) {
        run->horizon = hit.t;
        memcpy(run->events.crossings, hit.crossings,
               kal_run_functions(run->system) * sizeof *hit.crossings);
    }
    return KAL_OK;
}

// Events that follow each other ever faster, or without pause, have no end.
static KalStatus watch_chatter(KalRun *run, const char *name)
{
    KalEventWatch *watch = &run->events;
    const double span = run->options.until - run->options.from;
    const double gap = run->t - watch->last;
    const double ratio = gap / watch->gap;
    const bool shrinks = ratio < 0.999;
    watch->shrinking = shrinks ? watch->shrinking + 1 : 0;
    watch->crowded = gap < CLOSE * span ? watch->crowded + 1 : 0;
    watch->gap = gap;
    watch->last = run->t;
    const double left = gap * ratio / (1.0 - ratio); // of a geometric series
    if (watch->shrinking >= MOST_SHRINKING && left < CLOSE * span) {
        return kal_fail(run->ctx, KAL_ERR_CHATTER,
                        "event %s happens ever faster, without end before t = %.9g: "
                        "let an event stop the run, or change what it does when it "
                        "comes to rest",
                        name, run->t + left);
    }
    if (watch->crowded >= MOST_CROWDED) {
        return kal_fail(run->ctx, KAL_ERR_CHATTER,
                        "event %s happens again and again at t = %.9g: it chatters",
                        name, run->t);
    }
    return KAL_OK;
}

// What the actions of an event need.
typedef struct Happening {
    const KalEvent *event;
    bool *held; // 2 n: numbers that were set
    bool set;
    bool engaged;
} Happening;

static size_t first_value(const KalModel *model, const KalEvent *event)
{
    size_t place = 0;
    for (const KalEvent *e = model->events; e < event; e++) {
        for (size_t k = 0; k < e->n_actions; k++) {
            place += e->actions[k].kind == KAL_ACTION_SET;
        }
    }
    return place;
}

// Values that are set are those of the state before the event.
static KalStatus set_values(KalRun *run, Happening *h)
{
    const KalEvent *event = h->event;
    KalInstant *instant = run->instant;
    size_t place = first_value(run->system->model, event);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ACTIONS));
    for (size_t k = 0; k < event->n_actions; k++) {
        const KalAction *action = &event->actions[k];
        if (action->kind == KAL_ACTION_SET) {
            const size_t i =
                action->target + (action->order == 1 ? (size_t)run->system->n : 0);
            kal_instant_q(instant)[i] = instant->results[place++];
            h->held[i] = true;
            h->set = true;
        }
    }
    return KAL_OK;
}

// A constraint of position level can only engage where it is satisfied.
static KalStatus check_engage(KalRun *run, const Happening *h, int i)
{
    KalInstant *instant = run->instant;
    const int n = run->system->n;
    KAL_TRY(kal_instant_residuals(instant, KAL_PROGRAM_POSITION));
    const double *row = instant->A + (size_t)i * (size_t)n;
    double size = 0.0;
    for (int j = 0; j < n; j++) {
        size += fabs(row[j]) * fmax(1.0, fabs(kal_instant_q(instant)[j]));
    }
    if (fabs(instant->residuals[i]) > CLOSED * size) {
        return kal_fail(run->ctx, KAL_ERR_CONTRADICTION,
                        "event %s engages constraint %s, which is off by %.3g at that "
                        "moment, t = %.9g: it can engage only where it is satisfied",
                        h->event->name, kal_system_constraint_names(run->system)[i],
                        instant->residuals[i], run->t);
    }
    return KAL_OK;
}

static KalStatus act(KalRun *run, Happening *h, const KalAction *action)
{
    const int i = (int)action->target;
    switch (action->kind) {
    case KAL_ACTION_RELEASE: kal_instant_set_active(run->instant, i, false); break;
    case KAL_ACTION_ENGAGE:
        kal_instant_set_active(run->instant, i, true);
        h->engaged = true;
        return check_engage(run, h, i);
    case KAL_ACTION_STOP:
        run->over = true;
        run->stopped_by = run->stopped_by ? run->stopped_by : h->event->name;
        break;
    default: break; // values are set already
    }
    return KAL_OK;
}

static KalStatus change_constraints(KalRun *run, Happening *h)
{
    for (size_t k = 0; k < h->event->n_actions; k++) {
        KAL_TRY(act(run, h, &h->event->actions[k]));
    }
    return KAL_OK;
}

static KalStatus energy_of(KalRun *run, double *out_energy)
{
    KAL_TRY(kal_instant_evaluate(run->instant, KAL_PROGRAM_ENERGY));
    *out_energy = run->instant->results[0] + run->instant->results[1];
    return KAL_OK;
}

static KalStatus tell(KalRun *run, const Happening *h, double lost)
{
    if (h->engaged) {
        return kal_run_tell(run, run->t, "event %s; the impact takes the energy %.6g",
                            h->event->name, lost);
    }
    return kal_run_tell(run, run->t, "event %s", h->event->name);
}

// Set, then release and engage, then come back to the constraints: theory (15.6).
static KalStatus happen(KalRun *run, Happening *h)
{
    double before = 0.0;
    double after = 0.0;
    h->set = false;
    h->engaged = false;
    if (!run->solved) { // an earlier event has changed the state
        KAL_TRY(kal_run_solve(run));
    }
    memset(h->held, 0, 2 * (size_t)run->system->n * sizeof *h->held);
    KAL_TRY(set_values(run, h));
    KAL_TRY(energy_of(run, &before));
    KAL_TRY(change_constraints(run, h));
    if (h->set || h->engaged) {
        const KalStatus status = kal_instant_settle(run->instant, h->held);
        if (status == KAL_ERR_CONTRADICTION) {
            char why[TEXT_SIZE];
            (void)snprintf(why, sizeof why, "%s", kal_context_message(run->ctx));
            return kal_fail(run->ctx, status, "event %s at t = %.9g: %s",
                            h->event->name, run->t, why);
        }
        KAL_TRY(status);
    }
    run->solved = false;
    KAL_TRY(energy_of(run, &after));
    if (h->engaged) {
        run->statistics.energy_lost += before - after;
    }
    run->statistics.events++;
    KAL_TRY(tell(run, h, before - after));
    return watch_chatter(run, h->event->name);
}

static KalStatus happen_all(KalRun *run, Happening *h)
{
    const KalModel *model = run->system->model;
    for (size_t i = 0; i < model->n_events; i++) {
        h->event = &model->events[i];
        KAL_TRY(run->events.crossings[i] != 0 ? happen(run, h) : KAL_OK);
    }
    return KAL_OK;
}

KalStatus kal_run_events_apply(KalRun *run)
{
    const size_t size = 2 * (size_t)run->system->n * sizeof(bool);
    bool *held = (bool *)kal_alloc(run->ctx, 1, size);
    if (!held) {
        return kal_fail(run->ctx, KAL_ERR_NOMEM, "no memory for an event");
    }
    Happening h = {.held = held};
    run->events.pending = false;
    const KalStatus status = happen_all(run, &h);
    kal_free(run->ctx, held, size);
    KAL_TRY(status);
    KAL_TRY(kal_run_meet(run));
    KAL_TRY(kal_run_begin(run));
    return kal_roots_restart(run->roots, run->t);
}
