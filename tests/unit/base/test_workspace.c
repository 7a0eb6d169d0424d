// SPDX-License-Identifier: MIT

#include "base/workspace.h"
#include "fault.h"
#include "tap.h"

#include <stdint.h>
#include <string.h>

typedef struct Thing {
    KalWorkspace workspace;
    size_t n;
    int passes;
    double *matrix; // n × n
    int *indices;   // n
    bool *flags;    // n
    const char **names;
    double *nothing;
    double *last; // 3
} Thing;

static void lay_out(KalCarver *carver, void *owner)
{
    Thing *thing = owner;
    thing->passes++;
    thing->matrix = kal_carve_doubles(carver, thing->n, thing->n);
    thing->indices = kal_carve_ints(carver, thing->n);
    thing->flags = kal_carve_bools(carver, thing->n);
    thing->names = kal_carve_names(carver, thing->n);
    thing->nothing = kal_carve_doubles(carver, thing->n, 0);
    thing->last = kal_carve_doubles(carver, 3, 1);
}

static bool is_aligned(const void *piece)
{
    return (uintptr_t)piece % KAL_PIECE_ALIGNMENT == 0;
}

static void pieces_are_zeroed_and_do_not_overlap(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    Thing thing = {.n = 5};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    const size_t before = fault.live_bytes;
    ok(kal_workspace_make(ctx, "for a thing", lay_out, &thing, &thing.workspace)
       == KAL_OK);
    ok(thing.passes == 2);
    ok(is_aligned(thing.matrix) && is_aligned(thing.indices) && is_aligned(thing.flags)
       && is_aligned(thing.names) && is_aligned(thing.last));
    for (size_t i = 0; i < 25; i++) {
        ok(thing.matrix[i] == 0.0);
        thing.matrix[i] = 1.0;
    }
    for (size_t i = 0; i < 5; i++) {
        ok(thing.indices[i] == 0 && !thing.flags[i] && !thing.names[i]);
        thing.indices[i] = 7;
        thing.flags[i] = true;
        thing.names[i] = "name";
    }
    ok(thing.last[0] == 0.0 && thing.last[1] == 0.0 && thing.last[2] == 0.0);
    const char *end = (const char *)(thing.last + 3);
    ok(end <= (const char *)thing.workspace.block + thing.workspace.size);
    kal_workspace_clear(ctx, &thing.workspace);
    ok(!thing.workspace.block && fault.live_bytes == before);
    kal_workspace_clear(ctx, &thing.workspace);
    kal_context_destroy(ctx);
}

static void a_raw_block_has_the_same_pieces(void)
{
    KalContext *ctx = NULL;
    Thing thing = {.n = 5};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_workspace_make_raw(ctx, "for a thing", lay_out, &thing, &thing.workspace)
       == KAL_OK);
    memset(thing.matrix, 0xff, 25 * sizeof(double));
    thing.last[2] = 3.0;
    ok(thing.last[2] == 3.0);
    kal_workspace_clear(ctx, &thing.workspace);
    kal_context_destroy(ctx);
}

// Without memory, and with sizes that no memory has.
static void failure_leaves_no_pieces(void)
{
    for (int i = 0; i < 3; i++) {
        Fault fault = {.calls_left = i == 0 ? 1 : -1};
        const size_t n = i == 0 ? 5 : i == 1 ? (size_t)1 << 31 : (size_t)1 << 40;
        KalContext *ctx = NULL;
        Thing thing = {.n = n};
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        ok(kal_workspace_make_raw(ctx, "for a thing", lay_out, &thing, &thing.workspace)
           == KAL_ERR_NOMEM);
        same_text(kal_context_message(ctx), "no memory for a thing");
        ok(!thing.matrix && !thing.last && !thing.workspace.block);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
}

TAP_RUN(TAP_CASE(pieces_are_zeroed_and_do_not_overlap),
        TAP_CASE(a_raw_block_has_the_same_pieces), TAP_CASE(failure_leaves_no_pieces))
