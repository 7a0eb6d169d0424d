// SPDX-License-Identifier: MIT

// Where equations are made of pieces: theory (15.11).
//
// Each node of the formulas that has pieces gets a switching function.  Nodes with the same
// function share one switch: they change together.  What depends on parameters alone never
// changes and gets none.

#include "system/switch.h"

#include "base/block.h"
#include "expr/order.h"
#include "expr/switch.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Lists on their way into a system.
typedef struct Finding {
    KalSystem *system;
    KalBlock switches; // KalSwitch
    KalBlock nodes;    // KalProgramSwitch
    KalMap places;     // of switches, by their functions and levels
} Finding;

KalStatus kal_system_is_bounded(const KalSystem *system, KalExpr e, bool *out_bounded)
{
    const uint64_t state =
        UINT64_C(1) << KAL_SYMBOL_TIME | UINT64_C(1) << KAL_SYMBOL_PARAMETER
        | UINT64_C(1) << KAL_SYMBOL_COORDINATE | UINT64_C(1) << KAL_SYMBOL_VELOCITY
        | UINT64_C(1) << KAL_SYMBOL_ACTIVE | UINT64_C(1) << KAL_SYMBOL_STATE
        | UINT64_C(1) << KAL_SYMBOL_HOLD;
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(system->model, e, &kinds));
    *out_bounded = (kinds & ~state) == 0;
    return KAL_OK;
}

// (−1)^n; sin πu has this sign for n < u < n + 1.
static double sign_of_power(double n)
{
    const double rest = fmod(n, 2.0);
    return isnan(rest) ? rest : (rest == 0.0 ? 1.0 : -1.0);
}

KalSwitchSides kal_switch_sides(const KalSwitch *s, double level)
{
    if (!s->steps) {
        return (KalSwitchSides){-1.0, 1.0, 1.0};
    }
    const double border = nearbyint(level);
    return (KalSwitchSides){border - 1.0, border, sign_of_power(border)};
}

double kal_switch_side(const KalSwitch *s, double mode)
{
    return s->steps ? sign_of_power(mode) : mode;
}

// Whether the piece that is followed is one of steps that numbers can tell apart.
static bool is_told(const KalSwitch *s, double mode)
{
    const double most = 0x1p52;
    return s->steps && fabs(mode) < most;
}

// Theory (15.37): positive on the piece and negative beyond both its ends, as sin πu is next to
// them, but with no other zeros.
static double distance(double mode, double level)
{
    return (level - mode) * (mode + 1.0 - level);
}

double kal_switch_value(const KalSwitch *s, double mode, double function, double level)
{
    return is_told(s, mode) ? sign_of_power(mode) * distance(mode, level) : function;
}

KalRange kal_switch_range(const KalSwitch *s, double mode, KalRange function,
                          KalRange level)
{
    const double top = mode + 0.5;
    if (!is_told(s, mode) || isnan(level.low) || isnan(level.high)) {
        return function;
    }
    const double a = distance(mode, level.low);
    const double b = distance(mode, level.high);
    const double highest =
        level.low <= top && top <= level.high ? distance(mode, top) : fmax(a, b);
    const KalRange range = {fmin(a, b), highest};
    return sign_of_power(mode) > 0.0 ? range : (KalRange){-range.high, -range.low};
}

// Whether an expression is a function of time alone.
static KalStatus is_timed(const KalSystem *system, KalExpr e, bool *out_timed)
{
    assert(out_timed);
    const uint64_t time =
        UINT64_C(1) << KAL_SYMBOL_TIME | UINT64_C(1) << KAL_SYMBOL_PARAMETER;
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(system->model, e, &kinds));
    *out_timed = (kinds & ~time) == 0;
    return KAL_OK;
}

static bool has_origin(const KalSystem *system, KalExpr node)
{
    KalSpan span;
    return kal_model_find_origin(system->model, node, &span);
}

// The place of the switch that a form belongs to; a new one if there is none.
static KalStatus find_place(Finding *f, const KalSwitchForm *form, KalExpr node,
                            size_t *out_place)
{
    assert(form->function.index != KAL_NO_EXPR.index);
    const uint64_t key = (uint64_t)form->function.index << 32 | form->level.index;
    const size_t count = f->switches.size / sizeof(KalSwitch);
    uint64_t place = 0;
    if (kal_map_find(&f->places, key, &place)) {
        KalSwitch *known = (KalSwitch *)f->switches.data + place;
        known->node = has_origin(f->system, known->node) ? known->node : node;
        *out_place = (size_t)place;
        return KAL_OK;
    }
    KalSwitch found = {.function = form->function,
                       .level = form->level,
                       .node = node,
                       .steps = form->steps};
    KAL_TRY(kal_system_is_bounded(f->system, form->function, &found.bounded));
    KAL_TRY(is_timed(f->system, form->function, &found.timed));
    KAL_TRY(kal_map_set(f->system->ctx, &f->places, key, count));
    *out_place = count;
    return kal_block_add(f->system->ctx, &f->switches, &found, sizeof found);
}

// If a node is made of pieces, and of more than parameters.
static KalStatus add_node(Finding *f, KalExpr node)
{
    KalGraph *g = f->system->model->graph;
    uint64_t kinds = 0;
    size_t place = 0;
    if (!kal_op_switches((KalOp)kal_graph_node(g, node).op)) {
        return KAL_OK;
    }
    const KalSwitchForm form = kal_switch_form(g, node);
    KAL_TRY(kal_graph_status(g));
    KAL_TRY(kal_model_kinds_in(f->system->model, form.function, &kinds));
    if ((kinds & ~(UINT64_C(1) << KAL_SYMBOL_PARAMETER)) == 0) {
        return KAL_OK; // it is always on the same piece
    }
    KAL_TRY(find_place(f, &form, node, &place));
    assert(form.orientation == 1 || form.orientation == -1);
    const KalProgramSwitch entry = {node, form.orientation * (int32_t)(place + 1)};
    return kal_block_add(f->system->ctx, &f->nodes, &entry, sizeof entry);
}

static KalStatus find(void *user, const KalOrder *order)
{
    Finding *f = (Finding *)user;
    for (uint32_t i = 0; i < order->count; i++) {
        KAL_TRY(add_node(f, order->steps[i].node));
    }
    return KAL_OK;
}

// Move a list to the arena of the system.
static void *keep(Finding *f, const KalBlock *list)
{
    void *kept = kal_arena_alloc(f->system->arena, list->size, 1);
    if (kept) {
        memcpy(kept, list->data, list->size);
    }
    return kept;
}

static KalStatus finish(Finding *f)
{
    KalSystem *system = f->system;
    if (f->switches.size == 0) {
        return KAL_OK;
    }
    system->pieces.switches = (KalSwitch *)keep(f, &f->switches);
    system->pieces.nodes = (KalProgramSwitch *)keep(f, &f->nodes);
    if (!system->pieces.switches || !system->pieces.nodes) {
        return kal_no_memory(system->ctx, "for switching functions");
    }
    system->pieces.n_switches = f->switches.size / sizeof(KalSwitch);
    system->pieces.n_nodes = f->nodes.size / sizeof(KalProgramSwitch);
    return KAL_OK;
}

KalStatus kal_system_find_switches(KalSystem *system, const KalExpr *formulas,
                                   size_t count)
{
    assert(formulas || count == 0);
    Finding f = {.system = system};
    KalStatus status = kal_order_visit(system->model->graph, formulas, count, find, &f);
    if (status == KAL_OK) {
        status = finish(&f);
    }
    kal_block_clear(system->ctx, &f.switches);
    kal_block_clear(system->ctx, &f.nodes);
    kal_map_clear(system->ctx, &f.places);
    return status;
}

KalStatus kal_system_know_switches(const KalSystem *system, KalMap *known)
{
    const KalPieces *pieces = &system->pieces;
    assert(pieces->switches || pieces->n_switches == 0);
    for (size_t i = 0; i < pieces->n_switches; i++) {
        KAL_TRY(kal_map_set(system->ctx, known, pieces->switches[i].function.index, 1));
    }
    return KAL_OK;
}

void kal_switch_describe(const KalSystem *system, size_t i, char *out_where,
                         size_t size, char out_quote[KAL_PRINTABLE_SIZE])
{
    assert(i < system->pieces.n_switches && size > 0);
    KalSpan span = {.source = NULL};
    *out_where = '\0';
    (void)snprintf(out_quote, KAL_PRINTABLE_SIZE, "a condition");
    if (kal_model_find_origin(system->model, system->pieces.switches[i].node, &span)
        && span.source) {
        const KalPlace place = kal_source_place(span.source, span.begin);
        kal_printable_print(span.source->text + span.begin, span.end - span.begin,
                            out_quote);
        (void)snprintf(out_where, size, "%s:%zu:%zu: ", span.source->name, place.line,
                       place.column);
    }
}
