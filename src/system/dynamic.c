// SPDX-License-Identifier: MIT

// States, holds and inputs of a system and of an instant: what is beside positions and
// velocities.

#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

size_t kal_system_extras(const KalSystem *system)
{
    return system->layout.qdd - system->layout.states;
}

KalExpr kal_system_extra(const KalSystem *system, size_t i)
{
    const KalModel *model = system->model;
    const size_t states = model->n_states;
    const size_t holds = model->n_holds;
    assert(i < kal_system_extras(system));
    if (i < states) {
        return model->states[i].symbol;
    }
    return i < states + holds
               ? model->holds[i - states].symbol
               : model->constraints[system->actives[i - states - holds]].active;
}

double *kal_instant_states(KalInstant *instant)
{
    if (!instant) {
        return NULL;
    }
    return instant->variables + instant->system->layout.states;
}

double *kal_instant_holds(KalInstant *instant)
{
    if (!instant) {
        return NULL;
    }
    return instant->variables + instant->system->layout.holds;
}

double *kal_instant_inputs(KalInstant *instant)
{
    if (!instant) {
        return NULL;
    }
    return instant->variables + instant->system->layout.controls;
}

static KalStatus check_input(const KalInstant *instant, int i, double value)
{
    const char *name = kal_system_input_names(instant->system)[i];
    const double limit = instant->settings.actuator_limits[i];
    if (!isfinite(value)) {
        return kal_fail(instant->ctx, KAL_ERR_NUMBER, "the input %s is %g, no number",
                        name, value);
    }
    if (fabs(value) > limit) {
        return kal_fail(instant->ctx, KAL_ERR_USAGE,
                        "the input %s is %g, beyond its limit %g", name, value, limit);
    }
    return KAL_OK;
}

KalStatus kal_instant_push(KalInstant *instant, const double *B)
{
    const KalSparse *matrix = &instant->system->equations->B;
    const double *inputs = kal_instant_inputs(instant);
    for (int i = 0; i < kal_system_inputs(instant->system); i++) {
        KAL_TRY(check_input(instant, i, inputs[i]));
    }
    for (size_t row = 0; row < matrix->rows; row++) {
        for (int64_t k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
            const double input = inputs[matrix->column[k]];
            instant->Q[row] += input != 0.0 ? B[k] * input : 0.0;
        }
    }
    return KAL_OK;
}

void kal_instant_reset_dynamics(KalInstant *instant)
{
    const KalSystem *system = instant->system;
    const KalSettings *s = &instant->settings;
    memcpy(instant->variables + system->layout.states, s->start_states,
           (size_t)system->n_states * sizeof(double));
    memcpy(instant->variables + system->layout.holds, s->start_holds,
           (size_t)system->n_holds * sizeof(double));
    memset(instant->variables + system->layout.controls, 0,
           (size_t)system->n_actuators * sizeof(double));
}

KalStatus kal_instant_rates(KalInstant *instant, double *out_rates)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_rates);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_RATES));
    memcpy(out_rates, instant->results,
           (size_t)instant->system->n_states * sizeof(double));
    return KAL_OK;
}

// What is held may act on the motion, which must not depend on an arbitrary choice.
static KalStatus check_held(KalInstant *instant, const bool *due)
{
    const KalSystem *system = instant->system;
    const bool *doubts = kal_instant_doubts(instant);
    assert(doubts && system->doubts.n >= (size_t)system->n_holds);
    const bool *of_holds = doubts + system->doubts.n - system->n_holds;
    for (int i = 0; i < system->n_holds; i++) {
        if (of_holds[i] && (!due || due[i])) {
            return kal_fail(
                instant->ctx, KAL_ERR_CONTRADICTION,
                "at t = %g: what is held by '%s' depends on reactions that "
                "are not unique: redundant constraints share a force, and "
                "the motion would depend on an arbitrary choice; remove the "
                "constraints that repeat others, or hold what they do "
                "together, such as the sum of reactions or cforce(x)",
                instant->variables[0], system->model->holds[i].name);
        }
    }
    return KAL_OK;
}

// All values are those of the state before: none is written until all are known.
KalStatus kal_instant_renew(KalInstant *instant, const bool *due)
{
    const KalSystem *system = instant->system;
    double *holds = instant->variables + system->layout.holds;
    if (system->n_holds == 0) {
        return KAL_OK;
    }
    if (system->holds_need_solve) {
        KalMotionAnswer answer;
        KAL_TRY(kal_instant_solve(instant, &answer));
        KAL_TRY(check_held(instant, due));
        KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY));
        instant->variables[system->layout.energy] =
            instant->results[0] + instant->results[1];
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_HOLDS));
    for (int i = 0; i < system->n_holds; i++) {
        holds[i] = !due || due[i] ? instant->results[i] : holds[i];
    }
    return KAL_OK;
}
