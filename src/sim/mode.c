// SPDX-License-Identifier: MIT

// The pieces that a motion is on, and what happens where it comes to another: theory
// (15.11) to (15.13).
//
// A step is computed on the pieces of its beginning, whatever the states of its stages
// are, so that what is integrated is smooth.  Where a switching function crosses zero the
// step ends (event.c) and pieces are chosen anew: by the sign of the function or, at zero,
// by looking a little ahead on either piece.
//
// Invariant: while a run goes on, instant->modes are the pieces that were chosen last; NULL
// lets formulas be taken as they come.

#include "base/number.h"
#include "base/utf8.h"
#include "sim/outlook.h"
#include "sim/run_impl.h"
#include "system/border.h"
#include "system/start.h"
#include "system/switch.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_CROWDED = 100, // changes in a row that are close to each other
    MOST_STRIKES = 100, // impacts at one instant
    MOST_ROUNDS = 20,   // of pieces and contacts in turn
    MOST_HURRIED = 1000 // changes in a row, before their number is foretold
};

// Changes closer than the first part of a run are close to each other; closer than the
// second, if each follows sooner than the one before.
static const double CLOSE = 1e-9;
static const double CLOSER = 1e-6;
// Gaps below this part of the longest time are no pause; and those below this part of the time
// since the first change, over the number of changes, lead to a limit.
static const double PAUSE = 64.0 * DBL_EPSILON;
static const double SHRUNK = 0.01;
// A residual that jumps by more than this, relative to its terms, does jump.
static const double JUMP = 1e-6;
// An energy that changes by no more than forces do it in so many times the distance by
// which states may be wrong does not jump.
static const double FEW = 10.0;
static const double MANY = 1e3; // the same for positions that constraints demand
// What is left of a velocity that impacts bring to rest, in parts of what is allowed.
static const double REST = 1e-6;
// The relative error of a distance that is so many times that of two velocities.
static const double BLUR = 1e3 * DBL_EPSILON;
// A border is passed within this part of the longest time.
static const double LATE = 1e-12;

static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = owner;
    KalModeWatch *watch = &run->modes;
    const size_t count = run->system->pieces.n_switches;
    const size_t n = (size_t)run->system->n;
    watch->modes = kal_carve_doubles(carver, count, 1);
    watch->before = kal_carve_doubles(carver, count, 1);
    watch->loose = kal_carve_doubles(carver, count, 1);
    watch->values = kal_carve_doubles(carver, count, 1);
    watch->levels = kal_carve_doubles(carver, count, 1);
    watch->open = kal_carve_doubles(carver, count, 1);
    watch->bands = kal_carve_doubles(carver, count, 1);
    watch->grains = kal_carve_doubles(carver, count, 1);
    watch->most = kal_carve_doubles(carver, count, 1);
    watch->here = kal_carve_doubles(carver, count, 1);
    watch->kept = kal_carve_doubles(carver, kal_system_state_size(run->system), 1);
    watch->rates = kal_carve_doubles(carver, kal_system_state_size(run->system), 1);
    watch->thrown = kal_carve_doubles(carver, n, 1);
    watch->jumps = kal_carve_doubles(carver, (size_t)run->system->m, 1);
}

KalStatus kal_run_modes_init(KalRun *run)
{
    return run->system->pieces.n_switches > 0 ? kal_workspace_make(
               run->ctx, "for a run", lay_out, run, &run->modes.workspace)
                                              : KAL_OK;
}

void kal_run_modes_clear(KalRun *run)
{
    kal_workspace_clear(run->ctx, &run->modes.workspace);
}

void kal_run_modes_forget(KalRun *run)
{
    run->modes.last = -INFINITY;
    run->modes.gap = INFINITY;
    run->modes.crowded = 0;
    run->instant->modes = NULL;
    for (size_t i = 0; i < run->system->pieces.n_switches; i++) {
        run->modes.modes[i] = NAN;
        run->modes.most[i] = 0.0;
    }
}

KalStatus kal_run_modes_chatter(KalRun *run, size_t i)
{
    assert(i < run->system->pieces.n_switches);
    char where[KAL_PRINTABLE_SIZE + 64];
    char quote[KAL_PRINTABLE_SIZE];
    char t[KAL_NUMBER_SIZE];
    kal_switch_describe(run->system, i, where, sizeof where, quote);
    kal_number_print(run->t, 9, t);
    return kal_fail(run->ctx, KAL_ERR_CHATTER,
                    "%s%s chatters at t = %s: on both sides of where it changes the "
                    "motion leads back there, so it would change without end; for dry "
                    "friction write 'friction name: v, limit = F', which sticks and "
                    "slides, else let an event engage a constraint that holds the "
                    "motion there and another release it, or write a smooth function "
                    "such as tanh in its place",
                    where, quote, t);
}

static void note_functions(KalRun *run, size_t from)
{
    KalModeWatch *watch = &run->modes;
    const size_t count = run->system->pieces.n_switches;
    const double *values = run->instant->results;
    assert(run->system->n_results[KAL_PROGRAM_SWITCHES] == 2 * count && from <= count);
    memcpy(watch->values + from, values + from, (count - from) * sizeof(double));
    memcpy(watch->levels + from, values + count + from,
           (count - from) * sizeof(double));
}

bool kal_run_modes_are_doubtful(KalRun *run)
{
    const double few = 1e3; // times what is taken for zero
    const size_t count = run->system->pieces.n_switches;
    bool doubtful = false;
    if (count > 0 && kal_outlook_evaluate(run) == KAL_OK) {
        note_functions(run, 0);
        kal_outlook_find_bands(run);
        for (size_t i = 0; i < count; i++) {
            doubtful =
                doubtful || fabs(run->modes.values[i]) <= few * run->modes.bands[i];
        }
    }
    return doubtful;
}

static bool has_changed(const KalModeWatch *watch, size_t i)
{
    return watch->modes[i] != watch->before[i] && !isnan(watch->before[i]);
}

// Whether a motion that has no piece yet stays at the border as formulas come: that is what was
// written, though another piece may lead away.
static bool begins_at_rest(KalRun *run, size_t i)
{
    return isnan(run->modes.before[i]) && kal_outlook_rests(run, i);
}

// Choose the piece of a function that is zero, or has just changed its side: the one that
// the motion on it leads to.  Where both or neither do, what is known stays.
static KalStatus decide(KalRun *run, size_t i)
{
    assert(i < run->system->pieces.n_switches);
    const KalSwitchSides sides =
        kal_switch_sides(&run->system->pieces.switches[i], run->modes.levels[i]);
    double *mode = &run->modes.modes[i];
    const double known = *mode;
    if (run->system->pieces.switches[i].timed) {
        kal_outlook_decide_timed(run, i, sides);
        return KAL_OK;
    }
    const KalOutlook to = kal_outlook_find(run, i, sides);
    const bool rises = to.above > 0;
    const bool falls = to.below < 0;
    if ((rises != falls || (to.above < 0 && to.below > 0)) && begins_at_rest(run, i)) {
        return KAL_OK;
    }
    if (to.above < 0 && to.below > 0) {
        return kal_run_modes_chatter(run, i);
    }
    *mode = rises == falls ? known : (rises ? sides.above : sides.below);
    return KAL_OK;
}

// There may be more changes than steps are allowed.
static KalStatus watch_hurry(KalRun *run, size_t i)
{
    assert(i < run->system->pieces.n_switches);
    const KalModeWatch *watch = &run->modes;
    char where[KAL_PRINTABLE_SIZE + 64];
    char quote[KAL_PRINTABLE_SIZE];
    const double each = (run->t - watch->since) / (double)watch->crowded;
    const double ahead = (run->options.until - run->t) / each;
    if (watch->crowded < MOST_HURRIED || run->options.max_steps == 0
        || !(ahead > (double)run->options.max_steps)) {
        return KAL_OK;
    }
    kal_switch_describe(run->system, i, where, sizeof where, quote);
    return kal_fail(
        run->ctx, KAL_ERR_LIMIT,
        "%s%s has changed %ld times from t = %.9g to t = %.9g: if it goes on "
        "so, another %.2g changes come before t = %.9g; every change ends a "
        "step, and no more than %ld steps are allowed; run for a shorter "
        "time, or with another --max-steps",
        where, quote, watch->crowded, watch->since, run->t, ahead, run->options.until,
        run->options.max_steps);
}

// Whether changes that are close to each other have a limit in time, as the bounces of a ball
// have, or follow without pause.  Those of a staircase that the motion climbs, however fast, come
// in gaps that are a fair part of the time since the first, over their number.
static bool has_limit(const KalRun *run, double gap)
{
    const KalModeWatch *watch = &run->modes;
    const double whole = run->t - watch->since;
    const double largest = fmax(fabs(run->options.from), fabs(run->options.until));
    return watch->crowded >= MOST_CROWDED
           && (gap < PAUSE * largest || gap * (double)watch->crowded < SHRUNK * whole);
}

// Changes that follow each other without pause have no end, but those of functions of time.
static KalStatus watch_chatter(KalRun *run)
{
    KalModeWatch *watch = &run->modes;
    const size_t count = run->system->pieces.n_switches;
    size_t changed = 0;
    while (changed < count && !has_changed(watch, changed)) {
        changed++;
    }
    if (changed == count) {
        return KAL_OK;
    }
    const double span = run->options.until - run->options.from;
    const double gap = run->t - watch->last;
    assert(gap >= 0.0);
    const bool close = gap < CLOSE * span || (gap < CLOSER * span && gap < watch->gap);
    run->statistics.switches++;
    watch->last = run->t;
    watch->gap = gap;
    watch->since = close && watch->crowded > 0 ? watch->since : run->t;
    watch->crowded = close ? watch->crowded + 1 : 0;
    return !run->system->pieces.switches[changed].timed && has_limit(run, gap)
               ? kal_run_modes_chatter(run, changed)
               : watch_hurry(run, changed);
}

// The piece of the present state by the side that its function has: where rounding has the
// function on one side of a border and the level on the other, the function counts, for it
// is what was followed.
static double piece_of(const KalRun *run, size_t i)
{
    assert(i < run->system->pieces.n_switches);
    const KalSwitchSides sides =
        kal_switch_sides(&run->system->pieces.switches[i], run->modes.levels[i]);
    return sides.slope * run->modes.values[i] > 0.0 ? sides.above : sides.below;
}

double kal_run_modes_zero(const KalRun *run, size_t i)
{
    assert(i < run->system->pieces.n_switches);
    const double mode = run->modes.modes[i];
    const bool leads_back = !isnan(mode) && mode != piece_of(run, i);
    return leads_back ? kal_outlook_clear(run, i) : run->modes.bands[i];
}

// At a border, the piece that the motion was not on.
static double other_piece(const KalRun *run, size_t i)
{
    const KalSwitchSides sides =
        kal_switch_sides(&run->system->pieces.switches[i], run->modes.levels[i]);
    return run->modes.before[i] == sides.above ? sides.below : sides.above;
}

// The pieces of the functions from one on by their sides; those at zero have none yet.
static void take_sides(KalRun *run, size_t from)
{
    KalModeWatch *watch = &run->modes;
    for (size_t i = from; i < run->system->pieces.n_switches; i++) {
        const bool zero = fabs(watch->values[i]) <= watch->bands[i];
        watch->modes[i] = zero ? (double)NAN : piece_of(run, i);
    }
}

// Choose the piece of one function.  Those that follow may be made of it, and rounding have put
// them on another piece.
static KalStatus choose_one(KalRun *run, size_t i, bool again)
{
    KalModeWatch *watch = &run->modes;
    const double apparent = piece_of(run, i);
    const bool reached = isnan(watch->modes[i]) || has_changed(watch, i);
    watch->open[i] = reached || (again && watch->open[i] != 0.0) ? 1.0 : 0.0;
    KAL_TRY(watch->open[i] != 0.0 ? decide(run, i) : KAL_OK);
    if (again && isnan(watch->modes[i])) {
        watch->modes[i] = other_piece(run, i); // it may not quite rest on that one
    }
    if (!isnan(watch->modes[i]) && watch->modes[i] != apparent) {
        run->solved = false;
        KAL_TRY(kal_outlook_evaluate(run));
        note_functions(run, i + 1);
        take_sides(run, i + 1);
    }
    return KAL_OK;
}

// Choose the pieces that the motion from the instant's state on is on; `again`: after an
// impact at the same instant, which may lead back over any border that was reached in it.
// Clear cases first: what is at zero is decided with the pieces of all others known.
static KalStatus choose(KalRun *run, bool again)
{
    KalModeWatch *watch = &run->modes;
    const size_t count = run->system->pieces.n_switches;
    memcpy(watch->before, watch->modes, count * sizeof(double));
    run->instant->modes = NULL;
    run->solved = false;
    KAL_TRY(kal_outlook_evaluate(run));
    note_functions(run, 0);
    for (size_t i = 0; i < count; i++) {
        watch->modes[i] = piece_of(run, i); // on which functions are smooth
    }
    run->instant->modes = watch->modes;
    kal_outlook_find_bands(run);
    take_sides(run, 0);
    for (size_t i = 0; i < count; i++) {
        KAL_TRY(choose_one(run, i, again));
    }
    run->solved = false;
    return KAL_OK;
}

// By how much number j of a level may differ without jumping: rounding, tolerances, and for
// positions the time by which the place where pieces meet may be missed.
static double allowance(const KalRun *run, KalProgramId level, int j)
{
    assert(j >= 0 && j < run->system->n);
    const double *q = kal_instant_q(run->instant);
    const double *v = kal_instant_qd(run->instant);
    const double late = LATE * fmax(fabs(run->options.from), fabs(run->options.until));
    return level == KAL_PROGRAM_POSITION
               ? JUMP * fabs(q[j]) + late * fabs(v[j]) + MANY * run->options.atol
               : JUMP * fabs(v[j]) + FEW * run->options.atol;
}

// Residuals of a level, with modes as they were and as they are: the row by which they differ
// most, if by more than `part` of what is allowed, or −1.  Rows of contacts and frictions, which
// give way, are judged by their own laws (contact.c).
static KalStatus find_jump(KalRun *run, KalProgramId level, double part, int *out_row)
{
    assert(level == KAL_PROGRAM_POSITION || level == KAL_PROGRAM_VELOCITY);
    KalInstant *instant = run->instant;
    double most = part;
    *out_row = -1;
    instant->modes = run->modes.before;
    KAL_TRY(kal_instant_residuals(instant, level));
    memcpy(run->modes.jumps, instant->residuals,
           (size_t)run->system->m * sizeof(double));
    instant->modes = run->modes.modes;
    KAL_TRY(kal_instant_residuals(instant, level));
    for (int i = 0; i < run->system->m; i++) {
        const KalConstraintRow row = kal_instant_level_row(instant, i);
        double size = 0.0;
        if (run->system->model->constraints[i].role != KAL_ROLE_USUAL) {
            continue;
        }
        for (int k = 0; k < row.count; k++) {
            size += fabs(kal_row_entry(&row, k))
                    * allowance(run, level, (int)row.column[k]);
        }
        const double jump = fabs(instant->residuals[i] - run->modes.jumps[i]) / size;
        *out_row = jump > most ? i : *out_row;
        most = fmax(most, jump);
    }
    return KAL_OK;
}

// Velocities that a constraint demands at once.  Positions stay: they are off by no more than
// the place where pieces meet was found to.
static KalStatus strike(KalRun *run)
{
    run->solved = false;
    return kal_instant_impact(run->instant, NULL);
}

// At the start there is no motion yet that an impact could change: velocities are found anew
// on the piece ahead, with those that are held, unless these leave none.
static KalStatus start_on_piece(KalRun *run, const bool *held, bool *out_done)
{
    const size_t n = (size_t)run->system->n;
    double *v = kal_instant_qd(run->instant);
    memcpy(run->modes.thrown, v, n * sizeof *v);
    run->solved = false;
    const KalStatus status = kal_instant_impact(run->instant, held);
    *out_done = status == KAL_OK;
    if (status == KAL_ERR_CONTRADICTION) {
        memcpy(v, run->modes.thrown, n * sizeof *v);
        return KAL_OK;
    }
    return status;
}

// Impacts that throw the motion to and fro are projections onto one piece and the other in
// turn.  Their limit holds on both (J. von Neumann, Functional Operators II, 1950); but where
// the pieces are at a small angle, as for masses that differ much, it is far away.  Velocities
// of every second impact lie on the piece before, and so do those on the line through two of
// them; on it the residual of row `row`, which land() after an impact has left, is linear.
// Go to where it is zero, or as near as rounding lets one go without passing it: theory
// (15.25).
static void follow_strikes(KalRun *run, int k, int row)
{
    assert(k >= 0);
    const size_t n = (size_t)run->system->n;
    double *v = kal_instant_qd(run->instant);
    const KalConstraintRow slopes = kal_instant_level_row(run->instant, row);
    double slope = 0.0;
    if (k % 4 != 3) {
        memcpy(run->modes.thrown, v, k % 4 == 1 ? n * sizeof *v : 0);
        return;
    }
    for (int i = 0; i < slopes.count; i++) {
        const int64_t j = slopes.column[i];
        slope += kal_row_entry(&slopes, i) * (v[j] - run->modes.thrown[j]);
    }
    const double steps = -run->instant->residuals[row] / slope;
    const double share = 1.0 - BLUR * steps;
    for (size_t j = 0; steps > 0.0 && share > 0.0 && j < n; j++) {
        v[j] += share * steps * (v[j] - run->modes.thrown[j]);
    }
}

static KalStatus tell_strike(KalRun *run, int row)
{
    assert(row >= 0 && row < run->system->m);
    const char *name = kal_system_constraint_names(run->system)[row];
    return kal_run_tell(run, run->t, (KalSubject){KAL_INCIDENT_IMPACT, name},
                        "constraint %s demands another velocity at once: an impact",
                        name);
}

// T and V of the instant's state with some modes.
static KalStatus find_energies(KalRun *run, const double *modes, double out[2])
{
    assert(out);
    run->instant->modes = modes;
    const KalStatus status = kal_instant_evaluate(run->instant, KAL_PROGRAM_ENERGY);
    memcpy(out, run->instant->results, 2 * sizeof *out);
    run->instant->modes = run->modes.modes;
    return status;
}

// By how much forces change an energy over the distance by which a state may be wrong.
static KalStatus find_slack(KalRun *run, const double *modes, double *slack)
{
    assert(slack);
    KalInstant *instant = run->instant;
    const double *q = kal_instant_q(instant);
    instant->modes = modes;
    const KalStatus status = kal_instant_givens(instant);
    for (int j = 0; status == KAL_OK && j < run->system->n; j++) {
        *slack +=
            fabs(instant->Q[j]) * (run->options.atol + run->options.rtol * fabs(q[j]));
    }
    instant->modes = run->modes.modes;
    return status;
}

static KalStatus fail_barrier(KalRun *run, size_t i, const char *which, double jump)
{
    assert(i < run->system->pieces.n_switches && which);
    char where[KAL_PRINTABLE_SIZE + 64];
    char quote[KAL_PRINTABLE_SIZE];
    kal_switch_describe(run->system, i, where, sizeof where, quote);
    return kal_fail(
        run->ctx, KAL_ERR_CONTRADICTION,
        "%s%s makes the %s energy jump by %.3g at t = %.9g: its force there "
        "has no bounds, so the motion is not defined; write a smooth step "
        "such as tanh in its place, or a potential without the step and an "
        "event that sets the velocities",
        where, quote, which, jump, run->t);
}

// The first switch that has changed, those of time alone only if asked for; the number of
// switches if none has.
static size_t first_changed(const KalRun *run, bool timed)
{
    size_t i = 0;
    while (i < run->system->pieces.n_switches
           && !(has_changed(&run->modes, i)
                && (timed || !run->system->pieces.switches[i].timed))) {
        i++;
    }
    return i;
}

// Refuse energies that jump as the motion goes on to other pieces, theory (15.16).  Time may
// change a potential at once, but no mass.
static KalStatus refuse_barriers(KalRun *run)
{
    static const char *const names[] = {"kinetic", "potential"};
    double old[2];
    double new[2];
    double slack = 0.0;
    if (first_changed(run, true) == run->system->pieces.n_switches) {
        return KAL_OK;
    }
    KAL_TRY(find_energies(run, run->modes.before, old));
    KAL_TRY(find_energies(run, run->modes.modes, new));
    const double size = JUMP * (fabs(new[0]) + fabs(new[1]));
    for (int k = 0; k < 2; k++) {
        const size_t i = first_changed(run, k == 0);
        const double jump = fabs(new[k] - old[k]);
        if (i == run->system->pieces.n_switches || jump <= size) {
            continue;
        }
        KAL_TRY(find_slack(run, run->modes.before, &slack));
        KAL_TRY(find_slack(run, run->modes.modes, &slack));
        if (jump > size + FEW * slack) {
            return fail_barrier(run, i, names[k], jump);
        }
    }
    return KAL_OK;
}

// After modes have changed: refuse positions and energies that jump; *out_row is the row
// whose velocity does, by more than `part` of what is allowed, or −1.
static KalStatus land(KalRun *run, bool set, double part, int *out_row)
{
    assert(out_row);
    int row = -1;
    *out_row = -1;
    if (!set) {
        KAL_TRY(refuse_barriers(run));
    }
    if (run->projection.has_position) {
        KAL_TRY(find_jump(run, KAL_PROGRAM_POSITION, 1.0, &row));
    }
    if (row >= 0) {
        return kal_fail(run->ctx, KAL_ERR_CONTRADICTION,
                        "constraint %s jumps at t = %.9g: its formula changes there by "
                        "%.3g at once, and no position can follow",
                        kal_system_constraint_names(run->system)[row], run->t,
                        fabs(run->instant->residuals[row] - run->modes.jumps[row]));
    }
    return run->projection.has_velocity
               ? find_jump(run, KAL_PROGRAM_VELOCITY, part, out_row)
               : KAL_OK;
}

// An impact may throw the motion back to the piece that it came from, and so on: then it
// comes to rest where they meet, as between two walls.  To rest, not to within tolerances: a
// velocity that is left would lead over the border again and again.
static KalStatus settle(KalRun *run, bool set, int row)
{
    assert(row < run->system->m);
    KAL_TRY(row >= 0 ? tell_strike(run, row) : KAL_OK);
    for (int k = 0; k < MOST_STRIKES && row >= 0; k++) {
        KAL_TRY(strike(run));
        KAL_TRY(choose(run, true));
        KAL_TRY(land(run, set, REST, &row));
        if (row >= 0) {
            follow_strikes(run, k, row);
        }
    }
    KAL_TRY(row >= 0 ? land(run, set, 1.0, &row) : KAL_OK);
    return row >= 0 ? kal_run_modes_chatter(run, first_changed(run, true)) : KAL_OK;
}

KalStatus kal_run_modes_prepare(KalRun *run)
{
    if (run->system->pieces.n_switches == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_border_choose(run->instant, run->modes.modes));
    run->instant->modes = run->modes.modes;
    return KAL_OK;
}

KalStatus kal_run_modes_start(KalRun *run, const bool *held)
{
    int row = -1;
    bool done = false;
    if (run->system->pieces.n_switches == 0) {
        return KAL_OK;
    }
    KAL_TRY(choose(run, false));
    KAL_TRY(land(run, false, 1.0, &row));
    if (row >= 0 && held) {
        KAL_TRY(start_on_piece(run, held, &done));
    }
    return done ? choose(run, false) : settle(run, false, row);
}

KalStatus kal_run_modes_enter(KalRun *run, bool set)
{
    int row = -1;
    if (run->system->pieces.n_switches == 0) {
        return KAL_OK;
    }
    KAL_TRY(choose(run, false));
    KAL_TRY(watch_chatter(run));
    KAL_TRY(land(run, set, 1.0, &row));
    return settle(run, set, row);
}

void kal_run_modes_loosen(KalRun *run)
{
    KalModeWatch *watch = &run->modes;
    for (size_t i = 0; i < run->system->pieces.n_switches; i++) {
        const bool told = run->system->pieces.switches[i].bounded;
        watch->loose[i] = told ? watch->modes[i] : (double)NAN;
    }
    run->instant->modes = run->instant->modes ? watch->loose : NULL;
}

KalStatus kal_run_modes_follow(KalRun *run, bool set)
{
    int row = -1;
    if (run->system->pieces.n_switches == 0 || run->system->model->n_contacts == 0) {
        return KAL_OK;
    }
    KAL_TRY(choose(run, false));
    KAL_TRY(land(run, set, 1.0, &row));
    return settle(run, set, row);
}

KalStatus kal_run_modes_agree(KalRun *run, bool set)
{
    const size_t none = run->system->pieces.n_switches;
    const bool any = run->system->model->n_contacts > 0;
    for (int k = 0; any && first_changed(run, true) < none; k++) {
        if (k == MOST_ROUNDS) {
            return kal_run_modes_chatter(run, first_changed(run, true));
        }
        KAL_TRY(kal_run_contacts_review(run));
        KAL_TRY(kal_run_modes_follow(run, set));
    }
    return KAL_OK;
}
