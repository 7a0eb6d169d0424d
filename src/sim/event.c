// SPDX-License-Identifier: MIT

// Events: when functions of the state cross zero, and what happens then.  Theory (15.6) and
// (15.12).
//
// One search serves events of the model, limits of actuators and switching functions, whose
// values stand one after the other in this order.  A step is searched from its beginning to
// the first crossing.  Ranges of the functions over parts of the step rule out most of it;
// only where a range holds zero are values looked at, by `ode/roots`.  What depends on more
// than t, q and q' has no range and is sampled.
//
// Invariant: between the time of the last search and the horizon nothing crosses.

#include "sim/piece.h"
#include "system/switch.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SAMPLES = 3,        // inner points of a piece at which functions are looked at
    MOST_PIECES = 256,  // of a step
    MOST_RANGES = 500,  // that are found in a step
    MOST_CROWDED = 100, // events in a row that are close to each other
    MOST_SHRINKING = 8, // gaps between events in a row, each shorter than the last
    TEXT_SIZE = 1000,
    AGAIN_SIZE = 300
};

// Events closer than this part of a run are close to each other.
static const double CLOSE = 1e-6;
// Parts of a step that are not divided further.
static const double SHORTEST = 0x1p-24;
// A residual of a constraint that engages, relative to its terms.
static const double CLOSED = 1e-6;

// Contacts come after events and limits, and switching functions after them.
static size_t first_contact(const KalSystem *system)
{
    return system->model->n_events + 2 * kal_run_limits(system);
}

static size_t first_switch(const KalSystem *system)
{
    return first_contact(system) + kal_run_contact_functions(system);
}

// All functions at a time of the last step.
static KalStatus values(void *user, double t, double *out_values)
{
    KalRun *run = (KalRun *)user;
    KalInstant *instant = run->instant;
    const KalSystem *system = run->system;
    const bool limits = kal_run_limits(system) > 0;
    if (run->events.solve) {
        KAL_TRY(kal_run_look_fully(run, t));
    } else {
        KAL_TRY(kal_run_visit(run, t));
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY));
    instant->variables[run->system->layout.energy] =
        instant->results[0] + instant->results[1];
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_EVENTS));
    assert(system->n_results[KAL_PROGRAM_EVENTS] == system->model->n_events);
    for (size_t i = 0; i < system->model->n_events; i++) {
        out_values[i] = run->events.resting[i] ? 0.0 : instant->results[i];
    }
    if (limits) {
        kal_run_limits_find(run, out_values + system->model->n_events);
    }
    if (system->model->n_contacts > 0) {
        KAL_TRY(kal_run_contacts_find(run, out_values + first_contact(system)));
    }
    if (system->pieces.n_switches > 0) {
        KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_SWITCHES));
        kal_run_pieces_follow(run, out_values + first_switch(system));
    }
    return KAL_OK;
}

size_t kal_run_functions(const KalSystem *system)
{
    return first_switch(system) + system->pieces.n_switches;
}

// An event that says neither or both of rising and falling happens at any crossing.
static KalRootDirection direction_of(const KalEvent *event)
{
    if (event->rising == event->falling) {
        return KAL_ROOT_BOTH;
    }
    return event->rising ? KAL_ROOT_RISING : KAL_ROOT_FALLING;
}

static KalStatus make_roots(KalRun *run, size_t count, KalRootDirection *directions,
                            bool *poles)
{
    bool *floors = poles + count;
    assert(count == kal_run_functions(run->system));
    const KalModel *model = run->system->model;
    for (size_t i = 0; i < model->n_events; i++) {
        directions[i] = direction_of(&model->events[i]);
    }
    for (size_t i = first_contact(run->system); i < first_switch(run->system); i++) {
        directions[i] = KAL_ROOT_FALLING;
        floors[i] = true;
    }
    for (size_t i = first_switch(run->system); i < count; i++) {
        poles[i] = true; // a condition changes there
    }
    const KalRootSpec spec = {.count = (int)count,
                              .values = values,
                              .user = run,
                              .directions = directions,
                              .poles = poles,
                              .floors = floors,
                              .samples = SAMPLES};
    return kal_roots_create(run->ctx, &spec, &run->events.roots);
}

// Whether some function is not one of t, q and q' alone.
static void note_functions(KalRun *run)
{
    assert(run->system);
    const KalSystem *system = run->system;
    run->events.solve = system->events_need_solve || kal_run_limits(system) > 0
                        || kal_run_contacts_need_solve(run);
    for (size_t i = 0; i < system->pieces.n_switches; i++) {
        run->events.solve = run->events.solve || !system->pieces.switches[i].bounded;
    }
    run->events.sampled = run->events.solve;
    for (size_t i = 0; i < system->model->n_events; i++) {
        run->events.sampled = run->events.sampled || !system->bounds.exact[i];
    }
}

// The search copies what it is told of each function.
static KalStatus create_roots(KalRun *run)
{
    static const KalProgramId programs[] = {KAL_PROGRAM_EVENTS, KAL_PROGRAM_SWITCHES,
                                            KAL_PROGRAM_CONTACTS};
    assert(!run->events.roots);
    const size_t count = kal_run_functions(run->system);
    if (count > KAL_ROOT_LIMIT) {
        return kal_fail(run->ctx, KAL_ERR_LIMIT,
                        "%zu events and switching functions are too many", count);
    }
    KAL_TRY(kal_run_make_scan(run, programs, sizeof programs / sizeof *programs,
                              &run->events.scan));
    KalRootDirection *directions =
        (KalRootDirection *)kal_alloc(run->ctx, count, sizeof *directions);
    bool *poles = (bool *)kal_alloc(run->ctx, 2 * count, sizeof *poles); // and floors
    const KalStatus status = directions && poles
                                 ? make_roots(run, count, directions, poles)
                                 : kal_no_memory(run->ctx, "for events");
    kal_free(run->ctx, directions, directions ? count * sizeof *directions : 0);
    kal_free(run->ctx, poles, poles ? 2 * count * sizeof *poles : 0);
    return status;
}

// What is zero: of switching functions it has been found with the pieces of the present state.
static void tell_zeros(KalRun *run)
{
    const int first = (int)first_switch(run->system);
    for (int i = (int)first_contact(run->system); i < first; i++) {
        kal_roots_set_zero(run->events.roots, i, run->options.atol);
    }
    for (size_t i = 0; i < run->system->pieces.n_switches; i++) {
        kal_roots_set_zero(run->events.roots, first + (int)i,
                           kal_run_modes_zero(run, i));
    }
}

// A run that starts again keeps its search and forgets what happened.
KalStatus kal_run_events_start(KalRun *run)
{
    run->events.pending = false;
    if (kal_run_functions(run->system) == 0) {
        return KAL_OK;
    }
    note_functions(run);
    if (!run->events.roots) {
        KAL_TRY(create_roots(run));
    }
    run->events.gap = INFINITY;
    run->events.last = -INFINITY;
    run->events.shrinking = 0;
    run->events.crowded = 0;
    KAL_TRY(kal_run_rest_begin(run));
    tell_zeros(run);
    return kal_roots_start(run->events.roots, run->t);
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

// An event that depended on how constraints share a force would let an arbitrary choice decide
// over the motion.
KalStatus kal_run_events_check(KalRun *run)
{
    const KalSystem *system = run->system;
    const size_t outputs = (size_t)system->n_outputs;
    if (system->model->n_events == 0) {
        return KAL_OK;
    }
    const bool *doubts = kal_instant_doubts(run->instant);
    const size_t last = outputs + system->n_results[KAL_PROGRAM_ACTIONS];
    for (size_t i = outputs; i < last + system->model->n_events; i++) {
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
    assert(hit && tolerance >= 0.0);
    KalStatus status = kal_roots_find(run->events.roots, t, tolerance, hit);
    double fails = t;
    while (status == KAL_ERR_NUMBER) {
        const double begin = kal_roots_time(run->events.roots);
        if (fails - begin <= tolerance) {
            return kal_roots_find(run->events.roots, fails, tolerance, hit);
        }
        const double middle = begin + 0.5 * (fails - begin);
        status = kal_roots_find(run->events.roots, middle, tolerance, hit);
        if (status == KAL_OK && hit->found) {
            return KAL_OK;
        }
        fails = status == KAL_OK ? fails : middle;
        status = status == KAL_OK ? KAL_ERR_NUMBER : status;
    }
    return status;
}

// A search through a step.
typedef struct Search {
    double tolerance;
    double end;   // of the step
    double piece; // that is looked at as a whole, at most
    double width; // of the part to try next
    double least; // no part is shorter
    double blind; // what bounds did not tell last; the next such part is twice as long
    bool sharp;   // but where a function may only touch zero
    double crude; // a piece where bounds are of no use
    int budget;   // ranges that may still be found
} Search;

// Whether nothing crosses between two times, as far as that can be bounded.
static bool is_free(KalRun *run, double a, double b)
{
    assert(a <= b);
    const KalSystem *system = run->system;
    const size_t n_events = system->model->n_events;
    const KalRange *ranges = kal_scan_bound(&run->events.scan, a, b);
    for (size_t i = 0; i < n_events; i++) {
        if (system->bounds.exact[i] && !run->events.resting[i]
            && !kal_run_is_quiet(run, (int)i, ranges[i], run->options.atol)) {
            return false;
        }
    }
    if (!kal_run_pieces_stay(run, (int)first_switch(system), ranges + n_events)) {
        return false;
    }
    const size_t first = n_events + 2 * system->pieces.n_switches;
    if (kal_run_contacts_stay(run, first_contact(system), ranges + first)) {
        return true;
    }
    ranges = kal_scan_sharpen_gaps(&run->events.scan, a, b);
    return kal_run_contacts_stay(run, first_contact(system), ranges + first);
}

// Whether a function is at zero, has not left it and may do so; those of contacts need not be
// seen when they leave it upwards.
static bool any_waiting(const KalRun *run)
{
    const KalSystem *system = run->system;
    double band = 0.0;
    for (size_t i = 0; i < kal_run_functions(system); i++) {
        const bool contact = i >= first_contact(system) && i < first_switch(system);
        const bool rests =
            contact || (i < system->model->n_events && run->events.resting[i]);
        if (!rests && kal_roots_side(run->events.roots, (int)i, &band) == 0) {
            return true;
        }
    }
    return false;
}

// Go on from a time over parts that have no crossing for certain; returns where that ends.
static double skip(KalRun *run, Search *s, double t, double limit)
{
    const bool each = any_waiting(run); // to see it leave
    bool sure = true;
    while (t < limit && sure && s->budget > 0) {
        double width = fmin(s->width, limit - t);
        assert(width > 0.0);
        sure = is_free(run, t, t + width);
        while (!sure && width > s->least && --s->budget > 0) {
            width *= 0.5;
            sure = is_free(run, t, t + width);
        }
        s->width = fmax(2.0 * width, s->least);
        s->budget--;
        t = t + (sure ? width : 0.0);
        t = limit - t < s->least ? limit : t;
        sure = sure && !each;
    }
    assert(t <= limit);
    return t;
}

// Where to look next, theory (15.12).  What is free of crossings needs no look between its
// ends; what is too short to be told is looked at closely, with some of its surroundings,
// so that a function that only touches zero has its bottom well inside.
static double next_stop(KalRun *run, Search *s, double t)
{
    assert(t <= s->end);
    const double limit = fmin(t + s->piece, s->end);
    if (s->budget <= 0) {
        kal_roots_set_samples(run->events.roots, SAMPLES);
        return fmin(t + s->crude, s->end);
    }
    const double free = skip(run, s, t, limit);
    const double stop = free < limit ? free - s->least : limit;
    const bool close = !(stop > t);
    kal_roots_set_samples(run->events.roots,
                          close || run->events.sampled ? SAMPLES : 0);
    s->blind = close && !s->sharp ? 2.0 * s->blind : s->least;
    return close ? fmin(free + fmax(s->blind, 2.0 * s->least), limit) : stop;
}

// Whether a function of a contact has become negative, or a switching function has left zero
// to another side than the motion was thought to go to.
static bool strays(const KalRun *run)
{
    const KalSystem *system = run->system;
    if (kal_run_contacts_stray(run, first_contact(system))) {
        return true;
    }
    double band = 0.0;
    for (size_t i = 0; i < system->pieces.n_switches; i++) {
        const KalSwitch *one = &system->pieces.switches[i];
        const int function = (int)(first_switch(system) + i);
        const int side = kal_roots_side(run->events.roots, function, &band);
        if (side != 0 && kal_switch_side(one, run->modes.modes[i]) != (double)side) {
            return true;
        }
    }
    return false;
}

// How closely a step is searched.
static Search plan_search(KalRun *run)
{
    const KalOdeStep *step = &run->step;
    const double length = step->t_new - step->t_old;
    const double largest =
        fmax(fabs(run->options.from), fmax(fabs(run->options.until), 1e-300));
    const double tolerance = 8.0 * DBL_EPSILON * largest;
    const bool known =
        kal_scan_take(&run->events.scan, step->t_old, step->t_new) == KAL_OK;
    if (known) {
        kal_run_pieces_measure(run, (int)first_switch(run->system));
    }
    // Where functions have no bounds, times lie as close together as samples, within reason.
    const double piece = fmax((SAMPLES + 1) * run->options.every, length / MOST_PIECES);
    return (Search){.tolerance = tolerance,
                    .end = step->t_new,
                    .piece = run->events.sampled || !known ? piece : length,
                    .width = length,
                    .least = fmax(64.0 * tolerance, length * SHORTEST),
                    .blind = fmax(64.0 * tolerance, length * SHORTEST),
                    .sharp = kal_run_contacts_are_sharp(run),
                    .crude = piece,
                    .budget = known ? MOST_RANGES : 0};
}

// Look for crossings in the last step; they move the horizon.
static KalStatus find_crossings(KalRun *run)
{
    KAL_TRY(kal_run_rest_confirm(run));
    Search search = plan_search(run);
    KalRootHit hit = {.found = false, .t = kal_roots_time(run->events.roots)};
    while (!hit.found && hit.t < search.end) {
        const double stop = next_stop(run, &search, hit.t);
        KAL_TRY(find_until(run, stop, search.tolerance, &hit));
        hit.found = hit.found || strays(run);
    }
    assert(hit.t <= search.end);
    run->events.pending = hit.found;
    if (hit.found) {
        run->horizon = hit.t;
        memcpy(run->events.crossings, hit.crossings,
               kal_run_functions(run->system) * sizeof *hit.crossings);
    }
    return KAL_OK;
}

KalStatus kal_run_events_find(KalRun *run)
{
    memset(run->events.crossings, 0,
           kal_run_functions(run->system) * sizeof *run->events.crossings);
    run->events.pending = false;
    if (run->events.roots) {
        KAL_TRY(find_crossings(run));
    }
    run->events.pending = run->events.pending || kal_run_holds_due(run, run->horizon);
    return KAL_OK;
}

// Events that follow each other ever faster, or without pause, have no end.
static KalStatus watch_chatter(KalRun *run, const char *name)
{
    KalEventWatch *watch = &run->events;
    const double span = run->options.until - run->options.from;
    const double gap = run->t - watch->last;
    assert(gap >= 0.0);
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
    bool set;   // positions or velocities
    bool engaged;
    bool moved;             // this event or one before it has set something
    char again[AGAIN_SIZE]; // what it sets that another event has set at this instant
} Happening;

// Where the values that an event sets begin among those of all events.
static size_t first_value(const KalModel *model, const KalEvent *event)
{
    assert(event >= model->events && event < model->events + model->n_events);
    size_t place = 0;
    for (const KalEvent *e = model->events; e < event; e++) {
        for (size_t k = 0; k < e->n_actions; k++) {
            place += e->actions[k].kind == KAL_ACTION_SET;
        }
    }
    return place;
}

// Where a number that can be set stands in KalEventWatch.setters.
static size_t setter_of(const KalSystem *system, const KalAction *action)
{
    const size_t n = (size_t)system->n;
    const size_t i = action->target;
    if (action->what == KAL_SYMBOL_COORDINATE) {
        return i + (action->order == 1 ? n : 0);
    }
    const bool state = action->what == KAL_SYMBOL_STATE;
    return 2 * n + (state ? 0 : (size_t)system->n_states) + i;
}

static const char *name_of(const KalModel *model, const KalAction *action)
{
    return action->what == KAL_SYMBOL_COORDINATE
               ? model->coordinates[action->target].name
           : action->what == KAL_SYMBOL_STATE ? model->states[action->target].name
                                              : model->holds[action->target].name;
}

// Note who sets a number.  Of several events at one instant the last one of the model has
// the last word, and says so.
static void note_setter(KalRun *run, Happening *h, const KalAction *action)
{
    const KalModel *model = run->system->model;
    const size_t i = setter_of(run->system, action);
    const int number = (int)(h->event - model->events) + 1;
    const int before = run->events.setters[i];
    if (before != 0 && before != number) {
        (void)snprintf(
            h->again, sizeof h->again,
            "; it sets %.80s%s, which event %.80s has set at the same instant: "
            "events happen in the order of the model",
            name_of(model, action), action->order == 1 ? "'" : "",
            model->events[before - 1].name);
    }
    run->events.setters[i] = number;
}

// Put a value where it belongs.
static void set_value(KalRun *run, Happening *h, const KalAction *action, double value)
{
    KalInstant *instant = run->instant;
    const KalSystem *system = run->system;
    const size_t i = setter_of(system, action);
    note_setter(run, h, action);
    h->moved = true;
    if (action->what == KAL_SYMBOL_HOLD) {
        assert(system->layout.holds + action->target < system->layout.qdd);
        instant->variables[system->layout.holds + action->target] = value;
        return;
    }
    assert(i < kal_system_state_size(system));
    kal_instant_q(instant)[i] = value; // velocities and states follow
    if (action->what == KAL_SYMBOL_COORDINATE) {
        h->held[i] = true;
        h->set = true;
    }
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
            assert(place < run->system->n_results[KAL_PROGRAM_ACTIONS]);
            set_value(run, h, action, instant->results[place++]);
        }
    }
    return KAL_OK;
}

// A constraint of position level can only engage where it is satisfied.
static KalStatus check_engage(KalRun *run, const Happening *h, int i)
{
    KalInstant *instant = run->instant;
    assert(i >= 0 && i < run->system->m && instant->active[i]);
    KAL_TRY(kal_instant_residuals(instant, KAL_PROGRAM_POSITION));
    const KalConstraintRow row = kal_instant_level_row(instant, i);
    double size = 0.0;
    for (int k = 0; k < row.count; k++) {
        const double x = kal_instant_q(instant)[row.column[k]];
        size += fabs(kal_row_entry(&row, k)) * fmax(1.0, fabs(x));
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

// What an action does to the set of constraints; the state follows in kal_instant_settle().
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
    case KAL_ACTION_SET: break; // has happened already
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

// Report the event; one that engages a constraint is an impact, which takes energy.
static KalStatus tell(KalRun *run, const Happening *h, double lost)
{
    if (h->engaged) {
        return kal_run_tell(run, run->t,
                            (KalSubject){KAL_INCIDENT_IMPACT, h->event->name},
                            "event %s; the impact takes the energy %.6g%s",
                            h->event->name, lost, h->again);
    }
    return kal_run_tell(run, run->t, (KalSubject){KAL_INCIDENT_EVENT, h->event->name},
                        "event %s%s", h->event->name, h->again);
}

// Set, then release and engage, then come back to the constraints: theory (15.6).
static KalStatus happen(KalRun *run, Happening *h)
{
    double before = 0.0;
    double after = 0.0;
    h->set = false;
    h->engaged = false;
    h->again[0] = '\0';
    if (!kal_run_is_solved(run)) { // an earlier event has changed the state
        KAL_TRY(kal_run_solve(run));
    }
    KAL_TRY(kal_run_events_check(run)); // before the event ends what made it doubtful
    memset(h->held, 0, 2 * (size_t)run->system->n * sizeof *h->held);
    KAL_TRY(set_values(run, h));
    KAL_TRY(energy_of(run, &before));
    KAL_TRY(change_constraints(run, h));
    if (h->set || h->engaged) {
        const KalStatus status = kal_run_contacts_settle(run, h->held, !h->set);
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

// Events at the same time happen in the order in which the model has them, each to the state
// that the one before leaves.
static KalStatus happen_all(KalRun *run, Happening *h)
{
    const KalModel *model = run->system->model;
    for (size_t i = 0; i < model->n_events; i++) {
        h->event = &model->events[i];
        if (run->events.crossings[i] == 0) {
            continue;
        }
        if (isnan(run->events.first[i])) {
            run->events.first[i] = run->t;
        }
        KAL_TRY(happen(run, h));
    }
    return KAL_OK;
}

// All actions but that of ending the run change something.
static bool changes(const KalEvent *event)
{
    for (size_t k = 0; k < event->n_actions; k++) {
        if (event->actions[k].kind != KAL_ACTION_STOP) {
            return true;
        }
    }
    return false;
}

const int *kal_run_switch_crossings(const KalRun *run)
{
    return run->events.crossings + first_switch(run->system);
}

const int *kal_run_limit_crossings(const KalRun *run)
{
    const bool here =
        kal_run_limits(run->system) > 0 && run->instant->variables[0] == run->horizon;
    return here ? run->events.crossings + run->system->model->n_events : NULL;
}

bool kal_run_events_jump(const KalRun *run)
{
    const KalModel *model = run->system->model;
    if (kal_run_holds_due(run, run->horizon)) {
        return true;
    }
    for (size_t i = 0; run->events.pending && i < model->n_events; i++) {
        if (run->events.crossings[i] != 0 && changes(&model->events[i])) {
            return true;
        }
    }
    bool jumps = false; // velocities by an impact of contacts, or forces
    for (size_t i = first_contact(run->system); i < first_switch(run->system); i++) {
        jumps = jumps || run->events.crossings[i] != 0;
    }
    return jumps && run->events.pending;
}

// The motion goes on from what events have made of the state.
static KalStatus go_on_from(KalRun *run, const Happening *h)
{
    assert(h);
    if (run->over) {
        run->instant->modes = NULL; // no motion goes on from here
    } else {
        KAL_TRY(kal_run_contacts_apply(run, run->events.crossings
                                                + first_contact(run->system)));
        KAL_TRY(kal_run_modes_enter(run, h->moved));
        KAL_TRY(kal_run_modes_agree(run, h->moved));
        note_functions(run);
    }
    KAL_TRY(kal_run_meet_anew(run));
    KAL_TRY(kal_run_rest_begin(run));
    return kal_run_begin(run);
}

// Whether a function of the model has jumped over zero; only these have actions.
static bool any_jump(const KalRun *run)
{
    for (size_t i = 0; i < run->system->model->n_events; i++) {
        if (run->events.crossings[i] != 0) {
            return true;
        }
    }
    return false;
}

// All that happens at once: events that are pending, then renewals of holds.
static KalStatus apply_round(KalRun *run, Happening *h)
{
    KAL_TRY(happen_all(run, h));
    KAL_TRY(kal_run_holds_renew(run));
    KAL_TRY(go_on_from(run, h));
    if (!run->events.roots) {
        return KAL_OK;
    }
    tell_zeros(run);
    KAL_TRY(kal_roots_restart(run->events.roots, run->t, run->events.crossings));
    memset(run->events.crossings + first_contact(run->system), 0,
           kal_run_contact_functions(run->system) * sizeof *run->events.crossings);
    return KAL_OK;
}

// Events of the model first, then renewals of holds.  What they change may let other
// functions jump over zero: their events happen at the same time, after them, and so on.
// Theory (15.19).
KalStatus kal_run_events_apply(KalRun *run)
{
    assert(run->events.pending && run->t == run->horizon);
    Happening h = {.held = run->events.held};
    const size_t settable =
        kal_system_state_size(run->system) + (size_t)run->system->n_holds;
    memset(run->events.setters, 0, settable * sizeof *run->events.setters);
    run->events.pending = false;
    do {
        KAL_TRY(apply_round(run, &h));
    } while (!run->over && any_jump(run));
    return KAL_OK;
}
