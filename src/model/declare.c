// SPDX-License-Identifier: MIT

// param, coord, let, output.
//
// A declaration names a number, or an array by its sizes, or in a loop one element of an
// array that grows.  Values are fitted to the shape that is declared and then walked over
// scalar by scalar (kal_build_leaves()), each of which gets its full name and its place in
// the lists of the model.

#include "model/build_impl.h"
#include "model/statement_impl.h"

#include <assert.h>
#include <math.h>

// Sizes.

// Of x[i, 3] in a loop over i the first index names an element and the second is a size.
bool kal_build_split_indices(KalBuild *b, const KalTarget *target,
                             uint32_t *out_elements)
{
    assert(out_elements);
    uint32_t n = 0;
    while (n < target->n && target->is_element[n]) {
        n++;
    }
    assert(n <= target->n);
    for (uint32_t i = n; i < target->n; i++) {
        if (target->is_element[i]) {
            kal_build_error(b, target->node->span,
                            "indices of loops stand before the sizes of arrays");
            return false;
        }
        if (target->index[i] < 0) {
            kal_build_error(b, target->node->span, "an array cannot have %lld elements",
                            (long long)target->index[i]);
            return false;
        }
        if (target->index[i] > (int64_t)kal_usual_times(b->ctx, KAL_BUILD_SCALARS)) {
            kal_build_limit(b, target->node->span, "an array has at most %zu elements",
                            kal_usual_times(b->ctx, KAL_BUILD_SCALARS));
            return false;
        }
    }
    *out_elements = n;
    return true;
}

// NOLINTNEXTLINE(misc-no-recursion): ends at the last index
KalValue kal_build_fit(KalBuild *b, const KalTarget *target, uint32_t k, KalValue value)
{
    if (k == target->n || value.kind == KAL_VALUE_BAD) {
        return value;
    }
    const uint32_t n = (uint32_t)target->index[k];
    assert(k < target->n && target->index[k] >= 0);
    const bool array = value.kind == KAL_VALUE_ARRAY;
    if (array && value.of.array->n != n) {
        return kal_build_bad(b, target->node->span,
                             "this is declared with %u elements, but its value is %s",
                             n, kal_build_describe(value).text);
    }
    KalArray *result =
        kal_build_step(b, target->node->span, n) ? kal_build_array(b, n) : NULL;
    for (uint32_t i = 0; result && i < n; i++) {
        result->items[i] =
            kal_build_fit(b, target, k + 1, array ? value.of.array->items[i] : value);
    }
    return result ? kal_build_finish(b, result, target->node->span) : KAL_BAD_VALUE;
}

// Parameters.

static const KalUsage PARAMETER_USAGE = {KAL_MARKS_CONSTANT,
                                         "the value of a parameter"};

typedef struct Parameter {
    const char *unit;
    const KalNode *unit_node;
    const KalNode *blamed; // for the value
    KalSpan span;
    bool overridden;
    bool degrees;
} Parameter;

// What overrides a value, in its shape: a number stands for all elements.
// NOLINTNEXTLINE(misc-no-recursion): ends at KAL_BUILD_VECTOR_DEPTH
static KalValue conform(KalBuild *b, KalValue own, KalValue other, const KalNode *node)
{
    if (own.kind == KAL_VALUE_BAD || other.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    if (own.kind == KAL_VALUE_SCALAR && other.kind == KAL_VALUE_SCALAR) {
        other.unit = own.unit;
        return other;
    }
    const bool array = other.kind == KAL_VALUE_ARRAY;
    if (own.kind != KAL_VALUE_ARRAY
        || (array && other.of.array->n != own.of.array->n)) {
        return kal_build_bad(b, node->span, "expected %s, found %s",
                             kal_build_describe(own).text,
                             kal_build_describe(other).text);
    }
    KalArray *result = kal_build_step(b, node->span, own.of.array->n)
                           ? kal_build_array(b, own.of.array->n)
                           : NULL;
    for (uint32_t i = 0; result && i < own.of.array->n; i++) {
        result->items[i] = conform(b, own.of.array->items[i],
                                   array ? other.of.array->items[i] : other, node);
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

// A value, or what overrides it under this name.
static KalValue override_value(KalBuild *b, const KalNameText *name, Parameter *info,
                               KalValue own)
{
    const KalNode *assignment = kal_build_find_override(b, name);
    if (!assignment) {
        return own;
    }
    const KalNode *node = assignment->of.declaration.value;
    info->overridden = true;
    info->blamed = node;
    const KalValue value = kal_build_apply_unit(
        b, kal_build_eval_override(b, assignment), info->unit_node, node);
    return conform(b, own, value, node);
}

// As above, for the element of an array that is overridden as a whole.
static KalValue override_element(KalBuild *b, const KalTarget *target, uint32_t n,
                                 Parameter *info, KalValue own)
{
    assert(n <= target->n);
    KalNameText name;
    if (n == 0 || !kal_build_name(b, target, 0, &name)) {
        return own;
    }
    const KalNode *assignment = kal_build_find_override(b, &name);
    if (!assignment) {
        return own;
    }
    const KalNode *node = assignment->of.declaration.value;
    info->overridden = true;
    info->blamed = node;
    KalValue value = kal_build_eval_override(b, assignment);
    for (uint32_t i = 0; i < n && value.kind == KAL_VALUE_ARRAY; i++) {
        if (target->index[i] < 1 || target->index[i] > value.of.array->n) {
            return kal_build_bad(b, node->span, "there is no element %lld for '%s'",
                                 (long long)target->index[i], name.text);
        }
        value = value.of.array->items[target->index[i] - 1];
    }
    return conform(b, own, kal_build_apply_unit(b, value, info->unit_node, node), node);
}

// One parameter: its value, or what overrides it, comes to a finite number; what stands in
// formulas is its symbol.
static KalValue parameter_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    Parameter info = *(const Parameter *)leaves->user;
    assert(value.kind == KAL_VALUE_SCALAR);
    value = override_value(b, &leaves->name, &info, value);
    KalParameter entry = {.unit = info.unit,
                          .span = info.span,
                          .overridden = info.overridden,
                          .degrees = info.degrees};
    if (value.kind == KAL_VALUE_BAD || !kal_build_count(b, info.span, 1)
        || !kal_build_number(b, value.of.expr, &entry.number)) {
        return KAL_BAD_VALUE;
    }
    if (!isfinite(entry.number)) {
        return kal_build_bad(b, info.blamed->span,
                             "the value of '%s' comes to %g; expected a finite number",
                             leaves->name.text, entry.number);
    }
    uint32_t index;
    entry.value = value.of.expr;
    entry.name = kal_build_keep_name(b, &leaves->name);
    if (!entry.name
        || !kal_build_check(b, kal_model_add_parameter(b->model, entry, &index))) {
        return KAL_BAD_VALUE;
    }
    const KalExpr symbol = b->model->parameters[index].symbol;
    kal_build_set_number(b, symbol, entry.number);
    if (info.unit_node) {
        kal_build_set_angle(b, symbol, info.unit_node);
    } else {
        kal_build_inherit_angle(b, symbol, entry.value);
    }
    return kal_build_scalar_of(b, symbol, KAL_MARK(PARAMETER),
                               kal_build_declared(value.unit), leaves->node);
}

// Overrides may name the array, an element of it, or a single number: all are looked for.
static void declare_parameter(KalBuild *b, const KalNode *node)
{
    assert(node->of.declaration.target);
    KalTarget target;
    uint32_t n;
    KalLeaves leaves = {.node = node->of.declaration.value, .leaf = parameter_leaf};
    if (!kal_build_target(b, node->of.declaration.target, &target)
        || !kal_build_split_indices(b, &target, &n)
        || !kal_build_name(b, &target, n, &leaves.name)) {
        kal_build_spoil(b, KAL_ENTRY_PARAMETER, node->of.declaration.target);
        return;
    }
    const KalNode *unit = node->of.declaration.unit;
    const bool degrees = kal_build_is_degree(b, unit);
    Parameter info = {.unit = degrees ? "rad" : kal_build_unit_text(b, unit),
                      .unit_node = unit,
                      .blamed = leaves.node,
                      .span = target.node->span,
                      .degrees = degrees};
    KalValue value = kal_build_eval_for(b, leaves.node, PARAMETER_USAGE);
    value =
        kal_build_fit(b, &target, n, kal_build_apply_unit(b, value, unit, leaves.node));
    value = override_element(b, &target, n, &info, value);
    leaves.user = &info;
    if (value.kind == KAL_VALUE_ARRAY) { // of a number, its leaf sees to it
        value = override_value(b, &leaves.name, &info, value);
    }
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_PARAMETER, &target, n);
    if (entry) {
        kal_build_set_target(b, entry, &target, n, kal_build_leaves(b, &leaves, value));
    }
}

void kal_build_param(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_PARAM);
    for (const KalNode *d = node->of.list.items; d; d = d->next) {
        declare_parameter(b, d);
    }
}

// Coordinates.

typedef struct Coordinate {
    const char *unit;
    const KalNode *unit_node;
    KalSpan span;
} Coordinate;

// One coordinate with its symbols for position, velocity and acceleration.
static KalValue coordinate_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    assert(value.kind == KAL_VALUE_SCALAR);
    const Coordinate *info = (const Coordinate *)leaves->user;
    uint32_t index;
    const KalCoordinate entry = {.name = kal_build_keep_name(b, &leaves->name),
                                 .unit = info->unit,
                                 .span = info->span};
    if (!entry.name || !kal_build_count(b, info->span, 1)
        || !kal_build_check(b, kal_model_add_coordinate(b->model, entry, &index))) {
        return KAL_BAD_VALUE;
    }
    kal_build_set_angle(b, b->model->coordinates[index].q, info->unit_node);
    return kal_build_scalar_of(b, b->model->coordinates[index].q, KAL_MARK(COORDINATE),
                               value.unit, leaves->node);
}

// Degrees are for numbers that are shown or given, never for what moves.
static void declare_coordinate(KalBuild *b, const KalNode *node)
{
    assert(node->of.declaration.target);
    KalTarget target;
    uint32_t n;
    KalLeaves leaves = {.node = node, .leaf = coordinate_leaf};
    if (!kal_build_target(b, node->of.declaration.target, &target)
        || !kal_build_split_indices(b, &target, &n)
        || !kal_build_name(b, &target, n, &leaves.name)) {
        kal_build_spoil(b, KAL_ENTRY_COORDINATE, node->of.declaration.target);
        return;
    }
    const KalNode *unit = kal_build_demand_radians(b, node->of.declaration.unit);
    Coordinate info = {kal_build_unit_text(b, unit), unit, target.node->span};
    leaves.user = &info;
    const KalValue one = {.kind = KAL_VALUE_SCALAR,
                          .unit = kal_build_read_unit(b, unit)};
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_COORDINATE, &target, n);
    if (entry) {
        const KalValue shape = kal_build_fit(b, &target, n, one);
        kal_build_set_target(b, entry, &target, n, kal_build_leaves(b, &leaves, shape));
    }
}

void kal_build_coord(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_COORD);
    for (const KalNode *d = node->of.list.items; d; d = d->next) {
        declare_coordinate(b, d);
    }
}

// Named expressions.

static const KalUsage ANY_USAGE = {KAL_MARKS_ALL, "a named expression"};

// The value is kept as it is evaluated here: later statements do not change it.
static void declare_let(KalBuild *b, const KalNode *node)
{
    KalTarget target;
    if (!kal_build_target(b, node->of.declaration.target, &target)) {
        kal_build_spoil(b, KAL_ENTRY_LET, node->of.declaration.target);
        return;
    }
    KalValue value = kal_build_eval_for(b, node->of.declaration.value, ANY_USAGE);
    value = kal_build_apply_unit(b, value, node->of.declaration.unit,
                                 node->of.declaration.value);
    value = kal_build_named(b, value, node);
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_LET, &target, target.n);
    if (entry && kal_build_count(b, target.node->span, kal_build_size(value))) {
        kal_build_set_target(b, entry, &target, target.n, value);
    }
}

void kal_build_let(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_LET);
    for (const KalNode *d = node->of.list.items; d; d = d->next) {
        declare_let(b, d);
    }
}

// Outputs.

typedef struct Output {
    const char *unit;
    KalSpan span;
} Output;

// One output.  Values are checked to be alike in name only: any formula may be shown.
static KalValue output_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    const Output *info = (const Output *)leaves->user;
    assert(value.kind == KAL_VALUE_SCALAR);
    const KalOutput entry = {.name = kal_build_keep_name(b, &leaves->name),
                             .unit = info->unit,
                             .span = info->span,
                             .value = value.of.expr};
    if (!entry.name || !kal_build_count(b, info->span, 1)
        || !kal_build_list_name(b, KAL_ENTRY_OUTPUT, &leaves->name, info->span)
        || !kal_build_check(b, kal_model_add_output(b->model, entry))) {
        return KAL_BAD_VALUE;
    }
    return value;
}

// 180/pi times a scalar, which c's unit is then that of.
static KalValue to_degrees(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_SCALAR && c.kind == KAL_VALUE_SCALAR);
    KalGraph *g = b->graph;
    KalAngles angles;
    if (kal_build_refuse_degrees(b, a, node)
        || !kal_build_angles(b, a.of.expr, &angles)) {
        return KAL_BAD_VALUE;
    }
    if (angles.pi < 0.0 && !(angles.power > 0.0)) {
        return kal_build_bad(
            b, node->span,
            "this is a number of degrees, and [deg] shows an angle, which is "
            "in radians, in degrees: leave the factor 180/pi out");
    }
    kal_build_demand_plain(b, a, node->span, "an angle");
    const KalExpr factor = kal_div(g, kal_int(g, 180), kal_pi(g));
    return kal_build_scalar_of(b, kal_mul(g, factor, a.of.expr),
                               a.marks | KAL_MARK_DEGREES, c.unit, node);
}

// Outputs in degrees are converted; all others keep their unit.
static KalValue output_value(KalBuild *b, const KalNode *node)
{
    static const KalUsage usage = {KAL_MARKS_ALL, "an output"};
    const KalNode *unit = node->of.declaration.unit;
    const KalNode *value_node = node->of.declaration.value;
    const KalValue value = kal_build_eval_for(b, value_node, usage);
    if (!kal_build_is_degree(b, unit)) {
        return kal_build_apply_unit(b, value, unit, value_node);
    }
    const KalValue degree = {.kind = KAL_VALUE_SCALAR,
                             .unit = kal_build_read_unit(b, unit)};
    return kal_build_each(b, to_degrees, value, degree, value_node);
}

// Whether two values are the same formulas.
// NOLINTNEXTLINE(misc-no-recursion): ends at KAL_BUILD_VECTOR_DEPTH
static bool is_same(KalValue a, KalValue c)
{
    if (a.kind != c.kind) {
        return false;
    }
    if (a.kind != KAL_VALUE_ARRAY) {
        return a.kind == KAL_VALUE_SCALAR && a.of.expr.index == c.of.expr.index;
    }
    bool same = a.of.array->n == c.of.array->n;
    for (uint32_t i = 0; same && i < a.of.array->n; i++) {
        same = is_same(a.of.array->items[i], c.of.array->items[i]);
    }
    return same;
}

// Whether an output shows what already has its name.
static bool shows_namesake(KalBuild *b, const KalTarget *target, KalValue value)
{
    const KalEntry *entry = kal_build_find_in(
        b, b->names.scope, kal_build_atom_of(b, target->name), KAL_SPACE_VALUE);
    if (!entry || entry->kind == KAL_ENTRY_OUTPUT) {
        return false;
    }
    KalValue named = entry->value;
    for (uint32_t i = 0; i < target->n && named.kind == KAL_VALUE_ARRAY; i++) {
        const bool inside =
            target->index[i] >= 1 && target->index[i] <= named.of.array->n;
        named = inside ? named.of.array->items[target->index[i] - 1] : KAL_BAD_VALUE;
    }
    return is_same(named, value);
}

// An output `x = x` of something that has its name shows that and declares nothing.
static void declare_output(KalBuild *b, const KalNode *node)
{
    KalTarget target;
    KalLeaves leaves = {.letters = true, .node = node, .leaf = output_leaf};
    if (!kal_build_target(b, node->of.declaration.target, &target)
        || !kal_build_name(b, &target, target.n, &leaves.name)) {
        kal_build_spoil(b, KAL_ENTRY_OUTPUT, node->of.declaration.target);
        return;
    }
    Output info = {kal_build_unit_text(b, node->of.declaration.unit),
                   target.node->span};
    leaves.user = &info;
    const KalValue value = output_value(b, node);
    if (shows_namesake(b, &target, value)) {
        (void)kal_build_leaves(b, &leaves, value);
        return;
    }
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_OUTPUT, &target, target.n);
    if (entry) {
        kal_build_set_target(b, entry, &target, target.n,
                             kal_build_leaves(b, &leaves, value));
    }
}

void kal_build_output(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_OUTPUT);
    for (const KalNode *d = node->of.list.items; d; d = d->next) {
        declare_output(b, d);
    }
}
