// SPDX-License-Identifier: MIT

/// @file
/// Things by their hashes: the one hash table there is.
///
/// Open addressing with linear probing (D. E. Knuth, The Art of Computer Programming 3, 6.4,
/// algorithm L): at most two thirds of the places are taken, and nothing is ever removed.  A
/// place has 32 bits: the number of a thing, for which the number of places says how many bits
/// it needs, and in the bits above as many low ones of its hash as there is room for.  So nearly
/// all things of another hash are passed over without a look at them.  What the thing is, and
/// whether two are the same, its owner knows, and also the hash of a thing, which is asked for
/// when the table grows:
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
    uint32_t *places; ///< a part of the hash above 1 + number; 0 for none
    size_t n_places;  ///< 2^k or 3 × 2^k, or 0
    size_t count;     ///< places that are taken
    int bits;         ///< of a place that are for the number
} KalIndex;

/// Who knows the hashes of things.
typedef struct KalHashes {
    uint32_t (*hash)(const void *owner, uint32_t number);
    const void *owner;
} KalHashes;

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

/// Where things of a hash begin to be: by its high bits, for places keep the low ones.
static inline size_t kal_index_begin(const KalIndex *index, uint32_t hash)
{
    return (size_t)((uint64_t)hash * index->n_places >> 32);
}

/// What a place of this hash is above its number.
static inline uint32_t kal_index_part(const KalIndex *index, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash << index->bits);
}

/// The next thing that may be of this hash, if there is one.
static inline bool kal_index_next(const KalIndex *index, uint32_t hash, size_t *at,
                                  uint32_t *out_number)
{
    const uint32_t part = kal_index_part(index, hash);
    while (index->n_places > 0 && index->places[*at] != 0) {
        const uint32_t left = index->places[*at] ^ part;
        *at = *at + 1 < index->n_places ? *at + 1 : 0;
        if ((uint64_t)left >> index->bits == 0) {
            *out_number = left - 1;
            return true;
        }
    }
    return false;
}

/// Whether one more thing, of this number, has room.
static inline bool kal_index_has_room(const KalIndex *index, uint32_t number)
{
    return 3 * index->count < 2 * index->n_places
           && ((uint64_t)number + 1) >> index->bits == 0;
}

/// Make sure that one more thing, of this number, has room.  False, and nothing changes, when
/// there is no memory.
bool kal_index_reserve(KalContext *ctx, KalIndex *index, uint32_t number,
                       const KalHashes *hashes);

/// Put a thing, for which there is room, behind those of its hash.
static inline void kal_index_put(KalIndex *index, uint32_t hash, uint32_t number)
{
    assert(number < UINT32_MAX && kal_index_has_room(index, number));
    size_t at = kal_index_begin(index, hash);
    while (index->places[at] != 0) {
        at = at + 1 < index->n_places ? at + 1 : 0;
    }
    index->places[at] = kal_index_part(index, hash) | (number + 1);
    index->count++;
}

/// Make room in an empty index for so many things, with numbers that are no larger than places
/// are many.  False, and it stays empty, when there is no memory.
bool kal_index_make(KalContext *ctx, KalIndex *index, size_t things);

/// Give the memory back.
void kal_index_clear(KalContext *ctx, KalIndex *index);

#endif
