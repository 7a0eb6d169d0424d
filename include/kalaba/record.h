// SPDX-License-Identifier: MIT

/// @file
/// The record of a run: a table with a row for each sample.
///
///     kal_record_create(ctx, system, NULL, 0, &record);
///     … kal_record_take(record, run) after each advance …
///     kal_record_finish(record, run);
///     kal_table_write(kal_record_table(record), "out.csv", NULL);
///
/// Columns are `t`, the coordinates, the velocities (`x'`) and the outputs of the model;
/// more on request.

#ifndef KALABA_RECORD_H
#define KALABA_RECORD_H

#include <kalaba/run.h>
#include <kalaba/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A table in the making.
typedef struct KalRecord KalRecord;

/// Make an empty record.  `patterns` name `count` further columns, with `*` for any text
/// and `?` for any character: accelerations `x''`, constraint forces `cforce(x)`, reactions
/// `reaction(c)` and `drive(x)`, inputs `control(u)`, `energy()`; and `run`, its number.
/// The caller owns it and keeps the system longer.  KAL_ERR_USAGE when a pattern fits
/// nothing.
KAL_API KAL_CHECKED KalStatus kal_record_create(KalContext *ctx,
                                                const KalSystem *system,
                                                const char *const *patterns,
                                                size_t count, KalRecord **out_record);

/// Free a record.  NULL is allowed.
KAL_API void kal_record_destroy(KalRecord *record);

/// Whether all samples of a run with these options have room.  KAL_ERR_LIMIT when they do
/// not and no event may stop it before.
KAL_API KAL_CHECKED KalStatus kal_record_foresee(const KalRecord *record,
                                                 const KalRunOptions *options);

/// Say what number the samples to come have in column `run`; 1 at first.
KAL_API void kal_record_set_run(KalRecord *record, int number);

/// Add the state that the run has reached.  KAL_ERR_USAGE before the start of the run and
/// for a run of another system; KAL_ERR_NUMBER when an output has no value;
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_record_take(KalRecord *record, KalRun *run);

/// Note down the model, its parameters, the options and the statistics of the run, and
/// whether it is over.
KAL_API KAL_CHECKED KalStatus kal_record_finish(KalRecord *record, const KalRun *run);

/// The table, which belongs to the record.
KAL_API KalTable *kal_record_table(KalRecord *record);

#ifdef __cplusplus
}
#endif

#endif
