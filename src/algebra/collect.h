// SPDX-License-Identifier: MIT

/// @file
/// Formulas as readers want them: like terms merged, squares of sine and cosine contracted,
/// common factors collected.

#ifndef ALGEBRA_COLLECT_H
#define ALGEBRA_COLLECT_H

#include "expr/graph.h"
#include "print/print.h"

/// Copy n formulas of `from` into the graph `to`, each in the shortest form that was found
/// (theory (11.3), (11.4)) or, where none is shorter, as it is.  Arguments of functions
/// come out as short.  Values are the same, but for rounding, wherever the given ones
/// exist.  The length is that of the text with the options' names.
///
/// Formulas that are too large to work on come out as they are.  A graph of their own
/// keeps formulas for readers apart from those to compute with, which other rules suit.
KAL_CHECKED KalStatus kal_collect(KalGraph *from, const KalExpr *e, size_t n,
                                  const KalPrintOptions *options, KalGraph *to,
                                  KalExpr *out_e);

#endif
