// SPDX-License-Identifier: MIT

// What `eval` shows: the equations of an instant in numbers, with their answer.

#include "system/instant.h"

#include "problem/view.h"
#include "show/show.h"
#include "system/draft.h"

#include <kalaba/show.h>

#include <assert.h>

enum {
    GROUPS = 5
};

// Names and units that a view needs as lists.
typedef struct Lists {
    const char **units;    // of outputs
    const char **controls; // names of actuators
    size_t n_outputs;
    size_t n_actuators;
} Lists;

// One allocation holds both lists, units first; there is one place more than needed,
// for none may be of size 0.
static KalStatus fill_lists(const KalInstant *instant, Lists *lists)
{
    assert(!lists->units);
    const KalModel *model = instant->system->model;
    lists->n_outputs = model->n_outputs;
    lists->n_actuators = model->n_actuators;
    lists->units = (const char **)kal_alloc(
        instant->ctx, model->n_outputs + model->n_actuators + 1, sizeof(char *));
    if (!lists->units) {
        return kal_no_memory(instant->ctx, "to show an instant");
    }
    lists->controls = lists->units + model->n_outputs;
    for (size_t i = 0; i < model->n_outputs; i++) {
        lists->units[i] = model->outputs[i].unit;
    }
    for (size_t i = 0; i < model->n_actuators; i++) {
        lists->controls[i] = model->actuators[i].name;
    }
    return KAL_OK;
}

static void clear_lists(const KalInstant *instant, Lists *lists)
{
    kal_free(instant->ctx, lists->units,
             (lists->n_outputs + lists->n_actuators + 1) * sizeof(char *));
}

// What there is besides the answer: outputs and, under control, its inputs and forces.
static size_t fill_groups(KalInstant *instant, const Lists *lists,
                          const double *outputs, KalViewGroup groups[GROUPS])
{
    assert(outputs || lists->n_outputs == 0);
    const KalSystem *system = instant->system;
    size_t count = 0;
    groups[count++] = (KalViewGroup){.key = "outputs",
                                     .heading = "output",
                                     .names = kal_system_output_names(system),
                                     .units = lists->units,
                                     .values = outputs,
                                     .unique_key = "unique_output",
                                     .doubts = kal_instant_doubts(instant),
                                     .count = lists->n_outputs};
    groups[count++] = (KalViewGroup){.key = "states",
                                     .heading = "state",
                                     .names = kal_system_state_names(system),
                                     .values = kal_instant_states(instant),
                                     .count = (size_t)system->n_states};
    groups[count++] = (KalViewGroup){.key = "holds",
                                     .heading = "held value",
                                     .names = kal_system_hold_names(system),
                                     .values = kal_instant_holds(instant),
                                     .count = (size_t)system->n_holds};
    if (!instant->control) {
        return count;
    }
    const KalControlAnswer control = kal_control_get(instant->control);
    assert(control.force && control.inputs);
    groups[count++] = (KalViewGroup){.key = "control_force",
                                     .heading = "control force on",
                                     .names = kal_system_coordinate_names(system),
                                     .values = control.force,
                                     .count = (size_t)system->n};
    groups[count++] = (KalViewGroup){.key = "control",
                                     .heading = "input",
                                     .names = lists->controls,
                                     .values = control.inputs,
                                     .count = lists->n_actuators};
    return count;
}

static KalViewEntries entries_of(const KalSparse *matrix, const double *value)
{
    assert(matrix->start || matrix->rows == 0);
    return (KalViewEntries){.rows = (int)matrix->rows,
                            .columns = (int)matrix->columns,
                            .start = matrix->start,
                            .column = matrix->column,
                            .value = value};
}

// M and A of a large system.
static void add_entries(const KalInstant *instant, KalInstantView *view)
{
    const KalEquations *e = instant->system->equations;
    view->sparse = instant->large.solver != NULL;
    view->M = entries_of(&e->M, instant->large.M);
    view->M.lower = true;
    view->A = entries_of(&e->A, instant->large.A);
    view->A.rows = instant->n_active;
    view->A.pick = instant->rows;
}

KalStatus kal_show_instant(KalInstant *instant, const KalMotionAnswer *answer,
                           const KalShowOptions *options, KalSink sink)
{
    KAL_NEED(instant ? instant->ctx : NULL,
             instant && answer && options && sink.write
                 && (unsigned)options->format <= KAL_SHOW_HTML);
    const KalSystem *system = instant->system;
    const double *outputs = NULL;
    Lists lists = {.units = NULL};
    KalViewGroup groups[GROUPS];
    KAL_TRY(kal_instant_outputs(instant, &outputs));
    KAL_TRY(fill_lists(instant, &lists));
    KalInstantView view = {
        .title = kal_system_title(system),
        .t = kal_instant_t(instant),
        .q = kal_instant_q(instant),
        .qd = kal_instant_qd(instant),
        .givens = kal_instant_problem(instant),
        .coordinates = kal_system_coordinate_names(system),
        .constraints = instant->row_names,
        .answer = answer,
        .groups = groups,
        .n_groups = fill_groups(instant, &lists, outputs, groups),
    };
    add_entries(instant, &view);
    if (options->format == KAL_SHOW_JSON) {
        kal_view_write_json(&view, sink);
    } else {
        kal_view_write_text(&view, options->color, sink);
    }
    clear_lists(instant, &lists);
    return KAL_OK;
}

KalStatus kal_show_system(KalContext *ctx, const KalSystem *system,
                          const KalShowOptions *options, KalSink sink)
{
    KAL_NEED(ctx, ctx && system && options && sink.write
                      && (unsigned)options->format <= KAL_SHOW_HTML);
    KalDraft draft;
    KalStatus status = kal_draft_init(&draft, ctx, system);
    if (status == KAL_OK) {
        status = kal_show_equations(&draft.equations, options, sink);
    }
    kal_draft_clear(&draft);
    return status;
}

void kal_show_error_json(const char *message, const char *const *names, int n_names,
                         KalSink sink)
{
    if (!(message && (names || n_names == 0) && sink.write)) {
        return;
    }
    kal_view_write_error_json(message, names, (size_t)n_names, sink);
}
