// SPDX-License-Identifier: MIT

// Configurations in which constraints become dependent: noticed, reported, passed.

#include "sim/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SEARCHES = 60, // of a minimum
    NAMES_SIZE = 600
};

// Rows are dependent when an angle has a sine below this.
static const double DEPENDENT = 1e-5;
// Accelerations are taken on the constraints only while a sine is below this.
static const double CAREFUL = 0.2;
// And below this when all coordinates weigh the same.
static const double PLAIN = 1e-3;
// A run that fails at a sine below this is locked.
static const double LOCKED = 0.01;
// Rows that were never longer than this part of the longest are rounding.
static const double ROUNDING = 1e-12;
// The slope is taken over this part of a step.
static const double PART = 1e-5;

// How long a row is, compared with the longest that it was.
static double relative_length(const KalRun *run, int i)
{
    const double scale = run->projector.S[i];
    const double longest = run->rank.lengths[i];
    if (!(longest > 0.0)) {
        return 1.0; // it never was anything
    }
    if (longest < ROUNDING * run->rank.longest) {
        return 0.0; // nor was this
    }
    return scale > 0.0 ? fmin(1.0 / (scale * longest), 1.0) : 0.0;
}

// How near the instant's rows are to losing rank: the least sine in the order of the last
// ranking, or a row that vanishes, theory (15.5).
static double least_sine(KalRun *run)
{
    kal_projector_set_rows(&run->projector);
    double least = kal_projector_least_sine(&run->projector, run->rank.rank);
    for (int k = 0; k < run->rank.rank; k++) {
        least = fmin(least, relative_length(run, run->projector.order[k]));
    }
    return least;
}

static void note_lengths(KalRun *run, bool fresh)
{
    kal_projector_set_rows(&run->projector);
    run->rank.longest = fresh ? 0.0 : run->rank.longest;
    for (int i = 0; i < run->instant->n_active; i++) {
        const double scale = run->projector.S[i];
        const double length = scale > 0.0 ? 1.0 / scale : 0.0;
        double *longest = &run->rank.lengths[i];
        *longest = fresh ? length : fmax(*longest, length);
        run->rank.longest = fmax(run->rank.longest, *longest);
    }
}

// Rank the instant's rows; answers how many are independent.
static int rank_rows(KalRun *run)
{
    const int n = run->system->n;
    int rank = 0;
    kal_projector_set_rows(&run->projector);
    for (int i = 0; i < run->instant->n_active; i++) {
        const double weight = relative_length(run, i); // long rows come first
        for (int j = 0; j < n; j++) {
            run->projector.G[(size_t)i * (size_t)n + (size_t)j] *= weight;
        }
    }
    kal_projector_rank(&run->projector, run->rank.sines);
    while (rank < run->instant->n_active && run->rank.sines[rank] > DEPENDENT) {
        rank++;
    }
    return rank;
}

// The sine a little later, as the velocities go.  The givens are those of the instant
// again when this returns.
static KalStatus look_ahead(KalRun *run, double dt, double *out_sine)
{
    double *v = run->instant->variables;
    const int n = run->system->n;
    const double t = v[0];
    memcpy(run->kept, kal_instant_q(run->instant), (size_t)n * sizeof(double));
    v[0] += dt;
    for (int i = 0; i < n; i++) {
        kal_instant_q(run->instant)[i] += dt * kal_instant_qd(run->instant)[i];
    }
    const KalStatus status = kal_instant_givens(run->instant);
    if (status == KAL_OK) {
        *out_sine = least_sine(run);
    }
    v[0] = t;
    memcpy(kal_instant_q(run->instant), run->kept, (size_t)n * sizeof(double));
    KAL_TRY(kal_instant_givens(run->instant));
    return KAL_OK;
}

// The metric in which ranks are judged; projections then need theirs again.
static void take_round_metric(KalRun *run)
{
    kal_projector_set_round_metric(&run->projector);
    run->metric_known = false;
}

// The sine at a time in the last step.
static KalStatus sine_at(KalRun *run, double t, double *out_sine)
{
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_givens(run->instant));
    take_round_metric(run);
    *out_sine = least_sine(run);
    return KAL_OK;
}

// Where the sine is least since it was looked at last, by golden sections; they end when
// it cannot come to zero, for it is no steeper than that.
static KalStatus find_least(KalRun *run, double steep, double *out_t, double *out_sine)
{
    const double part = 0.6180339887498949;
    double a = run->rank.t;
    double b = run->horizon;
    double t[2] = {b - part * (b - a), a + part * (b - a)};
    double f[2];
    KAL_TRY(sine_at(run, t[0], &f[0]));
    KAL_TRY(sine_at(run, t[1], &f[1]));
    for (int k = 0; k < SEARCHES && f[0] > 0.0 && f[1] > 0.0; k++) {
        if (fmin(f[0], f[1]) > steep * (b - a) + DEPENDENT) {
            break;
        }
        const int worse = f[0] < f[1] ? 1 : 0;
        if (worse) {
            b = t[1];
        } else {
            a = t[0];
        }
        t[worse] = t[1 - worse];
        f[worse] = f[1 - worse];
        t[1 - worse] = worse ? b - part * (b - a) : a + part * (b - a);
        if (!(t[0] < t[1])) {
            break;
        }
        KAL_TRY(sine_at(run, t[1 - worse], &f[1 - worse]));
    }
    const int better = f[0] < f[1] ? 0 : 1;
    *out_t = t[better];
    return sine_at(run, t[better], out_sine);
}

// Rows that vanish, or that the last of the ranking depends on.
static bool is_concerned(KalRun *run, int place)
{
    const int last = run->rank.rank - 1;
    const int row = run->projector.order[place];
    for (int i = 0; i < run->instant->n_active; i++) {
        if (relative_length(run, i) < DEPENDENT) {
            return relative_length(run, row) < DEPENDENT;
        }
    }
    return place == last
           || (place < last && kal_projector_takes_part(&run->projector, last, place));
}

// The names of rows that are about to become dependent.
static void list_names(KalRun *run, char text[NAMES_SIZE])
{
    const KalProjector *projector = &run->projector;
    size_t used = 0;
    text[0] = '\0';
    (void)rank_rows(run);
    for (int k = 0; k < run->instant->n_active && used < NAMES_SIZE; k++) {
        if (is_concerned(run, k)) {
            used += (size_t)snprintf(text + used, NAMES_SIZE - used, "%s%s",
                                     used > 0 ? ", " : "",
                                     run->instant->row_names[projector->order[k]]);
        }
    }
}

static KalStatus report(KalRun *run, double t)
{
    char text[NAMES_SIZE];
    list_names(run, text);
    run->statistics.passages++;
    return kal_run_tell(run, t,
                        "the constraints %s become dependent for an instant and the "
                        "motion passes",
                        text);
}

// Whether the sine may have been low since it was looked at last: one of the straight
// lines at both ends, made steeper, for the sine has kinks, leads there.
static bool was_low(const KalRankWatch *old, double t, double sine, double slope)
{
    const double reach = 3.0 * (t - old->t);
    return fmin(old->sine + reach * old->slope, sine - reach * slope) < KAL_LOW_SINE;
}

// Whether the instant, which has the least sine, has dependent rows: with another choice
// of rows too, and not only because inertia vanishes and with it the metric.
static bool are_dependent(KalRun *run)
{
    double shortest = 1.0;
    (void)rank_rows(run);
    if (least_sine(run) >= DEPENDENT) {
        return false;
    }
    for (int k = 0; k < run->rank.rank; k++) {
        shortest = fmin(shortest, relative_length(run, run->projector.order[k]));
    }
    kal_projector_set_plain_metric(&run->projector);
    kal_projector_set_rows(&run->projector);
    kal_projector_rank(&run->projector, run->rank.sines);
    const double plain = run->rank.sines[run->rank.rank - 1];
    take_round_metric(run);
    return shortest < DEPENDENT || plain < PLAIN;
}

static KalStatus pass(KalRun *run, double sine, double slope)
{
    KalRankWatch *watch = &run->rank;
    const double h = run->horizon - watch->t;
    const double steep = 3.0 * fmax(watch->turning, fmax(-watch->slope, slope));
    double t = 0.0;
    double least = 0.0;
    if (!(h > 0.0) || !was_low(watch, run->horizon, sine, slope)) {
        return KAL_OK;
    }
    KAL_TRY(find_least(run, steep, &t, &least));
    if (least < DEPENDENT && are_dependent(run) && !(t - watch->passed < 1e-3 * h)) {
        watch->passed = t;
        KAL_TRY(report(run, t));
    }
    return kal_run_look(run, run->horizon);
}

bool kal_run_foresee(const KalRun *run, double *out_distance)
{
    const KalRankWatch *watch = &run->rank;
    const double near = run->stiff ? 30.0 : 4.0; // steps
    if (!watch->known || watch->t != run->t || !(watch->slope < 0.0)
        || run->options.drift != KAL_DRIFT_PROJECT) {
        return false;
    }
    const double distance = watch->sine / -watch->slope;
    const bool is_near = isfinite(run->tried) || watch->sine < KAL_LOW_SINE
                         || distance < near * run->statistics.step;
    const bool is_ahead = distance > 1e-9 * fmax(fabs(run->t), run->statistics.step);
    const bool is_in_time = run->t + distance < run->options.until;
    *out_distance = distance;
    return is_near && is_ahead && is_in_time;
}

// How fast the angle turns whose sine is known; where it is about a right one that cannot
// be told, and the past counts: theory (15.10).
static double turning_of(const KalRankWatch *old, double sine, double slope)
{
    const double cosine = sqrt(fmax(1.0 - sine * sine, 0.0));
    const double past = old->known ? 0.7 * old->turning : 0.0;
    return cosine > 1e-6 ? fmax(fabs(slope) / cosine, past) : past;
}

KalStatus kal_run_watch_rank(KalRun *run, bool fresh)
{
    KalRankWatch *watch = &run->rank;
    const double h = fmax(run->horizon - run->step.t_old, 0.0);
    double later = 0.0;
    watch->known = watch->known && run->instant->n_active > 1;
    if (!run->has_velocity || run->instant->n_active < 2) {
        return KAL_OK;
    }
    take_round_metric(run);
    note_lengths(run, fresh);
    const int rank = rank_rows(run);
    const bool gained = rank > watch->rank;
    if (fresh || gained) {
        watch->rank = rank;
    }
    if (fresh) {
        watch->passed = -INFINITY;
    }
    run->instant->n_independent = watch->rank;
    memcpy(run->instant->independent, run->projector.order,
           (size_t)watch->rank * sizeof(int));
    const double sine = least_sine(run);
    const double dt = h > 0.0 ? PART * h : 1e-6 * (run->options.until - run->t);
    KAL_TRY(look_ahead(run, dt, &later));
    const double slope = dt > 0.0 ? (later - sine) / dt : 0.0;
    if (!fresh && !gained && watch->known) {
        KAL_TRY(pass(run, sine, slope));
    }
    watch->turning = turning_of(watch, sine, slope);
    watch->known = true;
    watch->t = run->horizon;
    watch->sine = sine;
    watch->slope = slope;
    const double foreseen = fmin(sine, sine + 3.0 * h * slope);
    run->careful = run->options.drift == KAL_DRIFT_PROJECT
                   && (watch->rank < run->instant->n_active || foreseen < CAREFUL);
    return KAL_OK;
}

KalStatus kal_run_explain_lock(KalRun *run, KalStatus status)
{
    const KalRankWatch *watch = &run->rank;
    const bool numeric = status == KAL_ERR_STEP || status == KAL_ERR_CONTRADICTION
                         || status == KAL_ERR_FORMULATION;
    if (!numeric || !watch->known || watch->sine > LOCKED || watch->slope > 0.0
        || kal_run_look(run, run->t) != KAL_OK) {
        return status;
    }
    char names[NAMES_SIZE];
    take_round_metric(run);
    list_names(run, names);
    return kal_fail(run->ctx, KAL_ERR_STEP,
                    "the motion cannot go on after t = %.9g: the constraints %s become "
                    "dependent there and leave no way to go; the mechanism locks, or "
                    "is driven further than it reaches",
                    run->t, names);
}
