// SPDX-License-Identifier: MIT

// Formulas at scale: planar chains of N links in absolute angles.  For each N the time to
// build the energy term by term, to differentiate it to the mass matrix and the momenta'
// rates, and to print all of it as C with named parts; and constructions per second.

#include "expr/diff.h"
#include "expr/order.h"
#include "print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    N_MAX = 200,
    REPEATS = 5
};

typedef struct Chain {
    KalGraph *g;
    uint32_t n;
    KalExpr m[N_MAX];
    KalExpr l[N_MAX];
    KalExpr angle[N_MAX];
    KalExpr rate[N_MAX];
    KalExpr p[N_MAX]; // momenta, then their rates
    KalExpr T;
    KalSparse M;
} Chain;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(KalStatus status)
{
    if (status != KAL_OK) {
        printf("failed: %s\n", kal_status_text(status));
        exit(1);
    }
}

// T = Σ m_i (u_i² + v_i²)/2, with u_i, v_i summed anew for every link, as a model that is
// written with sums does.  Answers the number of constructions.
static long build(Chain *c)
{
    KalGraph *g = c->g;
    long calls = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        c->m[i] = kal_symbol(g, i);
        c->l[i] = kal_symbol(g, N_MAX + i);
        c->angle[i] = kal_symbol(g, 2 * N_MAX + i);
        c->rate[i] = kal_symbol(g, 3 * N_MAX + i);
    }
    c->T = kal_int(g, 0);
    for (uint32_t i = 0; i < c->n; i++) {
        KalExpr u = kal_int(g, 0);
        KalExpr v = kal_int(g, 0);
        for (uint32_t j = 0; j <= i; j++) {
            const KalExpr x = kal_mul(g, c->l[j], kal_cos(g, c->angle[j]));
            const KalExpr y = kal_mul(g, c->l[j], kal_sin(g, c->angle[j]));
            u = kal_add(g, u, kal_mul(g, x, c->rate[j]));
            v = kal_add(g, v, kal_mul(g, y, c->rate[j]));
            calls += 8;
        }
        const KalExpr square = kal_add(g, kal_powi(g, u, 2), kal_powi(g, v, 2));
        const KalExpr half = kal_mul(g, kal_const(g, 0.5), c->m[i]);
        c->T = kal_add(g, c->T, kal_mul(g, half, square));
    }
    return calls;
}

static void differentiate(Chain *c)
{
    const KalRates rates = {c->angle, c->rate, c->n};
    check(kal_hessian(c->g, c->T, c->rate, c->n, &c->M));
    check(kal_gradient(c->g, c->T, c->rate, c->n, c->p));
    check(kal_total(c->g, c->p, c->n, &rates, c->p));
}

static const char *name(void *user, uint32_t id)
{
    static char text[16];
    (void)user;
    snprintf(text, sizeof text, "x[%u]", id);
    return text;
}

static void count_bytes(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
}

static size_t print(Chain *c)
{
    const size_t entries = (size_t)c->M.start[c->n];
    const char **names = calloc(entries, sizeof *names);
    for (size_t i = 0; names && i < entries; i++) {
        names[i] = "y";
    }
    size_t bytes = 0;
    const KalPrintOptions options = {
        .format = KAL_FORMAT_C, .name = name, .limit = 100000000};
    if (names) {
        check(kal_print_parts(c->g, c->M.value, names, entries, &options,
                              (KalSink){count_bytes, &bytes}));
    }
    free(names);
    return bytes;
}

static uint32_t reachable(Chain *c)
{
    KalOrder order;
    check(kal_order_init(c->g, c->M.value, (size_t)c->M.start[c->n], &order));
    const uint32_t count = order.count;
    kal_order_clear(&order);
    return count;
}

static void run(KalContext *ctx, uint32_t n)
{
    static Chain c;
    double least[3] = {1e9, 1e9, 1e9};
    long calls = 0;
    size_t bytes = 0;
    uint32_t nodes = 0;
    uint32_t made = 0;
    size_t memory = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        c = (Chain){.n = n};
        check(kal_graph_create(ctx, &c.g));
        const double start = now();
        calls = build(&c);
        const double built = now();
        const uint32_t before = kal_graph_count(c.g);
        differentiate(&c);
        const double differentiated = now();
        made = kal_graph_count(c.g) - before;
        nodes = reachable(&c);
        memory = kal_graph_bytes(c.g);
        const double begin = now();
        bytes = print(&c);
        const double times[3] = {built - start, differentiated - built, now() - begin};
        for (int i = 0; i < 3; i++) {
            least[i] = times[i] < least[i] ? times[i] : least[i];
        }
        kal_sparse_clear(&c.M);
        kal_graph_destroy(c.g);
    }
    printf(
        "%4u %9.2f ms %6.1f M/s %9.2f ms %6.1f M/s %8u %9.2f ms %7.1f MB/s %6.1f MB\n",
        n, 1e3 * least[0], 1e-6 * (double)calls / least[0], 1e3 * least[1],
        1e-6 * made / least[1], nodes, 1e3 * least[2], 1e-6 * (double)bytes / least[2],
        1e-6 * (double)memory);
}

int main(void)
{
    static const uint32_t sizes[] = {5, 10, 20, 50, 100, 200};
    KalContext *ctx = NULL;
    check(kal_context_create(NULL, NULL, &ctx));
    printf("   N     build      calls  derivatives      nodes  M nodes     print C"
           "               graph\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run(ctx, sizes[i]);
    }
    kal_context_destroy(ctx);
    return 0;
}
