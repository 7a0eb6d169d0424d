// SPDX-License-Identifier: MIT

// A copy keeps the sharing of the original: kal_transcript_order() lists the nodes that the roots
// reach, operands before what they are operands of, once for all copies; copying is then one pass
// over that list, and takes time in proportion to nodes and not to the lengths of formulas.  The
// graph of the system is read only, so that other threads may go on with it.

#include "system/transcript.h"

#include "expr/copy.h"

#include <assert.h>
#include <string.h>

static KalExpr *take(KalExpr **next, size_t count)
{
    KalExpr *piece = *next;
    *next += count;
    return piece;
}

static void add_all(KalExpr **next, const KalExpr *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *take(next, 1) = e[i];
    }
}

// Where roots begin.
static void lay_out(KalTranscript *t, const KalEquations *e)
{
    t->M = 0;
    t->Q = (size_t)e->M.start[e->n];
    t->A = t->Q + e->n;
    t->b = t->A + (size_t)e->A.start[e->m];
    t->phi = t->b + e->m;
    t->psi = t->phi + e->m;
    t->C = t->psi + e->m;
    t->energy = t->C + e->n;
    t->outputs = t->energy + 2;
    t->n_roots = t->outputs + e->model->n_outputs;
}

// One list of all nodes that copies may need; a root that does not exist is zero, so that
// roots can be found by number.
KalStatus kal_transcript_order(const KalEquations *equations, KalOrder *out_order)
{
    const KalEquations *e = equations;
    KalGraph *g = e->model->graph;
    KalContext *ctx = kal_graph_context(g);
    KalTranscript at;
    lay_out(&at, e);
    KalExpr *roots = (KalExpr *)kal_alloc(ctx, at.n_roots, sizeof *roots);
    if (!roots) {
        return kal_no_memory(ctx, "to copy formulas");
    }
    KalExpr *next = roots;
    add_all(&next, e->M.value, at.Q);
    add_all(&next, e->Q, e->n);
    add_all(&next, e->A.value, at.b - at.A);
    add_all(&next, e->b, e->m);
    add_all(&next, e->phi, e->m);
    add_all(&next, e->psi, e->m);
    add_all(&next, e->C, e->n);
    add_all(&next, &e->kinetic, 1);
    add_all(&next, &e->stored, 1);
    for (size_t i = 0; i < e->model->n_outputs; i++) {
        add_all(&next, &e->model->outputs[i].value, 1);
    }
    const KalExpr zero = kal_int(g, 0);
    for (size_t i = 0; i < at.n_roots; i++) {
        roots[i] = roots[i].index == KAL_NO_EXPR.index ? zero : roots[i];
    }
    const KalStatus status = kal_order_init(g, roots, at.n_roots, out_order);
    kal_free(ctx, roots, at.n_roots * sizeof *roots);
    return status;
}

static KalExpr copy_symbol(KalTranscript *t, KalExpr symbol)
{
    return kal_symbol(t->g,
                      kal_graph_node(t->system->model->graph, symbol).arg[0].index);
}

// The same symbols in the other graph.
static void copy_symbols(KalTranscript *t)
{
    const KalModel *model = t->system->model;
    const size_t n = (size_t)t->system->n;
    KalExpr *to = t->symbols;
    *to++ = copy_symbol(t, model->time);
    for (size_t i = 0; i < n; i++) {
        to[i] = copy_symbol(t, model->coordinates[i].q);
        to[n + i] = copy_symbol(t, model->coordinates[i].v);
    }
    to += 2 * n;
    for (size_t i = 0; i < kal_system_extras(t->system); i++) {
        to[i] = copy_symbol(t, kal_system_extra(t->system, i));
    }
    for (size_t k = 0; k < t->n_weights; k++) {
        t->weights[k] = kal_symbol(t->g, (uint32_t)(model->n_symbols + k));
    }
    to = t->weights + t->n_weights;
    for (size_t i = 0; i < model->n_parameters; i++) {
        to[i] = copy_symbol(t, model->parameters[i].symbol);
    }
    t->settings = to + model->n_parameters;
    for (size_t k = 0; k < t->n_settings; k++) {
        const uint32_t id = (uint32_t)(model->n_symbols + t->n_weights + k);
        t->settings[k] = kal_symbol(t->g, id);
    }
}

static KalStatus allocate(KalTranscript *t)
{
    const KalSystem *system = t->system;
    const size_t n_steps = system->givens.count + (size_t)1;
    const size_t n_symbols =
        system->layout.qdd + t->n_weights + system->model->n_parameters + t->n_settings;
    const size_t count = n_symbols + t->n_roots + n_steps;
    t->n_flags = t->n_roots + 2 * n_steps;
    t->block_size = count * sizeof *t->block;
    t->block = (KalExpr *)kal_alloc(t->ctx, count, sizeof *t->block);
    t->wanted = (bool *)kal_alloc(t->ctx, t->n_flags, sizeof *t->wanted);
    t->switches = (KalProgramSwitch *)kal_alloc(t->ctx, t->most_switches + 1,
                                                sizeof *t->switches);
    if (!t->block || !t->wanted || !t->switches) {
        return kal_no_memory(t->ctx, "to copy formulas");
    }
    KalExpr *next = t->block;
    t->symbols = take(&next, n_symbols);
    t->weights = t->symbols + system->layout.qdd;
    t->roots = take(&next, t->n_roots);
    t->images = take(&next, n_steps);
    t->needed = t->wanted + t->n_roots;
    t->varies = t->needed + n_steps;
    return KAL_OK;
}

KalStatus kal_transcript_init(KalTranscript *transcript, KalContext *ctx,
                              const KalSystem *system, KalTranscriptRoom room)
{
    KalTranscript *t = transcript;
    *t = (KalTranscript){.ctx = ctx,
                         .system = system,
                         .n_weights = room.n_weights,
                         .n_settings = room.n_settings};
    t->most_switches = KAL_TRANSCRIPT_COPIES * system->pieces.n_nodes;
    lay_out(t, system->equations);
    KAL_TRY(allocate(t));
    KAL_TRY(kal_graph_create(ctx, &t->g));
    kal_graph_set_plain(t->g, true);
    kal_graph_set_limit(t->g, room.most_nodes);
    copy_symbols(t);
    return kal_graph_status(t->g);
}

void kal_transcript_clear(KalTranscript *transcript)
{
    KalTranscript *t = transcript;
    kal_graph_destroy(t->g);
    kal_free(t->ctx, t->block, t->block_size);
    kal_free(t->ctx, t->wanted, t->n_flags * sizeof *t->wanted);
    kal_free(t->ctx, t->switches, (t->most_switches + 1) * sizeof *t->switches);
}

void kal_transcript_want(KalTranscript *transcript, size_t first, size_t count)
{
    assert(first + count <= transcript->n_roots);
    memset(transcript->wanted + first, true, count * sizeof(bool));
}

// Steps that the wanted roots are made of.
static void find_needed(KalTranscript *t)
{
    const KalOrder *order = &t->system->givens;
    memset(t->needed, 0, order->count * sizeof *t->needed);
    for (size_t r = 0; r < t->n_roots; r++) {
        t->needed[order->roots[r]] = t->needed[order->roots[r]] || t->wanted[r];
    }
    for (uint32_t i = order->count; i-- > 0;) {
        const KalStep *step = &order->steps[i];
        for (int k = 0; k < kal_op_arity((KalOp)step->op) && t->needed[i]; k++) {
            t->needed[step->arg[k]] = true;
        }
    }
}

// Where the constraint force on a coordinate is among those that the model asks for.
static size_t force_at(const KalSystem *system, uint32_t coordinate)
{
    size_t i = 0;
    while (i < system->n_forces && system->forces[i] != coordinate) {
        i++;
    }
    assert(i < system->n_forces);
    return system->layout.forces + i;
}

// Where a symbol is among the variables that formulas may stand for; their number for others.
static size_t variable_at(const KalSystem *system, uint32_t id)
{
    const KalLayout *layout = &system->layout;
    const uint32_t i = system->model->symbols[id].index;
    switch (system->model->symbols[id].kind) {
    case KAL_SYMBOL_TIME: return 0;
    case KAL_SYMBOL_COORDINATE: return layout->q + i;
    case KAL_SYMBOL_VELOCITY: return layout->qd + i;
    case KAL_SYMBOL_ACCELERATION: return layout->qdd + i;
    case KAL_SYMBOL_REACTION: return layout->reactions + i;
    case KAL_SYMBOL_COORDINATE_FORCE: return force_at(system, i);
    case KAL_SYMBOL_CONTROL: return layout->controls + i;
    case KAL_SYMBOL_ENERGY: return layout->energy;
    case KAL_SYMBOL_PARAMETER:
    case KAL_SYMBOL_ACTIVE:
    case KAL_SYMBOL_STATE:
    case KAL_SYMBOL_HOLD:
    case KAL_SYMBOL_PROMISE: break;
    }
    return layout->count;
}

// A symbol, or what stands for it.
static KalExpr stand_in(const KalTranscript *t, uint32_t id, KalExpr symbol,
                        const KalExpr *values)
{
    const size_t at = variable_at(t->system, id);
    const bool stays = !values || at == t->system->layout.count
                       || values[at].index == KAL_NO_EXPR.index;
    return stays ? symbol : values[at];
}

static void note_switches(KalTranscript *t, const KalStep *step, KalExpr image)
{
    const KalSystem *system = t->system;
    for (size_t k = 0; k < system->pieces.n_nodes; k++) {
        if (system->pieces.nodes[k].node.index == step->node.index) {
            assert(t->n_switches < t->most_switches);
            t->switches[t->n_switches] = system->pieces.nodes[k];
            t->switches[t->n_switches++].node = image;
        }
    }
}

static void copy_step(KalTranscript *t, uint32_t i, const KalExpr *values)
{
    const KalModel *model = t->system->model;
    const KalStep *step = &t->system->givens.steps[i];
    KalExpr arg[3] = {{step->arg[0]}, {step->arg[1]}, {step->arg[2]}};
    t->varies[i] = step->op == KAL_OP_SYMBOL
                   && model->symbols[step->arg[0]].kind != KAL_SYMBOL_PARAMETER;
    for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
        arg[k] = t->images[step->arg[k]];
        t->varies[i] = t->varies[i] || t->varies[step->arg[k]];
    }
    const KalExpr image = kal_copy_step(model->graph, step, arg, t->g);
    t->images[i] =
        step->op == KAL_OP_SYMBOL ? stand_in(t, step->arg[0], image, values) : image;
    note_switches(t, step, t->images[i]);
}

// One pass over the order, which has operands first; roots that nobody asked for, and
// what only they need, are left out.
KalStatus kal_transcript_copy(KalTranscript *transcript, const KalExpr *values)
{
    assert(transcript->g && transcript->images);
    KalTranscript *t = transcript;
    const KalOrder *order = &t->system->givens;
    find_needed(t);
    for (uint32_t i = 0; i < order->count; i++) {
        if (t->needed[i]) {
            copy_step(t, i, values);
        }
    }
    for (size_t r = 0; r < t->n_roots; r++) {
        const KalExpr image = t->wanted[r] ? t->images[order->roots[r]] : KAL_NO_EXPR;
        t->roots[r] = t->wanted[r] && !kal_is_zero(t->g, image) ? image : KAL_NO_EXPR;
        t->wanted[r] = false;
    }
    return kal_graph_status(t->g);
}

void kal_transcript_mass(const KalTranscript *transcript, KalExpr *out_M)
{
    const KalEquations *e = transcript->system->equations;
    for (size_t i = 0; i < e->n; i++) {
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            out_M[i * e->n + (size_t)e->M.column[k]] =
                transcript->roots[transcript->M + (size_t)k];
        }
    }
}

void kal_transcript_row(const KalTranscript *transcript, size_t row, KalExpr *out_row)
{
    const KalEquations *e = transcript->system->equations;
    for (int64_t k = e->A.start[row]; k < e->A.start[row + 1]; k++) {
        out_row[e->A.column[k]] = transcript->roots[transcript->A + (size_t)k];
    }
}

enum {
    MOST_TERMS = 32 // that wait; what is beyond counts as nothing
};

// A step of a formula, and what it is multiplied by there.
typedef struct Term {
    uint32_t step;
    KalExpr factor;
} Term;

// The terms of a term that varies, on top of others.
static int take_apart(const KalTranscript *t, Term term, int count, Term *out_terms)
{
    const KalStep *step = &t->system->givens.steps[term.step];
    const uint32_t a = step->arg[0];
    const uint32_t b = step->arg[1];
    Term parts[2] = {
        {a, term.factor},
        {b, term.factor}
    };
    int n = 0;
    if (step->op == KAL_OP_ADD || step->op == KAL_OP_SUB || step->op == KAL_OP_NEG) {
        n = kal_op_arity((KalOp)step->op);
    } else if (step->op == KAL_OP_MUL && !(t->varies[a] && t->varies[b])) {
        parts[0].step = t->varies[a] ? a : b;
        parts[0].factor = kal_mul(t->g, term.factor, t->images[t->varies[a] ? b : a]);
        n = 1;
    } else if (step->op == KAL_OP_DIV && !t->varies[b]) {
        parts[0].factor = kal_div(t->g, term.factor, t->images[b]);
        n = 1;
    }
    for (int k = 0; k < n && count < MOST_TERMS; k++) {
        out_terms[count++] = parts[k];
    }
    return count;
}

KalExpr kal_transcript_constants(const KalTranscript *transcript, size_t root)
{
    const KalTranscript *t = transcript;
    Term terms[MOST_TERMS] = {
        {t->system->givens.roots[root], kal_int(t->g, 1)}
    };
    KalExpr size = kal_int(t->g, 0);
    for (int count = 1; count > 0;) {
        const Term term = terms[--count];
        if (t->varies[term.step]) {
            count = take_apart(t, term, count, terms);
        } else {
            const KalExpr value = kal_mul(t->g, term.factor, t->images[term.step]);
            size = kal_add(t->g, size, kal_unary(t->g, KAL_OP_ABS, value));
        }
    }
    return size;
}

KalStatus kal_transcript_compile(KalTranscript *transcript, const KalExpr *outputs,
                                 size_t count, bool lanes, KalProgram **out_program)
{
    assert(outputs && out_program);
    const KalTranscript *t = transcript;
    const KalProgramSpec spec = {.outputs = outputs,
                                 .n_outputs = count,
                                 .parameters = t->weights + t->n_weights,
                                 .n_parameters =
                                     t->system->model->n_parameters + t->n_settings,
                                 .variables = t->symbols,
                                 .n_variables = t->system->layout.qdd + t->n_weights,
                                 .switches = t->switches,
                                 .n_switches = t->n_switches,
                                 .plain = t->plain,
                                 .lanes = lanes};
    return kal_program_create(t->g, &spec, out_program);
}
