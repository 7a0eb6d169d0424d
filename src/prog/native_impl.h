// SPDX-License-Identifier: MIT

/// @file
/// Machine code in the making: what native.c, which writes instructions, and registers.c, which
/// knows where their operands are, share.

#ifndef PROG_NATIVE_IMPL_H
#define PROG_NATIVE_IMPL_H

#include "prog/emit.h"
#include "prog/native.h"
#include "prog/schedule.h"

enum {
    KAL_NATIVE_SPARE = 13,  ///< and two after it: no value lives there
    KAL_NATIVE_NARROW = 16, ///< registers that there are
    KAL_NATIVE_WIDEST = 32, ///< with 512 bits
    KAL_NO_REGISTER = 255,
    KAL_NATIVE_MIDDLE =
        128, ///< constant that their base points to: most displacements are short
};

#define KAL_NATIVE_NOBODY   UINT32_MAX
#define KAL_NATIVE_BORROWED (UINT32_MAX - 1) ///< by an operand that lives in memory
#define KAL_NATIVE_NEVER    UINT32_MAX

/// Where a value is.
typedef struct KalNativeValue {
    uint32_t next_use; ///< place in schedule.uses
    uint32_t home;     ///< its slot in memory, while `stored`
    uint8_t reg;
    bool stored; ///< it is in its slot
} KalNativeValue;

typedef struct KalNativeWriter {
    const KalProgram *program;
    const KalTape *tape;
    KalSchedule schedule;
    KalEmitter emitter;
    KalNativeValue *values; ///< n_slots
    uint32_t *first_output; ///< n_slots: 1 + the first output that is this value, or 0
    uint32_t *next_output;  ///< n_outputs: 1 + the next, or 0
    uint32_t *homes;        ///< n_slots: homes that were given back
    uint32_t n_free;        ///< how many of these may be taken
    uint32_t n_freed;       ///< how many more may be from the next item on
    uint32_t n_homes;       ///< homes that were taken so far
    uint32_t owners[KAL_NATIVE_WIDEST];
    uint32_t locked; ///< registers that operands are held in, by bits
    uint32_t now;    ///< item
    KalBase variables;
    KalBase modes;
    KalBase work;
    KalBase outputs;
    int32_t width; ///< bytes of a slot
    bool dense;    ///< constants are read one by one, from the program
    KalNativeWidth numbers;
} KalNativeWriter;

/// A number in memory.
KalEmitSource kal_native_in_memory(const KalNativeWriter *w, KalBase base,
                                   uint32_t index);

/// Where a slot is in memory.
KalEmitSource kal_native_slot(const KalNativeWriter *w, uint32_t slot);

/// Where the value of a slot is now.
KalEmitSource kal_native_locate(const KalNativeWriter *w, uint32_t slot);

/// Write a value to its slot, once.
void kal_native_store(KalNativeWriter *w, uint32_t place);

/// A value that is dead or stored gives up its register.
void kal_native_leave(KalNativeWriter *w, uint32_t place);

/// A register that is free, or is made free; operands that are held keep theirs.
uint8_t kal_native_take_register(KalNativeWriter *w);

/// The item at hand reads all operands of an instruction; values that nobody reads any more
/// leave.
void kal_native_consume(KalNativeWriter *w, uint32_t place);

/// The value of a place is in a register now: write it out, and keep it while it has uses.
void kal_native_define(KalNativeWriter *w, uint32_t place, uint8_t reg);

/// The register of a number, which is fetched to a spare one if it has none.
uint8_t kal_native_fetch(KalNativeWriter *w, KalEmitSource a);

#endif
