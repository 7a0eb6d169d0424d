// SPDX-License-Identifier: MIT

// Programs for runs in speeds (system/speeds.h).
//
// Formulas of A and ψ are copied with velocities that follow left out; these are eliminated, and
// take their places in the copies that the road eliminates.  Only rows that are linear in the
// velocities are taken: then one elimination is exact.

#include "system/speeds.h"

#include "base/four.h"
#include "motion/trust.h"
#include "system/instant.h"
#include "system/transcript.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PATIENCE = 15, // steps with a choice until programs for it are worth their making,
    AGE = 10       // in a small system
};

static size_t speeds_of(const KalRoad *road, const KalSpeeds *s)
{
    return (size_t)(road->instant->system->n - s->rank);
}

// How many numbers besides t, q and q' formulas are made of,
static size_t others_of(const KalRoad *road)
{
    const KalSystem *system = road->instant->system;
    return system->layout.qdd - 1 - 2 * (size_t)system->n;
}

// and how many weights the road reads.
static size_t weights_of(const KalRoad *road)
{
    return road->lends ? (size_t)road->n_rows : 0;
}

static void clear_velocities(const KalRoad *road, KalSpeeds *s)
{
    KalContext *ctx = road->instant->ctx;
    kal_program_destroy(s->velocities);
    kal_free(ctx, s->block, s->block_size);
    kal_free(ctx, s->lanes, s->lanes_size);
    s->velocities = NULL;
    s->block = NULL;
    s->lanes = NULL;
}

static void clear_rates(const KalRoad *road, KalSpeeds *s)
{
    kal_program_destroy(s->rates);
    kal_free(road->instant->ctx, s->rates_block, s->rates_size);
    s->rates = NULL;
    s->rates_block = NULL;
}

static size_t count_of(const KalRoad *road)
{
    return (size_t)road->instant->system->n + (size_t)road->instant->system->m;
}

static void destroy(const KalRoad *road, KalSpeeds *s)
{
    KalContext *ctx = road->instant->ctx;
    clear_velocities(road, s);
    clear_rates(road, s);
    kal_free(ctx, s->columns, count_of(road) * sizeof(int));
    kal_free(ctx, s, sizeof *s);
}

void kal_speeds_forget(KalRoad *road)
{
    while (road->speeds) {
        KalSpeeds *s = road->speeds;
        road->speeds = s->next;
        destroy(road, s);
    }
    road->choice = NULL;
}

void kal_speeds_begin(KalRoad *road)
{
    for (KalSpeeds *s = road->speeds; s; s = s->next) {
        s->steps = 0;
        s->patience = -1;
        s->open = false;
        s->open_rates = false;
    }
    road->choice = NULL;
    road->n_choices = 0;
}

static bool is_in(const int *list, int count, int i)
{
    bool found = false;
    for (int k = 0; k < count; k++) {
        found = found || list[k] == i;
    }
    return found;
}

// Whether a choice is this one; in any order of pivots if it was made in this run.
static bool is_it(const KalRoad *road, const KalSpeeds *s, int rank, const int *rows,
                  const int *columns)
{
    const size_t n = (size_t)road->instant->system->n;
    const size_t size = (size_t)rank * sizeof(int);
    bool same = s->rank == rank;
    if (s->patience < 0) {
        return same && memcmp(s->rows, rows, size) == 0
               && memcmp(s->columns, columns, n * sizeof(int)) == 0;
    }
    for (int k = 0; k < rank && same; k++) {
        same = is_in(s->rows, rank, rows[k]) && is_in(s->columns, rank, columns[k]);
    }
    return same;
}

// Room for another choice: one that was not made in this run goes.
static bool make_way(KalRoad *road)
{
    int kept = 0;
    KalSpeeds **idle = NULL;
    for (KalSpeeds **at = &road->speeds; *at; at = &(*at)->next) {
        kept++;
        idle = (*at)->patience < 0 ? at : idle;
    }
    if (kept >= KAL_SPEEDS_MOST && idle) {
        KalSpeeds *s = *idle;
        *idle = s->next;
        destroy(road, s);
        kept--;
    }
    return kept < KAL_SPEEDS_MOST;
}

// A choice that was not made before; NULL without memory, or where there were too many.
static KalSpeeds *add(KalRoad *road, int rank, const int *rows, const int *columns)
{
    const KalInstant *instant = road->instant;
    const size_t n = (size_t)instant->system->n;
    KalSpeeds *s = make_way(road) ? KAL_NEW(instant->ctx, KalSpeeds) : NULL;
    int *block = s ? (int *)kal_alloc(instant->ctx, count_of(road), sizeof(int)) : NULL;
    if (!block) {
        kal_free(instant->ctx, s, s ? sizeof *s : 0);
        return NULL;
    }
    *s = (KalSpeeds){.next = road->speeds,
                     .rank = rank,
                     .columns = block,
                     .rows = block + n,
                     .patience = -1};
    memcpy(s->columns, columns, n * sizeof(int));
    memcpy(s->rows, rows, (size_t)rank * sizeof(int));
    road->speeds = s;
    return s;
}

// Choices that are worth their programs have them at once, or after twice as many steps as the one
// before.
static int patience_for(const KalRoad *road)
{
    const int first = road->pays ? 0 : PATIENCE;
    return road->n_choices == 0 ? first : first + (1 << (road->n_choices - 1));
}

void kal_speeds_choose(KalRoad *road, int rank, int *rows, int *columns)
{
    KalSpeeds *s = road->speeds;
    while (s && !is_it(road, s, rank, rows, columns)) {
        s = s->next;
    }
    s = s ? s : add(road, rank, rows, columns);
    road->choice = s;
    if (!s) {
        return;
    }
    memcpy(rows, s->rows, (size_t)rank * sizeof(int));
    memcpy(columns, s->columns, (size_t)road->instant->system->n * sizeof(int));
    if (s->patience < 0) {
        s->patience = patience_for(road);
        road->n_choices++;
    }
}

// Formulas in the making.
typedef struct Draft {
    const KalRoad *road;
    KalSpeeds *s;
    KalTranscript t;
    KalExpr *block;
    size_t block_size;
    KalExpr *values; // of all variables; those that are not known are nothing
    KalExpr *A;      // rank × n, in the order of pivots
    KalExpr *a;      // rank
    KalExpr *row;    // n
    KalExpr *answer; // of the road
    KalExpr *follow; // what velocities follow from
    KalExpr *outputs;
    KalExpr *variables; // of the programs
    size_t n_follow;
    bool rates; // the second program is to be made
} Draft;

// n velocities, those of the speeds, excess; sine and excess, or the whole answer.
static size_t count_rates(const KalRoad *road, const KalSpeeds *s)
{
    const size_t more = s->whole ? road->at.count : 2;
    return (size_t)road->instant->system->n + speeds_of(road, s) + 1 + more;
}

static KalStatus allocate(Draft *d)
{
    const KalRoad *road = d->road;
    const KalSystem *system = road->instant->system;
    const size_t n = (size_t)system->n;
    const size_t rank = (size_t)d->s->rank;
    const size_t variables =
        1 + n + speeds_of(road, d->s) + others_of(road) + weights_of(road);
    const size_t answer = d->rates ? road->at.count : 0;
    d->n_follow = kal_partitioned_layout(n, rank).count;
    const size_t outputs = n + d->n_follow + answer + 2;
    const size_t count = system->layout.count + rank * n + rank + n + answer
                         + d->n_follow + outputs + n + variables;
    d->block_size = count * sizeof *d->block;
    d->block = (KalExpr *)kal_alloc(road->instant->ctx, count, sizeof *d->block);
    if (!d->block) {
        return kal_no_memory(road->instant->ctx, "to copy formulas");
    }
    d->values = d->block;
    d->A = d->values + system->layout.count;
    d->a = d->A + rank * n;
    d->row = d->a + rank;
    d->answer = d->row + n;
    d->follow = d->answer + answer;
    d->variables = d->follow + d->n_follow;
    d->outputs = d->variables + variables;
    d->s->n_inputs = variables - weights_of(road);
    return KAL_OK;
}

// t, q, speeds, and what else the road reads.
static void list_variables(Draft *d)
{
    const KalSystem *system = d->road->instant->system;
    const size_t n = (size_t)system->n;
    const size_t k = speeds_of(d->road, d->s);
    d->t.variables = d->variables;
    memcpy(d->variables, d->t.symbols, (1 + n) * sizeof *d->variables);
    for (size_t l = 0; l < k; l++) {
        const size_t column = (size_t)d->s->columns[(size_t)d->s->rank + l];
        d->variables[1 + n + l] = d->t.symbols[1 + n + column];
    }
    memcpy(d->variables + 1 + n + k, d->t.symbols + 1 + 2 * n,
           (others_of(d->road) + weights_of(d->road)) * sizeof *d->variables);
}

// Whether the rows do not depend on velocities.
static bool is_linear(Draft *d)
{
    bool linear = true;
    for (int i = 0; i < d->s->rank && linear; i++) {
        linear = !kal_transcript_has_velocities(&d->t, (size_t)d->s->rows[i]);
    }
    return linear;
}

// A and ψ of the rows, where velocities that follow are zero.
static KalStatus copy_rows(Draft *d)
{
    const KalSystem *system = d->road->instant->system;
    const KalSparse *A = &system->equations->A;
    const KalSpeeds *s = d->s;
    const size_t n = (size_t)system->n;
    for (int i = 0; i < s->rank; i++) {
        const size_t row = (size_t)s->rows[i];
        d->values[system->layout.qd + (size_t)s->columns[i]] = kal_int(d->t.g, 0);
        kal_transcript_want(&d->t, d->t.A + (size_t)A->start[row],
                            (size_t)(A->start[row + 1] - A->start[row]));
        kal_transcript_want(&d->t, d->t.psi + row, 1);
    }
    d->t.folds = true;
    KAL_TRY(kal_transcript_copy(&d->t, d->values));
    d->t.folds = false;
    for (size_t i = 0; i < (size_t)s->rank; i++) {
        memset(d->row, 0, n * sizeof *d->row);
        kal_transcript_row(&d->t, (size_t)s->rows[i], d->row);
        for (size_t j = 0; j < n; j++) {
            d->A[i * n + j] = d->row[s->columns[j]];
        }
        d->a[i] = d->t.roots[d->t.psi + (size_t)s->rows[i]];
    }
    return KAL_OK;
}

// Velocities that follow take their places, and all are the first outputs.
static KalStatus find_velocities(Draft *d)
{
    const KalSystem *system = d->road->instant->system;
    const size_t n = (size_t)system->n;
    const KalPartition given = {.n = n,
                                .rank = (size_t)d->s->rank,
                                .A = d->A,
                                .a = d->a,
                                .tolerance = KAL_SAFE_RESIDUAL};
    KAL_TRY(copy_rows(d));
    KAL_TRY(kal_partition_solve(d->t.g, &given, d->follow));
    KalExpr *velocities = d->values + system->layout.qd;
    for (int i = 0; i < d->s->rank; i++) {
        velocities[d->s->columns[i]] = d->follow[i];
    }
    for (size_t j = 0; j < n; j++) {
        const bool speed = velocities[j].index == KAL_NO_EXPR.index;
        d->outputs[j] = speed ? d->t.symbols[1 + n + j] : velocities[j];
    }
    return KAL_OK;
}

static KalStatus compile_velocities(Draft *d)
{
    const KalRoad *road = d->road;
    const size_t n = (size_t)road->instant->system->n;
    const size_t rank = (size_t)d->s->rank;
    d->s->at = kal_partitioned_layout(n, rank);
    memcpy(d->outputs + n, d->follow + d->s->at.excess,
           (d->n_follow - rank) * sizeof *d->outputs);
    d->t.n_variables = d->s->n_inputs;
    return kal_transcript_compile(&d->t, d->outputs, n + d->n_follow - rank,
                                  road->samples, &d->s->velocities);
}

// The brief answer, or the whole one.
static KalStatus compile_rates(Draft *d)
{
    const KalRoad *road = d->road;
    const size_t n = (size_t)road->instant->system->n;
    const size_t k = speeds_of(road, d->s);
    KalExpr *next = d->outputs + n;
    KAL_TRY(kal_road_eliminate(road, &d->t, d->values, d->answer));
    for (size_t l = 0; l < k; l++) {
        const size_t column = (size_t)d->s->columns[(size_t)d->s->rank + l];
        *next++ = d->answer[road->at.qdd + column];
    }
    *next++ = d->follow[d->s->at.excess];
    if (d->s->whole) {
        memcpy(next, d->answer, road->at.count * sizeof *next);
    } else {
        next[0] = d->answer[road->at.sine];
        next[1] = kal_road_exceed(road, d->t.g, d->answer);
    }
    d->t.n_variables = d->s->n_inputs + weights_of(road);
    return kal_transcript_compile(&d->t, d->outputs, count_rates(road, d->s), false,
                                  &d->s->rates);
}

static KalStatus build(Draft *d)
{
    const KalInstant *instant = d->road->instant;
    KAL_TRY(allocate(d));
    KAL_TRY(kal_transcript_init(&d->t, instant->ctx, instant->system,
                                weights_of(d->road), KAL_ROAD_NODES));
    d->t.plain = d->road->plain;
    if (!is_linear(d)) {
        return KAL_OK;
    }
    list_variables(d);
    KAL_TRY(find_velocities(d));
    return d->rates ? compile_rates(d) : compile_velocities(d);
}

// Numbers for a program: what it reads, its work memory and `results`.
static double *make_numbers(const KalRoad *road, const KalProgram *program,
                            size_t others, size_t *out_size)
{
    const size_t count = kal_program_work(program) + others;
    *out_size = count * sizeof(double);
    return (double *)kal_alloc(road->instant->ctx, count, sizeof(double));
}

static void prepare_velocities(const KalRoad *road, const KalSpeeds *s)
{
    kal_program_prepare(s->velocities, road->instant->settings.parameters, s->work);
}

static void prepare_rates(const KalRoad *road, const KalSpeeds *s)
{
    kal_program_prepare(s->rates, road->instant->settings.parameters, s->rates_work);
}

static bool take_velocities(const KalRoad *road, KalSpeeds *s)
{
    const size_t n = (size_t)road->instant->system->n;
    const size_t found = n + s->at.count - (size_t)s->rank;
    s->block = make_numbers(road, s->velocities, s->n_inputs + found, &s->block_size);
    if (!s->block) {
        return false;
    }
    s->inputs = s->block;
    s->work = s->inputs + s->n_inputs;
    s->found = s->work + kal_program_work(s->velocities);
    prepare_velocities(road, s);
    return true;
}

static bool take_rates(const KalRoad *road, KalSpeeds *s)
{
    const size_t inputs = s->n_inputs + weights_of(road);
    s->rates_block =
        make_numbers(road, s->rates, inputs + count_rates(road, s), &s->rates_size);
    if (!s->rates_block) {
        return false;
    }
    s->rates_inputs = s->rates_block;
    s->rates_work = s->rates_inputs + inputs;
    s->rates_found = s->rates_work + kal_program_work(s->rates);
    prepare_rates(road, s);
    return true;
}

// Make a program; where that is impossible there is none.
static void make(KalRoad *road, KalSpeeds *s, bool rates)
{
    Draft d = {.road = road, .s = s, .rates = rates};
    s->whole = road->whole;
    const bool built = build(&d) == KAL_OK;
    if (rates) {
        s->made_rates = true;
        if (!built || !s->rates || !take_rates(road, s)) {
            clear_rates(road, s);
        }
    } else {
        s->made = true;
        if (!built || !s->velocities || !take_velocities(road, s)) {
            clear_velocities(road, s);
        }
    }
    road->lacks = road->lacks || road->plain;
    kal_transcript_clear(&d.t);
    kal_free(road->instant->ctx, d.block, d.block_size);
}

void kal_speeds_make(KalRoad *road)
{
    KalSpeeds *s = road->choice;
    if (!s || (!s->open && ++s->steps <= s->patience)) {
        return;
    }
    if (!s->made) {
        make(road, s, false);
    }
    s->open = true;
    if (!s->open_rates && s->velocities && road->fits && road->program) {
        if (!s->made_rates) {
            make(road, s, true);
        }
        s->open_rates = true;
    }
}

void kal_speeds_prepare(KalRoad *road)
{
    for (const KalSpeeds *s = road->speeds; s; s = s->next) {
        if (s->velocities) {
            prepare_velocities(road, s);
        }
        if (s->rates) {
            prepare_rates(road, s);
        }
    }
}

size_t kal_speeds_list(const KalRoad *road, KalProgram **list, size_t count)
{
    for (const KalSpeeds *s = road->speeds; s; s = s->next) {
        list[count++] = s->velocities;
        list[count++] = s->rates;
    }
    return count;
}

KalSpeeds *kal_speeds_lead(const KalRoad *road)
{
    KalSpeeds *s = road->choice;
    return s && s->velocities && s->open ? s : NULL;
}

// What programs read, but for weights.
static void put(const KalRoad *road, const KalSpeeds *s, double t, const double *z,
                double *out)
{
    const size_t n = (size_t)road->instant->system->n;
    const size_t state = n + speeds_of(road, s);
    out[0] = t;
    kal_copy_numbers(out + 1, z, state);
    kal_copy_numbers(out + 1 + state, road->instant->variables + 1 + 2 * n,
                     others_of(road));
}

bool kal_speeds_find(KalRoad *road, double t, const double *z, double *out_qd)
{
    const KalSpeeds *s = kal_speeds_lead(road);
    const size_t n = (size_t)road->instant->system->n;
    if (!s) {
        return false;
    }
    put(road, s, t, z, s->inputs);
    kal_program_eval_on(s->velocities, s->inputs, road->instant->modes, s->work,
                        s->found);
    kal_copy_numbers(out_qd, s->found, n);
    return s->found[n] <= 0.0; // NaN is not
}

double kal_speeds_steepness(const KalRoad *road, const double *scale)
{
    const KalSpeeds *s = road->choice;
    const size_t n = (size_t)road->instant->system->n;
    const size_t rank = (size_t)s->rank;
    const double *slope = s->found + n + s->at.slopes - rank;
    double most = 0.0;
    for (size_t i = 0; i < rank; i++) {
        for (size_t j = rank; j < n; j++) {
            const double size =
                fabs(*slope++) * scale[s->columns[i]] / scale[s->columns[j]];
            most = size <= most ? most : size; // NaN is the most
        }
    }
    return most;
}

// Work memory of all lanes, of the parameters as they are.
static bool make_lanes(KalRoad *road, KalSpeeds *s)
{
    enum {
        ALIGNMENT = 64
    };

    const size_t n = (size_t)road->instant->system->n;
    const size_t work = kal_program_work(s->velocities);
    const size_t found = n + s->at.count - (size_t)s->rank;
    if (!s->lanes) {
        const size_t size = (work + found) * sizeof(KalEight) + ALIGNMENT;
        s->lanes = kal_alloc(road->instant->ctx, 1, size);
        if (!s->lanes) {
            return false;
        }
        s->lanes_size = size;
        s->prepared = road->prepared - 1;
        const size_t off = (uintptr_t)s->lanes % ALIGNMENT;
        s->lanes_work =
            (double *)(void *)((char *)s->lanes + (ALIGNMENT - off) % ALIGNMENT);
        s->lanes_found = s->lanes_work + KAL_LANES * work;
    }
    for (int lane = 0; lane < KAL_LANES && s->prepared != road->prepared; lane++) {
        kal_program_put_lane(s->velocities, s->work, lane, s->lanes_work);
    }
    s->prepared = road->prepared;
    return true;
}

bool kal_speeds_find_lanes(KalRoad *road, const double *at, double *out_qd)
{
    KalSpeeds *s = kal_speeds_lead(road);
    const size_t n = (size_t)road->instant->system->n;
    bool sound = true;
    if (!s || others_of(road) > 0 || road->instant->modes || !make_lanes(road, s)) {
        return false;
    }
    kal_program_eval_lanes(s->velocities, at, s->lanes_work, s->lanes_found);
    memcpy(out_qd, s->lanes_found, n * sizeof(KalEight));
    for (int lane = 0; lane < KAL_LANES; lane++) {
        sound = sound && s->lanes_found[KAL_LANES * n + (size_t)lane] <= 0.0;
    }
    return sound;
}

// What stands behind velocities and accelerations: the excess of residuals, then the answer.
static const double *answer_of(const KalRoad *road, const KalSpeeds *s)
{
    return s->rates_found + (size_t)road->instant->system->n + speeds_of(road, s) + 1;
}

bool kal_speeds_find_rates(KalRoad *road, double t, const double *z, double *out_rates)
{
    const KalSpeeds *s = kal_speeds_lead(road);
    if (!s || !s->rates || !s->open_rates || !kal_road_may_lead(road)) {
        return false;
    }
    const size_t weights = weights_of(road);
    const size_t count = (size_t)road->instant->system->n + speeds_of(road, s);
    put(road, s, t, z, s->rates_inputs);
    if (weights > 0) {
        kal_copy_numbers(s->rates_inputs + s->n_inputs,
                         kal_road_inputs(road) + road->instant->system->layout.qdd,
                         weights);
    }
    kal_program_eval_on(s->rates, s->rates_inputs, road->instant->modes, s->rates_work,
                        s->rates_found);
    kal_copy_numbers(out_rates, s->rates_found, count);
    const double *answer = answer_of(road, s);
    if (s->whole) {
        return answer[-1] <= 0.0 && kal_eliminated_is_sound(&road->at, answer);
    }
    double sum = 0.0; // NaN where a rate is not finite
    for (size_t i = 0; i < count; i++) {
        sum += 0.0 * out_rates[i];
    }
    return answer[-1] <= 0.0 && answer[1] + sum <= 0.0; // NaN is not
}

double kal_speeds_sine(const KalRoad *road)
{
    const KalSpeeds *s = road->choice;
    return answer_of(road, s)[s->whole ? road->at.sine : 0];
}

void kal_speeds_adopt(KalRoad *road)
{
    assert(road->choice->whole);
    road->found = answer_of(road, road->choice);
    road->instant->bare = true;
}
