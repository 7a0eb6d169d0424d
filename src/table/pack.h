// SPDX-License-Identifier: MIT

/// @file
/// Chunks of columns as HDF5 keeps them, shuffled and compressed, by several threads at once.
///
/// HDF5 packs one chunk after the other, under a lock; a sweep on many cores would wait for it.
/// What is written here HDF5 reads by its own filters: bytes of equal weight together (shuffle),
/// then zlib's format (deflate).  The result depends on the numbers alone, not on threads.

#ifndef TABLE_PACK_H
#define TABLE_PACK_H

#include "base/context.h"

enum {
    KAL_PACK_LEVEL = 4 ///< of compression, 0 … 9
};

/// A chunk of a column.
typedef struct KalPack {
    void *from;            ///< its elements, which packing only reads
    size_t size;           ///< bytes of an element
    size_t count;          ///< elements
    bool numbers;          ///< elements are doubles
    unsigned char *planes; ///< size × count bytes: workspace
    unsigned char *to;     ///< kal_pack_room() bytes
    size_t packed;         ///< how many there are, in the end
} KalPack;

/// Bytes that a chunk of so many may take.
size_t kal_pack_room(size_t bytes);

/// Pack n chunks.  KAL_ERR_FILE without zlib, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_pack_all(KalContext *ctx, KalPack *packs, size_t n,
                                   int threads);

#endif
