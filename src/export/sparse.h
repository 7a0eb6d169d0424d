// SPDX-License-Identifier: MIT

/// @file
/// Systems of many coordinates: the structure of sparse factors as tables.
///
/// Eliminated formulas of hundreds of coordinates are code that takes minutes to compile, and for
/// nets megabytes.  So beyond the size at which instants are sparse (system/large_instant.h) the
/// source has the factors of the library (large/large.h) in loops over tables: the same matrix,
/// order and sums, so that accelerations have the same bits.

#ifndef EXPORT_SPARSE_H
#define EXPORT_SPARSE_H

#include "export/write_impl.h"

/// Find the structure, if the model is one for it: plan->sparse.
KAL_CHECKED KalStatus kal_export_make_sparse(KalExportPlan *plan);

/// Whether there are nodes of which columns are not kept as they were.
bool kal_export_has_wide_nodes(const KalExportPlan *plan);

/// Whether some rows that act at the start repeat others.
bool kal_export_has_chosen(const KalExportPlan *plan);

/// Whether M has a diagonal and nothing else.
bool kal_export_is_diagonal(const KalExportPlan *plan);

/// Write the tables.
void kal_export_write_sparse_layout(const KalExportPlan *plan, KalPage *page);

/// Write the work memory; how many bytes it has, about.
void kal_export_write_sparse_arrays(KalExportWriting *w, KalPage *page);
size_t kal_export_sparse_bytes(const KalExportPlan *plan);

/// Operations of an acceleration that needs no correction.
size_t kal_export_sparse_operations(const KalExportPlan *plan);

#endif
