// SPDX-License-Identifier: MIT

// Back to the constraints.

#include "base/number.h"
#include "sim/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 8
};

// Residuals up to this, relative to the terms in them, are rounding.
static const double ROUNDING = 2.0 * DBL_EPSILON;

// Residuals that may be left, relative to the terms in them: where constraints are about
// to lose rank, nothing can be done about some.
static const double LENIENT = 1e-6;

// Where the numbers of a level are.
typedef struct Level {
    KalProgramId id;
    double *x; // n, in the instant
} Level;

static void take_metric(KalRun *run)
{
    if (!run->metric_known || !run->constant_mass) {
        if (!kal_projector_set_metric(&run->projector)) {
            kal_projector_set_round_metric(&run->projector);
        }
        run->metric_known = true;
    }
}

static double largest_residual(const KalInstant *instant)
{
    double largest = 0.0;
    for (int i = 0; i < instant->system->m; i++) {
        largest = fmax(largest, fabs(instant->residuals[i]));
    }
    return largest;
}

static bool are_rounding(const KalInstant *instant, const double *x)
{
    const int n = instant->system->n;
    for (int i = 0; i < instant->system->m; i++) {
        const double *row = instant->A + (size_t)i * (size_t)n;
        double size = 0.0;
        for (int j = 0; j < n; j++) {
            size += fabs(row[j] * x[j]);
        }
        if (fabs(instant->residuals[i]) > ROUNDING * size) {
            return false;
        }
    }
    return true;
}

// How large the terms in residual i may be, at least.
static double size_of_terms(const KalInstant *instant, int i, const double *x)
{
    const int n = instant->system->n;
    const double *row = instant->A + (size_t)i * (size_t)n;
    double largest = 1.0;
    double row_size = 0.0;
    for (int j = 0; j < n; j++) {
        largest = fmax(largest, fabs(x[j]));
        row_size += fabs(row[j]);
    }
    return row_size * largest;
}

// Fail because residual i is too large.
static KalStatus fail_residual(const KalRun *run, const Level *level, int i)
{
    const KalInstant *instant = run->instant;
    char t[KAL_NUMBER_SIZE];
    kal_number_print(instant->variables[0], 12, t);
    return kal_fail(run->ctx, KAL_ERR_CONTRADICTION,
                    "no %s near by satisfy constraint %s at t = %s; it is off by %.3g",
                    level->id == KAL_PROGRAM_POSITION ? "positions" : "velocities",
                    kal_system_constraint_names(instant->system)[i], t,
                    instant->residuals[i]);
}

static KalStatus check(const KalRun *run, const Level *level)
{
    const KalInstant *instant = run->instant;
    for (int i = 0; i < instant->system->m; i++) {
        if (fabs(instant->residuals[i])
            > LENIENT * size_of_terms(instant, i, level->x)) {
            return fail_residual(run, level, i);
        }
    }
    return KAL_OK;
}

// One step; false when it leads to no smaller residuals, and then none was made.
static bool improve(KalRun *run, const Level *level)
{
    KalProjector *projector = &run->projector;
    const size_t size = (size_t)run->system->n * sizeof(double);
    kal_projector_set_rows(projector);
    const double before = kal_projector_measure(projector);
    if (!kal_projector_step(projector, KAL_LEAST_DAMPING, level->x, run->trial)) {
        return false;
    }
    memcpy(run->kept, level->x, size);
    memcpy(level->x, run->trial, size);
    if (kal_instant_residuals(run->instant, level->id) == KAL_OK
        && kal_projector_measure(projector) < before) {
        return true;
    }
    memcpy(level->x, run->kept, size);
    return false;
}

// Gauss-Newton steps, theory (15.1) and (15.2), until nothing but rounding is left.
static KalStatus project_level(KalRun *run, const Level *level, double *out_residual)
{
    KalInstant *instant = run->instant;
    KAL_TRY(kal_instant_residuals(instant, level->id));
    bool better = true;
    for (int k = 0; better && k < MOST_STEPS && !are_rounding(instant, level->x); k++) {
        better = improve(run, level);
    }
    if (!better) { // the last trial left its own residuals
        KAL_TRY(kal_instant_residuals(instant, level->id));
    }
    *out_residual = largest_residual(instant);
    return check(run, level);
}

KalStatus kal_run_project(KalRun *run)
{
    run->solved = false;
    if (run->has_position) {
        const Level level = {KAL_PROGRAM_POSITION, kal_instant_q(run->instant)};
        KAL_TRY(project_level(run, &level, &run->residual_q));
    }
    if (run->has_velocity) {
        const Level level = {KAL_PROGRAM_VELOCITY, kal_instant_qd(run->instant)};
        KAL_TRY(project_level(run, &level, &run->residual_qd));
    }
    return KAL_OK;
}

KalStatus kal_run_meet(KalRun *run)
{
    if (run->options.drift == KAL_DRIFT_PROJECT) {
        take_metric(run);
        return kal_run_project(run);
    }
    run->solved = false;
    if (run->has_position) {
        KAL_TRY(kal_instant_residuals(run->instant, KAL_PROGRAM_POSITION));
        run->residual_q = largest_residual(run->instant);
    }
    if (run->has_velocity) {
        KAL_TRY(kal_instant_residuals(run->instant, KAL_PROGRAM_VELOCITY));
        run->residual_qd = largest_residual(run->instant);
    }
    return KAL_OK;
}
