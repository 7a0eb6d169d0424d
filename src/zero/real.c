// SPDX-License-Identifier: MIT

// One double from others, with a bound on its error to first order: what the operands'
// errors come to, by the slope of the operation, and what rounding adds.  Theory (10.7).

#include "expr/eval.h"
#include "expr/node.h"
#include "zero/identity_impl.h"

#include <assert.h>
#include <float.h>

static const double unit = DBL_EPSILON / 2.0;
// The error of a function that makes its value useless, relative to it or to 1.
static const double too_coarse = 1e-4;
// How many roundings of a value all of its operand must move it by, or it says nothing of it.
static const double saturated = 16.0;

static KalScalar with_error(double value, double error)
{
    assert(!(error < 0.0));
    const bool valid = isfinite(value) && isfinite(error);
    return (KalScalar){
        .real = {valid ? value : NAN, error + 2.0 * unit * fabs(value)}
    };
}

static KalScalar exactly(double value)
{
    return (KalScalar){
        .real = {value, 0.0}
    };
}

// Where symbols are tried out: near 1 and of both signs by turns, sometimes below 1 for
// the sake of asin, sometimes larger; and, for the sake of what only happens far away,
// anywhere.
static double chosen(uint64_t seed, uint64_t id)
{
    const uint64_t random = kal_residue_random(seed, id);
    const double u = (double)(random >> 9) * 0x1p-52;
    const double sign = random & 1U && seed % 2 == 1 ? -1.0 : 1.0;
    if (seed >= KAL_FAR_SEEDS) {
        return sign * pow(10.0, 4.0 * u - 1.0);
    }
    const double scale = seed % 3 == 0 ? 0.8 : seed % 3 == 1 ? 1.7 : 4.0;
    return sign * scale * (0.1 + 0.9 * u);
}

// A function of one operand, by the size of its slope there, theory (9.3).  What nothing is
// known of must not pass for zero.
static KalScalar moved(KalOp op, KalScalar a, double slope)
{
    assert(!(slope < 0.0));
    const double x = a.real.value;
    const double v = kal_op_value(op, x, 0.0, 0.0, 0);
    const double error = slope * kal_real_error(a);
    const bool coarse = error > too_coarse * (1.0 + fabs(v));
    const bool lost = x != 0.0 && slope * fabs(x) <= saturated * unit * fabs(v);
    return kal_real_mark(with_error(coarse ? (double)NAN : v, error), lost);
}

static double square(double x)
{
    return x * x;
}

static double erf_slope(double x)
{
    return 2.0 / sqrt(acos(-1.0)) * exp(-x * x);
}

// The size of the slope of the inverse sine.
static double arc_slope(double x)
{
    return 1.0 / sqrt(1.0 - x * x);
}

static KalScalar power(KalScalar a, KalScalar b)
{
    const double v = pow(a.real.value, b.real.value);
    const double error =
        fabs(b.real.value / a.real.value) * kal_real_error(a)
        + (kal_real_error(b) > 0.0 ? fabs(log(a.real.value)) * kal_real_error(b) : 0.0);
    return with_error(v, fabs(v) * error);
}

static KalScalar angle(KalScalar y, KalScalar x)
{
    const double square = x.real.value * x.real.value + y.real.value * y.real.value;
    const double error =
        fabs(x.real.value) * kal_real_error(y) + fabs(y.real.value) * kal_real_error(x);
    return with_error(atan2(y.real.value, x.real.value), error / square);
}

static KalScalar distance(KalScalar a, KalScalar b)
{
    return with_error(hypot(a.real.value, b.real.value),
                      kal_real_error(a) + kal_real_error(b));
}

// Comparisons count only where rounding cannot turn them.
static bool differ(KalScalar a, KalScalar b, bool *out_less)
{
    const KalScalar d = kal_scalar_sub(KAL_ARITHMETIC_REALS, a, b);
    *out_less = d.real.value < 0.0;
    return !kal_scalar_is_zero(KAL_ARITHMETIC_REALS, d);
}

static KalScalar least(KalScalar a, KalScalar b)
{
    bool less;
    if (!differ(a, b, &less)) {
        return kal_scalar_none(KAL_ARITHMETIC_REALS);
    }
    return less ? a : b;
}

static KalScalar most(KalScalar a, KalScalar b)
{
    bool less;
    if (!differ(a, b, &less)) {
        return kal_scalar_none(KAL_ARITHMETIC_REALS);
    }
    return less ? b : a;
}

// A relation, by the operands' values where these differ.
static KalScalar compared(KalOp op, KalScalar a, KalScalar b)
{
    bool less;
    return differ(a, b, &less)
               ? exactly(kal_op_value(op, a.real.value, b.real.value, 0.0, 0))
               : kal_scalar_none(KAL_ARITHMETIC_REALS);
}

static KalScalar logic(KalOp op, double a, double b)
{
    return isnan(a) || isnan(b) ? kal_scalar_none(KAL_ARITHMETIC_REALS)
                                : exactly(kal_op_value(op, a, b, 0.0, 0));
}

static KalScalar sign_of(KalScalar a)
{
    const bool valid = kal_scalar_weight(KAL_ARITHMETIC_REALS, a) > 0.0;
    return valid ? exactly(a.real.value > 0.0 ? 1.0 : -1.0)
                 : kal_scalar_none(KAL_ARITHMETIC_REALS);
}

// ⌊a⌋ or ⌈a⌉, unless an error may have carried a over a whole number.
static KalScalar whole(KalOp op, KalScalar a)
{
    assert(op == KAL_OP_FLOOR || op == KAL_OP_CEIL);
    const double x = a.real.value;
    const double error = kal_real_error(a);
    const bool sure = error == 0.0 || fabs(x - nearbyint(x)) > error;
    return isfinite(x) && sure ? exactly(kal_op_value(op, x, 0.0, 0.0, 0))
                               : kal_scalar_none(KAL_ARITHMETIC_REALS);
}

// a − b ⌊a/b⌋.
static KalScalar modulo(KalScalar a, KalScalar b)
{
    const KalArithmetic reals = KAL_ARITHMETIC_REALS;
    const KalScalar times = whole(KAL_OP_FLOOR, kal_scalar_div(reals, a, b));
    return kal_scalar_sub(reals, a, kal_scalar_mul(reals, b, times));
}

static KalScalar whole_power(KalScalar a, int32_t n)
{
    KalScalar power = exactly(1.0);
    for (uint32_t left = (uint32_t)(n < 0 ? -(int64_t)n : n); left != 0; left >>= 1) {
        power = left & 1U ? kal_scalar_mul(KAL_ARITHMETIC_REALS, power, a) : power;
        a = kal_scalar_mul(KAL_ARITHMETIC_REALS, a, a);
    }
    return n < 0 ? kal_scalar_div(KAL_ARITHMETIC_REALS, exactly(1.0), power) : power;
}

static KalScalar negative(KalScalar a)
{
    return (KalScalar){
        .real = {-a.real.value, a.real.error}
    };
}

// One of two by a condition that is known.
static KalScalar selected(KalScalar condition, KalScalar a, KalScalar b)
{
    if (isnan(condition.real.value)) {
        return condition;
    }
    return condition.real.value != 0.0 ? a : b;
}

// In the place of a table some function of the same argument: what is zero with any function
// is zero with this one, wherever its points are and whatever is between them.
static KalScalar any_function(const KalSlot *slot, KalScalar a)
{
    const KalSplineFunction *f = kal_spline_of(slot->arg[1], slot->arg[2]);
    const uint64_t number = (f->spline->hash >> 8) % 1024 + 7 * (uint64_t)f->kind;
    const double x = a.real.value + (double)number;
    return with_error(1.3 + sin(x), fabs(cos(x)) * kal_real_error(a));
}

// A slot with operands a, b and c.
static KalScalar eval(const KalProbe *probe, const KalSlot *slot, const KalScalar *arg,
                      uint64_t seed)
{
    const KalArithmetic reals = KAL_ARITHMETIC_REALS;
    const KalOp op = (KalOp)slot->op;
    const KalScalar a = arg[0];
    const KalScalar b = arg[1];
    const double x = a.real.value;
    switch (op) {
    case KAL_OP_CONST:
        return kal_scalar_of(reals, kal_graph_number(probe->g, slot->node));
    case KAL_OP_SYMBOL: return exactly(chosen(seed, slot->arg[0]));
    case KAL_OP_PI: return with_error(acos(-1.0), 0.0);
    case KAL_OP_ADD: return kal_scalar_add(reals, a, b);
    case KAL_OP_SUB: return kal_scalar_sub(reals, a, b);
    case KAL_OP_NEG: return negative(a);
    case KAL_OP_MUL: return kal_scalar_mul(reals, a, b);
    case KAL_OP_DIV: return kal_scalar_div(reals, a, b);
    case KAL_OP_POWI: return whole_power(a, (int32_t)slot->arg[1]);
    case KAL_OP_POW: return power(a, b);
    case KAL_OP_SQRT: return moved(op, a, 0.5 / sqrt(x));
    case KAL_OP_SIN: return moved(op, a, fabs(cos(x)));
    case KAL_OP_COS: return moved(op, a, fabs(sin(x)));
    case KAL_OP_TAN: return moved(op, a, 1.0 + square(tan(x)));
    case KAL_OP_ASIN:
    case KAL_OP_ACOS: return moved(op, a, arc_slope(x));
    case KAL_OP_ATAN: return moved(op, a, 1.0 / (1.0 + square(x)));
    case KAL_OP_ATAN2: return angle(a, b);
    case KAL_OP_SINH: return moved(op, a, cosh(x));
    case KAL_OP_COSH: return moved(op, a, fabs(sinh(x)));
    case KAL_OP_TANH: return moved(op, a, 1.0 - square(tanh(x)));
    case KAL_OP_EXP: return moved(op, a, exp(x));
    case KAL_OP_LOG: return moved(op, a, 1.0 / fabs(x));
    case KAL_OP_ERF: return moved(op, a, erf_slope(x));
    case KAL_OP_ABS: return moved(op, a, 1.0);
    case KAL_OP_FLOOR:
    case KAL_OP_CEIL: return whole(op, a);
    case KAL_OP_MOD: return modulo(a, b);
    case KAL_OP_SPLINE:
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP: return any_function(slot, a);
    case KAL_OP_SIGN: return sign_of(a);
    case KAL_OP_MIN: return least(a, b);
    case KAL_OP_MAX: return most(a, b);
    case KAL_OP_HYPOT: return distance(a, b);
    case KAL_OP_WHERE: return isnan(b.real.value) ? b : a;
    case KAL_OP_SELECT: return selected(a, b, arg[2]);
    case KAL_OP_LT:
    case KAL_OP_LE:
    case KAL_OP_EQ:
    case KAL_OP_NE: return compared(op, a, b);
    case KAL_OP_AND:
    case KAL_OP_OR: return logic(op, x, b.real.value);
    case KAL_OP_NOT: return logic(op, x, 0.0);
    case KAL_OP_COUNT: break;
    }
    return kal_scalar_none(reals);
}

KalScalar kal_real_eval(const KalProbe *probe, const KalSlot *slot, int point,
                        uint64_t seed)
{
    assert(point >= 0 && point < KAL_PROBE_REALS);
    const int arity = kal_op_arity((KalOp)slot->op);
    KalScalar arg[3] = {{0}};
    for (int k = 0; k < arity; k++) {
        arg[k] = *kal_probe_real(probe, slot->arg[k], point);
    }
    KalScalar value = eval(probe, slot, arg, seed);
    for (int k = 0; k < arity; k++) {
        value = kal_real_mark(value, kal_real_lost(arg[k]));
    }
    return value;
}
