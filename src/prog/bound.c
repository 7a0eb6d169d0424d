// SPDX-License-Identifier: MIT

// Interval arithmetic (Moore, Kearfott, Cloud, Introduction to Interval Analysis), theory
// (12.17): a range for every value of a program.
//
// Invariant: a range holds every value that the operation has for operands in their ranges,
// the rounding of floating point included; where some operands have no value, the range is
// everything.  So what a range excludes never happens.  low <= high always; neither is NaN.

#include "expr/eval.h"
#include "prog/program_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846

// Operands of an instruction.
typedef struct Operands {
    KalRange a;
    KalRange b;
    KalRange c;
    int32_t n;
} Operands;

static const KalRange everything = {-INFINITY, INFINITY};

// From two ends; everything where they are not in order.
static KalRange range(double low, double high)
{
    return low <= high ? (KalRange){low, high} : everything; // also for NaN
}

// Room for the rounding of the functions of the C library.
static KalRange widen(KalRange r)
{
    const double rounding = 4.0 * DBL_EPSILON;
    r.low -= rounding * fabs(r.low);
    r.high += rounding * fabs(r.high);
    return range(r.low, r.high);
}

// Whether x may be the value.
static bool holds(KalRange r, double x)
{
    return r.low <= x && x <= r.high;
}

static KalRange negate(KalRange a)
{
    return (KalRange){-a.high, -a.low};
}

static KalRange add(KalRange a, KalRange b)
{
    return range(a.low + b.low, a.high + b.high);
}

// A product with zero times infinity as zero: the zero is exact, the infinity a bound.
static double times(double x, double y)
{
    return x == 0.0 || y == 0.0 ? 0.0 : x * y;
}

// Of numbers, none of which is NaN, without the care that fmin() takes of these.
static double lesser(double x, double y)
{
    return x < y ? x : y;
}

static double greater(double x, double y)
{
    return x > y ? x : y;
}

// The smallest range that holds four numbers.
static KalRange hull(const double corners[4])
{
    KalRange r = {corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        r.low = lesser(r.low, corners[i]);
        r.high = greater(r.high, corners[i]);
    }
    assert(!(r.low > r.high));
    return r;
}

static KalRange multiply(KalRange a, KalRange b)
{
    const double corners[4] = {times(a.low, b.low), times(a.low, b.high),
                               times(a.high, b.low), times(a.high, b.high)};
    return hull(corners);
}

// Where the divisor may be zero the quotient may be anything.
static KalRange divide(KalRange a, KalRange b)
{
    if (holds(b, 0.0)) {
        return everything;
    }
    assert(b.low > 0.0 || b.high < 0.0);
    return multiply(a, (KalRange){1.0 / b.high, 1.0 / b.low});
}

static KalRange absolute(KalRange a)
{
    if (a.low >= 0.0) {
        return a;
    }
    return a.high <= 0.0 ? negate(a) : (KalRange){0.0, greater(-a.low, a.high)};
}

// Rises for odd n, and for even n in |a|.
static KalRange positive_power(KalRange a, int32_t n)
{
    assert(n >= 0);
    const KalRange base = n % 2 == 0 ? absolute(a) : a;
    return range(kal_whole_power(base.low, n), kal_whole_power(base.high, n));
}

// A negative exponent is a quotient; −INT32_MIN is no number.
static KalRange whole_power(KalRange a, int32_t n)
{
    if (n == INT32_MIN) {
        return everything;
    }
    return n < 0 ? divide((KalRange){1.0, 1.0}, positive_power(a, -n))
                 : positive_power(a, n);
}

// For positive a the power rises or falls in each of its operands: corners are enough.
static KalRange power(KalRange a, KalRange b)
{
    if (!(a.low > 0.0)) {
        return everything;
    }
    const double corners[4] = {pow(a.low, b.low), pow(a.low, b.high),
                               pow(a.high, b.low), pow(a.high, b.high)};
    const KalRange r = hull(corners);
    return range(r.low, r.high);
}

// A function that rises, on the part of the range where it has values.
static KalRange rising(KalRange a, double (*f)(double), KalRange domain)
{
    if (!(a.low >= domain.low && a.high <= domain.high)) {
        return everything;
    }
    return range(f(a.low), f(a.high));
}

// The cosine: 1 where the range holds a whole turn, −1 where it holds half a turn more.
static KalRange cosine(KalRange a)
{
    const double turn = 2.0 * PI;
    const double most = 1e6; // beyond, turns are not counted exactly
    if (!(a.low > -most && a.high < most) || a.high - a.low >= turn) {
        return (KalRange){-1.0, 1.0};
    }
    const double slack = 1e-9;
    const bool top = ceil((a.low - slack) / turn) <= floor((a.high + slack) / turn);
    const bool bottom =
        ceil((a.low - PI - slack) / turn) <= floor((a.high - PI + slack) / turn);
    const double low = cos(a.low);
    const double high = cos(a.high);
    return (KalRange){bottom ? -1.0 : lesser(low, high),
                      top ? 1.0 : greater(low, high)};
}

// The cosine of a quarter turn less.
static KalRange sine(KalRange a)
{
    return cosine(widen((KalRange){a.low - 0.5 * PI, a.high - 0.5 * PI}));
}

// Rises between its poles, which are where the cosine is zero.
static KalRange tangent(KalRange a)
{
    const KalRange c = cosine(a);
    return holds(c, 0.0) ? everything : range(tan(a.low), tan(a.high));
}

// atan2: all angles where the range of (x, y) meets the cut or the origin, else corners.
static KalRange angle(KalRange y, KalRange x)
{
    const bool cut = holds(y, 0.0) && x.low <= 0.0;
    if (cut || !isfinite(y.low + y.high + x.low + x.high)) {
        return (KalRange){-PI, PI};
    }
    const double corners[4] = {atan2(y.low, x.low), atan2(y.low, x.high),
                               atan2(y.high, x.low), atan2(y.high, x.high)};
    return hull(corners);
}

// hypot rises in the size of both.
static KalRange length(KalRange a, KalRange b)
{
    const KalRange x = absolute(a);
    const KalRange y = absolute(b);
    return range(hypot(x.low, y.low), hypot(x.high, y.high));
}

static double sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

// A condition of which it is known whether it can hold and whether it can fail.
static KalRange condition(bool can_hold, bool can_fail)
{
    return (KalRange){can_fail ? 0.0 : 1.0, can_hold ? 1.0 : 0.0};
}

// Whether a condition may be other than 0.
static bool can_hold(KalRange a)
{
    return a.low != 0.0 || a.high != 0.0;
}

// Ranges that do not meet are not equal; points that do are.
static KalRange equals(KalRange a, KalRange b)
{
    const bool meet = a.low <= b.high && b.low <= a.high;
    const bool points = a.low == a.high && b.low == b.high;
    return condition(meet, !(meet && points));
}

// 1 where a condition is 0.
static KalRange fails(KalRange a)
{
    return condition(holds(a, 0.0), can_hold(a));
}

static KalRange both(KalRange a, KalRange b)
{
    return condition(can_hold(a) && can_hold(b), holds(a, 0.0) || holds(b, 0.0));
}

static KalRange either(KalRange a, KalRange b)
{
    return condition(can_hold(a) || can_hold(b), holds(a, 0.0) && holds(b, 0.0));
}

// π/2 − asin.
static KalRange arc_cosine(KalRange a, KalRange unit)
{
    return add((KalRange){0.5 * PI, 0.5 * PI}, negate(rising(a, asin, unit)));
}

// The branches that the condition may take.
static KalRange choose(const Operands *o)
{
    if (!holds(o->a, 0.0)) {
        return o->b;
    }
    return can_hold(o->a)
               ? (KalRange){lesser(o->b.low, o->c.low), greater(o->b.high, o->c.high)}
               : o->c;
}

// floor and ceil rise, and are exact.
static KalRange whole(KalRange a, double (*f)(double))
{
    return (KalRange){f(a.low), f(a.high)};
}

// a − b ⌊a/b⌋: between 0 and b, or on one step as the formula has it.
static KalRange modulo(KalRange a, KalRange b)
{
    const KalRange steps = whole(widen(divide(a, b)), floor);
    if (holds(b, 0.0)) {
        return everything;
    }
    if (steps.low != steps.high || !isfinite(steps.low)) {
        return (KalRange){lesser(b.low, 0.0), greater(b.high, 0.0)};
    }
    const double rounding = 8.0 * DBL_EPSILON * absolute(a).high; // where terms cancel
    const KalRange slack = {-rounding, rounding};
    return add(add(a, negate(multiply(b, steps))), slack);
}

// The range of an operator, rounding apart.
static KalRange bound_exactly(KalOp op, const Operands *o)
{
    const KalRange a = o->a;
    const KalRange b = o->b;
    const KalRange positive = {0.0, INFINITY};
    const KalRange unit = {-1.0, 1.0};
    switch (op) {
    case KAL_OP_PI: return (KalRange){PI, PI};
    case KAL_OP_ADD: return add(a, b);
    case KAL_OP_SUB: return add(a, negate(b));
    case KAL_OP_NEG: return negate(a);
    case KAL_OP_MUL: return multiply(a, b);
    case KAL_OP_DIV: return divide(a, b);
    case KAL_OP_POWI: return whole_power(a, o->n);
    case KAL_OP_POW: return power(a, b);
    case KAL_OP_SQRT: return rising(a, sqrt, positive);
    case KAL_OP_SIN: return sine(a);
    case KAL_OP_COS: return cosine(a);
    case KAL_OP_TAN: return tangent(a);
    case KAL_OP_ASIN: return rising(a, asin, unit);
    case KAL_OP_ACOS: return arc_cosine(a, unit);
    case KAL_OP_ATAN: return rising(a, atan, everything);
    case KAL_OP_ATAN2: return angle(a, b);
    case KAL_OP_SINH: return rising(a, sinh, everything);
    case KAL_OP_COSH: return rising(absolute(a), cosh, everything);
    case KAL_OP_TANH: return rising(a, tanh, everything);
    case KAL_OP_EXP: return rising(a, exp, everything);
    case KAL_OP_LOG: return rising(a, log, positive);
    case KAL_OP_HYPOT: return length(a, b);
    case KAL_OP_ABS: return absolute(a);
    case KAL_OP_SIGN: return (KalRange){sign_of(a.low), sign_of(a.high)};
    case KAL_OP_MIN: return (KalRange){lesser(a.low, b.low), lesser(a.high, b.high)};
    case KAL_OP_MAX: return (KalRange){greater(a.low, b.low), greater(a.high, b.high)};
    case KAL_OP_FLOOR: return whole(a, floor);
    case KAL_OP_CEIL: return whole(a, ceil);
    case KAL_OP_MOD: return modulo(a, b);
    case KAL_OP_ERF: return rising(a, erf, everything);
    case KAL_OP_SELECT: return choose(o);
    case KAL_OP_LT: return condition(a.low < b.high, a.high >= b.low);
    case KAL_OP_LE: return condition(a.low <= b.high, a.high > b.low);
    case KAL_OP_EQ: return equals(a, b);
    case KAL_OP_NE: return fails(equals(a, b));
    case KAL_OP_AND: return both(a, b);
    case KAL_OP_OR: return either(a, b);
    case KAL_OP_NOT: return fails(a);
    case KAL_OP_WHERE:  // may have no value at all
    case KAL_OP_SPLINE: // have bounds of their own
    case KAL_OP_SPLINE_KINK:
    case KAL_OP_SPLINE_JUMP:
    case KAL_OP_CONST: // are given, not computed
    case KAL_OP_SYMBOL:
    case KAL_OP_COUNT: break;
    }
    return everything;
}

// Piecewise operators pick or count and do not round; all others may.
static KalRange bound(uint32_t what, const Operands *o)
{
    if (what == KAL_DO_SUM) {
        return widen(add(o->a, o->b));
    }
    const KalRange r = bound_exactly((KalOp)what, o);
    assert(r.low <= r.high);
    const bool rounds = !kal_op_is_piecewise((KalOp)what) || what == KAL_OP_MOD;
    return rounds ? widen(r) : r;
}

// The slots of a program: ranges of variables and of what is computed of them, and before those
// the numbers that it was prepared with, of which only the ones that are read become ranges:
// there may be many more than the tape has instructions.
typedef struct Slots {
    const double *numbers;
    uint32_t n_numbers;
    KalRange *ranges;
} Slots;

// What a slot holds; everything where a number is none.
static KalRange read_slot(const Slots *slots, uint32_t slot)
{
    return slot < slots->n_numbers ? range(slots->numbers[slot], slots->numbers[slot])
                                   : slots->ranges[slot];
}

// What an instruction reads.  A square is a product of something with itself.
static Operands read_operands(uint32_t what, const KalOperands *at, const Slots *slots)
{
    assert(what < KAL_DO_COUNT);
    const bool two = what == KAL_DO_SUM || what == KAL_OP_SELECT
                     || (what < KAL_OP_COUNT && kal_op_arity((KalOp)what) == 2);
    Operands o = {.a = read_slot(slots, at[0].a), .n = (int32_t)at[0].b};
    if (two) {
        o.b = read_slot(slots, at[0].b & ~KAL_MINUS);
        o.b = what == KAL_DO_SUM && (at[0].b & KAL_MINUS) ? negate(o.b) : o.b;
    }
    if (what == KAL_OP_SELECT) {
        o.c = read_slot(slots, at[1].a);
    }
    return o;
}

// A function of a table; its bounds know of rounding.
static KalRange table(const KalSplineFunction *f, KalRange a)
{
    KalRange r = everything;
    kal_spline_bound(f, a.low, a.high, &r.low, &r.high);
    return range(r.low, r.high);
}

static void bound_run(const KalTapeRun *run, const KalOperands *operands,
                      const Slots *slots)
{
    const bool pair = run->what == KAL_DO_SIN_COS;
    const size_t width = kal_slots_of(run->what);
    for (uint32_t i = 0; i < run->count; i++) {
        const KalOperands *at = &operands[i * width];
        KalRange *out = &slots->ranges[run->first + i * width];
        assert(at->a < run->first + i * width); // operands come first
        if (pair) {
            out[0] = widen(sine(read_slot(slots, at->a)));
            out[1] = widen(cosine(read_slot(slots, at->a)));
        } else if (width == 2 && run->what != KAL_OP_SELECT) {
            *out = table(kal_operands_spline(&at[1]), read_slot(slots, at->a));
        } else if (run->what == KAL_OP_MUL && at->a == at->b) {
            *out = widen(positive_power(read_slot(slots, at->a), 2));
        } else {
            const Operands o = read_operands(run->what, at, slots);
            *out = bound(run->what, &o);
        }
    }
}

void kal_program_bound(const KalProgram *program, const KalRange *variables,
                       const double *work, KalRange *ranges, KalRange *out_ranges)
{
    assert(program->tapes[KAL_TAPE_EVAL].first
           == program->variables + program->n_variables);
    const KalTape *tape = &program->tapes[KAL_TAPE_EVAL];
    const KalTapeRun *runs = tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    const Slots slots = {
        .numbers = work, .n_numbers = program->variables, .ranges = ranges};
    for (size_t i = 0; i < program->n_variables; i++) {
        ranges[program->variables + i] = range(variables[i].low, variables[i].high);
    }
    for (size_t i = 0; i < n; i++) {
        bound_run(&runs[i], tape->operands + (runs[i].first - tape->first), &slots);
    }
    for (size_t i = 0; i < program->n_outputs; i++) {
        out_ranges[i] = read_slot(&slots, program->outputs[i]);
    }
}
