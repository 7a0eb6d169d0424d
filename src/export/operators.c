// SPDX-License-Identifier: MIT

// Which operators a part of the text `operators` belongs to.  Its functions have the values that
// ops.def gives: tests/export compares the accelerations of all examples, to the bit.

#include "export/operators.h"

#include <string.h>

KalOp kal_c_operator_of_flag(const char *flag)
{
    static const char *const flags[KAL_OP_COUNT] = {
#define KAL_OP(name, ...) "OP_" #name,
#include "expr/ops.def"
#undef KAL_OP
    };
    int op = 0;
    while (op < KAL_OP_COUNT && strcmp(flags[op], flag) != 0) {
        op++;
    }
    return (KalOp)op;
}
