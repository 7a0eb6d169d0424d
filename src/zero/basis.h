// SPDX-License-Identifier: MIT

/// @file
/// Independent rows of scalars, kept in reduced echelon form.
///
/// Rows are added one by one.  Each row kept is 1 at its pivot, where all others are 0.

#ifndef ZERO_BASIS_H
#define ZERO_BASIS_H

#include "base/block.h"
#include "zero/arithmetic.h"

/// A basis of a space of rows; made by kal_basis_init().
typedef struct KalBasis {
    KalContext *ctx;
    KalArithmetic field;
    size_t n;         ///< length of a row
    size_t preferred; ///< pivots are among the first so many columns if possible
    size_t rank;      ///< rows kept
    KalBlock rows;    ///< rank × n
    KalBlock pivots;  ///< rank: columns, as size_t
    KalScalar *work;  ///< n
} KalBasis;

/// An empty basis.  The caller clears it.
KAL_CHECKED KalStatus kal_basis_init(KalContext *ctx, KalArithmetic field, size_t n,
                                     size_t preferred, KalBasis *out_basis);
void kal_basis_clear(KalBasis *basis);

/// Add a row, unless it depends on those that are there.
KAL_CHECKED KalStatus kal_basis_add(KalBasis *basis, const KalScalar *row,
                                    bool *out_added);

/// The same with a pivot that is given; not added if it is zero there.
KAL_CHECKED KalStatus kal_basis_add_at(KalBasis *basis, const KalScalar *row,
                                       size_t pivot, bool *out_added);

/// Whether a row depends on those that are there.
bool kal_basis_spans(KalBasis *basis, const KalScalar *row);

/// A row kept, and its pivot.
const KalScalar *kal_basis_row(const KalBasis *basis, size_t i);
size_t kal_basis_pivot(const KalBasis *basis, size_t i);

#endif
