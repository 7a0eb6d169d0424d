// SPDX-License-Identifier: MIT

/// @file
/// Systems of many coordinates: the structure of sparse factors as tables.
///
/// Eliminated formulas of hundreds of coordinates are code that takes minutes to compile, and for
/// nets megabytes.  So beyond the size at which instants are sparse (system/large_instant.h) the
/// source has the factors of K = [M Aᵀ; A 0] in loops over tables (sparse/ldl.h).  They agree with
/// those of the library, which has others for M that is a diagonal and takes columns with the same
/// rows at once, to rounding: both correct their answers by what the equations miss.

#ifndef EXPORT_SPARSE_H
#define EXPORT_SPARSE_H

#include "export/write_impl.h"

/// Find the structure, if the model is one for it: plan->sparse.
KAL_CHECKED KalStatus kal_export_make_sparse(KalExportPlan *plan);

/// Whether columns are so long that they wait until others come.
bool kal_export_has_long_columns(const KalExportPlan *plan);

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
