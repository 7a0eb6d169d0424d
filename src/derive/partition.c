// SPDX-License-Identifier: MIT

// Gauss's elimination with formulas for entries, in an order that is given
// (derive/partition.h).  Slopes are further right-hand sides: whoever does not want them leaves
// them out of a program, and nothing of them is computed.

#include "derive/partition.h"

#include <assert.h>
#include <string.h>

typedef struct Elimination {
    KalGraph *g;
    const KalPartition *given;
    KalExpr *block;
    KalExpr *U;       // rank × n: what elimination makes of A
    KalExpr *inverse; // rank: of pivots
    KalExpr *y;       // rank: what it makes of −a
} Elimination;

static bool is_nothing(KalExpr e)
{
    return e.index == KAL_NO_EXPR.index;
}

static KalExpr times(KalGraph *g, KalExpr a, KalExpr b)
{
    if (is_nothing(a) || is_nothing(b)) {
        return KAL_NO_EXPR;
    }
    return kal_is_int(g, a, 1) ? b : kal_is_int(g, b, 1) ? a : kal_mul(g, a, b);
}

static KalExpr minus(KalGraph *g, KalExpr a, KalExpr b)
{
    return is_nothing(b) ? a : is_nothing(a) ? kal_neg(g, b) : kal_sub(g, a, b);
}

static KalExpr plus(KalGraph *g, KalExpr a, KalExpr b)
{
    return is_nothing(a) ? b : is_nothing(b) ? a : kal_add(g, a, b);
}

static KalExpr absolute(KalGraph *g, KalExpr a)
{
    return is_nothing(a) ? a : kal_unary(g, KAL_OP_ABS, a);
}

// Take from the rows below what the pivot p has in them.  A pivot that is zero by structure
// makes what follows not finite.
static void eliminate(Elimination *e, size_t p)
{
    const size_t n = e->given->n;
    const KalExpr *row = e->U + p * n;
    const KalExpr pivot = is_nothing(row[p]) ? kal_int(e->g, 0) : row[p];
    e->inverse[p] =
        kal_is_int(e->g, pivot, 1) ? pivot : kal_div(e->g, kal_int(e->g, 1), pivot);
    for (size_t i = p + 1; i < e->given->rank; i++) {
        KalExpr *x = e->U + i * n;
        const KalExpr l = times(e->g, x[p], e->inverse[p]);
        for (size_t j = p + 1; j < n && !is_nothing(l); j++) {
            x[j] = minus(e->g, x[j], times(e->g, l, row[j]));
        }
        e->y[i] = minus(e->g, e->y[i], times(e->g, l, e->y[p]));
    }
}

// U x = y from the last row up, for `count` right-hand sides of which each is a column; entries
// of a column are `step` apart, in both.
static void go_back(const Elimination *e, const KalExpr *y, size_t step,
                    size_t out_step, KalExpr *out_x)
{
    const size_t n = e->given->n;
    for (size_t i = e->given->rank; i-- > 0;) {
        KalExpr x = y[i * step];
        for (size_t j = e->given->rank; j-- > i + 1;) { // what is known last comes last
            x = minus(e->g, x, times(e->g, e->U[i * n + j], out_x[j * out_step]));
        }
        out_x[i * out_step] = times(e->g, x, e->inverse[i]);
    }
}

// By how much A q' + a exceeds the tolerance, row by row; the largest.
static KalExpr exceed(const Elimination *e, const KalExpr *x)
{
    const KalPartition *p = e->given;
    KalGraph *g = e->g;
    const KalExpr tolerance = kal_const(g, p->tolerance);
    KalExpr worst = kal_int(g, 0);
    for (size_t i = 0; i < p->rank; i++) {
        KalExpr sum = p->a[i];
        KalExpr size = absolute(g, sum);
        for (size_t j = 0; j < p->rank; j++) {
            const KalExpr term = times(g, p->A[i * p->n + j], x[j]);
            sum = plus(g, sum, term);
            size = plus(g, size, absolute(g, term));
        }
        if (!is_nothing(sum)) {
            const KalExpr allowed = kal_mul(g, tolerance, size);
            const KalExpr off = kal_sub(g, absolute(g, sum), allowed);
            worst = kal_binary(g, KAL_OP_MAX, off, worst);
        }
    }
    return worst;
}

KalPartitioned kal_partitioned_layout(size_t n, size_t rank)
{
    assert(rank <= n);
    return (KalPartitioned){.velocities = 0,
                            .excess = rank,
                            .slopes = rank + 1,
                            .count = rank + 1 + rank * (n - rank)};
}

static void solve(Elimination *e, KalExpr *out)
{
    const KalPartition *p = e->given;
    const KalPartitioned at = kal_partitioned_layout(p->n, p->rank);
    const size_t k = p->n - p->rank;
    memcpy(e->U, p->A, p->rank * p->n * sizeof *e->U);
    for (size_t i = 0; i < p->rank; i++) {
        e->y[i] = minus(e->g, KAL_NO_EXPR, p->a[i]);
    }
    for (size_t i = 0; i < p->rank; i++) {
        eliminate(e, i);
    }
    go_back(e, e->y, 1, 1, out + at.velocities);
    out[at.excess] = exceed(e, out + at.velocities);
    for (size_t j = 0; j < k; j++) {
        go_back(e, e->U + p->rank + j, p->n, k, out + at.slopes + j);
    }
    for (size_t i = 0; i < at.count; i++) {
        out[i] = is_nothing(out[i]) ? kal_int(e->g, 0) : out[i];
    }
}

KalStatus kal_partition_solve(KalGraph *g, const KalPartition *given,
                              KalExpr *out_answer)
{
    assert(given->rank <= given->n && out_answer);
    KalContext *ctx = kal_graph_context(g);
    const size_t count = given->rank * (given->n + 2);
    Elimination e = {.g = g, .given = given};
    if (count == 0) {
        out_answer[0] = kal_int(g, 0); // nothing follows, and nothing exceeds
        return kal_graph_status(g);
    }
    e.block = (KalExpr *)kal_alloc(ctx, count, sizeof *e.block);
    if (!e.block) {
        return kal_no_memory(ctx, "to eliminate");
    }
    e.U = e.block;
    e.inverse = e.U + given->rank * given->n;
    e.y = e.inverse + given->rank;
    solve(&e, out_answer);
    kal_free(ctx, e.block, count * sizeof *e.block);
    return kal_graph_status(g);
}
