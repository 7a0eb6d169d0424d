// SPDX-License-Identifier: MIT

// Formulas that have the same residues at all points are the same: so an older, shorter
// one may take the place of a new one, whatever way that came about.

#include "zero/identity_impl.h"

enum {
    FIRST_TABLE = 256,
    SMALL = 1000 // whole numbers that are recognized
};

// A slot that is known by its residues.
static bool is_known(const KalProbe *probe, size_t slot)
{
    bool known = true;
    for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
        known = known && *kal_probe_residue(probe, slot, point) != KAL_NO_RESIDUE;
    }
    return known;
}

// Where residues are in the table, or would be.
static size_t place_of(const KalProbe *probe, const uint64_t *residues)
{
    const size_t mask = probe->equal_size - 1;
    size_t at = (size_t)(residues[0] * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    for (; probe->equal[at] != 0; at = (at + 1) & mask) {
        const uint64_t *other = kal_probe_residue(probe, probe->equal[at] - 1, 0);
        bool same = true;
        for (int point = 0; point < KAL_PROBE_RESIDUES; point++) {
            same = same && other[point] == residues[point];
        }
        if (same) {
            break;
        }
    }
    return at;
}

static void put(KalProbe *probe, size_t slot)
{
    if (is_known(probe, slot)) {
        uint32_t *at =
            &probe->equal[place_of(probe, kal_probe_residue(probe, slot, 0))];
        *at = *at == 0 ? (uint32_t)slot + 1 : *at;
    }
}

// Put all slots into the table, the oldest first.
static KalStatus extend_equal(KalProbe *probe)
{
    const size_t count = probe->slots.size / sizeof(KalSlot);
    if (2 * count >= probe->equal_size) {
        size_t size = FIRST_TABLE;
        while (size <= 4 * count) {
            size *= 2;
        }
        uint32_t *table = kal_alloc(probe->ctx, size, sizeof *table);
        if (!table) {
            return kal_no_memory(probe->ctx, "to compare formulas");
        }
        kal_free(probe->ctx, probe->equal, probe->equal_size * sizeof *probe->equal);
        probe->equal = table;
        probe->equal_size = size;
        probe->n_equal = 0;
    }
    for (; probe->n_equal < count; probe->n_equal++) {
        put(probe, probe->n_equal);
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
    const uint32_t same = probe->equal[place_of(probe, residues)];
    const uint32_t other = probe->equal[place_of(probe, opposite)];
    const int64_t number = find_number(residues);
    if (number != SMALL) {
        *e = kal_int(probe->g, number);
    } else if (other != 0 && other < same) {
        *e = kal_neg(probe->g, kal_probe_slot(probe, other - 1)->node);
    } else {
        *e = kal_probe_slot(probe, same - 1)->node;
    }
    return kal_graph_status(probe->g);
}
