// SPDX-License-Identifier: MIT

// The units of values.
//
// Units are kept in a table and known by their place in it, so that values carry a number
// and comparisons are cheap; results of operations are remembered.  KAL_UNIT_ANY fits
// everything: numbers have it, and so has what is left after an error, so that one mistake
// is one message.

#include "model/build_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Operations whose results are remembered.
typedef enum UnitOperation {
    UNIT_TIMES,
    UNIT_OVER,
    UNIT_POWER,
} UnitOperation;

enum {
    UNITS = 1000, // more are any
    POWERS = 1000 // so are larger ones
};

KalUnit kal_build_unit(const KalBuild *b, KalUnitId id)
{
    assert((id + 1U) * sizeof(KalUnit) <= b->units.list.size);
    return ((const KalUnit *)b->units.list.data)[id];
}

static bool is_same(KalUnit a, KalUnit c)
{
    return kal_unit_same_dimension(a, c) && kal_unit_same_scale(a, c);
}

// The place of a unit in the table, where it is put if it is new.
static KalUnitId find_unit(KalBuild *b, KalUnit unit)
{
    const uint32_t count = (uint32_t)(b->units.list.size / sizeof unit);
    assert(b->units.list.size % sizeof unit == 0);
    if (unit.any || count >= UNITS) {
        return KAL_UNIT_ANY;
    }
    for (KalUnitId id = KAL_UNIT_ONE; id < count; id++) {
        if (is_same(kal_build_unit(b, id), unit)) {
            return id;
        }
    }
    return kal_build_check(b, kal_block_add(b->ctx, &b->units.list, &unit, sizeof unit))
               ? count
               : KAL_UNIT_ANY;
}

// From the exponents of m, kg and s.
static KalUnit make_unit(int16_t m, int16_t kg, int16_t s)
{
    KalUnit unit = kal_unit_one();
    unit.exponent[0].num = m;
    unit.exponent[1].num = kg;
    unit.exponent[2].num = s;
    return unit;
}

KalStatus kal_build_init_units(KalBuild *b)
{
    const KalUnit known[] = {kal_unit_any(),      kal_unit_one(),
                             make_unit(2, 1, -2), make_unit(2, 1, -3),
                             make_unit(0, 0, 1),  kal_unit_one()};
    return kal_block_add(b->ctx, &b->units.list, known, sizeof known);
}

// Remembered results, by operation and operands.
static KalUnitId combine(KalBuild *b, UnitOperation operation, KalUnitId a, KalUnitId c)
{
    assert(a < UNITS && c < UNITS);
    const uint64_t key = ((uint64_t)operation << 40 | (uint64_t)a << 20 | c) + 1;
    uint64_t found;
    if (kal_map_find(&b->units.results, key, &found)) {
        return (KalUnitId)found;
    }
    const KalUnit left = kal_build_unit(b, a);
    const KalUnit right = kal_build_unit(b, c);
    const KalUnitId result =
        find_unit(b, operation == UNIT_TIMES ? kal_unit_multiply(left, right)
                                             : kal_unit_divide(left, right));
    kal_build_check(b, kal_map_set(b->ctx, &b->units.results, key, result));
    return result;
}

KalUnitId kal_build_unit_times(KalBuild *b, KalUnitId a, KalUnitId c)
{
    if (a == KAL_UNIT_NUMBER || c == KAL_UNIT_NUMBER) {
        return a == KAL_UNIT_NUMBER ? c : a;
    }
    return a == KAL_UNIT_ANY || c == KAL_UNIT_ANY ? KAL_UNIT_ANY
                                                  : combine(b, UNIT_TIMES, a, c);
}

KalUnitId kal_build_unit_over(KalBuild *b, KalUnitId a, KalUnitId c)
{
    if (c == KAL_UNIT_NUMBER) {
        return a;
    }
    return a == KAL_UNIT_ANY || c == KAL_UNIT_ANY ? KAL_UNIT_ANY
                                                  : combine(b, UNIT_OVER, a, c);
}

// Results are remembered by exponent and unit; exponents that are too large give a unit
// that fits everything.
KalUnitId kal_build_unit_power(KalBuild *b, KalUnitId a, int64_t num, int64_t den)
{
    assert(den > 0);
    if (a == KAL_UNIT_ANY || a == KAL_UNIT_ONE || a == KAL_UNIT_NUMBER) {
        return a;
    }
    if (num < -POWERS || num > POWERS || den > POWERS) {
        return KAL_UNIT_ANY;
    }
    const uint64_t powers = (uint64_t)(num + POWERS) << 12 | (uint64_t)den;
    const uint64_t key = ((uint64_t)UNIT_POWER << 40 | powers << 10 | a) + 1;
    uint64_t found;
    if (kal_map_find(&b->units.results, key, &found)) {
        return (KalUnitId)found;
    }
    const KalUnitId result =
        find_unit(b, kal_unit_power(kal_build_unit(b, a), num, den));
    kal_build_check(b, kal_map_set(b->ctx, &b->units.results, key, result));
    return result;
}

// What a unit is; what is wrong with it is told where the user wrote it.
static KalUnit parse_unit(KalBuild *b, const KalNode *node)
{
    KalDiagnostics *found = NULL;
    if (!kal_build_check(b, kal_diagnostics_create(b->ctx, &found))) {
        return kal_unit_any();
    }
    const KalUnit unit = kal_unit_read(node, found);
    for (const KalDiagnostic *d = kal_diagnostics_first(found); d; d = d->next) {
        b->report.errors++;
        kal_diagnostics_add(b->diagnostics, d->severity, kal_build_shown(b, d->span),
                            "%s", d->message);
    }
    kal_diagnostics_destroy(found);
    return unit;
}

KalUnitId kal_build_read_unit(KalBuild *b, const KalNode *node)
{
    uint64_t found;
    if (!node) {
        return KAL_UNIT_ANY;
    }
    if (kal_map_find(&b->units.nodes, kal_map_key(node), &found)) {
        return (KalUnitId)found;
    }
    const KalUnitId id = find_unit(b, parse_unit(b, node));
    kal_build_check(b, kal_map_set(b->ctx, &b->units.nodes, kal_map_key(node), id));
    return id;
}

// Checks.

// Two units that differ in kind, or in size only.
static void report_mismatch(KalBuild *b, KalUnitId a, KalUnitId c, KalSpan span,
                            const char *what, const char *than)
{
    assert(a != c);
    char left[KAL_UNIT_SIZE];
    char right[KAL_UNIT_SIZE];
    const KalUnit unit = kal_build_unit(b, a);
    const KalUnit other = kal_build_unit(b, c);
    kal_unit_print(unit, left);
    kal_unit_print(other, right);
    if (kal_unit_same_dimension(unit, other)) {
        kal_build_error(b, span,
                        "%s has the unit [%s] and %s [%s]: the same in another size, "
                        "and nothing is converted in silence; give both in one unit",
                        what, left, than, right);
        return;
    }
    kal_build_error(b, span, "units do not match: %s has [%s], %s [%s]", what, left,
                    than, right);
}

static bool is_plain(KalUnitId unit)
{
    return unit == KAL_UNIT_ONE || unit == KAL_UNIT_NUMBER;
}

KalUnitId kal_build_declared(KalUnitId unit)
{
    return unit == KAL_UNIT_NUMBER ? KAL_UNIT_ANY : unit;
}

KalUnitId kal_build_agree(KalBuild *b, KalUnitId a, KalUnitId c, KalSpan span,
                          const char *what, const char *than)
{
    assert(what && than);
    if (a == c) {
        return a;
    }
    if (a == KAL_UNIT_ANY || c == KAL_UNIT_ANY) { // a number says nothing of the other
        return kal_build_declared(a == KAL_UNIT_ANY ? c : a);
    }
    if (a == KAL_UNIT_NUMBER || c == KAL_UNIT_NUMBER) { // a number alone fits a sum
        return a == KAL_UNIT_NUMBER ? c : a;
    }
    report_mismatch(b, a, c, span, what, than);
    return KAL_UNIT_ANY;
}

void kal_build_demand_plain(KalBuild *b, KalValue value, KalSpan span, const char *what)
{
    if (value.kind != KAL_VALUE_SCALAR || value.unit == KAL_UNIT_ANY
        || is_plain(value.unit)) {
        return;
    }
    char text[KAL_UNIT_SIZE];
    kal_unit_print(kal_build_unit(b, value.unit), text);
    kal_build_error(b, span, "%s takes a number without a unit, but this has [%s]",
                    what, text);
}

// The unit of all energies is that of the first one which has a unit.
static KalUnitId energy_unit(KalBuild *b, KalUnitId unit, KalSpan span)
{
    const bool first = b->units.energy == KAL_UNIT_ANY;
    if (first && unit != KAL_UNIT_ANY
        && kal_unit_same_dimension(kal_build_unit(b, unit),
                                   kal_build_unit(b, KAL_UNIT_ENERGY))) {
        b->units.energy = unit;
        b->units.energy_span = span;
    }
    return b->units.energy == KAL_UNIT_ANY ? KAL_UNIT_ENERGY : b->units.energy;
}

// A unit that all energies or powers have; the note says where it comes from.
static void demand_unit(KalBuild *b, KalUnitId unit, KalUnitId wanted, KalSpan span,
                        const char *what, const char *than)
{
    const size_t before = b->report.errors;
    (void)kal_build_agree(b, unit, wanted, span, what, than);
    if (b->report.errors > before && b->units.energy != KAL_UNIT_ANY) {
        kal_build_note(b, b->units.energy_span, "the first energy with a unit is here");
    }
}

void kal_build_demand_energy(KalBuild *b, KalUnitId unit, KalSpan span,
                             const char *what)
{
    demand_unit(b, unit, energy_unit(b, unit, span), span, what, "an energy");
}

void kal_build_demand_power(KalBuild *b, KalUnitId unit, KalSpan span, const char *what)
{
    const KalUnitId energy = kal_build_unit_times(b, unit, KAL_UNIT_TIME);
    const KalUnitId wanted = energy_unit(b, energy, span);
    demand_unit(b, unit, kal_build_unit_over(b, wanted, KAL_UNIT_TIME), span, what,
                "a power");
}

// Names.

// Whether there is a number without a unit in a value.
// NOLINTNEXTLINE(misc-no-recursion): ends at KAL_BUILD_VECTOR_DEPTH
static bool has_number(KalValue value)
{
    bool found = value.kind == KAL_VALUE_SCALAR && value.unit == KAL_UNIT_NUMBER;
    for (uint32_t i = 0;
         value.kind == KAL_VALUE_ARRAY && i < value.of.array->n && !found; i++) {
        found = has_number(value.of.array->items[i]);
    }
    return found;
}

static KalValue without_number(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    (void)b;
    (void)c;
    (void)node;
    a.unit = kal_build_declared(a.unit);
    return a;
}

KalValue kal_build_named(KalBuild *b, KalValue value, const KalNode *node)
{
    const KalValue none = {.kind = KAL_VALUE_NONE};
    return has_number(value) ? kal_build_each(b, without_number, value, none, node)
                             : value;
}

// Degrees.

// pi/180 times a scalar.
static KalValue times_degree(KalBuild *b, KalValue a, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_SCALAR);
    KalGraph *g = b->graph;
    const KalExpr factor = kal_div(g, kal_pi(g), kal_int(g, 180));
    return kal_build_scalar_of(b, kal_mul(g, factor, a.of.expr), a.marks, KAL_UNIT_ONE,
                               node);
}

// A scalar with a unit that is declared for it; c has that unit.
static KalValue with_unit(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(c.kind == KAL_VALUE_SCALAR && c.unit != KAL_UNIT_ANY);
    (void)kal_build_agree(b, kal_build_declared(a.unit), c.unit, node->span,
                          "the value", "its declaration");
    a.unit = c.unit;
    return a;
}

bool kal_build_refuse_degrees(KalBuild *b, KalValue value, const KalNode *node)
{
    if ((value.marks & KAL_MARK_DEGREES) == 0) {
        return false;
    }
    kal_build_error(b, node->span,
                    "this is made of an output in degrees; make it of the angle that "
                    "the output shows");
    return true;
}

// A scalar that is declared to be in degrees: an angle is in radians already.
static KalValue in_radians(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    KalAngles angles;
    if (kal_build_refuse_degrees(b, a, node)
        || !kal_build_angles(b, a.of.expr, &angles)) {
        return KAL_BAD_VALUE;
    }
    if (angles.power == 0.0) {
        a.unit = is_plain(a.unit) ? KAL_UNIT_ANY : a.unit; // a number of degrees
        return times_degree(b, with_unit(b, a, c, node), node);
    }
    if (angles.power == 1.0 || isinf(angles.power)) {
        kal_build_demand_plain(b, a, node->span, "an angle");
        a.unit = KAL_UNIT_ONE;
        return a;
    }
    return kal_build_bad(b, node->span,
                         "this mixes angles, which are in radians, with numbers, which "
                         "[deg] takes for degrees; write the numbers as 30*deg");
}

KalValue kal_build_apply_unit(KalBuild *b, KalValue value, const KalNode *unit,
                              const KalNode *node)
{
    const KalUnitId id = kal_build_read_unit(b, unit);
    if (id == KAL_UNIT_ANY || value.kind == KAL_VALUE_BAD) {
        return value;
    }
    const KalValue declared = {.kind = KAL_VALUE_SCALAR, .unit = id};
    const bool degrees = kal_unit_is_degree(kal_build_unit(b, id));
    return kal_build_each(b, degrees ? in_radians : with_unit, value, declared, node);
}

bool kal_build_is_degree(KalBuild *b, const KalNode *unit)
{
    return unit && kal_unit_is_degree(kal_build_unit(b, kal_build_read_unit(b, unit)));
}

const KalNode *kal_build_demand_radians(KalBuild *b, const KalNode *unit)
{
    if (!kal_build_is_degree(b, unit)) {
        return unit;
    }
    kal_build_error(
        b, unit->span,
        "angles are in radians: write [rad], and numbers in degrees as 30*deg");
    return NULL;
}

const char *kal_build_unit_text(KalBuild *b, const KalNode *unit)
{
    if (!unit) {
        return NULL;
    }
    const char *text =
        kal_model_text(b->model, unit->span.source->text + unit->span.begin,
                       unit->span.end - unit->span.begin);
    if (!text) {
        kal_build_no_memory(b);
    }
    return text;
}
