// SPDX-License-Identifier: MIT

/// @file
/// The constrained acceleration as formulas: the equations of one instant, eliminated.
///
/// The same range-space form as the short way of motion/short.c, theory (4.1) and (4.2),
/// with M, or M + AᵀWA where M is singular (theory (3.8)), factored as L D Lᵀ and so
/// A M⁻¹ Aᵀ, but entry by entry: what is zero by structure is not computed, and what
/// depends on parameters alone is computed once.  Which pivot comes next is decided by
/// least degree, for little fill (D. J. Rose, 1972), not by size; so the formulas also say
/// how good their answer is, and whoever evaluates them looks at that.

#ifndef DERIVE_ELIMINATE_H
#define DERIVE_ELIMINATE_H

#include "expr/graph.h"

/// Equations of n coordinates and m constraints.  KAL_NO_EXPR is zero.
typedef struct KalEliminand {
    size_t n;
    size_t m;
    const KalExpr *M;       ///< n × n, lower triangle
    const KalExpr *Q;       ///< n
    const KalExpr *A;       ///< m × n
    const KalExpr *b;       ///< m
    const KalExpr *weights; ///< m: W, or NULL where M is regular
    double tolerance;       ///< of residuals, relative to their terms
    double floor;           ///< the least that terms are measured by (theory (5.2))
    /// Writes n formulas of C, which may have the multipliers of the ideal part in them
    /// (theory (2.7)), in the graph.  NULL: all constraints are ideal.
    KalStatus (*find_C)(void *user, const KalExpr *multipliers, KalExpr *out_C);
    void *user; ///< for find_C
} KalEliminand;

/// Where the parts of an answer begin, in a list of formulas.
typedef struct KalEliminated {
    size_t qdd;         ///< n
    size_t force;       ///< n: Aᵀλ
    size_t multipliers; ///< m: of the ideal part
    size_t most_growth; ///< the largest quotient of a diagonal entry of M and its pivot
    size_t least_growth; ///< and the least; below 1, but for rounding, one is negative
    size_t most_gram;    ///< the same for A M⁻¹Aᵀ
    size_t least_gram;
    size_t sine; ///< 1/√most_gram: the least distance of a constraint from the others
    size_t excess;   ///< by how much a residual is larger than the tolerance allows, at
                     ///< most; NaN where anything is not finite
    size_t nonideal; ///< n: the force that C adds, where there is C
    size_t count;
} KalEliminated;

KalEliminated kal_eliminated_layout(size_t n, size_t m, bool has_C);

/// Build the formulas in a graph that simplifies nothing; out_answer has room for as many
/// as the layout counts.  KAL_ERR_LIMIT when the graph has no room for them, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_eliminate(KalGraph *g, const KalEliminand *given,
                                    KalExpr *out_answer);

/// M and A M⁻¹Aᵀ as factors, for steps onto the constraints.
typedef struct KalFactoring KalFactoring;

/// Eliminate; of the equations only M, A and W count, and `given` stays where it is as long
/// as the factoring.  The caller owns it.  Statuses as above.
KAL_CHECKED KalStatus kal_factoring_create(KalGraph *g, const KalEliminand *given,
                                           KalFactoring **out_factoring);

void kal_factoring_destroy(KalFactoring *factoring);

/// The shortest step x, by the kinetic energy, with A x = −residuals (m formulas, of which
/// KAL_NO_EXPR are zero): x = −M⁻¹Aᵀ (A M⁻¹Aᵀ)⁻¹ r, theory (15.1).  Its n formulas are
/// written to out_step.
void kal_factoring_step(KalFactoring *factoring, const KalExpr *residuals,
                        KalExpr *out_step);

#endif
