// SPDX-License-Identifier: MIT

// Programs at scale: the mass matrix and the forces of planar chains of N links in
// absolute angles.  For each N the time to differentiate, to compile and to evaluate; and
// the time of one operation in programs that do only one thing.

#include "expr/diff.h"
#include "expr/eval.h"
#include "expr/order.h"
#include "prog/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    N_MAX = 500,
    ROOTS_MAX = N_MAX * (N_MAX + 1) / 2 + N_MAX,
};

// Time of the processor, so that other programs count less.
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

typedef struct Chain {
    KalGraph *g;
    uint32_t n;
    KalExpr constants[2 * N_MAX]; // masses, then lengths
    KalExpr state[2 * N_MAX];     // angles, then their rates
    KalExpr T;
    KalExpr roots[ROOTS_MAX];
    size_t n_roots;
} Chain;

// T = Σ m_k (x_k'² + y_k'²)/2, with x_k' and y_k' as running sums.
static void build(Chain *c)
{
    KalGraph *g = c->g;
    const uint32_t n = c->n;
    for (uint32_t i = 0; i < 4 * n; i++) {
        *(i < 2 * n ? &c->constants[i] : &c->state[i - 2 * n]) = kal_symbol(g, i);
    }
    KalExpr x = kal_int(g, 0);
    KalExpr y = kal_int(g, 0);
    c->T = kal_int(g, 0);
    for (uint32_t k = 0; k < n; k++) {
        const KalExpr speed = kal_mul(g, c->constants[n + k], c->state[n + k]);
        x = kal_add(g, x, kal_mul(g, speed, kal_cos(g, c->state[k])));
        y = kal_add(g, y, kal_mul(g, speed, kal_sin(g, c->state[k])));
        const KalExpr square = kal_add(g, kal_powi(g, x, 2), kal_powi(g, y, 2));
        const KalExpr half = kal_mul(g, kal_const(g, 0.5), c->constants[k]);
        c->T = kal_add(g, c->T, kal_mul(g, half, square));
    }
}

// The mass matrix, and d/dt ∂T/∂v − ∂T/∂q without accelerations.
static void differentiate(Chain *c, double *out_hessian)
{
    static KalExpr p[N_MAX];
    static KalExpr dq[N_MAX];
    const uint32_t n = c->n;
    KalSparse M = {0};
    const double start = now();
    check(kal_hessian(c->g, c->T, c->state + n, n, &M));
    *out_hessian = now() - start;
    const KalRates rates = {c->state, c->state + n, n};
    check(kal_gradient(c->g, c->T, c->state + n, n, p));
    check(kal_total(c->g, p, n, &rates, p));
    check(kal_gradient(c->g, c->T, c->state, n, dq));
    c->n_roots = (size_t)M.start[n];
    for (size_t i = 0; i < c->n_roots; i++) {
        c->roots[i] = M.value[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        c->roots[c->n_roots++] = kal_sub(c->g, p[i], dq[i]);
    }
    kal_sparse_clear(&M);
}

static double time_eval(const KalProgram *program, const double *parameters,
                        const double *variables, double *out)
{
    double *work = calloc(kal_program_work(program), sizeof *work);
    double least = 1e9;
    if (!work) {
        return 0.0;
    }
    kal_program_prepare(program, parameters, work);
    const long repeats = 2000000 / (long)(kal_program_operations(program) + 100) + 1;
    for (int k = 0; k < 7; k++) {
        const double start = now();
        for (long r = 0; r < repeats; r++) {
            kal_program_eval(program, variables, work, out);
        }
        const double spent = (now() - start) / (double)repeats;
        least = spent < least ? spent : least;
    }
    free(work);
    return least;
}

static double time_plain(const KalGraph *g, const KalOrder *order, const double *values,
                         double *out)
{
    double *work = calloc(order->count, sizeof *work);
    double least = 1e9;
    for (int k = 0; k < 5 && work; k++) {
        const double start = now();
        kal_order_eval(g, order, values, work, out);
        const double spent = now() - start;
        least = spent < least ? spent : least;
    }
    free(work);
    return least;
}

// Seconds that the stages take.
typedef struct Times {
    double build;
    double hessian;
    double derivatives;
    double order;
    double compile;
    double eval;
    double plain;
    uint32_t nodes;
    size_t operations;
} Times;

static Times measure(KalContext *ctx, uint32_t n)
{
    static Chain c;
    static double values[4 * N_MAX];
    static double out[ROOTS_MAX];
    for (uint32_t i = 0; i < 4 * n; i++) {
        values[i] = 0.5 + 0.001 * i;
    }
    Times t = {0};
    c = (Chain){.n = n};
    check(kal_graph_create(ctx, &c.g));
    double start = now();
    build(&c);
    t.build = now() - start;
    start = now();
    differentiate(&c, &t.hessian);
    t.derivatives = now() - start;
    KalOrder order = {0};
    start = now();
    check(kal_order_init(c.g, c.roots, c.n_roots, &order));
    t.order = now() - start;
    t.nodes = order.count;
    KalProgram *program = NULL;
    const KalProgramSpec spec = {.outputs = c.roots,
                                 .n_outputs = c.n_roots,
                                 .parameters = c.constants,
                                 .n_parameters = 2UL * n,
                                 .variables = c.state,
                                 .n_variables = 2UL * n};
    start = now();
    check(kal_program_create(c.g, &spec, &program));
    t.compile = now() - start;
    t.operations = kal_program_operations(program);
    t.eval = time_eval(program, values, values + 2UL * n, out);
    t.plain = time_plain(c.g, &order, values, out);
    kal_order_clear(&order);
    kal_program_destroy(program);
    kal_graph_destroy(c.g);
    return t;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void run_chain(KalContext *ctx, uint32_t n)
{
    Times best = measure(ctx, n);
    for (int repeat = 0; repeat < 4; repeat++) {
        const Times t = measure(ctx, n);
        best.build = least(best.build, t.build);
        best.hessian = least(best.hessian, t.hessian);
        best.derivatives = least(best.derivatives, t.derivatives);
        best.order = least(best.order, t.order);
        best.compile = least(best.compile, t.compile);
        best.eval = least(best.eval, t.eval);
        best.plain = least(best.plain, t.plain);
    }
    printf("%4u %7.2f %8.2f %8.2f %8u %7.2f %7.2f %6.1f %8zu %9.2f %6.2f %6.1f\n", n,
           1e3 * best.build, 1e3 * best.hessian, 1e3 * best.derivatives, best.nodes,
           1e3 * best.order, 1e3 * best.compile, 1e-6 * best.nodes / best.compile,
           best.operations, 1e6 * best.eval, 1e9 * best.eval / (double)best.operations,
           best.plain / best.eval);
}

// Operands of a random graph of one operator, or of two that alternate.
typedef struct Mix {
    const char *name;
    KalOp even;
    KalOp odd;
    uint32_t reach; // how far back operands are
} Mix;

static void run_mix(KalContext *ctx, Mix mix, uint32_t n)
{
    enum {
        INPUTS = 16
    };

    KalGraph *g = NULL;
    KalProgram *program = NULL;
    KalExpr *e = calloc(n, sizeof *e);
    double values[INPUTS];
    double out[INPUTS];
    uint64_t random = 1;
    check(e ? kal_graph_create(ctx, &g) : KAL_ERR_NOMEM);
    kal_graph_set_plain(g, true);
    for (uint32_t i = 0; i < n; i++) {
        KalExpr arg[3];
        for (uint32_t k = 0; k < 3 && i >= INPUTS; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
            const uint32_t reach = i < mix.reach ? i : mix.reach;
            arg[k] = e[i - 1 - (uint32_t)(random >> 33) % reach];
        }
        e[i] = i < INPUTS ? kal_symbol(g, i)
                          : kal_build(g, i % 2 ? mix.odd : mix.even, arg);
        values[i % INPUTS] = 0.99 + 0.001 * (i % INPUTS);
    }
    const KalProgramSpec spec = {.outputs = e + n - INPUTS,
                                 .n_outputs = INPUTS,
                                 .variables = e,
                                 .n_variables = INPUTS};
    check(kal_program_create(g, &spec, &program));
    const size_t operations = kal_program_operations(program);
    printf("%-12s %8zu %6.2f\n", mix.name, operations,
           1e9 * time_eval(program, NULL, values, out) / (double)operations);
    kal_program_destroy(program);
    kal_graph_destroy(g);
    free(e);
}

int main(void)
{
    static const uint32_t sizes[] = {2, 5, 10, 20, 50, 100, 200, 500};
    static const Mix mixes[] = {
        {"+",            KAL_OP_ADD, KAL_OP_ADD, 100},
        {"*",            KAL_OP_MUL, KAL_OP_MUL, 100},
        {"+ and *",      KAL_OP_ADD, KAL_OP_MUL, 100},
        {"/",            KAL_OP_DIV, KAL_OP_DIV, 100},
        {"+, one chain", KAL_OP_ADD, KAL_OP_ADD, 1  },
    };
    KalContext *ctx = NULL;
    check(kal_context_create(NULL, NULL, &ctx));
    printf("   N build/ms hessian derivs/ms    nodes  order compile/ms  M/s  operations"
           " eval/us  ns/op plain/\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run_chain(ctx, sizes[i]);
    }
    printf("\noperation    operations  ns/op\n");
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        run_mix(ctx, mixes[i], 1000);
        run_mix(ctx, mixes[i], 100000);
    }
    kal_context_destroy(ctx);
    return 0;
}
