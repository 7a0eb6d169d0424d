// SPDX-License-Identifier: MIT

// Where values are while machine code of a tape is written (prog/native.c).
//
// Registers are given out as Belady would: when all are taken, the value whose next use is
// farthest goes to a slot in work memory (L. A. Belady, IBM Systems Journal 5, 1966).
// What is there already, such as constants and variables, is read from there by the
// instruction that needs it.

#include "prog/native_impl.h"

#include <assert.h>

KalEmitSource kal_native_in_memory(const KalNativeWriter *w, KalBase base,
                                   uint32_t index)
{
    assert(index <= (uint32_t)INT32_MAX / (uint32_t)w->width);
    return (KalEmitSource){
        .memory = true, .base = base, .displacement = (int32_t)index * w->width};
}

// Variables are where the caller has them, all else in work memory; constants are alike in lanes.
KalEmitSource kal_native_slot(const KalNativeWriter *w, uint32_t slot)
{
    assert(slot < w->program->n_slots);
    const KalProgram *p = w->program;
    if (slot >= w->tape->first) {
        return kal_native_in_memory(w, w->work, w->values[slot - w->tape->first].home);
    }
    if (slot < p->n_constants && w->dense) {
        const int32_t place = (int32_t)slot - KAL_NATIVE_MIDDLE;
        return (KalEmitSource){.memory = true,
                               .alike = true,
                               .base = KAL_R8,
                               .displacement = place * (int32_t)sizeof(double)};
    }
    KalEmitSource source =
        slot >= p->variables
            ? kal_native_in_memory(w, w->variables, slot - p->variables)
            : kal_native_in_memory(w, w->work, slot);
    source.alike = slot < p->n_constants;
    return source;
}

// Where the value of a slot is now.
KalEmitSource kal_native_locate(const KalNativeWriter *w, uint32_t slot)
{
    if (slot >= w->tape->first) {
        const KalNativeValue *value = &w->values[slot - w->tape->first];
        if (value->reg != KAL_NO_REGISTER) {
            return kal_in_register(value->reg);
        }
        assert(value->stored);
    }
    return kal_native_slot(w, slot);
}

// The next item that reads a value.
static uint32_t next_use(const KalNativeWriter *w, uint32_t place)
{
    const uint32_t use = w->values[place].next_use;
    return use < w->schedule.first_use[place + 1] ? w->schedule.uses[use]
                                                  : KAL_NATIVE_NEVER;
}

// A slot for a value: what is called reads and writes those of the tape; else as few are taken as
// will do, so that they stay in the processor's cache and near the beginning.
static void take_home(KalNativeWriter *w, uint32_t place)
{
    if (w->schedule.calls) {
        return;
    }
    if (w->n_free == 0) {
        w->values[place].home = w->tape->first + w->n_homes++;
        return;
    }
    w->values[place].home = w->homes[--w->n_free];
    if (w->n_freed > 0) {
        w->homes[w->n_free] = w->homes[w->n_free + w->n_freed];
    }
}

// Nobody reads a value any more but the item at hand, which may do so from its slot.
static void give_home(KalNativeWriter *w, uint32_t place)
{
    if (w->values[place].stored && !w->schedule.calls) {
        w->homes[w->n_free + w->n_freed++] = w->values[place].home;
        w->values[place].stored = false;
    }
}

// Write a value to its slot, once.
void kal_native_store(KalNativeWriter *w, uint32_t place)
{
    KalNativeValue *value = &w->values[place];
    assert(value->stored || value->reg != KAL_NO_REGISTER);
    if (!value->stored) {
        take_home(w, place);
        kal_emit_store(&w->emitter, value->reg,
                       kal_native_slot(w, w->tape->first + place));
        value->stored = true;
    }
}

// A value that is dead or stored gives up its register.
void kal_native_leave(KalNativeWriter *w, uint32_t place)
{
    assert(w->owners[w->values[place].reg] == place);
    w->owners[w->values[place].reg] = KAL_NATIVE_NOBODY;
    w->values[place].reg = KAL_NO_REGISTER;
}

// A register that is free, or is made free; operands that are held keep theirs.
uint8_t kal_native_take_register(KalNativeWriter *w)
{
    int farthest = KAL_NO_REGISTER;
    uint32_t last = 0;
    for (int r = 0; r < (w->emitter.widest ? KAL_NATIVE_WIDEST : KAL_NATIVE_NARROW);
         r++) {
        if ((r >= KAL_NATIVE_SPARE && r < KAL_NATIVE_NARROW) || w->locked >> r & 1) {
            continue;
        }
        if (w->owners[r] == KAL_NATIVE_NOBODY) {
            return (uint8_t)r;
        }
        const uint32_t use = next_use(w, w->owners[r]);
        if (farthest == KAL_NO_REGISTER || use > last) {
            farthest = r;
            last = use;
        }
    }
    assert(farthest != KAL_NO_REGISTER); // at most three are locked
    kal_native_store(w, w->owners[farthest]);
    kal_native_leave(w, w->owners[farthest]);
    return (uint8_t)farthest;
}

// Operand k is read by the item at hand; values that nobody reads any more leave.
static void consume(KalNativeWriter *w, uint32_t place, int k)
{
    const uint32_t slot = kal_operand_slot(w->tape, place, k);
    if (slot < w->tape->first) {
        return;
    }
    const uint32_t operand = slot - w->tape->first;
    KalNativeValue *value = &w->values[operand];
    while (next_use(w, operand) <= w->now) {
        value->next_use++;
    }
    if (next_use(w, operand) == KAL_NATIVE_NEVER) {
        if (value->reg != KAL_NO_REGISTER) {
            kal_native_leave(w, operand);
        }
        give_home(w, operand);
    }
}

// All operands of an instruction.
void kal_native_consume(KalNativeWriter *w, uint32_t place)
{
    for (int k = 0; k < kal_operands_of(w->schedule.what[place]); k++) {
        consume(w, place, k);
    }
}

// The value of a place is in a register now: write it out, and keep it while it has uses.
void kal_native_define(KalNativeWriter *w, uint32_t place, uint8_t reg)
{
    assert(w->owners[reg] == KAL_NATIVE_NOBODY
           && w->values[place].reg == KAL_NO_REGISTER);
    for (uint32_t i = w->first_output[place]; i != 0; i = w->next_output[i - 1]) {
        kal_emit_store(&w->emitter, reg, kal_native_in_memory(w, w->outputs, i - 1));
    }
    if (next_use(w, place) != KAL_NATIVE_NEVER) {
        w->owners[reg] = place;
        w->values[place].reg = reg;
    }
}

// The register of a number, which is fetched to a spare one if it has none.
uint8_t kal_native_fetch(KalNativeWriter *w, KalEmitSource a)
{
    if (a.memory) {
        kal_emit_load(&w->emitter, KAL_NATIVE_SPARE, a);
    }
    return a.memory ? KAL_NATIVE_SPARE : a.reg;
}
