// SPDX-License-Identifier: MIT

#include "derive/trace.h"

#include "derive/values.h"
#include "expr/diff.h"
#include "expr/identity.h"
#include "expr/order.h"

static KalStatus no_memory(const KalModel *model)
{
    return kal_fail(model->ctx, KAL_ERR_NOMEM, "no memory to compare formulas");
}

// The symbols of a kind, and as many zeros behind them.
static KalStatus list_symbols(const KalModel *model, KalSymbolKind kind,
                              KalExpr **out_symbols)
{
    const size_t n = model->n_coordinates;
    KalExpr *symbols = kal_alloc(model->ctx, 2 * n + 1, sizeof *symbols);
    if (!symbols) {
        return no_memory(model);
    }
    for (size_t i = 0; i < n; i++) {
        const KalCoordinate *c = &model->coordinates[i];
        symbols[i] = kind == KAL_SYMBOL_COORDINATE ? c->q
                     : kind == KAL_SYMBOL_VELOCITY ? c->v
                                                   : c->a;
        symbols[n + i] = kal_int(model->graph, 0);
    }
    *out_symbols = symbols;
    return KAL_OK;
}

static void free_symbols(const KalModel *model, KalExpr *symbols)
{
    kal_free(model->ctx, symbols, (2 * model->n_coordinates + 1) * sizeof *symbols);
}

KalStatus kal_trace_remove(const KalModel *model, KalSymbolKind kind, KalExpr *e,
                           size_t count, bool *out_defined)
{
    const size_t n = model->n_coordinates;
    KalExpr *symbols = NULL;
    KAL_TRY(list_symbols(model, kind, &symbols));
    const KalReplacements replacements = {symbols, symbols + n, n};
    const KalStatus status =
        kal_values_replace(model->graph, e, count, &replacements, out_defined);
    free_symbols(model, symbols);
    return status;
}

// Whether a symbol of the kind is in the formulas as they are written.
static KalStatus find_symbol(const KalModel *model, KalSymbolKind kind,
                             const KalExpr *e, size_t count, bool *out_found)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(model->graph, e, count, &order));
    bool found = false;
    for (uint32_t s = 0; s < order.count && !found; s++) {
        const KalStep *step = &order.steps[s];
        found = step->op == KAL_OP_SYMBOL && model->symbols[step->arg[0]].kind == kind;
    }
    kal_order_clear(&order);
    *out_found = found;
    return KAL_OK;
}

// The first derivative that is not zero or, if there is none, that may not be.
static KalTrace first_slope(const KalSparse *J, const KalVerdict *verdicts)
{
    KalTrace first = {.found = false};
    for (size_t row = 0; row < J->rows; row++) {
        for (int64_t k = J->start[row]; k < J->start[row + 1]; k++) {
            const bool better = !first.found || (first.open && !verdicts[k].open);
            if (!verdicts[k].zero && better) {
                first = (KalTrace){true, verdicts[k].open, row, (size_t)J->column[k]};
            }
        }
    }
    return first;
}

static KalStatus test_slopes(const KalModel *model, const KalSparse *J,
                             KalTrace *out_trace)
{
    const size_t count = (size_t)J->start[J->rows];
    KalVerdict *verdicts = kal_alloc(model->ctx, count + 1, sizeof *verdicts);
    if (!verdicts) {
        return no_memory(model);
    }
    const KalStatus status = kal_identities(model->graph, J->value, count, verdicts);
    if (status == KAL_OK) {
        *out_trace = first_slope(J, verdicts);
    }
    kal_free(model->ctx, verdicts, (count + 1) * sizeof *verdicts);
    return status;
}

static KalStatus find_slope(const KalModel *model, KalSymbolKind kind, const KalExpr *e,
                            size_t count, KalTrace *out_trace)
{
    KalExpr *symbols = NULL;
    KalSparse J = {0};
    KAL_TRY(list_symbols(model, kind, &symbols));
    KalStatus status =
        kal_jacobian(model->graph, e, count, symbols, model->n_coordinates, &J);
    free_symbols(model, symbols);
    if (status == KAL_OK) {
        status = test_slopes(model, &J, out_trace);
        kal_sparse_clear(&J);
    }
    return status;
}

KalStatus kal_trace_find(const KalModel *model, KalSymbolKind kind, KalExpr *e,
                         size_t count, KalTrace *out_trace)
{
    bool found = false;
    KalTrace trace = {.found = false};
    KAL_TRY(find_symbol(model, kind, e, count, &found));
    if (found) {
        KAL_TRY(find_slope(model, kind, e, count, &trace));
    }
    if (found && !trace.found) {
        bool defined = false;
        KAL_TRY(kal_trace_remove(model, kind, e, count, &defined));
        trace.found = !defined;
    }
    *out_trace = trace;
    return KAL_OK;
}
