// SPDX-License-Identifier: MIT

// The model as lists, which grow while it is built and never change afterwards.
//
// Symbols have numbers in the order in which they are made, and the list of symbols says of
// each what it is: its kind and its place in the list of that kind.  Formulas are nodes of
// one graph.  A fork shares all lists with its model and has a graph of its own, in which
// others may add formulas; it must not grow the lists.

#include "model/model.h"

#include "base/block.h"
#include "expr/diff.h"
#include "expr/order.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_BYTES = 1 << 28, // for names, labels and small lists
    SMALLEST_LIST = 8
};

// The kinds of symbols in each node, as uint16_t.
typedef struct KalKindTable {
    KalBlock of;
} KalKindTable;

// Lists keep no capacity: it is the next number of which three bits below the first are all
// that is set, so that an eighth at most lies idle.
static size_t capacity_for(size_t count)
{
    size_t step = 1;
    while (count / step / 2 >= SMALLEST_LIST) {
        step *= 2;
    }
    const size_t capacity = (count + step - 1) / step * step;
    return count > 0 && capacity < SMALLEST_LIST ? SMALLEST_LIST : capacity;
}

// Append `size` bytes at `entry` to the list whose first element `*list` points to.
static KalStatus append(KalContext *ctx, void *list, size_t *count, const void *entry,
                        size_t size)
{
    const size_t before = capacity_for(*count);
    const size_t after = capacity_for(*count + 1);
    assert(after > *count);
    char *items = NULL;
    memcpy(&items, list, sizeof items);
    if (*count >= UINT32_MAX - 1) {
        return kal_fail(ctx, KAL_ERR_LIMIT, "the model is too large");
    }
    if (before != after) {
        items = (char *)kal_resize(ctx, items, before * size, after * size);
        if (!items) {
            return kal_no_memory(ctx, "for the model");
        }
        memcpy(list, &items, sizeof items);
    }
    memcpy(items + *count * size, entry, size);
    (*count)++;
    return KAL_OK;
}

#define APPEND(model, list, entry)                                             \
    (assert(!(model)->fork),                                                   \
     append((model)->ctx, (void *)&(model)->list, &(model)->n_##list, (entry), \
            sizeof *(model)->list))

#define CLEAR(model, list)                \
    kal_free((model)->ctx, (model)->list, \
             capacity_for((model)->n_##list) * sizeof *(model)->list)

const char *kal_model_text(KalModel *model, const char *text, size_t length)
{
    assert(text || length == 0);
    char *copy = (char *)kal_arena_alloc(model->arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

// before + name + after, as one text.
static const char *compose(KalModel *model, const char *before, const char *name,
                           const char *after)
{
    assert(before && name && after);
    const size_t length = strlen(before) + strlen(name) + strlen(after);
    char *text = (char *)kal_arena_alloc(model->arena, length + 1, 1);
    if (text) {
        (void)snprintf(text, length + 1, "%s%s%s", before, name, after);
    }
    return text;
}

// Make a symbol whose name is before + name + after.
static KalStatus add_symbol(KalModel *model, KalSymbol entry, const char *before,
                            const char *after, KalExpr *out_symbol)
{
    entry.name = compose(model, before, entry.name, after);
    if (!entry.name) {
        return kal_no_memory(model->ctx, "for the model's names");
    }
    const uint32_t id = (uint32_t)model->n_symbols;
    assert(model->graph);
    KAL_TRY(APPEND(model, symbols, &entry));
    *out_symbol = kal_symbol(model->graph, id);
    return kal_graph_status(model->graph);
}

// A place for texts and for what is found about nodes of the graph.
static KalStatus init_tables(KalModel *model)
{
    KAL_TRY(kal_arena_create(model->ctx, kal_usual_times(model->ctx, TEXT_BYTES),
                             &model->arena));
    model->kinds =
        (KalKindTable *)kal_arena_alloc(model->arena, 1, sizeof *model->kinds);
    return model->kinds ? KAL_OK : kal_no_memory(model->ctx, "for a model");
}

static KalStatus init(KalModel *model)
{
    KAL_TRY(init_tables(model));
    KAL_TRY(kal_graph_create(model->ctx, &model->graph));
    const KalSymbol time = {.name = "t", .kind = KAL_SYMBOL_TIME};
    const KalSymbol energy = {.name = "energy", .kind = KAL_SYMBOL_ENERGY};
    KAL_TRY(add_symbol(model, time, "", "", &model->time));
    return add_symbol(model, energy, "", "()", &model->energy);
}

KalStatus kal_model_create(KalContext *ctx, KalModel **out_model)
{
    assert(ctx && out_model);
    KalModel *model = KAL_NEW(ctx, KalModel);
    if (!model) {
        return kal_no_memory(ctx, "for a model");
    }
    model->ctx = ctx;
    model->title = "";
    const KalStatus status = init(model);
    if (status != KAL_OK) {
        kal_model_destroy(model);
        return status;
    }
    *out_model = model;
    return KAL_OK;
}

// A copy that shares the tables of the model and has a graph of its own to add formulas
// to.
KalStatus kal_model_fork(KalContext *ctx, const KalModel *model, KalModel **out_fork)
{
    assert(ctx && model && out_fork);
    KalModel *fork = KAL_NEW(ctx, KalModel);
    if (!fork) {
        return kal_no_memory(ctx, "for a model");
    }
    *fork = *model;
    fork->fork = true;
    fork->ctx = ctx;
    fork->arena = NULL;
    fork->kinds = NULL;
    fork->graph = NULL;
    KalStatus status = init_tables(fork);
    if (status == KAL_OK) {
        status = kal_graph_fork(ctx, model->graph, &fork->graph);
    }
    if (status != KAL_OK) {
        kal_model_destroy(fork);
        return status;
    }
    *out_fork = fork;
    return KAL_OK;
}

static void clear_lists(KalModel *model)
{
    assert(!model->fork);
    CLEAR(model, symbols);
    CLEAR(model, parameters);
    CLEAR(model, coordinates);
    CLEAR(model, contributions);
    CLEAR(model, constraints);
    CLEAR(model, contacts);
    CLEAR(model, actuators);
    CLEAR(model, servos);
    CLEAR(model, states);
    CLEAR(model, holds);
    CLEAR(model, tables);
    CLEAR(model, laws);
    CLEAR(model, promises);
    CLEAR(model, outputs);
    CLEAR(model, events);
    CLEAR(model, plots);
    CLEAR(model, drawings);
    CLEAR(model, origins);
    CLEAR(model, conditions);
}

void kal_model_freeze(KalModel *model)
{
    assert(!model->fork);
    kal_graph_freeze(model->graph);
    kal_block_clear(model->ctx, &model->kinds->of);
}

void kal_model_destroy(KalModel *model)
{
    if (!model) {
        return;
    }
    if (!model->fork) {
        clear_lists(model);
    }
    if (model->kinds) {
        kal_block_clear(model->ctx, &model->kinds->of);
    }
    kal_graph_destroy(model->graph);
    kal_arena_destroy(model->arena);
    kal_free(model->ctx, model, sizeof *model);
}

KalStatus kal_model_add_parameter(KalModel *model, KalParameter entry,
                                  uint32_t *out_index)
{
    assert(!model->fork && entry.name);
    const uint32_t index = (uint32_t)model->n_parameters;
    const KalSymbol symbol = {entry.name, KAL_SYMBOL_PARAMETER, index};
    KAL_TRY(add_symbol(model, symbol, "", "", &entry.symbol));
    KAL_TRY(APPEND(model, parameters, &entry));
    *out_index = index;
    return KAL_OK;
}

KalStatus kal_model_add_coordinate(KalModel *model, KalCoordinate entry,
                                   uint32_t *out_index)
{
    assert(!model->fork && entry.name);
    const uint32_t index = (uint32_t)model->n_coordinates;
    const KalSymbol q = {entry.name, KAL_SYMBOL_COORDINATE, index};
    const KalSymbol v = {entry.name, KAL_SYMBOL_VELOCITY, index};
    const KalSymbol a = {entry.name, KAL_SYMBOL_ACCELERATION, index};
    KAL_TRY(add_symbol(model, q, "", "", &entry.q));
    KAL_TRY(add_symbol(model, v, "", "'", &entry.v));
    KAL_TRY(add_symbol(model, a, "", "''", &entry.a));
    KAL_TRY(APPEND(model, coordinates, &entry));
    *out_index = index;
    return KAL_OK;
}

KalStatus kal_model_add_contribution(KalModel *model, KalContribution entry)
{
    return APPEND(model, contributions, &entry);
}

// The highest derivative in a residual.
static KalStatus find_level(const KalModel *model, KalExpr residual,
                            KalConstraintLevel *out_level)
{
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(model, residual, &kinds));
    *out_level = KAL_LEVEL_POSITION;
    if (kinds & (UINT64_C(1) << KAL_SYMBOL_ACCELERATION)) {
        *out_level = KAL_LEVEL_ACCELERATION;
    } else if (kinds & (UINT64_C(1) << KAL_SYMBOL_VELOCITY)) {
        *out_level = KAL_LEVEL_VELOCITY;
    }
    return KAL_OK;
}

KalStatus kal_model_add_constraint(KalModel *model, KalConstraint entry,
                                   uint32_t *out_index)
{
    assert(!model->fork && entry.name && entry.residual.index != 0);
    const uint32_t index = (uint32_t)model->n_constraints;
    const KalSymbol symbol = {entry.name, KAL_SYMBOL_REACTION, index};
    KAL_TRY(find_level(model, entry.residual, &entry.level));
    if (entry.driven == KAL_NOT_DRIVEN) {
        KAL_TRY(add_symbol(model, symbol, "reaction(", ")", &entry.reaction));
    } else {
        KAL_TRY(add_symbol(model, symbol, "", "", &entry.reaction));
    }
    KAL_TRY(APPEND(model, constraints, &entry));
    *out_index = index;
    return KAL_OK;
}

KalStatus kal_model_add_contact(KalModel *model, KalContact entry)
{
    return APPEND(model, contacts, &entry);
}

KalStatus kal_model_add_actuator(KalModel *model, KalActuator entry,
                                 uint32_t *out_index)
{
    assert(!model->fork && entry.name);
    const uint32_t index = (uint32_t)model->n_actuators;
    const KalSymbol symbol = {entry.name, KAL_SYMBOL_CONTROL, index};
    KAL_TRY(add_symbol(model, symbol, "control(", ")", &entry.input));
    KAL_TRY(APPEND(model, actuators, &entry));
    *out_index = index;
    return KAL_OK;
}

KalStatus kal_model_add_servo(KalModel *model, KalServo entry)
{
    KAL_TRY(find_level(model, entry.residual, &entry.level));
    return APPEND(model, servos, &entry);
}

// A symbol for a formula that is not known yet.
static KalStatus promise(KalModel *model, const char *name, const char *before,
                         const char *after, KalExpr *out_symbol)
{
    const KalSymbol symbol = {name, KAL_SYMBOL_PROMISE, (uint32_t)model->n_promises};
    KalPromise entry = {.formula = KAL_NO_EXPR};
    KAL_TRY(add_symbol(model, symbol, before, after, &entry.symbol));
    KAL_TRY(APPEND(model, promises, &entry));
    *out_symbol = entry.symbol;
    return KAL_OK;
}

KalStatus kal_model_add_state(KalModel *model, KalStateVariable entry,
                              uint32_t *out_index)
{
    const uint32_t index = (uint32_t)model->n_states;
    const KalSymbol symbol = {entry.name, KAL_SYMBOL_STATE, index};
    KAL_TRY(add_symbol(model, symbol, "", "", &entry.symbol));
    KAL_TRY(promise(model, entry.name, "", "'", &entry.slope));
    KAL_TRY(APPEND(model, states, &entry));
    *out_index = index;
    return KAL_OK;
}

KalStatus kal_model_add_hold(KalModel *model, KalHold entry, uint32_t *out_index)
{
    const uint32_t index = (uint32_t)model->n_holds;
    const KalSymbol symbol = {entry.name, KAL_SYMBOL_HOLD, index};
    KAL_TRY(add_symbol(model, symbol, "", "", &entry.symbol));
    KAL_TRY(APPEND(model, holds, &entry));
    *out_index = index;
    return KAL_OK;
}

KalStatus kal_model_add_table(KalModel *model, KalModelTable entry)
{
    return APPEND(model, tables, &entry);
}

KalStatus kal_model_add_law(KalModel *model, KalLaw entry, uint32_t *out_index)
{
    KAL_TRY(promise(model, entry.name, "demand(", ")", &entry.demand));
    KAL_TRY(promise(model, entry.name, "control(", ")", &entry.control));
    *out_index = (uint32_t)model->n_laws;
    return APPEND(model, laws, &entry);
}

KalStatus kal_model_add_output(KalModel *model, KalOutput entry)
{
    return APPEND(model, outputs, &entry);
}

KalStatus kal_model_add_event(KalModel *model, KalEvent entry)
{
    return APPEND(model, events, &entry);
}

KalStatus kal_model_add_plot(KalModel *model, KalPlot entry)
{
    return APPEND(model, plots, &entry);
}

KalStatus kal_model_add_drawing(KalModel *model, KalDrawing entry)
{
    return APPEND(model, drawings, &entry);
}

KalStatus kal_model_add_condition(KalModel *model, KalNeed entry)
{
    return APPEND(model, conditions, &entry);
}

KalStatus kal_model_add_origin(KalModel *model, KalOrigin entry)
{
    assert(!model->fork && entry.node.index != 0);
    const size_t n = model->n_origins;
    if (n > 0 && model->origins[n - 1].node.index >= entry.node.index) {
        return KAL_OK;
    }
    // Rising nodes, so that kal_model_find_origin() can search by halves.
    return APPEND(model, origins, &entry);
}

KalStatus kal_model_coordinate_force(KalModel *model, uint32_t coordinate,
                                     KalExpr *out_symbol)
{
    KalCoordinate *c = &model->coordinates[coordinate];
    assert(coordinate < model->n_coordinates);
    if (c->force.index == 0) {
        const KalSymbol symbol = {c->name, KAL_SYMBOL_COORDINATE_FORCE, coordinate};
        KAL_TRY(add_symbol(model, symbol, "cforce(", ")", &c->force));
    }
    *out_symbol = c->force;
    return KAL_OK;
}

KalStatus kal_model_active(KalModel *model, uint32_t constraint, KalExpr *out_symbol)
{
    KalConstraint *c = &model->constraints[constraint];
    assert(constraint < model->n_constraints);
    if (c->active.index == 0) {
        const KalSymbol symbol = {c->name, KAL_SYMBOL_ACTIVE, constraint};
        KAL_TRY(add_symbol(model, symbol, "active(", ")", &c->active));
    }
    *out_symbol = c->active;
    return KAL_OK;
}

// The kinds in a node whose operands are known.
static uint16_t find_kinds(const KalModel *model, const uint16_t *known, KalExpr e)
{
    const KalExprNode node = kal_graph_node(model->graph, e);
    assert(e.index != 0);
    unsigned kinds = 0;
    if (node.op == KAL_OP_SYMBOL) { // who shows formulas may add symbols of its own
        const uint32_t id = node.arg[0].index;
        return (uint16_t)(id < model->n_symbols ? 1U << model->symbols[id].kind : 0U);
    }
    for (int k = 0; k < kal_op_arity((KalOp)node.op); k++) {
        kinds |= known[node.arg[k].index];
    }
    return (uint16_t)kinds;
}

// Operands have smaller indices, so the table is filled in order.
KalStatus kal_model_kinds_in(const KalModel *model, KalExpr e, uint64_t *out_kinds)
{
    KalBlock *table = &model->kinds->of;
    assert(!kal_graph_is_frozen(model->graph));
    for (uint32_t i = (uint32_t)(table->size / sizeof(uint16_t)); i <= e.index; i++) {
        const uint16_t kinds =
            i == 0 ? 0 : find_kinds(model, (const uint16_t *)table->data, (KalExpr){i});
        KAL_TRY(kal_block_add(model->ctx, table, &kinds, sizeof kinds));
    }
    *out_kinds = ((const uint16_t *)table->data)[e.index];
    return KAL_OK;
}

KalExpr kal_model_total(const KalModel *model, KalTermKind kind)
{
    assert(kind != KAL_TERM_FORCE && kind != KAL_TERM_NONIDEAL
           && kind != KAL_TERM_MASS);
    KalExpr total = kal_int(model->graph, 0);
    for (size_t i = 0; i < model->n_contributions; i++) {
        if (model->contributions[i].kind == kind) {
            total = kal_add(model->graph, total, model->contributions[i].value);
        }
    }
    return total;
}

KalExpr kal_model_symbol_rate(const KalModel *model, uint32_t id)
{
    assert(id < model->n_symbols);
    const KalSymbol *symbol = &model->symbols[id];
    switch (symbol->kind) {
    case KAL_SYMBOL_TIME: return kal_int(model->graph, 1);
    case KAL_SYMBOL_COORDINATE: return model->coordinates[symbol->index].v;
    case KAL_SYMBOL_VELOCITY: return model->coordinates[symbol->index].a;
    case KAL_SYMBOL_STATE: return model->states[symbol->index].slope;
    case KAL_SYMBOL_PARAMETER:
    case KAL_SYMBOL_ACCELERATION:
    case KAL_SYMBOL_REACTION:
    case KAL_SYMBOL_COORDINATE_FORCE:
    case KAL_SYMBOL_CONTROL:
    case KAL_SYMBOL_ENERGY:
    case KAL_SYMBOL_ACTIVE:
    case KAL_SYMBOL_HOLD:
    case KAL_SYMBOL_PROMISE: return KAL_NO_EXPR;
    }
    return KAL_NO_EXPR;
}

// The derivatives of n expressions whose nodes are those of the order.
static KalStatus find_rates(const KalModel *model, const KalOrder *order,
                            const KalExpr *e, size_t n, KalExpr *out_rates)
{
    const size_t most = order->count;
    KalExpr *pairs = (KalExpr *)kal_alloc(model->ctx, 2 * most, sizeof *pairs);
    if (most > 0 && !pairs) {
        return kal_no_memory(model->ctx, "for time derivatives");
    }
    size_t count = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        const KalExpr rate = step->op == KAL_OP_SYMBOL
                                 ? kal_model_symbol_rate(model, step->arg[0])
                                 : KAL_NO_EXPR;
        if (rate.index != 0) {
            pairs[count] = step->node;
            pairs[most + count] = rate;
            count++;
        }
    }
    assert(count <= most);
    const KalRates rates = {pairs, pairs + most, count};
    const KalStatus status = kal_total(model->graph, e, n, &rates, out_rates);
    assert(count <= most);
    kal_free(model->ctx, pairs, 2 * most * sizeof *pairs);
    return status;
}

// Only symbols that occur are looked at: a model may have many and a formula few.
KalStatus kal_model_rate(const KalModel *model, const KalExpr *e, size_t n,
                         KalExpr *out_rates)
{
    KalOrder order = {.ctx = NULL};
    KAL_TRY(kal_order_init(model->graph, e, n, &order));
    const KalStatus status = find_rates(model, &order, e, n, out_rates);
    kal_order_clear(&order);
    return status;
}

const char *kal_model_symbol_name(void *model, uint32_t id)
{
    assert(id < ((const KalModel *)model)->n_symbols);
    return ((const KalModel *)model)->symbols[id].name;
}

// Bisection: origins come with nodes, whose indices rise.
bool kal_model_find_origin(const KalModel *model, KalExpr node, KalSpan *out_span)
{
    assert(out_span);
    size_t low = 0;
    size_t high = model->n_origins;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (model->origins[middle].node.index < node.index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert(low == high && high <= model->n_origins);
    if (low == model->n_origins || model->origins[low].node.index != node.index) {
        return false;
    }
    *out_span = model->origins[low].span;
    return true;
}
