// SPDX-License-Identifier: MIT

/// @file
/// More columns of a record, for what shows a run in pictures.

#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include "expr/graph.h"

#include <kalaba/record.h>

/// Add a column for each of `count` formulas, of anything that an output may use, under
/// the names #1, #2, …; before the first row and once.  Where a formula has no value its
/// column has NaN.
KAL_CHECKED KalStatus kal_record_add_formulas(KalRecord *record,
                                              const KalExpr *formulas, size_t count);

/// Add the columns `error(position)` and `error(velocity)`: the largest residuals that
/// the constraints have in the states that are taken.  Before the first row.
KAL_CHECKED KalStatus kal_record_add_errors(KalRecord *record);

/// The values of all columns in the state that the run, or a look ahead of it, has reached,
/// without a row for them.  They hold until the next call.  Fails as kal_record_take().
KAL_CHECKED KalStatus kal_record_look(KalRecord *record, KalRun *run,
                                      const double **out_values);

/// Add a row for the start that was found for a run, whether the run could begin there or not:
/// time, positions, velocities, states, and formulas of these.  All else is NaN.  KAL_ERR_USAGE
/// without such a start, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_record_take_start(KalRecord *record, KalRun *run);

/// Whether redundant constraints share a force in the state that was looked at last; then
/// kal_record_doubts() tells whether the value of a column hangs on how.
bool kal_record_has_doubts(KalRecord *record, KalRun *run);

/// Whether the value of a column in that state is not unique.  Holds where the former is true.
bool kal_record_doubts(const KalRecord *record, KalRun *run, size_t column);

/// What a column holds, in one word of columns.def.
const char *kal_record_kind(const KalRecord *record, size_t column);

#endif
