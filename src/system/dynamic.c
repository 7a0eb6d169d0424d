// SPDX-License-Identifier: MIT

// States and holds of an instant: numbers beside positions and velocities.

#include "system/instant.h"

#include <string.h>

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

void kal_instant_reset_dynamics(KalInstant *instant)
{
    const KalSystem *system = instant->system;
    const KalSettings *s = &instant->settings;
    memcpy(instant->variables + system->layout.states, s->start_states,
           (size_t)system->n_states * sizeof(double));
    memcpy(instant->variables + system->layout.holds, s->start_holds,
           (size_t)system->n_holds * sizeof(double));
}

KalStatus kal_instant_rates(KalInstant *instant, double *out_rates)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_rates);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_RATES));
    memcpy(out_rates, instant->results,
           (size_t)instant->system->n_states * sizeof(double));
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
