// SPDX-License-Identifier: MIT

// One row an operator.  Functions of the text `operators` have the values that ops.def gives:
// tests/export compares the accelerations of all examples, to the bit.

#include "export/operators.h"

#include <assert.h>
#include <string.h>

// Functions of our own are the same for floats.
static const char *const OWN[KAL_OP_COUNT] = {
    [KAL_OP_DIV] = "quotient",  [KAL_OP_POWI] = "power",    [KAL_OP_POW] = "power_of",
    [KAL_OP_SIN] = "wave",      [KAL_OP_COS] = "wave",      [KAL_OP_LOG] = "logarithm",
    [KAL_OP_SIGN] = "sign_of",  [KAL_OP_MIN] = "lesser",    [KAL_OP_MAX] = "greater",
    [KAL_OP_MOD] = "modulo",    [KAL_OP_WHERE] = "where",   [KAL_OP_SELECT] = "choose",
    [KAL_OP_LT] = "is_less",    [KAL_OP_LE] = "is_at_most", [KAL_OP_EQ] = "is_equal",
    [KAL_OP_NE] = "is_unequal", [KAL_OP_AND] = "both",      [KAL_OP_OR] = "either",
    [KAL_OP_NOT] = "negation",
};

// Those of the C library, of floats and of doubles.
static const char *const SINGLE[KAL_OP_COUNT] = {
    [KAL_OP_SQRT] = "sqrtf",   [KAL_OP_TAN] = "tanf",   [KAL_OP_ASIN] = "asinf",
    [KAL_OP_ACOS] = "acosf",   [KAL_OP_ATAN] = "atanf", [KAL_OP_ATAN2] = "atan2f",
    [KAL_OP_SINH] = "sinhf",   [KAL_OP_COSH] = "coshf", [KAL_OP_TANH] = "tanhf",
    [KAL_OP_EXP] = "expf",     [KAL_OP_ABS] = "fabsf",  [KAL_OP_HYPOT] = "hypotf",
    [KAL_OP_FLOOR] = "floorf", [KAL_OP_CEIL] = "ceilf", [KAL_OP_ERF] = "erff",
};

static const char *const DOUBLE[KAL_OP_COUNT] = {
    [KAL_OP_SQRT] = "sqrt",   [KAL_OP_TAN] = "tan",   [KAL_OP_ASIN] = "asin",
    [KAL_OP_ACOS] = "acos",   [KAL_OP_ATAN] = "atan", [KAL_OP_ATAN2] = "atan2",
    [KAL_OP_SINH] = "sinh",   [KAL_OP_COSH] = "cosh", [KAL_OP_TANH] = "tanh",
    [KAL_OP_EXP] = "exp",     [KAL_OP_ABS] = "fabs",  [KAL_OP_HYPOT] = "hypot",
    [KAL_OP_FLOOR] = "floor", [KAL_OP_CEIL] = "ceil", [KAL_OP_ERF] = "erf",
};

const char *kal_c_call(KalOp op, bool single)
{
    assert(op < KAL_OP_COUNT);
    const char *library = single ? SINGLE[op] : DOUBLE[op];
    return OWN[op] ? OWN[op] : library ? library : "";
}

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
