// SPDX-License-Identifier: MIT

// Evaluation of programs: by machine code where there is some, else by the loops of the
// tapes.  Both give the same bits (tests/property), so that it does not matter which.
//
// Work memory belongs to the caller, a program itself never changes: any number of threads
// may evaluate one.

#include "prog/program.h"

#include "prog/program_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void kal_program_destroy(KalProgram *program)
{
    if (!program) {
        return;
    }
    KalContext *ctx = program->ctx;
    kal_roll_clear(ctx, &program->roll);
    kal_native_clear(&program->native);
    kal_native_clear(&program->native_lanes);
    for (int t = 0; t < KAL_TAPES; t++) {
        KalTape *tape = &program->tapes[t];
        kal_block_clear(ctx, &tape->runs);
        kal_free(ctx, tape->operands, tape->n_slots * sizeof *tape->operands);
    }
    kal_free(ctx, program->constants,
             program->n_constants * sizeof *program->constants);
    kal_free(ctx, program->nodes, program->n_slots * sizeof *program->nodes);
    kal_free(ctx, program->places,
             program->places
                 ? program->tapes[KAL_TAPE_EVAL].n_slots * sizeof *program->places
                 : 0);
    kal_free(ctx, program->no_modes, program->n_modes * sizeof *program->no_modes);
    kal_free(ctx, program->outputs, program->n_outputs * sizeof *program->outputs);
    kal_free(ctx, program, sizeof *program);
}

size_t kal_program_work(const KalProgram *program)
{
    return program->n_slots;
}

size_t kal_program_operations(const KalProgram *program)
{
    return program->tapes[KAL_TAPE_EVAL].operations;
}

size_t kal_program_preparations(const KalProgram *program)
{
    return program->tapes[KAL_TAPE_PREPARE].operations;
}

// Numbers that may be none.
static void copy(double *to, const double *from, size_t n)
{
    if (n > 0) { // else `from` may be NULL
        memcpy(to, from, n * sizeof *to);
    }
}

// Run by run; `width` numbers lie in each slot.
static void interpret(const KalTape *tape, const KalLoop *loops, size_t width,
                      double *work)
{
    assert(width == 1 || width == KAL_LANES);
    const KalTapeRun *runs = tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = runs[i].first;
        assert(runs[i].what < KAL_DO_COUNT && loops[runs[i].what]);
        loops[runs[i].what](work, work + width * first,
                            tape->operands + (first - tape->first), runs[i].count);
    }
}

// The same with switches on the pieces that modes give; NaN is as it comes.
static void interpret_on(const KalProgram *program, const double *modes, double *work)
{
    assert(modes && program->places);
    const KalTape *tape = &program->tapes[KAL_TAPE_EVAL];
    const KalTapeRun *runs = tape->runs.data;
    const size_t n = tape->runs.size / sizeof *runs;
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = runs[i].first;
        const uint32_t at = first - tape->first;
        const KalFrozenLoop loop = program->loops->frozen[runs[i].what];
        if (loop) {
            loop(work, work + first, tape->operands + at, runs[i].count,
                 (KalFrozen){program->places + at, modes});
        } else {
            program->loops->one[runs[i].what](work, work + first, tape->operands + at,
                                              runs[i].count);
        }
    }
}

void kal_program_prepare(const KalProgram *program, const double *parameters,
                         double *work)
{
    assert(work);
    copy(work, program->constants, program->n_constants);
    copy(work + program->parameters, parameters, program->n_parameters);
    interpret(&program->tapes[KAL_TAPE_PREPARE], program->loops->one, 1, work);
}

void kal_program_eval(const KalProgram *program, const double *variables, double *work,
                      double *out_values)
{
    kal_program_eval_on(program, variables, NULL, work, out_values);
}

// Machine code if there is some, else the rolled-up program, else the tape; a mode needs
// the tape with the places of its switches.
void kal_program_eval_on(const KalProgram *program, const double *variables,
                         const double *modes, double *work, double *out_values)
{
    assert(work);
    if (program->native.code) {
        program->native.code(variables, modes ? modes : program->no_modes, work,
                             out_values);
        return;
    }
    copy(work + program->variables, variables, program->n_variables);
    if (program->roll.used && !(modes && program->places)) {
        kal_roll_eval(program, work, out_values);
        return;
    }
    if (modes && program->places) {
        interpret_on(program, modes, work);
    } else {
        interpret(&program->tapes[KAL_TAPE_EVAL], program->loops->one, 1, work);
    }
    for (size_t i = 0; i < program->n_outputs; i++) {
        out_values[i] = work[program->outputs[i]];
    }
}

void kal_program_prepare_lanes(const KalProgram *program, const double *parameters,
                               double *work)
{
    assert(work);
    for (size_t i = 0; i < program->n_constants; i++) {
        for (size_t lane = 0; lane < KAL_LANES; lane++) {
            work[KAL_LANES * i + lane] = program->constants[i];
        }
    }
    copy(work + (size_t)KAL_LANES * program->parameters, parameters,
         KAL_LANES * program->n_parameters);
    interpret(&program->tapes[KAL_TAPE_PREPARE], program->loops->lanes, KAL_LANES,
              work);
}

// All that stands before the variables.
void kal_program_put_lane(const KalProgram *program, const double *work, int lane,
                          double *lanes_work)
{
    for (size_t i = 0; i < program->variables; i++) {
        lanes_work[KAL_LANES * i + (size_t)lane] = work[i];
    }
}

// KAL_LANES states side by side; code for registers of half the width goes over them
// twice.
void kal_program_eval_lanes(const KalProgram *program, const double *variables,
                            double *work, double *out_values)
{
    assert(work);
    if (program->native_lanes.code) {
        const KalNative *native = &program->native_lanes;
        native->code(variables, NULL, work, out_values);
        if (native->width == KAL_NATIVE_HALF) {
            native->code(variables + KAL_HALF, NULL, work + KAL_HALF,
                         out_values + KAL_HALF);
        }
        return;
    }
    copy(work + (size_t)KAL_LANES * program->variables, variables,
         KAL_LANES * program->n_variables);
    interpret(&program->tapes[KAL_TAPE_EVAL], program->loops->lanes, KAL_LANES, work);
    for (size_t i = 0; i < program->n_outputs; i++) {
        copy(out_values + KAL_LANES * i, work + (size_t)KAL_LANES * program->outputs[i],
             KAL_LANES);
    }
}

// Finding a fault: from an output without a finite value down to an operand without one,
// and so on, until all operands have one.

const KalTapeRun *kal_tape_find_run(const KalTape *tape, uint32_t slot)
{
    assert(tape->runs.size > 0 && slot >= tape->first);
    const KalTapeRun *runs = tape->runs.data;
    size_t low = 0;
    size_t high = tape->runs.size / sizeof *runs - 1;
    while (low < high) {
        // runs[low] begins at or before the slot; what is behind `high` begins after it.
        const size_t middle = high - (high - low) / 2;
        if (runs[middle].first <= slot) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    assert(runs[low].first <= slot);
    return &runs[low];
}

// The operand to blame for the value in a slot of the tape; the slot itself if none is.
static uint32_t find_culprit(const KalTape *tape, uint32_t slot, const double *work)
{
    assert(slot >= tape->first && slot - tape->first < tape->n_slots);
    const KalOperands *at = &tape->operands[slot - tape->first];
    const uint32_t what = kal_tape_find_run(tape, slot)->what;
    uint32_t a = at->a;
    if (what == KAL_OP_SELECT && !isnan(work[at->a])) {
        a = work[at[0].a] != 0.0 ? at[0].b : at[1].a; // the other part does not count
    }
    const uint32_t b = kal_operands_of(what) == 2 ? at->b & ~KAL_MINUS : a;
    if (!isfinite(work[a])) {
        return a;
    }
    return isfinite(work[b]) ? slot : b;
}

// Ends, because operands have smaller slots than what is made of them.
KalExpr kal_program_find_fault(const KalProgram *program, const double *variables,
                               double *work)
{
    copy(work + program->variables, variables, program->n_variables);
    interpret(&program->tapes[KAL_TAPE_EVAL], program->loops->one, 1, work);
    uint32_t slot = 0;
    for (size_t i = 0; i < program->n_outputs && slot == 0; i++) {
        slot = isfinite(work[program->outputs[i]]) ? 0 : program->outputs[i];
    }
    const KalTape *tapes = program->tapes;
    for (uint32_t at = 0; at != slot;) { // operands have smaller slots
        at = slot;
        for (int t = 0; t < KAL_TAPES; t++) {
            const KalTape *tape = &tapes[t];
            if (at >= tape->first && at - tape->first < tape->n_slots) {
                slot = find_culprit(tape, at, work);
                assert(slot <= at);
            }
        }
    }
    return (KalExpr){program->nodes[slot]};
}
