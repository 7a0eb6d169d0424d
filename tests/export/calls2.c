// SPDX-License-Identifier: MIT

// Calls of FMI 2 at random: calls.h.  What the standard allows is that of FMI 2.0, figures 5 and 6.

#include UNIT

typedef fmi2ValueReference UnitReference;
typedef fmi2FMUstate UnitState;
typedef fmi2Byte UnitByte;
typedef fmi2String UnitString;

#define CALL(name)       fmi2##name
#define STATE_CALL(name) fmi2##name##FMUstate

enum {
    FINE = fmi2OK,
    FAULT = fmi2Error
};

#include "calls.h"

static void tell_it(fmi2ComponentEnvironment environment, fmi2String name,
                    fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)environment;
    (void)name;
    (void)status;
    (void)category;
    n_told += message[0] != '\0';
}

static const fmi2CallbackFunctions HOST = {tell_it, calloc, free, 0, 0};

static Instance *make_unit(unsigned which)
{
    return fmi2Instantiate("unit", which == 0 ? fmi2ModelExchange : fmi2CoSimulation,
                           TOKEN, "", &HOST, fmi2False, (int)pick(2));
}

static int get_values(Instance *self, const UnitReference *list, size_t count,
                      double *values)
{
    return fmi2GetReal(self, list, count, values);
}

static int set_values(Instance *self, const UnitReference *list, size_t count,
                      const double *values)
{
    return fmi2SetReal(self, list, count, values);
}

static void enter_it(Instance *self, const Kept *before, double from, double stop)
{
    if (pick(2) == 0) {
        judge("SetupExperiment", self, before, in(before, I), 1,
              fmi2SetupExperiment(self, (int)pick(2), 1e-6, from, (int)pick(2), stop));
    } else {
        judge("EnterInitializationMode", self, before, in(before, I), 1,
              fmi2EnterInitializationMode(self));
    }
}

static int may_enter_event(const Instance *self, const Kept *before)
{
    (void)self;
    return before->kind == MODEL_EXCHANGE && in(before, C | E);
}

static int may_update(const Kept *before)
{
    return before->kind == MODEL_EXCHANGE && in(before, E);
}

static int update_it(Instance *self)
{
    fmi2EventInfo info;
    return fmi2NewDiscreteStates(self, &info);
}

static int complete_it(Instance *self)
{
    fmi2Boolean flags[2];
    return fmi2CompletedIntegratorStep(self, fmi2True, &flags[0], &flags[1]);
}

static int get_rates(Instance *self, double *rates, size_t count)
{
    return fmi2GetDerivatives(self, rates, count);
}

static int step_it(Instance *self, double from, double size)
{
    return fmi2DoStep(self, from, size, (int)pick(2));
}

static int find_changes(Instance *self, const UnitReference *unknowns, size_t n,
                        const UnitReference *knowns, size_t k, const double *seed,
                        double *change)
{
    return fmi2GetDirectionalDerivative(self, unknowns, n, knowns, k, seed, change);
}

static int measure(Instance *self, UnitState state, size_t *size)
{
    return fmi2SerializedFMUstateSize(self, state, size);
}

static int write_state(Instance *self, UnitState state, UnitByte *bytes, size_t size)
{
    return fmi2SerializeFMUstate(self, state, bytes, size);
}

static int read_state(Instance *self, const UnitByte *bytes, size_t size,
                      UnitState *state)
{
    return fmi2DeSerializeFMUstate(self, bytes, size, state);
}

static void call_own(Instance *self, const Kept *before)
{
    fmi2Real time = 0;
    if (pick(2) == 0) {
        judge("CancelStep", self, before, 0, 1, fmi2CancelStep(self));
    } else {
        (void)fmi2GetRealStatus(self, pick(2) ? fmi2LastSuccessfulTime : fmi2Terminated,
                                &time);
    }
}
