// SPDX-License-Identifier: MIT

/// @file
/// What the files of the sparse solve share.

#ifndef LARGE_LARGE_IMPL_H
#define LARGE_LARGE_IMPL_H

#include "base/block.h"
#include "large/large.h"
#include "large/pass.h"
#include "sparse/ldl.h"

/// Columns of A, where factors are those of A M⁻¹Aᵀ alone (schur.c).
typedef struct KalSchur {
    bool used; ///< M is a diagonal of masses: they are
    KalWorkspace workspace;
    int *start;      ///< n + 1: entries of A by columns
    int *row;        ///< the row of each
    int *entry;      ///< and its place in A
    int *column;     ///< the columns of the entries by rows
    double *inverse; ///< n: of masses, 0 of what is held
    bool free;       ///< nothing was
    double *kept;    ///< the entries of A, where they are not those of the problem
    const double *A; ///< those that were factored
} KalSchur;

/// The matrix K that is factored, and what its factors left out (large.c).
typedef struct KalLargeFactors {
    KalLdl ldl;
    KalBlock entries; ///< KalLdlEntry: M, A, the diagonal of ties, then what is lent
    KalBlock values;  ///< double: their values
    size_t n_M;       ///< entries of M
    size_t n_A;       ///< and of A
    int first_tie;    ///< the unknown of the factors that constraint 0 is
    int n_left_out;   ///< unknowns that the last factors leave out
    double *least;    ///< n + m: pivots that count, relative to what they came from
    bool all_suspect; ///< `least` is as kal_large_suspect_all() leaves it
    bool analyzed;    ///< `ldl` is of these entries; not so after a failure
} KalLargeFactors;

/// What stands for M where that alone is singular, and the units that follow from it.
typedef struct KalLargeMetric {
    bool diagonal;       ///< M has a diagonal and nothing else
    bool massless;       ///< coordinates without mass were met: M alone will not do
    int rank_M;          ///< as found before any row lent its weight
    bool ranked;         ///< that was looked at
    bool *lends;         ///< m: rows that lend M their weight
    int n_lends;         ///< so many
    double *weights;     ///< m: theirs
    double *row_unit;    ///< m: with `column_unit`, what makes entries of A about 1
    double *column_unit; ///< n: found where rows lend
    double *mass;        ///< n: the diagonal of what stands for M
    double *unit;        ///< n: the roots of that
    double *per_unit;    ///< n: 1 by these; 0 without mass
    bool units_known;    ///< `unit` and `per_unit` are of `mass` as it stands
    double *length;      ///< m: of rows in that metric; kal_large_need_lengths()
    bool lengths_known;  ///< `length` is of the last factors
} KalLargeMetric;

/// What was found; answers point to these arrays.
typedef struct KalLargeFound {
    double *qdd;         ///< n
    double *lambda;      ///< m
    double *ideal;       ///< n
    double *nonideal;    ///< n
    bool pushed;         ///< `nonideal` is not zero
    bool *indeterminate; ///< n: none
    int *set;            ///< m: of dependent constraints
    int n_sets;          ///< so many
    bool no_sets;        ///< `set` is −1 throughout
} KalLargeFound;

/// Which constraints depend on each other (verdict.c).
typedef struct KalLargeSets {
    int *parent;     ///< m: sets as trees
    int *ties;       ///< m: of one combination
    double *factors; ///< n + m: theirs, at their indices
    double *rest;    ///< n: what a combination leaves of a row; zero between calls
} KalLargeSets;

struct KalLarge {
    KalContext *ctx;
    KalLargeShape shape;
    KalWorkspace workspace;
    int n;
    int m;
    const KalPasses *passes;
    bool all_act; ///< all constraints of the problem at work do
    KalLargeFactors factors;
    KalSchur schur;
    KalLargeMetric metric;
    double *x;       ///< n + m: right-hand sides and solutions of K
    double *missing; ///< n + m: what the equations still miss
    double *size;    ///< n + m: of the terms in them
    double *total_q; ///< n: accelerations with what C adds
    double *total_l; ///< m: and multipliers
    KalLargeFound found;
    KalLargeSets sets;
    int *blamed; ///< n + m
    KalMotionFault fault;
};

/// Names for a message.
typedef struct KalLargeNames {
    char text[400];
} KalLargeNames;

/// The names of constraints or coordinates, as many as fit.
KalLargeNames kal_large_names(const KalLarge *large, bool constraints,
                              const int *indices, int count);

/// Factor K with the numbers of a problem; rows that M needs lend it their weight.  Ties
/// have `damping` times their squared length on the diagonal.
KAL_CHECKED KalStatus kal_large_factor(KalLarge *large, const KalLargeProblem *problem,
                                       const bool *held, double damping);

/// The rank of M, by its blocks; the factors at hand are of M alone.
KAL_CHECKED KalStatus kal_large_rank_mass(const KalLarge *large,
                                          const KalLargeProblem *problem,
                                          int *out_rank);

/// The lengths of rows that the factors found, for these constraints that act.
void kal_large_need_lengths(KalLarge *large, const bool *active);

/// Leave rows out of the next factors that may depend on others.
void kal_large_suspect_all(KalLarge *large);

/// Leave row i out only if it cannot be helped, for it does not depend on others.  False
/// when that was known already.
bool kal_large_trust(KalLarge *large, int i);

/// Whether constraint i was left out of the factors though it acts.
static inline bool kal_left_out(const KalLarge *large, const KalLargeProblem *problem,
                                int i)
{
    const KalLdl *ldl = &large->factors.ldl;
    return large->factors.n_left_out > 0 && problem->active[i]
           && ldl->inverse[ldl->place[large->factors.first_tie + i]] == 0.0;
}

/// Solve K x = x (n + m) in place.
void kal_large_solve_factors(KalLarge *large, double *x);

/// The square of the length of row i in the metric of the diagonal alone.
double kal_large_rough_square(const KalLarge *large, const KalLargeProblem *problem,
                              int i);

/// Whether M is a diagonal and no coordinate is in too many rows.
bool kal_schur_suits(const KalLarge *large);

/// Analyze S; factors may have `most` entries.
KAL_CHECKED KalStatus kal_schur_init(KalLarge *large, int64_t most);

void kal_schur_clear(KalLarge *large);

/// Factor.  False, and no factors, where a coordinate that is not held has no mass.
bool kal_schur_factor(KalLarge *large, const KalLargeProblem *problem, const bool *held,
                      double damping);

void kal_schur_solve(KalLarge *large, double *x);

/// The multipliers λ (m) that the factors give for Q and b (NULL: zeros).
void kal_schur_multipliers(KalLarge *large, const KalLargeProblem *problem,
                           const double *Q, const double *b, double *lambda);

/// Which constraints depend on each other, and whether those left out agree with the
/// accelerations qdd.  *out_again: some that were left out do not depend on others; they
/// are trusted now, and all is to be solved again.
KAL_CHECKED KalStatus kal_large_judge(KalLarge *large, const KalLargeProblem *problem,
                                      const double *qdd, KalMotionAnswer *answer,
                                      bool *out_again);

#endif
