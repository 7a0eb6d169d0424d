// SPDX-License-Identifier: MIT

/// @file
/// Passes over the arrays of a large system: what takes its time, besides factors.
///
/// They are compiled twice, the second time for wide registers (base/four.h); both give the
/// same bits.

#ifndef LARGE_PASS_H
#define LARGE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The least and the largest absolute value of some numbers; ∞ and 0 of none.
typedef struct KalExtent {
    double least;
    double most;
} KalExtent;

/// Forces Aᵀλ by columns of A, and what follows from them.
typedef struct KalForcePass {
    int n;
    const int *start; ///< n + 1: entries by columns
    const int *row;
    const int *entry; ///< where each is in A
    const double *A;
    const double *lambda;
    const double *Q;
    const double *mass;
    const double *inverse; ///< of mass
    bool whole;            ///< q'' is what follows from the forces, and is written
    double *qdd;           ///< n
    double *force;         ///< n: Aᵀλ
    double *missing;       ///< n: Q + Aᵀλ − M q''
    double *size;          ///< n: of the terms in it
} KalForcePass;

/// What rows miss, b − A q''.
typedef struct KalRowPass {
    int m;
    const int64_t *start; ///< m + 1
    const int64_t *column;
    const double *A;
    const double *qdd;
    const double *b;      ///< NULL: zeros
    const double *b_size; ///< m
    double *missing;      ///< m
    double *size;         ///< m: of the terms in it
} KalRowPass;

/// The same of the rows that act, without a place for what they miss.
typedef struct KalRowCheck {
    int m;
    const int64_t *start; ///< m + 1
    const int *column;
    const double *A;
    const double *qdd;
    const double *b;    ///< NULL: zeros
    const bool *active; ///< m; NULL: all are
    double
        enough; ///< a row that misses more than this part of its terms gets more terms
    double floor;       ///< this part of the length of such a row counts as a term
    const double *from; ///< squares of lengths of rows, at their places
    const int *place;   ///< m
} KalRowCheck;

/// Passes for the processor that there is.
typedef struct KalPasses {
    /// Whether all numbers are finite.
    bool (*finite)(const double *x, size_t n);
    KalExtent (*extent)(const double *x, size_t n);
    void (*forces)(const KalForcePass *pass);
    void (*rows)(const KalRowPass *pass);
    /// Write `qdd` and `force` of a whole pass, and nothing else; the largest part that
    /// equations of motion miss, relative to their terms; NaN where one is.
    double (*move)(const KalForcePass *pass);
    /// The same of rows, where b counts as its absolute value.
    double (*check)(const KalRowCheck *check);
    /// The larger of `most` and all |x| × factor.
    double (*largest)(const double *x, const double *factor, size_t n, double most);
    /// The largest |missing| relative to size + floor × unit; NaN where one is.
    double (*worst)(const double *missing, const double *size, double floor,
                    const double *unit, size_t n);
    /// For each row Σ |A| × the speed of the column.
    void (*speeds)(const KalRowPass *pass, const double *speed, double *out_sums);
} KalPasses;

const KalPasses *kal_passes(void);

extern const KalPasses kal_passes_plain;
extern const KalPasses kal_passes_wide; ///< x86-64 only

#endif
