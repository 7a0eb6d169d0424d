// SPDX-License-Identifier: MIT

// Whether formulas depend on symbols of a kind, in three steps of rising cost: do the
// symbols occur at all; are the slopes by them zero; do the formulas stay the same without
// them.  The last is needed because slopes do not show steps.  Formulas that turn out not to
// depend on the symbols are written without them, so that nobody has to ask again.

#include "derive/trace.h"

#include "derive/values.h"
#include "expr/diff.h"
#include "expr/order.h"
#include "zero/identity.h"

#include <assert.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to compare formulas";

// The symbols of a kind, and as many zeros behind them.
static KalStatus list_symbols(const KalModel *model, KalSymbolKind kind,
                              KalExpr **out_symbols)
{
    const size_t n = model->n_coordinates;
    KalExpr *symbols = kal_alloc(model->ctx, 2 * n + 1, sizeof *symbols);
    if (!symbols) {
        return kal_no_memory(model->ctx, PURPOSE);
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

// Whether a symbol of the kind is in the formulas as they are written, and whose it is.
static KalStatus find_symbol(const KalModel *model, KalSymbolKind kind,
                             const KalExpr *e, size_t count, bool *out_found,
                             size_t *out_coordinate)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(model->graph, e, count, &order));
    bool found = false;
    for (uint32_t s = 0; s < order.count && !found; s++) {
        const KalStep *step = &order.steps[s];
        assert(s < order.count);
        found = step->op == KAL_OP_SYMBOL && model->symbols[step->arg[0]].kind == kind;
        *out_coordinate = found ? model->symbols[step->arg[0]].index : 0;
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
            assert(k >= 0 && row < J->rows);
            if (!verdicts[k].zero && better) {
                first = (KalTrace){true, verdicts[k].open, row, (size_t)J->column[k]};
            }
        }
    }
    return first;
}

// All slopes at once: they share their parts.
static KalStatus test_slopes(const KalModel *model, const KalSparse *J,
                             KalTrace *out_trace)
{
    const size_t count = (size_t)J->start[J->rows];
    KalVerdict *verdicts = kal_alloc(model->ctx, count + 1, sizeof *verdicts);
    if (!verdicts) {
        return kal_no_memory(model->ctx, PURPOSE);
    }
    const KalStatus status = kal_identities(model->graph, J->value, count, verdicts);
    if (status == KAL_OK) {
        *out_trace = first_slope(J, verdicts);
    }
    kal_free(model->ctx, verdicts, (count + 1) * sizeof *verdicts);
    return status;
}

// The Jacobian by the symbols, tested entry by entry.
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

// Formulas, what is left of them without the symbols, and the difference.
typedef struct Change {
    const KalExpr *e;
    const KalExpr *rest;
    KalExpr *by;
    KalVerdict *verdicts;
} Change;

// The first formula that differs from what is left of it without the symbols.  Slopes do
// not show steps: those of a formula that jumps are zero wherever there are any.
static KalStatus test_change(const KalModel *model, const Change *c, size_t count,
                             KalTrace *out_trace)
{
    for (size_t k = 0; k < count; k++) {
        c->by[k] = kal_sub(model->graph, c->e[k], c->rest[k]);
    }
    KAL_TRY(kal_identities(model->graph, c->by, count, c->verdicts));
    for (size_t k = count; k-- > 0;) {
        if (!c->verdicts[k].zero) {
            *out_trace =
                (KalTrace){true, c->verdicts[k].open, k, out_trace->coordinate};
        }
    }
    return KAL_OK;
}

// Whether formulas change when the symbols are put to zero.
static KalStatus find_jump(const KalModel *model, const KalExpr *e, const KalExpr *rest,
                           size_t count, KalTrace *out_trace)
{
    KalVerdict *verdicts = kal_alloc(model->ctx, count + 1, sizeof *verdicts);
    KalExpr *change = kal_alloc(model->ctx, count + 1, sizeof *change);
    const KalStatus status =
        verdicts && change
            ? test_change(model, &(Change){e, rest, change, verdicts}, count, out_trace)
            : kal_no_memory(model->ctx, PURPOSE);
    kal_free(model->ctx, change, (count + 1) * sizeof *change);
    kal_free(model->ctx, verdicts, (count + 1) * sizeof *verdicts);
    return status;
}

// Take the symbols out of formulas whose slopes by them are zero, if that changes nothing.
static KalStatus take_out(const KalModel *model, KalSymbolKind kind, KalExpr *e,
                          size_t count, KalTrace *trace)
{
    bool defined = false;
    KalExpr *rest = kal_alloc(model->ctx, count + 1, sizeof *rest);
    if (!rest) {
        return kal_no_memory(model->ctx, PURPOSE);
    }
    memcpy(rest, e, count * sizeof *rest);
    KalStatus status = kal_trace_remove(model, kind, rest, count, &defined);
    trace->found = !defined;
    if (status == KAL_OK && defined) {
        status = find_jump(model, e, rest, count, trace);
    }
    if (status == KAL_OK && !trace->found) {
        memcpy(e, rest, count * sizeof *rest);
    }
    kal_free(model->ctx, rest, (count + 1) * sizeof *rest);
    return status;
}

// The degree of a step in some symbols by those of its operands, if that shows; else 2.
static int degree_of_step(const KalStep *step, const int *degrees)
{
    const int arity = kal_op_arity((KalOp)step->op);
    int of[3] = {0};
    int most = 0;
    for (int k = 0; k < arity; k++) {
        of[k] = degrees[step->arg[k]];
        most = of[k] > most ? of[k] : most;
    }
    const KalOp op = (KalOp)step->op;
    if (op == KAL_OP_ADD || op == KAL_OP_SUB || op == KAL_OP_NEG
        || (op == KAL_OP_MUL && of[0] + of[1] < 2)
        || ((op == KAL_OP_DIV || op == KAL_OP_WHERE) && of[1] == 0)
        || (op == KAL_OP_SELECT && of[0] == 0)) {
        return most;
    }
    return most == 0 ? 0 : 2;
}

KalStatus kal_trace_is_linear(const KalModel *model, KalSymbolKind kind, KalExpr e,
                              bool *out_linear)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(model->graph, &e, 1, &order));
    int *degrees = (int *)kal_alloc(model->ctx, order.count + 1, sizeof *degrees);
    for (uint32_t s = 0; degrees && s < order.count; s++) {
        const KalStep *step = &order.steps[s];
        degrees[s] = step->op == KAL_OP_SYMBOL
                         ? model->symbols[step->arg[0]].kind == kind
                         : degree_of_step(step, degrees);
    }
    *out_linear = degrees && order.count > 0 && degrees[order.count - 1] < 2;
    const KalStatus status = degrees ? KAL_OK : kal_no_memory(model->ctx, PURPOSE);
    kal_free(model->ctx, degrees, (order.count + 1) * sizeof *degrees);
    kal_order_clear(&order);
    return status;
}

// Where slopes are zero but the formula jumps, the coordinate is that of the first symbol.
KalStatus kal_trace_find(const KalModel *model, KalSymbolKind kind, KalExpr *e,
                         size_t count, KalTrace *out_trace)
{
    KalTrace trace = {.found = false};
    bool found = false;
    KAL_TRY(find_symbol(model, kind, e, count, &found, &trace.coordinate));
    if (found) {
        const size_t coordinate = trace.coordinate;
        KAL_TRY(find_slope(model, kind, e, count, &trace));
        trace.coordinate = trace.found ? trace.coordinate : coordinate;
    }
    if (found && !trace.found) {
        KAL_TRY(take_out(model, kind, e, count, &trace));
    }
    *out_trace = trace;
    return KAL_OK;
}
