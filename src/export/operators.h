// SPDX-License-Identifier: MIT

/// @file
/// How the text that defines an operator in C is found.  Functions that the C library does not
/// have stand in the text `operators` (export/template.h), each behind the flag of its operator;
/// what each is called stands in expr/ops.def.

#ifndef EXPORT_OPERATORS_H
#define EXPORT_OPERATORS_H

#include "expr/op.h"

/// The operator of a flag, OP_DIV and so on; KAL_OP_COUNT when it is none.
KalOp kal_c_operator_of_flag(const char *flag);

#endif
