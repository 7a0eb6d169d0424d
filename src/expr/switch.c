// SPDX-License-Identifier: MIT

#include "expr/switch.h"

// A row of switches.def.
typedef struct Row {
    KalOp op;
    KalCross cross;
    KalPiece piece;
} Row;

static const Row rows[] = {
#define KAL_SWITCH(name, function, piece, value) {KAL_OP_##name, function, piece},
#include "expr/switches.def"
#undef KAL_SWITCH
};

static const Row *find_row(KalOp op)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == op) {
            return &rows[i];
        }
    }
    return NULL;
}

bool kal_op_switches(KalOp op)
{
    return find_row(op) != NULL;
}

static KalExpr function_of(KalGraph *g, KalCross cross, const KalExprNode *n)
{
    switch (cross) {
    case KAL_CROSS_RISE: return kal_sub(g, n->arg[1], n->arg[0]);
    case KAL_CROSS_FALL: return kal_sub(g, n->arg[0], n->arg[1]);
    default: return n->arg[0];
    }
}

KalSwitchForm kal_switch_form(KalGraph *g, KalExpr node)
{
    const KalExprNode n = kal_graph_node(g, node);
    const Row *row = find_row((KalOp)n.op);
    const KalExpr function = function_of(g, row->cross, &n);
    if (row->piece == KAL_PIECE_VALUE) {
        return (KalSwitchForm){function, node, 1};
    }
    // Of a function and its negative the older one serves both.
    const KalExpr negative = kal_neg(g, function);
    const bool turned = negative.index < function.index;
    const KalExpr chosen = turned ? negative : function;
    return (KalSwitchForm){chosen, kal_unary(g, KAL_OP_SIGN, chosen), turned ? -1 : 1};
}
