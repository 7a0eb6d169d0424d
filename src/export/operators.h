// SPDX-License-Identifier: MIT

/// @file
/// Operators of formulas in C: what each calls, and how the text that defines it is found.

#ifndef EXPORT_OPERATORS_H
#define EXPORT_OPERATORS_H

#include "expr/op.h"

/// The function that an operator calls, with `single` that of floats; "" for what has signs of
/// its own (sums, products).  Functions that the C library does not have stand in the text
/// `operators` (export/template.h), each behind the flag of its operator.
const char *kal_c_call(KalOp op, bool single);

/// The operator of a flag, OP_DIV and so on; KAL_OP_COUNT when it is none.
KalOp kal_c_operator_of_flag(const char *flag);

#endif
