// SPDX-License-Identifier: MIT

/// @file
/// What the readers and writers know of a table beyond kalaba/table.h.

#ifndef TABLE_TABLE_IMPL_H
#define TABLE_TABLE_IMPL_H

#include "base/context.h"

#include <kalaba/table.h>

/// The last column of a CSV file, or a parameter of a MAT file, whose rows are not all
/// there.  No column or parameter may be called so.
#define KAL_TABLE_INCOMPLETE_COLUMN "(incomplete)"

/// The attribute of an HDF5 file, or the key of a JSON file, that says whether rows are
/// missing.  No note may be called so.
#define KAL_TABLE_INCOMPLETE_NOTE "incomplete"

/// What a limit of kal_table_create() means: itself, or the usual one for 0.
size_t kal_table_limit(size_t limit);

/// The context in which the table was made.
KalContext *kal_table_context(const KalTable *table);

/// Say the unit and the description of a column, which has none so far.  KAL_ERR_USAGE
/// when a text is not as kalaba/table.h says, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_table_describe(KalTable *table, size_t column,
                                         const char *unit, const char *description);

/// Give a table that has columns and no rows `count` rows of zeros, one or more, and
/// return where they are, row by row, so that a reader can fill them column by column.
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_table_add_empty_rows(KalTable *table, size_t count,
                                               double **out_values);

#endif
