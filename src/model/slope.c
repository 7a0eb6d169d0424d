// SPDX-License-Identifier: MIT

// Velocities are found among the symbols of a formula, sorted by coordinates, and its gradient
// is taken by those alone.

#include "model/slope.h"

#include "expr/diff.h"
#include "expr/order.h"

#include <assert.h>
#include <stdlib.h>

// The velocities in a formula.
static KalStatus list_velocities(const KalModel *model, KalExpr e, KalBlock *slopes)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(model->graph, &e, 1, &order));
    KalStatus status = KAL_OK;
    for (uint32_t i = 0; i < order.count && status == KAL_OK; i++) {
        const KalStep *step = &order.steps[i];
        if (step->op == KAL_OP_SYMBOL
            && model->symbols[step->arg[0]].kind == KAL_SYMBOL_VELOCITY) {
            const KalVelocitySlope found = {.coordinate =
                                                model->symbols[step->arg[0]].index};
            status = kal_block_add(model->ctx, slopes, &found, sizeof found);
        }
    }
    kal_order_clear(&order);
    return status;
}

static int by_coordinate(const void *a, const void *b)
{
    const uint32_t first = ((const KalVelocitySlope *)a)->coordinate;
    const uint32_t second = ((const KalVelocitySlope *)b)->coordinate;
    return (first > second) - (first < second);
}

// Derivatives by the velocities of a list, less those that are zero.
static KalStatus differentiate(const KalModel *model, KalExpr e, KalBlock *slopes,
                               KalExpr *scratch)
{
    const size_t count = kal_count_slopes(slopes);
    KalVelocitySlope *list = slopes->data;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        scratch[i] = model->coordinates[list[i].coordinate].v;
    }
    KAL_TRY(kal_gradient(model->graph, e, scratch, count, scratch + count));
    for (size_t i = 0; i < count; i++) {
        if (!kal_is_zero(model->graph, scratch[count + i])) {
            list[used++] = (KalVelocitySlope){list[i].coordinate, scratch[count + i]};
        }
    }
    assert(used <= count);
    slopes->size = used * sizeof *list;
    return KAL_OK;
}

KalStatus kal_model_slopes(const KalModel *model, KalExpr e, KalBlock *out_slopes)
{
    assert(out_slopes->size == 0);
    KAL_TRY(list_velocities(model, e, out_slopes));
    const size_t count = kal_count_slopes(out_slopes);
    if (count == 0) {
        return KAL_OK;
    }
    qsort(out_slopes->data, count, sizeof(KalVelocitySlope), by_coordinate);
    KalExpr *scratch = (KalExpr *)kal_alloc(model->ctx, 2 * count, sizeof *scratch);
    if (!scratch) {
        return kal_no_memory(model->ctx, "for derivatives by velocities");
    }
    const KalStatus status = differentiate(model, e, out_slopes, scratch);
    kal_free(model->ctx, scratch, 2 * count * sizeof *scratch);
    return status;
}
