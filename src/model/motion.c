// SPDX-License-Identifier: MIT

// How it starts and runs, and what happens on the way: init, simulate, event.

#include "model/build_impl.h"
#include "model/constraint_impl.h"
#include "model/statement_impl.h"

#include <kalaba/text.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum {
    LIST_SIZE = 200 // of words
};

// Start values.

typedef struct Start {
    unsigned order;
    KalStartKind kind;
} Start;

// Whether a scope is around another one, or the same.
static bool is_around(const KalScope *outer, const KalScope *inner)
{
    while (inner && inner != outer) {
        inner = inner->owner;
    }
    return inner != NULL;
}

// A start value given earlier holds unless this one is given further out.
static bool may_start(KalBuild *b, uint64_t key, const KalStartValue *earlier,
                      KalSpan span)
{
    assert(key != 0 && earlier);
    const KalScope *before =
        (const KalScope *)kal_map_find_pointer(&b->lists.starts, key);
    if (!before) {
        return true;
    }
    if (before != b->names.scope && is_around(b->names.scope, before)) {
        return true;
    }
    kal_build_error(b, span, "this has a start value already");
    kal_build_note(b, earlier->span, "the first is here");
    return false;
}

// The place for the start value of a state, or of a value that is held; NULL for others.
static KalStartValue *find_dynamic(KalBuild *b, KalValue target)
{
    const bool scalar = target.kind == KAL_VALUE_SCALAR;
    const KalExprNode node = scalar ? kal_graph_node(b->graph, target.of.expr)
                                    : (KalExprNode){.op = KAL_OP_CONST};
    if (node.op != KAL_OP_SYMBOL) {
        return NULL;
    }
    const KalSymbol *symbol = &b->model->symbols[node.arg[0].index];
    if (symbol->kind == KAL_SYMBOL_STATE) {
        return &b->model->states[symbol->index].start;
    }
    return symbol->kind == KAL_SYMBOL_HOLD ? &b->model->holds[symbol->index].start
                                           : NULL;
}

// Start values of states and of what is held; they never move, so `~` is no other than `=`.
static KalValue set_dynamic(KalBuild *b, Start start, KalValue target, KalValue value,
                            const KalNode *node)
{
    const KalSpan span = node->of.declaration.target->span;
    KalStartValue *place = find_dynamic(b, target);
    const uint64_t key = UINT64_MAX - target.of.expr.index;
    if (start.order > 0) {
        return kal_build_bad(b, span,
                             "this has no derivative to begin with: its "
                             "statement says what it is");
    }
    (void)kal_build_agree(b, kal_build_declared(value.unit), target.unit,
                          node->of.declaration.value->span, "the start value",
                          "what it is for");
    if (may_start(b, key, place, span)
        && kal_build_check(
            b, kal_map_set_pointer(b->ctx, &b->lists.starts, key, b->names.scope))) {
        *place = (KalStartValue){KAL_START_HELD, value.of.expr, span};
    }
    return value;
}

// The part that a member is of, or an element of one; NULL for what is in none.
static const KalScope *find_part(KalBuild *b, const KalNode *node)
{
    while (node->kind == KAL_NODE_MEMBER || node->kind == KAL_NODE_INDEX) {
        node = node->of.binary.left;
        const KalValue owner = kal_build_path(b, node, KAL_SPACE_VALUE);
        if (owner.kind == KAL_VALUE_PART) {
            return owner.of.part;
        }
    }
    return NULL;
}

// What of a part starts by no coordinate may start by an argument: those that may be guesses.
static void note_arguments(KalBuild *b, const KalNode *target)
{
    const bool prime = target->kind == KAL_NODE_PRIME;
    const KalScope *part = find_part(b, prime ? target->of.unary.operand : target);
    char list[200] = "";
    size_t length = 0;
    if (!part) {
        return;
    }
    for (const KalNode *p = part->component->of.definition.parameters; p; p = p->next) {
        const KalNode *name = p->of.declaration.target;
        if (p->op == KAL_START_GUESS && length < sizeof list) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%.*s",
                                       length > 0 ? ", " : "",
                                       (int)name->of.text.length, name->of.text.data);
        }
    }
    if (length > 0) {
        kal_build_note(
            b, part->call->span,
            "besides its coordinates, arguments say how this part starts: %s", list);
    }
}

// A start value for one coordinate or velocity.  Values made of guesses are guesses.
static KalValue set_start(KalBuild *b, Start start, KalValue target, KalValue value,
                          const KalNode *node)
{
    const KalSpan span = node->of.declaration.target->span;
    uint32_t index;
    assert(start.order <= 1);
    if (find_dynamic(b, target)) {
        return set_dynamic(b, start, target, value, node);
    }
    if (!kal_build_coordinate(b, target, span, &index)) {
        note_arguments(b, node->of.declaration.target);
        return KAL_BAD_VALUE;
    }
    const KalUnitId unit = start.order == 1
                               ? kal_build_unit_over(b, target.unit, KAL_UNIT_TIME)
                               : target.unit;
    (void)kal_build_agree(b, kal_build_declared(value.unit), unit,
                          node->of.declaration.value->span, "the start value",
                          "what it is for");
    const KalStartKind kind =
        (value.marks & KAL_MARK_GUESS) != 0 ? KAL_START_ABOUT : start.kind;
    KalCoordinate *coordinate = &b->model->coordinates[index];
    KalStartValue *place =
        start.order == 1 ? &coordinate->start_v : &coordinate->start_q;
    const uint64_t key = 2 * (uint64_t)index + start.order + 1;
    if (may_start(b, key, place, span)
        && kal_build_check(
            b, kal_map_set_pointer(b->ctx, &b->lists.starts, key, b->names.scope))) {
        *place = (KalStartValue){kind, value.of.expr, span};
    }
    return value;
}

// Elements of a target with those of a value; a number is for all of them.
// NOLINTNEXTLINE(misc-no-recursion): ends at KAL_BUILD_VECTOR_DEPTH
static void set_starts(KalBuild *b, Start start, KalValue target, KalValue value,
                       const KalNode *node)
{
    if (target.kind == KAL_VALUE_BAD || value.kind == KAL_VALUE_BAD) {
        return;
    }
    if (target.kind != KAL_VALUE_ARRAY && value.kind == KAL_VALUE_SCALAR) {
        (void)set_start(b, start, target, value, node);
        return;
    }
    const bool array = value.kind == KAL_VALUE_ARRAY;
    if (target.kind != KAL_VALUE_ARRAY || value.kind == KAL_VALUE_PART
        || (array && value.of.array->n != target.of.array->n)) {
        kal_build_error(b, node->span, "%s cannot start as %s",
                        kal_build_describe(target).text,
                        kal_build_describe(value).text);
        return;
    }
    const uint32_t n = target.of.array->n;
    for (uint32_t i = 0; i < n && kal_build_step(b, node->span, 1); i++) {
        set_starts(b, start, target.of.array->items[i],
                   array ? value.of.array->items[i] : value, node);
    }
}

// The coordinate that a target names, and whether it is the velocity that is meant.
static KalValue derived_target(KalBuild *b, const KalNode *target, unsigned *out_order)
{
    const bool prime = target->kind == KAL_NODE_PRIME;
    *out_order = prime ? target->op : 0;
    if (*out_order > 1) {
        return kal_build_bad(b, target->span,
                             "expected a coordinate or velocity; accelerations follow "
                             "from the equations");
    }
    return kal_build_path(b, prime ? target->of.unary.operand : target,
                          KAL_SPACE_VALUE);
}

// x = 1 holds, x ~ 1 guesses; x' is a velocity.
void kal_build_init(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_INIT);
    static const KalUsage position = {KAL_MARKS_CONSTANT, "a start value"};
    static const KalUsage velocity = {KAL_MARKS_CONSTANT | KAL_MARK(COORDINATE),
                                      "the start value of a velocity"};
    for (const KalNode *s = node->of.list.items; s; s = s->next) {
        Start start = {.kind =
                           s->op == KAL_START_GUESS ? KAL_START_ABOUT : KAL_START_HELD};
        b->eval.looking = true;
        const KalValue target =
            derived_target(b, s->of.declaration.target, &start.order);
        b->eval.looking = false;
        KalValue value = kal_build_eval_for(b, s->of.declaration.value,
                                            start.order == 1 ? velocity : position);
        value = kal_build_apply_unit(b, value, s->of.declaration.unit,
                                     s->of.declaration.value);
        set_starts(b, start, target, value, s);
    }
}

// Runs.

// A formula of parameters, with its number.
static KalExpr constant(KalBuild *b, const KalNode *node, double *out_number)
{
    static const KalUsage usage = {KAL_MARKS_CONSTANT, "simulate"};
    const KalValue value = kal_build_scalar_for(b, node, usage);
    if (value.kind == KAL_VALUE_BAD
        || !kal_build_number(b, value.of.expr, out_number)) {
        return KAL_NO_EXPR;
    }
    if (!isfinite(*out_number)) {
        kal_build_error(b, node->span, "this comes to %g; expected a finite number",
                        *out_number);
        return KAL_NO_EXPR;
    }
    return value.of.expr;
}

// A formula of parameters that comes to something positive.
static KalExpr positive(KalBuild *b, const KalNode *node, const char *what)
{
    double number = 0.0;
    const KalExpr e = constant(b, node, &number);
    if (e.index != 0 && !(number > 0.0)) {
        kal_build_error(b, node->span, "%s has to be positive, but is %.9g", what,
                        number);
    }
    return e;
}

// a, b or c
static void list_words(const char *const *words, int count, char *out)
{
    assert(count > 0);
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < count && used < LIST_SIZE; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used +=
            (size_t)snprintf(out + used, LIST_SIZE - used, "%s%s", before, words[i]);
    }
}

// The one of some words that a node is; reports what is none of them.
bool kal_build_word(KalBuild *b, const KalNode *node, const char *const *words,
                    int count, int *out_word)
{
    assert(count > 0 && out_word);
    for (int i = 0; i < count; i++) {
        if (node->kind == KAL_NODE_NAME && kal_node_is_text(node, words[i])) {
            *out_word = i;
            return true;
        }
    }
    const char *near = NULL;
    if (node->kind == KAL_NODE_NAME) {
        const KalAtom atom = kal_build_atom_of(b, node);
        near = kal_word_find_near(kal_build_atom_text(b, atom), words, count);
    }
    if (near) {
        kal_build_error(b, node->span, "unknown option; did you mean %s?", near);
    } else {
        char list[LIST_SIZE];
        list_words(words, count, list);
        kal_build_error(b, node->span, "expected %s", list);
    }
    return false;
}

#define WORD(name, word, meaning) word,

// method = …, by the words of KAL_METHOD_LIST.
static void read_method(KalBuild *b, const KalNode *node)
{
    static const char *const words[] = {KAL_METHOD_LIST(WORD)};
    int word;
    if (kal_build_word(b, node, words, (int)(sizeof words / sizeof words[0]), &word)) {
        b->model->simulate.method = (KalMethod)word;
    }
}

// drift = project, none or stabilize(k), Baumgarte's stabilization with the rate k.
static void read_drift(KalBuild *b, const KalNode *node)
{
    static const char *const words[] = {KAL_DRIFT_LIST(WORD)};
    KalSimulate *simulate = &b->model->simulate;
    int word;
    if (node->kind == KAL_NODE_CALL
        && kal_node_is_text(node->of.call.callee, "stabilize")) {
        const KalNode *k = node->of.call.arguments;
        if (!k || k->next) {
            kal_build_error(b, node->span,
                            "stabilize takes one rate, as in stabilize(5)");
            return;
        }
        simulate->drift = KAL_DRIFT_STABILIZE;
        simulate->stabilize = positive(b, k, "the rate");
        return;
    }
    if (node->kind == KAL_NODE_NAME && kal_node_is_text(node, "stabilize")) {
        kal_build_error(b, node->span, "stabilize takes a rate, as in stabilize(5)");
        return;
    }
    if (kal_build_word(b, node, words, (int)(sizeof words / sizeof words[0]), &word)) {
        simulate->drift = (KalDrift)word;
    }
}

// The parser has refused options that do not belong here.
static void read_options(KalBuild *b, const KalNode *options)
{
    KalSimulate *simulate = &b->model->simulate;
    for (const KalNode *o = options; o; o = o->next) {
        const KalNode *value = o->of.option.value;
        switch ((KalOption)o->op) {
        case KAL_OPTION_RTOL: simulate->rtol = positive(b, value, "rtol"); break;
        case KAL_OPTION_ATOL: simulate->atol = positive(b, value, "atol"); break;
        case KAL_OPTION_METHOD: read_method(b, value); break;
        case KAL_OPTION_DRIFT: read_drift(b, value); break;
        case KAL_OPTION_RATE: // of other statements: the parser refuses them
        case KAL_OPTION_LIMIT:
        case KAL_OPTION_WEIGHT:
        case KAL_OPTION_OFF:
        case KAL_OPTION_LAW:
        case KAL_OPTION_COLUMN_X:
        case KAL_OPTION_COLUMN_Y:
        case KAL_OPTION_TABLE_METHOD:
        case KAL_OPTION_TABLE_OUTSIDE:
        case KAL_OPTION_RESTITUTION:
        case KAL_OPTION_FRICTION:
        case KAL_OPTION_SLIP:
        case KAL_OPTION_STATIC:
        case KAL_OPTION_DRY_LIMIT:
        case KAL_OPTION_DRY_STATIC:
        case KAL_OPTIONS: break;
        }
    }
}

// One of them, in the model itself, not in what it uses.
void kal_build_simulate(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_SIMULATE);
    KalSimulate *simulate = &b->model->simulate;
    double from = 0.0;
    double to = 0.0;
    if (b->names.scope->owner || b->names.frame) {
        kal_build_error(b, node->span,
                        "simulate stands outside of components and loops");
        return;
    }
    if (node->span.source != b->main) {
        kal_build_error(
            b, node->span,
            "simulate stands in the model itself, not in a file that it uses");
        return;
    }
    if (simulate->present) {
        kal_build_error(b, node->span, "a model has one simulate");
        kal_build_note(b, simulate->span, "the first is here");
        return;
    }
    simulate->present = true;
    simulate->span = node->span;
    simulate->from = constant(b, node->of.simulate.from, &from);
    simulate->to = constant(b, node->of.simulate.to, &to);
    if (simulate->from.index != 0 && simulate->to.index != 0 && !(from < to)) {
        kal_build_error(b, node->of.simulate.to->span,
                        "the end, %.9g, is not after the beginning, %.9g", to, from);
    }
    simulate->every = positive(b, node->of.simulate.every, "the time between samples");
    read_options(b, node->of.simulate.options);
}

// Events.

typedef struct Actions {
    KalBlock list; // of KalAction
    const KalNode *node;
} Actions;

static bool switches(const KalAction *action)
{
    return action->kind == KAL_ACTION_RELEASE || action->kind == KAL_ACTION_ENGAGE;
}

// All values of an event are those of the state before it: of two for the same place none
// is the right one.  Nor is a constraint released and engaged at once.
static bool meet(const KalAction *a, const KalAction *b)
{
    const bool sets = a->kind == KAL_ACTION_SET && b->kind == KAL_ACTION_SET
                      && a->what == b->what && a->order == b->order;
    return (sets || (switches(a) && switches(b))) && a->target == b->target;
}

// The actions of an event happen at once: no two may be about the same.
static void add_action(KalBuild *b, Actions *actions, KalAction action)
{
    const KalAction *list = (const KalAction *)actions->list.data;
    action.span = actions->node->span;
    for (size_t i = 0; i < actions->list.size / sizeof *list; i++) {
        if (meet(&list[i], &action)) {
            kal_build_error(b, action.span,
                            switches(&action)
                                ? "this event releases or engages the same constraint "
                                  "twice"
                                : "this event sets the same value twice");
            kal_build_note(b, list[i].span, "the first is here");
            return;
        }
    }
    kal_build_check(b, kal_block_add(b->ctx, &actions->list, &action, sizeof action));
}

// What a target of `set` is: a coordinate, its velocity, a state or a value that is held.
static bool find_settable(KalBuild *b, KalValue target, const KalNode *node,
                          KalAction *action)
{
    if (target.kind == KAL_VALUE_BAD || !find_dynamic(b, target)) {
        action->what = KAL_SYMBOL_COORDINATE;
        return kal_build_coordinate(b, target, node->span, &action->target);
    }
    if (action->order > 0) {
        kal_build_error(b, node->span,
                        "this has no derivative that could be set: its statement says "
                        "what it is");
        return false;
    }
    const uint32_t id = kal_graph_node(b->graph, target.of.expr).arg[0].index;
    action->what = b->model->symbols[id].kind;
    action->target = b->model->symbols[id].index;
    return true;
}

// set q = value, or q' = value; the value is that just before the event.
static void add_set(KalBuild *b, Actions *actions, const KalNode *node)
{
    assert(node->kind == KAL_NODE_SET);
    static const KalUsage usage = {KAL_MARKS_ALL, "an event"};
    KalAction action = {.kind = KAL_ACTION_SET};
    const KalNode *node_of = node->of.declaration.target;
    const KalValue target = derived_target(b, node_of, &action.order);
    const KalValue value = kal_build_scalar_for(b, node->of.declaration.value, usage);
    if (value.kind == KAL_VALUE_BAD || !find_settable(b, target, node_of, &action)) {
        return;
    }
    const KalUnitId unit = action.order == 1
                               ? kal_build_unit_over(b, target.unit, KAL_UNIT_TIME)
                               : target.unit;
    (void)kal_build_agree(b, kal_build_declared(value.unit), unit,
                          node->of.declaration.value->span, "the value",
                          "what it is for");
    action.value = value.of.expr;
    add_action(b, actions, action);
}

// The constraints whose reactions a value has.
// NOLINTNEXTLINE(misc-no-recursion): ends at KAL_BUILD_VECTOR_DEPTH
static void add_constraints(KalBuild *b, Actions *actions, KalActionKind kind,
                            KalValue value)
{
    assert(kind == KAL_ACTION_RELEASE || kind == KAL_ACTION_ENGAGE);
    if (value.kind == KAL_VALUE_ARRAY) {
        for (uint32_t i = 0; i < value.of.array->n; i++) {
            add_constraints(b, actions, kind, value.of.array->items[i]);
        }
        return;
    }
    uint32_t row = 0;
    if (kal_build_is_reaction(b, value, &row)) {
        if (b->model->constraints[row].role != KAL_ROLE_USUAL) {
            kal_build_error(b, actions->node->span,
                            "'%s' opens, closes, sticks and slips by itself: events "
                            "release and engage constraints",
                            b->model->constraints[row].name);
            return;
        }
        add_action(b, actions, (KalAction){.kind = kind, .target = row});
    } else if (value.kind != KAL_VALUE_BAD) {
        kal_build_error(b, actions->node->span, "expected a constraint, found %s",
                        kal_build_describe(value).text);
    }
}

// stop, set, release or engage.
static void read_action(KalBuild *b, Actions *actions, const KalNode *node)
{
    actions->node = node;
    if (node->kind == KAL_NODE_STOP) {
        add_action(b, actions, (KalAction){.kind = KAL_ACTION_STOP});
    } else if (node->kind == KAL_NODE_SET) {
        add_set(b, actions, node);
    } else {
        assert(node->kind == KAL_NODE_RELEASE || node->kind == KAL_NODE_ENGAGE);
        add_constraints(
            b, actions,
            node->kind == KAL_NODE_RELEASE ? KAL_ACTION_RELEASE : KAL_ACTION_ENGAGE,
            kal_build_path(b, node->of.unary.operand, KAL_SPACE_CONSTRAINT));
    }
}

// Moves the actions to the model.
static void finish_event(KalBuild *b, KalEvent event, const Actions *actions)
{
    const size_t size = actions->list.size;
    event.n_actions = size / sizeof *event.actions;
    assert(size % sizeof *event.actions == 0);
    event.actions = (KalAction *)kal_build_keep_list(b, actions->list.data, size);
    if (event.actions && event.name) {
        kal_build_check(b, kal_model_add_event(b->model, event));
    }
}

// Actions are read before the event is finished, so that all their errors are told.
void kal_build_event(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_EVENT);
    static const KalUsage usage = {KAL_MARKS_ALL, "an event"};
    KalTarget target;
    KalNameText name;
    if (!kal_build_target(b, node->of.event.target, &target)
        || !kal_build_name(b, &target, target.n, &name)) {
        kal_build_spoil(b, KAL_ENTRY_EVENT, node->of.event.target);
        return;
    }
    const unsigned both = KAL_DIRECTION_RISING | KAL_DIRECTION_FALLING;
    const unsigned directions = node->op == 0 ? both : node->op;
    const KalValue value = kal_build_scalar_for(b, node->of.event.value, usage);
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_EVENT, &target, target.n);
    Actions actions = {.node = node};
    for (const KalNode *a = node->of.event.actions; a; a = a->next) {
        read_action(b, &actions, a);
    }
    if (entry && value.kind != KAL_VALUE_BAD && kal_build_count(b, node->span, 1)) {
        const KalValue none = {.kind = KAL_VALUE_PART};
        kal_build_set_target(b, entry, &target, target.n, none);
        finish_event(b,
                     (KalEvent){.name = kal_build_keep_name(b, &name),
                                .span = target.node->span,
                                .value = value.of.expr,
                                .rising = (directions & KAL_DIRECTION_RISING) != 0,
                                .falling = (directions & KAL_DIRECTION_FALLING) != 0},
                     &actions);
    }
    kal_block_clear(b->ctx, &actions.list);
}
