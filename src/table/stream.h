// SPDX-License-Identifier: MIT

/// @file
/// Tables that are written row by row, with texts at the end of each row, however many rows
/// there are: memory does not grow with them.
///
/// CSV has a line for each row.  HDF5 has a dataset for each column in the group `columns`, as
/// tables have, in chunks and compressed, and a link to each in the root of the file; those of
/// texts have a fixed length.  A file appears under its name only when it is whole.

#ifndef TABLE_STREAM_H
#define TABLE_STREAM_H

#include "base/context.h"

#include <kalaba/table.h>

#include <stdint.h>

/// @name Tables of runs
/// Their first column, and last ones of texts: what became of a run, and before it, if there
/// are any, the names of columns whose values are not unique in a row.  Readers take these as
/// marks of columns, and pass over the others.
/// @{
#define KAL_TABLE_RUN_COLUMN    "run"
#define KAL_TABLE_STATUS_COLUMN "status"
#define KAL_TABLE_MARKS_COLUMN  "not_unique"
#define KAL_TABLE_MARKS_BETWEEN "; "
/// @}

/// A table on its way into a file.
typedef struct KalStream KalStream;

/// A column of texts.
typedef struct KalStreamText {
    const char *name;
    size_t size; ///< bytes of the longest text, with its end
} KalStreamText;

/// What it will be.
typedef struct KalStreamSpec {
    const char *path; ///< .csv, .h5 or .hdf5
    const KalQuantity *columns;
    size_t n_columns;           ///< 1 or more
    const KalStreamText *texts; ///< behind them
    size_t n_texts;
    uint64_t rows;             ///< how many there will be
    const KalTableNote *notes; ///< for the formats that have a place for them
    size_t n_notes;
    int threads; ///< that may work on it at once; the file is the same for any number
} KalStreamSpec;

/// Whether the ending of a path is that of a format.  KAL_ERR_USAGE.
KAL_CHECKED KalStatus kal_stream_check(KalContext *ctx, const char *path);

/// Begin.  What the spec points to is borrowed until the stream is destroyed.  The caller
/// owns the stream.  KAL_ERR_USAGE for another ending, KAL_ERR_FILE, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_stream_create(KalContext *ctx, const KalStreamSpec *spec,
                                        KalStream **out_stream);

/// Forget a stream.  Unless it was finished there is no file.  NULL is allowed.
void kal_stream_destroy(KalStream *stream);

/// Add a row; `values` is NULL for one of a stretch.  KAL_ERR_FILE; of some failures finishing
/// tells.
KAL_CHECKED KalStatus kal_stream_add(KalStream *stream, const double *values,
                                     const char *const *texts);

/// Finish the file, after all rows.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_stream_finish(KalStream *stream);

/// @name Stretches
/// Rows that follow each other, made ready before their table is begun: most of the work of
/// writing it, which threads can do when they come to it.
/// @{

/// Rows of a stretch.  The first begins with the table, and each where the one before ends.
enum {
    KAL_STRETCH_ROWS = 8192
};

/// Rows on their way into a stretch; good for one after the other.
typedef struct KalStretch KalStretch;

/// For tables of a spec, of which the path and the numbers of columns and texts count.
/// KAL_ERR_USAGE for an ending that is none, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_stretch_create(KalContext *ctx, const KalStreamSpec *spec,
                                         KalStretch **out_stretch);

/// NULL is allowed.
void kal_stretch_destroy(KalStretch *stretch);

/// Whether a stretch has the texts of its rows, too, so that their number has to be known.
bool kal_stretch_has_texts(const KalStretch *stretch);

/// Add a row, as to a stream.
KAL_CHECKED KalStatus kal_stretch_add(KalStretch *stretch, const double *values,
                                      const char *const *texts);

/// After KAL_STRETCH_ROWS rows: what they are, valid until the next row of the next stretch.
/// KAL_ERR_FILE without the library that compresses, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_stretch_finish(KalStretch *stretch, const void **out_bytes,
                                         size_t *out_size);

/// The next KAL_STRETCH_ROWS rows of a stream are those of a stretch; they are to be added
/// still, without values.  The bytes are borrowed until then.  Fails as kal_stream_add().
KAL_CHECKED KalStatus kal_stream_use(KalStream *stream, const void *bytes, size_t size);

/// @}

#endif
