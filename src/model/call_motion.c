// SPDX-License-Identifier: MIT

// Calls that stand for what only the motion decides: forces of constraints, inputs of actuators,
// what a contact does, the energy.  Their arguments are names, of whatever kind.

#include "model/call_impl.h"
#include "model/constraint_impl.h"

#include <assert.h>

bool kal_build_coordinate(KalBuild *b, KalValue value, KalSpan span,
                          uint32_t *out_index)
{
    assert(out_index);
    if (value.kind == KAL_VALUE_BAD) {
        return false;
    }
    const bool scalar = value.kind == KAL_VALUE_SCALAR;
    const KalExprNode node = scalar ? kal_graph_node(b->graph, value.of.expr)
                                    : (KalExprNode){.op = KAL_OP_CONST};
    const KalSymbol *symbol =
        node.op == KAL_OP_SYMBOL ? &b->model->symbols[node.arg[0].index] : NULL;
    if (!symbol || symbol->kind != KAL_SYMBOL_COORDINATE) {
        kal_build_error(b, span, "'%.*s' is not a coordinate",
                        (int)(span.end - span.begin), span.source->text + span.begin);
        return false;
    }
    *out_index = symbol->index;
    assert(symbol->index < b->model->n_coordinates);
    return true;
}

// Energy per unit of a coordinate.
static KalUnitId force_unit(KalBuild *b, KalValue value)
{
    return kal_build_unit_over(b, b->units.energy, value.unit);
}

// The symbol of the constraint force on a coordinate; made when it is first asked for.
static KalValue cforce_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(node->kind == KAL_NODE_CALL);
    uint32_t index;
    KalExpr e;
    (void)c;
    if (!kal_build_coordinate(b, a, node->of.call.arguments->span, &index)
        || !kal_build_check(b, kal_model_coordinate_force(b->model, index, &e))) {
        return KAL_BAD_VALUE;
    }
    return kal_build_scalar_of(b, e, KAL_MARK(COORDINATE_FORCE), force_unit(b, a),
                               node);
}

// The reaction of the constraint that prescribes a coordinate.
static KalValue drive_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(node->kind == KAL_NODE_CALL);
    uint32_t index;
    uint64_t constraint;
    (void)c;
    if (!kal_build_coordinate(b, a, node->of.call.arguments->span, &index)) {
        return KAL_BAD_VALUE;
    }
    if (!kal_map_find(&b->lists.drives, (uint64_t)index + 1, &constraint)) {
        return kal_build_bad(b, node->span,
                             "'%s' is not prescribed, so nothing drives it",
                             b->model->coordinates[index].name);
    }
    assert(constraint < b->model->n_constraints);
    return kal_build_scalar_of(b, b->model->constraints[constraint].reaction,
                               KAL_MARK(REACTION), force_unit(b, a), node);
}

// What an argument names, anything being allowed in it.
static KalValue named_argument(KalBuild *b, const KalNode *node, KalSpace space)
{
    const KalUsage usage = b->eval.usage;
    b->eval.usage.allowed = KAL_MARKS_ALL;
    const KalNode *argument = node->of.call.arguments;
    const KalValue value = kal_build_demand_arguments(b, node, 1)
                               ? kal_build_path(b, argument, space)
                               : KAL_BAD_VALUE;
    b->eval.usage = usage;
    return value;
}

KalValue kal_build_call_cforce(KalBuild *b, const KalNode *node)
{
    return kal_build_each(b, cforce_scalar, named_argument(b, node, KAL_SPACE_VALUE),
                          (KalValue){.kind = KAL_VALUE_NONE}, node);
}

KalValue kal_build_call_drive(KalBuild *b, const KalNode *node)
{
    return kal_build_each(b, drive_scalar, named_argument(b, node, KAL_SPACE_VALUE),
                          (KalValue){.kind = KAL_VALUE_NONE}, node);
}

// Reactions or inputs, by the name of what has them.
static KalValue call_named(KalBuild *b, const KalNode *node, KalSpace space,
                           const char *what)
{
    const KalValue value = named_argument(b, node, space);
    if (value.kind == KAL_VALUE_PART
        || (value.kind == KAL_VALUE_ARRAY && (value.marks & KAL_MARKS_ALL) == 0)) {
        return kal_build_bad(b, node->span, "expected %s, found %s", what,
                             kal_build_describe(value).text);
    }
    return value;
}

KalValue kal_build_call_reaction(KalBuild *b, const KalNode *node)
{
    return call_named(b, node, KAL_SPACE_CONSTRAINT, "a constraint");
}

// 1 or 0 for each reaction of a constraint.
static KalValue active_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    KalExpr e;
    (void)c;
    const uint32_t id = kal_graph_node(b->graph, a.of.expr).arg[0].index;
    assert(b->model->symbols[id].kind == KAL_SYMBOL_REACTION);
    if (!kal_build_check(b,
                         kal_model_active(b->model, b->model->symbols[id].index, &e))) {
        return KAL_BAD_VALUE;
    }
    return kal_build_scalar_of(b, e, KAL_MARK(ACTIVE), KAL_UNIT_ONE, node);
}

KalValue kal_build_call_active(KalBuild *b, const KalNode *node)
{
    const KalValue reactions =
        call_named(b, node, KAL_SPACE_CONSTRAINT, "a constraint");
    return kal_build_each(b, active_scalar, reactions,
                          (KalValue){.kind = KAL_VALUE_NONE}, node);
}

// The contact or friction that an argument names, with a row of it.
static bool named_contact(KalBuild *b, const KalNode *node, KalValue *out_value,
                          uint32_t *out_row)
{
    const KalValue value = named_argument(b, node, KAL_SPACE_CONSTRAINT);
    *out_value = value;
    if (value.kind == KAL_VALUE_BAD) {
        return false;
    }
    if (!kal_build_is_reaction(b, value, out_row)
        || b->model->constraints[*out_row].role == KAL_ROLE_USUAL) {
        (void)kal_build_bad(b, node->span,
                            "expected the name of a contact or friction");
        return false;
    }
    return true;
}

KalValue kal_build_call_gap(KalBuild *b, const KalNode *node)
{
    KalValue value;
    uint32_t row = 0;
    if (!named_contact(b, node, &value, &row)) {
        return KAL_BAD_VALUE;
    }
    const KalConstraint *gap = &b->model->constraints[row];
    if (gap->role != KAL_ROLE_GAP) {
        return kal_build_bad(b, node->span, "a friction has no gap");
    }
    uint64_t marks = 0;
    (void)kal_build_check(b, kal_model_kinds_in(b->model, gap->residual, &marks));
    return kal_build_scalar_of(b, gap->residual, (unsigned)marks,
                               kal_build_unit_over(b, b->units.energy, value.unit),
                               node);
}

// A contact with friction: by name.
static const KalContact *named_friction(KalBuild *b, const KalNode *node,
                                        KalValue *out_value)
{
    uint32_t row = 0;
    if (!named_contact(b, node, out_value, &row)) {
        return NULL;
    }
    const KalContact *contact = &b->model->contacts[b->model->constraints[row].contact];
    if (contact->n_slips == 0) {
        (void)kal_build_bad(b, node->span, "the contact '%s' has no friction",
                            contact->name);
        return NULL;
    }
    return contact;
}

// The tangential force: the reaction of the slip, whether it holds or slides.
KalValue kal_build_call_friction(KalBuild *b, const KalNode *node)
{
    KalValue value;
    const KalContact *contact = named_friction(b, node, &value);
    if (!contact) {
        return KAL_BAD_VALUE;
    }
    KalArray *array = kal_build_array(b, contact->n_slips);
    if (!array) {
        return KAL_BAD_VALUE;
    }
    for (uint32_t i = 0; i < contact->n_slips; i++) {
        const KalConstraint *slip = &b->model->constraints[contact->slip[i]];
        array->items[i] = kal_build_scalar_of(b, slip->reaction, KAL_MARK(REACTION),
                                              value.unit, node);
    }
    return contact->n_slips == 1 ? array->items[0]
                                 : kal_build_finish(b, array, node->span);
}

// 1 while a contact or friction holds.
KalValue kal_build_call_sticks(KalBuild *b, const KalNode *node)
{
    KalValue value;
    KalExpr e;
    const KalContact *contact = named_friction(b, node, &value);
    if (!contact) {
        return KAL_BAD_VALUE;
    }
    if (!kal_build_check(b, kal_model_active(b->model, contact->slip[0], &e))) {
        return KAL_BAD_VALUE;
    }
    return kal_build_scalar_of(b, e, KAL_MARK(ACTIVE), KAL_UNIT_ONE, node);
}

KalValue kal_build_call_control(KalBuild *b, const KalNode *node)
{
    return call_named(b, node, KAL_SPACE_ACTUATOR, "an actuator");
}

// What a law asks for: its promise stands before that of what comes of it.
static KalValue demand_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    (void)c;
    const uint32_t id = kal_graph_node(b->graph, a.of.expr).arg[0].index;
    const KalSymbol *symbol = &b->model->symbols[id];
    if (symbol->kind != KAL_SYMBOL_PROMISE) {
        return kal_build_bad(b, node->span,
                             "demand(…) is what a law asks for, and this actuator has "
                             "none; its input is control(…)");
    }
    assert(symbol->index > 0);
    return kal_build_scalar_of(b, b->model->promises[symbol->index - 1].symbol,
                               KAL_MARK(PROMISE), a.unit, node);
}

KalValue kal_build_call_demand(KalBuild *b, const KalNode *node)
{
    const KalValue inputs = call_named(b, node, KAL_SPACE_ACTUATOR, "an actuator");
    return kal_build_each(b, demand_scalar, inputs, (KalValue){.kind = KAL_VALUE_NONE},
                          node);
}

// T + V, as a symbol: what it is made of is known only when the model is complete.
KalValue kal_build_call_energy(KalBuild *b, const KalNode *node)
{
    if (!kal_build_demand_arguments(b, node, 0)) {
        return KAL_BAD_VALUE;
    }
    return kal_build_scalar_of(b, b->model->energy, KAL_MARK(ENERGY), b->units.energy,
                               node);
}
