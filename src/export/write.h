// SPDX-License-Identifier: MIT

/// @file
/// The files of an export, as texts.

#ifndef EXPORT_WRITE_H
#define EXPORT_WRITE_H

#include "export/plan.h"

/// A text that the first line of every file begins with, after the sign of a comment: files
/// without it are not ours.
#define KAL_EXPORT_MARK "Written by kalaba export"

/// Write the header, the source and so on, by the name of the text: "header", "source",
/// "main", "cmake", "meson".  What went wrong is kept by the page.
void kal_export_write_file(const KalExportPlan *plan, const char *text, KalPage *page);

/// Operations of an acceleration by eliminated formulas or sparse factors; 0 where there are none.
size_t kal_export_operations(const KalExportPlan *plan);

/// Bytes of the work memory, and operations of the general solution, about.
size_t kal_export_work_bytes(const KalExportPlan *plan);
size_t kal_export_most_operations(const KalExportPlan *plan);

#endif
