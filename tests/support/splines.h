// SPDX-License-Identifier: MIT

/// @file
/// Tables of every method and every behavior outside, for tests of what uses them.

#ifndef SUPPORT_SPLINES_H
#define SUPPORT_SPLINES_H

#include "expr/graph.h"
#include "tap.h"

enum {
    SPLINE_POINTS = 7,
    SPLINE_KINDS = (int)KAL_SPLINE_METHODS * (int)KAL_SPLINE_OUTSIDES,
    SPLINE_WORDS = 80 ///< doubles that one takes
};

static const double SPLINE_X[SPLINE_POINTS] = {-2.0, -1.5, -0.25, 0.5, 1.0, 2.5, 3.0};
static const double SPLINE_Y[SPLINE_POINTS] = {1.0, 2.0, 2.5, -1.0, -1.5, 0.25, 1.0};

/// Table number `kind` through these points; it stays for the rest of the program.
static inline const KalSpline *spline_sample(KalContext *context, int kind)
{
    static double memory[SPLINE_KINDS][SPLINE_WORDS];
    const KalSplineSpec spec = {
        .name = "f",
        .x = SPLINE_X,
        .y = SPLINE_Y,
        .n = SPLINE_POINTS,
        .method = (KalSplineMethod)(kind / (int)KAL_SPLINE_OUTSIDES),
        .outside = (KalSplineOutside)(kind % (int)KAL_SPLINE_OUTSIDES),
    };
    KalSpline *spline = NULL;
    ok(kal_spline_bytes(SPLINE_POINTS) <= sizeof memory[0]);
    ok(kal_spline_make(context, &spec, memory[kind], &spline) == KAL_OK);
    return spline;
}

/// All functions of all tables, of one formula; returns how many.
static inline size_t spline_nodes(KalGraph *graph, KalExpr x, KalExpr *out)
{
    size_t n = 0;
    for (int kind = 0; kind < SPLINE_KINDS; kind++) {
        const KalSpline *spline = spline_sample(kal_graph_context(graph), kind);
        for (int k = 0; k < KAL_SPLINE_FUNCTIONS; k++) {
            out[n++] = kal_spline(graph, spline, (KalSplineFunctionKind)k, x);
        }
    }
    return n;
}

enum {
    SPLINE_NODES = SPLINE_KINDS * (int)KAL_SPLINE_FUNCTIONS
};

#endif
