// SPDX-License-Identifier: MIT

// Rows that were left out repeat others where the constraints hold.  Off the constraints, as
// between the stages of a step, they differ a little: by how much they may is measured by how
// far the state is off.  So a row that no longer repeats others is noticed in every state that
// satisfies the constraints, and integrators can go their way.

#include "export/fast.h"

#include "motion/trust.h"
#include "system/transcript.h"

#include <assert.h>
#include <float.h>
#include <string.h>

// Of the terms in a row that was left out, what it may be off where the constraints hold, and
// how much more where the state is off them, up to a limit.
static const double AGREES = 1e-6;
static const double OFF_FACTOR = 1e3;
static const double MOST_OFF = 1e-4;
static const double LITTLE = 1e-4;

// Formulas in the making.
typedef struct Making {
    const KalExportPlan *plan;
    KalTranscript t;
    KalExpr *row;    // n
    KalExpr *values; // of all variables of KalLayout: inputs, which follow the weights
} Making;

static bool is_nothing(KalExpr e)
{
    return e.index == KAL_NO_EXPR.index;
}

static KalExpr size_of(KalGraph *g, KalExpr e)
{
    return kal_unary(g, KAL_OP_ABS, e);
}

// |A_i| |x|, where no part of x counts as less than a little.
static KalExpr terms_of(Making *make, size_t i, const KalExpr *x)
{
    const size_t n = (size_t)make->plan->system->n;
    KalGraph *g = make->t.g;
    const KalExpr little = kal_const(g, LITTLE);
    KalExpr sum = kal_const(g, make->plan->single ? 1e-30 : 1e-300);
    memset(make->row, 0, n * sizeof *make->row);
    kal_transcript_row(&make->t, i, make->row);
    for (size_t j = 0; j < n; j++) {
        if (!is_nothing(make->row[j])) {
            const KalExpr size = kal_binary(g, KAL_OP_MAX, size_of(g, x[j]), little);
            sum = kal_add(g, sum, kal_mul(g, size_of(g, make->row[j]), size));
        }
    }
    return sum;
}

// How far the state is off the constraints, relative to their terms, up to the limit.
static KalExpr find_off(Making *make)
{
    const KalExportPlan *plan = make->plan;
    const size_t n = (size_t)plan->system->n;
    KalGraph *g = make->t.g;
    KalExpr off = kal_int(g, 0);
    for (size_t i = 0; i < (size_t)plan->system->m; i++) {
        for (size_t level = 0; level < 2 && plan->active[i]; level++) {
            const KalExpr residual =
                make->t.roots[(level == 0 ? make->t.phi : make->t.psi) + i];
            if (!is_nothing(residual)) {
                const KalExpr terms =
                    terms_of(make, i, make->t.symbols + 1 + level * n);
                off = kal_binary(g, KAL_OP_MAX, off,
                                 kal_div(g, size_of(g, residual), terms));
            }
        }
    }
    return kal_binary(g, KAL_OP_MIN, off, kal_const(g, MOST_OFF));
}

// By how much row i, of A and b, is off more than allowed.
static KalExpr excess_of_row(Making *make, size_t i, const KalExpr *qdd,
                             KalExpr allowed)
{
    const size_t n = (size_t)make->plan->system->n;
    KalGraph *g = make->t.g;
    const KalExpr b = make->t.roots[make->t.b + i];
    KalExpr sum = is_nothing(b) ? kal_int(g, 0) : b;
    KalExpr size = size_of(g, sum);
    memset(make->row, 0, n * sizeof *make->row);
    kal_transcript_row(&make->t, i, make->row);
    for (size_t j = 0; j < n; j++) {
        if (!is_nothing(make->row[j])) {
            const KalExpr term = kal_mul(g, make->row[j], qdd[j]);
            sum = kal_sub(g, sum, term);
            size = kal_add(g, size, size_of(g, term));
        }
    }
    return kal_sub(g, size_of(g, sum), kal_mul(g, allowed, size));
}

// 0, or by how much a row that was left out is off.
static KalStatus make_check(Making *make, const KalExpr *qdd, KalExpr *out_check)
{
    const KalExportPlan *plan = make->plan;
    KalGraph *g = make->t.g;
    assert(out_check);
    *out_check = kal_int(g, 0);
    if (plan->n_rows == plan->n_active) {
        return KAL_OK;
    }
    kal_transcript_want(&make->t, make->t.A, make->t.C - make->t.A);
    KAL_TRY(kal_transcript_copy(&make->t, NULL));
    const KalExpr allowed =
        kal_add(g, kal_const(g, plan->single ? 1e-3 : AGREES),
                kal_mul(g, kal_const(g, OFF_FACTOR), find_off(make)));
    for (size_t i = 0; i < (size_t)plan->system->m; i++) {
        if (plan->active[i] && !plan->rows[i]) {
            *out_check = kal_binary(g, KAL_OP_MAX, *out_check,
                                    excess_of_row(make, i, qdd, allowed));
        }
    }
    return kal_graph_status(g);
}

static KalStatus build(Making *make, const KalRoad *road, KalExpr *answer)
{
    const KalExportPlan *plan = make->plan;
    const size_t weights = road->lends ? (size_t)road->n_rows : 0;
    const size_t inputs = plan->names.inputs.count;
    const KalTranscriptRoom room = {.n_weights = weights + inputs,
                                    .most_nodes = KAL_ROAD_NODES};
    KAL_TRY(kal_transcript_init(&make->t, plan->ctx, &plan->draft.system, room));
    for (size_t j = 0; j < inputs; j++) {
        make->values[plan->system->layout.controls + j] = make->t.weights[weights + j];
    }
    KAL_TRY(
        kal_road_eliminate(road, &make->t, inputs > 0 ? make->values : NULL, answer));
    answer[road->at.sine] = kal_int(make->t.g, 0); // which runs look ahead with
    return make_check(make, answer + road->at.qdd, &answer[road->at.count]);
}

// Whether eliminated formulas can be the answer at all.  Of many coordinates they are megabytes.
static bool is_possible(const KalExportPlan *plan)
{
    const KalEquations *equations = plan->system->equations;
    const bool shares = equations->has_reactions && plan->n_rows < plan->n_active;
    return plan->run && !plan->sparse && plan->names.servos.count == 0
           && plan->system->n <= KAL_DENSE_COORDINATES
           && plan->n_rows <= plan->system->n && !shares;
}

// The elimination of the fast road, for the rows that are independent at the start, with
// one formula more: by how much rows that were left out may be off. Without it, where it
// would be too long, the export solves as a general system does.
KalStatus kal_export_make_fast(KalExportPlan *plan)
{
    assert(plan->instant && !plan->fast);
    Making make = {.plan = plan};
    if (!is_possible(plan)) {
        return KAL_OK;
    }
    KalRoad road = {.instant = plan->instant,
                    .rows = plan->rows,
                    .active = plan->active,
                    .lends = plan->instant->ranks.lends,
                    .n_rows = plan->n_rows,
                    .tolerance = plan->single
                                     ? KAL_SAFE_RESIDUAL / DBL_EPSILON * FLT_EPSILON
                                     : KAL_SAFE_RESIDUAL};
    plan->at = road.at = kal_eliminated_layout(
        (size_t)plan->system->n, (size_t)plan->n_rows, plan->system->equations->has_C);
    plan->check = plan->at.count;
    KalExpr *answer = kal_arena_alloc(plan->arena, plan->at.count + 1, sizeof *answer);
    make.row = kal_arena_alloc(plan->arena, (size_t)plan->system->n, sizeof *make.row);
    make.values =
        kal_arena_alloc(plan->arena, plan->system->layout.count, sizeof *make.values);
    if (!answer || !make.row || !make.values) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    KalStatus status = build(&make, &road, answer);
    if (status == KAL_OK) {
        status = kal_transcript_compile(&make.t, answer, plan->at.count + 1, false,
                                        &plan->fast);
    }
    kal_transcript_clear(&make.t);
    return status == KAL_ERR_LIMIT ? KAL_OK : status;
}
