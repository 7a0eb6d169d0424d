// SPDX-License-Identifier: MIT

// The loops of programs, one for every operator.  Each computes what its row in ops.def
// says and nothing else, so results are those of plain evaluation.  They write to work
// memory too: `out` is a part of `work`.

#include "expr/eval.h"
#include "prog/program_impl.h"

#include <math.h>
#include <string.h>

typedef void (*Loop)(const double *work, double *out, const KalOperands *operands,
                     size_t count);

#define KAL_OP(name, arity, kind, commutes, word, value, ...)           \
    static void do_##name(const double *work, double *out,              \
                          const KalOperands *operands, size_t count)    \
    {                                                                   \
        enum {                                                          \
            WIDTH = (arity) > 2 ? 2 : 1                                 \
        };                                                              \
        for (size_t i = 0; i < count; i++) {                            \
            const KalOperands *at = &operands[i * WIDTH];               \
            const double a = (arity) > 0 ? work[at[0].a] : 0.0;         \
            const double b = (arity) > 1 ? work[at[0].b] : 0.0;         \
            const double c = (arity) > 2 ? work[at[WIDTH - 1].a] : 0.0; \
            const int32_t n = (int32_t)at[0].b;                         \
            (void)a, (void)b, (void)c, (void)n;                         \
            out[i * WIDTH] = (value);                                   \
        }                                                               \
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

// Compilers that know a function for both use it; a test compares it with each alone.
static void do_sin_cos(const double *work, double *out, const KalOperands *operands,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double a = work[operands[2 * i].a];
        out[2 * i] = sin(a);
        out[2 * i + 1] = cos(a);
    }
}

// Of some operators, such as ADD, no tape has a run.
static const Loop loops[KAL_DO_COUNT] = {
#define KAL_OP(name, ...) do_##name,
#include "expr/ops.def"
#undef KAL_OP
    do_sin_cos,
    do_sum,
};

// Switches on given pieces.
typedef struct Frozen {
    const int32_t *places; // of the run at hand
    const double *modes;
} Frozen;

typedef void (*FrozenLoop)(const double *work, double *out, const KalOperands *operands,
                           size_t count, Frozen frozen);

// The piece that switch i of a run is on, or NaN.
static inline double mode_of(Frozen frozen, size_t i)
{
    const int32_t place = frozen.places[i];
    if (place == 0) {
        return NAN;
    }
    return place > 0 ? frozen.modes[place - 1] : -frozen.modes[-place - 1];
}

#define KAL_SWITCH(name, function, value)                                           \
    static void on_##name(const double *work, double *out,                          \
                          const KalOperands *operands, size_t count, Frozen frozen) \
    {                                                                               \
        for (size_t i = 0; i < count; i++) {                                        \
            const double m = mode_of(frozen, i);                                    \
            if (isnan(m)) {                                                         \
                do_##name(work, out + i, operands + i, 1);                          \
                continue;                                                           \
            }                                                                       \
            const double a = work[operands[i].a];                                   \
            const double b = work[operands[i].b];                                   \
            (void)a, (void)b;                                                       \
            out[i] = (value);                                                       \
        }                                                                           \
    }
#include "expr/switches.def"
#undef KAL_SWITCH

static const FrozenLoop frozen_loops[KAL_DO_COUNT] = {
#define KAL_SWITCH(name, function, value) [KAL_OP_##name] = on_##name,
#include "expr/switches.def"
#undef KAL_SWITCH
};

void kal_tape_run_on(const KalTape *tape, const int32_t *places, const double *modes,
                     double *work)
{
    const KalTapeRun *runs = tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = runs[i].first;
        const uint32_t at = first - tape->first;
        const FrozenLoop loop = frozen_loops[runs[i].what];
        if (loop) {
            loop(work, work + first, tape->operands + at, runs[i].count,
                 (Frozen){places + at, modes});
        } else {
            loops[runs[i].what](work, work + first, tape->operands + at, runs[i].count);
        }
    }
}

void kal_tape_run(const KalTape *tape, double *work)
{
    const KalTapeRun *runs = tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = runs[i].first;
        loops[runs[i].what](work, work + first, tape->operands + (first - tape->first),
                            runs[i].count);
    }
}
