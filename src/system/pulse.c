// SPDX-License-Identifier: MIT

// Where the motion may meet narrow pulses and poles: theory (15.32).
//
// A polynomial of u has no pulse at u = 0, however steep it is; what is put into exp, a root or
// a divisor on its way into the formulas may have one.  So nodes are looked at from the users
// down: *bent* are those that something else than a polynomial is made of.
// Tables have pulses, too, where their points say so.

#include "system/pulse.h"

#include "base/block.h"
#include "base/map.h"
#include "expr/corner.h"
#include "expr/node.h"
#include "expr/order.h"
#include "system/peak.h"
#include "system/switch.h"

#include <assert.h>
#include <string.h>

// What is known of a step of the order.
typedef struct Note {
    bool bent;
    bool listed;
} Note;

// Lists on their way into a system.
typedef struct Finding {
    KalSystem *system;
    const KalOrder *order;
    Note *notes;     // of steps
    KalBlock pulses; // KalExpr
    KalBlock poles;  // KalExpr
    KalMap known;    // formulas whose zeros end steps, or are known beforehand
} Finding;

static const uint64_t TIME = UINT64_C(1) << KAL_SYMBOL_TIME;
static const uint64_t COORDINATE = UINT64_C(1) << KAL_SYMBOL_COORDINATE;
static const uint64_t PARAMETER = UINT64_C(1) << KAL_SYMBOL_PARAMETER;

// Whether what a step makes of an operand is no polynomial of it, on each of its pieces.
static bool bends(const KalStep *step, int operand)
{
    switch (kal_op_nature((KalOp)step->op)) {
    case KAL_NATURE_RATIONAL:
        return (step->op == KAL_OP_DIV && operand == 1)
               || (step->op == KAL_OP_POWI && (int32_t)step->arg[1] < 0);
    case KAL_NATURE_EXPONENTIAL:
        return step->op != KAL_OP_SIN && step->op != KAL_OP_COS;
    case KAL_NATURE_BRANCHED:
    case KAL_NATURE_ANALYTIC: return true;
    case KAL_NATURE_KINK:
    case KAL_NATURE_JUMP:
    case KAL_NATURE_CHOICE: break;
    }
    return false;
}

static void bend(const Finding *f)
{
    for (uint32_t i = f->order->count; i-- > 0;) {
        const KalStep *step = &f->order->steps[i];
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            bool *bent = &f->notes[step->arg[k]].bent;
            *bent = *bent || f->notes[i].bent || bends(step, k);
        }
    }
}

// What ends steps already, or is known beforehand.
static KalStatus know_others(Finding *f)
{
    const KalPieces *pieces = &f->system->pieces;
    assert(pieces->peaks || pieces->n_peaks == 0);
    KAL_TRY(kal_system_know_switches(f->system, &f->known));
    for (size_t i = 0; i < pieces->n_peaks; i++) {
        KAL_TRY(kal_map_set(f->system->ctx, &f->known, pieces->peaks[i].index, 1));
    }
    return KAL_OK;
}

// A step that is zero where an odd function of it is.
static uint32_t undress(const KalOrder *order, uint32_t i)
{
    const KalStep *step = &order->steps[i];
    while (step->op == KAL_OP_TANH || step->op == KAL_OP_ERF
           || step->op == KAL_OP_ATAN) {
        i = step->arg[0];
        step = &order->steps[i];
    }
    return i;
}

static KalStatus add_function(const Finding *f, KalBlock *list, KalExpr e)
{
    bool bounded = false;
    uint64_t kinds = 0;
    uint64_t place = 0;
    KAL_TRY(kal_system_is_bounded(f->system, e, &bounded));
    KAL_TRY(kal_model_kinds_in(f->system->model, e, &kinds));
    return bounded && (kinds & ~PARAMETER) != 0
                   && !kal_map_find(&f->known, e.index, &place)
               ? kal_block_add(f->system->ctx, list, &e, sizeof e)
               : KAL_OK;
}

static KalStatus add(const Finding *f, KalBlock *list, uint32_t i)
{
    if (f->notes[i].listed) {
        return KAL_OK;
    }
    f->notes[i].listed = true;
    return add_function(f, list, f->order->steps[i].node);
}

// What is zero where the argument of a table is at x, or at x in any of its periods.
static KalExpr meet(KalGraph *g, const KalSpline *spline, KalExpr argument, double x)
{
    const KalExpr from = kal_sub(g, argument, kal_const(g, x));
    const double length = spline->knots[spline->pieces] - spline->knots[0];
    const bool repeats = spline->outside == KAL_OUTSIDE_REPEAT;
    const KalExpr turns = kal_div(g, from, kal_const(g, length));
    return repeats ? kal_sin(g, kal_mul(g, kal_pi(g), turns)) : from;
}

// The corners of a table whose pieces end no steps: what is narrow there is met as a pulse is.
static KalStatus add_corners(Finding *f, uint32_t i)
{
    KalGraph *g = f->system->model->graph;
    const KalExprNode node = kal_graph_node(g, f->order->steps[i].node);
    double at[KAL_SPLINE_CORNERS];
    if (node.op != KAL_OP_SPLINE) {
        return KAL_OK;
    }
    const KalSpline *spline = kal_node_spline(&node)->spline;
    const size_t n = kal_spline_find_corners(spline, at);
    for (size_t k = 0; k < n; k++) {
        const KalExpr e = meet(g, spline, node.arg[0], at[k]);
        KAL_TRY(kal_graph_status(g));
        KAL_TRY(add_function(f, &f->pulses, e));
        KAL_TRY(kal_map_set(f->system->ctx, &f->known, e.index, 1));
    }
    return KAL_OK;
}

// The derivative of a function of time and positions; 0 for others, whose turning points are not
// looked for.
static KalStatus find_slope(const KalModel *model, KalExpr e, KalExpr *out_slope)
{
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(model, e, &kinds));
    *out_slope = kal_int(model->graph, 0);
    return (kinds & ~(TIME | COORDINATE | PARAMETER)) == 0
               ? kal_model_rate(model, &e, 1, out_slope)
               : KAL_OK;
}

// Whether a formula is made of time and positions, and bends along a straight motion.
static KalStatus is_winding(const KalModel *model, KalExpr e, bool *out_winds)
{
    KalExpr slope = KAL_NO_EXPR;
    uint64_t kinds = 0;
    KAL_TRY(find_slope(model, e, &slope));
    KAL_TRY(kal_model_kinds_in(model, slope, &kinds));
    *out_winds = (kinds & (TIME | COORDINATE)) != 0;
    return KAL_OK;
}

// The exponent of exp, if it may have a crest: a square that is written out.
static KalStatus add_crest(Finding *f, uint32_t i)
{
    const KalStep *step = &f->order->steps[i];
    bool winds = false;
    if (step->op != KAL_OP_EXP) {
        return KAL_OK;
    }
    KAL_TRY(is_winding(f->system->model, f->order->steps[step->arg[0]].node, &winds));
    return winds ? add(f, &f->pulses, step->arg[0]) : KAL_OK;
}

// What is below a step that peaks where its operand is zero.  A square of tanh, the slope of a
// smooth jump, is a pulse as it stands.
static KalStatus add_pulse(Finding *f, uint32_t i)
{
    const KalStep *step = &f->order->steps[i];
    const KalExprNode node = kal_graph_node(f->system->model->graph, step->node);
    const bool both = node.op == KAL_OP_HYPOT;
    if (!both && !kal_has_peak_at_zero(&node)) {
        return KAL_OK;
    }
    const uint32_t bare = undress(f->order, step->arg[0]);
    if (f->notes[i].bent || bends(step, 0) || bare != step->arg[0]) {
        KAL_TRY(add(f, &f->pulses, bare));
        KAL_TRY(both ? add(f, &f->pulses, step->arg[1]) : KAL_OK);
    }
    return KAL_OK;
}

// What a step divides by.
static KalStatus add_pole(Finding *f, uint32_t i)
{
    const KalStep *step = &f->order->steps[i];
    if (step->op == KAL_OP_DIV) {
        return add(f, &f->poles, step->arg[1]);
    }
    return step->op == KAL_OP_POWI && bends(step, 0) ? add(f, &f->poles, step->arg[0])
                                                     : KAL_OK;
}

static KalStatus find_all(Finding *f)
{
    bend(f);
    for (uint32_t i = 0; i < f->order->count; i++) {
        KAL_TRY(add_pole(f, i));
    }
    for (uint32_t i = 0; i < f->order->count; i++) {
        KAL_TRY(add_pulse(f, i));
        KAL_TRY(add_crest(f, i));
        KAL_TRY(add_corners(f, i));
    }
    return KAL_OK;
}

// First what bends, from users down, then the operands in which pulses and poles are.
static KalStatus find(void *user, const KalOrder *order)
{
    Finding *f = (Finding *)user;
    KalContext *ctx = f->system->ctx;
    f->order = order;
    f->notes = (Note *)kal_alloc(ctx, order->count, sizeof *f->notes);
    const KalStatus status =
        f->notes || order->count == 0 ? find_all(f) : kal_no_memory(ctx, "for pulses");
    kal_free(ctx, f->notes, order->count * sizeof *f->notes);
    return status;
}

// Which of the functions wind.
static KalStatus find_winding(KalSystem *system)
{
    KalPieces *pieces = &system->pieces;
    pieces->winding =
        (bool *)kal_arena_alloc(system->arena, pieces->n_pulses, sizeof(bool));
    if (!pieces->winding) {
        return kal_no_memory(system->ctx, "for pulses");
    }
    for (size_t i = 0; i < pieces->n_pulses; i++) {
        KAL_TRY(is_winding(system->model, pieces->pulses[i], &pieces->winding[i]));
        pieces->any_winding = pieces->any_winding || pieces->winding[i];
    }
    return KAL_OK;
}

// Copy what was found; a list of nothing has no place.
static void append(KalExpr *to, const KalBlock *found)
{
    if (found->size > 0) {
        memcpy(to, found->data, found->size);
    }
}

// Pulses, poles, then slopes, in the arena of the system.
static KalStatus finish(const Finding *f)
{
    KalSystem *system = f->system;
    const size_t size = f->pulses.size + f->poles.size;
    const size_t n = size / sizeof(KalExpr);
    if (n == 0) {
        return KAL_OK;
    }
    KalExpr *list = (KalExpr *)kal_arena_alloc(system->arena, 2 * size, 1);
    if (!list) {
        return kal_no_memory(system->ctx, "for pulses");
    }
    append(list, &f->pulses);
    append(list + f->pulses.size / sizeof *list, &f->poles);
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(find_slope(system->model, list[i], &list[n + i]));
    }
    system->pieces.pulses = list;
    system->pieces.n_pulses = n;
    system->pieces.n_poles = f->poles.size / sizeof(KalExpr);
    return find_winding(system);
}

KalStatus kal_system_find_pulses(KalSystem *system, const KalExpr *formulas,
                                 size_t count)
{
    assert(formulas || count == 0);
    Finding f = {.system = system};
    KalStatus status = know_others(&f);
    if (status == KAL_OK) {
        status = kal_order_visit(system->model->graph, formulas, count, find, &f);
    }
    if (status == KAL_OK) {
        status = finish(&f);
    }
    kal_block_clear(system->ctx, &f.pulses);
    kal_block_clear(system->ctx, &f.poles);
    kal_map_clear(system->ctx, &f.known);
    return status;
}
