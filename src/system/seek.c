// SPDX-License-Identifier: MIT

// Positions that satisfy the constraints: the method of Levenberg and Marquardt from the
// guess and, where that ends elsewhere, from places about it.  Theory section 13.
//
// A step with little damping is one of Gauss–Newton, fast near a solution; damping grows
// where residuals do not fall, until the step is a short one downhill.  Other starts come
// from a counter-based generator (SplitMix64), so that the same model always has the same
// start.

#include "system/start.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    ITERATIONS = 200, // of one search
    NEAR = 12,        // of one that should not go far
    NEARER = 6,       // and in a large system
    SEARCHES = 120,   // from other starts
    FEW_SEARCHES = 6, // in a large system, where each takes long
    MANY = 2000,      // iterations in a large system, where paths are long
    ENOUGH = 6,       // searches that succeeded, to choose the nearest from
    SPREADS = 4
};

static const double MOST_DAMPING = 1e8;

// Of a step in a large system less than this is none.
static const double LEAST_FRACTION = 1e-4;

// Residuals that are less by this factor are other ones.
static const double LESS = 0.1;

// How far other starts lie from the guess, relative to the coordinate, or to 1.
static const double spreads[SPREADS] = {0.1, 1.0, 0.01, 10.0};

// A search for positions, or for velocities.
typedef struct Seeker {
    KalProjector projector;
    KalInstant *instant;
    KalProgramId level;
    int iterations;  // of one search
    double *x;       // n: those of the instant
    size_t size;     // of n numbers
    double *guess;   // n: where the search began
    double *kept;    // n: the state before a trial
    double *trial;   // n
    double *whole;   // n: the end of a step of which a part is tried
    double *next;    // n: where the step after it would lead
    double fraction; // of a step that the last one lets hope for
    double *first;   // n: where the first search ended
    double *nearest; // n: the best start found
    double missed;   // the largest residual where the first search ended
} Seeker;

static bool all_met(const KalInstant *instant, const double *x)
{
    return kal_residuals_unmet(instant, x, 1.0, NULL) == 0;
}

static double largest_residual(const KalInstant *instant)
{
    double largest = 0.0;
    for (int i = 0; i < instant->system->m; i++) {
        largest = fmax(largest, fabs(instant->residuals[i]));
    }
    return largest;
}

static KalStatus init(Seeker *seeker, KalInstant *instant, KalProgramId level,
                      const bool *held)
{
    assert(level == KAL_PROGRAM_POSITION || level == KAL_PROGRAM_VELOCITY);
    const size_t n = (size_t)instant->system->n;
    *seeker = (Seeker){.instant = instant,
                       .level = level,
                       .iterations = instant->large.solver ? MANY : ITERATIONS,
                       .x = level == KAL_PROGRAM_POSITION ? kal_instant_q(instant)
                                                          : kal_instant_qd(instant),
                       .size = n * sizeof(double)};
    KAL_TRY(kal_projector_init(&seeker->projector, instant, held));
    seeker->guess = (double *)kal_alloc(instant->ctx, 7 * n, sizeof(double));
    if (!seeker->guess) {
        return kal_no_memory(instant->ctx, "to find a start");
    }
    seeker->kept = seeker->guess + n;
    seeker->trial = seeker->kept + n;
    seeker->first = seeker->trial + n;
    seeker->nearest = seeker->first + n;
    seeker->whole = seeker->nearest + n;
    seeker->next = seeker->whole + n;
    return KAL_OK;
}

static void clear(Seeker *seeker)
{
    kal_free(seeker->instant->ctx, seeker->guess, seeker->guess ? 7 * seeker->size : 0);
    kal_projector_clear(&seeker->projector);
}

// Go to the trial state if the residuals are smaller there; else stay.
static bool accept_trial(Seeker *seeker)
{
    double *q = seeker->x;
    const double before = kal_projector_measure(&seeker->projector);
    memcpy(seeker->kept, q, seeker->size);
    memcpy(q, seeker->trial, seeker->size);
    if (kal_instant_residuals(seeker->instant, seeker->level) == KAL_OK
        && kal_projector_measure(&seeker->projector) < before) {
        return true;
    }
    memcpy(q, seeker->kept, seeker->size);
    return false;
}

// The rows of the present state, and their metric: only with these very rows in it does it
// measure as M does.
static void take_rows(KalProjector *projector)
{
    kal_projector_set_metric(projector);
    kal_projector_set_rows(projector, NULL);
}

// How the part α of the step d from x to `whole` turned out, theory (13.6): the step d'
// that follows by the same rows, and the part that the bend |d' − (1 − α) d| lets hope for.
// False where formulas have no values.
static bool weigh_part(Seeker *seeker, double part, double *out_rest, double *out_hope)
{
    const int n = seeker->instant->system->n;
    double *x = seeker->x;
    for (int i = 0; i < n; i++) {
        x[i] = seeker->kept[i] + part * (seeker->whole[i] - seeker->kept[i]);
    }
    if (kal_instant_residuals(seeker->instant, seeker->level) != KAL_OK) {
        return false;
    }
    kal_projector_step(&seeker->projector, x, seeker->next);
    for (int i = 0; i < n; i++) {
        seeker->trial[i] = seeker->kept[i] + (seeker->next[i] - x[i])
                           - (1.0 - part) * (seeker->whole[i] - seeker->kept[i]);
    }
    const double step =
        kal_projector_distance(&seeker->projector, seeker->kept, seeker->whole);
    const double bend =
        kal_projector_distance(&seeker->projector, seeker->kept, seeker->trial);
    *out_rest = kal_projector_distance(&seeker->projector, x, seeker->next);
    *out_hope = bend > 0.0 ? 0.5 * part * part * step / bend : 1.0;
    return isfinite(*out_rest) && isfinite(*out_hope);
}

// Go along the path on which all residuals shrink alike, as far towards the trial state as
// rows do not turn: so far that the step after it, by the same rows, is shorter.  A system
// of many parts goes astray where parts move by many times their own size at once, though
// residuals may get smaller.
static bool follow_path(Seeker *seeker)
{
    double part = seeker->fraction;
    double rest = 0.0;
    double hope = 0.0;
    memcpy(seeker->whole, seeker->trial, seeker->size);
    memcpy(seeker->kept, seeker->x, seeker->size);
    const double step =
        kal_projector_distance(&seeker->projector, seeker->kept, seeker->whole);
    while (part >= LEAST_FRACTION && step > 0.0) {
        const bool valid = weigh_part(seeker, part, &rest, &hope);
        if (valid && hope >= 2.0 * part && rest < step) {
            seeker->fraction = fmin(1.0, 0.5 * hope);
            return true;
        }
        part = fmin(0.7 * part, valid ? 0.5 * hope : 0.5 * part);
    }
    seeker->fraction = 1.0;
    memcpy(seeker->x, seeker->kept, seeker->size);
    return false;
}

// One step; false when it leads to no smaller residuals.
static bool try_step(Seeker *seeker, double damping)
{
    assert(damping > 0.0);
    if (!kal_projector_factor(&seeker->projector, damping)) {
        return false;
    }
    kal_projector_step(&seeker->projector, seeker->x, seeker->trial);
    return seeker->instant->large.solver ? follow_path(seeker) : accept_trial(seeker);
}

// Whether a search in a large system, whose steps take long, is where a start would be taken as it
// is.
static bool has_arrived(const Seeker *seeker)
{
    return seeker->instant->large.solver
           && kal_residuals_are_rounding(seeker->instant, seeker->x);
}

// One search from the present numbers.  Fails when they have no residuals.
static KalStatus search(Seeker *seeker, bool *out_met)
{
    assert(out_met);
    KalProjector *projector = &seeker->projector;
    const double *q = seeker->x;
    double damping = KAL_LEAST_DAMPING;
    seeker->fraction = 1.0;
    KAL_TRY(kal_instant_residuals(seeker->instant, seeker->level));
    take_rows(projector);
    for (int k = 0;
         k < seeker->iterations && damping < MOST_DAMPING && !has_arrived(seeker);
         k++) {
        KAL_TRY(kal_ask(seeker->instant->ctx));
        if (try_step(seeker, damping)) {
            take_rows(projector);
            damping = fmax(KAL_LEAST_DAMPING, damping / 30.0);
            continue;
        }
        KAL_TRY(projector->failure);
        // The residuals of the state that was kept, for the next trial.
        KAL_TRY(kal_instant_residuals(seeker->instant, seeker->level));
        if (all_met(seeker->instant, q)) {
            break;
        }
        damping = fmax(1e-4, damping * 8.0);
    }
    *out_met = all_met(seeker->instant, q);
    return KAL_OK;
}

// A number in −1 … 1 that follows from the state of a counter.
static double scatter(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    // 53 bits: 0 … 2⁵³ − 1.
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

static void go_astray(Seeker *seeker, int attempt, uint64_t *state)
{
    assert(attempt >= 0);
    double *q = seeker->x;
    const double spread = spreads[attempt % SPREADS];
    memcpy(q, seeker->guess, seeker->size);
    for (int k = 0; k < seeker->projector.free; k++) {
        const int i = seeker->projector.columns[k];
        q[i] += spread * fmax(1.0, fabs(q[i])) * scatter(state);
    }
}

// Whether a place is as far off the constraints as the end of the first search, which did not
// meet them: then it meets them only because numbers are larger there, and the rounding that
// they are allowed.  What contradicts does so at any place.
static bool is_as_far_off(const Seeker *seeker)
{
    return largest_residual(seeker->instant) > LESS * seeker->missed;
}

// Search from many places; the nearest of the first successes wins.  A search may fail, for
// there formulas need not have values; but not because someone wants no more of them.
static KalStatus search_around(Seeker *seeker, bool *out_met)
{
    const double *q = seeker->x;
    double shortest = INFINITY;
    uint64_t state = 1;
    int found = 0;
    const int searches = seeker->instant->large.solver ? FEW_SEARCHES : SEARCHES;
    for (int attempt = 0; attempt < searches && found < ENOUGH; attempt++) {
        bool met = false;
        go_astray(seeker, attempt, &state);
        const KalStatus status = search(seeker, &met);
        if (status == KAL_ERR_INTERRUPTED) {
            return status;
        }
        if (status != KAL_OK || !met || is_as_far_off(seeker)) {
            continue;
        }
        found++;
        const double length =
            kal_projector_distance(&seeker->projector, seeker->guess, q);
        if (length < shortest) {
            shortest = length;
            memcpy(seeker->nearest, q, seeker->size);
        }
    }
    *out_met = found > 0;
    return KAL_OK;
}

// From the guess; only where that leads nowhere, from places about it.
static KalStatus seek(Seeker *seeker, bool *out_met)
{
    assert(out_met);
    double *q = seeker->x;
    memcpy(seeker->guess, q, seeker->size);
    KAL_TRY(kal_instant_givens(seeker->instant));
    KAL_TRY(kal_instant_residuals(seeker->instant, seeker->level));
    *out_met = kal_residuals_are_rounding(seeker->instant, q);
    KAL_TRY(*out_met ? KAL_OK : search(seeker, out_met));
    if (*out_met || seeker->projector.free == 0) {
        return KAL_OK;
    }
    memcpy(seeker->first, q, seeker->size);
    seeker->missed = largest_residual(seeker->instant);
    KAL_TRY(search_around(seeker, out_met));
    memcpy(q, *out_met ? seeker->nearest : seeker->first, seeker->size);
    return kal_instant_residuals(seeker->instant, seeker->level);
}

static KalStatus seek_level(KalInstant *instant, KalProgramId level, const bool *held,
                            bool *out_met)
{
    Seeker seeker;
    KalStatus status = init(&seeker, instant, level, held);
    if (status == KAL_OK) {
        status = seek(&seeker, out_met);
    }
    clear(&seeker);
    return status;
}

KalStatus kal_seek_positions(KalInstant *instant, const bool *held, bool *out_met)
{
    return seek_level(instant, KAL_PROGRAM_POSITION, held, out_met);
}

KalStatus kal_seek_near(KalInstant *instant, const bool *held, bool *out_met)
{
    Seeker seeker;
    KalStatus status = init(&seeker, instant, KAL_PROGRAM_POSITION, held);
    seeker.iterations = instant->large.solver ? NEARER : NEAR;
    if (status == KAL_OK) {
        status = kal_instant_givens(instant);
    }
    if (status == KAL_OK) {
        status = search(&seeker, out_met);
    }
    clear(&seeker);
    return status;
}

KalStatus kal_seek_velocities(KalInstant *instant, const bool *held, bool *out_met)
{
    return seek_level(instant, KAL_PROGRAM_VELOCITY, held, out_met);
}

KalStatus kal_seek_least_miss(KalInstant *instant, const bool *held)
{
    Seeker seeker;
    bool met = false;
    KalStatus status = init(&seeker, instant, KAL_PROGRAM_VELOCITY, held);
    if (status == KAL_OK) {
        status = search(&seeker, &met);
    }
    clear(&seeker);
    return status;
}
