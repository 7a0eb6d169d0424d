// SPDX-License-Identifier: MIT

// Where outputs change their pieces or have narrow peaks: theory (15.26).
//
// The motion of a step is known, and ranges of functions over parts of it are too (scan.h).  A
// part over which no range holds zero has no mark; one whose range does is halved, until it is
// so short that it is told as it is.  A function may be zero for a while, or its range may hold
// zero for want of anything better: then it is followed by parts that double, and not looked at
// again before one of them holds no zero.  Where zero is near for long only short parts show
// that it is not reached: with the ranges that were looked at, what counts as short grows, so
// that a step takes some thousand of them at most and some hundred more for each mark.
//
// Invariant: between the times at which one search ended and the next begins nothing is left
// out, but that only MOST stretches of a step are told, and what functions do while their
// ranges hold zero.

#include "sim/run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum {
    MOST = 128,   // stretches of a step
    PATIENCE = 32 // ranges that are looked at before what counts as short is doubled
};

// The shortest part of a step that is told.
static const double SHORTEST = 0x1p-34;

static KalStatus interpolate(void *user, double t, double *out_y)
{
    return kal_run_interpolate((KalRun *)user, t, out_y);
}

KalStatus kal_run_make_scan(KalRun *run, const KalProgramId *programs, int n_programs,
                            KalScan *out_scan)
{
    assert(run->instant && programs && n_programs > 0);
    const KalScanSpec spec = {.system = run->system,
                              .programs = programs,
                              .n_programs = n_programs,
                              .instant = run->instant,
                              .interpolate = interpolate,
                              .user = run,
                              .room = kal_system_state_size(run->system)
                                      + (size_t)run->balance.n};
    return kal_scan_init(out_scan, run->ctx, &spec);
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalMarkWatch *watch = (KalMarkWatch *)owner;
    watch->blind = kal_carve_doubles(carver, watch->n, 1);
}

static KalStatus make_watch(KalRun *run, KalMarkWatch *watch)
{
    static const KalProgramId programs[] = {KAL_PROGRAM_MARKS};
    if (!watch->blind) {
        KAL_TRY(kal_workspace_make(run->ctx, "for pieces of outputs", lay_out, watch,
                                   &watch->workspace));
    }
    KAL_TRY(kal_run_make_scan(run, programs, 1, &watch->scan));
    watch->made = true;
    return KAL_OK;
}

static void clear(KalRun *run, KalMarkWatch *watch)
{
    kal_scan_clear(&watch->scan);
    kal_workspace_clear(run->ctx, &watch->workspace);
}

void kal_run_clear_marks(KalRun *run)
{
    clear(run, &run->marks);
    clear(run, &run->jumps.marks);
    kal_run_clear_solved_marks(run);
}

// The step is sampled anew: how many looks there may be, and how short a stretch is worth
// one.
static KalStatus learn_step(KalRun *run, KalMarkWatch *watch)
{
    assert(run->step.t_new > run->step.t_old);
    const KalOdeStep *step = &run->step;
    KAL_TRY(watch->made ? KAL_OK : make_watch(run, watch));
    const double largest = fmax(fabs(run->options.from), fabs(run->options.until));
    watch->left = MOST;
    watch->looks = 0;
    watch->least =
        fmax(SHORTEST * fabs(step->t_new - step->t_old), 16.0 * DBL_EPSILON * largest);
    for (size_t i = 0; i < watch->n; i++) {
        watch->blind[i] = -INFINITY;
    }
    KAL_TRY(kal_scan_take(&watch->scan, step->t_old, step->t_new));
    watch->known = true;
    return KAL_OK;
}

static bool holds_zero(KalRange range)
{
    return !(range.low > 0.0 || range.high < 0.0);
}

// Whether no function that is looked at is zero between two times.
static bool is_free(KalMarkWatch *watch, double a, double b)
{
    assert(a <= b);
    const KalRange *ranges = kal_scan_bound(&watch->scan, a, b);
    if (++watch->looks % PATIENCE == 0) {
        watch->least *= 2.0;
    }
    for (size_t i = 0; i < watch->n; i++) {
        if (watch->blind[i] <= a && holds_zero(ranges[i])) {
            return false;
        }
    }
    return true;
}

// The next time at which a function is looked at again, at most `until`.
static double next_sight(const KalMarkWatch *watch, double t, double until)
{
    double next = until;
    for (size_t i = 0; i < watch->n; i++) {
        if (watch->blind[i] > t) {
            next = fmin(next, watch->blind[i]);
        }
    }
    return next;
}

// Move the functions that are looked at from `from` on, and whose ranges up to `to` hold zero,
// to `to`; returns whether there are any.
static bool move_blind(KalMarkWatch *watch, double from, double to)
{
    bool any = false;
    const KalRange *ranges = kal_scan_bound(&watch->scan, from, to);
    for (size_t i = 0; i < watch->n; i++) {
        double *blind = &watch->blind[i];
        if (*blind == from && holds_zero(ranges[i])) {
            *blind = to;
            any = true;
        }
    }
    return any;
}

// The functions whose ranges over a stretch hold zero are not looked at before they leave it.
static void look_away(KalMarkWatch *watch, double begin, double end, double until)
{
    assert(begin < end);
    double t = begin;
    double width = end - begin;
    for (size_t i = 0; i < watch->n; i++) {
        watch->blind[i] = fmax(watch->blind[i], begin);
    }
    while (t < until && move_blind(watch, t, fmin(t + width, until))) {
        t = fmin(t + width, until);
        width *= 2.0;
    }
}

// Go on over parts without zeros to the first that may have one and is short.
static bool search(KalMarkWatch *watch, double from, double until,
                   KalOutputMark *out_mark)
{
    double width = until - from;
    double t = from;
    while (t < until) {
        const double least = watch->least;
        const double sight = next_sight(watch, t, until);
        const double end = sight - t <= width + least ? sight : t + width;
        if (is_free(watch, t, end)) {
            t = end;
            width *= 2.0;
        } else if (width > least) {
            width *= 0.5;
        } else {
            *out_mark = (KalOutputMark){t, end};
            look_away(watch, t, end, until);
            return true;
        }
    }
    return false;
}

// Look for the next mark with one of the watches.
static KalStatus find(KalRun *run, KalMarkWatch *watch, double from, double until,
                      KalOutputMark *out_mark, bool *out_found)
{
    *out_mark = (KalOutputMark){until, until};
    *out_found = false;
    if (watch->n == 0) {
        return KAL_OK;
    }
    KAL_TRY(watch->known ? KAL_OK : learn_step(run, watch));
    if (watch->left > 0 && search(watch, from, until, out_mark)) {
        watch->left--;
        *out_found = true;
    }
    return KAL_OK;
}

KalStatus kal_run_find_mark(KalRun *run, double from, double until,
                            KalOutputMark *out_mark, bool *out_found)
{
    assert(out_mark && out_found && from <= until);
    KalOutputMark earlier;
    bool found = false;
    run->marks.n = run->system->pieces.n_marks;
    KAL_TRY(find(run, &run->marks, from, until, out_mark, out_found));
    if (run->system->pieces.n_late > 0) {
        KAL_TRY(kal_run_find_solved_mark(run, from, out_mark->begin, &earlier, &found));
    }
    if (found) {
        run->marks.left += *out_found; // it will be found again
        *out_mark = earlier;
        *out_found = true;
    }
    return KAL_OK;
}

KalStatus kal_run_find_mark_of_jump(KalRun *run, double from, double until,
                                    KalOutputMark *out_mark, bool *out_found)
{
    assert(out_mark && out_found && from <= until);
    run->jumps.marks.n = run->system->pieces.n_jumps;
    return find(run, &run->jumps.marks, from, until, out_mark, out_found);
}
