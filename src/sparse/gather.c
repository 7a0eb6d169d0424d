// SPDX-License-Identifier: MIT

// Entries as they come, sorted by columns in two passes: how many each column has, then each
// to its place.

#include "sparse/gather.h"

#include <string.h>

static void lay_out(KalCarver *carver, void *owner)
{
    KalGather *gather = owner;
    const size_t room = (size_t)gather->room;
    gather->from = kal_carve_ints(carver, 2 * room);
    gather->given = kal_carve_doubles(carver, room, 1);
    gather->start = kal_carve(carver, (size_t)gather->size + 2, sizeof *gather->start);
    gather->row = kal_carve_ints(carver, room);
    gather->value = kal_carve_doubles(carver, room, 1);
    gather->mark = kal_carve(carver, (size_t)gather->size, sizeof *gather->mark);
}

KalStatus kal_gather_init(KalGather *gather, KalContext *ctx, int size, int64_t room)
{
    assert(size >= 0 && room >= 0);
    *gather = (KalGather){.ctx = ctx, .size = size, .room = room};
    return kal_workspace_make_raw(ctx, "for a sparse matrix", lay_out, gather,
                                  &gather->workspace);
}

void kal_gather_clear(KalGather *gather)
{
    kal_workspace_clear(gather->ctx, &gather->workspace);
    *gather = (KalGather){.ctx = NULL};
}

// Entries to their columns, in the order in which they came.
static void sort(KalGather *gather, int size)
{
    int64_t *end = gather->start + 1;
    memset(gather->start, 0, ((size_t)size + 2) * sizeof *gather->start);
    for (int64_t k = 0; k < gather->count; k++) {
        end[gather->from[2 * k + 1] + 1]++;
    }
    for (int j = 0; j < size; j++) {
        end[j + 1] += end[j];
    }
    for (int64_t k = 0; k < gather->count; k++) {
        const int64_t at = end[gather->from[2 * k + 1]]++;
        gather->row[at] = gather->from[2 * k];
        gather->value[at] = gather->given[k];
    }
}

// Add up what has the same place.
static void merge(KalGather *gather, int size)
{
    int64_t used = 0;
    int64_t next = 0;
    for (int i = 0; i < size; i++) {
        gather->mark[i] = -1;
    }
    for (int j = 0; j < size; j++) {
        const int64_t begin = used;
        for (const int64_t last = gather->start[j + 1]; next < last; next++) {
            const int i = gather->row[next];
            if (gather->mark[i] >= begin) {
                gather->value[gather->mark[i]] += gather->value[next];
                continue;
            }
            gather->mark[i] = used;
            gather->row[used] = i;
            gather->value[used++] = gather->value[next];
        }
        gather->start[j] = begin;
    }
    gather->start[size] = used;
}

KalColumns kal_gather_columns(KalGather *gather, int size)
{
    assert(size >= 0 && size <= gather->size);
    sort(gather, size);
    merge(gather, size);
    return (KalColumns){size, size, gather->start, gather->row, gather->value};
}
