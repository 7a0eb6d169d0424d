// SPDX-License-Identifier: MIT

/// @file
/// Sparse factors K = L D Lᵀ of a symmetric matrix whose structure stays the same.
///
/// Unknowns are *masses* and *ties*, in this order: K = [M Aᵀ; A −E] with M positive and E
/// not negative, both semi-definite.  All masses are eliminated before any tie, so that
/// the pivots of ties are those of −(E + A M⁻¹Aᵀ).  Within that the order is one of minimum
/// degree (sparse/degree.h), with columns that have the same rows next to each other.  The
/// structure is analyzed once; a factorization then goes by such nodes, with as many operations
/// as there are products of entries that are not zero by structure.  (T. A. Davis, Direct
/// Methods for Sparse Linear Systems, 2006.)
///
/// *Pivots have signs.*  That of a mass is positive, that of a tie negative, or the
/// unknown is *left out*: its row and column count as zero, and so does it in every
/// solution.  A tie is left out where it depends on ties that were eliminated before it:
/// its pivot, relative to what M⁻¹ gives it, is the square of the sine between its row and
/// the span of theirs.
///
/// It is a workspace: factorizations and solutions allocate nothing.  The same numbers give
/// the same bits.

#ifndef SPARSE_LDL_H
#define SPARSE_LDL_H

#include "base/workspace.h"

#include <stdint.h>

enum {
    KAL_FEW_BELOW = 16, ///< rows below a node whose places are all listed
    KAL_SMALL_WIDTH =
        4, ///< columns of a small node at most; its products are summed one by one
    KAL_SMALL_BELOW = 6 ///< rows below a small node at most
};

/// An entry of the matrix, on or to either side of the diagonal.
typedef struct KalLdlEntry {
    int row;
    int column;
} KalLdlEntry;

/// Which entries a matrix has, in any order and perhaps more than once: their values add up.
typedef struct KalLdlShape {
    int n;      ///< unknowns, masses before ties
    int masses; ///< how many of them are masses
    const KalLdlEntry *entries;
    size_t n_entries;
} KalLdlShape;

/// Factors.  Zeroed are none.
typedef struct KalLdl {
    KalContext *ctx;
    KalWorkspace structure; ///< what the analysis finds
    KalWorkspace numbers;   ///< factors
    KalWorkspace lists;     ///< places that nodes change
    int n;
    int masses;       ///< how many of the unknowns are
    size_t n_entries; ///< that make the matrix
    int *slot;        ///< n_entries: where its value goes in `value`
    int *order;       ///< n: the unknown that is eliminated at each place
    int *place;       ///< n: where each unknown is
    int *start;       ///< n + 1: entries of L below the diagonal, by columns
    int *row;         ///< rising in each column
    double *value;    ///< start[n] + n: entries of L, then what was the diagonal
    int *row_start;   ///< n + 1: the same entries by rows
    int *row_column;  ///< rising in each row
    int *
        node; ///< n_nodes + 1: first columns of sets that have the same rows below them
    int *node_of;   ///< n: the node of each column
    int n_nodes;    ///< those of masses first
    int mass_nodes; ///< how many these are
    int *target; ///< n_targets: what nodes with few rows below them change in `value`
    int64_t n_targets;
    int *
        relative; ///< n_relative: of others, where their rows are among those of other nodes
    int64_t n_relative;
    int most_below;  ///< rows below a node
    double *sums;    ///< most_below
    double *inverse; ///< n: of the pivots; 0: left out
    double *from; ///< n: what the pivot at each place came from: of ties a M⁻¹aᵀ
    double
        *reach; ///< n: of the tie at each place: how its rounding grows, where followed
    int n_followed;     ///< places whose rounding was, masses among them
    double *work;       ///< n: zero between calls
    double *solution;   ///< n
    int *queue;         ///< n: places that wait
    bool *waits;        ///< n: whether one does
    int64_t operations; ///< products in one factorization
} KalLdl;

/// Analyze a structure.  KAL_ERR_LIMIT when factors would have more than `most` entries.
/// The caller clears it, whatever is returned.
KAL_CHECKED KalStatus kal_ldl_init(KalLdl *ldl, KalContext *ctx,
                                   const KalLdlShape *shape, int64_t most);

void kal_ldl_clear(KalLdl *ldl);

/// Factor the matrix with these values of the entries.  Unknowns whose pivots are not above
/// `least` (n), relative to what they came from, are left out, and so are ties whose pivot
/// may be rounding of pivots before it.  A negative number is meant without its sign, and
/// asks that the unknown be not left out for rounding.  Returns how many are.
int kal_ldl_factor(KalLdl *ldl, const double *values, const double *least);

/// The same in steps, for whoever adds the values of entries e to value[slot[e]] himself:
/// make all zero, then eliminate.
void kal_ldl_begin(KalLdl *ldl);
int kal_ldl_eliminate(KalLdl *ldl, const double *least);

/// The pivot of an unknown, relative to what it came from.
static inline double kal_ldl_ratio(const KalLdl *ldl, int unknown)
{
    const int k = ldl->place[unknown];
    const double pivot = ldl->value[ldl->start[ldl->n] + k];
    const double left = k < ldl->masses ? pivot : -pivot;
    return ldl->from[k] > 0.0 ? left / ldl->from[k] : 0.0;
}

/// Solve in place, where unknowns stand in the order of elimination (`place`).
void kal_ldl_solve_in_order(KalLdl *ldl, double *y);

/// Solve K x = x in place.
void kal_ldl_solve(KalLdl *ldl, double *x);

/// The row of a tie that was left out as a combination of ties that were not: out_ties
/// lists them, and out_factors (n) has a factor for each at its index; others are
/// not touched.  Factors below `least`, relative to the lengths of the rows, are none.
/// Returns how many there are.  Costs as much as these ties have entries.
int kal_ldl_combine(KalLdl *ldl, int tie, double least, int *out_ties,
                    double *out_factors);

#endif
