// SPDX-License-Identifier: MIT

/// @file
/// A table: named columns of numbers with their units, what else is to be known about
/// them, and the files that hold it.
///
/// Columns come first, then rows, one at a time.  All of it is in memory until it is
/// written, so a table has a limit.  Beside its columns a table has *parameters*, numbers
/// with a name and a unit, and *notes*: texts and numbers under a key, such as the text of
/// the model, the version or the count of steps.
///
/// The ending of a file's name says how the table is written: .csv, .h5 or .hdf5, .mat,
/// .json (docs/formats.md).  A file appears under its name only when it is whole.
///
/// Texts are UTF-8 and are copied; names, units and keys have no control characters.  What
/// a table returns is borrowed until it changes.

#ifndef KALABA_TABLE_H
#define KALABA_TABLE_H

#include <kalaba/context.h>
#include <kalaba/text.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Named columns of numbers.
typedef struct KalTable KalTable;

/// Bounds that every table keeps.
enum {
    KAL_TABLE_COLUMN_LIMIT = 65536, ///< columns; parameters and notes likewise
    KAL_TABLE_LABEL_LIMIT = 4096,   ///< bytes of a name, a unit, a description or a key
};

/// What the description of a column begins with whose values are not unique: they hang on
/// how redundant constraints share a force.
#define KAL_TABLE_NOT_UNIQUE "not unique"

/// What a column or a parameter is.  NULL stands for "" where a table takes one in.
typedef struct KalQuantity {
    const char *name;        ///< not empty
    const char *unit;        ///< "m/s"; "" when there is none
    const char *description; ///< for people; may be ""
} KalQuantity;

/// Whether no value of a column hangs on how redundant constraints share a force, as its
/// description says.
KAL_API bool kal_quantity_is_unique(KalQuantity quantity);

/// A number that held for all rows.
typedef struct KalTableParameter {
    KalQuantity quantity;
    double value;
} KalTableParameter;

/// Something to be known about the table.
typedef struct KalTableNote {
    const char *key;
    const char *text; ///< NULL when it is a number
    double number;    ///< 0 when it is a text
} KalTableNote;

/// Where CSV, which has no place for units, puts them.
typedef enum KalTableUnits {
    KAL_TABLE_UNITS_NONE,    ///< nowhere
    KAL_TABLE_UNITS_COMMENT, ///< in a line before the header that begins with "# units: "
    KAL_TABLE_UNITS_FILE,    ///< in a second file: x.units.csv beside x.csv
} KalTableUnits;

/// How to write.  Start with kal_table_write_options().
typedef struct KalTableWriteOptions {
    KalTableUnits csv_units;
} KalTableWriteOptions;

/// Make an empty table that will hold at most `limit` bytes of numbers and texts; 0 means
/// 4 GiB.  The caller owns it.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_table_create(KalContext *ctx, size_t limit,
                                               KalTable **out_table);

/// Free a table.  NULL is allowed.
KAL_API void kal_table_destroy(KalTable *table);

/// Add a column, before the first row.  KAL_ERR_USAGE when there are rows, when the name
/// is empty, taken or "(incomplete)", which marks files, or when a text is not as said
/// above; KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_table_add_column(KalTable *table,
                                                   KalQuantity quantity);

/// Describe column i, in the place of what was said of it.  Fails as
/// kal_table_add_column().
KAL_API KAL_CHECKED KalStatus kal_table_set_description(KalTable *table, size_t i,
                                                        const char *description);

/// Add a row: a number for each column.  Costs a copy; memory grows geometrically.
/// KAL_ERR_LIMIT when the table is full, KAL_ERR_NOMEM; the rows so far are kept.
/// KAL_ERR_USAGE when there are no columns.
KAL_API KAL_CHECKED KalStatus kal_table_add_row(KalTable *table, const double *values);

/// Set a parameter, which may have a value already.  Fails as kal_table_add_column().
KAL_API KAL_CHECKED KalStatus kal_table_set_parameter(KalTable *table,
                                                      KalQuantity quantity,
                                                      double value);

/// Set a note to a text, of any length; it replaces what the key stood for.
/// KAL_ERR_USAGE when the key is empty or "incomplete" or a text is not as said above;
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_table_set_text(KalTable *table, const char *key,
                                                 const char *text);

/// Set a note to a number; otherwise as kal_table_set_text().
KAL_API KAL_CHECKED KalStatus kal_table_set_number(KalTable *table, const char *key,
                                                   double number);

/// Say whether rows are missing because the work ended early.  Files tell it.
KAL_API void kal_table_set_incomplete(KalTable *table, bool incomplete);

/// Whether rows are missing.
KAL_API bool kal_table_is_incomplete(const KalTable *table);

/// How many columns there are.
KAL_API size_t kal_table_columns(const KalTable *table);

/// A column, counted from 0.
KAL_API KalQuantity kal_table_column(const KalTable *table, size_t i);

/// The column of that name, or kal_table_columns() when there is none.
KAL_API size_t kal_table_find_column(const KalTable *table, const char *name);

/// How many rows there are.
KAL_API size_t kal_table_rows(const KalTable *table);

/// The numbers of a row, counted from 0, one for each column.
KAL_API const double *kal_table_row(const KalTable *table, size_t i);

/// How many parameters there are.
KAL_API size_t kal_table_parameters(const KalTable *table);

/// A parameter, counted from 0, in the order in which they were first set.
KAL_API KalTableParameter kal_table_parameter(const KalTable *table, size_t i);

/// How many notes there are.
KAL_API size_t kal_table_notes(const KalTable *table);

/// A note, counted from 0, in the order in which they were first set.
KAL_API KalTableNote kal_table_note(const KalTable *table, size_t i);

/// The usual options: units nowhere.
KAL_API KalTableWriteOptions kal_table_write_options(void);

/// Where the units of a CSV table are when they have a file of their own: x.units.csv for
/// x.csv.  False when the path is not that of a CSV, or the answer has no room.
KAL_API bool kal_table_units_path(const char *path, char *out_path, size_t size);

/// Try whether a table can be written to a path, without leaving a trace: whether the
/// ending is known, the folder there and open to us, and the library there that the format
/// needs.  KAL_ERR_USAGE for the ending, KAL_ERR_FILE, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_table_check_path(KalContext *ctx, const char *path);

/// Write a table.  The file is written under another name and renamed when it is whole,
/// so that a file of that name is either the old one or all of the new one.  `options` may
/// be NULL.  KAL_ERR_USAGE when the ending is not known or the table has no columns,
/// KAL_ERR_FILE (no room, no permission, no folder, no HDF5), KAL_ERR_LIMIT when the
/// format cannot hold so much, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_table_write(const KalTable *table, const char *path,
                                              const KalTableWriteOptions *options);

/// Write a table as CSV to a sink, as for a pipe; units, if asked for, go into a comment.
/// `options` may be NULL.  KAL_ERR_USAGE when the table has no columns or units are to have a
/// file of their own.
KAL_API KAL_CHECKED KalStatus kal_table_write_csv(const KalTable *table, KalSink sink,
                                                  const KalTableWriteOptions *options);

/// Read a table from a file: .csv, .h5 or .hdf5.  Units of x.csv that it has no comment for
/// come from x.units.csv, if that is there.  `limit` as for kal_table_create().  The
/// caller owns the table.  KAL_ERR_USAGE for another ending, KAL_ERR_FILE, KAL_ERR_SYNTAX
/// and KAL_ERR_NUMBER with line and column of a CSV, KAL_ERR_SHAPE when columns of an HDF5
/// file differ in length, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_table_read(KalContext *ctx, const char *path,
                                             size_t limit, KalTable **out_table);

#ifdef __cplusplus
}
#endif

#endif
