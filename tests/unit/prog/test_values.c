// SPDX-License-Identifier: MIT

// Programs give the same bits as plain evaluation.

#include "lab.h"
#include "splines.h"

enum {
    SYMBOLS = 3
};

// Programs and plain evaluation agree on these formulas of SYMBOLS symbols, whichever of
// them are parameters.
static void agrees(const KalExpr *e, size_t n, const double *values)
{
    double *want = calloc(n, sizeof *want);
    double *got = calloc(n, sizeof *got);
    ok(want && got && kal_eval(g, e, n, values, want) == KAL_OK);
    for (size_t n_parameters = 0; n_parameters <= SYMBOLS && got; n_parameters++) {
        Lab lab;
        lab_open(&lab, e, n, n_parameters, SYMBOLS - n_parameters);
        lab_eval(&lab, values, n_parameters, got);
        for (size_t i = 0; i < n; i++) {
            if (!ok(same_bits(got[i], want[i]))) {
                printf("# %s: %a, not %a\n", text_of(e[i]), got[i], want[i]);
            }
        }
        lab_close(&lab);
    }
    free(want);
    free(got);
}

// Every operator, built plainly, of numbers that are anything.
static void operators_agree(void)
{
    static const double odd[] = {0.0,    -0.0,  1.0,    -1.0, 0.5,      -2.5,
                                 1e-310, 1e308, -1e308, 3.0,  INFINITY, NAN};
    begin();
    kal_graph_set_plain(g, true);
    KalExpr x[SYMBOLS];
    KalExpr all[2 * KAL_OP_COUNT + SPLINE_NODES];
    size_t n = 0;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        x[i] = kal_symbol(g, i);
    }
    all[n++] = kal_pi(g);
    for (int op = KAL_OP_ADD; op < KAL_OP_COUNT; op++) {
        if (op != KAL_OP_POWI && !kal_op_is_spline((KalOp)op)) {
            all[n++] = kal_build(g, (KalOp)op, x);
        }
    }
    n += spline_nodes(g, x[0], all + n);
    for (int32_t power = -3; power < 7; power++) {
        all[n++] = kal_powi(g, x[0], power);
    }
    Rng rng = {.state = 1};
    for (int k = 0; k < 3000; k++) {
        double values[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) {
            values[i] =
                rng_int(&rng, 0, 1) ? odd[rng_int(&rng, 0, 11)] : rng_scale(&rng, 3.0);
        }
        agrees(all, n, values);
    }
    end();
}

// The sine and cosine of a number are computed together; each must be what it is alone.
static void pairs_agree(void)
{
    begin();
    const KalExpr e[] = {f("sin(a)"), f("cos(a)"), f("cos(b)"), f("sin(b)"),
                         f("sin(c)")};
    Lab lab;
    lab_open(&lab, e, 5, 0, SYMBOLS);
    KalOrder order = {0};
    ok(kal_order_init(g, e, 5, &order) == KAL_OK && order.count == 8);
    Rng rng = {.state = 2};
    bool same = true;
    for (int k = 0; k < 1000000; k++) {
        double values[SYMBOLS];
        double got[5];
        double want[5];
        double work[8];
        for (int i = 0; i < SYMBOLS; i++) {
            const double wide = rng_scale(&rng, k % 100 == 0 ? 300.0 : 4.0);
            values[i] = k % 2 ? 14.0 * rng_unit(&rng) - 7.0 : wide;
        }
        kal_program_eval(lab.program, values, lab.work, got);
        kal_order_eval(g, &order, values, work, want);
        for (int i = 0; i < 5; i++) {
            same = same && same_bits(got[i], want[i]);
        }
    }
    ok(same);
    kal_order_clear(&order);
    lab_close(&lab);
    end();
}

// Graphs of several windows, with operands near and far; operators of all kinds.
static void large_graphs_agree(void)
{
    static const uint32_t reaches[] = {3, 30, 3000, 30000};
    for (int k = 0; k < 8; k++) {
        begin();
        kal_graph_set_plain(g, k % 2 == 0);
        const uint32_t n = 20000;
        KalExpr *nodes = calloc(n, sizeof *nodes);
        Rng rng = {.state = (uint64_t)k};
        const TangleSpec spec = {SYMBOLS, n, reaches[k / 2], false};
        if (ok(nodes != NULL)) {
            tangle_build(g, &rng, spec, nodes);
            agrees(nodes, n, (double[]){0.3, -1.1, 0.7});
            agrees(nodes + n - 1, 1, (double[]){0.3, -1.1, 0.7});
        }
        free(nodes);
        end();
    }
}

// A sine here and the cosine of the same a window later, on either tape.
static void pairs_far_apart_agree(void)
{
    begin();

    enum {
        FAR = 10000
    };

    static KalExpr e[2 * FAR];
    for (int i = 0; i < FAR; i++) {
        const KalExpr angle = kal_mul(g, kal_int(g, i + 1), f(i % 3 ? "a" : "c"));
        e[i] = kal_sin(g, angle);
        e[FAR + i] = kal_cos(g, angle);
    }
    agrees(e, 2UL * FAR, (double[]){0.1, 0.2, 0.3});
    end();
}

TAP_RUN(TAP_CASE(operators_agree), TAP_CASE(pairs_agree), TAP_CASE(large_graphs_agree),
        TAP_CASE(pairs_far_apart_agree))
