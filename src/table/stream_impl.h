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

/// @name HDF5
/// @{
KAL_CHECKED KalStatus kal_hdf5_stream_begin(KalStream *stream);
KAL_CHECKED KalStatus kal_hdf5_stream_add(KalStream *stream, const double *values,
                                          const char *const *texts);
KAL_CHECKED KalStatus kal_hdf5_stream_end(KalStream *stream);
void kal_hdf5_stream_clear(KalStream *stream);
/// @}

#endif
