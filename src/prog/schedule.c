// SPDX-License-Identifier: MIT

// A depth-first order of the tape (Aho, Lam, Sethi, Ullman, Compilers, 8.5), on a stack of its
// own.  Calls come as early as they can, run by run, since all registers are lost in one;
// everything else comes as late as possible before its first use.
//
// Invariant: when a place is listed all that it reads is listed before it, so that
// `first_use` and `uses`, made by counting in two passes, rise for each place.

#include "prog/schedule.h"

#include <assert.h>
#include <string.h>

// A place on the way down, and how many of its operands were visited.
typedef struct Visit {
    uint32_t place;
    int done;
} Visit;

typedef struct Scheduler {
    const KalTape *tape;
    KalSchedule *schedule;
    bool *known; // places that are on the list
    Visit *stack;
} Scheduler;

bool kal_is_called(uint32_t what)
{
    return what == KAL_DO_SIN_COS
           || (what < KAL_OP_COUNT
               && kal_op_machine((KalOp)what) == KAL_MACHINE_CALLED);
}

// What each place is computed by; of two slots of one instruction both have its kind.
static void name_places(const KalTape *tape, uint8_t *what)
{
    const KalTapeRun *runs = tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    for (size_t i = 0; i < n; i++) {
        const uint32_t count = runs[i].count * kal_slots_of(runs[i].what);
        memset(what + (runs[i].first - tape->first), (int)runs[i].what, count);
    }
}

// The first operand, from visit->done on, that is not known yet; returns whether there is one.
static bool find_unknown(const Scheduler *s, Visit *visit, uint32_t *out_place)
{
    assert(visit->place < s->tape->n_slots && visit->done >= 0);
    const int n = kal_operands_of(s->schedule->what[visit->place]);
    while (visit->done < n) {
        const uint32_t slot = kal_operand_slot(s->tape, visit->place, visit->done++);
        if (slot >= s->tape->first && !s->known[slot - s->tape->first]) {
            *out_place = slot - s->tape->first;
            return true;
        }
    }
    return false;
}

// List what a slot is made of, operands first, and itself.
static void list(Scheduler *s, uint32_t slot)
{
    if (slot < s->tape->first || s->known[slot - s->tape->first]) {
        return;
    }
    uint32_t depth = 0;
    s->stack[depth++] = (Visit){slot - s->tape->first, 0};
    while (depth > 0) {
        Visit *visit = &s->stack[depth - 1];
        uint32_t place;
        if (find_unknown(s, visit, &place)) {
            assert(depth < s->tape->n_slots);
            s->stack[depth++] = (Visit){place, 0};
        } else {
            assert(!kal_is_called(s->schedule->what[visit->place]));
            s->known[visit->place] = true;
            assert(s->schedule->n_items < s->tape->n_slots);
            s->schedule->items[s->schedule->n_items++] = visit->place;
            depth--;
        }
    }
}

// List what a run needs, and the call.
static void list_call(Scheduler *s, uint32_t number, const KalTapeRun *run)
{
    assert(kal_is_called(run->what) && !(number & KAL_ITEM_CALL));
    const uint32_t first = run->first - s->tape->first;
    const uint32_t width = kal_slots_of(run->what);
    memset(s->known + first, true, (size_t)run->count * width); // may use each other
    for (uint32_t i = 0; i < run->count; i++) {
        for (int k = 0; k < kal_operands_of(run->what); k++) {
            list(s, kal_operand_slot(s->tape, first + i * width, k));
        }
    }
    s->schedule->items[s->schedule->n_items++] = KAL_ITEM_CALL | number;
    s->schedule->calls = true;
}

// Calls in the order of the tape, then what the outputs need.
static void list_all(Scheduler *s, const KalProgram *program)
{
    const KalTapeRun *runs = s->tape->runs.data;
    const uint32_t n = (uint32_t)(s->tape->runs.size / sizeof *runs);
    for (uint32_t i = 0; i < n; i++) {
        if (kal_is_called(runs[i].what)) {
            list_call(s, i, &runs[i]);
        }
    }
    for (size_t i = 0; i < program->n_outputs; i++) {
        list(s, program->outputs[i]);
    }
}

// Do something with each place that an item reads.
typedef void (*Reader)(KalSchedule *schedule, uint32_t place, uint32_t item);

// The places among the operands of one instruction; constants and variables are none.
static void read_operands(KalSchedule *schedule, const KalTape *tape, uint32_t place,
                          uint32_t item, Reader reader)
{
    assert(place < tape->n_slots);
    for (int k = 0; k < kal_operands_of(schedule->what[place]); k++) {
        const uint32_t slot = kal_operand_slot(tape, place, k);
        if (slot >= tape->first) {
            reader(schedule, slot - tape->first, item);
        }
    }
}

// All items in order; a call reads what all of its instructions read.
static void read_items(KalSchedule *schedule, const KalTape *tape, Reader reader)
{
    const KalTapeRun *runs = tape->runs.data;
    for (uint32_t i = 0; i < schedule->n_items; i++) {
        if (!(schedule->items[i] & KAL_ITEM_CALL)) {
            read_operands(schedule, tape, schedule->items[i], i, reader);
            continue;
        }
        const KalTapeRun *run = &runs[schedule->items[i] & ~KAL_ITEM_CALL];
        for (uint32_t k = 0; k < run->count; k++) {
            const uint32_t place =
                run->first - tape->first + k * kal_slots_of(run->what);
            read_operands(schedule, tape, place, i, reader);
        }
    }
}

// First pass: how often a place is read, in the entry behind its own.
static void count_use(KalSchedule *schedule, uint32_t place, uint32_t item)
{
    (void)item;
    schedule->first_use[place + 1]++;
}

// Second pass: first_use of a place moves on while its uses are filled in.
static void add_use(KalSchedule *schedule, uint32_t place, uint32_t item)
{
    schedule->uses[schedule->first_use[place]++] = item;
}

// Counts become places where lists begin; filling moves each to where the next begins, so
// that all are moved back by one in the end.
static void find_uses(KalSchedule *schedule, const KalTape *tape)
{
    uint32_t *first = schedule->first_use;
    read_items(schedule, tape, count_use);
    for (uint32_t i = 0; i < tape->n_slots; i++) {
        first[i + 1] += first[i];
    }
    read_items(schedule, tape, add_use);
    assert(first[tape->n_slots] <= 3 * tape->n_slots);        // three operands at most
    memmove(first + 1, first, tape->n_slots * sizeof *first); // where the next began
    first[0] = 0;
}

KalStatus kal_schedule_init(const KalProgram *program, KalSchedule *schedule)
{
    KalContext *ctx = program->ctx;
    const KalTape *tape = &program->tapes[KAL_TAPE_EVAL];
    const size_t n = tape->n_slots;
    // For items, first_use, uses and what.
    const size_t words = n + (n + 1) + 3 * n + n;
    *schedule = (KalSchedule){.block = kal_alloc(ctx, words, sizeof(uint32_t))};
    schedule->block_size = words * sizeof(uint32_t);
    Scheduler s = {tape, schedule, kal_alloc(ctx, n + 1, sizeof(bool)),
                   kal_alloc(ctx, n + 1, sizeof(Visit))};
    const bool fits = schedule->block && s.known && s.stack;
    if (fits) {
        schedule->items = schedule->block;
        schedule->first_use = schedule->items + n;
        schedule->uses = schedule->first_use + n + 1;
        schedule->what = (uint8_t *)(schedule->uses + 3 * n);
        name_places(tape, schedule->what);
        list_all(&s, program);
        find_uses(schedule, tape);
    }
    kal_free(ctx, s.known, (n + 1) * sizeof(bool));
    kal_free(ctx, s.stack, (n + 1) * sizeof(Visit));
    return fits ? KAL_OK : kal_no_memory(ctx, "to compile formulas");
}

void kal_schedule_clear(KalContext *ctx, KalSchedule *schedule)
{
    kal_free(ctx, schedule->block, schedule->block ? schedule->block_size : 0);
}
