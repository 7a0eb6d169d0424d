// SPDX-License-Identifier: MIT

/// @file
/// What the files of closed forms share: the equations as fractions, and their solution.

#ifndef CLOSED_SOLVER_IMPL_H
#define CLOSED_SOLVER_IMPL_H

#include "algebra/field.h"
#include "closed/closed.h"
#include "closed/sample.h"

/// A result as a fraction.
typedef struct KalSolved {
    KalResultKind kind;
    size_t index;
    KalFraction value;
    KalFraction on;
    bool has_on; ///< shorter on the constraints
} KalSolved;

/// The equations of a sheet in one field.
typedef struct KalSolver {
    KalContext *ctx;
    KalSheet *sheet;
    const KalEquations *eq;
    KalField *field;
    KalRing *ring;
    KalSamples samples;
    size_t n;
    size_t m;
    size_t rank;
    bool settled;           ///< no branch of A has a larger rank
    size_t *rows;           ///< rank: independent rows of A
    const KalExpr *C;       ///< n: non-ideal forces without reactions in them, or NULL
    KalFraction *fractions; ///< all of the following
    size_t n_fractions;
    KalFraction *M;  ///< n × n
    KalFraction *A;  ///< m × n
    KalFraction *Q;  ///< n
    KalFraction *b;  ///< m
    KalFraction *Cs; ///< n
    KalFraction *z;  ///< n: accelerations
    KalFraction *c;  ///< n: their part by C
    KalFraction *l;  ///< m: multipliers
    KalSolved *solved;
    size_t n_solved;
    size_t solved_capacity;
    bool has_reactions;
} KalSolver;

/// Solve; verdicts other than DONE end the work.  theory (11.5) to (11.9)
KAL_CHECKED KalStatus kal_solver_run(KalSolver *s, KalClosedVerdict *out_verdict);

/// The symbol of an actuator's input in the sheet's graph.
KalExpr kal_solver_input(const KalSolver *s, size_t actuator);

/// Multipliers of all rows from those of the independent ones, by least norm: theory
/// (11.11).  False in `out_found`: they are too long.
KAL_CHECKED KalStatus kal_solver_least_norm(KalSolver *s, bool *out_found);

/// Shorten results by n residuals that are zero on the constraints, KAL_NO_EXPR for none:
/// theory (11.12).
KAL_CHECKED KalStatus kal_solver_use_constraints(KalSolver *s, const KalExpr *residuals,
                                                 size_t n);

/// Whether the results hold at the samples: those that hold everywhere, and what was
/// shortened, which is dropped where it does not hold.
KAL_CHECKED KalStatus kal_solver_check(KalSolver *s, bool *out_holds);

#endif
