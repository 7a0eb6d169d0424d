// SPDX-License-Identifier: MIT

// The variables of an FMU.
//
// Parameters that constraints depend on, themselves or through parameters that follow them,
// are fixed: another value in mid-motion would tear the mechanism.  Start values that the
// model calls guesses, or gives by formulas of parameters, are `approx`: whoever sets them
// gives another guess or value, and initialization finds the rest.

#include "export/fmu.h"
#include "expr/order.h"
#include "system/switch.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMBER_SIZE = 24,
    WHERE_SIZE = 256,
    LISTS = 6 // variables for one of a list, at most
};

static char *put_together(const KalExportPlan *plan, const char *before,
                          const char *name, const char *after)
{
    const size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = kal_arena_alloc(plan->arena, size, 1);
    if (text) {
        (void)snprintf(text, size, "%s%s%s", before, name, after);
    }
    return text;
}

static KalStatus no_memory(const KalExportPlan *plan)
{
    return kal_no_memory(plan->ctx, "for the variables of an FMU");
}

// Whether a formula has a parameter in it.
static KalStatus depends(const KalExportPlan *plan, KalExpr e, size_t parameter,
                         bool *out_yes)
{
    const KalModel *model = plan->draft.model;
    return kal_depends_on(model->graph, e, model->parameters[parameter].symbol,
                          out_yes);
}

static bool follows(const KalExportPlan *plan, size_t parameter)
{
    bool found = false;
    for (size_t k = 0; k < plan->settings.follow.n_chosen && !found; k++) {
        found = plan->settings.follow.chosen[k] == parameter;
    }
    return found;
}

static KalStatus is_in_constraint(const KalExportPlan *plan, size_t parameter,
                                  bool *out_yes)
{
    const KalModel *model = plan->draft.model;
    *out_yes = false;
    for (size_t c = 0; c < model->n_constraints && !*out_yes; c++) {
        KAL_TRY(depends(plan, model->constraints[c].residual, parameter, out_yes));
    }
    return KAL_OK;
}

// Whether a parameter that is fixed follows another.
static KalStatus passes_on(const KalExportPlan *plan, const bool *fixed,
                           size_t follower, size_t parameter, bool *out_yes)
{
    *out_yes = false;
    return fixed[follower] && follows(plan, follower) ? depends(
               plan, plan->draft.model->parameters[follower].value, parameter, out_yes)
                                                      : KAL_OK;
}

// Whether constraints, or parameters that are fixed and come later, depend on a parameter.
static KalStatus is_fixed(const KalFmu *fmu, const bool *fixed, size_t parameter,
                          bool *out_yes)
{
    const KalExportPlan *plan = fmu->plan;
    KAL_TRY(is_in_constraint(plan, parameter, out_yes));
    for (size_t p = parameter + 1; p < plan->names.parameters.count && !*out_yes; p++) {
        KAL_TRY(passes_on(plan, fixed, p, parameter, out_yes));
    }
    return KAL_OK;
}

static KalStatus sort_parameters(KalFmu *fmu)
{
    const KalExportPlan *plan = fmu->plan;
    const size_t count = plan->names.parameters.count;
    bool *fixed = kal_arena_alloc(plan->arena, count + 1, sizeof *fixed);
    fmu->parameters = kal_arena_alloc(plan->arena, count + 1, sizeof *fmu->parameters);
    if (!fixed || !fmu->parameters) {
        return no_memory(plan);
    }
    for (size_t i = count; i-- > 0;) { // later ones follow earlier ones
        KAL_TRY(is_fixed(fmu, fixed, i, &fixed[i]));
        fmu->parameters[i] = !kal_export_is_free(plan, i) ? KAL_FMU_CONSTANT
                             : follows(plan, i)           ? KAL_FMU_CALCULATED
                             : fixed[i]                   ? KAL_FMU_FIXED
                                                          : KAL_FMU_TUNABLE;
    }
    return KAL_OK;
}

// Add a variable.  Names of a model differ, and what we add to them cannot be typed in one.
static KalStatus add(KalFmu *fmu, KalFmuVariable variable)
{
    if (!variable.name) {
        return no_memory(fmu->plan);
    }
    fmu->variables[fmu->n_variables++] = variable;
    return KAL_OK;
}

static KalStatus add_parameter(KalFmu *fmu, size_t i)
{
    const KalExportPlan *plan = fmu->plan;
    static const char *const causalities[] = {"local", "calculatedParameter",
                                              "parameter", "parameter"};
    static const char *const variabilities[] = {"constant", "tunable", "fixed",
                                                "tunable"};
    const KalFmuParameter kind = fmu->parameters[i];
    return add(fmu,
               (KalFmuVariable){.name = plan->names.parameters.typed[i],
                                .unit = plan->names.parameters.units[i],
                                .causality = causalities[kind],
                                .variability = variabilities[kind],
                                .initial = kind == KAL_FMU_CALCULATED ? KAL_FMU_COMPUTED
                                                                      : KAL_FMU_EXACT,
                                .start = plan->system->settings.parameters[i]});
}

// A start value that neither moves nor follows from parameters is exact.
static KalStatus find_initial(const KalExportPlan *plan, const KalStartValue *start,
                              KalFmuInitial *out_initial)
{
    uint64_t kinds = 0;
    if (start->kind == KAL_START_HELD) {
        KAL_TRY(kal_model_kinds_in(plan->draft.model, start->value, &kinds));
    }
    *out_initial =
        start->kind == KAL_START_HELD && kinds == 0 ? KAL_FMU_EXACT : KAL_FMU_APPROX;
    return KAL_OK;
}

// The size of a state: that of its start, or 1 if that is small.
static double nominal_of(const KalFmu *fmu, double start)
{
    return fabs(start) > fmu->experiment.atol / fmu->experiment.rtol ? fabs(start)
                                                                     : 1.0;
}

static KalStatus add_state(KalFmu *fmu, const char *name, const char *unit,
                           const KalStartValue *start, double value)
{
    KalFmuInitial initial;
    KAL_TRY(find_initial(fmu->plan, start, &initial));
    return add(fmu, (KalFmuVariable){.name = name,
                                     .unit = unit,
                                     .causality = "output",
                                     .variability = "continuous",
                                     .initial = initial,
                                     .start = value,
                                     .nominal = nominal_of(fmu, value)});
}

// The unit of a rate, in the arena.
static KalStatus rate_unit(const KalExportPlan *plan, const char *unit,
                           const char **out_unit)
{
    *out_unit = unit ? put_together(plan, unit, "/s", "") : NULL;
    return *out_unit || !unit ? KAL_OK : no_memory(plan);
}

// Positions, velocities, states: the order in which derivatives follow.
static KalStatus add_states(KalFmu *fmu)
{
    assert(fmu->at_x == 0);
    const KalExportPlan *plan = fmu->plan;
    const KalModel *model = plan->draft.model;
    const KalLayout *l = &plan->system->layout;
    const double *v = plan->instant->variables;
    fmu->at_x = fmu->n_variables;
    for (size_t i = 0; i < plan->names.coordinates.count; i++) {
        KAL_TRY(add_state(fmu, plan->names.coordinates.typed[i],
                          plan->names.coordinates.units[i],
                          &model->coordinates[i].start_q, v[l->q + i]));
    }
    for (size_t i = 0; i < plan->names.coordinates.count; i++) {
        const char *name =
            put_together(plan, plan->names.coordinates.typed[i], "'", "");
        const char *unit = NULL;
        KAL_TRY(rate_unit(plan, plan->names.coordinates.units[i], &unit));
        KAL_TRY(
            add_state(fmu, name, unit, &model->coordinates[i].start_v, v[l->qd + i]));
    }
    for (size_t i = 0; i < plan->names.states.count; i++) {
        KAL_TRY(add_state(fmu, plan->names.states.typed[i], plan->names.states.units[i],
                          &model->states[i].start, v[l->states + i]));
    }
    fmu->n_x = fmu->n_variables - fmu->at_x;
    return KAL_OK;
}

static KalStatus add_derivatives(KalFmu *fmu)
{
    assert(fmu->n_variables == fmu->at_x + fmu->n_x);
    const KalExportPlan *plan = fmu->plan;
    fmu->at_dx = fmu->n_variables;
    for (size_t i = 0; i < fmu->n_x; i++) {
        const KalFmuVariable *x = &fmu->variables[fmu->at_x + i];
        const char *unit = NULL;
        KAL_TRY(rate_unit(plan, x->unit, &unit));
        KAL_TRY(
            add(fmu, (KalFmuVariable){.name = put_together(plan, "der(", x->name, ")"),
                                      .unit = unit,
                                      .causality = "local",
                                      .variability = "continuous",
                                      .initial = KAL_FMU_COMPUTED,
                                      .derivative = fmu->at_x + i}));
    }
    return KAL_OK;
}

static KalStatus add_computed(KalFmu *fmu, const char *name, const char *unit,
                              bool local)
{
    return add(fmu, (KalFmuVariable){.name = name,
                                     .unit = unit,
                                     .causality = local ? "local" : "output",
                                     .variability = "continuous",
                                     .initial = KAL_FMU_COMPUTED});
}

// Functions whose zeros part pieces of the equations, with how the model writes these.
static KalStatus add_borders(KalFmu *fmu)
{
    const KalExportPlan *plan = fmu->plan;
    for (size_t i = 0; i < plan->borders.n_led; i++) {
        char number[NUMBER_SIZE];
        char where[WHERE_SIZE];
        char quote[KAL_PRINTABLE_SIZE];
        (void)snprintf(number, sizeof number, "%zu", i + 1);
        kal_switch_describe(plan->system, plan->borders.led[i], where, sizeof where,
                            quote);
        const KalFmuVariable border = {
            .name = put_together(plan, "border(", number, ")"),
            .description = put_together(plan, "0 where ", quote, " changes its piece"),
            .causality = "local",
            .variability = "continuous",
            .initial = KAL_FMU_COMPUTED};
        if (!border.description) {
            return no_memory(plan);
        }
        KAL_TRY(add(fmu, border));
    }
    return KAL_OK;
}

static KalStatus add_results(KalFmu *fmu)
{
    assert(fmu->n_variables == fmu->at_dx + fmu->n_x);
    const KalExportPlan *plan = fmu->plan;
    fmu->at_out = fmu->n_variables;
    for (size_t i = 0; i < plan->names.outputs.count; i++) {
        KAL_TRY(add_computed(fmu, plan->names.outputs.typed[i],
                             plan->names.outputs.units[i], false));
    }
    for (size_t i = 0; i < plan->names.constraints.count; i++) {
        const char *name =
            put_together(plan, "reaction(", plan->names.constraints.typed[i], ")");
        KAL_TRY(add_computed(fmu, name, NULL, false));
    }
    fmu->at_events = fmu->n_variables;
    for (size_t i = 0; i < plan->names.events.count; i++) {
        const char *name =
            put_together(plan, "event(", plan->names.events.typed[i], ")");
        KAL_TRY(add_computed(fmu, name, NULL, true));
    }
    KAL_TRY(add_borders(fmu));
    fmu->n_indicators = fmu->n_variables - fmu->at_events;
    for (size_t i = 0; i < plan->names.holds.count; i++) {
        KAL_TRY(add(fmu, (KalFmuVariable){.name = plan->names.holds.typed[i],
                                          .unit = plan->names.holds.units[i],
                                          .causality = "output",
                                          .variability = "discrete",
                                          .initial = KAL_FMU_COMPUTED}));
    }
    KAL_TRY(add_computed(fmu, "energy(kinetic)", NULL, true));
    return add_computed(fmu, "energy(potential)", NULL, true);
}

// Variables in the order of their value references: time, parameters, inputs, states,
// derivatives, results. Whoever needs the references of a kind finds where it begins.
KalStatus kal_fmu_init(KalFmu *fmu, const KalExportPlan *plan, int version)
{
    assert(version == 2 || version == 3);
    *fmu = (KalFmu){
        .plan = plan, .version = version, .experiment = kal_run_options(plan->system)};
    const size_t most =
        LISTS + plan->names.parameters.count
        + LISTS * (plan->names.coordinates.count + plan->names.states.count)
        + plan->names.inputs.count + plan->names.outputs.count
        + plan->names.constraints.count + plan->names.events.count
        + plan->names.holds.count + plan->borders.n_led;
    fmu->variables = kal_arena_alloc(plan->arena, most, sizeof *fmu->variables);
    if (!fmu->variables) {
        return no_memory(plan);
    }
    KAL_TRY(sort_parameters(fmu));
    KAL_TRY(add(fmu, (KalFmuVariable){.name = "t",
                                      .unit = "s",
                                      .description = "time",
                                      .causality = "independent",
                                      .variability = "continuous",
                                      .initial = KAL_FMU_INDEPENDENT}));
    for (size_t i = 0; i < plan->names.parameters.count; i++) {
        KAL_TRY(add_parameter(fmu, i));
    }
    for (size_t i = 0; i < plan->names.inputs.count; i++) {
        KAL_TRY(add(fmu, (KalFmuVariable){.name = plan->names.inputs.typed[i],
                                          .causality = "input",
                                          .variability = "continuous",
                                          .initial = KAL_FMU_GIVEN}));
    }
    KAL_TRY(add_states(fmu));
    KAL_TRY(add_derivatives(fmu));
    return add_results(fmu);
}
