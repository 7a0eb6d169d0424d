// SPDX-License-Identifier: MIT

/// @file
/// Formulas as a flat program: numbers in, numbers out, nothing allocated.
///
/// A program is compiled once and never changes; any number of threads may evaluate it,
/// each with work memory of its own.  It has two straight tapes.  The first computes what
/// depends on parameters alone and runs once per set of parameters (kal_program_prepare);
/// the second computes the rest and runs at every instant (kal_program_eval).  Results
/// are the same bits as plain evaluation, expr/eval.h, gives (a NaN is a NaN, whatever its
/// bits).
///
/// There are three ways to run a program, with the same bits from each: the interpreter,
/// on any processor; machine code (prog/native.h), which runs wherever it can; and lanes,
/// in which KAL_LANES states, each with its own parameters, are computed at once by either.

#ifndef PROG_PROGRAM_H
#define PROG_PROGRAM_H

#include "base/eight.h"
#include "expr/graph.h"

/// A node that is made of pieces (expr/switch.h) and the mode that says on which piece it
/// is computed.
typedef struct KalProgramSwitch {
    KalExpr node;
    int32_t place; ///< 1 + that of the mode, negative where the mode counts negated
} KalProgramSwitch;

/// What to compile: outputs, and the symbols that they are made of in the order in which
/// their values will be given.
typedef struct KalProgramSpec {
    const KalExpr *outputs; ///< n_outputs formulas
    size_t n_outputs;
    const KalExpr *parameters; ///< n_parameters symbols
    size_t n_parameters;
    const KalExpr *variables; ///< n_variables symbols
    size_t n_variables;
    const KalProgramSwitch *switches; ///< n_switches nodes; others are never frozen
    size_t n_switches;
    bool lanes; ///< many evaluations will be in lanes: make machine code for them too
    bool
        plain; ///< no machine code: few evaluations, or it comes later (kal_native_share)
} KalProgramSpec;

typedef struct KalProgram KalProgram;

/// Compile.  The caller owns the program; the graph is not needed to evaluate it.  Every
/// symbol in the outputs must be a parameter or a variable (KAL_ERR_USAGE), and none can
/// be both.  KAL_ERR_NOMEM, and what spoiled the graph.
KAL_CHECKED KalStatus kal_program_create(KalGraph *g, const KalProgramSpec *spec,
                                         KalProgram **out_program);

/// Free a program.  NULL is allowed.
void kal_program_destroy(KalProgram *program);

/// How many doubles of work memory an evaluation needs.
size_t kal_program_work(const KalProgram *program);

/// How many operations an evaluation, and a preparation, takes.
size_t kal_program_operations(const KalProgram *program);
size_t kal_program_preparations(const KalProgram *program);

/// Fill work memory for a set of parameter values.
void kal_program_prepare(const KalProgram *program, const double *parameters,
                         double *work);

/// Evaluate with work memory that was prepared.
void kal_program_eval(const KalProgram *program, const double *variables, double *work,
                      double *out_values);

/// The same on pieces that are given: a switch whose mode is a number is computed on that
/// piece, wherever its operands are; one whose mode is NaN, as it comes.  `modes` may be
/// NULL: as it comes.
void kal_program_eval_on(const KalProgram *program, const double *variables,
                         const double *modes, double *work, double *out_values);

/// The same in lanes: each number, given, in work memory and in results, is KAL_LANES
/// numbers, one for each lane.  So work memory is KAL_LANES times as large.  Nothing is
/// frozen.
void kal_program_prepare_lanes(const KalProgram *program, const double *parameters,
                               double *work);
void kal_program_eval_lanes(const KalProgram *program, const double *variables,
                            double *work, double *out_values);

/// Let the parameters of a lane be those that `work`, of one state, was prepared for.
void kal_program_put_lane(const KalProgram *program, const double *work, int lane,
                          double *lanes_work);

/// A range of values; low ≤ high.
typedef struct KalRange {
    double low;
    double high;
} KalRange;

/// Ranges that hold all values of the outputs where the variables lie in ranges, by
/// interval arithmetic, theory (12.17); nothing is frozen.  `work` was prepared and is not
/// changed; `ranges` has as many entries as it.  It takes time for what is computed and the
/// variables, not for every parameter.  Where a function has no value for part of
/// its range, or none is known for it, everything is in the range.
void kal_program_bound(const KalProgram *program, const KalRange *variables,
                       const double *work, KalRange *ranges, KalRange *out_ranges);

/// Where an evaluation, with nothing frozen, gives a NaN or infinity in some output: a part
/// of the first such output that has no finite value though all its own parts do, or a
/// symbol that was given none.  Branches of `if` that were not taken do not count.
/// KAL_NO_EXPR if all outputs are finite.  Evaluates once more, for machine code leaves no
/// trace of what it computed on the way.
KalExpr kal_program_find_fault(const KalProgram *program, const double *variables,
                               double *work);

#endif
