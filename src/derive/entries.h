// SPDX-License-Identifier: MIT

/// @file
/// Sparse matrices put together entry by entry.
///
/// Entries come in any order; those of the same place add up.  What comes to zero is not
/// in the matrix.

#ifndef DERIVE_ENTRIES_H
#define DERIVE_ENTRIES_H

#include "base/block.h"
#include "expr/diff.h"

/// Entries of a matrix to be; zeroed is empty.
typedef struct KalEntries {
    KalBlock block; ///< the entries so far
} KalEntries;

/// Add a value at a place.
KAL_CHECKED KalStatus kal_entries_add(KalGraph *g, KalEntries *entries, size_t row,
                                      size_t column, KalExpr value);

/// Add one row of a matrix, as a row of this one.
KAL_CHECKED KalStatus kal_entries_add_row(KalGraph *g, KalEntries *entries, size_t row,
                                          const KalSparse *from, size_t from_row);

/// Make the matrix and empty the entries, on failure too.
KAL_CHECKED KalStatus kal_entries_finish(KalGraph *g, KalEntries *entries, size_t rows,
                                         size_t columns, KalSparse *out_matrix);

/// Give the memory back.
void kal_entries_clear(KalGraph *g, KalEntries *entries);

#endif
