// SPDX-License-Identifier: MIT

#include "expr/diff.h"
#include "graph.h"

enum {
    N = 60
};

static KalExpr entry(const KalSparse *J, size_t i, size_t j)
{
    const KalExpr e = kal_sparse_get(J, i, j);
    return e.index == 0 ? kal_int(g, 0) : e;
}

static void sorted(const KalSparse *J)
{
    for (size_t i = 0; i < J->rows; i++) {
        for (int64_t k = J->start[i]; k < J->start[i + 1]; k++) {
            ok(J->column[k] >= 0 && J->column[k] < (int64_t)J->columns);
            ok(k == J->start[i] || J->column[k - 1] < J->column[k]);
            ok(!kal_is_zero(g, J->value[k]));
        }
    }
}

// More rows than columns go forward, fewer in reverse: the entries are the same.
static void jacobians_are_derivatives(void)
{
    begin();
    const KalExpr e[] = {f("x*y"), f("sin(x)"), f("3"), f("z^2 + x"), f("y"), f("x*y")};
    const KalExpr x[] = {f("x"), f("y"), f("z"), f("w"),
                         f("v"), f("u"), f("q"), f("p")};
    for (size_t m = 0; m <= 6; m++) {
        for (size_t n = 0; n <= 8; n++) {
            KalSparse J = {0};
            ok(kal_jacobian(g, e, m, x, n, &J) == KAL_OK);
            ok(J.rows == m && J.columns == n);
            sorted(&J);
            for (size_t i = 0; i < m; i++) {
                for (size_t j = 0; j < n; j++) {
                    KalExpr d = KAL_NO_EXPR;
                    ok(kal_diff(g, e[i], x[j], &d) == KAL_OK);
                    ok(entry(&J, i, j).index == d.index);
                }
            }
            kal_sparse_clear(&J);
        }
    }
    end();
}

// V = Σ (x_i − x_{i+1})²/2: a band, and nothing is said to be there that is zero.
static void patterns_are_sparse(void)
{
    begin();
    KalExpr x[N];
    KalExpr V = kal_int(g, 0);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = kal_symbol(g, i);
        if (i > 0) {
            V = kal_add(g, V, kal_powi(g, kal_sub(g, x[i - 1], x[i]), 2));
        }
    }
    V = kal_mul(g, kal_const(g, 0.5), V);
    KalSparse H = {0};
    ok(kal_hessian(g, V, x, N, &H) == KAL_OK);
    ok(H.start[N] == 2 * N - 1);
    sorted(&H);
    for (size_t i = 0; i < N; i++) {
        ok(kal_is_int(g, entry(&H, i, i), i == 0 || i == N - 1 ? 1 : 2));
        ok(i == 0 || kal_is_int(g, entry(&H, i, i - 1), -1));
    }
    kal_sparse_clear(&H);
    end();
}

// Of many rows each column meets few steps, some of them by several ways.
static void rows_by_themselves_make_a_diagonal(void)
{
    begin();
    KalExpr x[N];
    KalExpr e[N];
    for (uint32_t i = 0; i < N; i++) {
        x[i] = kal_symbol(g, i);
        const KalExpr inner = kal_add(g, x[i], kal_sin(g, x[i]));
        e[i] = kal_mul(g, x[i], kal_unary(g, KAL_OP_EXP, inner));
    }
    KalSparse J = {0};
    ok(kal_jacobian(g, e, N, x, N, &J) == KAL_OK);
    ok(J.start[N] == N);
    for (size_t i = 0; i < N; i++) {
        KalExpr d = KAL_NO_EXPR;
        ok(kal_diff(g, e[i], x[i], &d) == KAL_OK);
        ok(entry(&J, i, i).index == d.index);
    }
    kal_sparse_clear(&J);
    end();
}

// The mass matrix of a cart with a pendulum.
static void hessians_of_energies_are_mass_matrices(void)
{
    begin();
    const KalExpr T = f("1/2*m*x'^2 + 1/2*b*((x' + l*u'*cos(u))^2 + (l*u'*sin(u))^2)");
    const KalExpr v[] = {f("x'"), f("u'")};
    KalSparse M = {0};
    ok(kal_hessian(g, T, v, 2, &M) == KAL_OK);
    ok(M.start[2] == 3);
    ok(entry(&M, 0, 0).index == f("m + b").index);
    ok(entry(&M, 1, 0).index == f("b*l*cos(u)").index);
    ok(entry(&M, 1, 1).index == f("b*l^2").index);
    ok(kal_sparse_get(&M, 0, 1).index == 0); // the lower triangle only
    kal_sparse_clear(&M);
    kal_sparse_clear(&M);
    ok(kal_hessian(g, f("x"), v, 2, &M) == KAL_OK);
    ok(M.start[2] == 0);
    kal_sparse_clear(&M);
    ok(kal_hessian(g, f("x"), NULL, 0, &M) == KAL_OK);
    kal_sparse_clear(&M);
    end();
}

static KalStatus differentiate(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr x[10];
    KalExpr e = kal_int(graph, 1);
    for (uint32_t i = 0; i < 10; i++) {
        x[i] = kal_symbol(graph, i);
        e = kal_add(graph, e, kal_mul(graph, kal_sin(graph, e), x[i]));
    }
    KalSparse M = {0};
    KalStatus status = kal_hessian(graph, e, x, 10, &M);
    ok((status == KAL_OK) == (M.start != NULL));
    kal_sparse_clear(&M);
    if (status == KAL_OK) {
        status = kal_jacobian(graph, &e, 1, x, 10, &M);
        ok((status == KAL_OK) == (M.start != NULL));
        kal_sparse_clear(&M);
    }
    if (status == KAL_OK) {
        status = kal_jacobian(graph, &e, 1, x, 1, &M);
        kal_sparse_clear(&M);
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    each_allocation_fails(differentiate);
}

TAP_RUN(TAP_CASE(jacobians_are_derivatives), TAP_CASE(patterns_are_sparse),
        TAP_CASE(rows_by_themselves_make_a_diagonal),
        TAP_CASE(hessians_of_energies_are_mass_matrices),
        TAP_CASE(every_allocation_may_fail))
