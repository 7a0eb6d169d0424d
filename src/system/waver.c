// SPDX-License-Identifier: MIT

// Contradictions that are rounding: theory (9.25).
//
// A right-hand side whose terms cancel is known only up to their rounding, and dependent
// constraints that each have such a one seem to contradict each other.  How far they may be
// off is found by evaluating them at states that differ by rounding.  A contradiction within
// that is settled by leaving out the row that is known least, until the rest agrees.

#include "system/waver.h"

#include "system/instant.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    TRIALS = 4
};

// Of theory (9.25): the state is changed by this part of itself, and constraints may miss
// each other by this many times what their right-hand sides move.
static const double NUDGE = 32.0 * DBL_EPSILON;
static const double ALLOWED = 8.0;

static size_t count_numbers(const KalSystem *system, bool dense)
{
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    return 2 * n + 1 + 3 * m + (dense ? m * n : 0);
}

KalStatus kal_waver_init(KalWaver *waver, KalContext *ctx, const KalSystem *system,
                         bool dense)
{
    assert(waver && system && system->n > 0);
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    *waver = (KalWaver){.block = NULL};
    waver->block =
        (double *)kal_alloc(ctx, count_numbers(system, dense), sizeof *waver->block);
    if (!waver->block) {
        return kal_no_memory(ctx, "for an instant");
    }
    waver->block_size = count_numbers(system, dense) * sizeof *waver->block;
    waver->state = waver->block;
    waver->b = waver->state + 2 * n + 1;
    waver->spread = waver->b + m;
    waver->few_b = waver->spread + m;
    waver->few_A = waver->few_b + m;
    return KAL_OK;
}

void kal_waver_clear(KalWaver *waver, KalContext *ctx)
{
    kal_free(ctx, waver->block, waver->block_size);
}

// The right-hand sides of all constraints in the present state.
static KalStatus find_b(KalInstant *instant, const double **out_b)
{
    const KalEquations *e = instant->system->equations;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_GIVENS));
    *out_b = instant->results + e->M.start[e->M.rows] + e->n + e->A.start[e->A.rows];
    return KAL_OK;
}

// A sign for each variable and trial, with no pattern that formulas could share.
static double sign_of(size_t variable, int trial)
{
    assert(trial >= 0 && trial < TRIALS);
    const uint64_t mixed = (variable + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed >> (40 + trial) & 1U ? 1.0 : -1.0;
}

// How far right-hand sides move with states that differ by rounding.
static KalStatus find_spread(KalInstant *instant)
{
    const size_t count = 2 * (size_t)instant->system->n + 1;
    const size_t m = (size_t)instant->system->m;
    KalWaver *w = &instant->waver;
    const double *b = NULL;
    memset(w->spread, 0, m * sizeof(double));
    KAL_TRY(find_b(instant, &b));
    memcpy(w->b, b, m * sizeof(double));
    for (int trial = 0; trial < TRIALS; trial++) {
        for (size_t i = 0; i < count; i++) {
            instant->variables[i] = w->state[i] * (1.0 + NUDGE * sign_of(i, trial));
        }
        KAL_TRY(find_b(instant, &b));
        for (size_t i = 0; i < m; i++) {
            w->spread[i] = fmax(w->spread[i], fabs(b[i] - w->b[i]));
        }
    }
    return KAL_OK;
}

// The blamed row whose right-hand side may be off most, or −1 if all of them together
// cannot explain how far the constraints miss each other.
int kal_waver_most_unsure(const KalInstant *instant, const KalMotionFault *fault)
{
    double sum = 0.0;
    double most = 0.0;
    int unsure = -1;
    for (int k = 0; k < fault->count && fault->constraints; k++) {
        assert(fault->indices[k] >= 0 && fault->indices[k] < instant->n_active);
        const double spread = instant->waver.spread[instant->rows[fault->indices[k]]];
        sum += spread;
        if (spread > most) {
            most = spread;
            unsure = fault->indices[k];
        }
    }
    return fault->size <= ALLOWED * sum ? unsure : -1;
}

// What the other rows say goes for those that were left out.
static void adopt(KalInstant *instant, const double *qdd)
{
    const size_t n = (size_t)instant->system->n;
    const KalWaver *w = &instant->waver;
    for (int k = 0; k < instant->n_active; k++) {
        const double *row = instant->A + (size_t)k * n;
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) {
            sum += row[j] * qdd[j];
        }
        if (memcmp(row, w->few_A + (size_t)k * n, n * sizeof(double)) != 0) {
            instant->b[k] = sum;
        }
    }
}

// Leave out one row after the other until the rest agrees.
static KalStatus leave_out(KalInstant *instant, const KalMotionProblem *problem)
{
    const size_t n = (size_t)instant->system->n;
    const KalWaver *w = &instant->waver;
    KalMotionProblem few = *problem;
    KalMotionAnswer answer;
    memcpy(w->few_A, instant->A, (size_t)instant->n_active * n * sizeof(double));
    memcpy(w->few_b, instant->b, (size_t)instant->n_active * sizeof(double));
    few.A = w->few_A;
    few.b = w->few_b;
    for (int k = 0; k < instant->n_active; k++) {
        const KalMotionFault fault = kal_motion_fault(instant->motion);
        const int row = kal_waver_most_unsure(instant, &fault);
        if (row < 0) {
            return KAL_OK;
        }
        memset(w->few_A + (size_t)row * n, 0, n * sizeof(double));
        w->few_b[row] = 0.0;
        const KalStatus status = kal_motion_solve(instant->motion, &few, &answer);
        if (status == KAL_OK) {
            adopt(instant, answer.qdd);
        }
        if (status != KAL_ERR_CONTRADICTION) {
            return KAL_OK; // other failures come back in the solve that follows
        }
    }
    return KAL_OK;
}

KalStatus kal_waver_measure(KalWaver *waver, KalInstant *instant)
{
    const size_t size = (2 * (size_t)instant->system->n + 1) * sizeof(double);
    memcpy(waver->state, instant->variables, size);
    const KalStatus status = find_spread(instant);
    memcpy(instant->variables, waver->state, size);
    return status;
}

KalStatus kal_waver_settle(KalInstant *instant, const KalMotionProblem *problem)
{
    const KalStatus status = kal_waver_measure(&instant->waver, instant);
    // Where formulas have no value close by, nothing is known.
    return status == KAL_OK ? leave_out(instant, problem) : KAL_OK;
}
