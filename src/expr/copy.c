// SPDX-License-Identifier: MIT

// Formulas from one graph into another, node by node in order.  Nodes that are in normal form
// stay so and are copied as they are; where a guard (`where`) is left out, what is above it
// may get simpler and is built anew.

#include "expr/copy.h"

#include "expr/graph_impl.h"

#include <assert.h>

KalExpr kal_copy_step(const KalGraph *from, const KalStep *step, const KalExpr arg[3],
                      KalGraph *to)
{
    assert(from && to);
    const KalOp op = (KalOp)step->op;
    if (op == KAL_OP_CONST) {
        return kal_number(to, kal_graph_number(from, step->node));
    }
    if (op == KAL_OP_SYMBOL) {
        return kal_symbol(to, step->arg[0]);
    }
    return op == KAL_OP_PI ? kal_pi(to) : kal_cons(to, op, arg[0], arg[1], arg[2]);
}

// Where a step was copied to.
typedef struct Image {
    KalExpr e;
    bool changed; // a guard in it stayed behind, so that it may get simpler
} Image;

static KalStatus copy(const KalGraph *from, const KalOrder *order, Image *image,
                      KalGraph *to, KalExpr *out_e)
{
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        const KalOp op = (KalOp)step->op;
        assert(kal_op_arity(op) < 1 || step->arg[0] < i); // operands come first
        KalExpr arg[3] = {{step->arg[0]}, {step->arg[1]}, {step->arg[2]}};
        bool changed = op == KAL_OP_WHERE;
        for (int k = 0; k < kal_op_arity(op); k++) {
            arg[k] = image[step->arg[k]].e;
            changed = changed || image[step->arg[k]].changed;
        }
        const KalExpr e = op == KAL_OP_WHERE ? arg[0]
                          : changed          ? kal_build(to, op, arg)
                                             : kal_copy_step(from, step, arg, to);
        image[i] = (Image){e, changed};
    }
    KAL_TRY(kal_graph_status(to));
    for (size_t r = 0; r < order->n_roots; r++) {
        out_e[r] = image[order->roots[r]].e;
    }
    return KAL_OK;
}

KalStatus kal_copy(KalGraph *from, const KalExpr *e, size_t n, KalGraph *to,
                   KalExpr *out_e)
{
    assert(from && to && (out_e || n == 0));
    KalContext *ctx = kal_graph_context(to);
    KalOrder order = {.ctx = NULL};
    KAL_TRY(kal_order_init(from, e, n, &order));
    Image *image = (Image *)kal_alloc(ctx, order.count + 1, sizeof *image);
    const KalStatus status = image ? copy(from, &order, image, to, out_e)
                                   : kal_no_memory(ctx, "to copy formulas");
    kal_free(ctx, image, (order.count + 1) * sizeof *image);
    kal_order_clear(&order);
    return status;
}
