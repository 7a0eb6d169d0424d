// SPDX-License-Identifier: MIT

/// @file
/// The linearized equations of a large system as sparse matrices.
///
/// About a state, with K = ∂R/∂q and D = ∂R/∂q' (theory (17.1)), motions near it along the
/// constraints obey  M q̈ + D q̇ + K q − Aᵀλ = f,  A q = g.  What analyses of large systems
/// solve is always one matrix of the family, theory (23.1),
///
///     [c₂ M + c₁ D + c₀ K   −Aᵀ]
///     [A                     0 ]
///
/// over independent rows of A, by sparse factors (sparse/lu.h): no array has n × n or m × n
/// numbers.

#ifndef ANALYSIS_PENCIL_H
#define ANALYSIS_PENCIL_H

#include "analysis/analysis_impl.h"
#include "sparse/gather.h"

/// A workspace; zeroed but for `a` before kal_pencil_init().
typedef struct KalPencil {
    KalAnalysis *a;
    KalWorkspace workspace; ///< all arrays below
    int n_rows;             ///< independent constraints
    int *rows;              ///< n_rows: their indices
    int *place;             ///< m: among these; −1: depends on them, or does not act
    double *R_y;            ///< entries of ∂R/∂y at the present state
    double *S_y;            ///< entries of ∂S/∂y
    KalGather entries;      ///< of a matrix of the family
    double *b;              ///< n + m
    double *x;              ///< n + m
    KalSparseLu lu;         ///< the last factors
    double *A;              ///< z × z, and so on: of the last linearization
    size_t numbers;         ///< of these
} KalPencil;

/// Make a workspace.  The caller clears it, whatever is returned.
KAL_CHECKED KalStatus kal_pencil_init(KalPencil *pencil, KalAnalysis *analysis);

void kal_pencil_clear(KalPencil *pencil);

/// Solve the instant, find independent rows, and evaluate K and D; at rest, that is, with
/// accelerations 0 in them, if `rest` says so.
KAL_CHECKED KalStatus kal_pencil_look(KalPencil *pencil, bool rest);

/// Factor the matrix with these three coefficients.  *out_regular: it has full rank.
KAL_CHECKED KalStatus kal_pencil_factor(KalPencil *pencil, double c2, double c1,
                                        double c0, bool *out_regular);

/// Solve with the last factors: `force` (n), `g` (n_rows; NULL: zeros); writes n numbers and,
/// unless out_multipliers is NULL, n_rows.
void kal_pencil_solve(KalPencil *pencil, const double *force, const double *g,
                      double *out_q, double *out_multipliers);

/// The coordinate that accelerates most, if beyond rounding (theory, 17, "Rest"); −1: none,
/// and all velocities are zero too.
int kal_pencil_find_moving(const KalPencil *pencil);

/// As of kal_analysis_linearize(), kal_analysis_modes() and kal_balancer_seek(), for a
/// system with a pencil.
/// @{
KAL_CHECKED KalStatus kal_pencil_linearize(KalPencil *pencil,
                                           KalLinearization *out_linearization);
KAL_CHECKED KalStatus kal_pencil_modes(KalPencil *pencil, KalModes *out_modes);
KAL_CHECKED KalStatus kal_pencil_seek_rest(KalPencil *pencil, bool *out_found);
/// @}

/// Whether the potential energy has a minimum on the constraints in the present state of
/// rest, and nothing feeds energy: then no mode grows, theory (23.4).
KAL_CHECKED KalStatus kal_pencil_is_minimum(KalPencil *pencil, bool *out_minimum);

#endif
