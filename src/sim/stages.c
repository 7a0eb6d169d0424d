// SPDX-License-Identifier: MIT

// Stage by stage a draft puts the formula of the state, a sum of rates of stages before it, in
// the place of the variables of the road, and takes the results as the rates of the next.  What
// does not change from stage to stage, such as masses that are constant, stands in the program
// once, for the graph keeps equal formulas once.  The number of nodes is bounded while the draft
// grows: a system too large for one program is left to the stages one by one.

#include "sim/stages.h"

#include "system/transcript.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST = 1,
    COUNT = KAL_DOP853_END - FIRST, // stages
    MOST_NODES = 60000,             // of formulas on the way
    MOST_OPERATIONS = 6000          // beyond which calls take no time to speak of
};

KalStagesLayout kal_stages_layout(size_t n)
{
    const size_t state = (size_t)COUNT * 2 * n;
    const size_t sines = state + 2 * n;
    const size_t growth = sines + COUNT;
    return (KalStagesLayout){
        .state = state, .sines = sines, .growth = growth, .count = growth + 4};
}

// Formulas in the making.
typedef struct Draft {
    const KalRoad *road;
    const KalStagesLayout *at;
    KalTranscript t;
    KalExpr h;
    KalExpr end;
    KalExpr *block;
    size_t block_size;
    KalExpr *values; // of all variables of formulas: time and state of a stage
    KalExpr *answer; // of a stage
    KalExpr *rates;  // 2 n of the beginning; those of stages are among the outputs
    KalExpr *outputs;
} Draft;

static KalStatus allocate(Draft *d)
{
    assert(!d->block && d->road->program);
    const KalSystem *system = d->road->instant->system;
    const size_t count =
        system->layout.count + d->road->at.count + 2 * (size_t)system->n + d->at->count;
    KalContext *ctx = d->road->instant->ctx;
    d->block = (KalExpr *)kal_alloc(ctx, count, sizeof *d->block);
    if (!d->block) {
        return kal_no_memory(ctx, "to copy formulas");
    }
    d->block_size = count * sizeof *d->block;
    d->values = d->block;
    d->answer = d->values + system->layout.count;
    d->rates = d->answer + d->road->at.count;
    d->outputs = d->rates + 2 * (size_t)system->n;
    return KAL_OK;
}

// The rate of entry i in a stage.
static KalExpr rate_of(const Draft *d, int stage, size_t i)
{
    const size_t size = 2 * (size_t)d->road->instant->system->n;
    assert(stage >= 0 && stage <= COUNT && i < size);
    return stage == 0 ? d->rates[i] : d->outputs[(size_t)(stage - FIRST) * size + i];
}

// Where a stage takes place, theory (12.1): y + h Σ a k, summed as ode/dop853_sums.c does.
static void put_state(Draft *d, int stage)
{
    const KalSystem *system = d->road->instant->system;
    const KalDop853Row *row = &kal_dop853_rows[stage];
    const double node = kal_dop853_nodes[stage];
    KalGraph *g = d->t.g;
    const KalExpr *begin = d->t.symbols; // t, q, q'
    d->values[0] = d->end;
    if (node < 1.0) {
        d->values[0] = kal_add(g, begin[0], kal_mul(g, kal_const(g, node), d->h));
    }
    for (size_t i = 0; i < 2 * (size_t)system->n; i++) {
        KalExpr sum = KAL_NO_EXPR;
        for (int j = 0; j < row->count; j++) {
            const KalExpr term = kal_mul(g, kal_const(g, row->term[j].weight),
                                         rate_of(d, row->term[j].stage, i));
            sum = j == 0 ? term : kal_add(g, sum, term);
        }
        d->values[system->layout.q + i] =
            kal_add(g, begin[1 + i], kal_mul(g, d->h, sum));
    }
}

// The larger or smaller one of a word of all stages so far and that of this one.
static void gather(Draft *d, KalOp op, size_t to, size_t word)
{
    KalExpr *x = &d->outputs[to];
    const KalExpr now = d->answer[word];
    *x = x->index == KAL_NO_EXPR.index || kal_is_int(d->t.g, now, 1)
             ? now
             : kal_binary(d->t.g, op, *x, now);
}

// The formulas of the road with the state of this stage in the place of the variables;
// what judges its answer, growth of pivots and sines, is gathered over all stages.
static KalStatus add_stage(Draft *d, int stage)
{
    assert(stage >= FIRST && stage < KAL_DOP853_END);
    const KalRoad *road = d->road;
    const KalSystem *system = road->instant->system;
    const size_t n = (size_t)system->n;
    KalExpr *rates = d->outputs + (size_t)(stage - FIRST) * 2 * n;
    put_state(d, stage);
    KAL_TRY(kal_road_eliminate(road, &d->t, d->values, d->answer));
    memcpy(rates, d->values + system->layout.qd, n * sizeof *rates);
    memcpy(rates + n, d->answer + road->at.qdd, n * sizeof *rates);
    d->outputs[d->at->sines + (size_t)(stage - FIRST)] = d->answer[road->at.sine];
    gather(d, KAL_OP_MAX, d->at->growth, road->at.most_growth);
    gather(d, KAL_OP_MIN, d->at->growth + 1, road->at.least_growth);
    gather(d, KAL_OP_MAX, d->at->growth + 2, road->at.most_gram);
    gather(d, KAL_OP_MIN, d->at->growth + 3, road->at.least_gram);
    return KAL_OK;
}

static KalStatus build(Draft *d)
{
    const KalInstant *instant = d->road->instant;
    const KalSystem *system = instant->system;
    const size_t size = 2 * (size_t)system->n;
    assert(system->layout.qdd == 1 + size && !d->road->lends);
    KAL_TRY(allocate(d));
    KAL_TRY(kal_transcript_init(
        &d->t, instant->ctx, system,
        (KalTranscriptRoom){.n_weights = 2 + size, .most_nodes = MOST_NODES}));
    d->h = d->t.weights[0];
    d->end = d->t.weights[1];
    memcpy(d->rates, d->t.weights + 2, size * sizeof *d->rates);
    for (int stage = FIRST; stage < KAL_DOP853_END; stage++) {
        KAL_TRY(add_stage(d, stage));
    }
    memcpy(d->outputs + d->at->state, d->values + system->layout.q,
           size * sizeof *d->outputs);
    return kal_graph_status(d->t.g);
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalStages *s = (KalStages *)owner;
    const size_t work = kal_program_work(s->program);
    s->work = kal_carve_doubles(carver, s->lanes ? work : 0, KAL_LANES);
    s->alone = kal_carve_doubles(carver, work, 1);
    s->found = kal_carve_doubles(carver, s->lanes ? 0 : s->at.count, 1);
}

// Without a program, for want of memory or because there would be too many operations,
// stages go one by one, so that nothing is to be told.
void kal_stages_make(KalStages *stages, const KalRoad *road, bool lanes)
{
    assert(road->program && road->brief.program);
    KalStages *s = stages;
    Draft d = {.road = road, .at = &s->at};
    kal_stages_clear(s);
    s->at = kal_stages_layout((size_t)road->instant->system->n);
    s->made = true;
    s->lanes = lanes;
    s->road = road->brief.number;
    s->prepared = road->prepared - 1;
    if (kal_program_operations(road->brief.program) * COUNT > MOST_OPERATIONS) {
        return;
    }
    if (build(&d) != KAL_OK
        || kal_transcript_compile(&d.t, d.outputs, s->at.count, lanes, &s->program)
               != KAL_OK
        || kal_workspace_make(s->ctx, "for lanes", lay_out, s, &s->workspace)
               != KAL_OK) {
        kal_stages_clear(s);
        s->made = true;
        s->road = road->brief.number;
    }
    kal_transcript_clear(&d.t);
    kal_free(road->instant->ctx, d.block, d.block_size);
}

void kal_stages_clear(KalStages *stages)
{
    kal_program_destroy(stages->program);
    kal_workspace_clear(stages->ctx, &stages->workspace);
    *stages = (KalStages){.ctx = stages->ctx};
}

void kal_stages_enter(KalStages *stages, int lane, const KalInstant *instant)
{
    assert(stages->program);
    kal_program_prepare(stages->program, instant->settings.parameters, stages->alone);
    kal_program_put_lane(stages->program, stages->alone, lane, stages->work);
}

void kal_stages_take(const KalStages *stages, const double *begin, double *out_rates)
{
    kal_program_eval_lanes(stages->program, begin, stages->work, out_rates);
}

bool kal_stages_take_alone(KalStages *stages, const KalRoad *road, const double *begin)
{
    KalStages *s = stages;
    assert(!s->lanes && s->program && s->road == road->brief.number);
    if (s->prepared != road->prepared) {
        kal_program_prepare(s->program, road->instant->settings.parameters, s->alone);
        s->prepared = road->prepared;
    }
    kal_program_eval(s->program, begin, s->alone, s->found);
    double sum = 0.0; // NaN where a rate is not finite
    for (size_t i = 0; i < s->at.state; i++) {
        sum += 0.0 * s->found[i];
    }
    return sum == 0.0 && kal_growth_is_safe(s->found + s->at.growth);
}
