// SPDX-License-Identifier: MIT

/// @file
/// Operators that are made of pieces, such as abs, min and conditions: where the pieces
/// meet, and on which one operands are.
///
/// The list is in switches.def, and nothing else knows it.  To integrate over a time in
/// which the piece does not change is to integrate a smooth function; so whoever
/// integrates watches the zeros of the switching functions, theory (15.11).

#ifndef EXPR_SWITCH_H
#define EXPR_SWITCH_H

#include "expr/graph.h"

/// The formula whose zeros part the pieces, of operands a and b.
typedef enum KalCross {
    KAL_CROSS_FIRST, ///< a
    KAL_CROSS_RISE,  ///< b − a
    KAL_CROSS_FALL,  ///< a − b
} KalCross;

/// How a node is made of pieces.
typedef struct KalSwitchForm {
    KalExpr function; ///< its zeros part the pieces
    KalExpr piece;    ///< its value names the piece: the sign of the function
    int orientation;  ///< 1, or −1: the node is on the piece of minus this value
} KalSwitchForm;

/// Whether an operator is made of pieces.
bool kal_op_switches(KalOp op);

/// The form of a node whose operator is.  Nodes that are parted alike have the same
/// function and piece, though perhaps another orientation.
KalSwitchForm kal_switch_form(KalGraph *g, KalExpr node);

#endif
