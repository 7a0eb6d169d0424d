// SPDX-License-Identifier: MIT

/// @file
/// A file without a name, for what may be larger than memory: it is gone when it is closed or
/// its process ends, however that may be.

#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/// Zeroed is empty, and has no file.
typedef struct KalSpool {
    bool open;
    int descriptor;
    uint64_t size; ///< bytes in it
} KalSpool;

/// Make a file in the folder of a path.  False: there is none.
bool kal_spool_open(KalContext *ctx, const char *path, KalSpool *out_spool);

/// NULL and one without a file are allowed.
void kal_spool_close(KalSpool *spool);

/// How many bytes its disk has left; as many as can be where nobody knows.
uint64_t kal_spool_room(const KalSpool *spool);

/// Write bytes to the end; false: the disk does not take them.
bool kal_spool_add(KalSpool *spool, const void *bytes, size_t size);

/// Read bytes that were written.
bool kal_spool_get(const KalSpool *spool, uint64_t place, void *out_bytes, size_t size);

#endif
