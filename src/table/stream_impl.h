// SPDX-License-Identifier: MIT

/// @file
/// What the formats of streams share.

#ifndef TABLE_STREAM_IMPL_H
#define TABLE_STREAM_IMPL_H

#include "base/whole_file.h"
#include "table/stream.h"

/// HDF5 on its way, which knows its library.
typedef struct KalHdf5Stream KalHdf5Stream;

struct KalStream {
    KalContext *ctx;
    KalStreamSpec spec;
    size_t format;
    KalFile *file;
    KalHdf5Stream *hdf5; ///< NULL for other formats
};

/// A row as a line of CSV.
void kal_stream_put_line(KalSink sink, const KalStreamSpec *spec, const double *values,
                         const char *const *texts);

/// Whether the format of a path, which has one, has a line for each row.
bool kal_stream_has_lines(const char *path);

/// The end of each column in the bytes of a stretch without lines, which begin behind these.
typedef uint64_t KalStretchEnd;

/// @name HDF5
/// @{
KAL_CHECKED KalStatus kal_hdf5_stream_begin(KalStream *stream);
KAL_CHECKED KalStatus kal_hdf5_stream_add(KalStream *stream, const double *values,
                                          const char *const *texts);
KAL_CHECKED KalStatus kal_hdf5_stream_use(KalStream *stream, const void *bytes,
                                          size_t size);
KAL_CHECKED KalStatus kal_hdf5_stream_end(KalStream *stream);
void kal_hdf5_stream_clear(KalStream *stream);
/// @}

#endif
