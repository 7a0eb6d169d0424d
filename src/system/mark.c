// SPDX-License-Identifier: MIT

// Where outputs change their pieces or have narrow peaks: theory (15.26).

#include "system/mark.h"

#include "base/block.h"
#include "base/map.h"
#include "expr/order.h"
#include "expr/switch.h"
#include "system/peak.h"
#include "system/switch.h"

#include <assert.h>
#include <string.h>

// The list on its way into a system.
typedef struct Finding {
    KalSystem *system;
    KalBlock marks;  // KalExpr
    KalBlock solved; // KalExpr
    KalMap known;    // formulas whose zeros are marked already, or end steps
} Finding;

static KalStatus add(Finding *f, KalExpr function)
{
    bool bounded = false;
    uint64_t kinds = 0;
    KAL_TRY(kal_system_is_bounded(f->system, function, &bounded));
    KAL_TRY(kal_model_kinds_in(f->system->model, function, &kinds));
    if ((kinds & ~(UINT64_C(1) << KAL_SYMBOL_PARAMETER)) == 0) {
        return KAL_OK;
    }
    bool known = false;
    KAL_TRY(kal_map_add(f->system->ctx, &f->known, function.index, 1, &known));
    return known ? KAL_OK
                 : kal_block_add(f->system->ctx, bounded ? &f->marks : &f->solved,
                                 &function, sizeof function);
}

static KalStatus add_node(Finding *f, KalExpr e)
{
    KalGraph *g = f->system->model->graph;
    const KalExprNode node = kal_graph_node(g, e);
    if (kal_has_peak_at_zero(&node)) {
        return add(f, node.arg[0]);
    }
    if (!kal_op_switches((KalOp)node.op)) {
        return KAL_OK;
    }
    const KalSwitchForm form = kal_switch_form(g, e);
    KAL_TRY(kal_graph_status(g));
    return add(f, form.function);
}

// What may jump comes first.
static KalStatus find(Finding *f, const KalOrder *order)
{
    const KalGraph *g = f->system->model->graph;
    for (uint32_t i = 0; i < order->count; i++) {
        const KalExprNode node = kal_graph_node(g, order->steps[i].node);
        const bool jumps = kal_op_nature((KalOp)node.op) == KAL_NATURE_JUMP;
        KAL_TRY(jumps ? add_node(f, order->steps[i].node) : KAL_OK);
    }
    f->system->pieces.n_jumps = f->marks.size / sizeof(KalExpr);
    for (uint32_t i = 0; i < order->count; i++) {
        KAL_TRY(add_node(f, order->steps[i].node));
    }
    return KAL_OK;
}

// All nodes of the outputs.
static KalStatus order_outputs(const KalSystem *system, KalOrder *out_order)
{
    const KalModel *model = system->model;
    KalBlock values = {.data = NULL};
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < model->n_outputs && status == KAL_OK; i++) {
        status = kal_block_add(system->ctx, &values, &model->outputs[i].value,
                               sizeof(KalExpr));
    }
    if (status == KAL_OK) {
        status = kal_order_init(model->graph, (const KalExpr *)values.data,
                                model->n_outputs, out_order);
    }
    kal_block_clear(system->ctx, &values);
    return status;
}

// Where the motion may meet pulses accelerations and forces have narrow peaks, whether the motion
// feels them or not.
static KalStatus add_pulses(Finding *f)
{
    const KalPieces *pieces = &f->system->pieces;
    for (size_t i = 0; i + pieces->n_poles < pieces->n_pulses; i++) {
        KAL_TRY(add(f, pieces->pulses[i]));
    }
    return KAL_OK;
}

// A list in the arena of the system.
static KalStatus keep(KalSystem *system, const KalBlock *block, KalExpr **out_list,
                      size_t *out_n)
{
    if (block->size == 0) {
        return KAL_OK;
    }
    *out_list = (KalExpr *)kal_arena_alloc(system->arena, block->size, 1);
    if (!*out_list) {
        return kal_no_memory(system->ctx, "for pieces of outputs");
    }
    memcpy(*out_list, block->data, block->size);
    *out_n = block->size / sizeof(KalExpr);
    return KAL_OK;
}

static KalStatus find_in_outputs(Finding *f)
{
    KalOrder order = {.ctx = NULL};
    if (f->system->model->n_outputs == 0) {
        return KAL_OK;
    }
    KAL_TRY(order_outputs(f->system, &order));
    const KalStatus status = find(f, &order);
    kal_order_clear(&order);
    return status;
}

KalStatus kal_system_find_marks(KalSystem *system)
{
    KalPieces *pieces = &system->pieces;
    assert(pieces->n_marks == 0 && pieces->n_late == 0);
    Finding f = {.system = system};
    KalStatus status = kal_system_know_switches(system, &f.known);
    status = status == KAL_OK ? find_in_outputs(&f) : status;
    status = status == KAL_OK ? add_pulses(&f) : status;
    status = status == KAL_OK ? keep(system, &f.marks, &pieces->marks, &pieces->n_marks)
                              : status;
    status = status == KAL_OK ? keep(system, &f.solved, &pieces->late, &pieces->n_late)
                              : status;
    kal_block_clear(system->ctx, &f.marks);
    kal_block_clear(system->ctx, &f.solved);
    kal_map_clear(system->ctx, &f.known);
    return status;
}
