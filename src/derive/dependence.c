// SPDX-License-Identifier: MIT

// Whether formulas depend on symbols, by form or, failing that, by their derivatives.

#include "derive/derive_impl.h"
#include "expr/identity.h"
#include "expr/order.h"
#include "expr/substitute.h"

KalStatus kal_derive_without(const KalDerivation *d, const KalExpr *x, KalExpr *e,
                             size_t count, bool *out_defined)
{
    const size_t n = d->eq->n;
    KalExpr *zero = NULL;
    KAL_TRY(kal_derivation_scratch(d, n, &zero));
    for (size_t i = 0; i < n; i++) {
        zero[i] = kal_int(d->g, 0);
    }
    const KalReplacements replacements = {x, zero, n};
    const KalStatus status = kal_substitute(d->g, e, count, &replacements, e);
    *out_defined = status == KAL_OK;
    if (status == KAL_ERR_NUMBER) {
        kal_graph_recover(d->g);
        return KAL_OK;
    }
    return status;
}

// Whether any symbol of x is in the formulas as they are written.
static KalStatus find_symbols(const KalDerivation *d, const KalExpr *e, size_t count,
                              KalExpr x, bool *out_found)
{
    const KalModel *model = d->model;
    const KalSymbolKind kind =
        model->symbols[kal_graph_node(d->g, x).arg[0].index].kind;
    KalOrder order = {0};
    KAL_TRY(kal_order_init(d->g, e, count, &order));
    bool found = false;
    for (uint32_t s = 0; s < order.count && !found; s++) {
        const KalStep *step = &order.steps[s];
        found = step->op == KAL_OP_SYMBOL && model->symbols[step->arg[0]].kind == kind;
    }
    kal_order_clear(&order);
    *out_found = found;
    return KAL_OK;
}

// The first derivative that is not zero.
static KalStatus find_slope(const KalDerivation *d, const KalSparse *J,
                            KalDependence *out_dependence)
{
    const size_t count = (size_t)J->start[J->rows];
    KalVerdict *verdicts = kal_arena_alloc(d->scratch, count, sizeof *verdicts);
    if (!verdicts) {
        return kal_fail(d->ctx, KAL_ERR_NOMEM, "no memory to compare formulas");
    }
    KAL_TRY(kal_identities(d->g, J->value, count, verdicts));
    KalDependence dependence = {.found = false};
    for (size_t row = J->rows; row-- > 0;) {
        for (int64_t k = J->start[row]; k < J->start[row + 1]; k++) {
            if (!verdicts[k].zero) {
                dependence = (KalDependence){true, row, (size_t)J->column[k]};
            }
        }
    }
    *out_dependence = dependence;
    return KAL_OK;
}

KalStatus kal_derive_dependence(const KalDerivation *d, KalExpr *e, size_t count,
                                const KalExpr *x, KalDependence *out_dependence)
{
    bool found = false;
    KalSparse J = {0};
    KalDependence dependence = {.found = false};
    if (count > 0 && d->eq->n > 0) {
        KAL_TRY(find_symbols(d, e, count, x[0], &found));
    }
    if (found) {
        KAL_TRY(kal_jacobian(d->g, e, count, x, d->eq->n, &J));
        const KalStatus status = find_slope(d, &J, &dependence);
        kal_sparse_clear(&J);
        KAL_TRY(status);
    }
    if (found && !dependence.found) {
        bool defined = false;
        KAL_TRY(kal_derive_without(d, x, e, count, &defined));
        dependence.found = !defined;
    }
    *out_dependence = dependence;
    return KAL_OK;
}
