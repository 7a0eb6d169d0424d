// SPDX-License-Identifier: MIT

// Kinks: places where the equations are made of pieces that meet.  There a linearization
// is one of one side, and says nothing of the other: theory (17.12).

#include "analysis/kink.h"

#include "expr/order.h"
#include "expr/switch.h"
#include "print/print.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 100 // bytes of a formula
};

// How far to either side states are looked at, relative to their size.
static const double ASIDE = 1e-7;
// Differences of the two sides beyond this, relative to both, are no curvature.
static const double DIFFERENT = 1e-4;

// Lists on their way.
typedef struct Listing {
    KalAnalysis *a;
    KalBlock functions; // KalExpr
    KalBlock kinks;     // KalKink
} Listing;

// Add a function once; the first formula of the model that it is in has its place.
static KalStatus add(Listing *l, KalExpr function, KalKink kink)
{
    KalGraph *g = l->a->system->model->graph;
    const size_t count = l->functions.size / sizeof function;
    assert(count == l->kinks.size / sizeof kink);
    const KalExpr *functions = (const KalExpr *)l->functions.data;
    KAL_TRY(kal_graph_status(g));
    if (kal_graph_node(g, function).op == KAL_OP_CONST) {
        return KAL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        if (functions[i].index == function.index) {
            return KAL_OK;
        }
    }
    KAL_TRY(kal_block_add(l->a->ctx, &l->functions, &function, sizeof function));
    return kal_block_add(l->a->ctx, &l->kinks, &kink, sizeof kink);
}

// All switches in some formulas.
static KalStatus list_inside(Listing *l, const KalExpr *formulas, size_t count,
                             KalSpan span)
{
    KalGraph *g = l->a->system->model->graph;
    KalOrder order = {.ctx = NULL};
    KalStatus status = KAL_OK;
    KAL_TRY(kal_order_init(g, formulas, count, &order));
    for (uint32_t i = 0; i < order.count && status == KAL_OK; i++) {
        const KalKink kink = {.node = order.steps[i].node, .span = span};
        status = kal_op_switches((KalOp)order.steps[i].op)
                     ? add(l, kal_switch_form(g, kink.node).function, kink)
                     : KAL_OK;
    }
    kal_order_clear(&order);
    return status;
}

// Formulas of the model first, so that messages can name their places; then R and S, for
// what derivatives have made of them.
static KalStatus list_all(Listing *l)
{
    const KalForms *forms = &l->a->forms;
    const KalSystem *system = l->a->system;
    const KalModel *model = system->model;
    const KalSpan nowhere = {.source = NULL};
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < model->n_contributions && status == KAL_OK; i++) {
        const KalContribution *c = &model->contributions[i];
        status = list_inside(l, &c->value, 1, c->span);
    }
    for (size_t i = 0; i < model->n_constraints && status == KAL_OK; i++) {
        const KalConstraint *c = &model->constraints[i];
        status = list_inside(l, &c->residual, 1, c->span);
    }
    for (size_t i = 0; i < model->n_actuators && status == KAL_OK; i++) {
        const KalActuator *c = &model->actuators[i];
        status = list_inside(l, &c->power, 1, c->span);
    }
    for (size_t i = 0; i < model->n_outputs && status == KAL_OK; i++) {
        status = list_inside(l, &forms->o[i], 1, model->outputs[i].span);
    }
    KAL_TRY(status);
    KAL_TRY(list_inside(l, forms->R, (size_t)system->n, nowhere));
    return list_inside(l, forms->S, (size_t)system->m, nowhere);
}

static size_t inputs_of(const KalAnalysis *a)
{
    return (size_t)a->forms.inputs->count;
}

static KalStatus compile(KalKinks *kinks, const Listing *l)
{
    KalAnalysis *a = l->a;
    const size_t n = l->kinks.size / sizeof(KalKink);
    const size_t z = 2 * (size_t)a->system->n;
    const size_t all = // nothing is compared in a large system
        a->pencil ? 0 : z + (z + (size_t)a->system->n_outputs) * (z + inputs_of(a));
    KAL_TRY(kal_system_compile(a->system, (const KalExpr *)l->functions.data, n,
                               &kinks->program));
    const size_t work = kal_program_work(kinks->program);
    assert(n > 0);
    kinks->list = (KalKink *)kal_arena_alloc(a->arena, n, sizeof(KalKink));
    kinks->met = (bool *)kal_arena_alloc(a->arena, n, sizeof(bool));
    double *numbers = (double *)kal_arena_alloc(a->arena, work + 2 * n + z + 2 * all,
                                                sizeof *numbers);
    if (!kinks->list || !kinks->met || !numbers) {
        return kal_no_memory(a->ctx, "for kinks");
    }
    memcpy(kinks->list, l->kinks.data, n * sizeof(KalKink));
    kinks->n = n;
    kinks->work = numbers;
    kinks->y = numbers + work;
    for (int side = 0; side < 2; side++) {
        kinks->values[side] = kinks->y + z + (size_t)side * n;
        kinks->slopes[side] = kinks->y + z + 2 * n + (size_t)side * all;
    }
    return KAL_OK;
}

KalStatus kal_kinks_init(KalKinks *kinks, KalAnalysis *a)
{
    Listing l = {.a = a};
    *kinks = (KalKinks){.n = 0};
    KalStatus status = list_all(&l);
    if (status == KAL_OK && l.kinks.size > 0) {
        status = compile(kinks, &l);
    }
    kal_block_clear(a->ctx, &l.functions);
    kal_block_clear(a->ctx, &l.kinks);
    return status;
}

void kal_kinks_clear(KalKinks *kinks)
{
    kal_program_destroy(kinks->program);
}

// Add a matrix to the slopes of a side.
static void keep(double *slopes, size_t *count, const double *matrix, size_t entries)
{
    if (entries > 0) {
        memcpy(slopes + *count, matrix, entries * sizeof *slopes);
        *count += entries;
    }
}

// Accelerations and all matrices of the linearization at the present state; returns how
// many numbers.
static KalStatus take_side(KalAnalysis *a, int side, size_t *out_count)
{
    assert(side == 0 || side == 1);
    KalKinks *kinks = &a->kinks;
    KalLinearization l;
    KAL_TRY(kal_analysis_linearize(a, &l));
    const size_t n = (size_t)a->system->n;
    const size_t z = (size_t)a->linear.n_states;
    const size_t p = (size_t)a->system->n_outputs;
    const size_t u = inputs_of(a);
    double *slopes = kinks->slopes[side];
    *out_count = 0;
    keep(slopes, out_count, a->answer.qdd, n);
    keep(slopes, out_count, a->linear.A, z * z);
    keep(slopes, out_count, a->linear.B, z * u);
    keep(slopes, out_count, a->linear.C, p * z);
    keep(slopes, out_count, a->linear.D, p * u);
    return KAL_OK;
}

// Go aside by a part of direction k, from the state kept.
static void go(KalAnalysis *a, const double *direction, int k, double part)
{
    assert(k >= 0 && k < a->linear.n_states);
    const size_t count = 2 * (size_t)a->system->n;
    const double *y = a->kinks.y;
    double *state = kal_instant_q(a->instant);
    const double step = part * ASIDE * fmax(1.0, fabs(y[a->linear.state[k]]));
    for (size_t i = 0; i < count; i++) {
        state[i] = y[i] + step * direction[i];
    }
}

// The functions at the present state.
static KalStatus take_values(KalAnalysis *a, int side)
{
    assert(side == 0 || side == 1);
    KAL_TRY(kal_instant_solve(a->instant, &a->answer));
    kal_program_eval(a->kinks.program, a->instant->variables, a->kinks.work,
                     a->kinks.values[side]);
    return KAL_OK;
}

// Whether a function has another sign on the other side.
static bool changes(const KalKinks *kinks, size_t i)
{
    assert(i < kinks->n);
    const double below = kinks->values[0][i];
    const double above = kinks->values[1][i];
    return (below <= 0.0 && above > 0.0) || (below < 0.0 && above >= 0.0)
           || (below >= 0.0 && above < 0.0) || (below > 0.0 && above <= 0.0);
}

// Whether the two sides differ by more than curvature explains.
static bool differ(const KalKinks *kinks, size_t count)
{
    double most = 0.0;
    double apart = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double below = kinks->slopes[0][i];
        const double above = kinks->slopes[1][i];
        if (isfinite(below) && isfinite(above)) {
            most = fmax(most, fmax(fabs(below), fabs(above)));
            apart = fmax(apart, fabs(above - below));
        }
    }
    return apart > DIFFERENT * most;
}

// Look to both sides along direction k, which is kept, and mark what is met.
static KalStatus look(KalAnalysis *a, const double *direction, int k)
{
    assert(a->kinks.n > 0);
    KalKinks *kinks = &a->kinks;
    size_t count = 0;
    bool any = false;
    for (int side = 0; side < 2; side++) {
        go(a, direction, k, side == 0 ? -1.0 : 1.0);
        KAL_TRY(take_values(a, side));
    }
    for (size_t i = 0; i < kinks->n; i++) {
        any = any || changes(kinks, i);
    }
    for (int side = 0; side < 2 && any; side++) {
        go(a, direction, k, side == 0 ? -1.0 : 1.0);
        KAL_TRY(take_side(a, side, &count));
    }
    if (any && differ(kinks, count)) {
        for (size_t i = 0; i < kinks->n; i++) {
            kinks->met[i] = kinks->met[i] || changes(kinks, i);
        }
    }
    return KAL_OK;
}

// A text that grows up to its room; what does not fit is left out.
typedef struct Text {
    char *data;
    size_t used;
    size_t room;
} Text;

static void append(void *user, const char *text, size_t length)
{
    Text *out = (Text *)user;
    assert(out->used < out->room);
    if (length < out->room - out->used) {
        memcpy(out->data + out->used, text, length);
        out->used += length;
        out->data[out->used] = '\0';
    }
}

// The formula that has the kink, and where it stands in the model.
static void describe(const KalAnalysis *a, const KalKink *kink, Text *text)
{
    KalModel *model = a->system->model;
    const KalPrintOptions options = {.format = KAL_FORMAT_TEXT,
                                     .name = kal_model_symbol_name,
                                     .user = model,
                                     .limit = LONGEST};
    const KalSink sink = {append, text};
    char where[KAL_NOTE_SIZE] = "";
    if (kal_print(model->graph, kink->node, &options, sink) != KAL_OK) {
        append(text, "a long formula", strlen("a long formula"));
    }
    if (kink->span.source) {
        const KalPlace place = kal_source_place(kink->span.source, kink->span.begin);
        (void)snprintf(where, sizeof where, " at %.200s:%zu:%zu",
                       kink->span.source->name, place.line, place.column);
    }
    append(text, where, strlen(where));
}

// All that was met, with places in the model if any is known.
static void write_text(KalAnalysis *a)
{
    KalKinks *kinks = &a->kinks;
    Text text = {kinks->text, 0, sizeof kinks->text};
    bool placed = false;
    for (size_t i = 0; i < kinks->n; i++) {
        placed = placed || (kinks->met[i] && kinks->list[i].span.source);
    }
    for (size_t i = 0; i < kinks->n; i++) { // derivatives only if nothing else is known
        if (kinks->met[i] && (kinks->list[i].span.source || !placed)) {
            append(&text, ", ", text.used > 0 ? 2 : 0);
            describe(a, &kinks->list[i], &text);
        }
    }
}

// Directions of the last linearization change with it, so each is kept.
static KalStatus look_around(KalAnalysis *a)
{
    const size_t count = 2 * (size_t)a->system->n;
    KalLinearization l;
    double *direction = (double *)kal_alloc(a->ctx, count, sizeof *direction);
    KalStatus status = KAL_OK;
    if (!direction) {
        return kal_no_memory(a->ctx, "for kinks");
    }
    for (int k = 0; status == KAL_OK; k++) {
        memcpy(kal_instant_q(a->instant), a->kinks.y, count * sizeof(double));
        status = kal_analysis_linearize(a, &l);
        if (status != KAL_OK || k >= a->linear.n_states) {
            break;
        }
        memcpy(direction, a->chart.directions + (size_t)k * count,
               count * sizeof *direction);
        const KalStatus seen = look(a, direction, k);
        status = seen == KAL_ERR_NOMEM ? seen : KAL_OK; // there may be nothing aside
    }
    kal_free(a->ctx, direction, count * sizeof *direction);
    return status;
}

// In a large system directions are not tried: a function that is zero parts pieces here.
static void look_here(KalAnalysis *a)
{
    KalKinks *kinks = &a->kinks;
    kal_program_eval(kinks->program, a->instant->variables, kinks->work,
                     kinks->values[0]);
    for (size_t i = 0; i < kinks->n; i++) {
        kinks->met[i] = fabs(kinks->values[0][i]) <= ASIDE;
    }
}

// Whether the state lies on the border of a piecewise formula: there the linear equations
// hold on one side only.
KalStatus kal_analysis_kinks(KalAnalysis *a, const char **out_text)
{
    KAL_NEED(a ? a->ctx : NULL, a && out_text);
    KalKinks *kinks = &a->kinks;
    const size_t count = 2 * (size_t)a->system->n;
    *out_text = NULL;
    if (kinks->n == 0) {
        return KAL_OK;
    }
    kinks->text[0] = '\0';
    memset(kinks->met, 0, kinks->n * sizeof *kinks->met);
    memcpy(kinks->y, kal_instant_q(a->instant), count * sizeof(double));
    if (a->pencil) {
        look_here(a);
    } else {
        KAL_TRY(look_around(a));
    }
    write_text(a);
    *out_text = kinks->text[0] ? kinks->text : NULL;
    return KAL_OK;
}
