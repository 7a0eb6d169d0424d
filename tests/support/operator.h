// SPDX-License-Identifier: MIT

/// @file
/// Every operator of formulas once more, in long double and by rules that share nothing
/// with the library.  The switches name all operators: a new one is not tested before it is
/// here.

#ifndef SUPPORT_OPERATOR_H
#define SUPPORT_OPERATOR_H

#include "expr/op.h"

#include <math.h>

static inline long double operator_power(long double a, int32_t n)
{
    long double product = 1.0L;
    for (int32_t i = 0; i < (n < 0 ? -n : n); i++) {
        product *= a;
    }
    return n < 0 ? 1.0L / product : product;
}

/// The value, of as many operands as there are; n is the exponent of POWI.  Leaves have
/// none, but for π.
static inline long double operator_value(KalOp op, long double a, long double b,
                                         long double c, int32_t n)
{
    switch (op) {
    case KAL_OP_PI: return acosl(-1.0L);
    case KAL_OP_ADD: return a + b;
    case KAL_OP_SUB: return a - b;
    case KAL_OP_NEG: return -a;
    case KAL_OP_MUL: return a * b;
    case KAL_OP_DIV: return a / b;
    case KAL_OP_POWI: return operator_power(a, n);
    case KAL_OP_POW: return powl(a, b);
    case KAL_OP_SQRT: return sqrtl(a);
    case KAL_OP_SIN: return sinl(a);
    case KAL_OP_COS: return cosl(a);
    case KAL_OP_TAN: return tanl(a);
    case KAL_OP_ASIN: return asinl(a);
    case KAL_OP_ACOS: return acosl(a);
    case KAL_OP_ATAN: return atanl(a);
    case KAL_OP_ATAN2: return atan2l(a, b);
    case KAL_OP_SINH: return sinhl(a);
    case KAL_OP_COSH: return coshl(a);
    case KAL_OP_TANH: return tanhl(a);
    case KAL_OP_EXP: return expl(a);
    case KAL_OP_LOG: return logl(a);
    case KAL_OP_ABS: return fabsl(a);
    case KAL_OP_SIGN: return (long double)((a > 0.0L) - (a < 0.0L));
    case KAL_OP_MIN: return a <= b ? a : b;
    case KAL_OP_MAX: return a >= b ? a : b;
    case KAL_OP_HYPOT: return hypotl(a, b);
    case KAL_OP_FLOOR: return floorl(a);
    case KAL_OP_CEIL: return ceill(a);
    case KAL_OP_MOD: return a - b * floorl(a / b);
    case KAL_OP_ERF: return erfl(a);
    case KAL_OP_WHERE: return isfinite(b) ? a : NAN;
    case KAL_OP_SELECT: return a != 0.0L ? b : c;
    case KAL_OP_LT: return a < b;
    case KAL_OP_LE: return a <= b;
    case KAL_OP_EQ: return a == b;
    case KAL_OP_NE: return a != b;
    case KAL_OP_AND: return a != 0.0L && b != 0.0L;
    case KAL_OP_OR: return a != 0.0L || b != 0.0L;
    case KAL_OP_NOT: return a == 0.0L;
    case KAL_OP_CONST:
    case KAL_OP_SYMBOL:
    case KAL_OP_SPLINE: // whose value is in its points
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP:
    case KAL_OP_COUNT: break;
    }
    return NAN;
}

/// Whether operands are far from the poles, kinks, jumps and cuts of an operator.
static inline bool operator_is_regular(KalOp op, long double a, long double b,
                                       int32_t n)
{
    switch (op) {
    case KAL_OP_DIV: return fabsl(b) > 0.02L;
    case KAL_OP_POWI: return n > 0 || fabsl(a) > 0.1L;
    case KAL_OP_POW: return a > 0.05L && fabsl(b) < 6.0L;
    case KAL_OP_SQRT:
    case KAL_OP_LOG: return a > 0.02L;
    case KAL_OP_TAN: return fabsl(cosl(a)) > 0.1L;
    case KAL_OP_ASIN:
    case KAL_OP_ACOS: return fabsl(a) < 0.95L;
    case KAL_OP_ATAN2: return fabsl(b) > 0.02L && fabsl(a) > 0.02L;
    case KAL_OP_HYPOT: return fabsl(a) + fabsl(b) > 0.05L;
    case KAL_OP_ABS:
    case KAL_OP_SIGN: return fabsl(a) > 0.02L;
    case KAL_OP_MIN:
    case KAL_OP_MAX:
    case KAL_OP_LT:
    case KAL_OP_LE:
    case KAL_OP_EQ:
    case KAL_OP_NE: return fabsl(a - b) > 0.02L;
    case KAL_OP_FLOOR:
    case KAL_OP_CEIL: return fabsl(a - nearbyintl(a)) > 0.02L;
    case KAL_OP_MOD:
        return fabsl(b) > 0.3L && fabsl(a / b) < 10.0L
               && fabsl(a / b - nearbyintl(a / b)) > 0.1L;
    case KAL_OP_CONST: // regular all over
    case KAL_OP_SYMBOL:
    case KAL_OP_PI:
    case KAL_OP_ADD:
    case KAL_OP_SUB:
    case KAL_OP_NEG:
    case KAL_OP_MUL:
    case KAL_OP_SIN:
    case KAL_OP_COS:
    case KAL_OP_ATAN:
    case KAL_OP_SINH:
    case KAL_OP_COSH:
    case KAL_OP_TANH:
    case KAL_OP_EXP:
    case KAL_OP_ERF:
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP:
    case KAL_OP_WHERE:
    case KAL_OP_SELECT:
    case KAL_OP_AND:
    case KAL_OP_OR:
    case KAL_OP_NOT:
    case KAL_OP_COUNT: break;
    }
    return true;
}

#endif
