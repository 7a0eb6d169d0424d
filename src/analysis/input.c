// SPDX-License-Identifier: MIT

// Inputs: actuators, or parameters of the model by name.  A parameter that others are made
// of moves them too, as the chain rule says, unless they were overridden.

#include "analysis/input.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for inputs";

enum {
    NAME_SIZE = 200
};

// The input of an actuator changes nothing but itself.
static KalStatus fill_actuator(const KalSystem *system, KalArena *arena, size_t index,
                               KalInput *input)
{
    assert(index < system->model->n_actuators);
    const KalActuator *actuator = &system->model->actuators[index];
    KalExpr *pair = (KalExpr *)kal_arena_alloc(arena, 2, sizeof *pair);
    if (!pair) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    pair[0] = actuator->input;
    pair[1] = kal_int(system->model->graph, 1);
    *input = (KalInput){
        .name = actuator->name, .rates = {pair, pair + 1, 1}
    };
    return KAL_OK;
}

// The rates of all parameters with respect to one: those that were overridden stay.
static KalStatus fill_parameter(const KalSystem *system, KalArena *arena, size_t index,
                                KalInput *input)
{
    const KalModel *model = system->model;
    const size_t n = model->n_parameters;
    KalExpr *symbols = (KalExpr *)kal_arena_alloc(arena, 2 * n, sizeof *symbols);
    if (!symbols) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    KalExpr *rates = symbols + n;
    assert(index < n);
    for (size_t i = 0; i < n; i++) {
        symbols[i] = model->parameters[i].symbol;
        rates[i] = kal_int(model->graph, i == index);
    }
    for (size_t i = index + 1; i < n; i++) {
        const KalParameter *p = &model->parameters[i];
        const KalRates earlier = {symbols, rates, p->overridden ? 0 : i};
        KAL_TRY(kal_total(model->graph, &p->value, 1, &earlier, &rates[i]));
    }
    *input = (KalInput){
        .name = model->parameters[index].name, .rates = {symbols, rates, n}
    };
    return kal_graph_status(model->graph);
}

// No such input; perhaps one with a law, or a similar name.
static KalStatus fail_name(const KalSystem *system, const char *name)
{
    const KalModel *model = system->model;
    const char *near = NULL;
    for (size_t i = 0; i < model->n_laws; i++) {
        if (strcmp(model->laws[i].name, name) == 0) {
            return kal_fail(system->ctx, KAL_ERR_USAGE,
                            "actuator '%s' cannot be an input: its law says what it "
                            "does; name a parameter of the law, such as one that is "
                            "added in it",
                            name);
        }
    }
    for (size_t i = 0; i < model->n_actuators && !near; i++) {
        near = kal_word_find_near(name, &model->actuators[i].name, 1);
    }
    for (size_t i = 0; i < model->n_parameters && !near; i++) {
        near = kal_word_find_near(name, &model->parameters[i].name, 1);
    }
    return kal_fail(system->ctx, KAL_ERR_USAGE,
                    "the model has no actuator or parameter '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// Actuators come before parameters of the same name.
static KalStatus find(const KalSystem *system, KalArena *arena, const char *name,
                      KalInput *input)
{
    const KalModel *model = system->model;
    for (size_t i = 0; i < model->n_actuators; i++) {
        if (strcmp(model->actuators[i].name, name) == 0) {
            return fill_actuator(system, arena, i, input);
        }
    }
    for (size_t i = 0; i < model->n_parameters; i++) {
        if (strcmp(model->parameters[i].name, name) != 0) {
            continue;
        }
        if (model->parameters[i].structural) {
            return kal_fail(system->ctx, KAL_ERR_USAGE,
                            "parameter '%s' cannot be an input: the structure of the "
                            "model depends on it",
                            name);
        }
        return fill_parameter(system, arena, i, input);
    }
    return fail_name(system, name);
}

// Copy the next name of a list without the spaces around it; returns where it ends.
static const char *next_name(const char *text, char name[NAME_SIZE])
{
    assert(text);
    while (*text == ' ' || *text == ',') {
        text++;
    }
    const size_t length = strcspn(text, ",");
    (void)snprintf(name, NAME_SIZE, "%.*s",
                   (int)(length < NAME_SIZE ? length : NAME_SIZE), text);
    size_t used = strlen(name);
    while (used > 0 && name[used - 1] == ' ') {
        name[--used] = '\0';
    }
    return text + length;
}

// At most so many.
static size_t count_names(const char *text)
{
    size_t count = 1;
    for (; *text; text++) {
        count += *text == ',';
    }
    return count;
}

static KalStatus find_named(const KalSystem *system, KalArena *arena, const char *text,
                            KalInputs *inputs)
{
    char name[NAME_SIZE];
    text = next_name(text, name);
    while (name[0] != '\0') {
        for (int i = 0; i < inputs->count; i++) {
            if (strcmp(inputs->list[i].name, name) == 0) {
                return kal_fail(system->ctx, KAL_ERR_USAGE, "input '%s' is named twice",
                                name);
            }
        }
        KAL_TRY(find(system, arena, name, &inputs->list[inputs->count]));
        assert(inputs->list[inputs->count].name);
        inputs->count++;
        text = next_name(text, name);
    }
    return KAL_OK;
}

static KalStatus find_actuators(const KalSystem *system, KalArena *arena,
                                KalInputs *inputs)
{
    assert(inputs->count == 0);
    for (size_t i = 0; i < system->model->n_actuators; i++) {
        KAL_TRY(fill_actuator(system, arena, i, &inputs->list[i]));
        inputs->count++;
    }
    return KAL_OK;
}

KalStatus kal_inputs_find(const KalSystem *system, KalArena *arena, const char *text,
                          KalInputs *out_inputs)
{
    const size_t most = text ? count_names(text) : system->model->n_actuators;
    KalInputs inputs = {.count = 0};
    inputs.list = (KalInput *)kal_arena_alloc(arena, most, sizeof *inputs.list);
    inputs.names = (const char **)kal_arena_alloc(arena, most, sizeof *inputs.names);
    if (!inputs.list || !inputs.names) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    KAL_TRY(text ? find_named(system, arena, text, &inputs)
                 : find_actuators(system, arena, &inputs));
    for (int i = 0; i < inputs.count; i++) {
        inputs.names[i] = inputs.list[i].name;
    }
    assert((size_t)inputs.count <= most);
    *out_inputs = inputs;
    return KAL_OK;
}
