// SPDX-License-Identifier: MIT

/// @file
/// The formats but CSV (table/csv.h), each in a file of its own.  docs/formats.md says what
/// the files look like.

#ifndef TABLE_FORMAT_IMPL_H
#define TABLE_FORMAT_IMPL_H

#include "base/context.h"

#include <kalaba/table.h>
#include <kalaba/text.h>

/// Write one JSON object.
KAL_CHECKED KalStatus kal_json_table_write(const KalTable *table, KalSink sink);

/// Write a MAT file, version 4, as Dymola and OpenModelica do.  KAL_ERR_LIMIT when the
/// numbers take more than the 2 GiB that the format has room for.
KAL_CHECKED KalStatus kal_mat_table_write(const KalTable *table, KalSink sink);

/// Whether the library is there that the next two need.  KAL_ERR_FILE with what to install
/// when it is not.
KAL_CHECKED KalStatus kal_hdf5_table_check(KalContext *ctx);

/// Write an HDF5 file, which is made in memory.  KAL_ERR_FILE with the words of HDF5 when
/// the library fails, which takes as much memory again as the table.
KAL_CHECKED KalStatus kal_hdf5_table_write(const KalTable *table, KalSink sink);

/// Read an HDF5 file that kal_hdf5_table_write() could have written.
KAL_CHECKED KalStatus kal_hdf5_table_read(KalContext *ctx, const char *path,
                                          size_t limit, KalTable **out_table);

#endif
