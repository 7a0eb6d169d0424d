// SPDX-License-Identifier: MIT

// The middle of a step across a loss of rank.
//
// Where constraints are about to become dependent, rounding is magnified by ε/σ³ in
// accelerations that follow from the equations, by ε/σ² in velocities that are brought to the
// constraints: near the loss these say nothing.  The motion is smooth there, and its step known
// by nodes away from the middle.  So what is looked at within the gap, a part of the way from the
// loss to the nearer end of the step, has the accelerations and forces of the polynomials through
// those at NODES times beside the gap, theory (15.38), and the way back to the constraints, too.
// A multiplier may have a pole there: the polynomial is then that of its product with the time.
//
// Invariant: while `known`, `times` has the answers at the nodes of this gap.

#include "sim/run_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    NODES = 8,
    SMOOTH =
        5 // times as many numbers as coordinates: accelerations, forces, the way back
};

// Half of the gap, of the way to the nearer end of the step.
static const double GAP = 0.25;
// Nodes, in halves of the gap from its middle.
static const double PLACES[NODES] = {-2.5, -2.0, -1.5, -1.0, 1.0, 1.5, 2.0, 2.5};
// Where the middle is looked for, likewise.
static const double DISTANCES[] = {2.0, 0.5, 0.1};
// What a product with the time has left in the middle, as a part of the largest, where there is
// a pole.
static const double POLE = 1e-3;

void kal_run_gap_lay_out(KalRun *run, KalCarver *carver)
{
    const size_t n = (size_t)run->system->n;
    const size_t m = (size_t)run->system->m;
    const bool serves = !run->instant->large.solver;
    run->gap.width = serves ? SMOOTH * n + m : 0;
    run->gap.answers = kal_carve_doubles(carver, run->gap.width, NODES + 1);
}

void kal_run_gap_close(KalRun *run)
{
    run->gap.middle = NAN;
    run->gap.known = false;
}

// The gap about the middle; none if that is not within the step.
static void take_width(KalRun *run)
{
    const KalOdeStep *step = &run->step;
    const double way =
        fmin(run->gap.middle - step->t_old, step->t_new - run->gap.middle);
    run->gap.half = GAP * way;
    if (!(way > 0.0)) {
        kal_run_gap_close(run);
    }
}

// Contacts and servos find more than forces, and large systems are not looked at often.
void kal_run_gap_open(KalRun *run, double middle)
{
    kal_run_gap_close(run);
    if (run->gap.width > 0 && !run->instant->control
        && run->instant->contacts.n_rows == 0) {
        run->gap.middle = middle;
        take_width(run);
    }
}

bool kal_run_gap_has(const KalRun *run, double t)
{
    return fabs(t - run->gap.middle) < PLACES[NODES - 1] * run->gap.half && t > run->t
           && t < run->horizon;
}

// The answers at a node, one after the other.
static void keep(const KalRun *run, double *to)
{
    const KalMotionAnswer *answer = &run->answer;
    const size_t n = (size_t)answer->n;
    memcpy(to, answer->qdd, n * sizeof *to);
    memcpy(to + n, answer->force_ideal, n * sizeof *to);
    memcpy(to + 2 * n, answer->force_nonideal, n * sizeof *to);
    for (size_t i = 0; i < 2 * n; i++) {
        to[3 * n + i] = kal_instant_q(run->instant)[i] - run->state[i];
    }
    if (answer->m > 0) {
        memcpy(to + SMOOTH * n, answer->multipliers, (size_t)answer->m * sizeof *to);
    }
}

// Look at a time beside the gap, for all that a solve gives.
static KalStatus look_at(KalRun *run, double t)
{
    KAL_TRY(kal_run_look_fully(run, t));
    return kal_run_is_solved(run) ? KAL_OK : kal_run_solve(run);
}

// The middle, where sines at times at a distance on both sides of it would meet at zero.
static KalStatus find_middle(KalRun *run, double distance)
{
    KalRunGap *gap = &run->gap;
    const double before = gap->middle - distance;
    const double after = gap->middle + distance;
    KAL_TRY(look_at(run, before));
    const double sine = run->answer.least_sine;
    KAL_TRY(look_at(run, after));
    const double sum = sine + run->answer.least_sine;
    gap->middle = sum > 0.0 ? before + 2.0 * distance * (sine / sum) : gap->middle;
    return KAL_OK;
}

static KalStatus look_beside(KalRun *run)
{
    KalRunGap *gap = &run->gap;
    for (size_t k = 0; k < sizeof DISTANCES / sizeof DISTANCES[0]; k++) {
        KAL_TRY(find_middle(run, DISTANCES[k] * gap->half));
    }
    take_width(run);
    for (size_t k = 0; k < NODES; k++) {
        KAL_TRY(look_at(run, gap->middle + PLACES[k] * gap->half));
        keep(run, gap->answers + k * gap->width);
    }
    gap->known = true;
    return KAL_OK;
}

// The weights of nodes at a place x, by Lagrange.
static void weigh(double x, double out_weights[NODES])
{
    for (int k = 0; k < NODES; k++) {
        out_weights[k] = 1.0;
        for (int i = 0; i < NODES; i++) {
            out_weights[k] *= i == k ? 1.0 : (x - PLACES[i]) / (PLACES[k] - PLACES[i]);
        }
    }
}

static double sum(const KalRunGap *gap, size_t i, const double weights[NODES])
{
    double value = 0.0;
    for (size_t k = 0; k < NODES; k++) {
        value += weights[k] * gap->answers[k * gap->width + i];
    }
    return value;
}

// A multiplier at x, where it is weighed as the others are unless it has a pole in the middle.
static double sum_with_pole(const KalRunGap *gap, size_t i, double x,
                            const double weights[NODES])
{
    double middle[NODES];
    double left = 0.0;
    double there = 0.0;
    double most = 0.0;
    weigh(0.0, middle);
    for (size_t k = 0; k < NODES; k++) {
        const double product = PLACES[k] * gap->answers[k * gap->width + i];
        left += middle[k] * product;
        there += weights[k] * product;
        most = fmax(most, fabs(product));
    }
    return fabs(left) > POLE * most && x != 0.0 ? there / x : sum(gap, i, weights);
}

// Let the instant be the state at t, and its answer that of the nodes.
static KalStatus bridge(KalRun *run, double t)
{
    KalRunGap *gap = &run->gap;
    const double x = (t - gap->middle) / gap->half;
    const size_t n = (size_t)run->system->n;
    double *found = gap->answers + NODES * gap->width;
    KalMotionAnswer answer = run->answer;
    double weights[NODES];
    weigh(x, weights);
    for (size_t i = 0; i < SMOOTH * n; i++) {
        found[i] = sum(gap, i, weights);
    }
    for (size_t i = SMOOTH * n; i < SMOOTH * n + (size_t)answer.m; i++) {
        found[i] = sum_with_pole(gap, i, x, weights);
    }
    for (size_t i = 0; i < 2 * n; i++) {
        run->state[i] += found[3 * n + i];
    }
    kal_run_put(run, t, run->state);
    KAL_TRY(kal_run_note_residuals(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    answer.qdd = found;
    answer.force_ideal = found + n;
    answer.force_nonideal = found + 2 * n;
    answer.multipliers = found + SMOOTH * n;
    kal_instant_take_answer(run->instant, &answer);
    run->answer = answer;
    run->solved = true;
    run->complete = true;
    run->rushed = false;
    return KAL_OK;
}

// Where nothing is found beside the gap, there is none.
KalStatus kal_run_look_across(KalRun *run, double t)
{
    assert(kal_run_gap_has(run, t));
    if (!run->gap.known && look_beside(run) != KAL_OK) {
        kal_run_gap_close(run);
    }
    if (!(fabs(t - run->gap.middle) < run->gap.half)) {
        return kal_run_look_fully(run, t);
    }
    KAL_TRY(kal_run_interpolate(run, t, run->state));
    return bridge(run, t);
}
