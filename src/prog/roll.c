// SPDX-License-Identifier: MIT

// Long programs, rolled up.  A model of N parts that are alike has the same formulas N times,
// and the compiler puts what is computed in the same way side by side.  Then operands are evenly
// spaced: instead of N pairs of slots a few numbers say where they are, and neither operands nor
// machine code need be read from memory, which is what takes the time where N is large.  Results
// go round: those of one part, then those of the next, each so many slots further on.
//
// Where spacing changes, as it does at the ends of windows and where parts differ, something new
// begins; what goes on for less than SHORTEST instructions or rounds is looked up as ever.
//
// Invariant: operands of even instructions stand before all that these write, so that any number of
// them can be computed at once.

#include "prog/program_impl.h"

#include <assert.h>
#include <string.h>

enum {
    LONG_PROGRAM = 1 << 14, // operations, from which on machine code leaves the caches
    SHORTEST = 8,           // instructions, or rounds, that are worth a start
    MOST_PERIOD = 32,       // results in a round
    ROUNDS_AT_ONCE = 64     // so that what is written stays in the first cache
};

static const char PURPOSE[] = "to compile formulas";

// How many of the next instructions, `most` at most, have operands evenly spaced that are there
// before the first of them.
static uint32_t count_even(const KalOperands *at, uint32_t width, uint32_t most,
                           uint32_t first)
{
    const int64_t by_a = most > 1 ? (int64_t)at[width].a - at[0].a : 0;
    const int64_t by_b = most > 1 ? (int64_t)at[width].b - at[0].b : 0;
    uint32_t n = 0;
    for (; n < most; n++) {
        const KalOperands *next = &at[(size_t)n * width];
        const bool even =
            next->a == at[0].a + n * by_a && next->b == at[0].b + n * by_b;
        if (!even || next->a >= first || (next->b & ~KAL_MINUS) >= first) {
            break;
        }
    }
    return n;
}

static KalStatus add_even(const KalProgram *p, KalRoll *roll, const KalEven *even)
{
    const size_t n = roll->even.size / sizeof(KalEven);
    KalEven *last = n > 0 ? (KalEven *)roll->even.data + n - 1 : NULL;
    if (even->listed && last && last->listed && last->what == even->what
        && last->first + last->count * kal_slots_of(even->what) == even->first) {
        last->count += even->count;
        return KAL_OK;
    }
    return kal_block_add(p->ctx, &roll->even, even, sizeof *even) == KAL_OK
               ? KAL_OK
               : kal_no_memory(p->ctx, PURPOSE);
}

// Cut a run into what is even and what is not; counts slots that are even.
static KalStatus roll_run(const KalProgram *p, const KalTapeRun *run, KalRoll *roll,
                          size_t *even_slots)
{
    const KalTape *tape = &p->tapes[KAL_TAPE_EVAL];
    const uint32_t width = kal_slots_of(run->what);
    for (uint32_t i = 0; i < run->count;) {
        const uint32_t first = run->first + i * width;
        const KalOperands *at = tape->operands + (first - tape->first);
        const uint32_t n = p->loops->even[run->what]
                               ? count_even(at, width, run->count - i, first)
                               : 0;
        KalEven even = {.what = run->what, .count = 1, .first = first, .listed = true};
        if (n >= SHORTEST) {
            even = (KalEven){.what = run->what,
                             .count = n,
                             .first = first,
                             .a = at[0].a,
                             .b = at[0].b,
                             .by_a = (int32_t)((int64_t)at[width].a - at[0].a),
                             .by_b = (int32_t)((int64_t)at[width].b - at[0].b)};
            *even_slots += (size_t)n * width;
        }
        KAL_TRY(add_even(p, roll, &even));
        i += even.count;
    }
    return KAL_OK;
}

// How many rounds of a period the results from here on make; the first two always do.
static uint32_t count_rounds(const uint32_t *slots, size_t left, uint32_t period)
{
    assert(period > 0 && 2 * (size_t)period <= left);
    size_t i = 2 * (size_t)period;
    while (i < left
           && (int64_t)slots[i] - slots[i - period]
                  == (int64_t)slots[i - period] - slots[i - 2 * (size_t)period]) {
        i++;
    }
    return (uint32_t)(i / period);
}

// The period that leads furthest.
static KalPut find_rounds(const KalProgram *p, uint32_t first)
{
    const size_t left = p->n_outputs - first;
    KalPut best = {.first = first, .rounds = 1};
    size_t most = 0;
    for (uint32_t period = 1; period <= MOST_PERIOD && 2 * (size_t)period <= left;
         period++) {
        const uint32_t rounds = count_rounds(p->outputs + first, left, period);
        if (rounds >= SHORTEST && (size_t)rounds * period > most + period) {
            most = (size_t)rounds * period;
            best.rounds = rounds;
            best.period = period;
        }
    }
    return best;
}

// Outputs in rounds: a period of outputs, each of which takes its value a constant number
// of slots further on in the next round. Outputs outside of rounds are put together in
// lists with period 0.
static KalStatus roll_results(const KalProgram *p, KalRoll *roll)
{
    KalStatus status = KAL_OK;
    for (uint32_t i = 0; i < p->n_outputs && status == KAL_OK;) {
        KalPut put = find_rounds(p, i);
        put.way = (uint32_t)(roll->ways.size / sizeof(KalWay));
        const uint32_t *slots = p->outputs + i;
        for (uint32_t r = 0; r < put.period && status == KAL_OK; r++) {
            const KalWay way = {slots[r],
                                (int32_t)((int64_t)slots[put.period + r] - slots[r])};
            status = kal_block_add(p->ctx, &roll->ways, &way, sizeof way);
        }
        KalPut *last = (KalPut *)roll->puts.data + roll->puts.size / sizeof put;
        i += put.period > 0 ? put.period * put.rounds : 1;
        if (put.period == 0 && roll->puts.size > 0 && last[-1].period == 0) {
            last[-1].rounds++;
        } else if (status == KAL_OK) {
            status = kal_block_add(p->ctx, &roll->puts, &put, sizeof put);
        }
    }
    return status == KAL_OK ? KAL_OK : kal_no_memory(p->ctx, PURPOSE);
}

static KalStatus roll_up(const KalProgram *p, KalRoll *roll)
{
    const KalTape *tape = &p->tapes[KAL_TAPE_EVAL];
    const KalTapeRun *runs = (const KalTapeRun *)tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    size_t even_slots = 0;
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(roll_run(p, &runs[i], roll, &even_slots));
    }
    roll->used = even_slots >= tape->n_slots - tape->n_slots / 4;
    return roll->used ? roll_results(p, roll) : KAL_OK;
}

KalStatus kal_roll_init(const KalProgram *program, KalRoll *out_roll)
{
    assert(!out_roll->used && program->n_slots < KAL_MINUS);
    if (program->tapes[KAL_TAPE_EVAL].operations < LONG_PROGRAM) {
        return KAL_OK;
    }
    const KalStatus status = roll_up(program, out_roll);
    if (status != KAL_OK || !out_roll->used) {
        kal_roll_clear(program->ctx, out_roll);
    }
    return status;
}

void kal_roll_clear(KalContext *ctx, KalRoll *roll)
{
    kal_block_clear(ctx, &roll->even);
    kal_block_clear(ctx, &roll->puts);
    kal_block_clear(ctx, &roll->ways);
    roll->used = false;
}

static void compute(const KalProgram *p, double *work)
{
    const KalTape *tape = &p->tapes[KAL_TAPE_EVAL];
    const KalEven *even = (const KalEven *)p->roll.even.data;
    const KalEven *end = even + p->roll.even.size / sizeof *even;
    for (; even < end; even++) {
        double *out = work + even->first;
        if (even->listed) {
            p->loops->one[even->what](
                work, out, tape->operands + (even->first - tape->first), even->count);
            continue;
        }
        p->loops->even[even->what](
            (KalSpaced){work + even->a, even->by_a},
            (KalSpaced){work + (even->b & ~KAL_MINUS), even->by_b},
            (even->b & KAL_MINUS) != 0, out, even->count);
    }
}

// One result of each round.
static void put_way(const double *restrict from, int32_t by, double *restrict out,
                    uint32_t period, uint32_t rounds)
{
    for (uint32_t k = 0; k < rounds; k++) {
        out[(size_t)k * period] = from[(ptrdiff_t)k * by];
    }
}

static void put_rounds(const KalPut *put, const KalWay *ways, const double *work,
                       double *out)
{
    for (uint32_t k = 0; k < put->rounds; k += ROUNDS_AT_ONCE) {
        const uint32_t left = put->rounds - k;
        const uint32_t rounds = left < ROUNDS_AT_ONCE ? left : ROUNDS_AT_ONCE;
        double *to = out + put->first + (size_t)k * put->period;
        for (uint32_t r = 0; r < put->period; r++) {
            put_way(work + ways[r].slot + (ptrdiff_t)k * ways[r].by, ways[r].by, to + r,
                    put->period, rounds);
        }
    }
}

void kal_roll_eval(const KalProgram *program, double *work, double *out_values)
{
    assert(program->roll.used);
    const KalPut *put = (const KalPut *)program->roll.puts.data;
    const KalPut *end = put + program->roll.puts.size / sizeof *put;
    const KalWay *ways = (const KalWay *)program->roll.ways.data;
    compute(program, work);
    for (; put < end; put++) {
        for (uint32_t i = 0; put->period == 0 && i < put->rounds; i++) {
            out_values[put->first + i] = work[program->outputs[put->first + i]];
        }
        if (put->period > 0) {
            put_rounds(put, ways + put->way, work, out_values);
        }
    }
}
