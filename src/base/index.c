// SPDX-License-Identifier: MIT

// Doubling: places know the hashes of their things, so that these need not be looked at.

#include "base/index.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST_PLACES = 64
};

uint64_t kal_hash_text(uint64_t hash, const char *text, size_t length)
{
    assert(text || length == 0);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

// All things are put anew by the hashes that their places keep.
bool kal_index_reserve(KalContext *ctx, KalIndex *index)
{
    if (kal_index_has_room(index)) {
        return true;
    }
    KalIndex larger = {.n_places =
                           index->n_places > 0 ? 2 * index->n_places : FIRST_PLACES};
    larger.places = (uint64_t *)kal_alloc(ctx, larger.n_places, sizeof *larger.places);
    if (!larger.places) {
        return false;
    }
    for (size_t i = 0; i < index->n_places; i++) {
        if (index->places[i] != 0) {
            kal_index_put(&larger, (uint32_t)(index->places[i] >> 32),
                          (uint32_t)index->places[i] - 1);
        }
    }
    assert(larger.count == index->count);
    kal_index_clear(ctx, index);
    *index = larger;
    return true;
}

bool kal_index_make(KalContext *ctx, KalIndex *index, size_t things)
{
    assert(!index->places);
    KalIndex made = {.n_places = FIRST_PLACES};
    while (3 * things >= 2 * made.n_places) {
        made.n_places *= 2;
    }
    made.places = (uint64_t *)kal_alloc(ctx, made.n_places, sizeof *made.places);
    *index = made.places ? made : *index;
    return made.places;
}

void kal_index_clear(KalContext *ctx, KalIndex *index)
{
    kal_free(ctx, index->places, index->n_places * sizeof *index->places);
    *index = (KalIndex){.places = NULL};
}
