// SPDX-License-Identifier: MIT

// Back to the constraints: Gauss–Newton steps of least length, theory (15.1) and (15.2).
//
// Positions first, then velocities at the new positions.  The factors of one step serve
// the next as long as residuals fall fast (a simplified Newton method), and serve both
// levels where the same rows have both.  Close to a loss of rank some residuals cannot be
// made small; they are judged by the terms in them in the end.

#include "base/number.h"
#include "sim/run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 8
};

// Residuals beyond this, relative to what rows are made of, show that the rows that count hardly
// tell apart, for the moment, what the others do.
static const double ASTRAY = 32.0 * DBL_EPSILON;

// Residuals that may be left, relative to the terms in them: where constraints are about
// to lose rank, nothing can be done about some.
static const double LENIENT = 1e-6;

// A step that makes residuals smaller by this leaves rows that are good for another.
static const double ENOUGH = 1e-3;

// Where the numbers of a level are.
typedef struct Level {
    KalProgramId id;
    double *x; // n, in the instant
} Level;

void kal_run_use_rows(KalRun *run)
{
    assert(run->instant->ranks.n_independent <= run->instant->n_active);
    const KalInstant *instant = run->instant;
    const bool known = instant->ranks.n_independent > 0 && run->rank.confirmed;
    for (int i = 0; i < run->system->m; i++) {
        run->projection.used[i] = !known;
    }
    for (int k = 0; known && k < instant->ranks.n_independent; k++) {
        run->projection.used[instant->rows[instant->ranks.independent[k]]] = true;
    }
}

void kal_run_forget_rows(KalRun *run)
{
    run->careful = false;
    run->instant->ranks.n_independent = 0;
    run->instant->ranks.lends = false;
    run->rank.known = false;
    run->rank.confirmed = false;
    run->rank.n_seen = 0;
    kal_run_use_rows(run);
}

static double largest_residual(const KalInstant *instant)
{
    double largest = 0.0;
    for (int i = 0; i < instant->system->m; i++) {
        const double size = fabs(instant->residuals[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

// How large the entries of row i are, together: what the row once was counts, for it may be
// about to vanish.
static double size_of_row(const KalRun *run, int i)
{
    const KalConstraintRow row = kal_instant_level_row(run->instant, i);
    const double *once = run->rank.entries + row.first;
    double size = 0.0;
    for (int k = 0; k < row.count; k++) {
        size += fmax(fabs(kal_row_entry(&row, k)), run->rank.known ? once[k] : 0.0);
    }
    return size;
}

// Fail because residual i is too large.
static KalStatus fail_residual(const KalRun *run, const Level *level, int i)
{
    assert(i >= 0 && i < run->system->m);
    const KalInstant *instant = run->instant;
    char t[KAL_NUMBER_SIZE];
    kal_number_print(instant->variables[0], 12, t);
    return kal_fail(run->ctx, KAL_ERR_CONTRADICTION,
                    "no %s near by satisfy constraint %s at t = %s; it is off by %.3g",
                    level->id == KAL_PROGRAM_POSITION ? "positions" : "velocities",
                    kal_system_constraint_names(instant->system)[i], t,
                    instant->residuals[i]);
}

// A row whose residual is more than this part of what it is made of, or −1.
static int find_off(const KalRun *run, const Level *level, double part)
{
    const KalInstant *instant = run->instant;
    double largest = 1.0;
    for (int j = 0; j < run->system->n; j++) {
        largest = fmax(largest, fabs(level->x[j]));
    }
    for (int k = 0; k < instant->n_active; k++) {
        const int i = instant->rows[k];
        if (fabs(instant->residuals[i]) > part * size_of_row(run, i) * largest) {
            return i;
        }
    }
    return -1;
}

// Whether what is left can be accepted.
static KalStatus check(const KalRun *run, const Level *level)
{
    const int row = find_off(run, level, LENIENT);
    return row < 0 ? KAL_OK : fail_residual(run, level, row);
}

// Prepare steps with the rows of the instant, unless those it has will do.
static bool prepare(KalRun *run)
{
    if (!run->projection.prepared) {
        kal_projector_set_rows(&run->projection.projector, run->projection.used);
        run->projection.prepared =
            kal_projector_factor(&run->projection.projector, KAL_LEAST_DAMPING);
    }
    return run->projection.prepared;
}

// One step; false when it leads to no smaller residuals, and then none was made.
static bool improve(KalRun *run, const Level *level)
{
    KalProjector *projector = &run->projection.projector;
    const size_t size = (size_t)run->system->n * sizeof(double);
    if (!prepare(run)) {
        return false;
    }
    const double before = kal_projector_measure(projector);
    kal_projector_step(projector, level->x, run->projection.trial);
    memcpy(run->kept, level->x, size);
    memcpy(level->x, run->projection.trial, size);
    if (kal_instant_residuals(run->instant, level->id) == KAL_OK) {
        const double after = kal_projector_measure(projector);
        run->projection.prepared = after < ENOUGH * before;
        if (after < before) {
            return true;
        }
    }
    memcpy(level->x, run->kept, size);
    return false;
}

// Gauss-Newton steps, theory (15.1) and (15.2), until nothing but rounding is left or nothing
// becomes smaller; says whether the first is the case.
static KalStatus approach(KalRun *run, const Level *level, bool *out_met)
{
    KalInstant *instant = run->instant;
    bool better = true;
    *out_met = kal_residuals_are_rounding(instant, level->x);
    for (int k = 0; better && !*out_met && k < MOST_STEPS; k++) {
        better = improve(run, level);
        *out_met = better && kal_residuals_are_rounding(instant, level->x);
    }
    // The last trial, if it was none, left its own residuals.
    return better ? KAL_OK : kal_instant_residuals(instant, level->id);
}

// Rows that a ranking chose stand for all of them, as long as they are well apart.  Between
// two looks they may come to depend on each other where all rows together do not.
static KalStatus approach_by_all(KalRun *run, const Level *level, bool *out_met)
{
    for (int i = 0; i < run->system->m; i++) {
        run->projection.used[i] = true;
    }
    run->projection.prepared = false;
    const KalStatus status = approach(run, level, out_met);
    run->projection.prepared = false;
    kal_run_use_rows(run);
    return status;
}

static KalStatus project_level(KalRun *run, const Level *level, double *out_residual)
{
    assert(level->x && out_residual);
    KalInstant *instant = run->instant;
    bool met = false;
    KAL_TRY(kal_instant_residuals(instant, level->id));
    KAL_TRY(approach(run, level, &met));
    if (!met && run->rank.confirmed && instant->ranks.n_independent < instant->n_active
        && find_off(run, level, ASTRAY) >= 0) {
        KAL_TRY(approach_by_all(run, level, &met));
    }
    *out_residual = largest_residual(instant);
    return met ? KAL_OK : check(run, level);
}

// Velocities come last, for their constraints depend on positions.
KalStatus kal_run_project(KalRun *run)
{
    run->solved = false;
    run->projection.prepared = false;
    if (run->projection.has_position) {
        const Level level = {KAL_PROGRAM_POSITION, kal_instant_q(run->instant)};
        KAL_TRY(project_level(run, &level, &run->projection.residual_q));
    }
    if (run->projection.has_velocity) {
        const Level level = {KAL_PROGRAM_VELOCITY, kal_instant_qd(run->instant)};
        run->projection.prepared =
            run->projection.prepared && run->projection.same_rows;
        KAL_TRY(project_level(run, &level, &run->projection.residual_qd));
    }
    return KAL_OK;
}

// The residuals of a state that stays as it is.
KalStatus kal_run_note_residuals(KalRun *run)
{
    run->solved = false;
    if (run->projection.has_position) {
        KAL_TRY(kal_instant_residuals(run->instant, KAL_PROGRAM_POSITION));
        run->projection.residual_q = largest_residual(run->instant);
    }
    if (run->projection.has_velocity) {
        KAL_TRY(kal_instant_residuals(run->instant, KAL_PROGRAM_VELOCITY));
        run->projection.residual_qd = largest_residual(run->instant);
    }
    return KAL_OK;
}

typedef bool Take(KalRoad *road, double *out_position, double *out_velocity);

// Return by the program, where the rows that act are known.
static bool hurry(KalRun *run, Take *take)
{
    run->solved = false;
    return run->rank.confirmed && !run->careful
           && take(&run->instant->road, &run->projection.residual_q,
                   &run->projection.residual_qd);
}

// Take the metric from M and A of the present state, or of one before it.
static KalStatus take_metric(KalRun *run)
{
    if (run->projection.metric_lost) {
        KAL_TRY(kal_instant_givens(run->instant));
        run->projection.metric_lost = false;
    }
    kal_projector_set_metric(&run->projection.projector);
    return KAL_OK;
}

// Says whether the program has done it.
static KalStatus meet(KalRun *run, Take *take, bool *out_hurried)
{
    *out_hurried = false;
    if (run->options.drift != KAL_DRIFT_PROJECT) {
        return kal_run_note_residuals(run);
    }
    *out_hurried = hurry(run, take);
    kal_return_note(&run->instant->road, *out_hurried);
    if (*out_hurried) {
        run->projection.metric_lost = true;
        return KAL_OK;
    }
    KAL_TRY(take_metric(run));
    return kal_run_project(run);
}

KalStatus kal_run_meet(KalRun *run)
{
    bool hurried = false;
    return meet(run, kal_return_take, &hurried);
}

KalStatus kal_run_meet_in_speeds(KalRun *run)
{
    bool hurried = false;
    kal_form_keep(&run->integration.form);
    KAL_TRY(meet(run, kal_return_take_in_speeds, &hurried));
    if (!hurried) {
        KAL_TRY(kal_form_follow(&run->integration.form));
        run->projection.residual_qd = largest_residual(run->instant);
    }
    kal_form_compare(&run->integration.form);
    return KAL_OK;
}

KalStatus kal_run_meet_anew(KalRun *run)
{
    kal_run_forget_rows(run);
    return kal_run_meet(run);
}

KalStatus kal_run_meet_again(KalRun *run)
{
    if (run->options.drift != KAL_DRIFT_PROJECT) {
        return kal_run_note_residuals(run);
    }
    if (hurry(run, kal_return_take)) {
        return KAL_OK;
    }
    KAL_TRY(run->projection.metric_lost ? take_metric(run) : KAL_OK);
    return kal_run_project(run);
}
