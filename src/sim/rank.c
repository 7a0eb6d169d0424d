// SPDX-License-Identifier: MIT

// Configurations in which constraints become dependent: noticed, foreseen, passed.
//
// Every solve tells how near its rows are to depending on each other.  As long as these
// sines, at all times that an integrator tried, lead nowhere, that is all there is to see.
// Otherwise the rows are looked at closely (nearness.c), and what was lost on the way is
// found (passage.c); in large systems one row is followed (nearness_large.c), and slopes are
// those that solves have seen.

#include "sim/rank_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// A run that fails at a sine below this is locked.
static const double LOCKED = 0.01;
// Below this rounding begins to choose the rows that depend on each other.
static const double CLEAR = 1e-4;
// The fast road, once it has led nowhere, is tried again when the sine is above this.
static const double APART = 0.25;

static double larger(double x, double y)
{
    return x > y ? x : y;
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
        kal_nearness_mark(run, watch->rank - 1);
    }
    note_least(watch, least);
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
    instant->ranks.n_independent = watch->rank;
    memcpy(instant->ranks.independent, run->projection.projector.order,
           (size_t)watch->rank * sizeof(int));
    kal_run_use_rows(run);
    run->careful = run->options.drift == KAL_DRIFT_PROJECT && !watch->confirmed;
}

// Look at the rows themselves, in the solved instant.
static KalStatus look_closely(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    kal_rows_note(run, fresh);
    kal_rows_weigh(run, fresh);
    kal_nearness_take(run);
    watch->revisit = INFINITY;
    watch->passed = fresh ? -INFINITY : watch->passed;
    watch->least = fresh ? INFINITY : watch->least;
    watch->turning = fresh ? 0.0 : watch->turning;
    watch->bends = watch->bends && !fresh;
    choose_rows(run, kal_nearness_rank(run), fresh);
    note_approach(run);
    return kal_nearness_foretell(run);
}

void kal_run_note_sine(KalRun *run, double sine)
{
    kal_run_note_sine_at(run, run->instant->variables[0], sine);
}

void kal_run_note_sine_at(KalRun *run, double t, double sine)
{
    KalRankWatch *watch = &run->rank;
    if (watch->blind
        || (run->complete
            && run->instant->ranks.n_independent < run->instant->n_active)) {
        return; // of no step, or of more rows than count
    }
    watch->seen[watch->n_seen++ % KAL_SINES_SEEN] = (KalSineSeen){t, sine};
}

void kal_run_note_sine_of_rows(KalRun *run, double t, double sine)
{
    KalRankWatch *watch = &run->rank;
    if (!watch->blind) {
        watch->seen[watch->n_seen++ % KAL_SINES_SEEN] = (KalSineSeen){t, sine};
    }
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
    const double drop = -kal_run_near_steps(run) * h * way.slope;
    if (!stay || run->horizon >= watch->revisit
        || !KAL_LEADS_NOWHERE(way.low, fall, way.longest, sine, drop)) {
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
    kal_rows_weigh(run, fresh);
    watch->revisit = INFINITY;
    watch->passed = fresh ? -INFINITY : watch->passed;
    watch->least = fresh ? INFINITY : watch->least;
    watch->turning = fresh ? 0.0 : KAL_TURN_PAST * watch->turning;
    choose_rows(run, run->answer.rank_A, fresh);
    kal_nearness_follow(run);
    watch->sine = fmin(run->answer.least_sine, watch->kept_sines[0]);
    watch->slope = fresh ? 0.0 : way.slope;
    watch->bends = false;
    watch->bend = 0.0;
    if (is_clear(watch, watch->sine)) {
        kal_nearness_mark_followed(run);
    }
    note_least(watch, watch->sine);
    return KAL_OK;
}

// Let rows lend their weights to M in the step to come, where M is singular.
static void lend_weights(KalRun *run)
{
    KalInstant *instant = run->instant;
    instant->ranks.lends =
        run->answer.rank_M < run->system->n && !instant->large.solver;
    if (instant->ranks.lends) {
        kal_projector_set_weights(&run->projection.projector);
        for (int i = 0; i < instant->n_active; i++) {
            // Of a row that is short here, and will be longer in the step.
            const double part = run->rank.known ? kal_rows_part_left(run, i) : 1.0;
            instant->ranks.weights[i] =
                run->projection.projector.weights[i] * part * part;
        }
    }
}

// Nothing can be lost where no row acts.
static void take_no_rows(KalRun *run)
{
    assert(run->instant->n_active == 0);
    run->instant->ranks.n_independent = 0;
    run->rank.confirmed = true;
    lend_weights(run);
}

// The decision at the end of a step: whether sines alone will do, or rows are looked at
// closely; and whether what was kept at the beginning tells of a passage since then.
static KalStatus watch_rows(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    watch->known = watch->known && run->instant->n_active > 0;
    if (run->instant->n_active == 0) {
        take_no_rows(run);
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
    if (!fresh && (watch->keeps || (close && !sparse)) && run->horizon > watch->t) {
        KAL_TRY(sparse ? kal_passage_find_followed(run) : kal_passage_find(run));
    }
    watch->keeps = false;
    watch->at_loss = watch->at_loss && close && !fresh;
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
    const bool simple = instant->ranks.n_independent == instant->n_active
                        && run->answer.rank_M == run->system->n;
    return simple && instant->bare && kal_return_rows(&instant->road)
               ? KAL_OK
               : kal_instant_need_givens(instant);
}

KalStatus kal_run_watch_rank(KalRun *run, bool fresh)
{
    assert(run->solved);
    KAL_TRY(kal_instant_ask(run->instant));
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
    char names[KAL_PASSAGE_NAMES];
    kal_passage_names(run, names);
    return kal_fail(run->ctx, KAL_ERR_STEP,
                    "the motion cannot go on after t = %.9g: the constraints %s become "
                    "dependent there and leave no way to go; the mechanism locks, or "
                    "is driven further than it reaches",
                    run->t, names);
}
