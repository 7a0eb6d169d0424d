// SPDX-License-Identifier: MIT

// Replacement in one pass over the formulas: what is below a changed node is built anew and
// so simplified, the rest stays.  Replacements are not looked into: all happen at once.

#include "expr/substitute.h"

#include "expr/order.h"
#include "expr/seeds.h"

#include <assert.h>

// The node with the images of its operands.
static KalExpr rebuild(KalGraph *g, const KalStep *step, const KalExpr *image)
{
    assert(step->node.index != 0);
    const KalOp op = (KalOp)step->op;
    const int arity = kal_op_arity(op);
    const KalExprNode n = kal_graph_node(g, step->node);
    KalExpr arg[3] = {n.arg[0], n.arg[1], n.arg[2]};
    bool changed = false;
    for (int k = 0; k < arity; k++) {
        arg[k] = image[step->arg[k]];
        changed = changed || arg[k].index != n.arg[k].index;
    }
    return changed ? kal_build(g, op, arg) : step->node;
}

// One pass over the order: what is replaced has its image, everything else is rebuilt
// from the images of its operands.
static KalStatus substitute_in_order(KalGraph *g, const KalOrder *order,
                                     const KalReplacements *replacements,
                                     const KalSeeds *seeds, KalExpr *out_e)
{
    KalExpr *image = kal_alloc(order->ctx, order->count, sizeof *image);
    if (order->count > 0 && !image) {
        return kal_no_memory(order->ctx, "to replace in formulas");
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const int64_t place = kal_seeds_find(seeds, order->steps[i].node);
        image[i] =
            place >= 0 ? replacements->to[place] : rebuild(g, &order->steps[i], image);
    }
    const KalStatus status = kal_graph_status(g);
    for (size_t r = 0; r < order->n_roots && status == KAL_OK; r++) {
        out_e[r] = image[order->roots[r]];
    }
    kal_free(order->ctx, image, order->count * sizeof *image);
    return status;
}

KalStatus kal_substitute(KalGraph *g, const KalExpr *e, size_t n,
                         const KalReplacements *replacements, KalExpr *out_e)
{
    assert((e && out_e) || n == 0);
    KalOrder order = {0};
    KalSeeds seeds = {0};
    KAL_TRY(kal_order_init(g, e, n, &order));
    KalStatus status = kal_seeds_init(kal_graph_context(g), replacements->from,
                                      replacements->n, &seeds);
    if (status == KAL_OK) {
        status = substitute_in_order(g, &order, replacements, &seeds, out_e);
        kal_seeds_clear(&seeds);
    }
    kal_order_clear(&order);
    return status;
}
