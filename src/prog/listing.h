// SPDX-License-Identifier: MIT

/// @file
/// A program as a list of instructions, for those who write it down in another language.
///
/// Slots are numbered as in work memory: constants, parameters, what the first tape
/// computes, variables, what the second tape computes.  An instruction reads slots that are
/// smaller than the one it writes.  Whoever computes all instructions in the order of their
/// slots, as ops.def says, gets the bits that the program gives.

#ifndef PROG_LISTING_H
#define PROG_LISTING_H

#include "expr/spline.h"
#include "prog/program.h"

/// Where the slots of a program are.
typedef struct KalListing {
    const double *constants; ///< values of the first slots
    uint32_t parameters;     ///< the first slot of a parameter
    uint32_t prepared;       ///< the first slot that the first tape computes
    uint32_t variables;      ///< the first slot of a variable
    uint32_t computed;       ///< the first slot that the second tape computes
    uint32_t count;          ///< of all slots
    const uint32_t *outputs; ///< n_outputs slots
    size_t n_outputs;
} KalListing;

KalListing kal_program_listing(const KalProgram *program);

/// What a slot of a tape is computed by.
typedef struct KalInstruction {
    KalOp op;         ///< an operator with operands; sums are ADD, SUB or NEG
    int operands;     ///< how many of the slots count
    uint32_t slot[3]; ///< operands
    int32_t exponent; ///< of POWI
    const KalSplineFunction *spline; ///< of a table
    uint32_t mate; ///< of SIN the slot of the COS of the same, and the other way round
} KalInstruction;

/// The instruction of a slot that a tape computes.
KalInstruction kal_program_instruction(const KalProgram *program, uint32_t slot);

#endif
