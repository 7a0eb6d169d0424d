// SPDX-License-Identifier: MIT

// Places grow by a half or a third, so that more than four of nine are taken; things are then
// put anew by the hashes that their owner knows.

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

// How many bits hold 1 + number, for all numbers up to this one.
static int bits_of(uint64_t number)
{
    int bits = 0;
    while ((number + 1) >> bits != 0) {
        bits++;
    }
    assert(bits <= 32);
    return bits;
}

// 2^k, 3 × 2^(k−1), 2^(k+1) …
static size_t next_size(size_t n_places)
{
    const bool power = (n_places & (n_places - 1)) == 0;
    return n_places == 0 ? FIRST_PLACES : power ? n_places / 2 * 3 : n_places / 3 * 4;
}

// The number in a place that is taken.
static uint32_t number_in(const KalIndex *index, size_t at)
{
    const uint64_t mask = (UINT64_C(1) << index->bits) - 1;
    assert(index->places[at] != 0);
    return (uint32_t)(index->places[at] & mask) - 1;
}

// Numbers take more bits, and hashes fewer: they lose their high ones.
static void widen(KalIndex *index, int bits)
{
    assert(bits > index->bits);
    const int more = bits - index->bits;
    for (size_t i = 0; i < index->n_places; i++) {
        if (index->places[i] != 0) {
            const uint32_t number = number_in(index, i);
            const uint64_t part = (uint64_t)index->places[i] >> index->bits;
            index->places[i] = (uint32_t)(part << index->bits << more) | (number + 1);
        }
    }
    index->bits = bits;
}

// All things are put anew, from behind a place that is free, so that those of one hash keep
// their order.
static bool grow(KalContext *ctx, KalIndex *index, const KalHashes *hashes)
{
    KalIndex larger = {.n_places = next_size(index->n_places), .bits = index->bits};
    larger.places = (uint32_t *)kal_alloc(ctx, larger.n_places, sizeof *larger.places);
    if (!larger.places) {
        return false;
    }
    size_t at = 0;
    while (at < index->n_places && index->places[at] != 0) {
        at++;
    }
    for (size_t i = 0; i < index->n_places; i++) {
        at = at + 1 < index->n_places ? at + 1 : 0;
        if (index->places[at] != 0) {
            const uint32_t number = number_in(index, at);
            kal_index_put(&larger, hashes->hash(hashes->owner, number), number);
        }
    }
    assert(larger.count == index->count);
    kal_index_clear(ctx, index);
    *index = larger;
    return true;
}

bool kal_index_reserve(KalContext *ctx, KalIndex *index, uint32_t number,
                       const KalHashes *hashes)
{
    assert(number < UINT32_MAX && hashes->hash);
    if (kal_index_has_room(index, number)) {
        return true;
    }
    if (3 * index->count >= 2 * index->n_places && !grow(ctx, index, hashes)) {
        return false;
    }
    const int bits = bits_of(number);
    if (bits > index->bits) {
        widen(index, bits);
    }
    return true;
}

bool kal_index_make(KalContext *ctx, KalIndex *index, size_t things)
{
    assert(!index->places && things < UINT32_MAX);
    KalIndex made = {.n_places = FIRST_PLACES};
    while (3 * things >= 2 * made.n_places) {
        made.n_places = next_size(made.n_places);
    }
    made.bits = bits_of(made.n_places);
    made.places = (uint32_t *)kal_alloc(ctx, made.n_places, sizeof *made.places);
    *index = made.places ? made : *index;
    return made.places;
}

void kal_index_clear(KalContext *ctx, KalIndex *index)
{
    kal_free(ctx, index->places, index->n_places * sizeof *index->places);
    *index = (KalIndex){.places = NULL};
}
