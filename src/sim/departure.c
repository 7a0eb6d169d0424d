// SPDX-License-Identifier: MIT

// Out of a state in which constraints have lost rank.
//
// A run may begin where rows of A vanish or depend on each other for that instant alone: in the
// crossing of a wire with itself, with a linkage that lies flat.  The rows that are left decide
// the acceleration there, and the motion that begins with it may break what the others stand
// for: from rest on a crossing, say, where any branch would do.  So the state is moved as
// velocities and accelerations go, for ever shorter times h, and brought back to the constraints.
// Of a motion that keeps them the part that this takes back vanishes with h, theory (15.30); of
// one that does not it stays.

#include "base/number.h"
#include "sim/rank_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    TIMES = 16 // that are tried
};

// The longest, as a part of the run, and how much shorter each next one is.
static const double LONGEST = 1e-3;
static const double SHORTER = 0.25;

// What may be taken back, as a part of the way: rounding leaves less at some h.
static const double SMALL = 1e-3;

// Move the state away from the start by the time h.
static void depart(KalRun *run, double h)
{
    const size_t n = (size_t)run->system->n;
    const double *q = run->state;
    const double *qd = q + n;
    for (size_t j = 0; j < n; j++) {
        const double qdd = run->rank.departing[2 * n + j];
        run->rank.departing[j] = q[j] + h * (qd[j] + 0.5 * h * qdd);
        run->rank.departing[n + j] = qd[j] + h * qdd;
    }
    run->instant->variables[0] = run->t + h;
    memcpy(kal_instant_q(run->instant), run->rank.departing, 2 * n * sizeof(double));
}

static double ratio(double part, double whole)
{
    return part > 0.0 ? part / whole : 0.0;
}

// The part of the way for the time h that the constraints take back; 1 where they cannot be met.
static double taken_back(KalRun *run, double h)
{
    const size_t n = (size_t)run->system->n;
    const double *aim = run->rank.departing;
    const KalProjector *projector = &run->projection.projector;
    depart(run, h);
    if (kal_instant_givens(run->instant) != KAL_OK) {
        return 1.0;
    }
    kal_projector_set_metric(&run->projection.projector);
    if (kal_run_project(run) != KAL_OK) {
        return 1.0;
    }
    const double *q = kal_instant_q(run->instant);
    const double way = kal_projector_distance(projector, run->state, aim);
    const double change = kal_projector_distance(projector, run->state + n, aim + n);
    const double back = ratio(kal_projector_distance(projector, aim, q), way);
    const double slowed =
        ratio(kal_projector_distance(projector, aim + n, q + n), fmax(change, way / h));
    return fmax(back, slowed);
}

// Let constraint `row` be among those that are named, if it acts; says whether it does.
static bool concern(KalRun *run, int row)
{
    bool acts = false;
    for (int i = 0; i < run->instant->n_active; i++) {
        const bool is_it = run->instant->rows[i] == row;
        run->rank.concerned[i] = run->rank.concerned[i] || is_it;
        acts = acts || is_it;
    }
    return acts;
}

// Whether the way for the time h is more than rounding of a state of rest.
static bool is_way(const KalRun *run, double h)
{
    const int n = run->system->n;
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        most = fmax(most, h * fmax(fabs(run->state[n + j]), fabs(run->answer.qdd[j])));
    }
    return most > run->options.atol;
}

// Mark the acting constraints that the state for the time h breaks by more than rounding, and
// say whether there are any.
static bool find_broken(KalRun *run, double h)
{
    KalInstant *instant = run->instant;
    bool broken = false;
    memset(run->rank.concerned, 0, (size_t)run->system->m * sizeof(bool));
    depart(run, h);
    for (int level = 0; level < 2; level++) {
        const KalProgramId id =
            level == 0 ? KAL_PROGRAM_POSITION : KAL_PROGRAM_VELOCITY;
        const double *x = level == 0 ? kal_instant_q(instant) : kal_instant_qd(instant);
        const bool known = kal_instant_residuals(instant, id) == KAL_OK;
        const int count =
            known ? kal_residuals_unmet(instant, x, 1.0, run->rank.near) : 0;
        for (int k = 0; k < count; k++) {
            broken = concern(run, run->rank.near[k]) || broken;
        }
    }
    return broken;
}

static KalStatus fail_departure(KalRun *run)
{
    char t[KAL_NUMBER_SIZE];
    char names[KAL_PASSAGE_NAMES];
    kal_passage_names(run, names);
    kal_number_print(run->t, 12, t);
    return kal_fail(
        run->ctx, KAL_ERR_NOT_UNIQUE,
        "at t = %s constraints have less rank than right beside this state, and "
        "the motion that begins with the acceleration here breaks %s: which way "
        "it goes is not determined; begin beside this state, or with velocities "
        "that choose a way",
        t, names);
}

// A run that begins anew where a row has vanished since its last begin (theory 15.30): what is
// left of the row is rounding, and so is the way that it would choose.
static KalStatus check_vanished(KalRun *run)
{
    bool any = false;
    KAL_TRY(kal_instant_need_givens(run->instant));
    for (int i = 0; i < run->instant->n_active; i++) {
        run->rank.concerned[i] = kal_rows_part_left(run, i) < KAL_LOST;
        any = any || run->rank.concerned[i];
    }
    if (!any) {
        return KAL_OK;
    }
    char t[KAL_NUMBER_SIZE];
    char names[KAL_PASSAGE_NAMES];
    kal_passage_names(run, names);
    kal_number_print(run->t, 12, t);
    return kal_fail(
        run->ctx, KAL_ERR_NOT_UNIQUE,
        "an event or a renewal interrupts the motion at t = %s, in the very instant in "
        "which the row of A of %s vanishes: which way it goes on is not determined by "
        "the state there; let the one happen beside the other",
        t, names);
}

// Back to the start, solved, with its metric.
static KalStatus come_back(KalRun *run)
{
    run->instant->variables[0] = run->t;
    memcpy(kal_instant_q(run->instant), run->state,
           2 * (size_t)run->system->n * sizeof(double));
    KAL_TRY(kal_run_solve(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    kal_projector_set_metric(&run->projection.projector);
    return KAL_OK;
}

// Tell of rank that is there beside the start, where the instant is, and not in it.
static KalStatus tell_gain(KalRun *run)
{
    const int rank = run->answer.rank_A;
    bool *concerned = run->rank.concerned;
    KAL_TRY(kal_run_solve(run));
    const bool gains = run->answer.rank_A > rank;
    for (int i = 0; i < run->instant->n_active; i++) {
        concerned[i] = run->answer.dependent_set[i] < 0;
    }
    KAL_TRY(come_back(run));
    for (int i = 0; i < run->instant->n_active; i++) {
        concerned[i] = concerned[i] && run->answer.dependent_set[i] >= 0;
    }
    return gains ? kal_passage_tell(run, run->t) : KAL_OK;
}

KalStatus kal_run_check_departure(KalRun *run)
{
    assert(run->solved);
    const size_t n = (size_t)run->system->n;
    const double longest = LONGEST * (run->options.until - run->t);
    double least = 1.0;
    if (run->started && run->rank.at_loss) {
        KAL_TRY(check_vanished(run));
    }
    if (run->answer.rank_A == run->instant->n_active || !is_way(run, longest)
        || run->system->model->n_contacts > 0 || !run->projection.has_velocity) {
        return KAL_OK;
    }
    memcpy(run->rank.departing + 2 * n, run->answer.qdd, n * sizeof(double));
    double h = longest;
    for (int k = 0; k < TIMES && least > SMALL; k++) {
        least = fmin(least, taken_back(run, h));
        h *= SHORTER;
    }
    KAL_TRY(least > SMALL && find_broken(run, longest) ? fail_departure(run) : KAL_OK);
    // The state in which a run first begins is its user's choice, and not told.
    return run->started ? tell_gain(run) : come_back(run);
}
