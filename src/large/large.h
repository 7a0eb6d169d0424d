// SPDX-License-Identifier: MIT

/// @file
/// The Udwadia–Kalaba equation at one instant on sparse arrays, for systems of any size.
///
/// The equations of `kalaba/motion.h`, with M and A given by the entries that are not zero
/// by structure.  Work and memory go with the entries of the factors (sparse/ldl.h), not
/// with n² or n³; docs/internals/large.md tells how.
///
/// *What it finds is what the dense roads find*: accelerations, forces, multipliers, ranks,
/// constraints that depend on each other, contradictions with the constraints to blame.
/// *What it does not find it says.*  An acceleration that is not unique is an error that
/// names coordinates (KAL_ERR_NOT_UNIQUE), for the shortest is not computed here; so are
/// constraints so near to depending on others that neither can be claimed
/// (KAL_ERR_NUMBER).  Multipliers of dependent constraints are one choice, not the shortest
/// one: those of constraints left out are 0.
///
/// It is a workspace: a solve allocates nothing, but for the first ones, which may find
/// that constraints have to lend their weight to M (theory (3.6)).

#ifndef LARGE_LARGE_H
#define LARGE_LARGE_H

#include "base/context.h"
#include "sparse/ldl.h"

#include <kalaba/motion.h>

#include <stdint.h>

/// Which entries a sparse matrix has, row after row, columns rising in each.  Borrowed.
typedef struct KalRowPattern {
    int rows;
    const int64_t *start;  ///< rows + 1
    const int64_t *column; ///< start[rows]
} KalRowPattern;

/// The structure of the equations.
typedef struct KalLargeShape {
    int n;
    int m;
    KalRowPattern M;                ///< n × n, lower triangle
    KalRowPattern A;                ///< m × n
    const char *const *coordinates; ///< n names for messages
    const char *const *constraints; ///< m names
} KalLargeShape;

/// The numbers.  All arrays are borrowed for the length of one call.
typedef struct KalLargeProblem {
    const double *M;      ///< entries of the lower triangle
    const double *Q;      ///< n
    const double *A;      ///< entries
    const double *b;      ///< m
    const double *C;      ///< n, or NULL when all constraints are ideal
    const double *b_size; ///< m: the size of the terms that b is made of, at least |b|
    const bool *active;   ///< m: which constraints act; others count for nothing
    /// Called with `owner` before b_size is looked at, which is rare; NULL: it is there.
    void (*measure)(void *owner);
    void *owner;
} KalLargeProblem;

typedef struct KalLarge KalLarge;

/// How a workspace factors, for who writes the same elimination down elsewhere.  Borrowed, and
/// true until the structure is analyzed again.
typedef struct KalLargeFactoring {
    const KalLdl *factors;
    bool of_ties; ///< of A M⁻¹Aᵀ alone (schur.c), else of K
    const int
        *start;     ///< n + 1, with `of_ties`: where columns of A begin in what follows
    const int *row; ///< the row of each entry of a column
    const int *entry;  ///< the place of that entry in A
    const bool *lends; ///< m: rows that lend M their weight
    int n_lends;       ///< so many
} KalLargeFactoring;

/// Make a workspace.  What the shape points to is kept for as long as it lives.
/// KAL_ERR_LIMIT when factors would be too large.
KAL_CHECKED KalStatus kal_large_create(KalContext *ctx, const KalLargeShape *shape,
                                       KalLarge **out_large);

/// Free a workspace.  NULL is allowed.
void kal_large_destroy(KalLarge *large);

KalLargeFactoring kal_large_factoring(const KalLarge *large);

/// Solve.  Arrays of the answer have n entries, or m: one for each constraint, whether it
/// is active or not.  Statuses: KAL_ERR_NUMBER, KAL_ERR_CONTRADICTION, KAL_ERR_NOT_UNIQUE,
/// KAL_ERR_LIMIT and KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_large_solve(KalLarge *large, const KalLargeProblem *problem,
                                      KalMotionAnswer *out_answer);

/// Prepare steps onto the constraints, for the M and A of the problem, of which Q, b and C
/// are not looked at: theory (13.2) with this damping > 0, relative to the lengths of rows.
/// Coordinates that are `held` (n, NULL: none) do not move.  Statuses: as of a solve.
KAL_CHECKED KalStatus kal_large_prepare(KalLarge *large, const KalLargeProblem *problem,
                                        const bool *held, double damping);

/// The least Δ, by the kinetic energy, with A Δ = −residuals (m), but for damping.  Writes
/// n numbers.
void kal_large_step(KalLarge *large, const double *residuals, double *out_step);

/// After kal_large_prepare(): how much of another row (n) is no combination of the rows that
/// were prepared, as a part of its length; 1 for a row of zeros.
double kal_large_beyond(KalLarge *large, const double *row);

/// A constraint of the last solve that depends on others: its row less Σ factors[k] × that
/// of constraint ties[k], over `count` of them, is zero.
typedef void (*KalDependencyFn)(void *user, int constraint, const int *ties,
                                const double *factors, int count);

/// Call for each constraint that the last solve, of this problem, left out.
void kal_large_each_dependency(KalLarge *large, const KalLargeProblem *problem,
                               KalDependencyFn call, void *user);

/// Whether the last solve, of this problem, left constraint i out though it acts.
bool kal_large_leaves_out(const KalLarge *large, const KalLargeProblem *problem, int i);

/// The sine of the angle between the row of a constraint and the span of the rows before it
/// in the order of elimination, which stays the same; 1 for a row that was left out.
double kal_large_sine(const KalLarge *large, const KalLargeProblem *problem,
                      int constraint);

/// What that row has of its own (n), beyond this span; returns its sine, which is known
/// here to rounding.
double kal_large_rest(KalLarge *large, const KalLargeProblem *problem, int constraint,
                      double *out_rest);

/// A constraint and those before it that it is mostly a combination of, what it has of its
/// own aside.  Returns how many they are, up to m.
int kal_large_partners(KalLarge *large, int constraint, int *out_constraints);

/// Factor the rows of a problem, of which Q, b and C are not looked at, for the three
/// functions above.  Statuses: as of a solve.
KAL_CHECKED KalStatus kal_large_factor_rows(KalLarge *large,
                                            const KalLargeProblem *problem);

/// The masses of the coordinates (n) in the last solve, with what rows lent them.
const double *kal_large_masses(const KalLarge *large);

/// The lengths of the rows (m) in the metric of the last kal_large_prepare(), theory (13.2); 0
/// where a row is zero.
const double *kal_large_lengths(const KalLarge *large);

/// The fault of the last solve, as of kal_motion_fault(); indices are those of all
/// constraints.
KalMotionFault kal_large_fault(const KalLarge *large);

/// Entries of the factors.
int64_t kal_large_entries(const KalLarge *large);

#endif
