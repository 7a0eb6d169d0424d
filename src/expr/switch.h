// SPDX-License-Identifier: MIT

/// @file
/// Operators that are made of pieces, such as abs, min and conditions: where the pieces
/// meet, and on which one operands are.
///
/// Most are parted by a zero of a formula g, and the level that tells the piece is its sign.
/// Those that go by steps, ⌊u⌋ and its like, are parted by the zeros of sin πu; their level
/// is u.
///
/// The list is in switches.def, and nothing else knows it.  To integrate over a time in
/// which the piece does not change is to integrate a smooth function; so whoever
/// integrates watches the zeros of the switching functions, theory (15.11).

#ifndef EXPR_SWITCH_H
#define EXPR_SWITCH_H

#include "expr/graph.h"

/// Where the pieces of an operator with operands a and b meet.
typedef enum KalBorder {
    KAL_BORDER_FIRST, ///< where a = 0
    KAL_BORDER_RISE,  ///< where b − a = 0
    KAL_BORDER_FALL,  ///< where a − b = 0
    KAL_BORDER_WHOLE, ///< where a is a whole number
    KAL_BORDER_RATIO, ///< where a/b is
    KAL_BORDER_SPLINE ///< where a level of its table is (expr/spline.h)
} KalBorder;

/// How a node is made of pieces.
typedef struct KalSwitchForm {
    KalExpr function; ///< its zeros part the pieces
    KalExpr level;    ///< what tells the piece
    int orientation;  ///< 1, or −1: the node is on the piece of minus that value
    bool steps; ///< the piece is ⌊level⌋, else the level, which is −1, 0 or 1
} KalSwitchForm;

/// Whether an operator is made of pieces.
bool kal_op_switches(KalOp op);

/// The ratio of which ⌊a/b⌋ in mod(a, b) is: divided as the value does it, for a quotient that
/// is written otherwise may be rounded to the other side of a whole number.
KalExpr kal_mod_ratio(KalGraph *g, KalExpr a, KalExpr b);

/// The form of a node whose operator is.  Nodes that are parted alike have the same
/// function and level, though perhaps another orientation.
KalSwitchForm kal_switch_form(KalGraph *g, KalExpr node);

#endif
