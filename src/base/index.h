// SPDX-License-Identifier: MIT

/// @file
/// Things by their hashes: the one hash table there is.
///
/// Open addressing with linear probing (D. E. Knuth, The Art of Computer Programming 3, 6.4,
/// algorithm L): at most two thirds of the places are taken, and nothing is ever removed.  A place
/// holds the number of a thing and 32 bits of its hash.  What the thing is, and whether two
/// are the same, its owner knows:
///
///     size_t at = kal_index_begin(&index, hash);
///     for (uint32_t i; kal_index_next(&index, hash, &at, &i);) {
///         if (thing i is the one sought) …
///     }

#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include "base/context.h"

#include <assert.h>
#include <stdint.h>

/// Zeroed is empty.
typedef struct KalIndex {
    uint64_t *places; ///< hash and, in the low half, 1 + number; 0 for none
    size_t n_places;  ///< a power of two, or 0
    size_t count;     ///< places that are taken
} KalIndex;

/// A hash of two numbers.
static inline uint32_t kal_hash(uint64_t a, uint64_t b)
{
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) + b * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h >> 32);
}

/// Where the hash of a text begins.
#define KAL_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/// The hash of a text that goes on (FNV-1a, by Fowler, Noll and Vo).
uint64_t kal_hash_text(uint64_t hash, const char *text, size_t length);

/// Where things of a hash begin to be.
static inline size_t kal_index_begin(const KalIndex *index, uint32_t hash)
{
    return hash & (index->n_places - 1);
}

/// The next thing of this hash, if there is one.
static inline bool kal_index_next(const KalIndex *index, uint32_t hash, size_t *at,
                                  uint32_t *out_number)
{
    while (index->n_places > 0 && index->places[*at] != 0) {
        const uint64_t place = index->places[*at];
        *at = (*at + 1) & (index->n_places - 1);
        if (place >> 32 == hash) {
            *out_number = (uint32_t)place - 1;
            return true;
        }
    }
    return false;
}

/// Whether one more thing has room.
static inline bool kal_index_has_room(const KalIndex *index)
{
    return 3 * index->count < 2 * index->n_places;
}

/// Make sure that one more thing has room.  False, and nothing changes, when there is no
/// memory.
bool kal_index_reserve(KalContext *ctx, KalIndex *index);

/// Put a thing, for which there is room, behind those of its hash.
static inline void kal_index_put(KalIndex *index, uint32_t hash, uint32_t number)
{
    assert(kal_index_has_room(index) && number < UINT32_MAX);
    size_t at = kal_index_begin(index, hash);
    while (index->places[at] != 0) {
        at = (at + 1) & (index->n_places - 1);
    }
    index->places[at] = (uint64_t)hash << 32 | (number + 1);
    index->count++;
}

/// Make room in an empty index for so many things.  False, and it stays empty, when there
/// is no memory.
bool kal_index_make(KalContext *ctx, KalIndex *index, size_t things);

/// Give the memory back.
void kal_index_clear(KalContext *ctx, KalIndex *index);

#endif
