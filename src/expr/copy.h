// SPDX-License-Identifier: MIT

/// @file
/// Formulas of one graph in another.

#ifndef EXPR_COPY_H
#define EXPR_COPY_H

#include "expr/order.h"

/// Copy n formulas of `from` into the graph `to` as they are, for readers: guards (see
/// expr/domain.h) stay behind.
KAL_CHECKED KalStatus kal_copy(KalGraph *from, const KalExpr *e, size_t n, KalGraph *to,
                               KalExpr *out_e);

/// One step of an order over `from` in the graph `to`, with operands that are there.
/// Nothing is simplified: what is copied was.
KalExpr kal_copy_step(const KalGraph *from, const KalStep *step, const KalExpr arg[3],
                      KalGraph *to);

#endif
