// SPDX-License-Identifier: MIT

// Dragging a point of the picture: Levenberg and Marquardt's method on the constraints.
//
// The point p is a function of the coordinates, known by its values only: the columns of a
// report.  A step of the coordinates is one on the constraints after the start's projection,
// so that column j of the Jacobian J is how p moves when coordinate j is moved a little and
// the state returns to the constraints.  With the rest r = target − p the step
//
//     c = Jᵀ (J Jᵀ + μ I)⁻¹ r
//
// is taken and projected; μ falls where p comes nearer and rises where it does not.  What is
// always true: the best state so far satisfies the constraints.  K. Levenberg, A method for the
// solution of certain non-linear problems in least squares, 1944.

#include "studio/evaluate_impl.h"

#include <kalaba/report.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    COORDINATES_LIMIT = 64,
    ROUNDS = 40
};

static const double NUDGE = 1e-6;    // of a coordinate, to see where the point goes
static const double ARRIVED = 1e-6;  // of the distance at first, which is near enough
static const double EASE = 10.0;     // by which μ rises and falls
static const double STIFFEST = 1e12; // of μ, with which nothing moves

typedef struct Point {
    double at[3];
} Point;

// A point on its way.
typedef struct Pull {
    KalRun *run;
    KalReport *report;
    const KalDrag *drag;
    int n;                            // coordinates
    double best[COORDINATES_LIMIT];   // of the best state
    double rates[COORDINATES_LIMIT];  // velocities at the beginning
    double step[COORDINATES_LIMIT];   // c
    Point columns[COORDINATES_LIMIT]; // of J
    Point rest;                       // r in the best state
    double distance;                  // |r|
} Pull;

// What is left to the target in the state that the run has.
static KalStatus look(Pull *pull, Point *out_rest)
{
    KAL_TRY(kal_report_take(pull->report, pull->run));
    const KalTable *table = kal_report_table(pull->report);
    const double *row = kal_table_row(table, kal_table_rows(table) - 1);
    *out_rest = (Point){{0.0}};
    for (int i = 0; i < pull->drag->n; i++) {
        out_rest->at[i] = pull->drag->to[i] - row[(size_t)pull->drag->columns[i]];
    }
    return KAL_OK;
}

static double length_of(const Point *point)
{
    return hypot(hypot(point->at[0], point->at[1]), point->at[2]);
}

// The best state, moved by a step, brought onto the constraints.
static KalStatus go(Pull *pull, const double *step, Point *out_rest)
{
    assert(step && out_rest);
    KalInstant *instant = kal_run_instant(pull->run);
    double *q = kal_instant_q(instant);
    for (int j = 0; j < pull->n; j++) {
        q[j] = pull->best[j] + step[j];
    }
    memcpy(kal_instant_qd(instant), pull->rates, (size_t)pull->n * sizeof *q);
    KAL_TRY(kal_run_start_here(pull->run));
    return look(pull, out_rest);
}

static KalStatus find_jacobian(Pull *pull)
{
    double nudge[COORDINATES_LIMIT] = {0.0};
    Point rest;
    for (int j = 0; j < pull->n; j++) {
        const double size = NUDGE * (1.0 + fabs(pull->best[j]));
        nudge[j] = size;
        KAL_TRY(go(pull, nudge, &rest));
        nudge[j] = 0.0;
        for (int i = 0; i < 3; i++) {
            pull->columns[j].at[i] = (pull->rest.at[i] - rest.at[i]) / size;
        }
    }
    return KAL_OK;
}

// Solve a symmetric positive definite system of three equations, by elimination in place.
static void solve(double matrix[3][3], double x[3])
{
    for (int k = 0; k < 3; k++) {
        assert(matrix[k][k] > 0.0);
        for (int i = k + 1; i < 3; i++) {
            const double factor = matrix[i][k] / matrix[k][k];
            for (int j = k; j < 3; j++) {
                matrix[i][j] -= factor * matrix[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = 2; k >= 0; k--) {
        for (int j = k + 1; j < 3; j++) {
            x[k] -= matrix[k][j] * x[j];
        }
        x[k] /= matrix[k][k];
    }
}

// The step for a μ, which is relative to the size of J Jᵀ.
static void find_step(Pull *pull, double mu)
{
    assert(mu > 0.0);
    double matrix[3][3] = {{0.0}};
    double x[3];
    double trace = 0.0;
    for (int j = 0; j < pull->n; j++) {
        const double *column = pull->columns[j].at;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                matrix[i][k] += column[i] * column[k];
            }
            trace += column[i] * column[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        matrix[i][i] += trace > 0.0 ? mu * trace : 1.0;
        x[i] = pull->rest.at[i];
    }
    solve(matrix, x);
    for (int j = 0; j < pull->n; j++) {
        const double *column = pull->columns[j].at;
        pull->step[j] = column[0] * x[0] + column[1] * x[1] + column[2] * x[2];
    }
}

// Take a step if it leads nearer; false when none does.  A state that cannot be reached is one
// that is not nearer.
static bool improve(Pull *pull, double *mu)
{
    assert(*mu > 0.0);
    while (*mu < STIFFEST) {
        Point rest;
        find_step(pull, *mu);
        if (go(pull, pull->step, &rest) == KAL_OK
            && length_of(&rest) < pull->distance) {
            memcpy(pull->best, kal_instant_q(kal_run_instant(pull->run)),
                   (size_t)pull->n * sizeof pull->best[0]);
            pull->rest = rest;
            pull->distance = length_of(&rest);
            *mu /= EASE;
            return true;
        }
        *mu *= EASE;
    }
    return false;
}

static KalStatus pull_there(Pull *pull)
{
    static const double still[COORDINATES_LIMIT] = {0.0};
    KalInstant *instant = kal_run_instant(pull->run);
    double mu = 1e-4;
    Point rest;
    memcpy(pull->best, kal_instant_q(instant), (size_t)pull->n * sizeof pull->best[0]);
    memcpy(pull->rates, kal_instant_qd(instant),
           (size_t)pull->n * sizeof pull->rates[0]);
    KAL_TRY(look(pull, &pull->rest));
    pull->distance = length_of(&pull->rest);
    const double near = ARRIVED * pull->distance;
    bool goes_on = pull->distance > 0.0;
    for (int round = 0; goes_on && round < ROUNDS; round++) {
        KAL_TRY(find_jacobian(pull));
        goes_on = improve(pull, &mu) && pull->distance > near;
    }
    KAL_TRY(go(pull, still, &rest));
    return kal_run_start_here(pull->run); // from where nothing has to move
}

static KalStatus check(KalStudy *study, const Pull *pull)
{
    const double columns = (double)kal_table_columns(kal_report_table(pull->report));
    if (pull->n > COORDINATES_LIMIT) {
        return kal_fail(
            study->ctx, KAL_ERR_USAGE,
            "there are too many coordinates to drag a point: %d, and at most "
            "%d can be moved",
            pull->n, COORDINATES_LIMIT);
    }
    for (int i = 0; i < pull->drag->n; i++) {
        const double column = pull->drag->columns[i];
        if (!(column >= 0.0 && column < columns && column == floor(column))) {
            return kal_fail(study->ctx, KAL_ERR_USAGE,
                            "there is no such point to drag");
        }
    }
    return KAL_OK;
}

KalStatus kal_study_drag(KalStudy *study, KalRun *run, const KalDrag *drag)
{
    assert(study->system && drag->n >= 2);
    Pull pull = {.run = run, .drag = drag, .n = kal_system_coordinates(study->system)};
    KAL_TRY(kal_report_create(study->ctx, study->system, &pull.report));
    KalStatus status = check(study, &pull);
    status = status == KAL_OK ? pull_there(&pull) : status;
    kal_report_destroy(pull.report);
    return status;
}
