// SPDX-License-Identifier: MIT

/// @file
/// What diff.c and jacobian.c share: the chain rule at one node.

#ifndef EXPR_DIFF_IMPL_H
#define EXPR_DIFF_IMPL_H

#include "expr/diff.h"
#include "expr/order.h"
#include "expr/seeds.h"

/// s × ∂f/∂(operand k); KAL_NO_EXPR for zero.
KalExpr kal_carry(KalGraph *g, KalExpr f, int k, KalExpr s);

/// a + b where KAL_NO_EXPR is zero.
KalExpr kal_accumulate(KalGraph *g, KalExpr a, KalExpr b);

/// The derivative of step i from those of the steps before it, zero as KAL_NO_EXPR;
/// leaves have none.
KalExpr kal_forward(KalGraph *g, const KalStep *step, const KalExpr *d);

/// Derivatives of one root of an order with respect to every step that leads to a seed;
/// d has room for order->count, zeroed.
KAL_CHECKED KalStatus kal_reverse(KalGraph *g, const KalOrder *order,
                                  const KalSeeds *seeds, KalExpr *d);

#endif
