// SPDX-License-Identifier: MIT

// What moves beside the mechanics: states, values that are held, laws of actuators.
//
// Their formulas may use states, holds and actuators that are declared later.  So a statement
// declares its name at once and leaves its formula for the end of the build, with the names
// that it could see.  Until then the derivative of a state, the input of a law and what it
// asks for are symbols of their own, *promises*; when all formulas are known these take the
// place of the promises, in each other and wherever else they stand.
//
// Invariant: after the build no formula of the model has a promise in it.

#include "expr/substitute.h"
#include "model/build_impl.h"
#include "model/slope.h"
#include "model/statement_impl.h"

#include <assert.h>
#include <math.h>

// A statement whose formula waits.
typedef struct Later {
    const KalNode *node;
    KalEnvironment names;
    KalValue target; // symbols of states or holds; what a law acts on
    uint32_t law;
} Later;

// A copy of the frames that a statement sees, for as long as the build.
static const KalFrame *keep_frames(KalBuild *b, const KalFrame *frame)
{
    const KalFrame *first = NULL;
    KalFrame *last = NULL;
    for (; frame; frame = frame->outer) {
        KalFrame *copy = (KalFrame *)kal_arena_alloc(b->arena, 1, sizeof *copy);
        KalBinding *bindings =
            (KalBinding *)kal_arena_alloc(b->arena, frame->n + 1, sizeof *bindings);
        if (!copy || !bindings) {
            kal_build_no_memory(b);
            return NULL;
        }
        for (size_t i = 0; i < frame->n; i++) {
            bindings[i] = frame->bindings[i];
            bindings[i].value = kal_build_keep(b, bindings[i].value);
        }
        *copy = (KalFrame){NULL, bindings, frame->n};
        if (last) {
            last->outer = copy;
        }
        first = first ? first : copy;
        last = copy;
    }
    return first;
}

// Leave the formula of a statement for the end.
static void postpone(KalBuild *b, Later later)
{
    later.names = (KalEnvironment){keep_frames(b, b->names.frame), b->names.scope};
    later.target = kal_build_keep(b, later.target);
    if (b->status == KAL_OK) {
        kal_build_check(b, kal_block_add(b->ctx, &b->later, &later, sizeof later));
    }
}

void kal_build_promise_law(KalBuild *b, const KalNode *node, KalValue power)
{
    assert(b->model->n_laws > 0);
    postpone(
        b,
        (Later){.node = node, .target = power, .law = (uint32_t)b->model->n_laws - 1});
}

// Declaring.

typedef struct Dynamic {
    const char *unit;
    const KalNode *unit_node;
    KalSpan span;
    KalExpr period; // of a hold
} Dynamic;

// A coordinate that stands for a state.
static KalValue coordinate_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    const Dynamic *info = (const Dynamic *)leaves->user;
    const KalCoordinate entry = {.name = kal_build_keep_name(b, &leaves->name),
                                 .unit = info->unit,
                                 .span = info->span};
    uint32_t index;
    if (!entry.name || !kal_build_count(b, info->span, 1)
        || !kal_build_check(b, kal_model_add_coordinate(b->model, entry, &index))) {
        return KAL_BAD_VALUE;
    }
    const KalExpr symbol = b->model->coordinates[index].q;
    kal_build_set_angle(b, symbol, info->unit_node);
    return kal_build_scalar_of(b, symbol, KAL_MARK(COORDINATE), value.unit,
                               leaves->node);
}

static KalValue state_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    if (b->options->as_coordinates) {
        return coordinate_leaf(b, leaves, value);
    }
    const Dynamic *info = (const Dynamic *)leaves->user;
    const KalStateVariable entry = {.name = kal_build_keep_name(b, &leaves->name),
                                    .unit = info->unit,
                                    .span = info->span};
    uint32_t index;
    if (!entry.name || !kal_build_count(b, info->span, 1)
        || !kal_build_check(b, kal_model_add_state(b->model, entry, &index))) {
        return KAL_BAD_VALUE;
    }
    const KalExpr symbol = b->model->states[index].symbol;
    kal_build_set_angle(b, symbol, info->unit_node);
    return kal_build_scalar_of(b, symbol, KAL_MARK(STATE), value.unit, leaves->node);
}

static KalValue hold_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    const Dynamic *info = (const Dynamic *)leaves->user;
    const KalHold entry = {.name = kal_build_keep_name(b, &leaves->name),
                           .unit = info->unit,
                           .span = info->span,
                           .period = info->period};
    uint32_t index;
    if (!entry.name || !kal_build_count(b, info->span, 1)
        || !kal_build_check(b, kal_model_add_hold(b->model, entry, &index))) {
        return KAL_BAD_VALUE;
    }
    const KalExpr symbol = b->model->holds[index].symbol;
    kal_build_set_angle(b, symbol, info->unit_node);
    return kal_build_scalar_of(b, symbol, KAL_MARK(HOLD), value.unit, leaves->node);
}

// Declare the symbols of a statement and leave its formula for the end.
static void declare(KalBuild *b, KalEntryKind kind, const KalNode *node, Dynamic info)
{
    KalTarget target;
    uint32_t n;
    KalLeaves leaves = {.node = node,
                        .leaf = kind == KAL_ENTRY_STATE ? state_leaf : hold_leaf,
                        .user = &info};
    if (!kal_build_target(b, node->of.dynamic.target, &target)
        || !kal_build_split_indices(b, &target, &n)
        || !kal_build_name(b, &target, n, &leaves.name)) {
        kal_build_spoil(b, kind, node->of.dynamic.target);
        return;
    }
    info.span = target.node->span;
    const KalValue one = {.kind = KAL_VALUE_SCALAR,
                          .unit = kal_build_read_unit(b, info.unit_node)};
    KalEntry *entry = kal_build_declare_target(b, kind, &target, n);
    if (entry) {
        const KalValue shape = kal_build_fit(b, &target, n, one);
        const KalValue symbols = kal_build_leaves(b, &leaves, shape);
        kal_build_set_target(b, entry, &target, n, symbols);
        postpone(b, (Later){.node = node, .target = symbols});
    }
}

static Dynamic read_unit(KalBuild *b, const KalNode *unit)
{
    unit = kal_build_demand_radians(b, unit);
    return (Dynamic){.unit = kal_build_unit_text(b, unit), .unit_node = unit};
}

void kal_build_state(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_STATE);
    declare(b, KAL_ENTRY_STATE, node, read_unit(b, node->of.dynamic.unit));
}

// The time between renewals: positive, of parameters.
static bool read_period(KalBuild *b, const KalNode *node, KalExpr *out_period)
{
    static const KalUsage usage = {KAL_MARKS_CONSTANT, "the time between renewals"};
    const KalValue value = kal_build_scalar_for(b, node, usage);
    double number;
    if (value.kind == KAL_VALUE_BAD || !kal_build_number(b, value.of.expr, &number)) {
        return false;
    }
    (void)kal_build_agree(b, kal_build_declared(value.unit), KAL_UNIT_TIME, node->span,
                          "the time between renewals", "a time");
    if (!(number > 0.0 && isfinite(number))) {
        kal_build_error(b, node->span,
                        "the time between renewals has to be positive, but is %.9g",
                        number);
        return false;
    }
    *out_period = value.of.expr;
    return true;
}

void kal_build_hold(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_HOLD);
    Dynamic info = read_unit(b, node->of.dynamic.unit);
    if (read_period(b, node->of.dynamic.left, &info.period)) {
        declare(b, KAL_ENTRY_HOLD, node, info);
    } else {
        kal_build_spoil(b, KAL_ENTRY_HOLD, node->of.dynamic.target);
    }
}

// Formulas.

static uint32_t index_of(const KalBuild *b, KalExpr symbol)
{
    return b->model->symbols[kal_graph_node(b->graph, symbol).arg[0].index].index;
}

// Keep the formula that a symbol promised.
static void fulfil(KalBuild *b, KalExpr promise, KalExpr formula)
{
    b->model->promises[index_of(b, promise)].formula = formula;
}

// The rate of a state that is a coordinate: a constraint on its velocity, without reaction
// because nothing else acts on what has no mass.
static KalValue constrain_rate(KalBuild *b, KalValue target, KalValue value)
{
    const uint32_t coordinate = index_of(b, target.of.expr);
    const KalCoordinate *c = &b->model->coordinates[coordinate];
    uint32_t index;
    const KalConstraint entry = {.name = c->name,
                                 .span = c->span,
                                 .residual = kal_sub(b->graph, c->v, value.of.expr),
                                 .state = coordinate + 1,
                                 .driven = KAL_NOT_DRIVEN};
    (void)kal_build_check(b, kal_model_add_constraint(b->model, entry, &index));
    return value;
}

static KalValue set_rate(KalBuild *b, KalValue target, KalValue value,
                         const KalNode *node)
{
    (void)kal_build_agree(b, kal_build_declared(value.unit),
                          kal_build_unit_over(b, target.unit, KAL_UNIT_TIME),
                          node->of.dynamic.value->span, "this",
                          "the derivative of the state");
    if (b->options->as_coordinates) {
        return constrain_rate(b, target, value);
    }
    KalStateVariable *state = &b->model->states[index_of(b, target.of.expr)];
    state->rate = value.of.expr;
    fulfil(b, state->slope, value.of.expr);
    return value;
}

static KalValue set_value(KalBuild *b, KalValue target, KalValue value,
                          const KalNode *node)
{
    (void)kal_build_agree(b, kal_build_declared(value.unit), target.unit,
                          node->of.dynamic.value->span, "this",
                          "the value that is held");
    b->model->holds[index_of(b, target.of.expr)].value = value.of.expr;
    return value;
}

// The formula of a law cut at its limit.
static KalExpr cut(KalBuild *b, KalExpr law, KalExpr limit)
{
    KalGraph *g = b->graph;
    return limit.index == 0
               ? law
               : kal_binary(g, KAL_OP_MIN, limit,
                            kal_binary(g, KAL_OP_MAX, law, kal_neg(g, limit)));
}

// Laws are built last, for they may name reactions, accelerations and other inputs: the
// symbols that were promised get their formulas.
static void set_law(KalBuild *b, const Later *later)
{
    static const KalUsage usage = {KAL_MARKS_FORCE | KAL_MARK(PROMISE), "a law"};
    const KalLaw *law = &b->model->laws[later->law];
    const KalNode *node = later->node->of.actuator.options;
    while (node->op != KAL_OPTION_LAW) {
        node = node->next;
    }
    node = node->of.option.value;
    const KalValue value = kal_build_scalar_for(b, node, usage);
    if (value.kind == KAL_VALUE_BAD) {
        return;
    }
    kal_build_demand_power(
        b, kal_build_unit_times(b, kal_build_declared(value.unit), later->target.unit),
        node->span, "the law times what the actuator acts on");
    const uint32_t before = kal_graph_count(b->graph);
    fulfil(b, law->demand, value.of.expr);
    fulfil(b, law->control, cut(b, value.of.expr, law->limit));
    kal_build_origin(b, before, node->span);
}

// The formula of one statement, with the names that it sees.
static void build_later(KalBuild *b, const Later *later)
{
    static const KalUsage rate = {KAL_MARKS_FORCE | KAL_MARK(PROMISE)
                                      | KAL_MARK(CONTROL),
                                  "the derivative of a state"};
    static const KalUsage held = {KAL_MARKS_ALL, "a value that is held"};
    const KalEnvironment names = b->names;
    const KalPoolMark mark = kal_pool_mark(&b->pool);
    const KalNode *node = later->node;
    b->names = later->names;
    b->statement = node->span;
    if (node->kind == KAL_NODE_ACTUATOR) {
        set_law(b, later);
    } else {
        const bool state = node->kind == KAL_NODE_STATE;
        const KalValue value =
            kal_build_eval_for(b, node->of.dynamic.value, state ? rate : held);
        (void)kal_build_zip(b, state ? set_rate : set_value, later->target, value,
                            node);
    }
    b->names = names;
    kal_pool_release(&b->pool, mark);
}

// Promises.

// Formulas in which promises may stand.
typedef struct Places {
    KalBuild *b;
    KalBlock list; // KalExpr *
} Places;

static void add_place(Places *places, KalExpr *e)
{
    KalBuild *b = places->b;
    uint64_t kinds = 0;
    if (e->index != 0 && kal_build_check(b, kal_model_kinds_in(b->model, *e, &kinds))
        && (kinds & KAL_MARK(PROMISE)) != 0) {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): the list is one of pointers
        kal_build_check(b, kal_block_add(b->ctx, &places->list, &e, sizeof e));
    }
}

static void add_event(Places *places, KalEvent *event)
{
    add_place(places, &event->value);
    for (size_t k = 0; k < event->n_actions; k++) {
        add_place(places, &event->actions[k].value);
    }
}

static void add_plot(Places *places, KalPlot *plot)
{
    add_place(places, &plot->against.value);
    for (size_t k = 0; k < plot->n_curves; k++) {
        add_place(places, &plot->curves[k].value);
    }
}

// Every formula of the model in which a promise may stand.
static void list_places(Places *places)
{
    KalModel *model = places->b->model;
    for (size_t i = 0; i < model->n_states; i++) {
        add_place(places, &model->states[i].rate);
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        add_place(places, &model->holds[i].value);
    }
    for (size_t i = 0; i < model->n_constraints; i++) {
        add_place(places, &model->constraints[i].residual);
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        add_place(places, &model->outputs[i].value);
    }
    for (size_t i = 0; i < model->n_events; i++) {
        add_event(places, &model->events[i]);
    }
    for (size_t i = 0; i < model->n_plots; i++) {
        add_plot(places, &model->plots[i]);
    }
}

// Put the formulas of promises where these stand.
static void replace(Places *places)
{
    KalBuild *b = places->b;
    KalModel *model = b->model;
    KalExpr **list = (KalExpr **)places->list.data;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the list is one of pointers
    const size_t count = places->list.size / sizeof *list;
    const size_t n = model->n_promises;
    KalExpr *block = (KalExpr *)kal_alloc(b->ctx, 2 * n + count + 1, sizeof *block);
    if (!block) {
        kal_build_no_memory(b);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        block[i] = model->promises[i].symbol;
        block[n + i] = model->promises[i].formula;
    }
    for (size_t i = 0; i < count; i++) {
        block[2 * n + i] = *list[i];
    }
    const KalReplacements replacements = {block, block + n, n};
    const uint32_t before = kal_graph_count(b->graph);
    if (kal_build_check(b, kal_substitute(b->graph, block + 2 * n, count, &replacements,
                                          block + 2 * n))) {
        for (size_t i = 0; i < count; i++) {
            *list[i] = block[2 * n + i];
        }
        kal_build_origin(b, before, b->statement);
    }
    kal_free(b->ctx, block, (2 * n + count + 1) * sizeof *block);
}

// Promises of promises: each pass doubles how far they are followed, so that after log₂ n
// passes one that is left leads back to itself.
static bool resolve(KalBuild *b)
{
    KalModel *model = b->model;
    bool left = true;
    for (size_t reach = 1; left && b->status == KAL_OK; reach *= 2) {
        Places places = {.b = b};
        for (size_t i = 0; i < model->n_promises; i++) {
            add_place(&places, &model->promises[i].formula);
        }
        left = places.list.size > 0;
        if (left && reach > 2 * model->n_promises) {
            kal_block_clear(b->ctx, &places.list);
            return false;
        }
        if (left && b->status == KAL_OK) {
            replace(&places);
        }
        kal_block_clear(b->ctx, &places.list);
    }
    return true;
}

// The first law that uses itself, or a state whose derivative does.
static void report_circle(KalBuild *b)
{
    for (size_t i = 0; i < b->model->n_laws; i++) {
        const KalLaw *law = &b->model->laws[i];
        uint64_t kinds = 0;
        const KalExpr e = b->model->promises[index_of(b, law->demand)].formula;
        if (kal_build_check(b, kal_model_kinds_in(b->model, e, &kinds))
            && (kinds & KAL_MARK(PROMISE)) != 0) {
            kal_build_error(
                b, law->span,
                "the law of '%s' needs its own input, by way of other laws or "
                "derivatives: let a state or a hold stand between",
                law->name);
            return;
        }
    }
    for (size_t i = 0; i < b->model->n_states; i++) {
        const KalStateVariable *state = &b->model->states[i];
        uint64_t kinds = 0;
        const KalExpr e = b->model->promises[index_of(b, state->slope)].formula;
        if (kal_build_check(b, kal_model_kinds_in(b->model, e, &kinds))
            && (kinds & KAL_MARK(PROMISE)) != 0) {
            kal_build_error(b, state->span,
                            "the derivative of '%s' needs itself: solve for it",
                            state->name);
            return;
        }
    }
}

// Forces.

// One force for each coordinate whose velocity is in the power of a law.
static void add_slopes(KalBuild *b, const KalLaw *law, KalExpr input,
                       const KalBlock *slopes)
{
    for (size_t i = 0; i < kal_count_slopes(slopes) && b->status == KAL_OK; i++) {
        const KalVelocitySlope at = kal_slope_at(slopes, i);
        const KalContribution entry = {.kind = KAL_TERM_FORCE,
                                       .row = at.coordinate,
                                       .value = kal_mul(b->graph, input, at.slope),
                                       .span = law->span,
                                       .law = (uint32_t)(law - b->model->laws) + 1};
        kal_build_check(b, kal_model_add_contribution(b->model, entry));
    }
}

// The force of a law: its input times the derivatives of its power by the velocities.
static void add_force(KalBuild *b, const KalLaw *law)
{
    const KalExpr input = b->model->promises[index_of(b, law->control)].formula;
    uint64_t kinds = 0;
    KalBlock slopes = {0};
    if (kal_build_check(b, kal_model_slopes(b->model, law->power, &slopes))
        && kal_build_check(b, kal_model_kinds_in(b->model, input, &kinds))) {
        if ((kinds & KAL_MARK(CONTROL)) != 0) {
            kal_build_error(b, law->span, "inputs of servos cannot be used in a law");
        } else {
            add_slopes(b, law, input, &slopes);
        }
    }
    kal_block_clear(b->ctx, &slopes);
}

static void add_forces(KalBuild *b)
{
    for (size_t i = 0; i < b->model->n_laws && b->status == KAL_OK; i++) {
        add_force(b, &b->model->laws[i]);
    }
}

// No longer promises, but what was promised.
static void settle_laws(KalBuild *b)
{
    const KalModel *model = b->model;
    for (size_t i = 0; i < model->n_laws; i++) {
        KalLaw *law = &model->laws[i];
        law->demand = model->promises[index_of(b, law->demand)].formula;
        law->control = model->promises[index_of(b, law->control)].formula;
    }
}

void kal_build_finish_dynamics(KalBuild *b)
{
    const Later *list = (const Later *)b->later.data;
    for (size_t i = 0; i < b->later.size / sizeof *list && b->status == KAL_OK; i++) {
        build_later(b, &list[i]);
    }
    if (b->model->n_promises == 0 || b->status != KAL_OK || b->report.errors > 0) {
        return; // without all formulas nothing can be promised
    }
    if (!resolve(b)) {
        report_circle(b);
        return;
    }
    Places places = {.b = b};
    list_places(&places);
    if (b->status == KAL_OK) {
        replace(&places);
    }
    kal_block_clear(b->ctx, &places.list);
    if (b->status == KAL_OK) {
        add_forces(b);
        settle_laws(b);
    }
}
