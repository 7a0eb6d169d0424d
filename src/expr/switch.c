// SPDX-License-Identifier: MIT

// The rows of switches.def by operator.  That exactly the operators whose nature is KINK or JUMP
// have a row is found out by the compiler, in both directions.

#include "expr/switch.h"

#include "expr/node.h"

#include <assert.h>

static const KalBorder BORDERS[] = {
#define KAL_SWITCH(name, function, value) function,
#include "expr/switches.def"
#undef KAL_SWITCH
};

// The rows of switches.def.
enum {
#define KAL_SWITCH(name, function, value) ROW_##name,
#include "expr/switches.def"
#undef KAL_SWITCH
    ROW_COUNT
};

// The row of an operator, by its nature: without one this does not compile.
#define ROW_OF_RATIONAL(name)    (-1)
#define ROW_OF_EXPONENTIAL(name) (-1)
#define ROW_OF_ANALYTIC(name)    (-1)
#define ROW_OF_BRANCHED(name)    (-1)
#define ROW_OF_KINK(name)        ROW_##name
#define ROW_OF_JUMP(name)        ROW_##name
#define ROW_OF_CHOICE(name)      (-1)

static const int8_t ROWS[] = {
#define KAL_OP(name, arity, kind, commutes, word, value, parity, nature, ...) \
    ROW_OF_##nature(name),
#include "expr/ops.def"
#undef KAL_OP
};

// Nor does it with a row that no such operator has.
enum {
#define KAL_OP(name, arity, kind, commutes, word, value, parity, nature, ...) \
    NATURE_OF_##name = KAL_NATURE_##nature,
#include "expr/ops.def"
#undef KAL_OP
};

#define KAL_SWITCH(name, function, value)                                \
    _Static_assert((int)NATURE_OF_##name == (int)KAL_NATURE_KINK         \
                       || (int)NATURE_OF_##name == (int)KAL_NATURE_JUMP, \
                   "a row of switches.def is not of an operator made of pieces");
#include "expr/switches.def"
#undef KAL_SWITCH

bool kal_op_switches(KalOp op)
{
    return ROWS[op] >= 0;
}

// The level of a table that a function of it is watched by.
static KalExpr level_of_spline(KalGraph *g, const KalExprNode *n)
{
    bool jumps = false;
    const KalSplineFunction *f = kal_node_spline(n);
    const bool ends = kal_spline_borders(f, &jumps) == KAL_BORDERS_ENDS;
    return kal_spline(g, f->spline, ends ? KAL_SPLINE_ENDS : KAL_SPLINE_KNOTS,
                      n->arg[0]);
}

KalExpr kal_mod_ratio(KalGraph *g, KalExpr a, KalExpr b)
{
    return kal_cons(g, KAL_OP_DIV, a, b, KAL_NO_EXPR);
}

// The formula at whose zeros, or at whose whole values, the pieces meet.
static KalExpr level_of(KalGraph *g, KalBorder border, const KalExprNode *n)
{
    switch (border) {
    case KAL_BORDER_FIRST:
    case KAL_BORDER_WHOLE: return n->arg[0];
    case KAL_BORDER_RISE: return kal_sub(g, n->arg[1], n->arg[0]);
    case KAL_BORDER_FALL: return kal_sub(g, n->arg[0], n->arg[1]);
    case KAL_BORDER_RATIO: return kal_mod_ratio(g, n->arg[0], n->arg[1]);
    case KAL_BORDER_SPLINE: return level_of_spline(g, n);
    }
    return KAL_NO_EXPR;
}

KalSwitchForm kal_switch_form(KalGraph *g, KalExpr node)
{
    const KalExprNode n = kal_graph_node(g, node);
    assert(kal_op_switches((KalOp)n.op));
    const KalBorder border = BORDERS[ROWS[n.op]];
    const KalExpr level = level_of(g, border, &n);
    if (border == KAL_BORDER_WHOLE || border == KAL_BORDER_RATIO
        || border == KAL_BORDER_SPLINE) {
        const KalExpr function = kal_sin(g, kal_mul(g, kal_pi(g), level));
        return (KalSwitchForm){function, level, 1, true};
    }
    // Of a function and its negative the older one serves both.
    const KalExpr negative = kal_neg(g, level);
    const bool turned = negative.index < level.index;
    const KalExpr chosen = turned ? negative : level;
    return (KalSwitchForm){chosen, kal_unary(g, KAL_OP_SIGN, chosen), turned ? -1 : 1,
                           false};
}
