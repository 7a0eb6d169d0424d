// SPDX-License-Identifier: MIT

// Derivation at scale: planar chains of N links, as a pendulum in absolute angles (dense
// M, no constraints) and as N free bodies joined by 2N pins.  For each N the time to
// derive, the nodes made by it, and those that an evaluation of all equations needs.
// Classification: N/2 forms in N coordinates, as knife edges that have nothing to do with
// each other, as dense nonholonomic forms, as dense mixtures of differentials, and as
// N − 2 forms of a chain that needs as many rounds of brackets.  Times are of the processor.

#include "derive/classify.h"
#include "expr/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    REPEATS = 5
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(KalStatus status)
{
    if (status != KAL_OK) {
        printf("failed: %s\n", kal_status_text(status));
        exit(1);
    }
}

static KalExpr add_parameter(KalModel *model)
{
    uint32_t index = 0;
    const KalParameter entry = {.name = "p", .value = kal_int(model->graph, 1)};
    check(kal_model_add_parameter(model, entry, &index));
    return model->parameters[index].symbol;
}

static KalExpr half_square(KalGraph *g, KalExpr m, KalExpr v)
{
    return kal_mul(g, kal_const(g, 0.5), kal_mul(g, m, kal_powi(g, v, 2)));
}

static void add_term(KalModel *model, KalTermKind kind, KalExpr value)
{
    const KalContribution entry = {.kind = kind, .value = value};
    check(kal_model_add_contribution(model, entry));
}

// T = Σ m_i (u_i² + v_i²)/2, V = Σ m_i g y_i, over running sums.
static void build_pendulum(KalModel *model, uint32_t n)
{
    KalGraph *g = model->graph;
    const KalExpr gravity = add_parameter(model);
    KalExpr u = kal_int(g, 0);
    KalExpr v = kal_int(g, 0);
    KalExpr y = kal_int(g, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = 0;
        check(kal_model_add_coordinate(model, (KalCoordinate){.name = "a"}, &index));
        const KalCoordinate *c = &model->coordinates[index];
        const KalExpr m = add_parameter(model);
        const KalExpr l = add_parameter(model);
        const KalExpr across = kal_mul(g, l, kal_cos(g, c->q));
        const KalExpr along = kal_mul(g, l, kal_sin(g, c->q));
        u = kal_add(g, u, kal_mul(g, across, c->v));
        v = kal_add(g, v, kal_mul(g, along, c->v));
        y = kal_sub(g, y, across);
        const KalExpr square = kal_add(g, kal_powi(g, u, 2), kal_powi(g, v, 2));
        const KalExpr half = kal_mul(g, kal_const(g, 0.5), m);
        add_term(model, KAL_TERM_KINETIC, kal_mul(g, half, square));
        add_term(model, KAL_TERM_POTENTIAL, kal_mul(g, kal_mul(g, m, gravity), y));
    }
}

static void add_pin(KalModel *model, KalExpr residual)
{
    const KalConstraint entry = {
        .name = "pin", .residual = residual, .driven = KAL_NOT_DRIVEN};
    uint32_t index = 0;
    check(kal_model_add_constraint(model, entry, &index));
}

// Bodies with their middle at (x, y); each begins where the one before it ends.
static void build_bodies(KalModel *model, uint32_t n)
{
    KalGraph *g = model->graph;
    KalExpr end_x = kal_int(g, 0);
    KalExpr end_y = kal_int(g, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = 0;
        const KalExpr m = add_parameter(model);
        const KalExpr l = add_parameter(model);
        for (int k = 0; k < 3; k++) {
            check(kal_model_add_coordinate(model, (KalCoordinate){.name = "q"}, &at));
        }
        const KalCoordinate x = model->coordinates[at - 2];
        const KalCoordinate y = model->coordinates[at - 1];
        const KalCoordinate a = model->coordinates[at];
        const KalExpr across = kal_mul(g, l, kal_cos(g, a.q));
        const KalExpr along = kal_mul(g, l, kal_sin(g, a.q));
        add_term(model, KAL_TERM_KINETIC, half_square(g, m, x.v));
        add_term(model, KAL_TERM_KINETIC, half_square(g, m, y.v));
        add_term(model, KAL_TERM_KINETIC, half_square(g, l, a.v));
        add_term(model, KAL_TERM_POTENTIAL, kal_mul(g, m, y.q));
        add_pin(model, kal_sub(g, kal_sub(g, x.q, across), end_x));
        add_pin(model, kal_sub(g, kal_sub(g, y.q, along), end_y));
        end_x = kal_add(g, x.q, across);
        end_y = kal_add(g, y.q, along);
    }
}

static size_t add_roots(KalExpr *roots, size_t n, const KalExpr *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        roots[n++] = e[i];
    }
    return n;
}

static uint32_t reachable(const KalEquations *eq)
{
    const size_t n_M = (size_t)eq->M.start[eq->n];
    const size_t n_A = (size_t)eq->A.start[eq->m];
    KalExpr *roots = calloc(n_M + n_A + eq->n + eq->m, sizeof *roots);
    KalOrder order = {0};
    if (!roots) {
        return 0;
    }
    size_t n = add_roots(roots, 0, eq->M.value, n_M);
    n = add_roots(roots, n, eq->A.value, n_A);
    n = add_roots(roots, n, eq->Q, eq->n);
    n = add_roots(roots, n, eq->b, eq->m);
    check(kal_order_init(eq->model->graph, roots, n, &order));
    const uint32_t count = order.count;
    kal_order_clear(&order);
    free(roots);
    return count;
}

static void run(KalContext *ctx, const char *what, uint32_t n,
                void (*build)(KalModel *, uint32_t))
{
    double least = 1e9;
    uint32_t made = 0;
    uint32_t needed = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        KalModel *model = NULL;
        KalDiagnostics *diagnostics = NULL;
        KalEquations *eq = NULL;
        check(kal_model_create(ctx, &model));
        check(kal_diagnostics_create(ctx, &diagnostics));
        build(model, n);
        const uint32_t before = kal_graph_count(model->graph);
        const double start = now();
        check(kal_derive(model, diagnostics, &eq));
        const double seconds = now() - start;
        least = seconds < least ? seconds : least;
        made = kal_graph_count(model->graph) - before;
        needed = reachable(eq);
        kal_equations_destroy(eq);
        kal_diagnostics_destroy(diagnostics);
        kal_model_destroy(model);
    }
    printf("%-9s %4u %9.2f ms %9u %9u\n", what, n, 1e3 * least, made, needed);
}

static uint64_t random_state;

static int64_t random_digit(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (int64_t)(random_state >> 33) % 7 - 3;
}

static void add_coordinates(KalModel *model, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = 0;
        check(kal_model_add_coordinate(model, (KalCoordinate){.name = "q"}, &index));
    }
}

static void build_edges(KalModel *model, uint32_t n)
{
    KalGraph *g = model->graph;
    add_coordinates(model, n);
    for (uint32_t i = 0; i + 2 < n; i += 3) {
        const KalCoordinate *c = &model->coordinates[i];
        const KalExpr across = kal_mul(g, kal_sin(g, c[2].q), c[0].v);
        add_pin(model, kal_sub(g, across, kal_mul(g, kal_cos(g, c[2].q), c[1].v)));
    }
}

// Σ (number + number × coordinate) velocity.
static void build_dense(KalModel *model, uint32_t n)
{
    KalGraph *g = model->graph;
    add_coordinates(model, n);
    for (uint32_t i = 0; i < n / 2; i++) {
        KalExpr sum = kal_int(g, 0);
        for (uint32_t j = 0; j < n; j++) {
            const KalExpr q = model->coordinates[(i + 7 * j) % n].q;
            const KalExpr factor = kal_add(g, kal_int(g, random_digit()),
                                           kal_mul(g, kal_int(g, random_digit()), q));
            sum = kal_add(g, sum, kal_mul(g, factor, model->coordinates[j].v));
        }
        add_pin(model, sum);
    }
}

// Σ_k number × (q_k'  + rate of a function): all are integrable.
static void build_mixed(KalModel *model, uint32_t n)
{
    KalGraph *g = model->graph;
    add_coordinates(model, n);
    for (uint32_t i = 0; i < n / 2; i++) {
        KalExpr sum = kal_int(g, 0);
        for (uint32_t k = 0; k < n / 2; k++) {
            const KalCoordinate *a = &model->coordinates[k];
            const KalCoordinate *b = &model->coordinates[n / 2 + k];
            const KalExpr phi = kal_add(g, a->q, kal_mul(g, kal_sin(g, b->q), a->q));
            KalExpr rate = KAL_NO_EXPR;
            check(kal_model_rate(model, &phi, 1, &rate));
            const KalExpr factor = kal_add(g, kal_int(g, random_digit()),
                                           model->coordinates[(i + k) % n].q);
            sum = kal_add(g, sum, kal_mul(g, factor, rate));
        }
        add_pin(model, sum);
    }
}

// x_k' − x_(k+1) s' for k = 1, 2, …: one form is lost in each round of brackets.
static void build_chain(KalModel *model, uint32_t n)
{
    KalGraph *g = model->graph;
    add_coordinates(model, n);
    for (uint32_t i = 0; i + 2 < n; i++) {
        KalExpr sum = kal_int(g, 0);
        for (uint32_t k = i; k + 2 < n; k++) {
            const KalCoordinate *c = &model->coordinates[k + 1];
            const KalExpr form =
                kal_sub(g, c->v, kal_mul(g, c[1].q, model->coordinates[0].v));
            const KalExpr factor = kal_add(g, kal_int(g, k == i ? 5 : random_digit()),
                                           model->coordinates[(i + k) % n].q);
            sum = kal_add(g, sum, kal_mul(g, factor, form));
        }
        add_pin(model, sum);
    }
}

static void run_classify(KalContext *ctx, const char *what, uint32_t n,
                         void (*build)(KalModel *, uint32_t))
{
    KalModel *model = NULL;
    KalDiagnostics *diagnostics = NULL;
    KalEquations *eq = NULL;
    KalClassification *found = NULL;
    random_state = n;
    check(kal_model_create(ctx, &model));
    check(kal_diagnostics_create(ctx, &diagnostics));
    build(model, n);
    check(kal_derive(model, diagnostics, &eq));
    const uint32_t before = kal_graph_count(model->graph);
    const double start = now();
    check(kal_classify(eq, &found));
    const double seconds = now() - start;
    printf("%-9s %4u %9.2f ms %9u rank %zu of %zu, %zu undecided\n", what, n,
           1e3 * seconds, kal_graph_count(model->graph) - before, found->rank, found->m,
           found->undecided);
    kal_classification_destroy(found);
    kal_equations_destroy(eq);
    kal_diagnostics_destroy(diagnostics);
    kal_model_destroy(model);
}

int main(void)
{
    static const uint32_t sizes[] = {5, 10, 20, 50, 100, 200};
    KalContext *ctx = NULL;
    check(kal_context_create(NULL, NULL, &ctx));
    printf("system       N       derive      made    needed\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run(ctx, "pendulum", sizes[i], build_pendulum);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run(ctx, "bodies", sizes[i], build_bodies);
    }
    printf("system       N     classify      made\n");
    static const uint32_t counts[] = {6, 24, 96, 200};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        run_classify(ctx, "edges", counts[i], build_edges);
        run_classify(ctx, "dense", counts[i], build_dense);
        run_classify(ctx, "mixed", counts[i], build_mixed);
        run_classify(ctx, "chain", counts[i], build_chain);
    }
    kal_context_destroy(ctx);
    return 0;
}
