// SPDX-License-Identifier: MIT

/// @file
/// A graph in a context whose allocations can fail, and what tests of formulas ask of it.

#ifndef SUPPORT_GRAPH_H
#define SUPPORT_GRAPH_H

#include "fault.h"
#include "formula.h"
#include "tap.h"

static Fault graph_fault;
static KalContext *ctx;
static KalGraph *g;

static inline void begin(void)
{
    graph_fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &graph_fault, &ctx) == KAL_OK);
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    formula_n_names = 0;
    for (char letter = 'a'; letter <= 'z'; letter++) { // products are sorted by id
        formula_id(&letter, 1);
    }
}

static inline void end(void)
{
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
    ok(graph_fault.live_bytes == 0);
}

static inline KalExpr f(const char *text)
{
    return formula_parse(g, text);
}

/// Whether two texts build the same node.
static inline bool same(const char *a, const char *b)
{
    const KalExpr x = f(a);
    return x.index != 0 && x.index == f(b).index;
}

static inline const char *text_of(KalExpr e)
{
    return formula_print(g, e, KAL_FORMAT_TEXT);
}

/// Check how a formula is simplified and printed.
#define becomes(formula, want) same_text(text_of(f(formula)), want)

/// Call `run`, which makes and frees everything in `context`, with every allocation
/// failing in turn; `run` answers KAL_ERR_NOMEM until nothing fails.
static inline void each_allocation_fails(KalStatus (*run)(KalContext *context))
{
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status != KAL_OK && n < 10000; n++) {
        Fault fault = {.calls_left = n};
        KalContext *context = NULL;
        status = kal_context_create(fault_alloc, &fault, &context);
        if (status == KAL_OK) {
            status = run(context);
            ok(status == KAL_OK || strlen(kal_context_message(context)) > 0);
        }
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        kal_context_destroy(context);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK && n > 3);
}

#endif
