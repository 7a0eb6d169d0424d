// SPDX-License-Identifier: MIT

// The loops of programs, one for every operator, and one more for lanes.  Each computes
// what its row in ops.def says and nothing else, so results are those of plain evaluation.
// They write to work memory too: `out` is a part of `work`.
//
// This file is compiled twice, the second time for processors with wide registers and with
// another name for its table.

#include "base/eight.h"
#include "expr/eval.h"
#include "prog/program_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#ifndef KAL_LOOPS
#define KAL_LOOPS kal_loops
#endif

_Static_assert(KAL_HALF == 4, "half the lanes are computed at once");

// Half the lanes of a slot.
KAL_INLINE KalFour fetch(const double *work, uint32_t slot)
{
    return *(const KalFourLoose *)(const void *)(work + (size_t)KAL_LANES * slot);
}

KAL_INLINE void keep(double *out, size_t slot, KalFour x)
{
    *(KalFourLoose *)(void *)(out + KAL_LANES * slot) = x;
}

#define KAL_OP(name, arity, kind, commutes, word, value, ...)                       \
    static void do_##name(const double *work, double *out,                          \
                          const KalOperands *operands, size_t count)                \
    {                                                                               \
        const size_t width = kal_slots_of(KAL_OP_##name);                           \
        for (size_t i = 0; i < count; i++) {                                        \
            const KalOperands *at = &operands[i * width];                           \
            const double a = (arity) > 0 ? work[at[0].a] : 0.0;                     \
            const double b = (arity) > 1 ? work[at[0].b] : 0.0;                     \
            const double c = (arity) > 2 ? work[at[width - 1].a] : 0.0;             \
            const int32_t n = (int32_t)at[0].b;                                     \
            const KalSplineFunction *const f = kal_operands_spline(&at[width - 1]); \
            (void)a, (void)b, (void)c, (void)n, (void)f;                            \
            out[i * width] = (value);                                               \
        }                                                                           \
    }                                                                               \
    static void half_##name(const double *work, double *out,                        \
                            const KalOperands *operands, size_t count)              \
    {                                                                               \
        const size_t width = kal_slots_of(KAL_OP_##name);                           \
        for (size_t i = 0; i < count; i++) {                                        \
            const KalOperands *at = &operands[i * width];                           \
            const KalFour x = (arity) > 0 ? fetch(work, at[0].a) : kal_all(0.0);    \
            const KalFour y = (arity) > 1 ? fetch(work, at[0].b) : kal_all(0.0);    \
            const KalFour z =                                                       \
                (arity) > 2 ? fetch(work, at[width - 1].a) : kal_all(0.0);          \
            const int32_t n = (int32_t)at[0].b;                                     \
            const KalSplineFunction *const f = kal_operands_spline(&at[width - 1]); \
            (void)f;                                                                \
            KalFour result;                                                         \
            for (int lane = 0; lane < KAL_HALF; lane++) {                           \
                const double a = x[lane];                                           \
                const double b = y[lane];                                           \
                const double c = z[lane];                                           \
                (void)a, (void)b, (void)c, (void)n;                                 \
                result[lane] = (value);                                             \
            }                                                                       \
            keep(out, i *width, result);                                            \
        }                                                                           \
    }
#include "expr/ops.def"
#undef KAL_OP

// a + b or a − b, which is a + (−b) to the bit.
static void do_sum(const double *work, double *out, const KalOperands *operands,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const KalOperands at = operands[i];
        uint64_t bits;
        double b;
        memcpy(&bits, &work[at.b & ~KAL_MINUS], sizeof bits);
        bits ^= (uint64_t)(at.b & KAL_MINUS) << 32;
        memcpy(&b, &bits, sizeof b);
        out[i] = work[at.a] + b;
    }
}

// The same for half the lanes.
static void half_sum(const double *work, double *out, const KalOperands *operands,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const KalOperands at = operands[i];
        const int64_t sign = (int64_t)((uint64_t)(at.b & KAL_MINUS) << 32);
        const KalFourBits b = (KalFourBits)fetch(work, at.b & ~KAL_MINUS);
        keep(out, i, fetch(work, at.a) + (KalFour)(b ^ sign));
    }
}

// How many of the next pairs, four at most, wait for none of the others.
static size_t count_ready(const KalOperands *operands, size_t left, size_t first_slot)
{
    assert(left > 0);
    size_t ready = 1;
    while (ready < 4 && ready < left && operands[2 * ready].a < first_slot) {
        ready++;
    }
    return ready;
}

// Write up to four pairs, straight from registers, each as it is complete.
static inline void keep_pairs(double *out, size_t count, KalFour sine, KalFour cosine)
{
    *(KalTwoLoose *)(void *)out = __builtin_shufflevector(sine, cosine, 0, 4);
    if (count > 1) {
        *(KalTwoLoose *)(void *)(out + 2) = __builtin_shufflevector(sine, cosine, 1, 5);
    }
    if (count > 2) {
        *(KalTwoLoose *)(void *)(out + 4) = __builtin_shufflevector(sine, cosine, 2, 6);
    }
    if (count > 3) {
        *(KalTwoLoose *)(void *)(out + 6) = __builtin_shufflevector(sine, cosine, 3, 7);
    }
}

// Two numbers of which the second may be wanted or not.
static inline KalTwo fetch_two(const double *work, const KalOperands *at, bool both)
{
    return (KalTwo){work[at[0].a], work[at[both ? 2 : 0].a]};
}

// Four arguments at a time, as far as they do not wait for each other's results; where there
// are fewer, some are the first once more.
static void do_sin_cos(const double *work, double *out, const KalOperands *operands,
                       size_t count)
{
    const size_t first = (size_t)(out - work);
    for (size_t i = 0; i < count;) {
        const KalOperands *at = operands + 2 * i;
        const size_t ready = count_ready(at, count - i, first + 2 * i);
        const KalTwo low = fetch_two(work, at, ready > 1);
        const KalTwo high = ready > 2 ? fetch_two(work, at + 4, ready > 3) : low;
        KalFour sine;
        KalFour cosine;
        kal_wave_four(__builtin_shufflevector(low, high, 0, 1, 2, 3), &sine, &cosine);
        assert(ready >= 1 && ready <= 4 && i + ready <= count);
        keep_pairs(out + 2 * i, ready, sine, cosine);
        i += ready;
    }
}

static void half_sin_cos(const double *work, double *out, const KalOperands *operands,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        KalFour sine;
        KalFour cosine;
        kal_wave_four(fetch(work, operands[2 * i].a), &sine, &cosine);
        keep(out, 2 * i, sine);
        keep(out, 2 * i + 1, cosine);
    }
}

// What operands evenly spaced are made of: those that stand side by side, or are the same
// throughout, four at a time.  Results stand behind all operands.
#define KAL_EVEN_LOOP(result)                             \
    do {                                                  \
        const double *restrict pa = a.at;                 \
        const double *restrict pb = b.at;                 \
        double *restrict to = out;                        \
        if (a.by == 1 && b.by == 1) {                     \
            for (size_t i = 0; i < count; i++) {          \
                const double x = pa[i];                   \
                const double y = pb[i];                   \
                to[i] = (result);                         \
            }                                             \
        } else if (a.by == 0 && b.by == 1) {              \
            const double x = *pa;                         \
            for (size_t i = 0; i < count; i++) {          \
                const double y = pb[i];                   \
                to[i] = (result);                         \
            }                                             \
        } else {                                          \
            for (size_t i = 0; i < count; i++) {          \
                const double x = pa[(ptrdiff_t)i * a.by]; \
                const double y = pb[(ptrdiff_t)i * b.by]; \
                to[i] = (result);                         \
            }                                             \
        }                                                 \
    } while (0)

static void even_MUL(KalSpaced a, KalSpaced b, bool negative, double *out, size_t count)
{
    (void)negative;
    KAL_EVEN_LOOP(x * y);
}

static void even_DIV(KalSpaced a, KalSpaced b, bool negative, double *out, size_t count)
{
    (void)negative;
    KAL_EVEN_LOOP(kal_quotient(x, y));
}

static void even_plus(KalSpaced a, KalSpaced b, double *out, size_t count)
{
    KAL_EVEN_LOOP(x + y);
}

static void even_minus(KalSpaced a, KalSpaced b, double *out, size_t count)
{
    KAL_EVEN_LOOP(x - y);
}

static void even_sum(KalSpaced a, KalSpaced b, bool negative, double *out, size_t count)
{
    (negative ? even_minus : even_plus)(a, b, out, count);
}

// Four arguments at a time, as the loops that are not spaced have them, so that the bits
// are the same.
static void even_sin_cos(KalSpaced a, KalSpaced b, bool negative, double *out,
                         size_t count)
{
    (void)b, (void)negative;
    for (size_t i = 0; i < count; i += 4) {
        const size_t n = count - i < 4 ? count - i : 4;
        const double *at = a.at + (ptrdiff_t)i * a.by;
        KalFour x = kal_all(*at);
        for (size_t lane = 1; lane < n; lane++) {
            x[lane] = at[(ptrdiff_t)lane * a.by];
        }
        KalFour sine;
        KalFour cosine;
        kal_wave_four(x, &sine, &cosine);
        keep_pairs(out + 2 * i, n, sine, cosine);
    }
}

// The piece that the switch in slot i of a run is on, or NaN.
static inline double mode_of(KalFrozen frozen, size_t i)
{
    const int32_t place = frozen.places[i];
    if (place == 0) {
        return NAN;
    }
    return place > 0 ? frozen.modes[place - 1] : -frozen.modes[-place - 1];
}

#define KAL_SWITCH(name, function, value)                                              \
    static void on_##name(const double *work, double *out,                             \
                          const KalOperands *operands, size_t count, KalFrozen frozen) \
    {                                                                                  \
        const size_t width = kal_slots_of(KAL_OP_##name);                              \
        for (size_t i = 0; i < count; i++) {                                           \
            const KalOperands *at = &operands[i * width];                              \
            const double m = mode_of(frozen, i * width);                               \
            if (isnan(m)) {                                                            \
                do_##name(work, out + i * width, at, 1);                               \
                continue;                                                              \
            }                                                                          \
            const double a = work[at[0].a];                                            \
            const double b = kal_op_arity(KAL_OP_##name) > 1 ? work[at[0].b] : 0.0;    \
            const KalSplineFunction *const f = kal_operands_spline(&at[width - 1]);    \
            (void)a, (void)b, (void)f;                                                 \
            out[i * width] = (value);                                                  \
        }                                                                              \
    }
#include "expr/switches.def"
#undef KAL_SWITCH

static const KalLoop one[KAL_DO_COUNT] = {
#define KAL_OP(name, ...) do_##name,
#include "expr/ops.def"
#undef KAL_OP
    do_sin_cos,
    do_sum,
};

static const KalEvenLoop even[KAL_DO_COUNT] = {
    [KAL_OP_MUL] = even_MUL,
    [KAL_OP_DIV] = even_DIV,
    [KAL_DO_SIN_COS] = even_sin_cos,
    [KAL_DO_SUM] = even_sum,
};

// All lanes: one half after the other.
#define KAL_WHOLE(name)                                                 \
    static void lanes_##name(const double *work, double *out,           \
                             const KalOperands *operands, size_t count) \
    {                                                                   \
        half_##name(work, out, operands, count);                        \
        half_##name(work + KAL_HALF, out + KAL_HALF, operands, count);  \
    }
#define KAL_OP(name, ...) KAL_WHOLE(name)
#include "expr/ops.def"
#undef KAL_OP
KAL_WHOLE(sin_cos)
KAL_WHOLE(sum)

static const KalLoop half[KAL_DO_COUNT] = {
#define KAL_OP(name, ...) half_##name,
#include "expr/ops.def"
#undef KAL_OP
    half_sin_cos,
    half_sum,
};

static const KalLoop lanes[KAL_DO_COUNT] = {
#define KAL_OP(name, ...) lanes_##name,
#include "expr/ops.def"
#undef KAL_OP
    lanes_sin_cos,
    lanes_sum,
};

static const KalFrozenLoop frozen_loops[KAL_DO_COUNT] = {
#define KAL_SWITCH(name, function, value) [KAL_OP_##name] = on_##name,
#include "expr/switches.def"
#undef KAL_SWITCH
};

const KalLoops KAL_LOOPS = {one, even, lanes, half, frozen_loops};
