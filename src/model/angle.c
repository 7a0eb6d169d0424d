// SPDX-License-Identifier: MIT

// What `[deg]` means after a value.  A number is in degrees, but an angle that comes from
// elsewhere is in radians by then and must not be converted again.  Which of the two a
// formula is shows in the power to which angles are in it: 0 for a number, 1 for an angle,
// NAN for neither.

#include "expr/order.h"
#include "model/build_impl.h"

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

static double symbol_power(const KalBuild *b, uint32_t id)
{
    const KalSymbol *symbol = &b->model->symbols[id];
    const bool moves = (1U << symbol->kind & KAL_MARKS_MOVING) != 0;
    const KalExpr declared =
        moves ? b->model->coordinates[symbol->index].q : kal_symbol(b->graph, id);
    uint64_t found;
    double power = coordinate_power(b, symbol);
    if (kal_map_find(&b->angles, declared.index, &found)) {
        memcpy(&power, &found, sizeof power);
    }
    return power;
}

// With a constant exponent the power is multiplied; with any other, only numbers go.
static double raised(const KalBuild *b, double base, KalExpr exponent)
{
    const bool known = kal_graph_node(b->graph, exponent).op == KAL_OP_CONST;
    return known ? base * kal_graph_number(b->graph, exponent).value
                 : base * (double)NAN;
}

static double step_power(const KalBuild *b, const KalOrder *order, const KalStep *step,
                         const double *of)
{
    const uint32_t *arg = step->arg;
    switch ((KalOp)step->op) {
    case KAL_OP_CONST: return kal_is_zero(b->graph, step->node) ? ANY_POWER : 0.0;
    case KAL_OP_SYMBOL: return symbol_power(b, arg[0]);
    case KAL_OP_PI:
    case KAL_OP_ASIN:
    case KAL_OP_ACOS:
    case KAL_OP_ATAN:
    case KAL_OP_ATAN2: return 1.0;
    case KAL_OP_NEG:
    case KAL_OP_ABS:
    case KAL_OP_WHERE: return of[arg[0]];
    case KAL_OP_ADD:
    case KAL_OP_SUB:
    case KAL_OP_MIN:
    case KAL_OP_MAX:
    case KAL_OP_HYPOT: return agree(of[arg[0]], of[arg[1]]);
    case KAL_OP_SELECT: return agree(of[arg[1]], of[arg[2]]);
    case KAL_OP_MUL: return of[arg[0]] + of[arg[1]];
    case KAL_OP_DIV: return of[arg[0]] - of[arg[1]];
    case KAL_OP_SQRT: return of[arg[0]] / 2.0;
    case KAL_OP_POWI: return of[arg[0]] * (double)(int32_t)arg[1];
    case KAL_OP_POW:
        return of[arg[0]] == 0.0 ? 0.0
                                 : raised(b, of[arg[0]], order->steps[arg[1]].node);
    default: return 0.0; // functions of numbers, conditions
    }
}

static bool find_power(KalBuild *b, const KalOrder *order, double *out_power)
{
    double *of = (double *)kal_alloc(b->ctx, order->count, sizeof *of);
    if (!of) {
        kal_build_no_memory(b);
        return false;
    }
    for (uint32_t i = 0; i < order->count; i++) {
        of[i] = step_power(b, order, &order->steps[i], of);
    }
    *out_power = of[order->roots[0]];
    kal_free(b->ctx, of, order->count * sizeof *of);
    return true;
}

bool kal_build_angle_power(KalBuild *b, KalExpr e, double *out_power)
{
    KalOrder order = {.ctx = NULL};
    if (!kal_build_check(b, kal_order_init(b->graph, &e, 1, &order))) {
        return false;
    }
    const bool good = kal_build_step(b, b->statement, order.count)
                      && find_power(b, &order, out_power);
    kal_order_clear(&order);
    return good;
}

static void set_power(KalBuild *b, KalExpr symbol, double power)
{
    uint64_t bits;
    memcpy(&bits, &power, sizeof bits);
    kal_build_check(b, kal_map_set(b->ctx, &b->angles, symbol.index, bits));
}

void kal_build_set_angle(KalBuild *b, KalExpr symbol, const KalNode *unit)
{
    if (unit) {
        set_power(b, symbol,
                  kal_build_is_degree(b, unit) ? 1.0 : kal_unit_radians(unit));
    }
}

void kal_build_inherit_angle(KalBuild *b, KalExpr symbol, KalExpr value)
{
    double power = 0.0;
    if (kal_graph_node(b->graph, value).op != KAL_OP_CONST
        && kal_build_angle_power(b, value, &power)) {
        set_power(b, symbol, power);
    }
}
