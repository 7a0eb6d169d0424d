// SPDX-License-Identifier: MIT

// Models made by hand, and the tables that building uses.

#include "allocations.h"
#include "model.h"
#include "model/pool.h"
#include "rng.h"

static void fill_model(KalModel *model, KalStatus *status)
{
    uint32_t m;
    uint32_t x;
    uint32_t row;
    uint32_t input;
    KalGraph *g = model->graph;
    KalParameter mass = {.name = "m", .value = kal_int(g, 2), .number = 2.0};
    KalStatus all[12];
    int n = 0;
    KalExpr symbol = KAL_NO_EXPR;
    *status = kal_model_add_parameter(model, mass, &m);
    if (*status == KAL_OK) {
        *status = kal_model_add_coordinate(model, (KalCoordinate){.name = "x"}, &x);
    }
    if (*status != KAL_OK) {
        return;
    }
    const KalCoordinate c = model->coordinates[x];
    const KalExpr energy = kal_mul(g, model->parameters[m].symbol, kal_powi(g, c.v, 2));
    const KalContribution kinetic = {.kind = KAL_TERM_KINETIC, .value = energy};
    all[n++] = kal_graph_status(g);
    if (all[0] == KAL_OK) {
        all[n++] = kal_model_add_contribution(model, kinetic);
        all[n++] = kal_model_add_contribution(model, kinetic);
        all[n++] = kal_model_add_constraint(
            model,
            (KalConstraint){.name = "c", .residual = c.v, .driven = KAL_NOT_DRIVEN},
            &row);
        all[n++] = kal_model_add_constraint(
            model, (KalConstraint){.name = "drive(x)", .residual = c.q, .driven = x},
            &row);
        all[n++] = kal_model_add_actuator(
            model, (KalActuator){.name = "u", .power = c.v}, &input);
        all[n++] = kal_model_add_servo(model, (KalServo){.name = "s", .residual = c.q});
        all[n++] = kal_model_add_output(model, (KalOutput){.name = "o", .value = c.a});
        all[n++] = kal_model_coordinate_force(model, x, &symbol);
        all[n++] = kal_model_add_origin(model, (KalOrigin){.node = c.q});
        all[n++] = kal_model_add_origin(model, (KalOrigin){.node = c.a});
    }
    for (int i = 0; i < n && *status == KAL_OK; i++) {
        *status = all[i];
    }
}

static void lists_are_filled_by_hand(void)
{
    KalContext *ctx = NULL;
    KalModel *model = NULL;
    KalStatus status;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_model_create(ctx, &model) == KAL_OK);
    fill_model(model, &status);
    ok(status == KAL_OK);
    const KalConstraint *c = model->constraints;
    ok(c[0].level == KAL_LEVEL_VELOCITY && c[1].level == KAL_LEVEL_POSITION);
    const uint32_t first = kal_graph_node(model->graph, c[0].reaction).arg[0].index;
    const uint32_t second = kal_graph_node(model->graph, c[1].reaction).arg[0].index;
    same_text(kal_model_symbol_name(model, first), "reaction(c)");
    same_text(kal_model_symbol_name(model, second), "drive(x)");
    ok(model->servos[0].level == KAL_LEVEL_POSITION);

    const KalExpr total = kal_model_total(model, KAL_TERM_KINETIC);
    uint64_t kinds = 0;
    ok(kal_model_kinds_in(model, total, &kinds) == KAL_OK);
    ok(kinds
       == (UINT64_C(1) << KAL_SYMBOL_PARAMETER | UINT64_C(1) << KAL_SYMBOL_VELOCITY));
    ok(kal_is_zero(model->graph, kal_model_total(model, KAL_TERM_POTENTIAL)));

    KalExpr again = KAL_NO_EXPR;
    ok(kal_model_coordinate_force(model, 0, &again) == KAL_OK);
    ok(again.index == model->coordinates[0].force.index);

    KalExpr rates[2];
    const KalExpr both[] = {total, model->time};
    ok(kal_model_rate(model, both, 2, rates) == KAL_OK);
    ok(kal_is_int(model->graph, rates[1], 1));
    KalSpan span;
    ok(kal_model_find_origin(model, model->coordinates[0].a, &span));
    ok(!kal_model_find_origin(model, model->time, &span));
    kal_model_destroy(model);
    kal_model_destroy(NULL);
    kal_context_destroy(ctx);
}

static KalStatus make_model(KalContext *ctx)
{
    KalModel *model = NULL;
    KalStatus status = kal_model_create(ctx, &model);
    if (status == KAL_OK) {
        fill_model(model, &status);
    }
    kal_model_destroy(model);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_model);
}

// Heights and pieces at random: nothing overlaps, and all comes back.
static void pools_are_stacks(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    const size_t before = fault.live_bytes;
    KalPool pool = {.ctx = ctx};
    KalPoolMark marks[50];
    unsigned char *pieces[50];
    size_t sizes[50];
    int n = 0;
    Rng rng = {11};
    for (int step = 0; step < 3000; step++) {
        if (n == 50 || (n > 0 && rng_int(&rng, 0, 2) == 0)) {
            n = rng_int(&rng, 0, n - 1);
            kal_pool_release(&pool, marks[n]);
        } else {
            sizes[n] = (size_t)rng_int(&rng, 1, rng_int(&rng, 0, 9) ? 5000 : 200000);
            marks[n] = kal_pool_mark(&pool);
            pieces[n] = kal_pool_alloc(&pool, sizes[n]);
            if (!ok(pieces[n] != NULL)) {
                return;
            }
            memset(pieces[n], n, sizes[n]);
            n++;
        }
        for (int i = 0; i < n; i++) {
            ok(pieces[i][0] == i && pieces[i][sizes[i] - 1] == i);
        }
    }
    ok(kal_pool_alloc(&pool, SIZE_MAX - 10) == NULL);
    kal_pool_clear(&pool);
    ok(fault.live_bytes == before && pool.bytes == 0);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(lists_are_filled_by_hand), TAP_CASE(every_allocation_may_fail),
        TAP_CASE(pools_are_stacks))
