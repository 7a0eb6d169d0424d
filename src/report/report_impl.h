// SPDX-License-Identifier: MIT

/// @file
/// What the files of this module share.
///
/// The numbers of a report are the columns of one table: what every record has, energy,
/// forces and errors, then the formulas of plots and drawings.  The page refers to columns
/// by their numbers.

#ifndef REPORT_REPORT_IMPL_H
#define REPORT_REPORT_IMPL_H

#include "base/block.h"
#include "base/map.h"
#include "json/member.h"
#include "sim/access.h"
#include "sim/record.h"
#include "system/examine.h"

#include <kalaba/report.h>

struct KalReport {
    KalContext *ctx;
    const KalSystem *system;
    KalRecord *record;
    const KalTable *table; ///< of the record
    KalCheck *check;       ///< of the system, once it is needed
    KalMap columns;        ///< node of a formula → its column
    KalBlock formulas;     ///< KalExpr
    size_t first_formula;  ///< its column
    size_t n_plots;        ///< of the model's, that are shown
    size_t n_drawings;     ///< likewise
    bool still;            ///< its row is a start without a motion
};

/// The column that holds a formula of a plot or of a drawing that is shown.
size_t kal_report_column(const KalReport *report, KalExpr e);

/// All that goes into the data of a page.
typedef struct KalReportData {
    const KalReport *report;
    const KalRun *run;
    const KalReportFacts *facts;
    const KalCheck *check;
    const size_t *rows; ///< n_rows of the table, rising
    size_t n_rows;
} KalReportData;

/// How many bytes the folder of the model's file takes in its name, and in those of files that
/// it uses.
size_t kal_report_folder_length(const KalSystem *system);

/// Write the data as one JSON object.
void kal_report_write_data(const KalReportData *data, KalSink sink);

/// Write the columns of the chosen rows: `"columns": […]`.
void kal_report_write_columns(const KalReportData *data, KalJsonWriter *writer);

/// Write what the model asks to see: `"plots": […], "drawings": […], "forces": […]`.
void kal_report_write_pictures(const KalReportData *data, KalJsonWriter *writer);

/// Choose rows, all of them or somewhat less than `most`: the first and the last, and such
/// that between neighbors nothing in one of the `count` columns is larger or smaller than
/// near by.  Adds size_t to the block, which the caller clears in any case.
KAL_CHECKED KalStatus kal_report_thin(KalContext *ctx, const KalTable *table,
                                      const size_t *columns, size_t count, size_t most,
                                      KalBlock *rows);

/// Write the page: the template with its gaps filled.
KAL_CHECKED KalStatus kal_report_write_page(const KalReportData *data, KalSink sink);

/// The page without its contents, `*out_length` bytes of UTF-8, in which comments mark
/// the gaps: `<!--kalaba:title-->`.  NULL when the library was built without it.
const char *kal_report_template(size_t *out_length);

/// The same for the page of a sweep.
const char *kal_report_sweep_template(size_t *out_length);

#endif
