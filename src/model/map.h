// SPDX-License-Identifier: MIT

/// @file
/// A table from numbers to numbers.

#ifndef MODEL_MAP_H
#define MODEL_MAP_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/// A pair; key 0 marks a free place.
typedef struct KalPair {
    uint64_t key;
    uint64_t value;
} KalPair;

/// Zeroed is empty.  Less than half of the places are taken.
typedef struct KalMap {
    KalPair *pairs;
    size_t capacity; ///< a power of two, or 0
    size_t count;
} KalMap;

/// Give the memory back.
void kal_map_clear(KalContext *ctx, KalMap *map);

/// Find what a key, not 0, was set to; false when it was not.
bool kal_map_find(const KalMap *map, uint64_t key, uint64_t *out_value);

/// Set a key, which is not 0.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_map_set(KalContext *ctx, KalMap *map, uint64_t key,
                                  uint64_t value);

/// The same for pointers; NULL when the key was not set.
void *kal_map_find_pointer(const KalMap *map, uint64_t key);
KAL_CHECKED KalStatus kal_map_set_pointer(KalContext *ctx, KalMap *map, uint64_t key,
                                          void *pointer);

/// The key of an address.
uint64_t kal_map_key(const void *address);

#endif
