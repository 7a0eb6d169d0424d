// SPDX-License-Identifier: MIT

// What `[deg]` means after a value.  A number is in degrees, but an angle that comes from
// elsewhere is in radians by then and must not be converted again.  Which of the two a
// formula is shows in the power to which angles are in it: 0 for a number, 1 for an angle,
// NAN for neither.

#include "expr/order.h"
#include "model/build_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double ANY_POWER = INFINITY; // that of 0, which is any angle

// That of a sum; both of its terms have it.
static double agree(double a, double c)
{
    if (a == ANY_POWER || a == c) {
        return c;
    }
    return c == ANY_POWER ? a : (double)NAN;
}

// A coordinate that is an angle is in radians, and without a unit it may be one.
static double coordinate_power(const KalBuild *b, const KalSymbol *symbol)
{
    const bool moves = (1U << symbol->kind & KAL_MARKS_MOVING) != 0;
    return moves && !b->model->coordinates[symbol->index].unit ? 1.0 : 0.0;
}

// What was declared for a symbol; velocities and accelerations are as their coordinate.
static double symbol_power(const KalBuild *b, uint32_t id)
{
    assert(id < b->model->n_symbols);
    const KalSymbol *symbol = &b->model->symbols[id];
    const bool moves = (1U << symbol->kind & KAL_MARKS_MOVING) != 0;
    assert(!moves || symbol->index < b->model->n_coordinates);
    const KalExpr declared =
        moves ? b->model->coordinates[symbol->index].q : kal_symbol(b->graph, id);
    uint64_t found;
    double power = coordinate_power(b, symbol);
    if (kal_map_find(&b->units.angles, declared.index, &found)) {
        memcpy(&power, &found, sizeof power);
    }
    return power;
}

// With a constant exponent the power is multiplied; with any other, only numbers go.
static double raised(const KalBuild *b, double base, KalExpr exponent)
{
    const bool known = kal_graph_node(b->graph, exponent).op == KAL_OP_CONST;
    return base == 0.0 ? 0.0
           : known     ? base * kal_graph_number(b->graph, exponent).value
                       : base * (double)NAN;
}

// π is an angle: π/2 is one as well as 90*deg is.
static double leaf_power(const KalBuild *b, const KalStep *step)
{
    if (step->op == KAL_OP_SYMBOL) {
        return symbol_power(b, step->arg[0]);
    }
    if (step->op == KAL_OP_PI) {
        return 1.0;
    }
    return kal_is_zero(b->graph, step->node) ? ANY_POWER : 0.0;
}

// The power of a step from those of its operands, by what the operator does to units.
static double step_power(const KalBuild *b, const KalOrder *order, const KalStep *step,
                         const KalAngles *of)
{
    const KalOp op = (KalOp)step->op;
    const uint32_t *arg = step->arg;
    assert(kal_op_arity(op) < 1 || &order->steps[arg[0]] < step); // operands come first
    const double a = kal_op_arity(op) > 0 ? of[arg[0]].power : 0.0;
    switch (kal_op_units(op)) {
    case KAL_UNITS_LEAF: return leaf_power(b, step);
    case KAL_UNITS_SAME: return kal_op_arity(op) == 1 ? a : agree(a, of[arg[1]].power);
    case KAL_UNITS_PRODUCT: return a + of[arg[1]].power;
    case KAL_UNITS_QUOTIENT: return a - of[arg[1]].power;
    case KAL_UNITS_POWER:
        return op == KAL_OP_POWI ? a * (double)(int32_t)arg[1]
                                 : raised(b, a, order->steps[arg[1]].node);
    case KAL_UNITS_ROOT: return a / 2.0;
    case KAL_UNITS_ANGLE:
    case KAL_UNITS_DIRECTION: return 1.0;
    case KAL_UNITS_GUARD: return a;
    case KAL_UNITS_CHOICE: return agree(of[arg[1]].power, of[arg[2]].power);
    case KAL_UNITS_PLAIN:
    case KAL_UNITS_SIGN:
    case KAL_UNITS_CONDITION: break;
    }
    return 0.0;
}

// The power of π in a step: -1 in th*180/pi and th/deg.  In a sum, that of the term that has any.
static double step_pi(const KalStep *step, const KalAngles *of)
{
    const KalOp op = (KalOp)step->op;
    const uint32_t *arg = step->arg;
    const double a = kal_op_arity(op) > 0 ? of[arg[0]].pi : 0.0;
    switch (kal_op_units(op)) {
    case KAL_UNITS_LEAF: return op == KAL_OP_PI ? 1.0 : 0.0;
    case KAL_UNITS_SAME: return kal_op_arity(op) > 1 && a == 0.0 ? of[arg[1]].pi : a;
    case KAL_UNITS_PRODUCT: return a + of[arg[1]].pi;
    case KAL_UNITS_QUOTIENT: return a - of[arg[1]].pi;
    case KAL_UNITS_POWER: return op == KAL_OP_POWI ? a * (double)(int32_t)arg[1] : 0.0;
    case KAL_UNITS_CHOICE: return of[arg[1]].pi != 0.0 ? of[arg[1]].pi : of[arg[2]].pi;
    case KAL_UNITS_GUARD: return a;
    case KAL_UNITS_ROOT:
    case KAL_UNITS_ANGLE:
    case KAL_UNITS_DIRECTION:
    case KAL_UNITS_PLAIN:
    case KAL_UNITS_SIGN:
    case KAL_UNITS_CONDITION: break;
    }
    return 0.0;
}

// One pass in order.
static bool find_angles(KalBuild *b, const KalOrder *order, KalAngles *out_angles)
{
    assert(order->count > 0);
    KalAngles *of = (KalAngles *)kal_alloc(b->ctx, order->count, sizeof *of);
    if (!of) {
        kal_build_no_memory(b);
        return false;
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        of[i].power = step_power(b, order, step, of);
        of[i].pi = step_pi(step, of);
    }
    *out_angles = of[order->roots[0]];
    kal_free(b->ctx, of, order->count * sizeof *of);
    return true;
}

bool kal_build_angles(KalBuild *b, KalExpr e, KalAngles *out_angles)
{
    KalOrder order = {.ctx = NULL};
    if (!kal_build_check(b, kal_order_init(b->graph, &e, 1, &order))) {
        return false;
    }
    const bool good = kal_build_step(b, b->statement, order.count)
                      && find_angles(b, &order, out_angles);
    kal_order_clear(&order);
    return good;
}

// A double as the bits of a map's value.
static void set_power(KalBuild *b, KalExpr symbol, double power)
{
    uint64_t bits;
    memcpy(&bits, &power, sizeof bits);
    kal_build_check(b, kal_map_set(b->ctx, &b->units.angles, symbol.index, bits));
}

void kal_build_set_angle(KalBuild *b, KalExpr symbol, const KalNode *unit)
{
    assert(symbol.index != 0);
    if (unit) {
        set_power(b, symbol,
                  kal_build_is_degree(b, unit) ? 1.0 : kal_unit_radians(unit));
    }
}

void kal_build_inherit_angle(KalBuild *b, KalExpr symbol, KalExpr value)
{
    assert(symbol.index != 0);
    KalAngles angles;
    if (kal_graph_node(b->graph, value).op != KAL_OP_CONST
        && kal_build_angles(b, value, &angles)) {
        set_power(b, symbol, angles.power);
    }
}
