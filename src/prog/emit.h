// SPDX-License-Identifier: MIT

/// @file
/// An assembler for what programs need: x86-64 with AVX2 or, for lanes, AVX-512 with DQ (Intel's
/// manual, volume 2).
///
/// All arithmetic is VEX or EVEX encoded: three operands, none destroyed.  An emitter writes
/// scalar instructions or those for four or eight lanes; who calls it need not care.

#ifndef PROG_EMIT_H
#define PROG_EMIT_H

#include "base/block.h"

#include <stdbool.h>
#include <stdint.h>

/// General registers, by their number in instructions.
typedef enum KalBase {
    KAL_RAX = 0,
    KAL_RCX = 1,
    KAL_RDX = 2,
    KAL_RBX = 3,
    KAL_RBP = 5,
    KAL_RSI = 6,
    KAL_RDI = 7,
    KAL_R8 = 8,
    KAL_R9 = 9,
    KAL_R14 = 14,
    KAL_R15 = 15,
} KalBase;

/// What an instruction reads at its end: a vector register, or numbers in memory.
typedef struct KalEmitSource {
    bool memory;
    bool alike;           ///< in memory, the number of the first lane is that of all
    uint8_t reg;          ///< the vector register
    KalBase base;         ///< the register that an address begins with
    int32_t displacement; ///< in bytes
} KalEmitSource;

/// Arithmetic, by the byte that encodes it.
typedef enum KalEmitArithmetic {
    KAL_EMIT_SQRT = 0x51, ///< of the source; the first operand is copied to other lanes
    KAL_EMIT_ADD = 0x58,
    KAL_EMIT_MUL = 0x59,
    KAL_EMIT_SUB = 0x5c,
    KAL_EMIT_MIN = 0x5d, ///< the source, unless the first operand is smaller
    KAL_EMIT_DIV = 0x5e,
    KAL_EMIT_MAX = 0x5f, ///< the source, unless the first operand is larger
} KalEmitArithmetic;

/// Bit by bit; the source is a register, or all of its 16 (32) bytes are there to read.
typedef enum KalLogic {
    KAL_EMIT_AND = 0x54,
    KAL_EMIT_AND_NOT = 0x55, ///< not the first, and the source
    KAL_EMIT_OR = 0x56,
    KAL_EMIT_XOR = 0x57,
} KalLogic;

/// Comparisons, whose result is all bits or none; where an operand is NaN, as C has it.
typedef enum KalEmitCompare {
    KAL_EMIT_EQ = 0,
    KAL_EMIT_LT = 1,
    KAL_EMIT_LE = 2,
    KAL_EMIT_UNORDERED = 3,
    KAL_EMIT_NE = 4,
    KAL_EMIT_APART = 12, ///< both are numbers, and not equal
} KalEmitCompare;

typedef struct KalEmitter {
    KalContext *ctx;
    KalBlock bytes;
    bool lanes;
    bool widest;      ///< of 512 bits and 32 registers, in lanes only
    KalStatus status; ///< the first failure; nothing is written after it
} KalEmitter;

static inline KalEmitSource kal_in_register(uint8_t reg)
{
    return (KalEmitSource){.reg = reg};
}

void kal_emit_arithmetic(KalEmitter *e, KalEmitArithmetic what, uint8_t to,
                         uint8_t first, KalEmitSource source);
void kal_emit_logic(KalEmitter *e, KalLogic what, uint8_t to, uint8_t first,
                    KalEmitSource source);
void kal_emit_compare(KalEmitter *e, KalEmitCompare what, uint8_t to, uint8_t first,
                      KalEmitSource source);

/// A comparison for those below, with one at a time; with 512 bits `mask` stays as it is.
void kal_emit_test(KalEmitter *e, KalEmitCompare what, uint8_t mask, uint8_t first,
                   KalEmitSource source);
/// Set all bits where the test holds.
void kal_emit_mark(KalEmitter *e, uint8_t to, uint8_t mask);
/// Where the test holds, `yes`, else `no`.
void kal_emit_choose(KalEmitter *e, uint8_t to, uint8_t mask, uint8_t yes, uint8_t no);

void kal_emit_load(KalEmitter *e, uint8_t to, KalEmitSource source);
void kal_emit_store(KalEmitter *e, uint8_t from, KalEmitSource memory);

/// Save the registers that a function keeps for its caller and that kal_emit_call() leaves
/// alone: rbx, rbp, r14, r15; and fetch them back.
void kal_emit_save(KalEmitter *e);
void kal_emit_restore(KalEmitter *e);

void kal_emit_copy(KalEmitter *e, KalBase to, KalBase from);
void kal_emit_address(KalEmitter *e, KalBase to, KalBase base, int32_t displacement);
void kal_emit_number(KalEmitter *e, KalBase to, uint64_t number);

/// Call what rax points to.
void kal_emit_call(KalEmitter *e);
void kal_emit_return(KalEmitter *e);

#endif
