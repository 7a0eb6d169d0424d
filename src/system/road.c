// SPDX-License-Identifier: MIT

// The fast road (system/road.h): copy the equations to a graph that simplifies nothing,
// eliminate them there (derive/eliminate.h), compile the result, throw the graph away.
//
// The copy is made from the order of the system's formulas, so that nothing of the system
// changes, and of the rows that are independent only.  A system that is too large, or whose
// elimination fills in too much, has no road; solves then go on as they did.
//
// Invariant: while `fits`, `rows` are the constraints that the instant knows as independent.

#include "system/road.h"

#include "expr/copy.h"
#include "motion/trust.h"
#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PATIENCE = 200, // solves of other rows until a road for them is worth its making
    MOST_NODES = 40000, // formulas beyond which plain solves of matrices are faster
    MOST_SIZE = 400,    // coordinates and constraints that are looked at at all
};

KalStatus kal_road_init(KalRoad *road, KalInstant *instant)
{
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    *road = (KalRoad){.instant = instant};
    road->rows = (bool *)kal_alloc(instant->ctx, m + 1, sizeof(bool));
    road->wanted = (bool *)kal_alloc(instant->ctx, m + 1, sizeof(bool));
    road->undecided = (bool *)kal_alloc(instant->ctx, n, sizeof(bool));
    if (!road->rows || !road->wanted || !road->undecided) {
        return kal_no_memory(instant->ctx, "for an instant");
    }
    return KAL_OK;
}

static void forget(KalRoad *road)
{
    KalContext *ctx = road->instant->ctx;
    kal_program_destroy(road->program);
    kal_free(ctx, road->block, road->block_size);
    road->program = NULL;
    road->block = NULL;
    road->block_size = 0;
}

void kal_road_clear(KalRoad *road)
{
    if (road->instant) {
        const KalInstant *instant = road->instant;
        const size_t m = (size_t)instant->system->m;
        forget(road);
        kal_free(instant->ctx, road->rows, m + 1);
        kal_free(instant->ctx, road->wanted, m + 1);
        kal_free(instant->ctx, road->undecided, (size_t)instant->system->n);
    }
}

void kal_road_choose(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t m = (size_t)instant->system->m;
    memset(road->wanted, 0, m * sizeof(bool));
    for (int k = 0; k < instant->n_independent; k++) {
        road->wanted[instant->rows[instant->independent[k]]] = true;
    }
    road->fits = road->made && road->lends == instant->lends
                 && memcmp(road->rows, road->wanted, m * sizeof(bool)) == 0;
}

// Formulas of the equations in a graph of their own.
typedef struct Copies {
    KalGraph *g;
    KalExpr *block;
    size_t block_size;
    KalExpr *M;       // n × n
    KalExpr *Q;       // n
    KalExpr *A;       // n_rows × n
    KalExpr *b;       // n_rows
    KalExpr *weights; // n_rows
    KalExpr *symbols; // variables, weights, parameters
    KalExpr *answer;
} Copies;

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

KalStatus kal_road_order(const KalEquations *equations, KalOrder *out_order)
{
    const KalEquations *e = equations;
    KalGraph *g = e->model->graph;
    KalContext *ctx = kal_graph_context(g);
    const size_t in_M = (size_t)e->M.start[e->n];
    const size_t in_A = (size_t)e->A.start[e->m];
    const size_t count = in_M + e->n + in_A + e->m;
    KalExpr *roots = (KalExpr *)kal_alloc(ctx, count, sizeof *roots);
    if (!roots) {
        return kal_no_memory(ctx, "to copy formulas");
    }
    KalExpr *next = roots;
    add_all(&next, e->M.value, in_M);
    add_all(&next, e->Q, e->n);
    add_all(&next, e->A.value, in_A);
    add_all(&next, e->b, e->m);
    const KalStatus status = kal_order_init(g, roots, count, out_order);
    kal_free(ctx, roots, count * sizeof *roots);
    return status;
}

static KalExpr unless_zero(const KalGraph *g, KalExpr e)
{
    return kal_is_zero(g, e) ? KAL_NO_EXPR : e;
}

// Put a copy of everything where the elimination wants it; `from` are copies of M, Q, A
// and b, as the first program of the system has them.
static void deal_out(const KalRoad *road, Copies *c, const KalExpr *from)
{
    const KalEquations *e = road->instant->system->equations;
    const size_t n = e->n;
    size_t row = 0;
    for (size_t i = 0; i < n; i++) {
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            c->M[i * n + (size_t)e->M.column[k]] = from[k];
        }
    }
    from += e->M.start[n];
    for (size_t i = 0; i < n; i++) {
        c->Q[i] = unless_zero(c->g, from[i]);
    }
    from += n;
    for (size_t i = 0; i < e->m; i++) {
        for (int64_t k = e->A.start[i]; road->rows[i] && k < e->A.start[i + 1]; k++) {
            c->A[row * n + (size_t)e->A.column[k]] = from[k];
        }
        row += road->rows[i];
    }
    from += e->A.start[e->m];
    assert(row == (size_t)road->n_rows);
    row = 0;
    for (size_t i = 0; i < e->m; i++) {
        if (road->rows[i]) {
            c->b[row++] = unless_zero(c->g, from[i]);
        }
    }
}

// Copy the formulas of the system, with the switches among them.
static KalStatus copy_steps(const KalRoad *road, Copies *c, KalProgramSwitch *switches)
{
    const KalSystem *system = road->instant->system;
    const KalOrder *order = &system->givens;
    const size_t n_steps = order->count + (size_t)1;
    const size_t n_copies = n_steps + order->n_roots;
    KalExpr *copies =
        (KalExpr *)kal_alloc(road->instant->ctx, n_copies, sizeof *copies);
    if (!copies) {
        return kal_no_memory(road->instant->ctx, "to copy formulas");
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        KalExpr arg[3] = {{step->arg[0]}, {step->arg[1]}, {step->arg[2]}};
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            arg[k] = copies[step->arg[k]];
        }
        copies[i] = kal_copy_step(system->model->graph, step, arg, c->g);
        for (size_t k = 0; k < system->n_switch_nodes; k++) {
            if (system->switch_nodes[k].node.index == step->node.index) {
                switches[k].node = copies[i];
            }
        }
    }
    for (size_t i = 0; i < order->n_roots; i++) {
        copies[n_steps + i] = copies[order->roots[i]];
    }
    deal_out(road, c, copies + n_steps);
    kal_free(road->instant->ctx, copies, n_copies * sizeof *copies);
    return kal_graph_status(c->g);
}

// The same symbols in the other graph: variables, weights, parameters.
static void copy_symbols(const KalRoad *road, Copies *c)
{
    const KalSystem *system = road->instant->system;
    const KalModel *model = system->model;
    const size_t n = (size_t)system->n;
    KalExpr *to = c->symbols;
    const KalGraph *g = model->graph;
    *to++ = kal_symbol(c->g, kal_graph_node(g, model->time).arg[0].index);
    for (size_t i = 0; i < n; i++) {
        to[i] =
            kal_symbol(c->g, kal_graph_node(g, model->coordinates[i].q).arg[0].index);
        to[n + i] =
            kal_symbol(c->g, kal_graph_node(g, model->coordinates[i].v).arg[0].index);
    }
    to += 2 * n;
    for (int k = 0; k < road->n_rows && road->lends; k++) {
        c->weights[k] = kal_symbol(c->g, (uint32_t)(model->n_symbols + (size_t)k));
        *to++ = c->weights[k];
    }
    for (size_t i = 0; i < model->n_parameters; i++) {
        *to++ = kal_symbol(c->g,
                           kal_graph_node(g, model->parameters[i].symbol).arg[0].index);
    }
}

// Eliminate and compile.
static KalStatus compile(KalRoad *road, Copies *c, const KalProgramSwitch *switches)
{
    const KalSystem *system = road->instant->system;
    const size_t variables =
        system->layout.qdd + (road->lends ? (size_t)road->n_rows : 0);
    const KalEliminand given = {.n = (size_t)system->n,
                                .m = (size_t)road->n_rows,
                                .M = c->M,
                                .Q = c->Q,
                                .A = c->A,
                                .b = c->b,
                                .weights = road->lends ? c->weights : NULL,
                                .tolerance = KAL_SAFE_RESIDUAL,
                                .floor = KAL_RESIDUAL_FLOOR};
    KAL_TRY(kal_eliminate(c->g, &given, c->answer));
    const KalProgramSpec spec = {.outputs = c->answer,
                                 .n_outputs = road->at.count,
                                 .parameters = c->symbols + variables,
                                 .n_parameters = system->model->n_parameters,
                                 .variables = c->symbols,
                                 .n_variables = variables,
                                 .switches = switches,
                                 .n_switches = system->n_switch_nodes};
    return kal_program_create(c->g, &spec, &road->program);
}

static KalStatus build(KalRoad *road, Copies *c, KalProgramSwitch *switches)
{
    copy_symbols(road, c);
    KAL_TRY(copy_steps(road, c, switches));
    return compile(road, c, switches);
}

static KalStatus allocate(Copies *c, const KalRoad *road, KalContext *ctx)
{
    const KalSystem *system = road->instant->system;
    const size_t n = (size_t)system->n;
    const size_t rows = (size_t)road->n_rows;
    const size_t symbols = system->layout.qdd + rows + system->model->n_parameters;
    const size_t count = n * n + n + rows * n + 2 * rows + symbols + road->at.count;
    c->block_size = count * sizeof *c->block;
    c->block = (KalExpr *)kal_alloc(ctx, count, sizeof *c->block);
    if (!c->block) {
        return kal_no_memory(ctx, "to copy formulas");
    }
    KalExpr *next = c->block;
    c->M = take(&next, n * n);
    c->Q = take(&next, n);
    c->A = take(&next, rows * n);
    c->b = take(&next, rows);
    c->weights = take(&next, rows);
    c->symbols = take(&next, symbols);
    c->answer = take(&next, road->at.count);
    KAL_TRY(kal_graph_create(ctx, &c->g));
    kal_graph_set_plain(c->g, true);
    kal_graph_set_limit(c->g, MOST_NODES);
    return KAL_OK;
}

// Numbers for the program that was made.
static KalStatus make_room(KalRoad *road)
{
    const KalSystem *system = road->instant->system;
    const size_t work = kal_program_work(road->program);
    const size_t inputs = system->layout.qdd + (size_t)road->n_rows;
    const size_t count = work + inputs + road->at.count + (size_t)system->n;
    road->block = (double *)kal_alloc(road->instant->ctx, count, sizeof(double));
    if (!road->block) {
        return kal_no_memory(road->instant->ctx, "for a run");
    }
    road->block_size = count * sizeof(double);
    road->work = road->block;
    road->inputs = road->work + work;
    road->results = road->inputs + inputs;
    kal_program_prepare(road->program, road->instant->settings.parameters, road->work);
    return KAL_OK;
}

void kal_road_prepare(KalRoad *road)
{
    if (road->program) {
        kal_program_prepare(road->program, road->instant->settings.parameters,
                            road->work);
    }
    road->misses = PATIENCE;
}

// Make the program; where that is impossible there is none.
static void make(KalRoad *road)
{
    KalContext *ctx = road->instant->ctx;
    const KalSystem *system = road->instant->system;
    const size_t n_switches = system->n_switch_nodes;
    Copies c = {.g = NULL};
    if (system->n > MOST_SIZE || road->n_rows > system->n) {
        return;
    }
    road->at = kal_eliminated_layout((size_t)system->n, (size_t)road->n_rows);
    KalProgramSwitch *switches =
        (KalProgramSwitch *)kal_alloc(ctx, n_switches + 1, sizeof *switches);
    for (size_t k = 0; switches && k < n_switches; k++) {
        switches[k] = system->switch_nodes[k];
        switches[k].node = KAL_NO_EXPR;
    }
    if (!switches || allocate(&c, road, ctx) != KAL_OK || !c.block
        || build(road, &c, switches) != KAL_OK || make_room(road) != KAL_OK) {
        forget(road);
    }
    kal_graph_destroy(c.g);
    kal_free(ctx, c.block, c.block ? c.block_size : 0);
    kal_free(ctx, switches, switches ? (n_switches + 1) * sizeof *switches : 0);
}

void kal_road_make(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t m = (size_t)instant->system->m;
    if (road->fits || (road->made && road->misses < PATIENCE)) {
        return;
    }
    forget(road);
    memcpy(road->rows, road->wanted, m * sizeof(bool));
    road->lends = instant->lends;
    road->n_rows = instant->n_independent;
    road->made = true;
    road->fits = true;
    road->misses = 0;
    make(road);
}

// All comparisons are such that NaN fails them.
bool kal_eliminated_is_sound(const KalEliminated *at, const double *results)
{
    return results[at->excess] <= 0.0 && results[at->most_growth] <= KAL_SAFE_GROWTH
           && results[at->most_gram] <= KAL_SAFE_GROWTH
           && results[at->least_growth] >= 0.5 && results[at->least_gram] >= 0.5;
}

static const double *find_inputs(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t qdd = instant->system->layout.qdd;
    int row = 0;
    if (!road->lends) {
        return instant->variables;
    }
    memcpy(road->inputs, instant->variables, qdd * sizeof(double));
    for (int k = 0; k < instant->n_active; k++) {
        if (road->rows[instant->rows[k]]) {
            road->inputs[qdd + (size_t)row++] = instant->weights[k];
        }
    }
    assert(row == road->n_rows);
    return road->inputs;
}

static void publish(const KalRoad *road, KalMotionAnswer *answer)
{
    const KalInstant *instant = road->instant;
    const double *x = road->results;
    const double *next = x + road->at.multipliers;
    for (int k = 0; k < instant->n_active; k++) {
        instant->multipliers[k] = road->rows[instant->rows[k]] ? *next++ : 0.0;
    }
    assert(next == x + road->at.multipliers + road->n_rows);
    *answer = (KalMotionAnswer){.n = instant->system->n,
                                .m = instant->n_active,
                                .qdd = x + road->at.qdd,
                                .force_ideal = x + road->at.force,
                                .force_nonideal = x + road->at.count,
                                .multipliers = instant->multipliers,
                                .rank_M = instant->rank_M,
                                .rank_A = road->n_rows,
                                .rank_Mhat = instant->system->n,
                                .unique = true,
                                .indeterminate = road->undecided,
                                .n_dependent_sets = instant->n_sets,
                                .dependent_set = instant->sets,
                                .residual_constraints = KAL_SAFE_RESIDUAL,
                                .residual_motion = KAL_SAFE_RESIDUAL,
                                .fast = true,
                                .least_sine = x[road->at.sine]};
}

// An answer that is not sound closes the road, until the rows are farther apart (sim/rank.c).
bool kal_road_take(KalRoad *road, KalMotionAnswer *out_answer)
{
    const KalInstant *instant = road->instant;
    if (!road->fits || !road->program || road->closed) {
        road->misses += !road->fits;
        return false;
    }
    kal_program_eval_on(road->program, find_inputs(road), instant->modes, road->work,
                        road->results);
    if (!kal_eliminated_is_sound(&road->at, road->results)) {
        road->closed = true;
        return false;
    }
    publish(road, out_answer);
    return true;
}
