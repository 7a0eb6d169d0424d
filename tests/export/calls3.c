// SPDX-License-Identifier: MIT

// Calls of FMI 3 at random: calls.h.  What the standard allows is that of FMI 3.0, chapters 2.3.1,
// 3.2 and 4.2.  In intermediate updates, too, calls are made: variables may be read there and
// nothing may be changed.

#include UNIT

typedef fmi3ValueReference UnitReference;
typedef fmi3FMUState UnitState;
typedef fmi3Byte UnitByte;
typedef fmi3String UnitString;

#define CALL(name)       fmi3##name
#define STATE_CALL(name) fmi3##name##FMUState

enum {
    FINE = fmi3OK,
    FAULT = fmi3Error
};

#include "calls.h"

static void tell_it(fmi3InstanceEnvironment environment, fmi3Status status,
                    fmi3String category, fmi3String message)
{
    (void)environment;
    (void)status;
    (void)category;
    n_told += message[0] != '\0';
}

static int disturb(Instance *self)
{
    switch (pick(8)) {
    case 0: return fmi3Reset(self);
    case 1: return fmi3Terminate(self);
    case 2: return step_it(self, self->kept.state.t, 0.01);
    case 3: return fmi3SetFMUState(self, saved[1][pick(SAVED)]);
    case 4: return fmi3EnterEventMode(self);
    case 5: return fmi3EnterStepMode(self);
    case 6: return fmi3ExitInitializationMode(self);
    default: {
        const UnitReference list[] = {pick(VARIABLES)};
        const double value = number();
        return set_values(self, list, 1, &value);
    }
    }
}

static void update_intermediate(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished,
                                fmi3Boolean may_return, fmi3Boolean *wants,
                                fmi3Float64 *when)
{
    Instance *self = unit[1];
    const Kept before = self->kept;
    const UnitReference list[] = {pick(VARIABLES)};
    double value = 0;
    (void)environment;
    if (set || !get || !finished || time != self->kept.state.t) {
        complain("update", (int)before.mode, 0, "says something else than it is");
    }
    judge("get", self, &before, 1, 1, get_values(self, list, 1, &value));
    if (pick(3) == 0) {
        judge("disturb", self, &before, 0, 0, disturb(self));
    }
    if (pick(20) == 0) {
        fmi3FreeInstance(self); /* which is refused */
    }
    *wants = may_return && pick(4) == 0;
    *when = time + 0.001 * (double)pick(5);
}

static Instance *make_unit(unsigned which)
{
    return which == 0
               ? fmi3InstantiateModelExchange("unit", TOKEN, "", false, pick(2) != 0, 0,
                                              tell_it)
               : fmi3InstantiateCoSimulation("unit", TOKEN, "", false, pick(2) != 0,
                                             pick(2) != 0, pick(2) != 0, 0, 0, 0,
                                             tell_it, update_intermediate);
}

static int get_values(Instance *self, const UnitReference *list, size_t count,
                      double *values)
{
    return fmi3GetFloat64(self, list, count, values, count);
}

static int set_values(Instance *self, const UnitReference *list, size_t count,
                      const double *values)
{
    return fmi3SetFloat64(self, list, count, values, count);
}

static void enter_it(Instance *self, const Kept *before, double from, double stop)
{
    judge("EnterInitializationMode", self, before, in(before, I), 1,
          fmi3EnterInitializationMode(self, pick(2) != 0, 1e-6, from, pick(2) != 0,
                                      stop));
}

static int may_enter_event(const Instance *self, const Kept *before)
{
    return before->kind == MODEL_EXCHANGE ? in(before, C)
                                          : self->has_event_mode && in(before, S);
}

static int may_update(const Kept *before)
{
    return in(before, E);
}

static int update_it(Instance *self)
{
    fmi3Boolean flags[5];
    fmi3Float64 next = 0;
    return fmi3UpdateDiscreteStates(self, &flags[0], &flags[1], &flags[2], &flags[3],
                                    &flags[4], &next);
}

static int complete_it(Instance *self)
{
    fmi3Boolean flags[2];
    return fmi3CompletedIntegratorStep(self, true, &flags[0], &flags[1]);
}

static int get_rates(Instance *self, double *rates, size_t count)
{
    return fmi3GetContinuousStateDerivatives(self, rates, count);
}

static int step_it(Instance *self, double from, double size)
{
    fmi3Boolean flags[3];
    fmi3Float64 reached = 0;
    return fmi3DoStep(self, from, size, pick(2) != 0, &flags[0], &flags[1], &flags[2],
                      &reached);
}

static int find_changes(Instance *self, const UnitReference *unknowns, size_t n,
                        const UnitReference *knowns, size_t k, const double *seed,
                        double *change)
{
    return fmi3GetDirectionalDerivative(self, unknowns, n, knowns, k, seed, k, change,
                                        n);
}

static int measure(Instance *self, UnitState state, size_t *size)
{
    return fmi3SerializedFMUStateSize(self, state, size);
}

static int write_state(Instance *self, UnitState state, UnitByte *bytes, size_t size)
{
    return fmi3SerializeFMUState(self, state, bytes, size);
}

static int read_state(Instance *self, const UnitByte *bytes, size_t size,
                      UnitState *state)
{
    return fmi3DeserializeFMUState(self, bytes, size, state);
}

static void call_own(Instance *self, const Kept *before)
{
    size_t count = 0;
    switch (pick(5)) {
    case 0:
        judge("EnterStepMode", self, before,
              before->kind == CO_SIMULATION && in(before, E), CANNOT_FAIL,
              fmi3EnterStepMode(self));
        break;
    case 1:
        judge("EnterConfigurationMode", self, before, 0, 1,
              fmi3EnterConfigurationMode(self));
        break;
    case 2:
        judge("EvaluateDiscreteStates", self, before, in(before, N | E), CANNOT_FAIL,
              fmi3EvaluateDiscreteStates(self));
        break;
    case 3:
        judge("GetNumberOfEventIndicators", self, before, 1, CANNOT_FAIL,
              fmi3GetNumberOfEventIndicators(self, &count));
        break;
    default:
        judge("GetNumberOfContinuousStates", self, before, 1, CANNOT_FAIL,
              fmi3GetNumberOfContinuousStates(self, &count));
        break;
    }
}
