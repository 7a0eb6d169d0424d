// SPDX-License-Identifier: MIT

// Losses of rank in the last step: what rows have of their own has turned round since it was
// kept at its beginning.  When that was is found on the interpolated motion, and told.

#include "sim/bracket.h"
#include "sim/rank_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SEARCHES = 60 // of a loss of rank
};

// A part of the last step; what rows had of their own at its beginning is kept.
typedef struct Stretch {
    double from, to;
} Stretch;

// The measure of a row, with its sign, at a time in the last step.
typedef KalStatus (*SineAt)(KalRun *run, int place, double t, double *out_sine);

// The same at a time in the last step.
static KalStatus find_signed_at(KalRun *run, double t, double *out_cosine)
{
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    *out_cosine = kal_nearness_compare(run);
    return KAL_OK;
}

// The sine at a place, with its sign, at a time in the last step.
static KalStatus sine_at(KalRun *run, int place, double t, double *out_sine)
{
    double cosine = 0.0;
    KAL_TRY(find_signed_at(run, t, &cosine));
    *out_sine = run->rank.sines[place];
    return KAL_OK;
}

// The same at a time in the last step.
static KalStatus rest_at(KalRun *run, int place, double t, double *out_sine)
{
    (void)place; // one row is followed
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    KAL_TRY(kal_large_instant_factor(run->instant));
    *out_sine = kal_nearness_of_followed(run);
    return KAL_OK;
}

// Where a sine with the values at the ends of a bracket passes through zero, by the
// Illinois method; where it jumps, *out_least stays large.
static KalStatus find_zero(KalRun *run, SineAt at, int place, KalBracket x,
                           double *out_t, double *out_least)
{
    assert(x.at_a >= 0.0 && x.at_b <= 0.0);
    for (int k = 0; k < SEARCHES && 1e-4 * KAL_DEPENDENT < *out_least; k++) {
        const double t = kal_bracket_guess(&x);
        double sine = 0.0;
        if (!(t > x.a && t < x.b)) {
            break;
        }
        KAL_TRY(at(run, place, t, &sine));
        kal_bracket_narrow(&x, t, sine);
        *out_least = fabs(sine);
        *out_t = t;
    }
    return KAL_OK;
}

void kal_passage_names(const KalRun *run, char text[KAL_PASSAGE_NAMES])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < run->instant->n_active && used < KAL_PASSAGE_NAMES; i++) {
        if (run->rank.concerned[i]) {
            used += (size_t)snprintf(text + used, KAL_PASSAGE_NAMES - used, "%s%s",
                                     used > 0 ? ", " : "", run->instant->row_names[i]);
        }
    }
}

static int n_concerned(const KalRun *run)
{
    int count = 0;
    for (int i = 0; i < run->instant->n_active; i++) {
        count += run->rank.concerned[i];
    }
    return count;
}

KalStatus kal_passage_tell(KalRun *run, double t)
{
    char text[KAL_PASSAGE_NAMES];
    kal_passage_names(run, text);
    run->rank.passed = t;
    run->statistics.passages++;
    return kal_run_tell(
        run, t, (KalSubject){KAL_INCIDENT_PASSAGE, text},
        n_concerned(run) == 1
            ? "the constraint %s has no effect for an instant, for its row "
              "of A vanishes, and the motion passes"
            : "the constraints %s become dependent for an instant and the "
              "motion passes",
        text);
}

// Report that rank was lost at t, if it was: with another choice of rows too.
static KalStatus report(KalRun *run, double t)
{
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    kal_nearness_take(run);
    const int rank = kal_nearness_rank(run);
    if (rank >= run->rank.rank) {
        return KAL_OK;
    }
    kal_nearness_mark(run, rank);
    return kal_passage_tell(run, t);
}

// Whether a time is that of a loss of rank that was found before.
static bool is_known(const KalRun *run, int count, double t)
{
    assert(count >= 0);
    const double step = run->horizon - run->rank.t;
    const double near = fmax(1e-3 * step, 1e-9 * fabs(run->horizon));
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
            const KalBracket x = {stretch.from, stretch.to, watch->kept_sines[k],
                                  watch->end_sines[k], 0};
            status = find_zero(run, sine_at, k, x, &t, &least);
            *out_left = true;
        }
        if (least < KAL_DEPENDENT && *out_count < run->system->m
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
    kal_nearness_keep(run);
    run->rank.sine = sine; // at the horizon
    *stretch = (Stretch){stretch->to, run->horizon};
    return find_signed_at(run, stretch->to, out_cosine);
}

// Look at the rows as they were at the last look, which was not a close one.
static KalStatus look_back(KalRun *run)
{
    KAL_TRY(kal_run_visit(run, run->rank.t));
    KAL_TRY(kal_instant_givens(run->instant));
    kal_nearness_take(run);
    kal_nearness_keep(run);
    return come_back(run);
}

// Find where rows have turned round in the stretch since the last look.  Unless *out_left, those
// of the horizon are still taken.
static KalStatus find_turns(KalRun *run, bool *out_left)
{
    KalRankWatch *watch = &run->rank;
    KAL_TRY(watch->keeps ? KAL_OK : look_back(run));
    Stretch stretch = {watch->t, run->horizon};
    int count = 0;
    double cosine = kal_nearness_compare(run);
    for (bool done = false; !done;) {
        KAL_TRY(halve(run, cosine, &stretch, out_left));
        memcpy(watch->end_sines, watch->sines, (size_t)watch->rank * sizeof(double));
        KAL_TRY(find_zeros(run, stretch, &count, out_left));
        done = stretch.to >= run->horizon;
        KAL_TRY(done ? KAL_OK : go_on(run, &stretch, &cosine));
    }
    for (int i = 0; i < count; i++) {
        KAL_TRY(report(run, watch->zeros[i]));
    }
    return *out_left ? come_back(run) : KAL_OK;
}

// A step may end in the very instant of a loss of rank, where nothing has turned round yet; what
// turns in steps that begin there is rounding.  The measure fell to nothing in that step: a row
// that has become small little by little, as exp(-t) x' does, has its direction and acts.
static KalStatus report_end(KalRun *run, bool taken)
{
    static const double fall = 1e-3;
    KalRankWatch *watch = &run->rank;
    if (!taken) {
        kal_nearness_take(run);
    }
    const int rank = kal_nearness_rank(run);
    const bool known = watch->at_loss || is_known(run, 0, run->horizon);
    const double sine = rank < watch->rank ? watch->sines[watch->rank - 1] : 1.0;
    const bool fell = watch->at_loss || sine < fall * watch->sine;
    watch->at_loss = sine < KAL_LOST && fell;
    if (sine < KAL_LOST && !fell) {
        kal_rows_accept(run);
    }
    if (!watch->at_loss || known) {
        return KAL_OK;
    }
    kal_nearness_mark(run, rank);
    return kal_passage_tell(run, run->horizon);
}

KalStatus kal_passage_find(KalRun *run)
{
    bool left = run->rank.at_loss;
    KAL_TRY(left ? KAL_OK : find_turns(run, &left));
    return report_end(run, !left);
}

// In large systems one row is followed. Its sine has a sign, which changes where the row
// passes through the span of the others; between two ends of different sign there is a
// zero.
KalStatus kal_passage_find_followed(KalRun *run)
{
    assert(run->instant->large.solver);
    const double ends[] = {run->rank.kept_sines[0], kal_nearness_of_followed(run)};
    double t = 0.0;
    double least = 1.0;
    if (!(ends[1] < 0.0)) {
        return KAL_OK;
    }
    const KalBracket x = {run->rank.t, run->horizon, ends[0], ends[1], 0};
    KAL_TRY(find_zero(run, rest_at, 0, x, &t, &least));
    if (least < KAL_DEPENDENT && !is_known(run, 0, t)) {
        kal_nearness_mark_followed(run);
        KAL_TRY(kal_passage_tell(run, t));
    }
    return come_back(run);
}
