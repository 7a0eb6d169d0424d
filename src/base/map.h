// SPDX-License-Identifier: MIT

/// @file
/// A table from numbers to numbers.

#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/block.h"
#include "base/index.h"

/// A key and what it was set to.
typedef struct KalPair {
    uint64_t key;
    uint64_t value;
} KalPair;

/// Zeroed is empty.
typedef struct KalMap {
    KalIndex index; ///< of the pairs, by their keys
    KalBlock pairs; ///< KalPair
} KalMap;

/// Give the memory back.
void kal_map_clear(KalContext *ctx, KalMap *map);

/// How many keys are set.
size_t kal_map_count(const KalMap *map);

/// Find what a key was set to; false when it was not.
bool kal_map_find(const KalMap *map, uint64_t key, uint64_t *out_value);

/// Set a key.  KAL_ERR_NOMEM leaves the map as it was.
KAL_CHECKED KalStatus kal_map_set(KalContext *ctx, KalMap *map, uint64_t key,
                                  uint64_t value);

/// Set a key unless it is set, which *out_known says.  KAL_ERR_NOMEM leaves the map as it was.
KAL_CHECKED KalStatus kal_map_add(KalContext *ctx, KalMap *map, uint64_t key,
                                  uint64_t value, bool *out_known);

/// Find and set pointers; NULL when the key was not set.
void *kal_map_find_pointer(const KalMap *map, uint64_t key);
KAL_CHECKED KalStatus kal_map_set_pointer(KalContext *ctx, KalMap *map, uint64_t key,
                                          void *pointer);

/// The key of an address.
uint64_t kal_map_key(const void *address);

#endif
