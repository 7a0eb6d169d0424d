// SPDX-License-Identifier: MIT

// Where values jump though the state does not: samples before and behind.  Theory (15.29).
//
// Two kinds of places are looked for while samples are taken.  Where the motion comes to another
// piece of its formulas, a step ends: values on both pieces are compared there.  Where
// outputs alone change their pieces no step ends: the place is found as marks are, and
// narrowed down until the two sides are neighbours in time.
//
// Invariant: nothing here changes how a run goes on.

#include "sim/run_impl.h"
#include "system/switch.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_HALVINGS = 100
};

// Values that differ by no more than this part of their size do not jump, nor do those whose
// change is no more than so many times what goes on beside it.
static const double SAME = 1e-9;
static const double BESIDE = 100.0;
// The two sides of a place are this far from each other, in parts of the largest time.
static const double NARROW = 16.0 * DBL_EPSILON;

static size_t count_values(const KalSystem *system)
{
    return (size_t)system->n + (size_t)system->n_outputs;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = (KalRun *)owner;
    KalJumpWatch *watch = &run->jumps;
    watch->values =
        kal_carve_doubles(carver, count_values(run->system), KAL_JUMP_LOOKS);
    watch->largest = kal_carve_doubles(carver, count_values(run->system), 1);
    watch->modes = kal_carve_doubles(carver, run->system->pieces.n_switches, 1);
    watch->sides = kal_carve_doubles(carver, run->system->pieces.n_jumps, 2);
}

KalStatus kal_run_jumps_init(KalRun *run)
{
    return kal_workspace_make(run->ctx, "for a run", lay_out, run,
                              &run->jumps.workspace);
}

void kal_run_jumps_clear(KalRun *run)
{
    kal_workspace_clear(run->ctx, &run->jumps.workspace);
}

// Outputs of the solved instant, and its accelerations, into one of the places for them.
static KalStatus take_values(KalRun *run, int look)
{
    const size_t n = (size_t)run->system->n;
    const size_t n_outputs = (size_t)run->system->n_outputs;
    double *to = run->jumps.values + (size_t)look * count_values(run->system);
    const double *outputs = NULL;
    KAL_TRY(kal_instant_outputs(run->instant, &outputs));
    memcpy(to, run->answer.qdd, n * sizeof *to);
    memcpy(to + n, outputs, n_outputs * sizeof *to);
    for (size_t i = 0; i < n + n_outputs; i++) {
        run->jumps.largest[i] = fmax(run->jumps.largest[i], fabs(to[i]));
    }
    return KAL_OK;
}

static double value_of(const KalRun *run, int look, size_t i)
{
    return run->jumps.values[(size_t)look * count_values(run->system) + i];
}

// By how much value i differs from one look to another, if that is more than rounding and what
// the tolerance leaves of values that meet at zero.
static double change_of(const KalRun *run, size_t i, int a, int b)
{
    const double x = value_of(run, a, i);
    const double y = value_of(run, b, i);
    const bool same = fabs(y - x) <= SAME * run->jumps.largest[i] + run->options.atol;
    return same || (isnan(x) && isnan(y)) ? 0.0 : fabs(y - x);
}

// Functions that are made of what changed its piece may jump over zero with it.
static KalStatus follow_changes(KalRun *run, const int *crossings)
{
    const KalSystem *system = run->system;
    const size_t count = system->pieces.n_switches;
    run->instant->modes = run->jumps.modes;
    const KalStatus status = kal_instant_evaluate(run->instant, KAL_PROGRAM_SWITCHES);
    run->instant->modes = run->modes.modes;
    KAL_TRY(status);
    const double *values = run->instant->results;
    for (size_t i = 0; i < count; i++) {
        const KalSwitchSides sides =
            kal_switch_sides(&system->pieces.switches[i], values[count + i]);
        const double side = sides.slope * values[i];
        if (crossings[i] == 0 && fabs(side) > run->modes.bands[i]) {
            run->jumps.modes[i] = side > 0.0 ? sides.above : sides.below;
        }
    }
    return KAL_OK;
}

// The pieces behind the switches that are at the horizon.
static KalStatus find_modes_behind(KalRun *run, const int *crossings)
{
    const KalSystem *system = run->system;
    const size_t count = system->pieces.n_switches;
    KAL_TRY(kal_instant_evaluate(run->instant, KAL_PROGRAM_SWITCHES));
    const double *levels = run->instant->results + count;
    memcpy(run->jumps.modes, run->modes.modes, count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        const KalSwitchSides sides =
            kal_switch_sides(&system->pieces.switches[i], levels[i]);
        const bool up = (crossings[i] > 0) == (sides.slope > 0.0);
        if (crossings[i] != 0) {
            run->jumps.modes[i] = up ? sides.above : sides.below;
        }
    }
    return follow_changes(run, crossings);
}

KalStatus kal_run_pieces_jump(KalRun *run, bool *out_jumps)
{
    const int *crossings = kal_run_switch_crossings(run);
    const size_t count = run->system->pieces.n_switches;
    bool any = false;
    *out_jumps = false;
    for (size_t i = 0; i < count; i++) {
        any = any || crossings[i] != 0;
    }
    if (!run->events.pending || !any || !run->instant->modes) {
        return KAL_OK;
    }
    KAL_TRY(kal_run_look_fully(run, run->horizon));
    KAL_TRY(take_values(run, KAL_JUMP_BEFORE));
    KAL_TRY(find_modes_behind(run, crossings));
    run->instant->modes = run->jumps.modes;
    run->solved = false;
    KalStatus status = kal_run_solve(run);
    if (status == KAL_OK) {
        status = take_values(run, KAL_JUMP_BEHIND);
    }
    run->instant->modes = run->modes.modes;
    run->solved = false;
    if (status != KAL_OK) { // whatever it is, those who go on there tell it
        *out_jumps = true;
        return KAL_OK;
    }
    for (size_t i = 0; i < count_values(run->system); i++) {
        *out_jumps =
            *out_jumps || change_of(run, i, KAL_JUMP_BEFORE, KAL_JUMP_BEHIND) > 0.0;
    }
    return KAL_OK;
}

// The sides that functions of outputs are on, at a time of the step.
static KalStatus find_sides(KalRun *run, double t, double *out)
{
    KAL_TRY(kal_run_visit(run, t));
    KAL_TRY(kal_instant_evaluate(run->instant, KAL_PROGRAM_MARKS));
    for (size_t i = 0; i < run->system->pieces.n_jumps; i++) {
        const double f = run->instant->results[i];
        out[i] = (double)((f > 0.0) - (f < 0.0));
    }
    return KAL_OK;
}

// Narrow a stretch down to where the first function leaves its side; false if none does.
static KalStatus narrow(KalRun *run, KalOutputMark *mark, bool *out_found)
{
    const size_t size = run->system->pieces.n_jumps * sizeof(double);
    double *at = run->jumps.sides;
    double *other = at + run->system->pieces.n_jumps;
    const double largest = fmax(fabs(run->options.from), fabs(run->options.until));
    KAL_TRY(find_sides(run, mark->begin, at));
    KAL_TRY(find_sides(run, mark->end, other));
    *out_found = memcmp(at, other, size) != 0;
    for (int k = 0; *out_found && k < MOST_HALVINGS; k++) {
        const double middle = mark->begin + 0.5 * (mark->end - mark->begin);
        if (mark->end - mark->begin <= NARROW * largest || middle <= mark->begin) {
            return KAL_OK;
        }
        KAL_TRY(find_sides(run, middle, other));
        if (memcmp(at, other, size) != 0) {
            mark->end = middle;
        } else {
            mark->begin = middle;
        }
    }
    return KAL_OK;
}

// Whether an output changes from begin to end by more than on one side of that; on the other it
// may jump too, as sign(x) does where x is 0.
static KalStatus compare_sides(KalRun *run, const KalOutputMark *mark, bool *out_jumps)
{
    const double width = fmax(mark->end - mark->begin, DBL_MIN);
    const double times[KAL_JUMP_LOOKS] = {mark->begin, mark->end,
                                          fmax(mark->begin - width, run->step.t_old),
                                          fmin(mark->end + width, run->step.t_new)};
    *out_jumps = false;
    for (int look = 0; look < KAL_JUMP_LOOKS; look++) {
        KAL_TRY(kal_run_look_ahead(run, times[look]));
        KAL_TRY(take_values(run, look));
    }
    for (size_t i = (size_t)run->system->n; i < count_values(run->system); i++) {
        const double beside = fmin(change_of(run, i, KAL_JUMP_EARLIER, KAL_JUMP_BEFORE),
                                   change_of(run, i, KAL_JUMP_BEHIND, KAL_JUMP_LATER));
        *out_jumps =
            *out_jumps
            || change_of(run, i, KAL_JUMP_BEFORE, KAL_JUMP_BEHIND) > BESIDE * beside;
    }
    return KAL_OK;
}

// Whether an output jumps within a stretch, which is narrowed down then.
static KalStatus examine(KalRun *run, KalOutputMark *mark, bool *out_jumps)
{
    KAL_TRY(narrow(run, mark, out_jumps));
    return *out_jumps ? compare_sides(run, mark, out_jumps) : KAL_OK;
}

KalStatus kal_run_find_jump(KalRun *run, double from, double until,
                            KalOutputMark *out_mark, bool *out_found)
{
    bool near = run->system->pieces.n_jumps > 0;
    *out_found = false;
    while (near && !*out_found && from < until) {
        KAL_TRY(kal_run_find_mark_of_jump(run, from, until, out_mark, &near));
        from = out_mark->end;
        KAL_TRY(near ? examine(run, out_mark, out_found) : KAL_OK);
    }
    return KAL_OK;
}
