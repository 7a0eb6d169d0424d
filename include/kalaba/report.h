// SPDX-License-Identifier: MIT

/// @file
/// The report of a run: one file of HTML with equations, plots and a moving picture.
///
///     kal_report_create(ctx, system, &report);
///     … kal_report_take(report, run) after each advance …
///     kal_report_write(report, run, &facts, "out.html");
///
/// The file needs nothing else: it opens from the disk in any current browser, without a
/// network.  Nothing in a model can become markup or script in it.

#ifndef KALABA_REPORT_H
#define KALABA_REPORT_H

#include <kalaba/run.h>
#include <kalaba/sweep.h>
#include <kalaba/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A report in the making.
typedef struct KalReport KalReport;

/// What the run itself does not know.
typedef struct KalReportFacts {
    double seconds;      ///< that the run took
    const char *failure; ///< why it ended early; NULL when it did not
} KalReportFacts;

/// Try whether a report can be written to a path, without leaving a trace.  KAL_ERR_USAGE
/// when the library was built without its web parts, KAL_ERR_FILE, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_report_check_path(KalContext *ctx, const char *path);

/// Make an empty report.  The caller owns it and keeps the system longer.
KAL_API KAL_CHECKED KalStatus kal_report_create(KalContext *ctx,
                                                const KalSystem *system,
                                                KalReport **out_report);

/// Fail if the states of a run with these options, taken as often as they say, are more
/// than a report can hold.  KAL_ERR_LIMIT.
KAL_API KAL_CHECKED KalStatus kal_report_foresee(const KalReport *report,
                                                 const KalRunOptions *options);

/// Free a report.  NULL is allowed.
KAL_API void kal_report_destroy(KalReport *report);

/// Add the state that the run has reached.  KAL_ERR_NUMBER when an output has no value;
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_report_take(KalReport *report, KalRun *run);

/// Write the report.  The file is written under another name and renamed when it is whole.
/// Of more states than a page can show, those are kept in which something is largest or
/// smallest.  Fails as kal_report_check_path().
KAL_API KAL_CHECKED KalStatus kal_report_write(KalReport *report, const KalRun *run,
                                               const KalReportFacts *facts,
                                               const char *path);

/// All states that were taken, one a row: the columns that the data of the page numbers.  It
/// belongs to the report.
KAL_API const KalTable *kal_report_table(const KalReport *report);

/// What a report is printed as.
typedef enum KalReportForm {
    KAL_REPORT_PAGE, ///< the page that kal_report_write() writes
    KAL_REPORT_DATA, ///< what it shows, but for equations and text, as one JSON object
} KalReportForm;

/// Write the report to a sink, as it is so far; more states may be taken after that.
/// KAL_ERR_USAGE when the page is wanted and the library was built without its web parts,
/// KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_report_print(KalReport *report, const KalRun *run,
                                               const KalReportFacts *facts,
                                               KalReportForm form, KalSink sink);

/// @name The report of a sweep: its runs as an interactive table and in parallel coordinates
/// @{

/// A report of a sweep in the making.
typedef struct KalSweepReport KalSweepReport;

/// What the sweep itself does not know.
typedef struct KalSweepReportFacts {
    const char *command; ///< as one might type it, without files; or NULL
    const char *table;   ///< the file that has all rows; or NULL
} KalSweepReportFacts;

/// Make an empty report.  The caller owns it and keeps the sweep longer.
KAL_API KAL_CHECKED KalStatus kal_sweep_report_create(KalContext *ctx,
                                                      const KalSweep *sweep,
                                                      KalSweepReport **out_report);

/// Free a report.  NULL is allowed.
KAL_API void kal_sweep_report_destroy(KalSweepReport *report);

/// Add a row, if the page is to have it: of a large sweep it has one of k, drawn by chance,
/// some thousands.
/// Rows come in the order of their numbers.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_sweep_report_take(KalSweepReport *report,
                                                    const KalSweepRow *row);

/// Write the report, as kal_report_write() does.  Reports of its runs, whose commands the page
/// tells, are looked for beside it: `map-17.html` beside `map.html`.
KAL_API KAL_CHECKED KalStatus kal_sweep_report_write(const KalSweepReport *report,
                                                     const KalSweepReportFacts *facts,
                                                     const char *path);
/// @}

#ifdef __cplusplus
}
#endif

#endif
