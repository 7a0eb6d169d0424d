// SPDX-License-Identifier: MIT

/// @file
/// What a program is made of.
///
/// Work memory is a row of slots, one for every value, in this order: constants,
/// parameters, what the first tape computes, variables, what the second tape computes.
/// An instruction writes the next slot (or two), so it only says where its operands are.
///
/// A tape is cut into runs: neighbors that do the same.  A run is a loop, so the price of
/// deciding what to do is paid once for all its instructions.  An instruction may use what
/// an earlier one of its run wrote.

#ifndef PROG_PROGRAM_IMPL_H
#define PROG_PROGRAM_IMPL_H

#include "base/block.h"
#include "prog/native.h"
#include "prog/program.h"

/// What a run does: an operator of the graph, or one of these, which take the place of
/// some operators.  Squares are KAL_OP_MUL.
enum {
    KAL_DO_SIN_COS = KAL_OP_COUNT, ///< SIN and COS of the same; writes two slots, the
                                   ///< sine first
    KAL_DO_SUM, ///< ADD, SUB and NEG; the second operand may be negated
    KAL_DO_COUNT
};

enum {
    KAL_ZERO_SLOT = 0,      ///< the constant −0.0: −a is −0.0 − a
    KAL_ONE_SLOT = 1,       ///< the constant 1: a condition that holds
    KAL_PLAIN_SLOT = 2,     ///< all bits but the sign: |a| is a and these
    KAL_FIRST_CONSTANT = 3, ///< where those of the formulas begin
};

/// On the second operand of a KAL_DO_SUM: negated.
#define KAL_MINUS UINT32_C(0x80000000)

/// Slots of operands.  POWI has its whole exponent as the second.  SELECT and SPLINE take the
/// place of two instructions; the second one is for the third operand, as its first, and for
/// the address of the function.  What they compute is in the first slot.
typedef struct KalOperands {
    uint32_t a;
    uint32_t b;
} KalOperands;

/// Neighbors that do the same.
typedef struct KalTapeRun {
    uint32_t what;  ///< a KalOp or KAL_DO_…
    uint32_t count; ///< instructions
    uint32_t first; ///< slot that the first one writes
} KalTapeRun;

/// A straight sequence of instructions.
typedef struct KalTape {
    KalBlock runs;         ///< of KalTapeRun
    KalOperands *operands; ///< n_slots
    uint32_t first;        ///< slot
    uint32_t n_slots;      ///< that the tape writes
    size_t operations;     ///< of formulas; a pair is two
} KalTape;

enum {
    KAL_TAPE_PREPARE,
    KAL_TAPE_EVAL,
    KAL_TAPES
};

/// Compute a run's instructions; `out` is the part of `work` that they write.
typedef void (*KalLoop)(const double *work, double *out, const KalOperands *operands,
                        size_t count);

/// Switches on given pieces.
typedef struct KalFrozen {
    const int32_t *places; ///< of the run at hand
    const double *modes;
} KalFrozen;

typedef void (*KalFrozenLoop)(const double *work, double *out,
                              const KalOperands *operands, size_t count,
                              KalFrozen frozen);

/// Operands that stand evenly spaced, so many slots apart.
typedef struct KalSpaced {
    const double *at;
    int32_t by;
} KalSpaced;

/// Compute instructions whose operands are evenly spaced and stand before `out`.
typedef void (*KalEvenLoop)(KalSpaced a, KalSpaced b, bool negative, double *out,
                            size_t count);

/// The loops, by what runs do.  Of some operators, such as ADD, no tape has a run.
typedef struct KalLoops {
    const KalLoop *one;
    const KalEvenLoop *even;     ///< NULL for what is not written for it
    const KalLoop *lanes;        ///< every slot has KAL_LANES numbers
    const KalLoop *half;         ///< the first KAL_HALF of them
    const KalFrozenLoop *frozen; ///< NULL for what does not switch
} KalLoops;

/// The loops of as many numbers as machine code computes at once.
static inline const KalLoop *kal_loops_of(const KalLoops *loops, KalNativeWidth width)
{
    const KalLoop *lanes = width == KAL_NATIVE_LANES ? loops->lanes : loops->half;
    return width == KAL_NATIVE_ONE ? loops->one : lanes;
}

/// The second is for processors with wide vector registers.
extern const KalLoops kal_loops;
extern const KalLoops kal_loops_wide;

/// Instructions of a run whose operands are evenly spaced, or some that have to be looked up.
typedef struct KalEven {
    uint32_t what;
    uint32_t count; ///< instructions
    uint32_t first; ///< slot that the first one writes
    uint32_t a;     ///< slots of the operands of the first
    uint32_t b;
    int32_t by_a; ///< how far apart those of the next are
    int32_t by_b;
    bool listed; ///< they are not: what follows `first` is not used
} KalEven;

/// Results in rounds: result `first + k period + r` is in the slot of way r, k times its step
/// further on.
typedef struct KalPut {
    uint32_t first;
    uint32_t rounds; ///< or how many results are looked up, where
    uint32_t period; ///< is 0
    uint32_t way;    ///< the first of `period`
} KalPut;

typedef struct KalWay {
    uint32_t slot;
    int32_t by;
} KalWay;

/// A long program of many parts that are alike, rolled up (prog/roll.c).
typedef struct KalRoll {
    bool used;     ///< else the rest is empty
    KalBlock even; ///< of KalEven: the second tape
    KalBlock puts; ///< of KalPut: the results
    KalBlock ways; ///< of KalWay
} KalRoll;

struct KalProgram {
    KalContext *ctx;
    const KalLoops *loops;
    double *constants;
    uint32_t n_constants;
    size_t n_parameters;
    uint32_t parameters; ///< slot of the first
    size_t n_variables;  ///< of those listed, up to the last that is used
    uint32_t variables;  ///< slot of the first
    KalTape tapes[KAL_TAPES];
    uint32_t *outputs; ///< slots
    size_t n_outputs;
    uint32_t *nodes; ///< for each slot the formula, 0 for none
    int32_t *places; ///< for each slot of the second tape the KalProgramSwitch.place, 0
                     ///< for none; NULL without switches
    double *no_modes; ///< n_modes NaNs: all as it comes
    size_t n_modes;
    uint32_t n_slots;
    KalRoll roll;
    KalNative native;       ///< of the second tape
    KalNative native_lanes; ///< and for lanes, where these were asked for
};

/// Roll a program up, if it is long enough and most of it is even.  The caller clears it.
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_roll_init(const KalProgram *program, KalRoll *out_roll);
void kal_roll_clear(KalContext *ctx, KalRoll *roll);

/// Compute the second tape of a program that is rolled up, and its results.
void kal_roll_eval(const KalProgram *program, double *work, double *out_values);

/// The run that writes a slot of the tape.
const KalTapeRun *kal_tape_find_run(const KalTape *tape, uint32_t slot);

/// How many slots an instruction of a run takes.
static inline uint32_t kal_slots_of(uint32_t what)
{
    return what == KAL_DO_SIN_COS || what == KAL_OP_SELECT
                   || (what < KAL_OP_COUNT && kal_op_is_spline((KalOp)what))
               ? 2
               : 1;
}

/// How many operands in slots it has.
static inline int kal_operands_of(uint32_t what)
{
    return what == KAL_DO_SUM       ? 2
           : what == KAL_DO_SIN_COS ? 1
                                    : kal_op_arity((KalOp)what);
}

/// The function of a SPLINE, from its second instruction.
static inline const KalSplineFunction *kal_operands_spline(const KalOperands *second)
{
    return kal_spline_of(second->a, second->b);
}

#endif
