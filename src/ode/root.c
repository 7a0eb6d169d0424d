// SPDX-License-Identifier: MIT

// Zero crossings by sampling, bracketing and the Illinois method, a false position (regula
// falsi) in which an end that stays loses half of its weight (theory (12.12) to (12.18), (12.21);
// Dowell and Jarratt, BIT 11, 1971).
//
// All functions are followed together.  A stretch is sampled; where a function dips between
// samples, the bottom of a parabola is sampled too.  The first sample at which something has
// crossed ends a bracket, and the bracket is shortened until it is within the tolerance.
// What crosses there crosses at one instant.
//
// Invariants: `now` are the values at the present time t, at which nothing that counts has
// crossed; `side` of a watch is the sign that its function had when it was last away from
// zero, 0 while it waits to leave zero; times of samples rise in the direction of the
// search.  A pass over the samples never moves the present backward.

#include "ode/root.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_CUTS = 200, // of a bracket
    MOST_DIVES = 12, // towards the bottom of a dip
    ARRAYS = 7,      // now, ahead, trial, change, outer, probe, before
};

// A bracket is halved when it has not shrunk to this in three cuts.
static const double SLOW = 0.5;
// A function that still changes by this part of its change over the whole bracket, when
// the bracket is as small as that, jumps.
static const double JUMP = 1e-3;
static const double JUMP_WIDTH = 1e-5;
// A dip is worth looking at when it seems to lead to less than this part of its samples.
static const double DEEP = 0.5;
// What rounding leaves of a function, in parts of its largest value.
static const double DUST = 4.0 * DBL_EPSILON;
// Values this many times those at the ends of the whole bracket, on both sides of a change
// of side, are those of a pole.
static const double POLE = 3.0;
// A little before is so many times the width of a bracket.
static const double SHORTLY = 64.0;

// A function below its floor has to fall by this part of its rounding to cross again.
static const double SLACK = 0.1;

// What is known about a function at the present time.
typedef struct Watch {
    KalRootDirection direction;
    int side;    // 1 or -1, or 0 while it has to leave zero
    double zero; // size of its rounding
    double off; // it was at its crossing, and has left zero when it is larger than both
    double most; // its largest value so far
    bool poles;  // count
    bool floor;  // leaving zero downwards is a crossing
} Watch;

struct KalRoots {
    KalContext *ctx;
    int count;
    int samples;
    KalRootFn values;
    void *user;
    double t;
    double t_start, t_end;
    double sign; // of the way to it
    bool started;
    bool leaving; // functions may be about to leave zero: look close to the beginning
    double tolerance;
    bool narrow;    // it is known what values were a little before the bracket
    bool sampled;   // the samples are those of the stretch at hand
    Watch *watch;   // count
    int *crossings; // count
    double *now;    // count: values at t
    double *ahead;  // count: values at the end of the bracket
    double *trial;  // count
    double *change; // count: over the whole bracket
    double *outer;  // count: the largest value at its ends
    double *probe;  // count: values close to the beginning
    double *before; // count: values a little before the bracket
    double *times;  // of the samples, with room for a dip at each inner one
    double *rows;   // values of the samples, count each
    int n_rows;
    int most_rows;
};

// A piece of time in which something crosses, and the values at both ends.
typedef struct Bracket {
    double t;      // its end
    double tilt;   // weight of the values at the beginning against those at the end
    int last_side; // 1: the end moved last, -1: the beginning
    bool narrow;   // far shorter than it was
} Bracket;

// Zeroed and half made is allowed.
static void free_arrays(KalRoots *r)
{
    const size_t n = (size_t)r->count;
    const size_t most = (size_t)r->most_rows;
    kal_free(r->ctx, r->watch, n * sizeof *r->watch);
    kal_free(r->ctx, r->crossings, n * sizeof *r->crossings);
    kal_free(r->ctx, r->now, ARRAYS * n * sizeof(double));
    kal_free(r->ctx, r->times, most * sizeof(double));
    kal_free(r->ctx, r->rows, most * n * sizeof(double));
}

// False when there is not enough memory for all of them.
static bool make_arrays(KalRoots *r, const KalRootSpec *spec)
{
    const size_t n = (size_t)r->count;
    const size_t most = (size_t)r->most_rows;
    r->watch = kal_alloc(r->ctx, n, sizeof *r->watch);
    r->crossings = kal_alloc(r->ctx, n, sizeof *r->crossings);
    r->now = kal_alloc(r->ctx, ARRAYS * n, sizeof(double));
    r->times = kal_alloc(r->ctx, most, sizeof(double));
    r->rows = kal_alloc(r->ctx, most * n, sizeof(double));
    if (!r->watch || !r->crossings || !r->now || !r->times || !r->rows) {
        return false;
    }
    r->ahead = r->now + n;
    r->trial = r->now + 2 * n;
    r->change = r->now + 3 * n;
    r->outer = r->now + 4 * n;
    r->probe = r->now + 5 * n;
    r->before = r->now + 6 * n;
    for (size_t i = 0; i < n; i++) {
        r->watch[i].direction = spec->directions ? spec->directions[i] : KAL_ROOT_BOTH;
        r->watch[i].zero = spec->zeros ? spec->zeros[i] : 0.0;
        r->watch[i].poles = spec->poles && spec->poles[i];
        r->watch[i].floor = spec->floors && spec->floors[i];
    }
    return true;
}

// Zeros are sizes, so that NaN is refused.
static KalStatus check(KalContext *ctx, const KalRootSpec *spec)
{
    if (spec->count < 1 || spec->samples < 0 || !spec->values) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "a search needs functions and no negative number of samples, "
                        "not %d and %d",
                        spec->count, spec->samples);
    }
    if (spec->count > KAL_ROOT_LIMIT || spec->samples > KAL_ROOT_SAMPLE_LIMIT) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "%d functions with %d samples are too many: at most %d and %d",
                        spec->count, spec->samples, KAL_ROOT_LIMIT,
                        KAL_ROOT_SAMPLE_LIMIT);
    }
    for (int i = 0; i < spec->count && spec->zeros; i++) {
        if (!(spec->zeros[i] >= 0.0)) {
            return kal_fail(ctx, KAL_ERR_USAGE, "rounding has a size, not %g",
                            spec->zeros[i]);
        }
    }
    return KAL_OK;
}

KalStatus kal_roots_create(KalContext *ctx, const KalRootSpec *spec,
                           KalRoots **out_roots)
{
    KAL_TRY(check(ctx, spec));
    KalRoots *r = KAL_NEW(ctx, KalRoots);
    if (!r) {
        return kal_no_memory(ctx, "for event functions");
    }
    r->ctx = ctx;
    r->count = spec->count;
    r->samples = spec->samples;
    r->values = spec->values;
    r->user = spec->user;
    r->most_rows = 2 * spec->samples + 1;
    if (!make_arrays(r, spec)) {
        kal_roots_destroy(r);
        return kal_no_memory(ctx, "for %d event functions", spec->count);
    }
    *out_roots = r;
    return KAL_OK;
}

void kal_roots_destroy(KalRoots *roots)
{
    if (roots) {
        free_arrays(roots);
        kal_free(roots->ctx, roots, sizeof *roots);
    }
}

// All functions at a time; infinite values have a side, NaN has none.
static KalStatus evaluate(KalRoots *r, double t, double *out_values)
{
    KAL_TRY(r->values(r->user, t, out_values));
    for (int i = 0; i < r->count; i++) {
        if (isnan(out_values[i])) {
            return kal_fail(r->ctx, KAL_ERR_NUMBER,
                            "event function %d is not a number at t = %.17g", i, t);
        }
    }
    return KAL_OK;
}

// 1, −1, or 0 at zero.
static int side_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

// A function has left zero beyond this band, theory (12.15).
static double band_of(const Watch *watch)
{
    return watch->off > watch->zero ? watch->off : watch->zero;
}

// Which way a function that is watched has crossed if it comes to a value, theory (12.12);
// 0 when it has not, or not in a direction that counts.
static int crossing(const Watch *watch, double value)
{
    if (watch->floor && watch->side == 0) {
        return value < -band_of(watch) ? -1 : 0;
    }
    const bool crossed = watch->side != 0 && side_of(value) != watch->side;
    const int way = crossed ? -watch->side : 0;
    return watch->direction == KAL_ROOT_BOTH || way == (int)watch->direction ? way : 0;
}

// Whether something that counts has crossed at these values.
static bool any_crossing(const KalRoots *r, const double *values)
{
    for (int i = 0; i < r->count; i++) {
        if (crossing(&r->watch[i], values[i]) != 0) {
            return true;
        }
    }
    return false;
}

static void wait_at_zero(Watch *watch, double off)
{
    assert(off >= 0.0);
    watch->side = 0;
    watch->off = off;
}

// Move the present to a time at which nothing has crossed that counts.
static void move_to(KalRoots *r, double t, const double *values)
{
    r->t = t;
    for (int i = 0; i < r->count; i++) {
        Watch *w = &r->watch[i];
        const int side = side_of(values[i]);
        w->most = isfinite(values[i]) ? fmax(w->most, fabs(values[i])) : w->most;
        if (w->side == 0) {
            w->side = fabs(values[i]) > band_of(w) ? side : 0;
        } else if (side != w->side) {
            wait_at_zero(w, w->zero);
            w->side = fabs(values[i]) > band_of(w) ? side : 0;
        }
    }
    memcpy(r->now, values, (size_t)r->count * sizeof *values);
}

// Functions that are zero at the start wait until they have left it.
KalStatus kal_roots_start(KalRoots *roots, double t)
{
    KalRoots *r = roots;
    KAL_TRY(evaluate(r, t, r->trial));
    for (int i = 0; i < r->count; i++) {
        wait_at_zero(&r->watch[i], 0.0);
        r->watch[i].most = 0.0;
    }
    move_to(r, t, r->trial);
    r->t_start = t;
    r->started = true;
    r->sampled = false;
    r->leaving = true;
    return KAL_OK;
}

// The way in which a function that jumps to a value, with nothing between, passes zero in a
// direction that counts; 0 when it does not.
static int jump(const Watch *watch, double value)
{
    const int to = fabs(value) > watch->zero ? side_of(value) : 0;
    if (watch->side != 0) {
        return to == -watch->side ? crossing(watch, value) : 0;
    }
    const bool leads = to != 0 && to == (int)watch->direction;
    return leads && fabs(value) > band_of(watch) ? to : 0;
}

void kal_roots_wait(KalRoots *roots, int function, double band)
{
    assert(function >= 0 && function < roots->count);
    wait_at_zero(&roots->watch[function], band);
}

void kal_roots_set_zero(KalRoots *roots, int function, double zero)
{
    assert(function >= 0 && function < roots->count && zero >= 0.0);
    roots->watch[function].zero = zero;
}

// After an event the state has changed, and values may have jumped: all that were away from
// zero are looked at afresh; those that wait keep their bands.
KalStatus kal_roots_restart(KalRoots *roots, double t, int *jumps)
{
    KalRoots *r = roots;
    if (!r->started || t != r->t) {
        return kal_fail(r->ctx, KAL_ERR_USAGE,
                        "event functions go on from the present time, %.17g, not %.17g",
                        r->t, t);
    }
    KAL_TRY(evaluate(r, t, r->trial));
    for (int i = 0; i < r->count; i++) {
        if (jumps) {
            jumps[i] = jumps[i] != 0 ? 0 : jump(&r->watch[i], r->trial[i]);
        }
        if (r->watch[i].side != 0 || r->watch[i].floor) {
            const bool below = r->watch[i].floor && r->trial[i] < 0.0;
            wait_at_zero(&r->watch[i],
                         below ? SLACK * r->watch[i].zero - r->trial[i] : 0.0);
        }
    }
    move_to(r, t, r->trial);
    r->sampled = false;
    r->leaving = true;
    return KAL_OK;
}

// The part of the bracket after which the first of its crossings is to be expected, by
// straight lines, theory (12.14).
static double expected(const KalRoots *r, double tilt)
{
    double least = 1.0;
    for (int i = 0; i < r->count; i++) {
        if (crossing(&r->watch[i], r->ahead[i]) != 0) {
            const double before = tilt * fabs(r->now[i]);
            const double part = before / (before + fabs(r->ahead[i]));
            assert(!(part < 0.0 || part > 1.0));
            least = part < least ? part : least; // not for infinite values: no number
        }
    }
    return least;
}

// Where to cut the bracket: where a crossing is expected, but not nearer to an end than
// half the tolerance, so that both ends close in; in the middle if that went slowly.
static double choose_cut(const KalRoots *r, const Bracket *b, bool halve)
{
    assert(b->t != r->t && r->tolerance > 0.0);
    const double width = fabs(b->t - r->t);
    const double margin = fmin(0.5, 0.5 * r->tolerance / width);
    const double part = halve ? 0.5 : expected(r, b->tilt);
    return r->t + fmin(fmax(part, margin), 1.0 - margin) * (b->t - r->t);
}

// Illinois: an end that stays where it is loses half its weight.
static void tilt(Bracket *b, int side)
{
    assert(side == 1 || side == -1);
    if (b->last_side == side) {
        b->tilt *= side > 0 ? 0.5 : 2.0;
    } else {
        b->tilt = 1.0;
    }
    b->last_side = side;
}

// Make the bracket from the present to b->t, with values in `ahead`, as short as the
// tolerance asks, by moving both.
static KalStatus shorten(KalRoots *r, Bracket *b)
{
    double width = fabs(b->t - r->t);
    bool halve = false;
    for (int cut = 0; cut < MOST_CUTS && fabs(b->t - r->t) > r->tolerance; cut++) {
        const double t = choose_cut(r, b, halve);
        if (t == r->t || t == b->t) {
            break;
        }
        KAL_TRY(evaluate(r, t, r->trial));
        if (any_crossing(r, r->trial)) {
            b->t = t;
            memcpy(r->ahead, r->trial, (size_t)r->count * sizeof(double));
            tilt(b, 1);
        } else {
            move_to(r, t, r->trial);
            tilt(b, -1);
        }
        if (cut % 3 == 2) {
            halve = fabs(b->t - r->t) > SLOW * width;
            width = fabs(b->t - r->t);
        }
    }
    return KAL_OK;
}

// Crossings a little later, still within the tolerance, belong to the same instant.
static KalStatus gather(KalRoots *r, Bracket *b)
{
    const double later = r->t + r->sign * r->tolerance;
    const double t = r->sign * (r->t_end - later) > 0.0 ? later : r->t_end;
    if (!(r->sign * (t - b->t) > 0.0)) {
        return KAL_OK;
    }
    KAL_TRY(evaluate(r, t, r->trial));
    bool more = false;
    for (int i = 0; i < r->count; i++) {
        more = more
               || (crossing(&r->watch[i], r->trial[i]) != 0
                   && crossing(&r->watch[i], r->ahead[i]) == 0);
    }
    for (int i = 0; i < r->count && more; i++) {
        const Watch *w =
            &r->watch[i]; // one that has come back has crossed all the same
        const bool back =
            crossing(w, r->ahead[i]) != 0 && crossing(w, r->trial[i]) == 0;
        r->ahead[i] = back ? 0.0 : r->trial[i];
    }
    b->t = more ? t : b->t;
    return KAL_OK;
}

static double least_beside(const KalRoots *r, int i)
{
    return fmin(fabs(r->now[i]), fabs(r->ahead[i]));
}

// Whether a function changes its side in the bracket through a pole, theory (12.18).  One that
// leaves zero downwards crosses a little below it, with both ends of one size.
static bool is_pole(const KalRoots *r, int i)
{
    const Watch *w = &r->watch[i];
    const bool grows = r->narrow && least_beside(r, i) > POLE * fabs(r->before[i]);
    return !w->poles && !w->floor && (grows || least_beside(r, i) > POLE * r->outer[i]);
}

// Where functions do not change their sides through zero, look at them a little before: at a pole
// they have grown since, at a jump they have not.  The end of a bracket may lie on a pole, so that
// its value there is no measure.
static KalStatus look_before(KalRoots *r, const Bracket *b, double begin)
{
    bool any = false;
    const double way = SHORTLY * fmax(r->tolerance, fabs(b->t - r->t));
    for (int i = 0; i < r->count; i++) {
        const bool leaps = least_beside(r, i) > JUMP * r->change[i];
        any = any || (leaps && crossing(&r->watch[i], r->ahead[i]) != 0);
    }
    r->narrow = any && fabs(r->t - begin) > way;
    return r->narrow ? evaluate(r, r->t - r->sign * way, r->before) : KAL_OK;
}

// Note what crossed in the bracket and move to its end; returns whether anything did.
static bool cross(KalRoots *r, const Bracket *b)
{
    bool any = false;
    for (int i = 0; i < r->count; i++) {
        Watch *w = &r->watch[i];
        const bool pole = is_pole(r, i);
        r->crossings[i] = pole ? 0 : crossing(w, r->ahead[i]);
        if (r->crossings[i] != 0) {
            const double off = fmax(fabs(r->now[i]), fabs(r->ahead[i]));
            const bool jumps =
                b->narrow && fabs(r->ahead[i] - r->now[i]) > JUMP * r->change[i];
            wait_at_zero(w, jumps ? 0.0 : off);
            any = true;
        }
    }
    move_to(r, b->t, r->ahead);
    r->leaving = r->leaving || any;
    return any;
}

// Whether t comes later than the present, as the search goes.
static bool is_ahead(const KalRoots *r, double t)
{
    return r->sign * (t - r->t) > 0.0;
}

// Find the first crossing between the present and t, where the values show that there is
// one.
static KalStatus locate(KalRoots *r, double t, const double *values, bool *out_found)
{
    assert(is_ahead(r, t) && any_crossing(r, values));
    Bracket b = {.t = t, .tilt = 1.0};
    const double begin = r->t;
    const double width = fabs(t - r->t);
    for (int i = 0; i < r->count; i++) {
        r->ahead[i] = values[i];
        r->change[i] = fabs(values[i] - r->now[i]);
        r->outer[i] = fmax(fabs(values[i]), fabs(r->now[i]));
    }
    KAL_TRY(shorten(r, &b));
    b.narrow = fabs(b.t - r->t) < JUMP_WIDTH * width;
    KAL_TRY(gather(r, &b));
    KAL_TRY(look_before(r, &b, begin));
    // What crosses within two tolerances of the start is still the start: theory (12.15).
    *out_found = cross(r, &b) && !(fabs(r->t - r->t_start) <= 2.0 * r->tolerance);
    return KAL_OK;
}

// Go to t, where the values are known, or to a crossing before it.
static KalStatus visit(KalRoots *r, double t, const double *values, bool *out_found)
{
    *out_found = false;
    while (is_ahead(r, t) && any_crossing(r, values)) {
        KAL_TRY(locate(r, t, values, out_found));
        if (*out_found) {
            return KAL_OK;
        }
    }
    if (is_ahead(r, t)) {
        move_to(r, t, values);
    }
    return KAL_OK;
}

// Whether a function still has to leave zero.
static bool any_waiting(const KalRoots *r)
{
    for (int i = 0; i < r->count; i++) {
        if (r->watch[i].side == 0) {
            return true;
        }
    }
    return false;
}

// Look at the beginning so closely that functions are seen to leave zero.
static KalStatus leave(KalRoots *r, bool *out_found)
{
    const double begin = r->t;
    const double first = (r->t_end - begin) / (r->samples + 1);
    double way = copysign(2.0 * r->tolerance, first);
    *out_found = false;
    r->leaving = false;
    while (!*out_found && fabs(way) < fabs(first) && any_waiting(r)) {
        KAL_TRY(evaluate(r, begin + way, r->probe));
        KAL_TRY(visit(r, begin + way, r->probe, out_found));
        way *= 4.0;
    }
    return KAL_OK;
}

// The values of sample j.
static double *row(const KalRoots *r, int j)
{
    assert(j >= 0 && j < r->most_rows);
    return r->rows + (size_t)j * (size_t)r->count;
}

// Sample the stretch evenly; the last sample is exactly its end.
static KalStatus sample(KalRoots *r)
{
    const int n = r->samples + 1;
    assert(n <= r->most_rows);
    r->n_rows = 0;
    for (int j = 0; j < n; j++) {
        const double inner = r->t + (j + 1.0) / n * (r->t_end - r->t);
        r->times[j] = j + 1 < n ? inner : r->t_end;
        KAL_TRY(evaluate(r, r->times[j], row(r, j)));
        r->n_rows++;
    }
    return KAL_OK;
}

// A sample more, before the one that stands at a place.
static void insert(KalRoots *r, int at, double t, const double *values)
{
    assert(at >= 0 && at <= r->n_rows && r->n_rows < r->most_rows);
    const size_t moved = (size_t)(r->n_rows - at);
    const size_t size = (size_t)r->count * sizeof(double);
    memmove(r->times + at + 1, r->times + at, moved * sizeof(double));
    memmove(row(r, at + 1), row(r, at), moved * size);
    r->times[at] = t;
    memcpy(row(r, at), values, size);
    r->n_rows++;
}

// Three samples of one function, the middle one nearest to zero.
typedef struct Dip {
    int function;
    double t[3];
    double g[3];
} Dip;

// Whether all have one side and the middle one is nearest to zero.
static bool dips(const Dip *dip)
{
    const double *g = dip->g;
    const int side = side_of(g[1]);
    return side != 0 && side_of(g[0]) == side && side_of(g[2]) == side
           && fabs(g[1]) < fabs(g[0]) && fabs(g[1]) < fabs(g[2]);
}

// Where the parabola through a dip has its bottom, theory (12.13), and how much of the
// middle sample is left there; more than all of it where there is no dip.
static double bottom(const Dip *dip, double *out_t)
{
    const double *g = dip->g;
    const double u = dip->t[0] - dip->t[1];
    const double v = dip->t[2] - dip->t[1];
    const double slope0 = (g[0] - g[1]) / u;
    const double slope2 = (g[2] - g[1]) / v;
    const double curvature = (slope2 - slope0) / (v - u);
    const double slope = slope0 - curvature * u; // at the middle
    const double x = -0.5 * slope / curvature;
    // Where the samples make no dip the parabola means nothing, and its bottom is not used.
    *out_t = dip->t[1] + x;
    return dips(dip) ? 1.0 + 0.5 * slope * x / g[1] : 2.0;
}

// The samples around sample j; the present stands before the first.
static Dip dip_at(const KalRoots *r, int j, int function)
{
    assert(j >= 0 && j + 1 < r->n_rows);
    const double *before = j > 0 ? row(r, j - 1) : r->now;
    return (Dip){
        .function = function,
        .t = {j > 0 ? r->times[j - 1] : r->t, r->times[j], r->times[j + 1] },
        .g = { before[function], row(r,                        j)[function], row(r, j + 1)[function]},
    };
}

// Narrow a dip by a new sample of its function.
static void narrow(Dip *dip, double t, double g)
{
    const bool deeper = fabs(g) < fabs(dip->g[1]);
    const bool left = (t < dip->t[1]) == (dip->t[0] < dip->t[1]);
    const int outer = left == deeper ? 2 : 0;
    if (deeper) {
        dip->t[outer] = dip->t[1];
        dip->g[outer] = dip->g[1];
        dip->t[1] = t;
        dip->g[1] = g;
    } else {
        dip->t[outer] = t;
        dip->g[outer] = g;
    }
}

// Where the line through the samples `outer` and 1 of a dip has its zero, if that lies beyond
// sample 1 and within the dip: the tip of a corner that touches zero.
static bool tip(const Dip *dip, int outer, double *out_t)
{
    const double *t = dip->t;
    const double zero =
        t[1] - dip->g[1] * (t[1] - t[outer]) / (dip->g[1] - dip->g[outer]);
    const double part = (zero - t[1]) / (t[2 - outer] - t[1]);
    *out_t = zero;
    return part > 0.0 && part < 1.0;
}

// Where to look for the bottom of a dip next, by a parabola and by straight lines in turn;
// false where neither leads nearer to zero.
static bool choose_dive(const Dip *dip, int turn, double *out_t)
{
    double t = 0.0;
    double corner = 0.0;
    const bool deep = bottom(dip, &t) < DEEP;
    const bool pointed = tip(dip, 0, &corner) || tip(dip, 2, &corner);
    *out_t = deep && (turn % 2 == 0 || !pointed) ? t : corner;
    return (deep || pointed) && *out_t != dip->t[0] && *out_t != dip->t[1]
           && *out_t != dip->t[2];
}

// The steeper side of a dip.
static double steepness(const Dip *dip)
{
    return fmax(fabs((dip->g[0] - dip->g[1]) / (dip->t[0] - dip->t[1])),
                fabs((dip->g[2] - dip->g[1]) / (dip->t[2] - dip->t[1])));
}

// What the bottom of a dip may be off zero by rounding, of the time and of the function; 0
// where touches do not count (theory (12.21)).
static double dust(const KalRoots *r, const Dip *dip)
{
    const Watch *w = &r->watch[dip->function];
    return w->poles ? 0.0 : steepness(dip) * r->tolerance + DUST * w->most;
}

// A sample that lies by the sample j.
static void insert_by(KalRoots *r, int j, double t, const double *values)
{
    const bool before = (t < r->times[j]) == (r->t < r->times[j]);
    insert(r, before ? j : j + 1, t, values);
}

// Follow a dip at the sample j to its bottom; what lies beyond zero, or touches it, becomes
// a sample.
static KalStatus dive(KalRoots *r, int j, Dip dip)
{
    const double touch = dips(&dip) ? dust(r, &dip) : -1.0;
    double t = 0.0;
    for (int i = 0; i < MOST_DIVES && dips(&dip) && choose_dive(&dip, i, &t); i++) {
        KAL_TRY(evaluate(r, t, r->trial));
        if (side_of(r->trial[dip.function]) != side_of(dip.g[1])) {
            insert_by(r, j, t, r->trial);
            return KAL_OK;
        }
        narrow(&dip, t, r->trial[dip.function]);
    }
    if (fabs(dip.g[1]) <= touch) {
        KAL_TRY(evaluate(r, dip.t[1], r->trial));
        r->trial[dip.function] = 0.0;
        insert_by(r, j, dip.t[1], r->trial);
    }
    return KAL_OK;
}

// Of the dips at each inner sample follow the one that seems the deepest.  From the last
// sample to the first, so that samples which are inserted do not move those still to come.
static KalStatus follow_dips(KalRoots *r)
{
    for (int j = r->n_rows - 2; j >= 0; j--) {
        int deepest = 0;
        double least = 2.0;
        for (int i = 0; i < r->count; i++) {
            double t = 0.0;
            const Dip dip = dip_at(r, j, i);
            const double left = bottom(&dip, &t);
            deepest = left < least ? i : deepest;
            least = left < least ? left : least;
        }
        KAL_TRY(dive(r, j, dip_at(r, j, deepest)));
    }
    return KAL_OK;
}

// From the present to the end, or to a crossing.
static KalStatus search(KalRoots *r, bool *out_found)
{
    if (r->leaving) {
        KAL_TRY(leave(r, out_found));
        if (*out_found) {
            return KAL_OK;
        }
    }
    if (!r->sampled) {
        KAL_TRY(sample(r));
        KAL_TRY(follow_dips(r));
        r->sampled = true;
    }
    for (int j = 0; j < r->n_rows; j++) {
        KAL_TRY(visit(r, r->times[j], row(r, j), out_found));
        if (*out_found) {
            return KAL_OK;
        }
    }
    return KAL_OK;
}

KalStatus kal_roots_find(KalRoots *roots, double t_end, double tolerance,
                         KalRootHit *out_hit)
{
    KalRoots *r = roots;
    if (!r->started || !isfinite(t_end) || !(tolerance > 0.0)) {
        return kal_fail(
            r->ctx, KAL_ERR_USAGE,
            "a search needs a start, an end and a tolerance, not t = %g and %g", t_end,
            tolerance);
    }
    bool found = false;
    const double least = 4.0 * DBL_EPSILON * fmax(fabs(r->t), fabs(t_end));
    r->tolerance = fmax(tolerance, least);
    r->sampled = r->sampled && t_end == r->t_end;
    r->t_end = t_end;
    r->sign = t_end > r->t ? 1.0 : -1.0;
    assert(r->tolerance > 0.0 && isfinite(r->tolerance));
    KAL_TRY(t_end != r->t ? search(r, &found) : KAL_OK);
    for (int i = 0; i < r->count && !found; i++) {
        r->crossings[i] = 0;
    }
    assert(found
           || !(r->sign * (t_end - r->t) > 0.0)); // all of the stretch was searched
    *out_hit = (KalRootHit){
        .found = found, .t = r->t, .crossings = r->crossings, .values = r->now};
    return KAL_OK;
}

void kal_roots_set_samples(KalRoots *roots, int samples)
{
    assert(samples >= 0);
    const int most = (roots->most_rows - 1) / 2;
    roots->sampled = roots->sampled && samples == roots->samples;
    roots->samples = samples < most ? samples : most;
}

int kal_roots_side(const KalRoots *roots, int function, double *out_band)
{
    assert(function >= 0 && function < roots->count);
    *out_band = band_of(&roots->watch[function]);
    return roots->watch[function].side;
}

double kal_roots_time(const KalRoots *roots)
{
    return roots->t;
}
