// SPDX-License-Identifier: MIT

// Units of values that options give, by the rules that models have for theirs.

#include "system/measure.h"

#include "base/number.h"
#include "expr/rational.h"
#include "lang/parser.h"

#include <kalaba/system.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 1000 // of a unit as text
};

// The unit of the one value in a statement made for it.
static KalStatus read_source(KalContext *ctx, const KalSource *source,
                             KalDiagnostics *diagnostics, KalUnit *out_unit)
{
    KalTree *tree = NULL;
    KAL_TRY(kal_parse(ctx, source, diagnostics, &tree));
    const KalNode *start = kal_tree_first(tree)->of.list.items;
    *out_unit = kal_unit_read(start->of.declaration.unit, diagnostics);
    kal_tree_destroy(tree);
    return KAL_OK;
}

// The parser of models reads the unit, in a statement made around it.
KalStatus kal_measure_read(KalContext *ctx, const char *text, KalUnit *out_unit)
{
    char statement[LONGEST + 20];
    KalSource *source = NULL;
    KalDiagnostics *diagnostics = NULL;
    *out_unit = kal_unit_any();
    if (!text || text[0] == '\0' || strlen(text) > LONGEST) {
        return KAL_OK;
    }
    (void)snprintf(statement, sizeof statement, "init x = 0 [%s]", text);
    KalStatus status = kal_diagnostics_create(ctx, &diagnostics);
    if (status == KAL_OK) {
        status = kal_source_create(ctx, "unit", statement, strlen(statement), &source);
    }
    if (status == KAL_OK) {
        status = read_source(ctx, source, diagnostics, out_unit);
    }
    kal_diagnostics_destroy(diagnostics);
    kal_source_destroy(ctx, source);
    return status;
}

// Whether a name is an angle that every model knows.
static bool is_angle(const KalNode *name)
{
    const size_t length = name->of.text.length;
    const char *word = name->of.text.data;
    return (length == 2 && memcmp(word, "pi", 2) == 0)
           || (length == 3 && memcmp(word, "deg", 3) == 0);
}

// Of factors the sum of their powers, of terms the one that all have.
static double join_angles(const KalNode *list) // NOLINT(misc-no-recursion)
{
    assert(list->of.list.items);
    const bool product = list->kind == KAL_NODE_MULTIPLY;
    double power = kal_measure_angle(list->of.list.items);
    for (const KalNode *item = list->of.list.items->next; item; item = item->next) {
        const double next = kal_measure_angle(item);
        if (product) {
            power += item->join == KAL_JOIN_OVER ? -next : next;
        } else if (next != power) {
            power = (double)NAN;
        }
    }
    return power;
}

// As deep as the tree, which has a limit.
double kal_measure_angle(const KalNode *value) // NOLINT(misc-no-recursion)
{
    assert(value);
    if (value->kind == KAL_NODE_NAME) {
        return is_angle(value) ? 1.0 : 0.0;
    }
    if (value->kind == KAL_NODE_NEGATE) {
        return kal_measure_angle(value->of.unary.operand);
    }
    if (value->kind == KAL_NODE_POWER) {
        return kal_measure_angle(value->of.binary.left) == 0.0 ? 0.0 : (double)NAN;
    }
    return value->kind == KAL_NODE_ADD || value->kind == KAL_NODE_MULTIPLY
               ? join_angles(value)
               : 0.0;
}

static bool has_name(const KalNode *value) // NOLINT(misc-no-recursion)
{
    if (value->kind == KAL_NODE_ADD || value->kind == KAL_NODE_MULTIPLY) {
        for (const KalNode *item = value->of.list.items; item; item = item->next) {
            if (has_name(item)) {
                return true;
            }
        }
        return false;
    }
    if (value->kind == KAL_NODE_NEGATE) {
        return has_name(value->of.unary.operand);
    }
    if (value->kind == KAL_NODE_POWER) {
        return has_name(value->of.binary.left) || has_name(value->of.binary.right);
    }
    return value->kind != KAL_NODE_NUMBER;
}

// The exact part first and rounded once, as formulas have it.
double kal_radians(double degrees)
{
    char text[KAL_NUMBER_SIZE];
    if (!isfinite(degrees)) {
        return degrees;
    }
    kal_number_print_exact(fabs(degrees), text);
    const KalRational turns =
        kal_rational_div(kal_rational_parse(text, strlen(text)), kal_rational(180, 1));
    return copysign(turns.value * acos(-1.0), degrees);
}

// A value with [deg], in degrees or radians as the place wants it.
static double apply_degrees(const KalNode *value, double number, bool in_degrees,
                            KalDiagnostics *diagnostics)
{
    const double power = kal_measure_angle(value);
    if (power == 1.0) {
        return in_degrees ? number / kal_radians(1.0) : number;
    }
    if (power != 0.0 || has_name(value)) {
        kal_diagnostics_add(
            diagnostics, KAL_SEVERITY_ERROR, value->span,
            "with [deg] a value is a number of degrees, or an angle made "
            "of pi and deg; parameters are in radians already, and need "
            "no unit");
    }
    return in_degrees ? number : kal_radians(number);
}

// The units are not those of one thing, or not of one size.
static void compare(const KalNode *value, KalUnit unit, KalUnit place,
                    KalDiagnostics *diagnostics)
{
    char given[KAL_UNIT_SIZE];
    char wanted[KAL_UNIT_SIZE];
    kal_unit_print(unit, given);
    kal_unit_print(place, wanted);
    if (!kal_unit_same_dimension(unit, place)) {
        kal_diagnostics_add(
            diagnostics, KAL_SEVERITY_ERROR, value->span,
            "units do not match: the value has [%s], what it is for [%s]", given,
            wanted);
    } else if (!kal_unit_same_scale(unit, place)) {
        kal_diagnostics_add(
            diagnostics, KAL_SEVERITY_ERROR, value->span,
            "the value has the unit [%s] and what it is for [%s]: the "
            "same in another size, and nothing is converted in silence; "
            "give it in [%s]",
            given, wanted, wanted);
    }
}

double kal_measure_apply(const KalNode *declaration, double number, KalUnit place,
                         KalDiagnostics *diagnostics)
{
    assert(declaration && diagnostics);
    const KalNode *value = declaration->of.declaration.value;
    const KalUnit unit = kal_unit_read(declaration->of.declaration.unit, diagnostics);
    const bool in_degrees = kal_unit_is_degree(place);
    if (unit.any) { // of a place in degrees numbers are too, and angles are angles
        return in_degrees && kal_measure_angle(value) == 1.0
                   ? number * 180.0 / acos(-1.0)
                   : number;
    }
    if (!kal_unit_is_degree(unit)) {
        compare(value, unit, place, diagnostics);
        return number;
    }
    compare(value, kal_unit_one(), in_degrees ? kal_unit_one() : place, diagnostics);
    return apply_degrees(value, number, in_degrees, diagnostics);
}
