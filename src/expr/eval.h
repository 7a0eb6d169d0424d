// SPDX-License-Identifier: MIT

/// @file
/// Plain evaluation of formulas in double: what everything faster is compared with.
///
/// Every node is computed as its row in ops.def says, operands first, one rounding per
/// operation of the C library and of IEEE arithmetic.

#ifndef EXPR_EVAL_H
#define EXPR_EVAL_H

#include "expr/order.h"

/// Values of all roots of an order, where symbol id has the value values[id].  `work` has
/// room for order->count numbers.  Allocates nothing.
void kal_order_eval(const KalGraph *g, const KalOrder *order, const double *values,
                    double *work, double *out_values);

/// Values of n expressions.
KAL_CHECKED KalStatus kal_eval(KalGraph *g, const KalExpr *e, size_t n,
                               const double *values, double *out_values);

#endif
