// SPDX-License-Identifier: MIT

// Formulas that have the same residues at all points are the same: so an older, shorter
// one may take the place of a new one, whatever way that came about.
//
// That formulas with the same residues are equal holds up to the probability of theory
// (10.2).  A table finds the oldest slot with given residues by the hash of the first
// of them.

#include "zero/identity_impl.h"

#include <assert.h>
#include <string.h>

enum {
    SMALL = 1000 // whole numbers that are recognized
};

static const uint32_t NO_SLOT = UINT32_MAX;

// A slot that is known by its residues.
static bool is_known(const KalProbe *probe, size_t slot)
{
    assert(slot < probe->slots.size / sizeof(KalSlot));
    bool known = true;
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        known = known && *kal_probe_residue(probe, slot, point) != KAL_NO_RESIDUE;
    }
    return known;
}

// The oldest slot with these residues; NO_SLOT if none is in the table.
static uint32_t find_slot(const KalProbe *probe, const uint64_t *residues)
{
    assert(residues);
    const uint32_t hash = kal_hash(residues[0], 0);
    size_t at = kal_index_begin(&probe->equal, hash);
    for (uint32_t slot = 0; kal_index_next(&probe->equal, hash, &at, &slot);) {
        const uint64_t *other = kal_probe_residue(probe, slot, 0);
        if (memcmp(other, residues, KAL_PROBE_RESIDUES * sizeof *other) == 0) {
            return slot;
        }
    }
    return NO_SLOT;
}

static uint32_t hash_of_slot(const void *owner, uint32_t slot)
{
    return kal_hash(*kal_probe_residue((const KalProbe *)owner, slot, 0), 0);
}

// Put all slots into the table, the oldest first.
static KalStatus extend_equal(KalProbe *probe)
{
    const size_t count = probe->slots.size / sizeof(KalSlot);
    const KalHashes hashes = {hash_of_slot, probe};
    assert(probe->n_equal <= count);
    for (; probe->n_equal < count; probe->n_equal++) {
        const uint64_t *residues = kal_probe_residue(probe, probe->n_equal, 0);
        if (!is_known(probe, probe->n_equal) || find_slot(probe, residues) != NO_SLOT) {
            continue;
        }
        if (!kal_index_reserve(probe->ctx, &probe->equal, (uint32_t)probe->n_equal,
                               &hashes)) {
            return kal_no_memory(probe->ctx, "to compare formulas");
        }
        kal_index_put(&probe->equal, kal_hash(residues[0], 0),
                      (uint32_t)probe->n_equal);
    }
    return KAL_OK;
}

static uint64_t negative(uint64_t residue)
{
    return residue == 0 ? 0 : KAL_PRIME - residue;
}

// The small whole number that residues stand for; SMALL if none.
static int64_t find_number(const uint64_t *residues)
{
    bool same = true;
    for (int point = 1; point < KAL_PROBE_RESIDUES; point++) {
        same = same && residues[point] == residues[0];
    }
    if (same && residues[0] < SMALL) {
        return (int64_t)residues[0];
    }
    return same && negative(residues[0]) < SMALL ? -(int64_t)negative(residues[0])
                                                 : SMALL;
}

KalStatus kal_probe_simplify(KalProbe *probe, KalExpr *e)
{
    assert(e && e->index != 0);
    uint64_t opposite[KAL_PROBE_RESIDUES];
    KAL_TRY(kal_probe_extend(probe, e, 1));
    const uint32_t slot = kal_probe_slot_of(probe, *e);
    if (!is_known(probe, slot)) {
        return KAL_OK;
    }
    KAL_TRY(extend_equal(probe));
    const uint64_t *residues = kal_probe_residue(probe, slot, 0);
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        opposite[point] = negative(residues[point]);
    }
    const uint32_t same = find_slot(probe, residues); // there is one: its own
    assert(same != NO_SLOT);
    const uint32_t other = find_slot(probe, opposite);
    const int64_t number = find_number(residues);
    if (number != SMALL) {
        *e = kal_int(probe->g, number);
    } else if (other < same) {
        *e = kal_neg(probe->g, kal_probe_slot(probe, other)->node);
    } else {
        *e = kal_probe_slot(probe, same)->node;
    }
    return kal_graph_status(probe->g);
}
