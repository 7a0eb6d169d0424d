// SPDX-License-Identifier: MIT

// Parameters of a system, and other values of them for an instant.

#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int kal_system_parameters(const KalSystem *system)
{
    return system ? (int)system->model->n_parameters : 0;
}

KalParameterInfo kal_system_parameter(const KalSystem *system, int index)
{
    if (!system || index < 0 || (size_t)index >= system->model->n_parameters) {
        return (KalParameterInfo){.name = ""};
    }
    const KalParameter *p = &system->model->parameters[index];
    return (KalParameterInfo){.name = p->name,
                              .unit = p->unit,
                              .value = system->settings.parameters[index],
                              .fixed = p->structural || p->decided,
                              .sizes = p->structural,
                              .degrees = p->degrees};
}

const double *kal_instant_parameters(const KalInstant *instant)
{
    return instant ? instant->settings.parameters : NULL;
}

// What was learned under other parameters, as which rows are independent, is forgotten.
void kal_instant_apply_settings(KalInstant *instant, const KalSettings *settings)
{
    assert(instant && settings);
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    KalSettings *own = &instant->settings;
    assert(own != settings);
    kal_settings_copy(own, settings, system);
    for (int id = 0; id < KAL_PROGRAMS; id++) {
        kal_program_prepare(system->programs[id], own->parameters, instant->work[id]);
    }
    kal_doubter_prepare(&instant->doubter, own->parameters);
    kal_road_prepare(&instant->road);
    if (instant->control) {
        kal_control_set_weights(instant->control, own->actuator_weights);
    }
    kal_instant_activate(instant, system->starts_active);
    kal_contacts_reset(instant);
    instant->ranks.n_independent = 0;
    instant->ranks.lends = false;
    instant->answer = (KalMotionAnswer){.qdd = NULL};
    instant->variables[0] = own->asked.from;
    kal_instant_reset_dynamics(instant);
    kal_usual_find(instant);
    memcpy(kal_instant_q(instant), own->start_q, n * sizeof(double));
    memcpy(kal_instant_qd(instant), own->start_qd, n * sizeof(double));
}

bool kal_instant_has_parameters(const KalInstant *instant, const KalSettings *settings)
{
    assert(instant->settings.parameters && settings->parameters);
    return memcmp(instant->settings.parameters, settings->parameters,
                  instant->system->model->n_parameters * sizeof(double))
           == 0;
}

static KalStatus fail_unknown(const KalInstant *instant, const char *name)
{
    assert(name);
    const KalModel *model = instant->system->model;
    const char *near = NULL;
    for (size_t i = 0; i < model->n_parameters && !near; i++) {
        near = kal_word_find_near(name, &model->parameters[i].name, 1);
    }
    return kal_fail(instant->ctx, KAL_ERR_USAGE,
                    "the model has no parameter '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// Why a parameter cannot have another value.
static KalStatus fail_fixed(const KalInstant *instant, const KalParameter *p)
{
    return kal_fail(
        instant->ctx, KAL_ERR_FORMULATION,
        p->structural ? "parameter '%s' determines the structure of the model (sizes, "
                        "ranges, what is there): load the model with another value"
                      : "the value of parameter '%s' decided how formulas of the "
                        "model are written: load the model with another value",
        p->name);
}

// Hold one parameter of the trial at a value.
static KalStatus hold(KalInstant *instant, const KalSetting *setting)
{
    assert(setting);
    const KalModel *model = instant->system->model;
    size_t i = 0;
    KAL_NEED(instant->ctx, setting->name);
    while (i < model->n_parameters
           && strcmp(model->parameters[i].name, setting->name) != 0) {
        i++;
    }
    if (i == model->n_parameters) {
        return fail_unknown(instant, setting->name);
    }
    if (instant->trial.held[i]) {
        return kal_fail(instant->ctx, KAL_ERR_USAGE, "parameter '%s' is set twice",
                        setting->name);
    }
    if (!isfinite(setting->value)) {
        return kal_fail(instant->ctx, KAL_ERR_NUMBER,
                        "parameter '%s' is to be %g; expected a finite number",
                        setting->name, setting->value);
    }
    const KalParameter *p = &model->parameters[i];
    if ((p->structural || p->decided) && setting->value != p->number) {
        return fail_fixed(instant, p);
    }
    instant->trial.held[i] = true;
    instant->trial.settings.parameters[i] = setting->value;
    return KAL_OK;
}

// Tried on a copy of the settings, which is taken over only if all of it is sound: a failure
// leaves the instant as it was.
KalStatus kal_instant_set_parameters(KalInstant *instant, const KalSetting *settings,
                                     size_t n)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && (settings || n == 0));
    const KalSystem *system = instant->system;
    const KalSettingsWork w = {instant->work[KAL_PROGRAM_SETTINGS], instant->results,
                               instant->trial.variables};
    memset(instant->trial.held, 0,
           system->model->n_parameters * sizeof *instant->trial.held);
    kal_settings_copy(&instant->trial.settings, &system->settings, system);
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(hold(instant, &settings[i]));
    }
    KAL_TRY(kal_settings_evaluate(&instant->trial.settings, instant->ctx, system,
                                  instant->trial.held, w));
    kal_instant_apply_settings(instant, &instant->trial.settings);
    return KAL_OK;
}
