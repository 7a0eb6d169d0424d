// SPDX-License-Identifier: MIT

/// @file
/// Tables as comma-separated values, RFC 4180.
///
/// One line of names, then one line a row.  Numbers have the fewest digits that read back
/// as the same double; those that are not finite are `nan`, `inf` and `-inf`.  A table
/// that is incomplete has one more column, the last, called `(incomplete)` with 1 in
/// every row: any reader takes it, and nobody can overlook it.

#ifndef TABLE_CSV_H
#define TABLE_CSV_H

#include "base/context.h"

#include <kalaba/table.h>
#include <kalaba/text.h>

/// @name Pieces of a line
/// @{
void kal_csv_put(KalSink sink, const char *text);
/// A text, quoted where that is needed.
void kal_csv_put_field(KalSink sink, const char *text);
void kal_csv_put_number(KalSink sink, double value);
/// @}

/// Write names and rows.
KAL_CHECKED KalStatus kal_csv_write(const KalTable *table, KalSink sink);

/// Write the line `# units: ` with the unit of each column.
void kal_csv_write_units(const KalTable *table, KalSink sink);

/// Write a table of its own: name, unit and description of each column, one a line.
void kal_csv_write_columns(const KalTable *table, KalSink sink);

/// Read `length` bytes, which messages call `name`.  Takes what kal_csv_write() and
/// kal_csv_write_units() write, and what people and other programs do: a byte order mark,
/// lines that end with CR LF, empty lines, lines that begin with `#`, spaces around
/// numbers, `+1`, `.5`, `NaN`, `Infinity`; an empty field is not a number.  `limit` as for
/// kal_table_create(), for the text as well.
KAL_CHECKED KalStatus kal_csv_parse(KalContext *ctx, const char *name, const char *text,
                                    size_t length, size_t limit, KalTable **out_table);

/// In which line of such a text a row is, both counted from 1 and 0.
KAL_CHECKED KalStatus kal_csv_find_line(KalContext *ctx, const char *text,
                                        size_t length, size_t row, size_t *out_line);

/// Read what kal_csv_write_columns() writes: units and descriptions go to the columns of
/// the table that have the names; others are passed over.  A text with another first line
/// is none of ours and is passed over as a whole.  KAL_ERR_SYNTAX with its place,
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_csv_parse_columns(KalContext *ctx, const char *name,
                                            const char *text, size_t length,
                                            KalTable *table);

#endif
