// SPDX-License-Identifier: MIT

// Replacement that may fail: a division by zero spoils a graph, and is undone here.
//
// Parameters are replaced by their values if these are exact, again and again, since values
// may be formulas of other parameters.

#include "derive/values.h"

#include "expr/order.h"
#include "zero/identity.h"

#include <assert.h>

enum {
    DEPTH_MAX = 64 // of parameters that are given by parameters
};

KalStatus kal_values_replace(KalGraph *g, KalExpr *e, size_t n,
                             const KalReplacements *replacements, bool *out_done)
{
    const KalStatus status = kal_substitute(g, e, n, replacements, e);
    *out_done = status == KAL_OK;
    if (status == KAL_ERR_NUMBER) {
        kal_graph_recover(g);
        return KAL_OK;
    }
    return status;
}

// Whether a parameter's value is known exactly.
static KalStatus is_exact(KalGraph *g, KalExpr value, bool *out_exact)
{
    KalProbe *probe = NULL;
    KalPurity purity = {.exact = false};
    if (kal_graph_node(g, value).op == KAL_OP_CONST) {
        *out_exact = kal_graph_number(g, value).den > 0;
        return KAL_OK;
    }
    KAL_TRY(kal_probe_create(g, &value, 1, &probe));
    const KalStatus status =
        kal_probe_prepare(probe, &value, 1, KAL_ARITHMETIC_RESIDUES, &purity);
    kal_probe_destroy(probe);
    *out_exact = purity.exact;
    return status;
}

// Parameters with what takes their place.
typedef struct Known {
    KalExpr *from;
    KalExpr *to;
    size_t n;
} Known;

// Add a symbol if it is a parameter that has an exact value.
static KalStatus add_parameter(const KalModel *model, const KalStep *step, Known *known)
{
    const KalSymbol symbol = model->symbols[step->arg[0]];
    bool exact = false;
    if (symbol.kind != KAL_SYMBOL_PARAMETER) {
        return KAL_OK;
    }
    known->from[known->n] = step->node;
    assert(symbol.index < model->n_parameters && known->n <= model->n_parameters);
    known->to[known->n] = model->parameters[symbol.index].value;
    KAL_TRY(is_exact(model->graph, known->to[known->n], &exact));
    known->n += exact;
    return KAL_OK;
}

// All parameters in the formulas that have an exact value.
static KalStatus find_parameters(const KalModel *model, const KalExpr *e, size_t n,
                                 Known *known)
{
    KalOrder order = {0};
    KalStatus status = KAL_OK;
    KAL_TRY(kal_order_init(model->graph, e, n, &order));
    for (uint32_t s = 0; s < order.count && status == KAL_OK; s++) {
        if (order.steps[s].op == KAL_OP_SYMBOL) {
            status = add_parameter(model, &order.steps[s], known);
        }
    }
    kal_order_clear(&order);
    return status;
}

// *out_more: parameters were replaced, by values that may have parameters in them.
static KalStatus insert_once(const KalModel *model, KalExpr *e, size_t n, Known *known,
                             bool *out_more)
{
    known->n = 0;
    KAL_TRY(find_parameters(model, e, n, known));
    if (known->n == 0) {
        *out_more = false;
        return KAL_OK;
    }
    const KalReplacements values = {known->from, known->to, known->n};
    return kal_values_replace(model->graph, e, n, &values, out_more);
}

// Until no more parameters are found; the depth ends what refers to itself.
static KalStatus insert(const KalModel *model, KalExpr *e, size_t n, Known *known)
{
    bool more = true;
    for (int depth = 0; more && depth < DEPTH_MAX; depth++) {
        KAL_TRY(insert_once(model, e, n, known, &more));
    }
    return KAL_OK;
}

KalStatus kal_values_insert(const KalModel *model, KalExpr *e, size_t n)
{
    const size_t room = model->n_parameters + 1;
    Known known = {.from = kal_alloc(model->ctx, 2 * room, sizeof *known.from)};
    if (!known.from) {
        return kal_no_memory(model->ctx, "for values");
    }
    known.to = known.from + room;
    const KalStatus status = insert(model, e, n, &known);
    kal_free(model->ctx, known.from, 2 * room * sizeof *known.from);
    return status;
}
