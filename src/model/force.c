// SPDX-License-Identifier: MIT

// Energies, forces, masses.

#include "model/build_impl.h"
#include "model/slope.h"
#include "model/statement_impl.h"

#include <assert.h>

// A kind of energy or power.
typedef struct Energy {
    const char *where;
    KalTermKind kind;
    unsigned allowed;
    bool is_power; // then a velocity has to be in it, else a coordinate
} Energy;

// One more contribution to the equations of motion.
static void add(KalBuild *b, KalContribution entry)
{
    if (kal_build_count(b, entry.span, 1)) {
        kal_build_check(b, kal_model_add_contribution(b->model, entry));
    }
}

// What a formula really holds; the marks of a value may have more.
static uint64_t kinds_in(KalBuild *b, KalExpr e)
{
    uint64_t kinds = 0;
    (void)kal_build_check(b, kal_model_kinds_in(b->model, e, &kinds));
    return kinds;
}

static void build_energy(KalBuild *b, const KalNode *node, Energy energy)
{
    const KalNode *formula = node->of.unary.operand;
    const KalUsage usage = {energy.allowed, energy.where};
    const KalValue value = kal_build_scalar_for(b, formula, usage);
    if (value.kind == KAL_VALUE_BAD) {
        return;
    }
    const uint64_t kinds = kinds_in(b, value.of.expr);
    if (energy.is_power) {
        kal_build_demand_power(b, kal_build_declared(value.unit), formula->span,
                               "this");
    } else {
        kal_build_demand_energy(b, kal_build_declared(value.unit), formula->span,
                                "this");
    }
    const bool own = formula->span.source == b->main; // libraries serve many models
    if (own && energy.is_power && (kinds & KAL_MARK(VELOCITY)) == 0) {
        kal_build_warn(b, formula->span, "no velocity is in this, so it has no effect");
    } else if (own && (kinds & KAL_MARKS_MOVING) == 0) {
        kal_build_warn(b, formula->span,
                       "no coordinate is in this, so it has no effect");
    }
    const KalContribution entry = {
        .kind = energy.kind, .value = value.of.expr, .span = formula->span};
    add(b, entry);
}

void kal_build_kinetic(KalBuild *b, const KalNode *node)
{
    build_energy(b, node,
                 (Energy){"an energy", KAL_TERM_KINETIC, KAL_MARKS_STATE, false});
}

void kal_build_potential(KalBuild *b, const KalNode *node)
{
    build_energy(b, node,
                 (Energy){"an energy", KAL_TERM_POTENTIAL, KAL_MARKS_STATE, false});
}

void kal_build_dissipation(KalBuild *b, const KalNode *node)
{
    build_energy(
        b, node,
        (Energy){"a dissipation", KAL_TERM_DISSIPATION, KAL_MARKS_FORCE, true});
}

void kal_build_external_power(KalBuild *b, const KalNode *node)
{
    build_energy(b, node, (Energy){"a power", KAL_TERM_POWER, KAL_MARKS_FORCE, true});
}

void kal_build_nonideal_power(KalBuild *b, const KalNode *node)
{
    build_energy(
        b, node,
        (Energy){"a power", KAL_TERM_NONIDEAL_POWER, KAL_MARKS_NONIDEAL, true});
}

// Forces on coordinates, element by element.

static KalValue add_force(KalBuild *b, KalTermKind kind, KalValue target,
                          KalValue value, const KalNode *node)
{
    assert(kind == KAL_TERM_FORCE || kind == KAL_TERM_NONIDEAL);
    const KalSpan span = node->of.declaration.value->span;
    KalContribution entry = {.kind = kind, .value = value.of.expr, .span = span};
    if (!kal_build_coordinate(b, target, node->of.declaration.target->span,
                              &entry.row)) {
        return KAL_BAD_VALUE;
    }
    kal_build_demand_energy(
        b, kal_build_unit_times(b, target.unit, kal_build_declared(value.unit)), span,
        "the force times its coordinate");
    add(b, entry);
    return value;
}

static KalValue add_impressed(KalBuild *b, KalValue target, KalValue value,
                              const KalNode *node)
{
    return add_force(b, KAL_TERM_FORCE, target, value, node);
}

static KalValue add_nonideal(KalBuild *b, KalValue target, KalValue value,
                             const KalNode *node)
{
    return add_force(b, KAL_TERM_NONIDEAL, target, value, node);
}

void kal_build_force(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_FORCE || node->kind == KAL_NODE_NONIDEAL);
    static const KalUsage impressed = {KAL_MARKS_FORCE, "a force"};
    static const KalUsage nonideal = {KAL_MARKS_NONIDEAL, "a force"};
    const bool ideal = node->kind == KAL_NODE_FORCE;
    for (const KalNode *a = node->of.list.items; a; a = a->next) {
        const KalValue target =
            kal_build_path(b, a->of.declaration.target, KAL_SPACE_VALUE);
        if (target.kind == KAL_VALUE_BAD) {
            kal_build_note(b, a->of.declaration.target->span,
                           "a force is that on a coordinate, as in force x = …");
        }
        const KalValue value = kal_build_eval_for(b, a->of.declaration.value,
                                                  ideal ? impressed : nonideal);
        (void)kal_build_zip(b, ideal ? add_impressed : add_nonideal, target, value, a);
    }
}

// Forces along velocities: Q = F ∂v/∂q', theory (9.14).

// One force for each coordinate that the velocity depends on.
static void add_slopes(KalBuild *b, KalValue force, const KalBlock *slopes,
                       const KalNode *node)
{
    assert(node->kind == KAL_NODE_POWER_ALONG || node->kind == KAL_NODE_NONIDEAL_ALONG);
    const bool ideal = node->kind == KAL_NODE_POWER_ALONG;
    const KalNode *velocity = node->of.binary.right;
    for (size_t i = 0; i < kal_count_slopes(slopes); i++) {
        const KalVelocitySlope at = kal_slope_at(slopes, i);
        const KalContribution entry = {
            .kind = ideal ? KAL_TERM_FORCE : KAL_TERM_NONIDEAL,
            .row = at.coordinate,
            .value = kal_mul(b->model->graph, force.of.expr, at.slope),
            .span = node->of.binary.left->span};
        if ((kinds_in(b, at.slope) & KAL_MARK(VELOCITY)) != 0) {
            kal_build_error(b, velocity->span,
                            "what stands after 'along' has to be linear in velocities");
            return;
        }
        add(b, entry);
    }
    if (kal_count_slopes(slopes) == 0 && velocity->span.source == b->main) {
        kal_build_warn(b, velocity->span,
                       "no velocity is in this, so the force has no effect");
    }
}

// The gradient of the velocity by all q'.
static KalValue add_along(KalBuild *b, KalValue force, KalValue velocity,
                          const KalNode *node)
{
    assert(force.kind == KAL_VALUE_SCALAR && velocity.kind == KAL_VALUE_SCALAR);
    kal_build_demand_power(
        b, kal_build_unit_times(b, kal_build_declared(force.unit), velocity.unit),
        node->of.binary.left->span, "the force times the velocity");
    KalBlock slopes = {0};
    if (kal_build_check(b, kal_model_slopes(b->model, velocity.of.expr, &slopes))) {
        add_slopes(b, force, &slopes, node);
    }
    kal_block_clear(b->ctx, &slopes);
    return force;
}

void kal_build_along(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_POWER_ALONG || node->kind == KAL_NODE_NONIDEAL_ALONG);
    static const KalUsage impressed = {KAL_MARKS_FORCE, "a force"};
    static const KalUsage nonideal = {KAL_MARKS_NONIDEAL, "a force"};
    static const KalUsage velocity = {KAL_MARKS_STATE, "a velocity"};
    const bool ideal = node->kind == KAL_NODE_POWER_ALONG;
    const KalValue force =
        kal_build_eval_for(b, node->of.binary.left, ideal ? impressed : nonideal);
    const KalValue along = kal_build_eval_for(b, node->of.binary.right, velocity);
    (void)kal_build_zip(b, add_along, force, along, node);
}

// A mass that is given for two coordinates, beside those of the kinetic energy.
void kal_build_mass(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_MASS);
    static const KalUsage usage = {KAL_MARKS_TIMED | KAL_MARK(COORDINATE), "a mass"};
    const KalNode *formula = node->of.mass.value;
    const KalValue row = kal_build_path(b, node->of.mass.row, KAL_SPACE_VALUE);
    const KalValue column = kal_build_path(b, node->of.mass.column, KAL_SPACE_VALUE);
    const KalValue value = kal_build_scalar_for(b, formula, usage);
    KalContribution entry = {
        .kind = KAL_TERM_MASS, .value = value.of.expr, .span = formula->span};
    if (!kal_build_coordinate(b, row, node->of.mass.row->span, &entry.row)
        || !kal_build_coordinate(b, column, node->of.mass.column->span, &entry.column)
        || value.kind == KAL_VALUE_BAD) {
        return;
    }
    const KalUnitId velocities = kal_build_unit_over(
        b,
        kal_build_unit_over(b, kal_build_unit_times(b, row.unit, column.unit),
                            KAL_UNIT_TIME),
        KAL_UNIT_TIME);
    kal_build_demand_energy(
        b, kal_build_unit_times(b, kal_build_declared(value.unit), velocities),
        formula->span, "the mass times both velocities");
    add(b, entry);
}
