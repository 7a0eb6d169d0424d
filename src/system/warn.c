// SPDX-License-Identifier: MIT

// Warnings that the equations give reason for: coordinates without inertia and constraint, and
// constraints that never act.

#include "system/warn.h"

// Marks the coordinates that entries of a matrix concern.
static void mark(const KalSparse *matrix, bool rows_too, bool *marks)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        for (int64_t k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
            marks[matrix->column[k]] = true;
            if (rows_too) {
                marks[row] = true;
            }
        }
    }
}

static void warn_of_coordinates(const KalEquations *equations, const bool *marks,
                                KalDiagnostics *diagnostics)
{
    for (size_t i = 0; i < equations->n; i++) {
        const KalCoordinate *c = &equations->model->coordinates[i];
        if (!marks[i]) {
            kal_diagnostics_add(diagnostics, KAL_SEVERITY_WARNING, c->span,
                                "coordinate '%s' has neither inertia nor a constraint: "
                                "nothing determines its acceleration",
                                c->name);
        }
    }
}

// Whether some event lets a constraint act.
static bool is_engaged(const KalModel *model, size_t constraint)
{
    for (size_t i = 0; i < model->n_events; i++) {
        for (size_t k = 0; k < model->events[i].n_actions; k++) {
            const KalAction *action = &model->events[i].actions[k];
            if (action->kind == KAL_ACTION_ENGAGE && action->target == constraint) {
                return true;
            }
        }
    }
    return false;
}

bool kal_constraint_stays_off(const KalModel *model, size_t i)
{
    return model->constraints[i].off && !is_engaged(model, i);
}

static void warn_of_constraints(const KalEquations *equations,
                                KalDiagnostics *diagnostics)
{
    for (size_t i = 0; i < equations->m; i++) {
        const KalConstraint *c = &equations->model->constraints[i];
        if (equations->A.start[i] == equations->A.start[i + 1]) {
            kal_diagnostics_add(diagnostics, KAL_SEVERITY_WARNING, c->span,
                                "constraint '%s' never acts: its derivative has no "
                                "acceleration in it",
                                c->name);
        }
        if (kal_constraint_stays_off(equations->model, i)) {
            kal_diagnostics_add(diagnostics, KAL_SEVERITY_WARNING, c->span,
                                "constraint '%s' never acts: it is off, and no event "
                                "engages it",
                                c->name);
        }
    }
}

KalStatus kal_system_warn(const KalEquations *equations, KalDiagnostics *diagnostics)
{
    KalContext *ctx = equations->model->ctx;
    bool *marks = (bool *)kal_alloc(ctx, equations->n + 1, sizeof *marks);
    if (!marks) {
        return kal_no_memory(ctx, "to look at the equations");
    }
    mark(&equations->M, true, marks);
    mark(&equations->A, false, marks);
    mark(&equations->servo_A, false, marks);
    warn_of_coordinates(equations, marks, diagnostics);
    warn_of_constraints(equations, diagnostics);
    kal_free(ctx, marks, (equations->n + 1) * sizeof *marks);
    return KAL_OK;
}
