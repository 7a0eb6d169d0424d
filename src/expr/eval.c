// SPDX-License-Identifier: MIT

// Plain evaluation, one step after the other: the reference that programs (prog/) are
// compared with, to the bit.

#include "expr/eval.h"

#include "expr/node.h"

#include <assert.h>
#include <math.h>

double kal_op_value(KalOp op, double a, double b, double c, int32_t n)
{
    assert(op < KAL_OP_COUNT);
    const KalSplineFunction *const f = NULL;
    switch (op) {
#define KAL_OP(name, arity, kind, commutes, word, value, ...) \
    case KAL_OP_##name:                                       \
        return value;
#include "expr/ops.def"
#undef KAL_OP
    case KAL_OP_COUNT: break;
    }
    return NAN;
}

void kal_order_eval(const KalGraph *g, const KalOrder *order, const double *values,
                    double *work, double *out_values)
{
    assert(work || order->count == 0);
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        const KalOp op = (KalOp)step->op;
        assert(kal_op_arity(op) < 1 || step->arg[0] < i);
        if (op == KAL_OP_SYMBOL) {
            work[i] = values[step->arg[0]];
        } else if (op == KAL_OP_CONST) {
            work[i] = kal_graph_number(g, step->node).value;
        } else if (kal_op_is_spline(op)) {
            work[i] = kal_spline_value(kal_spline_of(step->arg[1], step->arg[2]),
                                       work[step->arg[0]]);
        } else {
            const int arity = kal_op_arity(op);
            const double a = arity > 0 ? work[step->arg[0]] : 0.0;
            const double b = arity > 1 ? work[step->arg[1]] : 0.0;
            const double c = arity > 2 ? work[step->arg[2]] : 0.0;
            work[i] = kal_op_value(op, a, b, c, (int32_t)step->arg[1]);
        }
    }
    for (size_t r = 0; r < order->n_roots; r++) {
        out_values[r] = work[order->roots[r]];
    }
}

KalStatus kal_eval(KalGraph *g, const KalExpr *e, size_t n, const double *values,
                   double *out_values)
{
    KalContext *ctx = kal_graph_context(g);
    KalOrder order = {0};
    KAL_TRY(kal_order_init(g, e, n, &order));
    double *work = kal_alloc(ctx, order.count, sizeof *work);
    if (order.count > 0 && !work) {
        kal_order_clear(&order);
        return kal_no_memory(ctx, "to evaluate formulas");
    }
    kal_order_eval(g, &order, values, work, out_values);
    kal_free(ctx, work, order.count * sizeof *work);
    kal_order_clear(&order);
    return KAL_OK;
}
