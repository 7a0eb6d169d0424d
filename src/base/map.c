// SPDX-License-Identifier: MIT

// Pairs in the order in which keys came, found by an index of their keys.

#include "base/map.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(void *) <= sizeof(uint64_t), "a pointer fits");

void kal_map_clear(KalContext *ctx, KalMap *map)
{
    kal_index_clear(ctx, &map->index);
    kal_block_clear(ctx, &map->pairs);
}

size_t kal_map_count(const KalMap *map)
{
    return map->pairs.size / sizeof(KalPair);
}

// The pair of a key, or NULL.
static KalPair *find_pair(const KalMap *map, uint64_t key, uint32_t hash)
{
    size_t at = kal_index_begin(&map->index, hash);
    for (uint32_t i = 0; kal_index_next(&map->index, hash, &at, &i);) {
        KalPair *pair = (KalPair *)map->pairs.data + i;
        assert(i < kal_map_count(map));
        if (pair->key == key) {
            return pair;
        }
    }
    return NULL;
}

bool kal_map_find(const KalMap *map, uint64_t key, uint64_t *out_value)
{
    assert(out_value);
    const KalPair *pair = find_pair(map, key, kal_hash(key, 0));
    if (pair) {
        *out_value = pair->value;
    }
    return pair != NULL;
}

static uint32_t hash_of(const void *owner, uint32_t number)
{
    const KalMap *map = (const KalMap *)owner;
    return kal_hash(((const KalPair *)map->pairs.data)[number].key, 0);
}

// Add a pair whose key is not set.
static KalStatus add_pair(KalContext *ctx, KalMap *map, KalPair pair, uint32_t hash)
{
    const size_t number = kal_map_count(map);
    assert(number < UINT32_MAX);
    const KalHashes hashes = {hash_of, map};
    if (!kal_index_reserve(ctx, &map->index, (uint32_t)number, &hashes)) {
        return kal_no_memory(ctx, "for a table");
    }
    KAL_TRY(kal_block_add(ctx, &map->pairs, &pair, sizeof pair));
    kal_index_put(&map->index, hash, (uint32_t)number);
    return KAL_OK;
}

KalStatus kal_map_set(KalContext *ctx, KalMap *map, uint64_t key, uint64_t value)
{
    const uint32_t hash = kal_hash(key, 0);
    KalPair *pair = find_pair(map, key, hash);
    if (pair) {
        pair->value = value;
        return KAL_OK;
    }
    return add_pair(ctx, map, (KalPair){key, value}, hash);
}

KalStatus kal_map_add(KalContext *ctx, KalMap *map, uint64_t key, uint64_t value,
                      bool *out_known)
{
    const uint32_t hash = kal_hash(key, 0);
    *out_known = find_pair(map, key, hash) != NULL;
    return *out_known ? KAL_OK : add_pair(ctx, map, (KalPair){key, value}, hash);
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
