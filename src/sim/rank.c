// SPDX-License-Identifier: MIT

// Configurations in which constraints become dependent: noticed, reported, passed.
//
// Every solve tells how near its rows are to depending on each other.  As long as these
// sines, at all times that an integrator tried, lead nowhere, that is all there is to see.
// Otherwise the rows are looked at closely, theory (15.4) and (15.5); in large systems, where
// that would take matrices of m × n, one row is followed, and slopes are those that solves
// have seen.

#include "sim/run_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SEARCHES = 60, // of a loss of rank
    NAMES_SIZE = 600
};

// Rows are dependent when an angle has a sine below this.
static const double DEPENDENT = 1e-5;
// A run that fails at a sine below this is locked.
static const double LOCKED = 0.01;
// Below this rounding begins to choose the rows that depend on each other.
static const double CLEAR = 1e-4;
// The slope is taken over this part of a step.
static const double PART = 1e-5;
// The fast road, once it has led nowhere, is tried again when the sine is above this.
static const double APART = 0.25;

static double larger(double x, double y)
{
    return x > y ? x : y;
}

// The metric and the rows of the instant, whose givens are known.
static void take_rows(KalRun *run)
{
    kal_projector_set_metric(&run->projection.projector);
    kal_projector_set_rows(&run->projection.projector, NULL);
}

// Rank the rows; returns how many are independent.
static int rank_rows(KalRun *run)
{
    KalProjector *p = &run->projection.projector;
    int rank = 0;
    for (int i = 0; i < run->instant->n_active; i++) {
        const double weight = kal_rows_part_left(run, i); // long rows come first
        for (int j = 0; j < p->n; j++) {
            p->G[i * p->n + j] *= weight;
        }
    }
    kal_projector_rank(p, run->rank.sines);
    while (rank < run->instant->n_active && run->rank.sines[rank] > DEPENDENT) {
        rank++;
    }
    assert(rank <= p->n);
    kal_projector_set_rows(p, NULL);
    return rank;
}

// Take how near each row is to losing rank, theory (15.5), in the order of the last
// ranking: its sine, and what is left of it.  Returns the least.
static double measure(KalRun *run)
{
    assert(run->rank.rank >= 0 && run->rank.rank <= run->instant->n_active);
    KalRankWatch *watch = &run->rank;
    double least = 1.0;
    kal_projector_split(&run->projection.projector, watch->rank, watch->rests,
                        watch->sines);
    for (int k = 0; k < watch->rank; k++) {
        double *part = &watch->sines[run->system->m + k];
        *part = kal_rows_part_left(run, run->projection.projector.order[k]);
        least = fmin(least, fmin(*part, watch->sines[k]));
    }
    return least;
}

// Measure a little later, as velocities and accelerations go.  The givens are those of the instant again
// when this returns.
static KalStatus look_ahead(KalRun *run, double dt)
{
    assert(run->kept);
    double *v = run->instant->variables;
    const int n = run->system->n;
    const double t = v[0];
    memcpy(run->kept, kal_instant_q(run->instant), (size_t)n * sizeof(double));
    v[0] += dt;
    for (int i = 0; i < n; i++) {
        kal_instant_q(run->instant)[i] +=
            dt * (kal_instant_qd(run->instant)[i] + 0.5 * dt * run->answer.qdd[i]);
    }
    if (kal_instant_givens(run->instant) == KAL_OK) {
        kal_projector_set_rows(&run->projection.projector, NULL);
        (void)measure(run);
    }
    v[0] = t;
    memcpy(kal_instant_q(run->instant), run->kept, (size_t)n * sizeof(double));
    return kal_instant_givens(run->instant);
}

// Keep what rows have of their own here, to see later where it turns round.
static void keep_rests(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    watch->sine = measure(run);
    kal_projector_lift(&run->projection.projector, watch->rank, watch->rests);
    memcpy(watch->kept_sines, watch->sines,
           2 * (size_t)run->system->m * sizeof(double));
    memcpy(watch->kept_rests, watch->rests,
           (size_t)watch->rank * (size_t)run->system->n * sizeof(double));
    watch->keeps = true;
}

// Sines of the rows of the instant, with signs: negative where a row, less what lies in
// the span of others, has turned round.  Returns the least |cosine| of all that turned.
static double find_signed(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    take_rows(run);
    (void)measure(run);
    memcpy(watch->copy, watch->kept_rests,
           (size_t)watch->rank * (size_t)run->system->n * sizeof(double));
    return kal_projector_compare(&run->projection.projector, watch->rank, watch->copy,
                                 watch->rests, watch->sines);
}

// The lesser measure of the row at a place, with the sign of its sine.
static double signed_measure(const KalRun *run, const double *sines, int place)
{
    return copysign(fmin(fabs(sines[place]), sines[run->system->m + place]),
                    sines[place]);
}

// The same at a time in the last step.
static KalStatus find_signed_at(KalRun *run, double t, double *out_cosine)
{
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    *out_cosine = find_signed(run);
    return KAL_OK;
}

// A part of the last step; what rows had of their own at its beginning is kept.
typedef struct Stretch {
    double from, to;
} Stretch;

// A stretch of time at whose ends a sine has different signs.
typedef struct Bracket {
    double a;
    double b;
    double at_a; // > 0
    double at_b; // < 0
    int side;    // the end that moved last: -1, 1; 0: none did
} Bracket;

// Move one end of a bracket to t.  Illinois: where the same end moves twice in a row, the
// value at the other is halved, so that it moves soon.  Plain false position would leave it
// there.
static void narrow(Bracket *x, double t, double sine)
{
    assert(t > x->a && t < x->b);
    const int side = sine > 0.0 ? -1 : 1;
    const double kept = side == x->side ? 0.5 : 1.0; // of the end that stays
    if (side < 0) {
        *x = (Bracket){t, x->b, sine, kept * x->at_b, side};
    } else {
        *x = (Bracket){x->a, t, kept * x->at_a, sine, side};
    }
}

// The sine at a place, with its sign, at a time in the last step.
static KalStatus sine_at(KalRun *run, int place, double t, double *out_sine)
{
    double cosine = 0.0;
    KAL_TRY(find_signed_at(run, t, &cosine));
    *out_sine = signed_measure(run, run->rank.sines, place);
    return KAL_OK;
}

typedef KalStatus (*SineAt)(KalRun *run, int place, double t, double *out_sine);

// Where a sine with the values at the ends of a bracket passes through zero, by the
// Illinois method; where it jumps, *out_least stays large.
static KalStatus find_zero(KalRun *run, SineAt at, int place, Bracket x, double *out_t,
                           double *out_least)
{
    assert(x.at_a >= 0.0 && x.at_b <= 0.0);
    for (int k = 0; k < SEARCHES && 1e-4 * DEPENDENT < *out_least; k++) {
        const double t = x.a + (x.b - x.a) * (x.at_a / (x.at_a - x.at_b));
        double sine = 0.0;
        if (!(t > x.a && t < x.b)) {
            break;
        }
        KAL_TRY(at(run, place, t, &sine));
        narrow(&x, t, sine);
        *out_least = fabs(sine);
        *out_t = t;
    }
    return KAL_OK;
}

// Those that the last of the ranking, from the place `rank` on, are or depend on.  A row that
// vanishes depends on no other.
static bool is_concerned(KalRun *run, int rank, int place)
{
    KalProjector *p = &run->projection.projector;
    bool concerned = place >= rank && place < run->rank.rank;
    for (int k = rank; k < run->rank.rank && place < rank && !concerned; k++) {
        concerned = kal_projector_takes_part(p, rank, k, place);
    }
    return concerned;
}

// Mark the rows that are about to become dependent, so that this rank is left.
static void mark_concerned(KalRun *run, int rank)
{
    assert(rank >= 0 && rank < run->rank.rank);
    for (int k = 0; k < run->instant->n_active; k++) {
        run->rank.concerned[run->projection.projector.order[k]] =
            is_concerned(run, rank, k);
    }
}

// The names of the rows that are marked.
static void list_names(const KalRun *run, char text[NAMES_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < run->instant->n_active && used < NAMES_SIZE; i++) {
        if (run->rank.concerned[i]) {
            used += (size_t)snprintf(text + used, NAMES_SIZE - used, "%s%s",
                                     used > 0 ? ", " : "", run->instant->row_names[i]);
        }
    }
}

// Whether it is clear which rows are about to become dependent: further on velocities may
// grow beyond all bounds, and rounding with them.
static bool is_clear(const KalRankWatch *watch, double least)
{
    return least < LOCKED && (least > CLEAR || watch->least > LOCKED);
}

static void note_least(KalRankWatch *watch, double least)
{
    watch->locks = least < CLEAR || (least < LOCKED && least < watch->least);
    watch->least = least;
}

// Note which rows are about to become dependent.
static void note_approach(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    const double least = watch->rank > 0 ? watch->sines[watch->rank - 1] : 1.0;
    if (is_clear(watch, least)) {
        mark_concerned(run, watch->rank - 1);
    }
    note_least(watch, least);
}

// Report that the rank of the rows that are marked was lost at t.
static KalStatus tell_passage(KalRun *run, double t)
{
    char text[NAMES_SIZE];
    list_names(run, text);
    run->rank.passed = t;
    run->statistics.passages++;
    return kal_run_tell(run, t, (KalSubject){KAL_INCIDENT_PASSAGE, text},
                        "the constraints %s become dependent for an instant and the "
                        "motion passes",
                        text);
}

// Report that rank was lost at t, if it was: with another choice of rows too.
static KalStatus report(KalRun *run, double t)
{
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    take_rows(run);
    const int rank = rank_rows(run);
    if (rank >= run->rank.rank) {
        return KAL_OK;
    }
    mark_concerned(run, rank);
    return tell_passage(run, t);
}

// Whether a time is that of a loss of rank that was found before.
static bool is_known(const KalRun *run, int count, double t)
{
    assert(count >= 0);
    const double near = 1e-3 * (run->horizon - run->rank.t);
    bool known = t - run->rank.passed < near;
    for (int i = 0; i < count; i++) {
        known = known || fabs(t - run->rank.zeros[i]) < near;
    }
    return known;
}

// Find when in a stretch the rows whose end_sines are negative lost rank; *out_left: any is.
static KalStatus find_zeros(KalRun *run, Stretch stretch, int *out_count,
                            bool *out_left)
{
    KalRankWatch *watch = &run->rank;
    KalStatus status = KAL_OK;
    for (int k = 0; k < watch->rank && status == KAL_OK; k++) {
        double t = 0.0;
        double least = 1.0;
        if (watch->end_sines[k] < 0.0) {
            const Bracket x = {stretch.from, stretch.to,
                               signed_measure(run, watch->kept_sines, k),
                               signed_measure(run, watch->end_sines, k), 0};
            status = find_zero(run, sine_at, k, x, &t, &least);
            *out_left = true;
        }
        if (least < DEPENDENT && *out_count < run->system->m
            && !is_known(run, *out_count, t)) {
            watch->zeros[(*out_count)++] = t;
        }
    }
    return status;
}

// Come back to the horizon, with rows.
static KalStatus come_back(KalRun *run)
{
    KAL_TRY(kal_run_look(run, run->horizon));
    return kal_instant_need_givens(run->instant);
}

// Halve a stretch until what rows have of their own has turned by little in it, or nearly
// round: signs of a turn by more than a right angle and a passage through zero cancel.
static KalStatus halve(KalRun *run, double cosine, Stretch *stretch, bool *out_left)
{
    const double shortest = 0x1p-6 * (run->horizon - run->rank.t);
    while (cosine < 0.5 && stretch->to - stretch->from > 2.0 * shortest) {
        stretch->to = stretch->from + 0.5 * (stretch->to - stretch->from);
        KAL_TRY(find_signed_at(run, stretch->to, &cosine));
        *out_left = true;
    }
    return KAL_OK;
}

static KalStatus go_on(KalRun *run, Stretch *stretch, double *out_cosine)
{
    KAL_TRY(find_signed_at(run, stretch->to, out_cosine));
    const double sine = run->rank.sine;
    keep_rests(run);
    run->rank.sine = sine; // at the horizon
    *stretch = (Stretch){stretch->to, run->horizon};
    return find_signed_at(run, stretch->to, out_cosine);
}

// Find where rows have turned round since they were kept, and report what that was.  The
// instant is solved at the horizon, and is so again.
static KalStatus pass(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    Stretch stretch = {watch->t, run->horizon};
    int count = 0;
    bool left = false;
    double cosine = find_signed(run);
    for (bool done = false; !done;) {
        KAL_TRY(halve(run, cosine, &stretch, &left));
        memcpy(watch->end_sines, watch->sines,
               2 * (size_t)run->system->m * sizeof(double));
        KAL_TRY(find_zeros(run, stretch, &count, &left));
        done = stretch.to >= run->horizon;
        KAL_TRY(done ? KAL_OK : go_on(run, &stretch, &cosine));
    }
    for (int i = 0; i < count; i++) {
        KAL_TRY(report(run, watch->zeros[i]));
    }
    return left ? come_back(run) : KAL_OK;
}

// How fast an angle turns whose sine is known, theory (15.10); where it is about a right
// one that cannot be told.
static double turning_of(double sine, double slope)
{
    const double cosine = sqrt(fmax(1.0 - sine * sine, 0.0));
    return cosine > 1e-3 ? fabs(slope) / cosine : 0.0;
}

// Take the slopes of what was kept in the instant, whose rows were ranked.  What comes to
// zero first counts; if nothing does, what is least.
static KalStatus take_slope(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    const double h = run->horizon - run->step.t_old;
    const double dt = h > 0.0 ? PART * h : 1e-6 * (run->options.until - run->t);
    double first = INFINITY;
    keep_rests(run);
    if (!watch->bends) { // the bends follow from a second look
        KAL_TRY(look_ahead(run, 2.0 * dt));
        memcpy(watch->end_sines, watch->sines,
               2 * (size_t)run->system->m * sizeof(double));
    }
    KAL_TRY(look_ahead(run, dt));
    watch->slope = 0.0;
    watch->bend = 0.0;
    watch->turning *= KAL_TURN_PAST;
    for (int i = 0; i < 2 * watch->rank && dt > 0.0; i++) {
        const int k = i % watch->rank + (i < watch->rank ? 0 : run->system->m);
        const double sine = watch->kept_sines[k];
        const double slope = (watch->sines[k] - sine) / dt;
        const double next = (watch->end_sines[k] - watch->sines[k]) / dt;
        const double bend = watch->bends ? kal_run_find_bend(run, k, sine, slope)
                            : h > 0.0    ? 0.0
                                         : kal_low_bend(sine, (next - slope) / dt);
        const double distance = kal_distance_to_zero(sine, slope, bend);
        watch->turning = fmax(watch->turning, turning_of(sine, slope));
        watch->slopes[k] = slope;
        if (distance < first) {
            first = distance;
            watch->sine = sine;
            watch->slope = slope;
            watch->bend = bend;
        }
    }
    watch->bends = dt > 0.0;
    return KAL_OK;
}

// Let the rows that count be the first of the ranking.
static void choose_rows(KalRun *run, int rank, bool fresh)
{
    assert(rank >= 0 && rank <= run->instant->n_active);
    KalRankWatch *watch = &run->rank;
    KalInstant *instant = run->instant;
    const bool gained = !fresh && rank > watch->rank;
    watch->rank = fresh || gained ? rank : watch->rank;
    // What depends on others in one instant need not in the next.
    watch->confirmed = watch->rank == instant->n_active || (!fresh && !gained);
    instant->n_independent = watch->rank;
    memcpy(instant->independent, run->projection.projector.order,
           (size_t)watch->rank * sizeof(int));
    kal_run_use_rows(run);
    run->careful = run->options.drift == KAL_DRIFT_PROJECT && !watch->confirmed;
}

// Look at the rows as they were at the last look, which was not a close one.
static KalStatus look_back(KalRun *run)
{
    KAL_TRY(kal_run_visit(run, run->rank.t));
    KAL_TRY(kal_instant_givens(run->instant));
    take_rows(run);
    keep_rests(run);
    return come_back(run);
}

// Look at the rows themselves, in the solved instant.
static KalStatus look_closely(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    take_rows(run);
    watch->passed = fresh ? -INFINITY : watch->passed;
    kal_rows_note(run, fresh);
    watch->least = fresh ? INFINITY : watch->least;
    watch->turning = fresh ? 0.0 : watch->turning;
    watch->bends = watch->bends && !fresh;
    choose_rows(run, rank_rows(run), fresh);
    note_approach(run);
    return take_slope(run);
}

void kal_run_note_sine(KalRun *run, double sine)
{
    kal_run_note_sine_at(run, run->instant->variables[0], sine);
}

void kal_run_note_sine_at(KalRun *run, double t, double sine)
{
    KalRankWatch *watch = &run->rank;
    if (watch->blind
        || (run->complete && run->instant->n_independent < run->instant->n_active)) {
        return; // of no step, or of more rows than count
    }
    watch->seen[watch->n_seen++ % KAL_SINES_SEEN] = (KalSineSeen){t, sine};
}

// The sines that were seen since the last look, in the order of time; returns how many.
static int sort_seen(const KalRun *run, KalSineSeen *out_seen)
{
    const KalRankWatch *watch = &run->rank;
    int count = 0;
    const unsigned long seen = (unsigned long)watch->n_seen;
    const unsigned long first = seen < KAL_SINES_SEEN ? 0 : seen - KAL_SINES_SEEN;
    for (unsigned long i = first; i < seen; i++) {
        const KalSineSeen next = watch->seen[i % KAL_SINES_SEEN];
        int k = count;
        if (!(next.t >= watch->t && next.t <= run->horizon)) {
            continue;
        }
        for (; k > 0 && out_seen[k - 1].t > next.t; k--) {
            out_seen[k] = out_seen[k - 1];
        }
        assert(k == 0 || out_seen[k - 1].t <= next.t);
        out_seen[k] = next;
        count++;
    }
    return count;
}

// The sines of a stretch of time: how low and how steep they were.
typedef struct Way {
    double low;
    double steep;
    double longest; // time between two of them
    double slope;   // at the end
} Way;

// How low and how steep sines were, from those that were seen in the order of time.  Sines
// closer to each other than a tenth of the step give no slope: they differ by rounding.
static Way follow(const KalSineSeen *seen, int count, double h)
{
    assert(count >= 0 && count <= KAL_SINES_SEEN);
    Way way = {.low = count > 1 ? 1.0 : 0.0};
    int before = count - 2; // far enough away to take a slope from
    while (before > 0 && seen[count - 1].t - seen[before].t < 0.1 * h) {
        before--;
    }
    for (int i = 0; i < count; i++) {
        const double dt = i > 0 ? seen[i].t - seen[i - 1].t : 0.0;
        const double change = i > 0 ? fabs(seen[i].sine - seen[i - 1].sine) : 0.0;
        const double within = larger(dt, 0.1 * h);
        way.longest = larger(way.longest, dt);
        way.steep = change > way.steep * within ? change / within : way.steep;
        way.low = seen[i].sine < way.low ? seen[i].sine : way.low;
    }
    if (before >= 0) {
        way.slope = (seen[count - 1].sine - seen[before].sine)
                    / (seen[count - 1].t - seen[before].t);
    }
    return way;
}

// Whether the sines seen on the way to the horizon lead nowhere near zero: neither between
// them nor in the steps to come.  If so they are what the watch knows.
static bool leads_nowhere(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    KalSineSeen seen[KAL_SINES_SEEN];
    const double h = run->horizon - watch->t;
    const int count = sort_seen(run, seen);
    const Way way = follow(seen, count, h);
    const double sine = run->answer.least_sine;
    double most = 0.0;
    kal_rows_note(run, false);
    const bool stay = kal_rows_stay(run, &most);
    const double fall = larger(KAL_STEEPER * way.steep, KAL_ROW_STEEPER * most / h);
    if (!stay || !(way.low > KAL_LOW_SINE) || way.low < 0.5 * fall * way.longest
        || sine + kal_run_near_steps(run) * h * way.slope < 0.0) {
        return false;
    }
    watch->turning = fmax(KAL_TURN_PAST * watch->turning, most / h);
    watch->least = INFINITY;
    watch->locks = false;
    watch->sine = sine;
    watch->slope = way.slope;
    watch->bends = false;
    watch->bend = 0.0;
    return true;
}

// Mark the row that is followed in a large system, and those that it depends on.
static void mark_partners(KalRun *run)
{
    memset(run->rank.concerned, 0, (size_t)run->system->m * sizeof(bool));
    const int count =
        kal_large_instant_partners(run->instant, run->rank.followed, run->rank.near);
    for (int k = 0; k < count; k++) {
        assert(run->rank.near[k] < run->instant->n_active);
        run->rank.concerned[run->rank.near[k]] = true;
    }
}

// What the row that is followed has of its own, by the last factors, and how much that is:
// the lesser of the sine and of what is left of the row.
static double find_rest(KalRun *run, double *out_rest)
{
    const int row = run->rank.followed;
    return fmin(kal_large_instant_rest(run->instant, row, out_rest),
                kal_rows_part_left(run, row));
}

// The same with a sign: negative where it has turned round since it was kept.
static double signed_rest(KalRun *run)
{
    const KalRankWatch *watch = &run->rank;
    const double *masses = run->projection.projector.masses;
    const double rest = find_rest(run, watch->rests);
    double product = 0.0;
    for (int j = 0; j < run->system->n; j++) {
        product += watch->rests[j] * watch->kept_rests[j] / masses[j];
    }
    return product < 0.0 ? -rest : rest;
}

// The same at a time in the last step.
static KalStatus rest_at(KalRun *run, int place, double t, double *out_sine)
{
    (void)place; // one row is followed
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    KAL_TRY(kal_large_instant_factor(run->instant));
    *out_sine = signed_rest(run);
    return KAL_OK;
}

// Find where the row that is followed has turned round, and report that.  The instant is
// solved at the horizon, and is so again.
static KalStatus pass_large(KalRun *run)
{
    const double ends[] = {run->rank.kept_sines[0], signed_rest(run)};
    double t = 0.0;
    double least = 1.0;
    if (!(ends[1] < 0.0)) {
        return KAL_OK;
    }
    const Bracket x = {run->rank.t, run->horizon, ends[0], ends[1], 0};
    KAL_TRY(find_zero(run, rest_at, 0, x, &t, &least));
    if (least < DEPENDENT && !is_known(run, 0, t)) {
        mark_partners(run);
        KAL_TRY(tell_passage(run, t));
    }
    return come_back(run);
}

// Choose the row to follow: the one that is nearest to depending on others, or to
// vanishing.  What it has of its own is kept.
static void follow_row(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    double least = INFINITY;
    kal_large_instant_sines(run->instant, watch->sines);
    for (int i = 0; i < run->instant->n_active; i++) {
        const double measure = fmin(watch->sines[i], kal_rows_part_left(run, i));
        watch->followed = measure < least ? i : watch->followed;
        least = fmin(least, measure);
    }
    watch->kept_sines[0] = find_rest(run, watch->kept_rests);
    watch->keeps = true;
}

// Look at the rows of a large system.  Which of them count is what the last solve of all
// left in.  The order of elimination stays the same, and so the sine of each row, between
// it and the rows before it, is a continuous function of time; how the least of them changes
// is what the solves of the last step have seen.
static KalStatus look_at_factors(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    KalSineSeen seen[KAL_SINES_SEEN];
    const Way way = follow(seen, sort_seen(run, seen), run->horizon - watch->t);
    KAL_TRY(run->complete ? KAL_OK : kal_run_solve(run));
    if (fresh || run->answer.rank_A > watch->rank) {
        (void)kal_large_instant_independent(run->instant,
                                            run->projection.projector.order);
    }
    kal_rows_note(run, fresh);
    watch->passed = fresh ? -INFINITY : watch->passed;
    watch->least = fresh ? INFINITY : watch->least;
    watch->turning = fresh ? 0.0 : KAL_TURN_PAST * watch->turning;
    choose_rows(run, run->answer.rank_A, fresh);
    follow_row(run);
    watch->sine = fmin(run->answer.least_sine, watch->kept_sines[0]);
    watch->slope = fresh ? 0.0 : way.slope;
    watch->bends = false;
    watch->bend = 0.0;
    if (is_clear(watch, watch->sine)) {
        mark_partners(run);
    }
    note_least(watch, watch->sine);
    return KAL_OK;
}

// Let rows lend their weights to M in the step to come, where M is singular.
static void lend_weights(KalRun *run)
{
    KalInstant *instant = run->instant;
    instant->lends = run->answer.rank_M < run->system->n && !instant->large.solver;
    if (instant->lends) {
        kal_projector_set_weights(&run->projection.projector);
        for (int i = 0; i < instant->n_active; i++) {
            // Of a row that is short here, and will be longer in the step.
            const double part = run->rank.known ? kal_rows_part_left(run, i) : 1.0;
            instant->weights[i] = run->projection.projector.weights[i] * part * part;
        }
    }
}

// A row alone, if there is one, is independent as long as it is anything.
static void take_one_row(KalRun *run)
{
    KalInstant *instant = run->instant;
    assert(instant->n_active <= 1);
    instant->n_independent = instant->n_active;
    if (instant->n_active > 0) {
        instant->independent[0] = 0;
    }
    run->rank.confirmed = run->answer.rank_A == instant->n_active;
    lend_weights(run);
}

// The decision at the end of a step: whether sines alone will do, or rows are looked at
// closely; and whether what was kept at the beginning tells of a passage since then.
static KalStatus watch_rows(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    watch->known = watch->known && run->instant->n_active > 1;
    if (run->instant->n_active < 2) {
        take_one_row(run);
        return KAL_OK;
    }
    if (!run->projection.has_velocity) {
        return KAL_OK;
    }
    if (!kal_rows_agree(run)) {
        watch->confirmed = false;
    }
    fresh = fresh || !watch->known;
    const bool close = fresh || !watch->confirmed || !leads_nowhere(run);
    const bool sparse = run->instant->large.solver;
    KAL_TRY(close || watch->keeps ? kal_instant_need_givens(run->instant) : KAL_OK);
    if (!fresh && sparse && watch->keeps && run->horizon > watch->t) {
        KAL_TRY(pass_large(run));
    } else if (!fresh && !sparse && (close || watch->keeps)
               && run->horizon > watch->t) {
        KAL_TRY(watch->keeps ? KAL_OK : look_back(run));
        KAL_TRY(pass(run));
    }
    watch->keeps = false;
    if (close) {
        KAL_TRY(sparse ? look_at_factors(run, fresh) : look_closely(run, fresh));
    }
    lend_weights(run);
    kal_rows_keep(run);
    watch->known = true;
    watch->t = run->horizon;
    return KAL_OK;
}

// Get A of the solved instant, which is all there is to look at as long as no loss of rank
// is near; but rows that were left out are compared with b, and M where rows lend it
// weights.
static KalStatus need_rows(KalRun *run)
{
    KalInstant *instant = run->instant;
    const bool simple = instant->n_independent == instant->n_active
                        && run->answer.rank_M == run->system->n;
    return simple && instant->bare && kal_return_rows(&instant->road)
               ? KAL_OK
               : kal_instant_need_givens(instant);
}

KalStatus kal_run_watch_rank(KalRun *run, bool fresh)
{
    assert(run->solved);
    KAL_TRY(need_rows(run));
    KAL_TRY(watch_rows(run, fresh));
    if (run->instant->large.solver) {
        return KAL_OK; // its equations are too long for the fast road
    }
    kal_road_choose(&run->instant->road);
    if (fresh || run->answer.least_sine > APART) {
        run->instant->road.closed = false;
    }
    kal_road_make(&run->instant->road, fresh);
    return KAL_OK;
}

// That no step succeeds is what is seen; that rows lose rank is why, and is told instead.
KalStatus kal_run_explain_lock(KalRun *run, KalStatus status)
{
    const KalRankWatch *watch = &run->rank;
    const bool numeric = status == KAL_ERR_STEP || status == KAL_ERR_CONTRADICTION
                         || status == KAL_ERR_FORMULATION;
    if (!numeric || !watch->known || !watch->locks) {
        return status;
    }
    char names[NAMES_SIZE];
    list_names(run, names);
    return kal_fail(run->ctx, KAL_ERR_STEP,
                    "the motion cannot go on after t = %.9g: the constraints %s become "
                    "dependent there and leave no way to go; the mechanism locks, or "
                    "is driven further than it reaches",
                    run->t, names);
}
