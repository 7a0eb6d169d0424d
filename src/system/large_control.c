// SPDX-License-Identifier: MIT

// Servos of large systems without actuators.  The rows of servos stand below those of all
// constraints; which of these act, the instant knows.  So the structure is analyzed once.

#include "system/large_control.h"

#include "base/workspace.h"
#include "system/large_instant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct KalLargeControl {
    KalContext *ctx;
    const KalSystem *system;
    KalWorkspace workspace;
    int64_t *start;     // m + s + 1
    int64_t *column;    // of all entries
    double *entries;    // of all rows
    double *Q;          // n: no forces
    double *b;          // m + s
    double *sizes;      // m + s: |b|
    bool *acts;         // m + s
    const char **names; // m + s
    KalLarge *solver;
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalLargeControl *control = owner;
    const KalEquations *e = control->system->equations;
    const size_t rows = e->m + e->n_servos;
    const size_t entries = kal_sparse_entries(&e->A) + kal_sparse_entries(&e->servo_A);
    control->start = kal_carve(carver, rows + 1, sizeof *control->start);
    control->column = kal_carve(carver, entries, sizeof *control->column);
    control->entries = kal_carve_doubles(carver, entries, 1);
    control->Q = kal_carve_doubles(carver, e->n, 1);
    control->b = kal_carve_doubles(carver, rows, 1);
    control->sizes = kal_carve_doubles(carver, rows, 1);
    control->acts = kal_carve_bools(carver, rows);
    control->names = kal_carve_names(carver, rows);
}

// The natural rows, then those of servos.
static void join_rows(KalLargeControl *control)
{
    const KalSystem *system = control->system;
    const KalSparse *A = &system->equations->A;
    const KalSparse *servos = &system->equations->servo_A;
    const size_t m = A->rows;
    memcpy(control->start, A->start, (m + 1) * sizeof *A->start);
    memcpy(control->column, A->column, kal_sparse_entries(A) * sizeof *A->column);
    memcpy(control->column + kal_sparse_entries(A), servos->column,
           kal_sparse_entries(servos) * sizeof *servos->column);
    for (size_t i = 0; i < m; i++) {
        control->names[i] = kal_system_constraint_names(system)[i];
    }
    for (size_t i = 0; i < servos->rows; i++) {
        control->start[m + i + 1] = A->start[m] + servos->start[i + 1];
        control->names[m + i] = system->model->servos[i].name;
        control->acts[m + i] = true;
    }
}

static KalStatus init(KalLargeControl *control)
{
    const KalSystem *system = control->system;
    KAL_TRY(kal_workspace_make(control->ctx, "for servos", lay_out, control,
                               &control->workspace));
    join_rows(control);
    KalLargeShape shape = kal_large_shape(system);
    shape.m = system->m + system->n_servos;
    shape.A = (KalRowPattern){shape.m, control->start, control->column};
    shape.constraints = control->names;
    return kal_large_create(control->ctx, &shape, &control->solver);
}

KalStatus kal_large_control_create(KalContext *ctx, const KalSystem *system,
                                   KalLargeControl **out_control)
{
    assert(system->n_servos > 0 && system->n_actuators == 0);
    KalLargeControl *control = KAL_NEW(ctx, KalLargeControl);
    if (!control) {
        return kal_no_memory(ctx, "for servos");
    }
    control->ctx = ctx;
    control->system = system;
    const KalStatus status = init(control);
    if (status != KAL_OK) {
        kal_large_control_destroy(control);
        return status;
    }
    *out_control = control;
    return KAL_OK;
}

void kal_large_control_destroy(KalLargeControl *control)
{
    if (!control) {
        return;
    }
    kal_large_destroy(control->solver);
    kal_workspace_clear(control->ctx, &control->workspace);
    kal_free(control->ctx, control, sizeof *control);
}

KalStatus kal_large_control_solve(KalLargeControl *control, const KalInstant *instant,
                                  const double *servos, const double *gap,
                                  KalMotionAnswer *out_change)
{
    assert(instant->large.solver && servos && gap);
    const KalEquations *e = control->system->equations;
    memcpy(control->entries, instant->large.A,
           kal_sparse_entries(&e->A) * sizeof(double));
    memcpy(control->entries + kal_sparse_entries(&e->A), servos,
           kal_sparse_entries(&e->servo_A) * sizeof(double));
    memcpy(control->acts, instant->large.acts, e->m * sizeof(bool));
    for (size_t i = 0; i < e->n_servos; i++) {
        control->b[e->m + i] = gap[i];
        control->sizes[e->m + i] = fabs(gap[i]);
    }
    const KalLargeProblem problem = {.M = instant->large.M,
                                     .Q = control->Q,
                                     .A = control->entries,
                                     .b = control->b,
                                     .b_size = control->sizes,
                                     .active = control->acts};
    return kal_large_solve(control->solver, &problem, out_change);
}

KalMotionFault kal_large_control_fault(const KalLargeControl *control)
{
    return kal_large_fault(control->solver);
}
