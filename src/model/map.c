// SPDX-License-Identifier: MIT

// A hash table with open addressing and linear probing (Knuth, The Art of Computer
// Programming 3, 6.4).
//
// Invariants: the capacity is a power of two, at most half of the places are taken, so that
// every search ends at a free one; key 0 marks a free place.  Nothing is ever removed.

#include "model/map.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(void *) <= sizeof(uint64_t), "a pointer fits");

enum {
    SMALLEST = 64
};

// The place of a key, or the free one where it would go.
static size_t place_of(const KalMap *map, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
    size_t place = (size_t)hash & (map->capacity - 1);
    assert(map->capacity != 0 && (map->capacity & (map->capacity - 1)) == 0);
    assert(2 * map->count <= map->capacity);
    while (map->pairs[place].key != 0 && map->pairs[place].key != key) {
        place = (place + 1) & (map->capacity - 1);
    }
    return place;
}

void kal_map_clear(KalContext *ctx, KalMap *map)
{
    kal_free(ctx, map->pairs, map->capacity * sizeof *map->pairs);
    *map = (KalMap){.pairs = NULL};
}

bool kal_map_find(const KalMap *map, uint64_t key, uint64_t *out_value)
{
    if (map->capacity == 0) {
        return false;
    }
    const KalPair *pair = &map->pairs[place_of(map, key)];
    if (pair->key == 0) {
        return false;
    }
    *out_value = pair->value;
    return true;
}

// Twice as large; all pairs find new places.
static KalStatus grow(KalContext *ctx, KalMap *map)
{
    KalMap larger = {.capacity = map->capacity == 0 ? SMALLEST : 2 * map->capacity};
    larger.pairs = (KalPair *)kal_alloc(ctx, larger.capacity, sizeof *larger.pairs);
    if (!larger.pairs) {
        return kal_no_memory(ctx, "for a table of the model");
    }
    larger.count = map->count;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->pairs[i].key != 0) {
            larger.pairs[place_of(&larger, map->pairs[i].key)] = map->pairs[i];
        }
    }
    kal_map_clear(ctx, map);
    *map = larger;
    return KAL_OK;
}

KalStatus kal_map_set(KalContext *ctx, KalMap *map, uint64_t key, uint64_t value)
{
    assert(key != 0);
    if (2 * (map->count + 1) > map->capacity) {
        KAL_TRY(grow(ctx, map));
    }
    KalPair *pair = &map->pairs[place_of(map, key)];
    map->count += pair->key == 0;
    *pair = (KalPair){key, value};
    return KAL_OK;
}

void *kal_map_find_pointer(const KalMap *map, uint64_t key)
{
    uint64_t value;
    void *pointer = NULL;
    if (kal_map_find(map, key, &value)) {
        memcpy(&pointer, &value, sizeof pointer);
    }
    return pointer;
}

KalStatus kal_map_set_pointer(KalContext *ctx, KalMap *map, uint64_t key, void *pointer)
{
    uint64_t value = 0;
    memcpy(&value, &pointer, sizeof pointer);
    return kal_map_set(ctx, map, key, value);
}

uint64_t kal_map_key(const void *address)
{
    return (uint64_t)(uintptr_t)address;
}
