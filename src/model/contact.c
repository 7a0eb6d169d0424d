// SPDX-License-Identifier: MIT

// Contacts and dry friction: one-sided constraints, and forces that hold or slide.
//
// The gap of a contact and its slips become constraints of their own, which act while the
// contact is closed and while it holds.  So all that is done with constraints, derivation,
// projection and reactions, is done with them.

#include "model/build_impl.h"
#include "model/constraint_impl.h"
#include "model/slope.h"
#include "model/statement_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

// What is being declared.
typedef struct Making {
    const KalNode *node;
    KalNameText name;
    KalContact contact;
    KalUnitId slip_unit;  // of the slip, a velocity
    KalUnitId force_unit; // of the friction
} Making;

// One row of a contact.
static bool add_row(KalBuild *b, Making *m, const KalNameText *name, KalValue residual,
                    KalConstraintRole role, uint32_t *out_row)
{
    const KalConstraint entry = {.name = kal_build_keep_name(b, name),
                                 .span = m->contact.span,
                                 .residual = residual.of.expr,
                                 .driven = KAL_NOT_DRIVEN,
                                 .role = role,
                                 .contact = (uint32_t)b->model->n_contacts};
    return entry.name && kal_build_count(b, m->contact.span, 1)
           && kal_build_check(b, kal_model_add_constraint(b->model, entry, out_row));
}

static bool has_kind(KalBuild *b, KalExpr e, unsigned mark)
{
    uint64_t kinds = 0;
    return kal_build_check(b, kal_model_kinds_in(b->model, e, &kinds))
           && (kinds & mark) != 0;
}

// A slip is linear in velocities, up to a term of t and q: its slopes have none in them.
static bool is_linear(KalBuild *b, KalExpr slip)
{
    KalBlock slopes = {0};
    bool linear = kal_build_check(b, kal_model_slopes(b->model, slip, &slopes));
    for (size_t i = 0; linear && i < kal_count_slopes(&slopes); i++) {
        linear = !has_kind(b, kal_slope_at(&slopes, i).slope, KAL_MARK(VELOCITY));
    }
    kal_block_clear(b->ctx, &slopes);
    return linear;
}

// One direction of the slip; its constraint is called slip(name).
static bool add_slip(KalBuild *b, Making *m, KalValue slip, const KalNode *node,
                     const char *suffix)
{
    KalNameText name;
    uint32_t row = 0;
    if (slip.kind != KAL_VALUE_SCALAR) {
        return false;
    }
    if (!has_kind(b, slip.of.expr, KAL_MARK(VELOCITY))) {
        kal_build_error(b, node->span, "no velocity is in this; a slip is a velocity");
        return false;
    }
    if (!is_linear(b, slip.of.expr)) {
        kal_build_error(b, node->span, "a slip has to be linear in the velocities");
        return false;
    }
    const int length =
        snprintf(name.text, sizeof name.text, "slip(%s)%s", m->name.text, suffix);
    name.length =
        (size_t)length < sizeof name.text ? (size_t)length : sizeof name.text - 1;
    if (!add_row(b, m, &name, slip, KAL_ROLE_SLIP, &row)) {
        return false;
    }
    m->slip_unit = slip.unit;
    m->force_unit = kal_build_reaction_unit(b, row, slip.unit);
    assert(m->contact.n_slips < KAL_SLIPS);
    m->contact.slip[m->contact.n_slips++] = row;
    return true;
}

// A slip is a number, or a vector of two.
static bool add_slips(KalBuild *b, Making *m, const KalNode *node)
{
    static const KalUsage usage = {KAL_MARKS_STATE, "a slip"};
    static const char *const letters[KAL_SLIPS] = {".x", ".y"};
    const KalValue slip = kal_build_eval_for(b, node, usage);
    if (slip.kind == KAL_VALUE_SCALAR) {
        return add_slip(b, m, slip, node, "");
    }
    if (slip.kind != KAL_VALUE_ARRAY || slip.of.array->n != KAL_SLIPS) {
        if (slip.kind != KAL_VALUE_BAD) {
            kal_build_error(b, node->span,
                            "a slip is a number or a vector of two, and this is %s",
                            kal_build_describe(slip).text);
        }
        return false;
    }
    for (int i = 0; i < KAL_SLIPS; i++) {
        if (!add_slip(b, m, slip.of.array->items[i], node, letters[i])) {
            return false;
        }
    }
    return true;
}

// A formula that is not negative, and at most `most`, as far as its value is known.
static bool check_range(KalBuild *b, KalValue value, const KalNode *node, double most)
{
    double number = 0.0;
    if ((value.marks & KAL_MARKS_ALL & ~(KAL_MARKS_CONSTANT | KAL_MARKS_NOTES)) != 0) {
        return true; // a run looks at it
    }
    if (!kal_build_number(b, value.of.expr, &number)) {
        return false;
    }
    if (!(number >= 0.0 && number <= most)) {
        kal_build_error(b, node->span,
                        isfinite(most) ? "this has to be from 0 to 1, but is %.9g"
                                       : "this cannot be negative, but is %.9g",
                        number);
        return false;
    }
    return true;
}

// A coefficient of t and q.
static KalExpr coefficient(KalBuild *b, const KalNode *option, double most)
{
    static const KalUsage usage = {KAL_MARKS_TIMED | KAL_MARK(COORDINATE),
                                   "a coefficient of a contact"};
    const KalNode *node = option->of.option.value;
    const KalValue value = kal_build_scalar_for(b, node, usage);
    if (value.kind == KAL_VALUE_BAD || !check_range(b, value, node, most)) {
        return KAL_NO_EXPR;
    }
    kal_build_demand_plain(b, value, node->span, "a coefficient");
    return value.of.expr;
}

// A force that friction reaches.
static KalExpr strength(KalBuild *b, const Making *m, const KalNode *option)
{
    static const KalUsage usage = {KAL_MARKS_NONIDEAL, "the limit of a friction"};
    const KalNode *node = option->of.option.value;
    const KalValue value = kal_build_scalar_for(b, node, usage);
    if (value.kind == KAL_VALUE_BAD || !check_range(b, value, node, INFINITY)) {
        return KAL_NO_EXPR;
    }
    (void)kal_build_agree(b, value.unit, m->force_unit, node->span, "this limit",
                          "a force along this velocity");
    return value.of.expr;
}

// The option of a statement, or NULL.
static const KalNode *find_option(const KalNode *first, KalOption option)
{
    while (first && first->op != option) {
        first = first->next;
    }
    return first;
}

// Restitution and friction of a contact; false after an error.
static bool read_contact_options(KalBuild *b, Making *m, const KalNode *options)
{
    const KalNode *bounce = find_option(options, KAL_OPTION_RESTITUTION);
    const KalNode *mu = find_option(options, KAL_OPTION_FRICTION);
    const KalNode *slip = find_option(options, KAL_OPTION_SLIP);
    const KalNode *hold = find_option(options, KAL_OPTION_STATIC);
    KalContact *c = &m->contact;
    c->restitution = bounce ? coefficient(b, bounce, 1.0) : kal_int(b->graph, 0);
    c->limit = mu ? coefficient(b, mu, INFINITY) : kal_int(b->graph, 0);
    c->hold = hold ? coefficient(b, hold, INFINITY) : c->limit;
    if (!mu != !slip || (hold && !mu)) {
        kal_build_error(b, m->node->span,
                        "friction needs both a coefficient and a slip, as in "
                        ", friction = 0.3, slip = x'");
        return false;
    }
    return c->restitution.index != 0 && c->limit.index != 0 && c->hold.index != 0
           && (!slip || add_slips(b, m, slip->of.option.value));
}

// The name that a statement declares.
static bool begin(KalBuild *b, Making *m, const KalNode *target_node, KalTarget *target)
{
    m->contact.span = target_node->span;
    m->contact.gap = KAL_NO_GAP;
    if (!kal_build_target(b, target_node, target)
        || !kal_build_name(b, target, target->n, &m->name)) {
        kal_build_spoil(b, KAL_ENTRY_CONSTRAINT, target_node);
        return false;
    }
    m->contact.name = kal_build_keep_name(b, &m->name);
    return m->contact.name != NULL;
}

// The name stands for the reaction of a row.
static void finish(KalBuild *b, const Making *m, const KalTarget *target, uint32_t row,
                   KalUnitId unit)
{
    KalEntry *entry =
        kal_build_declare_target(b, KAL_ENTRY_CONSTRAINT, target, target->n);
    if (entry && kal_build_list_name(b, KAL_ENTRY_CONSTRAINT, &m->name, m->contact.span)
        && kal_build_check(b, kal_model_add_contact(b->model, m->contact))) {
        kal_build_set_target(b, entry, target, target->n,
                             kal_build_scalar_of(b, b->model->constraints[row].reaction,
                                                 KAL_MARK(REACTION), unit, m->node));
    }
}

// The gap becomes a row of position level, its slips rows of velocity level, in the list
// of constraints: derivation treats all alike.
void kal_build_contact(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_CONTACT);
    static const KalUsage usage = {KAL_MARKS_TIMED | KAL_MARK(COORDINATE), "a gap"};
    Making m = {.node = node};
    KalTarget target;
    uint32_t row = 0;
    if (!begin(b, &m, node->of.equation.target, &target)) {
        return;
    }
    const KalValue gap = kal_build_demand_scalar(b, kal_build_residual(b, node, usage),
                                                 node->of.equation.left);
    if (gap.kind == KAL_VALUE_BAD
        || !add_row(b, &m, &m.name, gap, KAL_ROLE_GAP, &row)) {
        kal_build_spoil(b, KAL_ENTRY_CONSTRAINT, node->of.equation.target);
        return;
    }
    if (!has_kind(b, gap.of.expr, KAL_MARK(COORDINATE))) {
        kal_build_error(b, node->of.equation.left->span,
                        "no coordinate is in this gap");
    }
    m.contact.gap = row;
    if (!read_contact_options(b, &m, node->of.equation.options)) {
        kal_build_spoil(b, KAL_ENTRY_CONSTRAINT, node->of.equation.target);
        return;
    }
    finish(b, &m, &target, row, kal_build_reaction_unit(b, row, gap.unit));
}

// Limits of a friction; false after an error.
static bool read_friction_options(KalBuild *b, Making *m, const KalNode *options)
{
    const KalNode *limit = find_option(options, KAL_OPTION_DRY_LIMIT);
    const KalNode *hold = find_option(options, KAL_OPTION_DRY_STATIC);
    if (!limit) {
        kal_build_error(b, m->node->span,
                        "a friction says how large its force is, as in , limit = 5");
        return false;
    }
    m->contact.restitution = kal_int(b->graph, 0);
    m->contact.limit = strength(b, m, limit);
    m->contact.hold = hold ? strength(b, m, hold) : m->contact.limit;
    return m->contact.limit.index != 0 && m->contact.hold.index != 0;
}

void kal_build_friction(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_FRICTION);
    static const KalUsage usage = {KAL_MARKS_STATE, "a friction"};
    Making m = {.node = node};
    KalTarget target;
    const KalNode *velocity = node->of.actuator.power;
    if (!begin(b, &m, node->of.actuator.target, &target)) {
        return;
    }
    const KalValue slip = kal_build_scalar_for(b, velocity, usage);
    if (!add_slip(b, &m, slip, velocity, "")
        || !read_friction_options(b, &m, node->of.actuator.options)) {
        kal_build_spoil(b, KAL_ENTRY_CONSTRAINT, node->of.actuator.target);
        return;
    }
    finish(b, &m, &target, m.contact.slip[0], m.force_unit);
}
