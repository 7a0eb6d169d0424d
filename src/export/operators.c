// SPDX-License-Identifier: MIT

// What each operator is called in C.  Functions of the text `operators` have the values that
// ops.def gives: tests/export compares the accelerations of all examples, to the bit.

#include "export/operators.h"

#include <assert.h>
#include <string.h>

// The names of a function in C, for doubles and for floats.
typedef struct Call {
    const char *plain;
    const char *single;
} Call;

// A function of the text `operators`, which is the same for both.
static Call own(const char *name)
{
    return (Call){name, name};
}

static Call call_of(KalOp op)
{
    switch (op) {
    case KAL_OP_CONST: // written as values, signs and formulas of tables
    case KAL_OP_SYMBOL:
    case KAL_OP_PI:
    case KAL_OP_ADD:
    case KAL_OP_SUB:
    case KAL_OP_NEG:
    case KAL_OP_MUL:
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP: return own("");
    case KAL_OP_DIV: return own("quotient");
    case KAL_OP_POWI: return own("power");
    case KAL_OP_POW: return own("power_of");
    case KAL_OP_SIN:
    case KAL_OP_COS: return own("wave");
    case KAL_OP_LOG: return own("logarithm");
    case KAL_OP_SIGN: return own("sign_of");
    case KAL_OP_MIN: return own("lesser");
    case KAL_OP_MAX: return own("greater");
    case KAL_OP_MOD: return own("modulo");
    case KAL_OP_WHERE: return own("where");
    case KAL_OP_SELECT: return own("choose");
    case KAL_OP_LT: return own("is_less");
    case KAL_OP_LE: return own("is_at_most");
    case KAL_OP_EQ: return own("is_equal");
    case KAL_OP_NE: return own("is_unequal");
    case KAL_OP_AND: return own("both");
    case KAL_OP_OR: return own("either");
    case KAL_OP_NOT: return own("negation");
    case KAL_OP_SQRT: return (Call){"sqrt", "sqrtf"};
    case KAL_OP_TAN: return (Call){"tan", "tanf"};
    case KAL_OP_ASIN: return (Call){"asin", "asinf"};
    case KAL_OP_ACOS: return (Call){"acos", "acosf"};
    case KAL_OP_ATAN: return (Call){"atan", "atanf"};
    case KAL_OP_ATAN2: return (Call){"atan2", "atan2f"};
    case KAL_OP_SINH: return (Call){"sinh", "sinhf"};
    case KAL_OP_COSH: return (Call){"cosh", "coshf"};
    case KAL_OP_TANH: return (Call){"tanh", "tanhf"};
    case KAL_OP_EXP: return (Call){"exp", "expf"};
    case KAL_OP_ABS: return (Call){"fabs", "fabsf"};
    case KAL_OP_HYPOT: return (Call){"hypot", "hypotf"};
    case KAL_OP_FLOOR: return (Call){"floor", "floorf"};
    case KAL_OP_CEIL: return (Call){"ceil", "ceilf"};
    case KAL_OP_ERF: return (Call){"erf", "erff"};
    case KAL_OP_COUNT: break;
    }
    return own("");
}

const char *kal_c_call(KalOp op, bool single)
{
    assert(op < KAL_OP_COUNT);
    const Call call = call_of(op);
    return single ? call.single : call.plain;
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
