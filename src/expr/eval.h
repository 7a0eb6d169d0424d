// SPDX-License-Identifier: MIT

/// @file
/// Plain evaluation of formulas in double: what everything faster is compared with.
///
/// Every node is computed as its row in ops.def says, operands first, one rounding per
/// operation of the C library and of IEEE arithmetic; sines and cosines are our own.

#ifndef EXPR_EVAL_H
#define EXPR_EVAL_H

#include "expr/order.h"
#include "expr/wave.h"

#include <math.h>
#include <string.h>

/// a/b, and NaN where b is zero: all bits set.  Without a branch.
static inline double kal_quotient(double a, double b)
{
    double quotient = a / b;
    uint64_t bits;
    memcpy(&bits, &quotient, sizeof bits);
    bits |= -(uint64_t)(b == 0.0);
    memcpy(&quotient, &bits, sizeof bits);
    return quotient;
}

/// a − b ⌊a/b⌋, of the quotient as rounded, and where rounding leaves the numbers from 0 to
/// below b, the nearest of those.
static inline double kal_rest(double a, double b)
{
    const double rest = a - b * floor(kal_quotient(a, b));
    if (b > 0.0 ? rest < 0.0 : rest > 0.0) {
        return 0.0;
    }
    return fabs(rest) >= fabs(b) ? nextafter(b, 0.0) : rest;
}

/// a^n by repeated squaring (binary powering).
static inline double kal_whole_power(double a, int32_t n)
{
    double power = 1.0;
    for (uint32_t left = (uint32_t)(n < 0 ? -(int64_t)n : n); left != 0; left >>= 1) {
        power = left & 1U ? power * a : power;
        a *= a;
    }
    return n < 0 ? kal_quotient(1.0, power) : power;
}

/// The value of an operator, of as many operands as it has; n is the exponent of POWI.
/// A SPLINE, whose function is not given here, has none: NaN.
double kal_op_value(KalOp op, double a, double b, double c, int32_t n);

/// Values of all roots of an order, where symbol id has the value values[id].  `work` has
/// room for order->count numbers.  Allocates nothing.
void kal_order_eval(const KalGraph *g, const KalOrder *order, const double *values,
                    double *work, double *out_values);

/// Values of n expressions.
KAL_CHECKED KalStatus kal_eval(KalGraph *g, const KalExpr *e, size_t n,
                               const double *values, double *out_values);

#endif
