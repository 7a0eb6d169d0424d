// SPDX-License-Identifier: MIT

// What is demanded of the motion: constraints, drives, servos and their actuators.

#include "model/build_impl.h"
#include "model/constraint_impl.h"
#include "model/statement_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const double TRUE_WITHIN = 1e-9; // of numbers that ought to be equal

KalValue kal_build_residual(KalBuild *b, const KalNode *node, KalUsage usage)
{
    const KalValue left = kal_build_eval_for(b, node->of.equation.left, usage);
    const KalValue right = kal_build_eval_for(b, node->of.equation.right, usage);
    if (left.kind == KAL_VALUE_BAD || right.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    const bool arrays = left.kind == KAL_VALUE_ARRAY && right.kind == KAL_VALUE_ARRAY;
    if (left.kind != right.kind || (arrays && left.of.array->n != right.of.array->n)) {
        return kal_build_bad(b, node->span, "the left side is %s, the right side %s",
                             kal_build_describe(left).text,
                             kal_build_describe(right).text);
    }
    return kal_build_subtract(b, left, right, node->of.equation.right);
}

// An equation between constants is a slip, whether it is true or not.
static bool check_constant(KalBuild *b, KalExpr residual, const KalNode *node)
{
    assert(residual.index != 0);
    uint64_t kinds = 0;
    double number = 0.0;
    if (!kal_build_check(b, kal_model_kinds_in(b->model, residual, &kinds))
        || (kinds & KAL_MARKS_MOVING) != 0) {
        return b->status == KAL_OK;
    }
    if ((kinds & KAL_MARK(TIME)) != 0) {
        kal_build_error(b, node->span, "no coordinate is in this, only the time");
        return false;
    }
    if (!kal_build_number(b, residual, &number)) {
        return false;
    }
    if (!(fabs(number) <= TRUE_WITHIN)) {
        kal_build_error(b, node->span,
                        "no coordinate is in this, and the sides differ by %.9g",
                        number);
        return false;
    }
    kal_build_mark_decided(b, residual);
    kal_build_warn(b, node->span, "no coordinate is in this; it holds anyway");
    return true;
}

// The multiplier times the residual is an energy, at velocity level a power and so on.
KalUnitId kal_build_reaction_unit(KalBuild *b, uint32_t constraint, KalUnitId residual)
{
    const KalConstraintLevel level = b->model->constraints[constraint].level;
    assert(constraint < b->model->n_constraints);
    KalUnitId unit = kal_build_unit_over(b, b->units.energy, residual);
    for (int i = 0; i < (int)level; i++) {
        unit = kal_build_unit_over(b, unit, KAL_UNIT_TIME);
    }
    return unit;
}

bool kal_build_is_reaction(const KalBuild *b, KalValue value, uint32_t *out_constraint)
{
    if (value.kind != KAL_VALUE_SCALAR) {
        return false;
    }
    const KalExprNode node = kal_graph_node(b->graph, value.of.expr);
    if (node.op != KAL_OP_SYMBOL
        || b->model->symbols[node.arg[0].index].kind != KAL_SYMBOL_REACTION) {
        return false;
    }
    *out_constraint = b->model->symbols[node.arg[0].index].index;
    return true;
}

// Where a constraint is declared, and whether it waits for an event.
typedef struct Demand {
    KalSpan span;
    bool off;
} Demand;

// One equation of a constraint; its value is the symbol of its reaction.
static KalValue constraint_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    const Demand *demand = (const Demand *)leaves->user;
    const KalSpan *span = &demand->span;
    assert(value.kind == KAL_VALUE_SCALAR);
    const KalConstraint entry = {.name = kal_build_keep_name(b, &leaves->name),
                                 .span = *span,
                                 .residual = value.of.expr,
                                 .off = demand->off,
                                 .driven = KAL_NOT_DRIVEN};
    uint32_t index;
    if (!entry.name || !kal_build_count(b, *span, 1)
        || !kal_build_list_name(b, KAL_ENTRY_CONSTRAINT, &leaves->name, *span)
        || !check_constant(b, value.of.expr, leaves->node)
        || !kal_build_check(b, kal_model_add_constraint(b->model, entry, &index))) {
        return KAL_BAD_VALUE;
    }
    return kal_build_scalar_of(
        b, b->model->constraints[index].reaction, KAL_MARK(REACTION),
        kal_build_reaction_unit(b, index, value.unit), leaves->node);
}

// The name is declared even if the equation is wrong: it then means nothing, and is not
// told of again.
void kal_build_constraint(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_CONSTRAINT);
    static const KalUsage usage = {KAL_MARKS_MOTION, "a constraint"};
    KalTarget target;
    Demand demand = {.span = node->of.equation.target->span,
                     .off = node->of.equation.options != NULL};
    KalLeaves leaves = {
        .letters = true, .node = node, .leaf = constraint_leaf, .user = &demand};
    if (!kal_build_target(b, node->of.equation.target, &target)
        || !kal_build_name(b, &target, target.n, &leaves.name)) {
        kal_build_spoil(b, KAL_ENTRY_CONSTRAINT, node->of.equation.target);
        return;
    }
    const KalValue residual = kal_build_residual(b, node, usage);
    KalEntry *entry =
        kal_build_declare_target(b, KAL_ENTRY_CONSTRAINT, &target, target.n);
    if (entry) {
        kal_build_set_target(b, entry, &target, target.n,
                             kal_build_leaves(b, &leaves, residual));
    }
}

// Prescribed coordinates.

// A drive is a constraint target − value = 0 that knows its coordinate.
static KalValue prescribe_scalar(KalBuild *b, KalValue target, KalValue value,
                                 const KalNode *node)
{
    assert(target.kind == KAL_VALUE_BAD || value.kind == KAL_VALUE_SCALAR);
    const KalNode *target_node = node->of.declaration.target;
    uint32_t index;
    uint32_t row;
    uint64_t other;
    if (!kal_build_coordinate(b, target, target_node->span, &index)) {
        return KAL_BAD_VALUE;
    }
    if (kal_map_find(&b->lists.drives, (uint64_t)index + 1, &other)) {
        const KalValue bad =
            kal_build_bad(b, target_node->span, "'%s' is prescribed twice",
                          b->model->coordinates[index].name);
        kal_build_note(b, b->model->constraints[other].span, "here it is, too");
        return bad;
    }
    const KalValue residual =
        kal_build_subtract(b, target, value, node->of.declaration.value);
    KalNameText name;
    const int length = snprintf(name.text, sizeof name.text, "drive(%s)",
                                b->model->coordinates[index].name);
    name.length =
        (size_t)length < sizeof name.text ? (size_t)length : sizeof name.text - 1;
    const KalConstraint entry = {.name = kal_build_keep_name(b, &name),
                                 .span = target_node->span,
                                 .residual = residual.of.expr,
                                 .driven = (int64_t)index};
    if (residual.kind == KAL_VALUE_BAD || !entry.name
        || !kal_build_count(b, node->span, 1)
        || !kal_build_check(b, kal_model_add_constraint(b->model, entry, &row))
        || !kal_build_check(
            b, kal_map_set(b->ctx, &b->lists.drives, (uint64_t)index + 1, row))) {
        return KAL_BAD_VALUE;
    }
    return residual;
}

void kal_build_prescribe(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_PRESCRIBE);
    static const KalUsage usage = {KAL_MARKS_TIMED,
                                   "what a coordinate is prescribed to be"};
    for (const KalNode *a = node->of.list.items; a; a = a->next) {
        const KalValue target =
            kal_build_path(b, a->of.declaration.target, KAL_SPACE_VALUE);
        const KalValue value = kal_build_eval_for(b, a->of.declaration.value, usage);
        (void)kal_build_zip(b, prescribe_scalar, target, value, a);
    }
}

// Servos and actuators.

// What the value of an option is called, and the unit that it has to have.
typedef struct Measure {
    const char *what;
    KalUnitId unit;
    const char *than; // what has that unit
} Measure;

// A formula of parameters that has to be positive.
static KalExpr positive_option(KalBuild *b, const KalNode *option, Measure measure)
{
    assert(option->of.option.value);
    const KalUsage usage = {KAL_MARKS_CONSTANT, "an option"};
    const KalNode *node = option->of.option.value;
    const KalValue value = kal_build_scalar_for(b, node, usage);
    double number;
    if (value.kind == KAL_VALUE_BAD || !kal_build_number(b, value.of.expr, &number)) {
        return KAL_NO_EXPR;
    }
    (void)kal_build_agree(b, kal_build_declared(value.unit), measure.unit, node->span,
                          measure.what, measure.than);
    if (!(number > 0.0 && isfinite(number))) {
        kal_build_error(b, node->span, "%s has to be positive, but is %.9g",
                        measure.what, number);
        return KAL_NO_EXPR;
    }
    return value.of.expr;
}

typedef struct Servo {
    KalSpan span;
    KalExpr rate;
} Servo;

// One equation of a servo, which has no reaction.
static KalValue servo_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    const Servo *info = (const Servo *)leaves->user;
    assert(value.kind == KAL_VALUE_SCALAR && info->rate.index != 0);
    const KalServo entry = {.name = kal_build_keep_name(b, &leaves->name),
                            .span = info->span,
                            .residual = value.of.expr,
                            .rate = info->rate};
    if (entry.name && kal_build_count(b, info->span, 1)
        && kal_build_list_name(b, KAL_ENTRY_CONSTRAINT, &leaves->name, info->span)
        && check_constant(b, value.of.expr, leaves->node)) {
        kal_build_check(b, kal_model_add_servo(b->model, entry));
    }
    return value;
}

// As a constraint, with the rate at which its error decays.
void kal_build_servo(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_SERVO);
    static const KalUsage usage = {KAL_MARKS_STATE, "a servo"};
    KalTarget target;
    const KalNode *rate = node->of.equation.options;
    Servo info = {.span = node->of.equation.target->span};
    KalLeaves leaves = {
        .letters = true, .node = node, .leaf = servo_leaf, .user = &info};
    if (!kal_build_target(b, node->of.equation.target, &target)
        || !kal_build_name(b, &target, target.n, &leaves.name)) {
        kal_build_spoil(b, KAL_ENTRY_CONSTRAINT, node->of.equation.target);
        return;
    }
    const KalValue residual = kal_build_residual(b, node, usage);
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_SERVO, &target, target.n);
    if (!rate) {
        kal_build_error(b, node->span,
                        "a servo says how fast its error decays, as in , rate = 2");
        return;
    }
    info.rate = positive_option(
        b, rate,
        (Measure){"the rate", kal_build_unit_over(b, KAL_UNIT_ONE, KAL_UNIT_TIME),
                  "a rate"});
    if (entry && info.rate.index != 0) {
        kal_build_set_target(b, entry, &target, target.n,
                             kal_build_leaves(b, &leaves, residual));
    }
}

// Energy per time and unit of what an actuator acts on.
static KalUnitId input_unit(KalBuild *b, KalUnitId power)
{
    return kal_build_unit_over(
        b, kal_build_unit_over(b, b->units.energy, KAL_UNIT_TIME), power);
}

// Limit and weight; returns the law, or NULL.
static const KalNode *read_actuator_options(KalBuild *b, const KalNode *node,
                                            KalUnitId unit, KalActuator *actuator)
{
    const KalNode *law = NULL;
    for (const KalNode *o = node->of.actuator.options; o; o = o->next) {
        if (o->op == KAL_OPTION_LIMIT) {
            actuator->limit =
                positive_option(b, o, (Measure){"the limit", unit, "the input"});
        } else if (o->op == KAL_OPTION_WEIGHT) {
            actuator->weight =
                positive_option(b, o, (Measure){"the weight", KAL_UNIT_ANY, ""});
        } else {
            law = o->of.option.value;
        }
    }
    if (law && actuator->weight.index != 0) {
        kal_build_error(b, node->span,
                        "a weight is for actuators that servos share; this one has a "
                        "law");
    }
    return law;
}

// An input that servos use.
static bool add_input(KalBuild *b, const KalNode *node, const KalActuator *actuator,
                      KalValue power, KalValue *out_input)
{
    uint32_t index;
    if (!kal_build_check(b, kal_model_add_actuator(b->model, *actuator, &index))) {
        return false;
    }
    *out_input =
        kal_build_scalar_of(b, b->model->actuators[index].input, KAL_MARK(CONTROL),
                            input_unit(b, power.unit), node);
    return true;
}

// An input with a law, which is known at the end.
static bool add_law(KalBuild *b, const KalNode *node, const KalActuator *actuator,
                    KalValue power, KalValue *out_input)
{
    const KalLaw entry = {.name = actuator->name,
                          .span = actuator->span,
                          .power = actuator->power,
                          .limit = actuator->limit};
    uint32_t index;
    if (!kal_build_check(b, kal_model_add_law(b->model, entry, &index))) {
        return false;
    }
    *out_input =
        kal_build_scalar_of(b, b->model->laws[index].control, KAL_MARK(PROMISE),
                            input_unit(b, power.unit), node);
    kal_build_promise_law(b, node, power);
    return true;
}

// The input is a symbol, or the promise of a law that is built when everything it may
// name is there.
void kal_build_actuator(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_ACTUATOR);
    static const KalUsage usage = {KAL_MARKS_STATE, "what an actuator acts on"};
    KalTarget target;
    KalNameText name;
    if (!kal_build_target(b, node->of.actuator.target, &target)
        || !kal_build_name(b, &target, target.n, &name)) {
        kal_build_spoil(b, KAL_ENTRY_ACTUATOR, node->of.actuator.target);
        return;
    }
    const KalValue power = kal_build_scalar_for(b, node->of.actuator.power, usage);
    KalActuator actuator = {.span = target.node->span, .power = power.of.expr};
    const KalNode *law =
        read_actuator_options(b, node, input_unit(b, power.unit), &actuator);
    KalEntry *entry =
        kal_build_declare_target(b, KAL_ENTRY_ACTUATOR, &target, target.n);
    actuator.name = kal_build_keep_name(b, &name);
    KalValue input = KAL_BAD_VALUE;
    if (!entry || power.kind == KAL_VALUE_BAD || !actuator.name
        || !kal_build_count(b, node->span, 1)
        || !(law ? add_law(b, node, &actuator, power, &input)
                 : add_input(b, node, &actuator, power, &input))) {
        return;
    }
    if ((power.marks & KAL_MARK(VELOCITY)) == 0) {
        kal_build_error(
            b, node->of.actuator.power->span,
            "no velocity is in this; the power of the input '%s' is the input "
            "times this",
            actuator.name);
    }
    kal_build_set_target(b, entry, &target, target.n, input);
}
