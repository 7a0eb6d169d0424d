// SPDX-License-Identifier: MIT

// Contacts in a run: they close by impacts, open, stick and slip.  Theory section 21.
//
// Between events nothing of this changes: what acts are constraints and frictions of fixed
// direction.  For each contact two functions are followed, whose zeros end that: the gap of an
// open one or the reaction of a closed one, and what is left of the friction that holds or the
// slip of one that slides.  At a zero all contacts are decided about anew: first an impact, if
// one of them is about to be entered, over all that touch, then accelerations.
//
// Rebounds that would stay below the absolute tolerance close their contact; so bounces that
// pile up in time come to an end (21.8).
//
// Invariant: a gap is never negative by more than tolerances allow where the motion goes on.

#include "system/contact.h"

#include "sim/run_impl.h"
#include "sim/slip.h"
#include "system/start.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    FUNCTIONS = 2,       // of a contact
    MOST_CROWDED = 5000, // decisions in a row that are close to each other
    MOST_SHRINKING = 30  // bounces in a row, each sooner than the one before
};

// Decisions closer than this part of a run are close to each other.
static const double CLOSE = 1e-6;
// Bounces whose rest takes less than this part of a run have come to their limit.
static const double LIMIT = 1e-9;
// A gap that is off zero by more than this, relative to its terms, has jumped.
static const double JUMPED = 1e-6;
// Rows of contacts are chosen anew once the sine between those that act has fallen to this part of
// what it was; and not at all where the best of them have less than that.
static const double WORN = 0.3;
static const double POOR = 0.1;
// A rate that ought not to be negative is, by more than this part of its terms.
static const double WRONG = 1e-8;

static size_t count_contacts(const KalRun *run)
{
    return run->system->model->n_contacts;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = owner;
    KalContactWatch *watch = &run->contacts;
    const size_t count = count_contacts(run);
    watch->touching = kal_carve_bools(carver, count);
    watch->plastic = kal_carve_bools(carver, count);
    watch->kept_shut = kal_carve_bools(carver, count);
    watch->held = kal_carve_bools(carver, count);
    watch->loose = kal_carve_bools(carver, count);
    watch->hit = kal_carve_bools(carver, count);
    watch->rests = kal_carve_bools(carver, count);
    watch->before = kal_carve(carver, count, sizeof *watch->before);
    watch->speed = kal_carve_doubles(carver, count, 1);
    watch->settles = kal_carve_doubles(carver, count, 1);
    watch->last = kal_carve_doubles(carver, count, 1);
    watch->rebound = kal_carve_doubles(carver, count, 1);
    watch->interval = kal_carve_doubles(carver, count, 1);
    watch->shrinking = kal_carve_ints(carver, count);
    watch->kept = kal_carve_doubles(carver, (size_t)run->system->n, 1);
}

KalStatus kal_run_contacts_init(KalRun *run)
{
    return count_contacts(run) > 0 ? kal_workspace_make(run->ctx, "for a run", lay_out,
                                                        run, &run->contacts.workspace)
                                   : KAL_OK;
}

void kal_run_contacts_clear(KalRun *run)
{
    kal_workspace_clear(run->ctx, &run->contacts.workspace);
}

KalStatus kal_run_contacts_settle(KalRun *run, const bool *held, bool rest)
{
    for (size_t i = 0; i < count_contacts(run); i++) {
        run->contacts.rests[i] = rest && run->instant->contacts.states[i].closed;
    }
    return kal_instant_settle(run->instant, held);
}

void kal_run_contacts_forget(KalRun *run)
{
    kal_contacts_reset(run->instant);
    run->contacts.crowded = 0;
    run->contacts.decided = -INFINITY;
    for (size_t i = 0; i < count_contacts(run); i++) {
        run->contacts.last[i] = -INFINITY;
        run->contacts.rebound[i] = INFINITY;
        run->contacts.interval[i] = INFINITY;
        run->contacts.shrinking[i] = 0;
        run->contacts.rests[i] = false;
    }
}

size_t kal_run_contact_functions(const KalSystem *system)
{
    return FUNCTIONS * system->model->n_contacts;
}

// Whether the gap of a contact is what is followed.
static bool follows_gap(const KalRun *run, size_t i)
{
    return run->system->model->contacts[i].gap != KAL_NO_GAP
           && !run->instant->contacts.states[i].acts;
}

static bool holds(const KalRun *run, size_t i)
{
    const KalContactState *state = &run->instant->contacts.states[i];
    return run->system->model->contacts[i].n_slips > 0 && state->closed
           && state->mode == KAL_TOUCH_HOLD;
}

// Whether its gap is followed though others keep it at zero: no range of it would show that.
static bool is_kept(const KalRun *run, size_t i)
{
    return follows_gap(run, i) && run->instant->contacts.states[i].closed;
}

bool kal_run_contacts_need_solve(const KalRun *run)
{
    bool any = false;
    for (size_t i = 0; i < count_contacts(run); i++) {
        const KalContactState *state = &run->instant->contacts.states[i];
        any = any || state->acts || holds(run, i) || is_kept(run, i)
              || (kal_run_follows_slip(run, i) && !state->moves);
    }
    return any;
}

// The slip along the direction that it had; of two rows its size, which may come to zero
// but not change its sign, or once it has begun at rest whether it turned back.
static double sliding(const KalRun *run, size_t i, const KalContactValues *v)
{
    const KalContactState *state = &run->instant->contacts.states[i];
    if (run->system->model->contacts[i].n_slips == 1) {
        return v->slip[0] * state->direction[0];
    }
    const double along =
        v->slip[0] * state->direction[0] + v->slip[1] * state->direction[1];
    return state->moves ? hypot(v->slip[0], v->slip[1]) - kal_run_slow(run)
                        : along + 0.5 * run->instant->contacts.slow;
}

// How good the rows are that act, where those of contacts could be chosen otherwise: as a rod turns
// that joins two bodies which stick, other rows of their slips are independent of it.
static double find_wear(KalRun *run)
{
    double *sine = &run->contacts.sine;
    if (isnan(*sine)) {
        *sine = run->answer.least_sine > POOR ? run->answer.least_sine : 0.0;
    }
    return *sine > 0.0 ? run->answer.least_sine - WORN * *sine : 1.0;
}

// Event functions of contacts, two for each: the gap or the force that keeps it closed;
// the slip or how much friction is left. 1 where a contact has neither.
KalStatus kal_run_contacts_find(KalRun *run, double *out_values)
{
    assert(out_values);
    KalInstant *instant = run->instant;
    KAL_TRY(kal_instant_need_givens(instant));
    KAL_TRY(instant->contacts.sharing.needed ? kal_contacts_share(instant) : KAL_OK);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *values = (const KalContactValues *)instant->results;
    const double wear = find_wear(run);
    for (size_t i = 0; i < count_contacts(run); i++) {
        const KalContact *contact = &run->system->model->contacts[i];
        double *out = out_values + FUNCTIONS * i;
        out[0] = 1.0;
        out[1] = 1.0;
        if (contact->gap != KAL_NO_GAP) {
            out[0] = follows_gap(run, i) ? values[i].gap
                                         : kal_run_keeping(run, contact->gap);
        }
        if (kal_run_follows_slip(run, i)) {
            out[1] = sliding(run, i, &values[i]);
        } else if (holds(run, i)) {
            out[1] = kal_run_holding(run, i, &values[i]);
            out[1] = instant->contacts.sharing.needed ? fmin(out[1], wear) : out[1];
        }
    }
    return KAL_OK;
}

// The range of a function from those of KalContactValues; false if it is not known.
static bool find_range(const KalRun *run, size_t function, const KalRange *ranges,
                       KalRange *out_range)
{
    const size_t i = function / FUNCTIONS;
    const KalContact *contact = &run->system->model->contacts[i];
    const KalRange *own = ranges + i * KAL_CONTACT_VALUES;
    const KalContactState *state = &run->instant->contacts.states[i];
    if (function % FUNCTIONS == 0) {
        *out_range = follows_gap(run, i) ? own[0] : (KalRange){1.0, 1.0};
        return (follows_gap(run, i) && !is_kept(run, i)) || contact->gap == KAL_NO_GAP;
    }
    if (kal_run_follows_slip(run, i) && contact->n_slips == 1 && state->moves) {
        const bool forward = state->direction[0] > 0.0;
        *out_range = forward ? own[2] : (KalRange){-own[2].high, -own[2].low};
        return true;
    }
    *out_range = (KalRange){1.0, 1.0};
    return !kal_run_follows_slip(run, i) && !holds(run, i);
}

// Whether function i of a run, which is to stay at zero or above, does: it may wait at zero.
static bool stays_up(const KalRun *run, int i, KalRange range)
{
    double band = 0.0;
    const int side = kal_roots_side(run->events.roots, i, &band);
    return range.low > 0.0 || (side == 0 && range.low >= -band);
}

bool kal_run_contacts_stay(const KalRun *run, size_t first, const KalRange *ranges)
{
    for (size_t i = 0; i < kal_run_contact_functions(run->system); i++) {
        KalRange range;
        if (find_range(run, i, ranges, &range)
            && !stays_up(run, (int)(first + i), range)) {
            return false;
        }
    }
    return true;
}

bool kal_run_contacts_stray(const KalRun *run, size_t first)
{
    const size_t count = kal_run_contact_functions(run->system);
    bool any = false;
    for (size_t i = first; i < first + count; i++) {
        double band = 0.0;
        any = any || kal_roots_side(run->events.roots, (int)i, &band) < 0;
    }
    return any;
}

// What happens to a contact.

static KalStatus tell(KalRun *run, size_t i, double t, KalIncidentKind kind,
                      const char *what)
{
    const KalContact *contact = &run->system->model->contacts[i];
    return kal_run_tell(run, t, (KalSubject){kind, contact->name}, "%s %s %s",
                        contact->gap == KAL_NO_GAP ? "friction" : "contact",
                        contact->name, what);
}

// What changed for contact i; `first`: it is told how the run begins.
static KalStatus tell_changes(KalRun *run, size_t i, bool first)
{
    const KalContact *contact = &run->system->model->contacts[i];
    const KalContactState *before = &run->contacts.before[i];
    const KalContactState *now = &run->instant->contacts.states[i];
    const bool was_closed = before->closed && !first;
    const double settles = run->contacts.settles[i];
    if (contact->gap != KAL_NO_GAP && now->closed && !was_closed && !first) {
        KAL_TRY(tell(run, i, settles, KAL_INCIDENT_CLOSES, "closes"));
    }
    if (contact->gap != KAL_NO_GAP && !now->closed && was_closed) {
        KAL_TRY(tell(run, i, run->t, KAL_INCIDENT_OPENS, "opens"));
    }
    if (contact->n_slips == 0 || !now->closed || first) {
        return KAL_OK;
    }
    if (now->holds && !(was_closed && before->holds)) {
        return tell(run, i, settles, KAL_INCIDENT_STICKS, "sticks");
    }
    return !now->holds && was_closed && before->holds
               ? tell(run, i, run->t, KAL_INCIDENT_SLIPS, "slips")
               : KAL_OK;
}

static KalStatus tell_all(KalRun *run, bool first)
{
    for (size_t i = 0; i < count_contacts(run); i++) {
        KAL_TRY(tell_changes(run, i, first));
    }
    return KAL_OK;
}

static KalStatus tell_impact(KalRun *run, size_t i, double lost)
{
    const char *name = run->system->model->contacts[i].name;
    return kal_run_tell(run, run->t, (KalSubject){KAL_INCIDENT_IMPACT, name},
                        "contact %s: impact at the speed %.6g; the impacts of this "
                        "instant take the energy %.6g",
                        name, -run->contacts.speed[i], lost);
}

// A rebound or slip that is too slow to matter and yet goes on.
static KalStatus tell_loose(KalRun *run, size_t i)
{
    const char *name = run->system->model->contacts[i].name;
    return kal_run_tell(run, run->t, (KalSubject){KAL_INCIDENT_OPENS, name},
                        "contact %s rebounds or slips too slowly to matter for the "
                        "tolerance, but others that move do not let it rest: it is "
                        "followed",
                        name);
}

// By how much the gap of contact i may be off zero without a jump: one that grazes is entered by
// up to the absolute tolerance, even where its row vanishes.
static double allowed_gap(const KalRun *run, size_t i)
{
    const KalContacts *c = &run->instant->contacts;
    const double *q = kal_instant_q(run->instant);
    const size_t n = (size_t)run->system->n;
    const int place = c->place[run->system->model->contacts[i].gap];
    double size = 0.0;
    for (size_t j = 0; j < n; j++) {
        size += fabs(c->A[(size_t)place * n + j]) * fmax(1.0, fabs(q[j]));
    }
    return fmax(JUMPED * size, run->options.atol);
}

// A gap that is made of pieces may jump: it opens, but nothing can follow it into the contact.
static KalStatus look_for_jump(KalRun *run, size_t i, double gap)
{
    KalContacts *c = &run->instant->contacts;
    const double allowed = allowed_gap(run, i);
    c->states[i].gone = c->states[i].gone || (c->states[i].closed && gap > allowed);
    if (gap >= -allowed) {
        return KAL_OK;
    }
    c->blamed[0] = run->system->model->contacts[i].name;
    c->n_blamed = 1;
    return kal_fail(run->ctx, KAL_ERR_CONTRADICTION,
                    "contact %s is entered by %.3g at t = %.9g: its gap becomes "
                    "negative there at once, and no position can follow",
                    c->blamed[0], -gap, run->t);
}

// Gaps and their rates in the present state: who touches, and who is hit.
static KalStatus look_at_gaps(KalRun *run)
{
    KalContactWatch *watch = &run->contacts;
    KalInstant *instant = run->instant;
    const KalModel *model = run->system->model;
    const double slow = kal_run_still(run);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (size_t i = 0; i < model->n_contacts; i++) {
        const int64_t gap = model->contacts[i].gap;
        watch->speed[i] = gap == KAL_NO_GAP ? 0.0 : instant->results[gap];
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *values = (const KalContactValues *)instant->results;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContactState *state = &instant->contacts.states[i];
        const bool dry = model->contacts[i].gap == KAL_NO_GAP;
        KAL_TRY(dry ? KAL_OK : look_for_jump(run, i, values[i].gap));
        watch->touching[i] = !dry && !state->gone && watch->speed[i] <= slow
                             && (state->closed || values[i].gap <= run->options.atol);
        watch->hit[i] =
            watch->touching[i] && watch->speed[i] < (state->closed ? -slow : -DBL_MIN);
        watch->plastic[i] = false;
    }
    return KAL_OK;
}

// The acceleration of the gap of contact i in the solved run, and the size of its terms.
static double gap_acceleration(const KalRun *run, size_t i, double *out_size)
{
    static const double one = 1.0;
    return kal_run_acceleration_along(run, &run->system->model->contacts[i].gap, &one,
                                      1, out_size);
}

// Whether a velocity comes to rest, by its acceleration, within a distance.
static bool turns_within(double speed, double acceleration, double distance)
{
    return acceleration < 0.0 && speed * speed <= -2.0 * acceleration * distance;
}

static bool is_any_hit(const KalRun *run)
{
    bool any = false;
    for (size_t i = 0; i < count_contacts(run); i++) {
        any = any || run->contacts.hit[i];
    }
    return any;
}

// Whether contact i, which touches, only grazes: its gap, whose row does not act, opens by itself
// before it is negative by more than the absolute tolerance.
static KalStatus find_graze(KalRun *run, size_t i, bool *out_grazes)
{
    const double speed = run->contacts.speed[i];
    KalContactValues v;
    double size = 0.0;
    *out_grazes = false;
    if (!run->contacts.touching[i] || run->instant->contacts.states[i].acts
        || speed == 0.0) {
        return KAL_OK;
    }
    const double opening = gap_acceleration(run, i, &size);
    KAL_TRY(kal_contact_values(run->instant, i, &v));
    *out_grazes = opening > WRONG * size
                  && turns_within(speed, -opening, run->options.atol + v.gap);
    return KAL_OK;
}

// What grazes takes no part in an impact, theory (21.16): its row may vanish there, and an impulse
// along it would stop all that moves.
static KalStatus pass_grazes(KalRun *run)
{
    KalContactWatch *watch = &run->contacts;
    if (!is_any_hit(run)) {
        return KAL_OK;
    }
    KAL_TRY(kal_run_solve(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    for (size_t i = 0; i < count_contacts(run); i++) {
        bool grazes = false;
        KAL_TRY(find_graze(run, i, &grazes));
        watch->touching[i] = watch->touching[i] && !grazes;
        watch->hit[i] = watch->hit[i] && !grazes;
    }
    return KAL_OK;
}

// What touches is closed.
static void close_touching(KalRun *run)
{
    for (size_t i = 0; i < count_contacts(run); i++) {
        KalContactState *state = &run->instant->contacts.states[i];
        const bool dry = run->system->model->contacts[i].gap == KAL_NO_GAP;
        state->closed = dry || run->contacts.touching[i];
        state->gone = false;
    }
}

// The rates of gaps after an impact close the contacts that have none.
static KalStatus close_slow(KalRun *run)
{
    KalInstant *instant = run->instant;
    const KalModel *model = run->system->model;
    const double slow = kal_run_still(run);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (size_t i = 0; i < model->n_contacts; i++) {
        const int64_t gap = model->contacts[i].gap;
        const double speed = gap == KAL_NO_GAP ? 0.0 : instant->results[gap];
        run->contacts.settles[i] = speed; // of the rebound, until it is known to settle
        instant->contacts.states[i].closed =
            gap == KAL_NO_GAP || (run->contacts.touching[i] && speed <= slow);
    }
    return KAL_OK;
}

// Whether bounces of contact i come ever faster, with an end that is near.
static bool piles_up(KalRun *run, size_t i)
{
    KalContactWatch *watch = &run->contacts;
    const double interval = run->t - watch->last[i];
    const double ratio = interval / watch->interval[i];
    watch->shrinking[i] = ratio < 0.999 ? watch->shrinking[i] + 1 : 0;
    watch->interval[i] = interval;
    watch->last[i] = run->t;
    const double left = interval * ratio / (1.0 - ratio);
    return watch->shrinking[i] >= MOST_SHRINKING
           && left < LIMIT * (run->options.until - run->options.from);
}

// Whether contact i, which is hit again, was no farther away since its last impact than the
// absolute tolerance: so it is where others throw it back, as between two walls.
static bool stayed_near(const KalRun *run, size_t i)
{
    const KalContactWatch *watch = &run->contacts;
    const double speed = fmax(watch->rebound[i], -watch->speed[i]);
    return speed * (run->t - watch->last[i]) <= run->options.atol;
}

// Note that contact i, which leaves at a speed and falls back, does not bounce any more.
static KalStatus end_bounces(KalRun *run, size_t i, double speed, double fall)
{
    KalContactWatch *watch = &run->contacts;
    KalContactValues v;
    KAL_TRY(kal_contact_values(run->instant, i, &v));
    watch->kept_shut[i] = !watch->hit[i] || watch->plastic[i];
    watch->plastic[i] = true;
    watch->rest = 2.0 * speed / (fall * fmax(1.0 - v.restitution, DBL_EPSILON));
    return KAL_OK;
}

// A slip that would stop within the tolerance stops at once, as rebounds do.
static KalStatus find_low_slip(KalRun *run, size_t i, bool *out_low)
{
    const KalContactState *state = &run->instant->contacts.states[i];
    double speed = 0.0;
    double acceleration = 0.0;
    *out_low = false;
    if (!run->contacts.touching[i] || run->contacts.held[i] || !state->closed
        || state->mode != KAL_TOUCH_SLIDE) {
        return KAL_OK;
    }
    KAL_TRY(kal_run_slip_acceleration(run, i, &speed, &acceleration));
    *out_low =
        kal_run_creeps(run, i, speed)
        || (state->moves && turns_within(speed, acceleration, run->options.atol));
    run->contacts.held[i] = *out_low;
    return KAL_OK;
}

// Rebounds that stay below the tolerance, in the motion that follows the impact: their
// contacts are to close instead, at the time at which their bounces would end, theory (21.8).
// What opens so slowly though it has no restitution, pushed by others, is kept shut.
static KalStatus find_low_rebounds(KalRun *run, bool *out_any)
{
    KalContactWatch *watch = &run->contacts;
    *out_any = false;
    run->solved = false;
    KAL_TRY(kal_run_solve(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    for (size_t i = 0; i < count_contacts(run); i++) {
        const double speed = watch->settles[i];
        const bool leaves = watch->touching[i] && !watch->kept_shut[i]
                            && !run->instant->contacts.states[i].closed;
        double size = 0.0;
        const double fall = leaves ? -gap_acceleration(run, i, &size) : 0.0;
        const bool low = turns_within(speed, -fall, run->options.atol);
        bool stops = false;
        KAL_TRY(low ? end_bounces(run, i, speed, fall) : KAL_OK);
        KAL_TRY(find_low_slip(run, i, &stops));
        *out_any = *out_any || low || stops;
    }
    return KAL_OK;
}

// An impact, and again with those plastic or kept shut whose rebounds are too low to follow:
// in each round there is one more, so it ends.
static KalStatus strike(KalRun *run, double *out_lost)
{
    KalContactWatch *watch = &run->contacts;
    KalInstant *instant = run->instant;
    const size_t size = (size_t)run->system->n * sizeof(double);
    bool again = true;
    memcpy(watch->kept, kal_instant_qd(instant), size);
    for (size_t i = 0; i < count_contacts(run); i++) {
        const bool near = watch->hit[i] && stayed_near(run, i);
        watch->plastic[i] =
            watch->hit[i] && (piles_up(run, i) || near || watch->rests[i]);
        watch->kept_shut[i] = false;
        watch->held[i] = false;
        watch->loose[i] = false;
    }
    watch->rest = 0.0;
    while (again) {
        memcpy(kal_instant_qd(instant), watch->kept, size);
        const KalStrike who = {watch->touching, watch->plastic, watch->kept_shut,
                               watch->held, watch->loose};
        KAL_TRY(kal_contacts_strike(instant, &who, out_lost));
        KAL_TRY(close_slow(run));
        KAL_TRY(kal_contacts_decide(instant, kal_run_still(run)));
        KAL_TRY(find_low_rebounds(run, &again));
    }
    for (size_t i = 0; i < count_contacts(run); i++) {
        const bool closed = instant->contacts.states[i].closed;
        const double before = watch->hit[i] ? 0.0 : watch->rebound[i];
        watch->rebound[i] = closed ? INFINITY : fmax(before, watch->settles[i]);
        watch->settles[i] = run->t + (watch->plastic[i] ? watch->rest : 0.0);
    }
    return KAL_OK;
}

// Decisions that follow each other without pause have no end.
static KalStatus watch_chatter(KalRun *run)
{
    KalContactWatch *watch = &run->contacts;
    const double span = run->options.until - run->options.from;
    const bool close = run->t - watch->decided < CLOSE * span;
    size_t i = 0;
    watch->crowded = close ? watch->crowded + 1 : 0;
    watch->decided = run->t;
    if (watch->crowded < MOST_CROWDED) {
        return KAL_OK;
    }
    while (i + 1 < count_contacts(run) && !watch->touching[i]) {
        i++;
    }
    return kal_fail(run->ctx, KAL_ERR_CHATTER,
                    "contact %s opens and closes again and again at t = %.9g: it "
                    "chatters",
                    run->system->model->contacts[i].name, run->t);
}

// What is about to open or to slip, for its function has come to zero; where it is at this
// instant alone, the laws would let it go on.
static void note_ends(KalRun *run, const int *crossings)
{
    const KalModel *model = run->system->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i];
        KalContactState *state = &run->instant->contacts.states[i];
        const bool shares = kal_run_is_share(run, contact->gap);
        state->opens = crossings[FUNCTIONS * i] < 0 && state->acts && !shares;
        state->breaks = crossings[FUNCTIONS * i + 1] < 0 && holds(run, i) && !shares;
        state->strains = crossings[FUNCTIONS * i + 1] < 0 && holds(run, i) && shares;
        if (state->breaks || state->strains) {
            const KalContacts *c = &run->instant->contacts;
            const double *forces = state->strains ? c->sharing.held : c->own;
            const double fx = forces[c->place[contact->slip[0]]];
            const double fy =
                contact->n_slips > 1 ? forces[c->place[contact->slip[1]]] : 0.0;
            const double size = hypot(fx, fy);
            state->direction[0] = size > 0.0 ? -fx / size : 1.0;
            state->direction[1] = size > 0.0 ? -fy / size : 0.0;
        }
    }
}

static bool clear_ends(KalRun *run)
{
    bool any = false;
    for (size_t i = 0; i < count_contacts(run); i++) {
        KalContactState *state = &run->instant->contacts.states[i];
        any = any || state->opens || state->breaks || state->strains;
        state->opens = false;
        state->breaks = false;
        state->strains = false;
    }
    return any;
}

// Whether a rate of the solved instant is negative by more than rounding: that of a gap, or
// of a slip along a direction.
static bool falls(const KalRun *run, const int64_t *rows, const double *along,
                  int count)
{
    double size = 0.0;
    const double rate = kal_run_acceleration_along(run, rows, along, count, &size);
    return rate < -WRONG * size;
}

// Whether what was to open or to slip does so.
static KalStatus confirm_ends(KalRun *run, bool *out_good)
{
    static const double one = 1.0;
    const KalModel *model = run->system->model;
    *out_good = true;
    KAL_TRY(kal_run_solve(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i];
        const KalContactState *state = &run->instant->contacts.states[i];
        const int64_t slips[KAL_SLIPS] = {contact->slip[0], contact->slip[1]};
        if (state->opens) {
            *out_good = *out_good && !falls(run, &contact->gap, &one, 1);
        }
        if ((state->breaks || (state->strains && kal_run_follows_slip(run, i)))
            && state->closed) {
            *out_good = *out_good
                        && !falls(run, slips, state->direction, (int)contact->n_slips);
        }
    }
    return KAL_OK;
}

// What is left of slips that have come to rest is stopped before anything is decided: along other
// constraints it asks for accelerations, which would let nothing hold.  Slips that begin are not
// meant.
static KalStatus stop_creeping(KalRun *run)
{
    KalContactWatch *watch = &run->contacts;
    KalInstant *instant = run->instant;
    bool any = false;
    for (size_t i = 0; i < count_contacts(run); i++) {
        KalContactValues v;
        KAL_TRY(kal_contact_values(instant, i, &v));
        watch->held[i] = watch->touching[i] && watch->before[i].moves
                         && kal_run_creeps(run, i, hypot(v.slip[0], v.slip[1]));
        watch->plastic[i] = false;
        watch->kept_shut[i] = false;
        any = any || watch->held[i];
    }
    const KalStrike who = {watch->touching, watch->plastic, watch->kept_shut,
                           watch->held, watch->loose};
    return any ? kal_contacts_stop(instant, &who) : KAL_OK;
}

// Accelerations without an impact: first with what is about to end let go, if that is true
// then.
static KalStatus decide_accelerations(KalRun *run)
{
    KalInstant *instant = run->instant;
    bool good = false;
    run->solved = false;
    for (size_t i = 0; i < count_contacts(run); i++) {
        KalContactState *state = &instant->contacts.states[i];
        run->contacts.hit[i] = state->closed; // to come back to
        state->closed = state->closed && !state->opens;
    }
    const KalStatus status = kal_contacts_decide(instant, kal_run_still(run));
    if (status == KAL_OK) {
        KAL_TRY(confirm_ends(run, &good));
    }
    if (!clear_ends(run) || good) {
        return status;
    }
    for (size_t i = 0; i < count_contacts(run); i++) {
        instant->contacts.states[i].closed = run->contacts.hit[i];
    }
    run->solved = false;
    return kal_contacts_decide(instant, kal_run_still(run));
}

// At an event: gaps that close strike; without an impact only forces are decided on anew.
// An impact may change the energy, end slips, and leaves the run unsolved.
static KalStatus decide(KalRun *run, bool first)
{
    assert(run->contacts.before);
    KalContactWatch *watch = &run->contacts;
    KalInstant *instant = run->instant;
    double lost = 0.0;
    memcpy(watch->before, instant->contacts.states,
           count_contacts(run) * sizeof *watch->before);
    instant->contacts.slow = kal_run_slow(run);
    watch->sine = (double)NAN;
    kal_run_modes_loosen(run);
    KAL_TRY(look_at_gaps(run));
    KAL_TRY(pass_grazes(run));
    close_touching(run);
    for (size_t i = 0; i < count_contacts(run); i++) {
        watch->settles[i] = run->t;
    }
    if (!is_any_hit(run)) {
        KAL_TRY(first ? KAL_OK : stop_creeping(run));
        KAL_TRY(decide_accelerations(run));
        run->solved = false;
        return tell_all(run, first);
    }
    (void)clear_ends(run);
    KAL_TRY(strike(run, &lost));
    run->solved = false;
    run->statistics.energy_lost += lost;
    for (size_t i = 0; i < count_contacts(run); i++) {
        KAL_TRY(watch->hit[i] ? tell_impact(run, i, lost) : KAL_OK);
        KAL_TRY(watch->loose[i] ? tell_loose(run, i) : KAL_OK);
    }
    return tell_all(run, false);
}

KalStatus kal_run_contacts_start(KalRun *run)
{
    return count_contacts(run) > 0 ? decide(run, true) : KAL_OK;
}

KalStatus kal_run_contacts_review(KalRun *run)
{
    return count_contacts(run) > 0 ? decide(run, false) : KAL_OK;
}

KalStatus kal_run_contacts_apply(KalRun *run, const int *crossings)
{
    if (count_contacts(run) == 0) {
        return KAL_OK;
    }
    note_ends(run, crossings);
    KAL_TRY(decide(run, false));
    memset(run->contacts.rests, 0, count_contacts(run) * sizeof(bool));
    return watch_chatter(run);
}
