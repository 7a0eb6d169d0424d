// SPDX-License-Identifier: MIT

// Peaks of pulses in time, theory (15.20): every even power and every cosh is least where its
// operand is zero, and what is made of it has an extreme there.  Operands that are linear in
// t, on each of their pieces, have zeros that are known beforehand.

#include "system/peak.h"

#include "base/block.h"
#include "base/map.h"
#include "expr/diff.h"
#include "expr/order.h"

#include <assert.h>
#include <string.h>

// Lists on their way into a system.
typedef struct Finding {
    KalSystem *system;
    KalBlock functions; // KalExpr
    KalBlock slopes;    // KalExpr
    KalMap known;       // operands that were looked at
} Finding;

static const uint64_t TIME = UINT64_C(1) << KAL_SYMBOL_TIME;
static const uint64_t PARAMETER = UINT64_C(1) << KAL_SYMBOL_PARAMETER;

bool kal_has_peak_at_zero(const KalExprNode *node)
{
    return node->op == KAL_OP_COSH
           || (node->op == KAL_OP_POWI && kal_node_exponent(node) % 2 == 0);
}

static KalStatus add(Finding *f, KalExpr function, KalExpr slope)
{
    KalContext *ctx = f->system->ctx;
    KAL_TRY(kal_block_add(ctx, &f->functions, &function, sizeof function));
    return kal_block_add(ctx, &f->slopes, &slope, sizeof slope);
}

// The operand of a node, if it is linear in t and of nothing else but parameters.
static KalStatus add_operand(Finding *f, KalExpr e)
{
    const KalModel *model = f->system->model;
    KalExpr slope = KAL_NO_EXPR;
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(model, e, &kinds));
    if ((kinds & TIME) == 0 || (kinds & ~(TIME | PARAMETER)) != 0) {
        return KAL_OK;
    }
    bool known = false;
    KAL_TRY(kal_map_add(f->system->ctx, &f->known, e.index, 1, &known));
    if (known) {
        return KAL_OK;
    }
    KAL_TRY(kal_gradient(model->graph, e, &model->time, 1, &slope));
    KAL_TRY(kal_model_kinds_in(model, slope, &kinds));
    return (kinds & TIME) == 0 ? add(f, e, slope) : KAL_OK;
}

static KalStatus find(void *user, const KalOrder *order)
{
    Finding *f = (Finding *)user;
    for (uint32_t i = 0; i < order->count; i++) {
        const KalExprNode n =
            kal_graph_node(f->system->model->graph, order->steps[i].node);
        KAL_TRY(kal_has_peak_at_zero(&n) ? add_operand(f, n.arg[0]) : KAL_OK);
    }
    return KAL_OK;
}

// Functions, then slopes, in the arena of the system.
static KalStatus finish(const Finding *f)
{
    KalSystem *system = f->system;
    const size_t size = f->functions.size;
    assert(size == f->slopes.size);
    if (size == 0) {
        return KAL_OK;
    }
    system->pieces.peaks = (KalExpr *)kal_arena_alloc(system->arena, 2 * size, 1);
    if (!system->pieces.peaks) {
        return kal_no_memory(system->ctx, "for pulses");
    }
    system->pieces.n_peaks = size / sizeof(KalExpr);
    memcpy(system->pieces.peaks, f->functions.data, size);
    memcpy(system->pieces.peaks + system->pieces.n_peaks, f->slopes.data, size);
    return KAL_OK;
}

KalStatus kal_system_find_peaks(KalSystem *system, const KalExpr *formulas,
                                size_t count)
{
    assert(formulas || count == 0);
    Finding f = {.system = system};
    KalStatus status = kal_order_visit(system->model->graph, formulas, count, find, &f);
    if (status == KAL_OK) {
        status = finish(&f);
    }
    kal_block_clear(system->ctx, &f.functions);
    kal_block_clear(system->ctx, &f.slopes);
    kal_map_clear(system->ctx, &f.known);
    return status;
}
