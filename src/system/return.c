// SPDX-License-Identifier: MIT

// Formulas of the system are copied several times into one graph (system/transcript.h): at the
// state that is given, where M and A are eliminated; at the positions that the first step leads
// to, where φ is judged and ψ and A are taken; and at the velocities that the second leads to,
// where ψ is judged, the equations of motion are eliminated, and energies and outputs are
// taken.  What copies have in common is computed once.  Residuals are compared with the rounding
// of their terms within the program, so that a few numbers a level say whether its answer
// counts; a level whose residuals were rounding stays as it was given.

#include "base/four.h"
#include "system/dust.h"
#include "system/instant.h"
#include "system/return_impl.h"
#include "system/transcript.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_REFUSALS = 4
};

// Residuals up to this, relative to the terms in them, are rounding, and the state stays.
static const double ROUNDING = 2.0 * DBL_EPSILON;
// No step leaves surely less than this.
static const double LEFT = 16.0 * DBL_EPSILON;

// Formulas in the making; a list of them is zero where it has none.
typedef struct Draft {
    const KalRoad *road;
    KalTranscript t;
    KalEliminand given; // what is eliminated
    KalFactoring *factoring;
    KalExpr *block;
    size_t block_size;
    KalExpr *M;         // n × n
    KalExpr *A;         // n_rows × n: of the rows that steps are made with
    KalExpr *row;       // n
    KalExpr *residuals; // n_rows
    KalExpr *sizes;     // m: of the terms in residuals
    KalExpr *step;      // n
    KalExpr *values;    // of all variables; those that are not known yet are nothing
    KalExpr *state;     // 2 n: q and q' among them
    KalExpr *outputs;
    KalExpr sound; // a sum of all that has to be finite
} Draft;

static bool is_nothing(KalExpr e)
{
    return e.index == KAL_NO_EXPR.index;
}

static KalExpr plus(KalGraph *g, KalExpr a, KalExpr b)
{
    return is_nothing(a) ? b : is_nothing(b) ? a : kal_add(g, a, b);
}

static KalStatus allocate(Draft *d)
{
    assert(!d->block && d->road->n_rows > 0);
    const KalSystem *system = d->road->instant->system;
    const size_t n = (size_t)system->n;
    const size_t rows = (size_t)d->road->n_rows;
    const size_t m = (size_t)system->m;
    const size_t count = n * n + rows * n + 2 * n + rows + m + system->layout.count
                         + kal_return_count(d->road);
    d->block_size = count * sizeof *d->block;
    d->block = (KalExpr *)kal_alloc(d->road->instant->ctx, count, sizeof *d->block);
    if (!d->block) {
        return kal_no_memory(d->road->instant->ctx, "to copy formulas");
    }
    d->M = d->block;
    d->A = d->M + n * n;
    d->row = d->A + rows * n;
    d->step = d->row + n;
    d->values = d->step + n;
    d->state = d->values + system->layout.q;
    d->residuals = d->values + system->layout.count;
    d->sizes = d->residuals + rows;
    d->outputs = d->sizes + m;
    return KAL_OK;
}

// What is larger, of formulas that may not be there.
static KalExpr larger(KalGraph *g, KalExpr a, KalExpr b)
{
    return is_nothing(a) ? b : kal_binary(g, KAL_OP_MAX, a, b);
}

// The sizes of the terms in the residuals of a level, which begin at `first` among the roots that
// were copied last: |A| |x|, where no number counts as less than `least` of the road, or terms
// without variables.  They serve where the step leads to, too: it is no longer than an error of
// the run.
static void size_up(Draft *d, size_t first, const KalExpr *x)
{
    const KalSystem *system = d->road->instant->system;
    KalGraph *g = d->t.g;
    const KalExpr least = kal_const(g, d->road->least);
    for (size_t i = 0; i < (size_t)system->m; i++) {
        if (!d->road->active[i]) {
            continue;
        }
        d->sizes[i] = kal_int(g, 0);
        memset(d->row, 0, (size_t)system->n * sizeof *d->row);
        kal_transcript_row(&d->t, i, d->row);
        for (size_t j = 0; j < (size_t)system->n; j++) {
            if (!is_nothing(d->row[j])) {
                const KalExpr number = larger(g, least, kal_unary(g, KAL_OP_ABS, x[j]));
                const KalExpr entry = kal_unary(g, KAL_OP_ABS, d->row[j]);
                d->sizes[i] = kal_add(g, d->sizes[i], kal_mul(g, entry, number));
            }
        }
        d->sizes[i] =
            larger(g, d->sizes[i], kal_transcript_constants(&d->t, first + i));
    }
}

// By how much the residuals of a level, which begin at `first` among the roots that were copied
// last, exceed rounding, and the largest.
static void measure(Draft *d, size_t first, double rounding, KalExpr *out_excess,
                    KalExpr *out_largest)
{
    const KalSystem *system = d->road->instant->system;
    KalGraph *g = d->t.g;
    for (size_t i = 0; i < (size_t)system->m; i++) {
        const KalExpr residual = d->t.roots[first + i];
        if (!d->road->active[i] || is_nothing(residual)) {
            continue;
        }
        const KalExpr off = kal_unary(g, KAL_OP_ABS, residual);
        const KalExpr allowed = kal_mul(g, kal_const(g, rounding), d->sizes[i]);
        *out_excess = larger(g, *out_excess, kal_sub(g, off, allowed));
        *out_largest = larger(g, *out_largest, off);
        d->sound = plus(g, d->sound, plus(g, residual, d->sizes[i]));
    }
}

// What a step makes of a number; where it takes it to zero, rounding leaves dust, which is none
// of the answer.
static KalExpr moved(KalGraph *g, KalExpr from, KalExpr by)
{
    const KalExpr to = kal_add(g, from, by);
    const KalExpr part =
        kal_mul(g, kal_const(g, KAL_RETURN_DUST), kal_unary(g, KAL_OP_ABS, from));
    const KalExpr counts = kal_binary(g, KAL_OP_LT, part, kal_unary(g, KAL_OP_ABS, to));
    return kal_select(g, counts, to, kal_int(g, 0));
}

// Whether steps are made with constraint i; numbers that follow do so by those which say something
// of velocities.
static bool leads(const Draft *d, size_t i)
{
    const KalExpr psi = d->road->instant->system->equations->psi[i];
    return d->road->rows[i] && (!d->road->following.masses || !is_nothing(psi));
}

// Let a half of the state take the step against the residuals of its level, unless these do
// not exceed rounding.
static void move(Draft *d, size_t first, KalExpr excess, KalExpr *x)
{
    const KalSystem *system = d->road->instant->system;
    KalGraph *g = d->t.g;
    size_t row = 0;
    bool any = false;
    for (size_t i = 0; i < (size_t)system->m; i++) {
        if (leads(d, i)) {
            d->residuals[row++] = d->t.roots[first + i];
            any = any || !is_nothing(d->t.roots[first + i]);
        }
    }
    if (!any) {
        return;
    }
    const KalExpr moves = kal_binary(g, KAL_OP_LT, kal_int(g, 0), excess);
    kal_factoring_step(d->factoring, d->residuals, d->step);
    for (size_t j = 0; j < (size_t)system->n; j++) {
        if (!is_nothing(d->step[j])) {
            x[j] = kal_select(g, moves, moved(g, x[j], d->step[j]), x[j]);
        }
    }
}

// Want the residuals of active constraints, and A.
static void want_level(Draft *d, size_t first)
{
    const KalSystem *system = d->road->instant->system;
    for (size_t i = 0; i < (size_t)system->m; i++) {
        if (d->road->active[i]) {
            const int64_t *start = system->equations->A.start + i;
            kal_transcript_want(&d->t, first + i, 1);
            kal_transcript_want(&d->t, d->t.A + (size_t)start[0],
                                (size_t)(start[1] - start[0]));
        }
    }
}

// Where speeds are kept, steps move what follows alone: nothing moves infinite masses.
static void put_masses(Draft *d)
{
    const size_t n = (size_t)d->road->instant->system->n;
    for (size_t j = 0; j < n; j++) {
        d->M[j * n + j] = d->t.settings[j];
    }
}

// Factors of M and A of the state that was copied.
static KalStatus factor(Draft *d)
{
    const KalRoad *road = d->road;
    const size_t n = (size_t)road->instant->system->n;
    const bool keeps = road->following.masses != NULL;
    size_t row = 0;
    if (keeps) {
        put_masses(d);
    } else {
        kal_transcript_mass(&d->t, d->M);
    }
    for (size_t i = 0; i < (size_t)road->instant->system->m; i++) {
        if (leads(d, i)) {
            kal_transcript_row(&d->t, i, d->A + row++ * n);
        }
    }
    d->given = (KalEliminand){.n = n,
                              .m = row,
                              .M = d->M,
                              .A = d->A,
                              .weights = road->lends && !keeps ? d->t.weights : NULL};
    return kal_factoring_create(d->t.g, &d->given, &d->factoring);
}

// M, A and φ of the state that is given; factors, and the step of positions.
static KalStatus move_positions(Draft *d)
{
    const KalSystem *system = d->road->instant->system;
    if (!d->road->following.masses) {
        kal_transcript_want(&d->t, d->t.M, d->t.Q);
    }
    want_level(d, d->t.phi);
    KAL_TRY(kal_transcript_copy(&d->t, NULL));
    KAL_TRY(factor(d));
    KalExpr largest = KAL_NO_EXPR;
    KalExpr *given =
        &d->outputs[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_GIVEN)];
    size_up(d, d->t.phi, d->state);
    measure(d, d->t.phi, ROUNDING, given, &largest);
    move(d, d->t.phi, *given, d->state);
    return KAL_OK;
}

// φ, ψ and A there, and the step of velocities.
static KalStatus move_velocities(Draft *d)
{
    const KalSystem *system = d->road->instant->system;
    const size_t n = (size_t)system->n;
    KalExpr *outputs = d->outputs;
    KalExpr largest = KAL_NO_EXPR;
    want_level(d, d->t.phi);
    want_level(d, d->t.psi);
    KAL_TRY(kal_transcript_copy(&d->t, d->values));
    measure(d, d->t.phi, LEFT,
            &outputs[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LEFT)],
            &outputs[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LARGEST)]);
    KalExpr *given =
        &outputs[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_GIVEN)];
    size_up(d, d->t.psi, d->state + n);
    measure(d, d->t.psi, ROUNDING, given, &largest);
    memcpy(outputs + kal_return_A(system), d->t.roots + d->t.A,
           kal_return_entries(system) * sizeof *outputs);
    move(d, d->t.psi, *given, d->state + n);
    return KAL_OK;
}

// ψ of what they led to.
static KalStatus judge(Draft *d)
{
    const KalSystem *system = d->road->instant->system;
    const size_t n = (size_t)system->n;
    KalExpr *outputs = d->outputs;
    KalGraph *g = d->t.g;
    want_level(d, d->t.psi);
    KAL_TRY(kal_transcript_copy(&d->t, d->values));
    const size_t left = kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LEFT);
    measure(d, d->t.psi, LEFT, &outputs[left],
            &outputs[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LARGEST)]);
    for (size_t i = 0; i < 2 * n; i++) {
        outputs[i] = d->state[i];
        d->sound = plus(g, d->sound, d->state[i]);
    }
    const KalExpr checked = kal_mul(g, kal_int(g, 0), d->sound); // 0 times NaN is NaN
    outputs[left] = plus(g, outputs[left], checked);
    return KAL_OK;
}

// What outputs may name besides the state: accelerations, reactions, forces and the energy.
static void give_values(Draft *d, const KalExpr *answer)
{
    const KalRoad *road = d->road;
    const KalSystem *system = road->instant->system;
    const KalLayout *layout = &system->layout;
    const KalExpr *multiplier = answer + road->at.multipliers;
    KalGraph *g = d->t.g;
    memcpy(d->values + layout->qdd, answer + road->at.qdd,
           (size_t)system->n * sizeof *answer);
    for (size_t i = 0; i < (size_t)system->m; i++) {
        d->values[layout->reactions + i] =
            road->rows[i] ? *multiplier++ : kal_int(g, 0);
    }
    for (size_t i = 0; i < system->n_forces; i++) {
        const KalExpr *ideal = answer + road->at.force + system->forces[i];
        const KalExpr *rest = answer + road->at.nonideal + system->forces[i];
        d->values[layout->forces + i] =
            system->equations->has_C ? kal_add(g, *ideal, *rest) : *ideal;
    }
    const KalExpr *energy = d->outputs + kal_return_energies(road);
    d->values[layout->energy] = kal_add(g, energy[0], energy[1]);
}

// The answer, T and V, and outputs in the state that was led to.
static KalStatus arrive(Draft *d)
{
    const KalRoad *road = d->road;
    const KalSystem *system = road->instant->system;
    KalExpr *answer = d->outputs + kal_return_answer(road);
    KalExpr *energy = d->outputs + kal_return_energies(road);
    KAL_TRY(kal_road_eliminate(road, &d->t, d->values, answer));
    kal_transcript_want(&d->t, d->t.energy, 2);
    KAL_TRY(kal_transcript_copy(&d->t, d->values));
    for (size_t k = 0; k < 2; k++) {
        const KalExpr root = d->t.roots[d->t.energy + k];
        energy[k] = is_nothing(root) ? kal_int(d->t.g, 0) : root;
    }
    if (kal_return_has_outputs(system)) {
        give_values(d, answer);
        kal_transcript_want(&d->t, d->t.outputs, (size_t)system->n_outputs);
        KAL_TRY(kal_transcript_copy(&d->t, d->values));
        memcpy(d->outputs + kal_return_outputs_at(road), d->t.roots + d->t.outputs,
               (size_t)system->n_outputs * sizeof *answer);
    }
    for (size_t i = 0; i < kal_return_count(road); i++) {
        d->outputs[i] = is_nothing(d->outputs[i]) ? kal_int(d->t.g, 0) : d->outputs[i];
    }
    return kal_graph_status(d->t.g);
}

static KalStatus build(Draft *d)
{
    const KalInstant *instant = d->road->instant;
    const size_t n = (size_t)instant->system->n;
    KAL_TRY(allocate(d));
    KAL_TRY(kal_transcript_init(
        &d->t, instant->ctx, instant->system,
        (KalTranscriptRoom){.n_weights = d->road->lends ? (size_t)d->road->n_rows : 0,
                            .n_settings = d->road->following.masses ? n : 0,
                            .most_nodes = KAL_ROAD_NODES}));
    d->t.plain = d->road->plain;
    memcpy(d->state, d->t.symbols + 1, 2 * n * sizeof *d->state);
    KAL_TRY(move_positions(d));
    KAL_TRY(move_velocities(d));
    KAL_TRY(judge(d));
    return arrive(d);
}

// How many numbers the programs read, and how many modes.
static size_t inputs_of(const KalRoad *road)
{
    return road->instant->system->layout.qdd + (road->lends ? (size_t)road->n_rows : 0);
}

// Numbers for the program that was made.
static KalStatus make_room(const KalRoad *road, KalReturn *r)
{
    const KalInstant *instant = road->instant;
    const size_t n = (size_t)instant->system->n;
    const size_t work = kal_program_work(r->program);
    const size_t place = inputs_of(road) + instant->system->pieces.n_switches;
    const size_t settings = instant->system->model->n_parameters + n;
    const size_t works = road->following.masses ? 2 * work : work;
    const size_t count = works + kal_return_count(road) + 2 * n + place + settings;
    r->block = (double *)kal_alloc(instant->ctx, count, sizeof(double));
    if (!r->block) {
        return kal_no_memory(instant->ctx, "for a run");
    }
    r->block_size = count * sizeof(double);
    r->work = r->block;
    r->speeds = road->following.masses ? r->work + work : NULL;
    r->results = r->work + works;
    r->given = r->results + kal_return_count(road);
    r->place = r->given + 2 * n;
    r->settings = r->place + place;
    kal_return_prepare(road);
    return KAL_OK;
}

// Work memory for masses of coordinates, where there are such settings.
static void prepare(const KalRoad *road, const double *masses, double *out_work)
{
    const KalInstant *instant = road->instant;
    const size_t count = instant->system->model->n_parameters;
    const size_t n = (size_t)instant->system->n;
    const KalReturn *r = &road->back;
    memcpy(r->settings, instant->settings.parameters, count * sizeof(double));
    if (masses) {
        memcpy(r->settings + count, masses, n * sizeof(double));
    }
    kal_program_prepare(r->program, r->settings, out_work);
}

void kal_return_prepare(const KalRoad *road)
{
    const KalFollowing *f = &road->following;
    prepare(road, f->masses, road->back.work);
    if (f->masses) {
        prepare(road, f->kept, road->back.speeds);
    }
}

KalStatus kal_return_keep_speeds(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t n = (size_t)instant->system->n;
    KalFollowing *f = &road->following;
    assert(!f->masses && !road->made);
    f->masses = (double *)kal_alloc(instant->ctx, 2 * n, sizeof(double));
    if (!f->masses) {
        return kal_no_memory(instant->ctx, "for the reduced form");
    }
    f->kept = f->masses + n;
    for (size_t j = 0; j < 2 * n; j++) {
        f->masses[j] = 1.0;
    }
    return KAL_OK;
}

void kal_return_clear(KalRoad *road)
{
    const size_t n = (size_t)road->instant->system->n;
    kal_free(road->instant->ctx, road->following.masses,
             road->following.masses ? 2 * n * sizeof(double) : 0);
    road->following = (KalFollowing){.masses = NULL};
}

// Those of a run before are as good as any until the first choice, before which no program leads.
void kal_return_begin(KalRoad *road)
{
    road->following.known = false;
}

// Keep all but these coordinates; returns whether the choice or its masses were others.
static bool keep_others(double *kept, int n, const double *masses, const int *columns,
                        int count)
{
    int following = 0;
    bool same = true;
    for (int j = 0; j < n; j++) {
        following += kept[j] < INFINITY;
    }
    for (int i = 0; i < count; i++) {
        same = same && kept[columns[i]] == masses[columns[i]];
    }
    for (int j = 0; j < n; j++) {
        kept[j] = INFINITY;
    }
    for (int i = 0; i < count; i++) {
        kept[columns[i]] = masses[columns[i]];
    }
    return !same || following != count;
}

// What was found in the state that was led to holds with any choice.  Runs that begin at the same
// state choose the same, and find programs and lanes prepared.
void kal_return_follow(KalRoad *road, const double *masses, const int *columns,
                       int count)
{
    const int n = road->instant->system->n;
    KalFollowing *f = &road->following;
    const KalReturn *r = &road->back;
    assert(f->masses && count <= n);
    if (!f->known && !kal_same_numbers(f->masses, masses, (size_t)n)) {
        kal_copy_numbers(f->masses, masses, (size_t)n);
        road->prepared++;
        if (r->program) {
            prepare(road, f->masses, r->work);
        }
    }
    f->known = true;
    if (keep_others(f->kept, n, masses, columns, count) && r->program) {
        prepare(road, f->kept, r->speeds);
    }
}

KalReturnPlaces kal_return_places(const KalRoad *road)
{
    const KalSystem *system = road->instant->system;
    return (KalReturnPlaces){
        .position = kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LARGEST),
        .velocity = kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LARGEST),
        .sine = kal_return_answer(road) + road->at.sine,
        .energy = kal_return_energies(road),
        .outputs = kal_return_outputs_at(road),
        .has_outputs = kal_return_has_outputs(system)};
}

void kal_return_make(KalRoad *road)
{
    assert(!road->back.made);
    const KalInstant *instant = road->instant;
    KalReturn *r = &road->back;
    Draft d = {.road = road};
    r->made = true;
    if (build(&d) != KAL_OK
        || kal_transcript_compile(&d.t, d.outputs, kal_return_count(road),
                                  road->lanes || road->samples, &r->program)
               != KAL_OK
        || make_room(road, r) != KAL_OK) {
        kal_return_forget(road);
        r->made = true;
    }
    kal_factoring_destroy(d.factoring);
    kal_transcript_clear(&d.t);
    kal_free(instant->ctx, d.block, d.block_size);
}

void kal_return_forget(KalRoad *road)
{
    KalReturn *r = &road->back;
    road->instant->entries = NULL;
    kal_program_destroy(r->program);
    kal_free(road->instant->ctx, r->block, r->block_size);
    *r = (KalReturn){.made = false};
    road->prepared++;
}

// One step of both levels; returns whether nothing but rounding is left.
static bool step(KalRoad *road, double *work, bool *out_lost)
{
    const KalInstant *instant = road->instant;
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    KalReturn *r = &road->back;
    double *state = instant->variables + system->layout.q;
    kal_program_eval_on(r->program, kal_road_inputs(road), instant->modes, work,
                        r->results);
    const double position =
        r->results[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LEFT)];
    const double velocity =
        r->results[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LEFT)];
    *out_lost = !isfinite(velocity);
    if (*out_lost) {
        return false;
    }
    kal_copy_numbers(state, r->results, 2 * n);
    return position <= 0.0 && velocity <= 0.0;
}

// Keep what the results are of: they are those of the state as it is now.
static void keep_place(KalRoad *road)
{
    const KalInstant *instant = road->instant;
    const size_t inputs = inputs_of(road);
    kal_copy_numbers(road->back.place, kal_road_inputs(road), inputs);
    if (instant->modes) {
        kal_copy_numbers(road->back.place + inputs, instant->modes,
                         instant->system->pieces.n_switches);
    }
    road->back.on_modes = instant->modes != NULL;
}

bool kal_return_may_lead(const KalRoad *road)
{
    const KalReturn *r = &road->back;
    return road->fits && r->open && r->program && !road->closed
           && r->refusals < MOST_REFUSALS;
}

void kal_return_adopt(KalRoad *road)
{
    road->back.knows = true;
    keep_place(road);
    road->found = road->back.results + kal_return_answer(road);
}

// Whether the last return has led to the state as it is: who comes back to the end of a step,
// after looking elsewhere, finds there what was found.
static bool is_there(KalRoad *road)
{
    return road->back.knows && road->back.place[0] == road->instant->variables[0]
           && kal_return_find(road, kal_road_inputs(road));
}

// At most KAL_RETURN_STEPS steps of the program; its state counts when both levels are
// met to rounding of their terms. A step that the program does not vouch for leaves the
// state as it was given.
static bool take(KalRoad *road, double *work, double *out_position,
                 double *out_velocity)
{
    assert(out_position && out_velocity);
    const KalInstant *instant = road->instant;
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    KalReturn *r = &road->back;
    bool done = false;
    bool lost = false;
    if (!kal_return_may_lead(road)) {
        return false;
    }
    double *state = instant->variables + system->layout.q;
    const bool there = is_there(road);
    kal_copy_numbers(r->given, state, 2 * n);
    for (int k = 0; k < KAL_RETURN_STEPS && !there && !done && !lost; k++) {
        done = step(road, work, &lost);
    }
    r->knows = there || done;
    if (!r->knows) {
        kal_copy_numbers(state, r->given, 2 * n);
        return false;
    }
    if (done) {
        keep_place(road);
    }
    *out_position =
        r->results[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LARGEST)];
    *out_velocity =
        r->results[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LARGEST)];
    return true;
}

bool kal_return_take(KalRoad *road, double *out_position, double *out_velocity)
{
    return take(road, road->back.work, out_position, out_velocity);
}

bool kal_return_take_in_speeds(KalRoad *road, double *out_position,
                               double *out_velocity)
{
    assert(road->following.masses);
    return take(road, road->back.speeds, out_position, out_velocity);
}

void kal_return_note(KalRoad *road, bool done)
{
    KalReturn *r = &road->back;
    if (r->open && r->refusals < MOST_REFUSALS) {
        r->refusals = done ? (r->refusals > 0 ? r->refusals - 1 : 0) : r->refusals + 1;
    }
}

const double *kal_return_find(const KalRoad *road, const double *inputs)
{
    const KalInstant *instant = road->instant;
    const KalReturn *r = &road->back;
    const size_t count = inputs_of(road);
    assert(r->knows);
    if (r->on_modes != (instant->modes != NULL)
        || !kal_same_numbers(r->place, inputs, count)
        || (r->on_modes
            && !kal_same_numbers(r->place + count, instant->modes,
                                 instant->system->pieces.n_switches))) {
        return NULL;
    }
    return r->results + kal_return_answer(road);
}

const double *kal_return_energy(KalRoad *road)
{
    const bool known = road->fits && road->back.knows // so there are inputs
                       && kal_return_find(road, kal_road_inputs(road));
    return known ? road->back.results + kal_return_energies(road) : NULL;
}

const double *kal_return_outputs(KalRoad *road)
{
    const double *energy = kal_return_energy(road);
    const bool known = energy && kal_return_has_outputs(road->instant->system)
                       && road->instant->bare
                       && road->found == road->back.results + kal_return_answer(road);
    return known ? energy + 2 : NULL;
}

bool kal_return_rows(KalRoad *road)
{
    KalInstant *instant = road->instant;
    const KalEquations *equations = instant->system->equations;
    const size_t n = equations->n;
    KalReturn *r = &road->back;
    if (!road->fits || !r->open || !r->program || !r->knows
        || !kal_same_numbers(r->place, instant->variables, 1 + n)) {
        return false;
    }
    double *entries = r->results + kal_return_A(instant->system);
    kal_clear_traces_in_rows(&equations->A, &instant->usual, entries);
    instant->entries = entries;
    return true;
}
