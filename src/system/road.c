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

#include "base/four.h"
#include "motion/trust.h"
#include "system/instant.h"
#include "system/transcript.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PATIENCE = 15, // steps with other rows until a road for them is worth its making
    MOST_PATIENCE = 1 << 20, // it doubles with each, for rows may come and go
    STEPS = 40,              // with a road until the way back is worth its making
    SAMPLES = 300,           // that are worth both,
    MANY_SAMPLES = 800,      // and the way back in lanes, too
    SMALL = 16,  // so few coordinates and constraints that making both takes no time,
    WORTH = 6000 // and operations of stages, one a step, that are worth machine code
};

KalStatus kal_road_init(KalRoad *road, KalInstant *instant)
{
    assert(road && instant && instant->system->n > 0);
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    *road = (KalRoad){.instant = instant,
                      .tolerance = KAL_SAFE_RESIDUAL,
                      .patience = PATIENCE,
                      .steps = STEPS};
    road->rows = (bool *)kal_alloc(instant->ctx, m + 1, sizeof(bool));
    road->active = (bool *)kal_alloc(instant->ctx, m + 1, sizeof(bool));
    road->undecided = (bool *)kal_alloc(instant->ctx, n, sizeof(bool));
    if (!road->rows || !road->active || !road->undecided) {
        return kal_no_memory(instant->ctx, "for an instant");
    }
    return KAL_OK;
}

static void forget(KalRoad *road)
{
    KalContext *ctx = road->instant->ctx;
    kal_return_forget(road);
    kal_program_destroy(road->program);
    kal_program_destroy(road->brief.program);
    kal_program_destroy(road->energy);
    kal_native_clear(&road->code);
    kal_free(ctx, road->block, road->block_size);
    road->program = NULL;
    road->brief = (KalBrief){.number = road->brief.number};
    road->energy = NULL;
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
        kal_free(instant->ctx, road->active, m + 1);
        kal_free(instant->ctx, road->undecided, (size_t)instant->system->n);
        kal_return_clear(road);
    }
}

// Whether its rows are those that are independent now: as many, and each of them.
static bool has_rows(const KalRoad *road)
{
    const KalInstant *instant = road->instant;
    bool all = road->n_rows == instant->ranks.n_independent;
    for (int k = 0; all && k < instant->ranks.n_independent; k++) {
        all = road->rows[instant->rows[instant->ranks.independent[k]]];
    }
    return all;
}

void kal_road_choose(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t m = (size_t)instant->system->m;
    road->same = road->made && road->lends == instant->ranks.lends
                 && road->stabilize == instant->stabilize && has_rows(road)
                 && memcmp(road->active, instant->active, m * sizeof(bool)) == 0;
    road->fits = road->same && road->open;
}

// A run of many samples, or of a small system, pays for the program at once; any other
// waits until the fast road has been missed PATIENCE times.
void kal_road_begin(KalRoad *road, double samples)
{
    assert(road->instant && samples >= 0.0);
    const KalSystem *system = road->instant->system;
    const bool pays = samples >= SAMPLES || system->n + system->m <= SMALL;
    road->samples = samples >= MANY_SAMPLES;
    road->pays = pays;
    road->plain = pays && !road->lanes;
    road->work_done = 0;
    road->patience = pays ? 0 : PATIENCE;
    road->steps = pays ? 0 : STEPS;
    road->misses = 0;
    road->open = false;
    road->fits = false;
    road->closed = false;
    road->back.open = false;
    road->back.knows = false;
    road->back.refusals = 0;
    kal_return_begin(road);
}

// Formulas of the equations as the elimination wants them.
typedef struct Formulas {
    KalExpr *block;
    size_t block_size;
    KalExpr *M;      // n × n
    KalExpr *Q;      // n
    KalExpr *A;      // n_rows × n
    KalExpr *b;      // n_rows
    KalExpr *values; // of all variables: reactions, for C
    const KalRoad *road;
    KalTranscript *t;
} Formulas;

static KalStatus allocate(Formulas *f, const KalRoad *road)
{
    assert(!f->block && road->n_rows >= 0);
    const size_t n = (size_t)road->instant->system->n;
    const size_t rows = (size_t)road->n_rows;
    const size_t count =
        n * n + n + rows * n + rows + road->instant->system->layout.count;
    f->block = (KalExpr *)kal_alloc(road->instant->ctx, count, sizeof *f->block);
    if (!f->block) {
        return kal_no_memory(road->instant->ctx, "to copy formulas");
    }
    f->block_size = count * sizeof *f->block;
    f->M = f->block;
    f->Q = f->M + n * n;
    f->A = f->Q + n;
    f->b = f->A + rows * n;
    f->values = f->b + rows;
    return KAL_OK;
}

static KalExpr minus(KalGraph *g, KalExpr a, KalExpr b)
{
    return b.index == KAL_NO_EXPR.index   ? a
           : a.index == KAL_NO_EXPR.index ? kal_neg(g, b)
                                          : kal_sub(g, a, b);
}

// b of a constraint, with the terms that let its residuals decay, theory (15.3).
static KalExpr stabilized(const KalRoad *road, const KalTranscript *t, size_t i)
{
    const KalExpr phi = t->roots[t->phi + i];
    const KalExpr psi = t->roots[t->psi + i];
    const KalExpr level = road->instant->system->equations->phi[i];
    const double k = road->stabilize;
    const double rate = level.index != KAL_NO_EXPR.index ? 2.0 * k : k;
    KalExpr b = t->roots[t->b + i];
    if (k > 0.0 && phi.index != KAL_NO_EXPR.index) {
        b = minus(t->g, b, kal_mul(t->g, kal_const(t->g, k * k), phi));
    }
    if (k > 0.0 && psi.index != KAL_NO_EXPR.index) {
        b = minus(t->g, b, kal_mul(t->g, kal_const(t->g, rate), psi));
    }
    return b;
}

// Copy M, Q and the rows that the road is for.
static KalStatus copy_givens(const KalExpr *values, Formulas *f)
{
    const KalRoad *road = f->road;
    const KalSystem *system = road->instant->system;
    const size_t n = (size_t)system->n;
    KalTranscript *t = f->t;
    size_t row = 0;
    kal_transcript_want(t, t->M, t->phi - t->M);
    if (road->stabilize > 0.0) {
        kal_transcript_want(t, t->phi, t->C - t->phi);
    }
    KAL_TRY(kal_transcript_copy(t, values));
    kal_transcript_mass(t, f->M);
    memcpy(f->Q, t->roots + t->Q, n * sizeof *f->Q);
    for (size_t i = 0; i < (size_t)system->m; i++) {
        if (road->rows[i]) {
            kal_transcript_row(t, i, f->A + row * n);
            f->b[row++] = stabilized(road, t, i);
        }
    }
    assert(row == (size_t)road->n_rows);
    if (values) {
        memcpy(f->values, values, system->layout.count * sizeof *values);
    }
    return KAL_OK;
}

// C, with the multipliers for reactions; rows that do not count have none.
static KalStatus find_C(void *user, const KalExpr *multipliers, KalExpr *out_C)
{
    const Formulas *f = (const Formulas *)user;
    const KalSystem *system = f->road->instant->system;
    KalTranscript *t = f->t;
    for (size_t i = 0; i < (size_t)system->m; i++) {
        const KalExpr lambda = f->road->rows[i] ? *multipliers++ : KAL_NO_EXPR;
        f->values[system->layout.reactions + i] =
            lambda.index == KAL_NO_EXPR.index ? kal_int(t->g, 0) : lambda;
    }
    kal_transcript_want(t, t->C, (size_t)system->n);
    KAL_TRY(kal_transcript_copy(t, f->values));
    memcpy(out_C, t->roots + t->C, (size_t)system->n * sizeof *out_C);
    return KAL_OK;
}

KalStatus kal_road_eliminate(const KalRoad *road, KalTranscript *transcript,
                             const KalExpr *values, KalExpr *out_answer)
{
    assert(transcript->g && out_answer);
    const KalSystem *system = road->instant->system;
    Formulas f = {.road = road, .t = transcript};
    KalStatus status = allocate(&f, road);
    if (f.block) {
        status = copy_givens(values, &f);
    }
    if (status == KAL_OK) {
        const KalEliminand given = {.n = (size_t)system->n,
                                    .m = (size_t)road->n_rows,
                                    .M = f.M,
                                    .Q = f.Q,
                                    .A = f.A,
                                    .b = f.b,
                                    .weights = road->lends ? transcript->weights : NULL,
                                    .tolerance = road->tolerance,
                                    .floor = KAL_RESIDUAL_FLOOR,
                                    .find_C = system->equations->has_C ? find_C : NULL,
                                    .user = &f};
        status = kal_eliminate(transcript->g, &given, out_answer);
    }
    kal_free(road->instant->ctx, f.block, f.block_size);
    return status;
}

// T and V, for lanes of which nothing has to return to constraints.
static KalStatus build_energy(KalRoad *road, KalTranscript *t)
{
    KalExpr energy[2];
    if (!road->lanes || road->n_rows > 0) {
        return KAL_OK;
    }
    kal_transcript_want(t, t->energy, 2);
    KAL_TRY(kal_transcript_copy(t, NULL));
    for (size_t k = 0; k < 2; k++) {
        const KalExpr root = t->roots[t->energy + k];
        energy[k] = root.index == KAL_NO_EXPR.index ? kal_int(t->g, 0) : root;
    }
    return kal_transcript_compile(t, energy, 2, true, &road->energy);
}

// What is larger, of formulas that may not be there.
static KalExpr larger(KalGraph *g, KalExpr a, KalExpr b)
{
    return a.index == KAL_NO_EXPR.index ? b : kal_binary(g, KAL_OP_MAX, a, b);
}

// By how much the growth of pivots, most and least, exceeds what kal_eliminated_is_sound()
// allows; that of a single pivot is 1 and exceeds nothing.
static KalExpr exceed(KalGraph *g, KalExpr most, KalExpr least, KalExpr excess)
{
    if (!kal_is_int(g, most, 1)) {
        excess = larger(g, excess, kal_sub(g, most, kal_const(g, KAL_SAFE_GROWTH)));
    }
    if (!kal_is_int(g, least, 1)) {
        excess = larger(g, excess, kal_sub(g, kal_const(g, KAL_LEAST_GROWTH), least));
    }
    return excess;
}

KalExpr kal_road_exceed(const KalRoad *road, KalGraph *g, const KalExpr *answer)
{
    const KalEliminated *at = &road->at;
    KalExpr excess = KAL_NO_EXPR;
    excess = exceed(g, answer[at->most_growth], answer[at->least_growth], excess);
    excess = exceed(g, answer[at->most_gram], answer[at->least_gram], excess);
    return excess.index == KAL_NO_EXPR.index ? kal_int(g, 0) : excess;
}

// The brief answer, from the formulas of the whole one.
static KalStatus build_brief(KalRoad *road, KalTranscript *t, const KalExpr *answer)
{
    const KalEliminated *at = &road->at;
    const size_t n = (size_t)road->instant->system->n;
    KalBrief *brief = &road->brief;
    KalExpr *results = (KalExpr *)kal_alloc(t->ctx, n + 2, sizeof *results);
    if (!results) {
        return kal_no_memory(t->ctx, "to copy formulas");
    }
    *brief = (KalBrief){
        .sine = n, .excess = n + 1, .count = n + 2, .number = brief->number + 1};
    results[brief->sine] = answer[at->sine];
    results[brief->excess] = kal_road_exceed(road, t->g, answer);
    memcpy(results, answer + at->qdd, n * sizeof *results);
    const KalStatus status =
        kal_transcript_compile(t, results, brief->count, road->lanes, &brief->program);
    kal_free(t->ctx, results, (n + 2) * sizeof *results);
    return status;
}

static KalStatus build(KalRoad *road)
{
    assert(!road->program);
    const KalInstant *instant = road->instant;
    KalTranscript t = {.g = NULL};
    KalExpr *answer =
        (KalExpr *)kal_alloc(instant->ctx, road->at.count, sizeof *answer);
    KalStatus status =
        answer ? KAL_OK : kal_no_memory(instant->ctx, "to copy formulas");
    if (status == KAL_OK) {
        const KalTranscriptRoom room = {.n_weights =
                                            road->lends ? (size_t)road->n_rows : 0,
                                        .most_nodes = KAL_ROAD_NODES};
        status = kal_transcript_init(&t, instant->ctx, instant->system, room);
    }
    t.plain = road->plain;
    if (status == KAL_OK) {
        status = kal_road_eliminate(road, &t, NULL, answer);
    }
    if (status == KAL_OK) {
        status = kal_transcript_compile(&t, answer, road->at.count, road->lanes,
                                        &road->program);
    }
    if (status == KAL_OK && answer) {
        status = build_brief(road, &t, answer);
    }
    if (status == KAL_OK) {
        status = build_energy(road, &t);
    }
    kal_transcript_clear(&t);
    kal_free(instant->ctx, answer, answer ? road->at.count * sizeof *answer : 0);
    return status;
}

static void prepare(const KalRoad *road)
{
    const double *parameters = road->instant->settings.parameters;
    kal_program_prepare(road->program, parameters, road->work);
    kal_program_prepare(road->brief.program, parameters, road->brief.work);
    if (road->energy) {
        kal_program_prepare(road->energy, parameters, road->energy_work);
    }
}

// Numbers for the program that was made.
static KalStatus make_room(KalRoad *road)
{
    const KalSystem *system = road->instant->system;
    const size_t work = kal_program_work(road->program);
    const size_t inputs = system->layout.qdd + (size_t)road->n_rows;
    const size_t energy = road->energy ? kal_program_work(road->energy) : 0;
    const size_t brief = kal_program_work(road->brief.program);
    const size_t count = work + inputs + road->at.count + energy + brief
                         + road->brief.count + system->layout.qdd;
    road->block = (double *)kal_alloc(road->instant->ctx, count, sizeof(double));
    if (!road->block) {
        return kal_no_memory(road->instant->ctx, "for a run");
    }
    road->block_size = count * sizeof(double);
    road->work = road->block;
    road->inputs = road->work + work;
    road->results = road->inputs + inputs;
    road->found = road->results;
    road->energy_work = road->results + road->at.count;
    road->brief.work = road->energy_work + energy;
    road->brief.results = road->brief.work + brief;
    road->brief.inputs = road->brief.results + road->brief.count;
    prepare(road);
    return KAL_OK;
}

void kal_road_prepare(KalRoad *road)
{
    road->prepared++;
    if (road->program) {
        prepare(road);
    }
    if (road->back.program) {
        kal_return_prepare(road);
        road->back.knows = false;
    }
}

// Make the program; where that is impossible there is none.
static void make(KalRoad *road)
{
    const KalSystem *system = road->instant->system;
    if (system->n > KAL_ROAD_COORDINATES || road->n_rows > system->n) {
        return;
    }
    road->at = kal_eliminated_layout((size_t)system->n, (size_t)road->n_rows,
                                     system->equations->has_C);
    if (build(road) != KAL_OK || make_room(road) != KAL_OK) {
        forget(road);
    }
    road->lacks = road->program && road->plain;
}

// A road for the rows that are independent now.
static void make_anew(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t m = (size_t)instant->system->m;
    forget(road);
    memset(road->rows, 0, m * sizeof(bool));
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        road->rows[instant->rows[instant->ranks.independent[k]]] = true;
    }
    memcpy(road->active, instant->active, m * sizeof(bool));
    road->lends = instant->ranks.lends;
    road->stabilize = instant->stabilize;
    road->n_rows = instant->ranks.n_independent;
    road->made = true;
    make(road);
}

// Take the road from now on; the next one, for other rows, has to wait twice as long.
static void open_road(KalRoad *road)
{
    if (!road->same) {
        make_anew(road);
    }
    road->open = true;
    road->same = true;
    road->fits = true;
    road->misses = 0;
    road->patience = road->patience < PATIENCE        ? PATIENCE
                     : road->patience < MOST_PATIENCE ? 2 * road->patience
                                                      : MOST_PATIENCE;
}

// Programs that were made without machine code get it, all in the same pages; without memory
// they stay as they are.
static void make_code(KalRoad *road)
{
    KalProgram *programs[] = {road->program, road->brief.program, road->back.program};
    const size_t count = sizeof programs / sizeof programs[0];
    road->plain = false;
    road->lacks = false;
    kal_native_clear(&road->code);
    const KalStatus status =
        kal_native_share(road->instant->ctx, programs, count, &road->code);
    (void)status;
}

// Called before a step. The program for accelerations is made first, machine code when
// the road has served AGE times, and the program for the way back to the constraints when
// steps show that it pays.
// Take the programs, and then the way back, and make what is not there.
static void take_programs(KalRoad *road, bool fresh)
{
    KalReturn *back = &road->back;
    road->misses += !road->fits && !fresh && road->misses < MOST_PATIENCE;
    if (!road->fits && road->misses >= road->patience && (fresh || !road->open)) {
        open_road(road);
    }
    if (!road->fits || !road->program || road->n_rows == 0 || road->stabilize > 0.0
        || back->open || --road->steps >= 0) {
        return;
    }
    if (!back->made) {
        kal_return_make(road);
        road->lacks = road->lacks || road->plain;
    }
    back->open = true;
}

// Machine code of all comes in one block of pages, for it takes the system longer to give some than
// to write the code.
void kal_road_make(KalRoad *road, bool fresh)
{
    if (road->lacks && road->fits) {
        road->work_done += kal_program_operations(road->brief.program);
    }
    if (road->lacks && road->fits && road->work_done > WORTH) {
        make_code(road);
    }
    take_programs(road, fresh);
}

// All comparisons are such that NaN fails them.
bool kal_growth_is_safe(const double *growth)
{
    return growth[0] <= KAL_SAFE_GROWTH && growth[2] <= KAL_SAFE_GROWTH
           && growth[1] >= KAL_LEAST_GROWTH && growth[3] >= KAL_LEAST_GROWTH;
}

bool kal_eliminated_is_sound(const KalEliminated *at, const double *results)
{
    assert(at->least_gram == at->most_growth + 3);
    return results[at->excess] <= 0.0 && kal_growth_is_safe(results + at->most_growth);
}

// Variables of the program: those of the system and, where rows lend M their weight,
// these weights, in the order of the rows.
const double *kal_road_inputs(KalRoad *road)
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
            road->inputs[qdd + (size_t)row++] = instant->ranks.weights[k];
        }
    }
    assert(row == road->n_rows);
    return road->inputs;
}

void kal_road_publish(const KalRoad *road, KalMotionAnswer *answer)
{
    const KalInstant *instant = road->instant;
    const double *x = road->found;
    assert(!kal_road_is_brief(road));
    const double *next = x + road->at.multipliers;
    for (int k = 0; k < instant->n_active; k++) {
        instant->multipliers[k] = road->rows[instant->rows[k]] ? *next++ : 0.0;
    }
    assert(next == x + road->at.multipliers + road->n_rows);
    *answer = (KalMotionAnswer){.n = instant->system->n,
                                .m = instant->n_active,
                                .qdd = x + road->at.qdd,
                                .force_ideal = x + road->at.force,
                                .force_nonideal = instant->system->equations->has_C
                                                      ? x + road->at.nonideal
                                                      : instant->C, // zeros
                                .multipliers = instant->multipliers,
                                .rank_M = instant->ranks.rank_M,
                                .rank_A = road->n_rows,
                                .rank_Mhat = instant->system->n,
                                .unique = true,
                                .indeterminate = road->undecided,
                                .n_dependent_sets = instant->ranks.n_sets,
                                .dependent_set = instant->ranks.sets,
                                .residual_constraints = KAL_SAFE_RESIDUAL,
                                .residual_motion = KAL_SAFE_RESIDUAL,
                                .fast = true,
                                .least_sine = x[road->at.sine]};
}

// Whether non-ideal forces depend on reactions of rows of which some say what others do: then
// all rows are asked whether that is unique.
static bool shares_reactions(const KalInstant *instant)
{
    return instant->system->equations->has_reactions
           && instant->ranks.n_independent < instant->n_active;
}

// Servos are not for programs.
bool kal_road_may_lead(const KalRoad *road)
{
    return road->fits && road->program && !road->closed && !road->instant->control
           && road->instant->contacts.slide.count == 0
           && !shares_reactions(road->instant);
}

// All numbers for these inputs.
static bool take_whole(KalRoad *road, const double *inputs)
{
    kal_program_eval_on(road->program, inputs, road->instant->modes, road->work,
                        road->results);
    road->found = road->results;
    return kal_eliminated_is_sound(&road->at, road->found);
}

static bool find_brief(const KalRoad *road, const double *inputs)
{
    const KalBrief *brief = &road->brief;
    kal_program_eval_on(brief->program, inputs, road->instant->modes, brief->work,
                        brief->results);
    double sum = 0.0; // NaN where an acceleration is not finite
    for (size_t i = 0; i < brief->sine; i++) {
        sum += 0.0 * brief->results[i];
    }
    return brief->results[brief->excess] + sum <= 0.0; // NaN is not
}

static bool take_brief(KalRoad *road, const double *inputs)
{
    road->found = road->brief.results;
    return find_brief(road, inputs);
}

bool kal_road_glance(KalRoad *road, double t, const double *y)
{
    const KalSystem *system = road->instant->system;
    const size_t state = 2 * (size_t)system->n;
    double *inputs = road->brief.inputs;
    if (!kal_road_may_lead(road) || road->lends || system->layout.qdd != 1 + state) {
        return false;
    }
    inputs[0] = t;
    kal_copy_numbers(inputs + 1, y, state);
    return find_brief(road, inputs);
}

// An answer that is not sound closes the road, until the rows are farther apart (sim/rank.c).
bool kal_road_take(KalRoad *road, bool brief)
{
    assert(kal_road_may_lead(road));
    const double *inputs = kal_road_inputs(road);
    const bool known = road->back.knows && road->back.place[0] == inputs[0];
    road->found = known ? kal_return_find(road, inputs) : NULL;
    const bool sound = road->found ? kal_eliminated_is_sound(&road->at, road->found)
                       : brief     ? take_brief(road, inputs)
                                   : take_whole(road, inputs);
    road->closed = !sound;
    return sound;
}

bool kal_road_complete(KalRoad *road)
{
    const bool sound =
        !kal_road_is_brief(road) || take_whole(road, kal_road_inputs(road));
    road->closed = road->closed || !sound;
    return sound;
}

bool kal_instant_rush(KalInstant *instant, bool brief)
{
    if (!kal_road_may_lead(&instant->road) || !kal_road_take(&instant->road, brief)) {
        return false;
    }
    instant->bare = true;
    return true;
}

bool kal_instant_hurry(KalInstant *instant, KalMotionAnswer *out_answer)
{
    if (!kal_instant_rush(instant, false)) {
        return false;
    }
    kal_instant_publish(instant, out_answer);
    return true;
}
