// SPDX-License-Identifier: MIT

// One double from others, with a bound on its error to first order: what the operands'
// errors come to, by the slope of the operation, and what rounding adds.  Theory (10.7).

#include "expr/graph_impl.h"
#include "expr/identity_impl.h"

#include <float.h>

static const double unit = DBL_EPSILON / 2.0;
static const double too_coarse = 1e-4; // error of a function that makes it useless
static const double saturated =
    16.0; // roundings that all of an operand must move it by

static KalScalar with_error(double value, double error)
{
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

// A function of a with this value and slope.  What nothing is known of must not pass for
// zero.
static KalScalar moved(double v, double slope, double a, double error)
{
    const bool coarse = slope * error > too_coarse * (1.0 + fabs(v));
    const bool lost = a != 0.0 && slope * fabs(a) <= saturated * unit * fabs(v);
    return kal_real_mark(with_error(coarse ? NAN : v, slope * error), lost);
}

// Functions of one operand by value and size of slope, theory (9.3).
static KalScalar function(KalOp op, double a, double error)
{
    double v = NAN;
    double slope = 1.0;
    switch (op) {
    case KAL_OP_SQRT:
        v = sqrt(a);
        slope = 0.5 / v;
        break;
    case KAL_OP_SIN:
        v = sin(a);
        slope = fabs(cos(a));
        break;
    case KAL_OP_COS:
        v = cos(a);
        slope = fabs(sin(a));
        break;
    case KAL_OP_TAN:
        v = tan(a);
        slope = 1.0 + v * v;
        break;
    case KAL_OP_ASIN:
        v = asin(a);
        slope = 1.0 / sqrt(1.0 - a * a);
        break;
    case KAL_OP_ACOS:
        v = acos(a);
        slope = 1.0 / sqrt(1.0 - a * a);
        break;
    case KAL_OP_ATAN:
        v = atan(a);
        slope = 1.0 / (1.0 + a * a);
        break;
    case KAL_OP_SINH:
        v = sinh(a);
        slope = cosh(a);
        break;
    case KAL_OP_COSH:
        v = cosh(a);
        slope = fabs(sinh(a));
        break;
    case KAL_OP_TANH:
        v = tanh(a);
        slope = 1.0 - v * v;
        break;
    case KAL_OP_EXP:
        v = exp(a);
        slope = v;
        break;
    case KAL_OP_LOG:
        v = log(a);
        slope = 1.0 / fabs(a);
        break;
    case KAL_OP_ABS: v = fabs(a); break;
    default: break;
    }
    return moved(v, slope, a, error);
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
static KalScalar compared(KalOp op, KalScalar a, KalScalar b)
{
    const KalScalar d = kal_scalar_sub(KAL_ARITHMETIC_REALS, a, b);
    if (kal_scalar_is_zero(KAL_ARITHMETIC_REALS, d)) {
        return kal_scalar_none(KAL_ARITHMETIC_REALS);
    }
    const bool less = d.real.value < 0.0;
    switch (op) {
    case KAL_OP_MIN: return less ? a : b;
    case KAL_OP_MAX: return less ? b : a;
    case KAL_OP_EQ: return exactly(0.0);
    case KAL_OP_NE: return exactly(1.0);
    default: return exactly(less ? 1.0 : 0.0); // < and <=
    }
}

static KalScalar logic(KalOp op, double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return kal_scalar_none(KAL_ARITHMETIC_REALS);
    }
    switch (op) {
    case KAL_OP_AND: return exactly(a != 0.0 && b != 0.0);
    case KAL_OP_OR: return exactly(a != 0.0 || b != 0.0);
    default: return exactly(a == 0.0);
    }
}

static KalScalar sign_of(KalScalar a)
{
    const bool valid = kal_scalar_weight(KAL_ARITHMETIC_REALS, a) > 0.0;
    return valid ? exactly(a.real.value > 0.0 ? 1.0 : -1.0)
                 : kal_scalar_none(KAL_ARITHMETIC_REALS);
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

static KalScalar eval_two(const KalSlot *slot, KalScalar a, KalScalar b)
{
    const KalArithmetic field = KAL_ARITHMETIC_REALS;
    switch ((KalOp)slot->op) {
    case KAL_OP_ADD: return kal_scalar_add(field, a, b);
    case KAL_OP_SUB: return kal_scalar_sub(field, a, b);
    case KAL_OP_MUL: return kal_scalar_mul(field, a, b);
    case KAL_OP_DIV: return kal_scalar_div(field, a, b);
    case KAL_OP_POW: return power(a, b);
    case KAL_OP_ATAN2: return angle(a, b);
    case KAL_OP_HYPOT: return distance(a, b);
    case KAL_OP_WHERE: return isnan(b.real.value) ? b : a;
    case KAL_OP_AND:
    case KAL_OP_OR: return logic((KalOp)slot->op, a.real.value, b.real.value);
    default: return compared((KalOp)slot->op, a, b);
    }
}

static KalScalar eval_one(const KalSlot *slot, KalScalar a)
{
    switch ((KalOp)slot->op) {
    case KAL_OP_NEG:
        return (KalScalar){
            .real = {-a.real.value, a.real.error}
        };
    case KAL_OP_POWI: return whole_power(a, (int32_t)slot->arg[1]);
    case KAL_OP_SIGN: return sign_of(a);
    case KAL_OP_NOT: return logic(KAL_OP_NOT, a.real.value, 0.0);
    default: return function((KalOp)slot->op, a.real.value, kal_real_error(a));
    }
}

static KalScalar eval(const KalProbe *probe, const KalSlot *slot, int point,
                      uint64_t seed)
{
    const KalOp op = (KalOp)slot->op;
    switch (op) {
    case KAL_OP_CONST:
        return kal_scalar_of(KAL_ARITHMETIC_REALS,
                             kal_graph_number(probe->g, slot->node));
    case KAL_OP_SYMBOL: return exactly(chosen(seed, slot->arg[0]));
    case KAL_OP_PI: return with_error(acos(-1.0), 0.0);
    default: break;
    }
    const KalScalar a = *kal_probe_real(probe, slot->arg[0], point);
    if (kal_op_arity(op) == 1) {
        return eval_one(slot, a);
    }
    const KalScalar b = *kal_probe_real(probe, slot->arg[1], point);
    if (op == KAL_OP_SELECT) {
        const KalScalar c = *kal_probe_real(probe, slot->arg[2], point);
        return isnan(a.real.value) ? a : a.real.value != 0.0 ? b : c;
    }
    return eval_two(slot, a, b);
}

KalScalar kal_real_eval(const KalProbe *probe, const KalSlot *slot, int point,
                        uint64_t seed)
{
    KalScalar value = eval(probe, slot, point, seed);
    for (int k = 0; k < kal_op_arity((KalOp)slot->op); k++) {
        value = kal_real_mark(
            value, kal_real_lost(*kal_probe_real(probe, slot->arg[k], point)));
    }
    return value;
}
