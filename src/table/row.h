// SPDX-License-Identifier: MIT

/// @file
/// Rows that are written where they stay: who computes many values of a table puts them there
/// instead of copying them.
///
/// Invariant: a row that was opened and not kept is no row of the table.

#ifndef TABLE_ROW_H
#define TABLE_ROW_H

#include "base/context.h"

#include <kalaba/table.h>

/// Room for the rows that a table with columns is expected to have, if it has none and they are not
/// too many: moving it each time it grows takes as long as writing them.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_table_expect_rows(KalTable *table, double rows);

/// Room for the next row of a table that has columns, which counts when it was written and
/// kept.  KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_table_open_row(KalTable *table, double **out_row);
void kal_table_keep_row(KalTable *table);

#endif
