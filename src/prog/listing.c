// SPDX-License-Identifier: MIT

// Tapes as instructions one by one.  What a tape has in the place of several operators
// (KAL_DO_…) becomes one of them again, with the same value to the bit.

#include "prog/listing.h"

#include "prog/program_impl.h"

#include <assert.h>

KalListing kal_program_listing(const KalProgram *program)
{
    const KalTape *first = &program->tapes[KAL_TAPE_PREPARE];
    const KalTape *second = &program->tapes[KAL_TAPE_EVAL];
    return (KalListing){.constants = program->constants,
                        .parameters = program->parameters,
                        .prepared = first->first,
                        .variables = program->variables,
                        .computed = second->first,
                        .count = program->n_slots,
                        .outputs = program->outputs,
                        .n_outputs = program->n_outputs};
}

// a + b, a − b, and −0.0 − b, which is −b.
static KalInstruction sum_of(KalOperands at)
{
    const uint32_t b = at.b & ~KAL_MINUS;
    const bool minus = (at.b & KAL_MINUS) != 0;
    if (minus && at.a == KAL_ZERO_SLOT) {
        return (KalInstruction){.op = KAL_OP_NEG, .operands = 1, .slot = {b}};
    }
    return (KalInstruction){
        .op = minus ? KAL_OP_SUB : KAL_OP_ADD, .operands = 2, .slot = {at.a, b}
    };
}

// A pair writes the sine first.
static KalInstruction wave_of(const KalOperands *at, uint32_t slot, bool cosine)
{
    return (KalInstruction){.op = cosine ? KAL_OP_COS : KAL_OP_SIN,
                            .operands = 1,
                            .slot = {at->a},
                            .mate = cosine ? slot - 1 : slot + 1};
}

static KalInstruction operator_of(uint32_t what, const KalOperands *at)
{
    KalInstruction i = {.op = (KalOp)what, .operands = kal_operands_of(what)};
    i.slot[0] = at[0].a;
    i.slot[1] = i.operands > 1 ? at[0].b : 0;
    i.slot[2] = i.operands > 2 ? at[1].a : 0;
    i.spline = kal_op_is_spline(i.op) ? kal_operands_spline(at + 1) : NULL;
    i.exponent = what == KAL_OP_POWI ? (int32_t)at[0].b : 0;
    return i;
}

KalInstruction kal_program_instruction(const KalProgram *program, uint32_t slot)
{
    const KalTape *tapes = program->tapes;
    const bool second = slot >= tapes[KAL_TAPE_EVAL].first;
    const KalTape *tape = &tapes[second ? KAL_TAPE_EVAL : KAL_TAPE_PREPARE];
    assert(slot >= tape->first && slot - tape->first < tape->n_slots);
    const KalTapeRun *run = kal_tape_find_run(tape, slot);
    const uint32_t into = (slot - run->first) % kal_slots_of(run->what);
    const KalOperands *at = tape->operands + (slot - into - tape->first);
    if (run->what == KAL_DO_SUM) {
        return sum_of(*at);
    }
    return run->what == KAL_DO_SIN_COS ? wave_of(at, slot, into == 1)
                                       : operator_of(run->what, at);
}
