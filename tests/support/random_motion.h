// SPDX-License-Identifier: MIT

/// @file
/// The equations of an instant of a random model, from the jets of its formulas.

#ifndef SUPPORT_RANDOM_MOTION_H
#define SUPPORT_RANDOM_MOTION_H

#include "random_model.h"
#include "reference.h"

static inline Real random_value(const RandomModel *g, int node)
{
    return node == NO_NODE ? 0.0L : g->f.jets[node].v;
}

static inline Real random_slope(const RandomModel *g, int node, int place)
{
    return node == NO_NODE ? 0.0L : g->f.jets[node].g[place];
}

static inline Real random_bend(const RandomModel *g, int node, int one, int other)
{
    return node == NO_NODE ? 0.0L : g->f.jets[node].h[one][other];
}

/// (∂/∂t + Σ q' ∂/∂q) of ∂e/∂(variable at `place`), or of e itself.
static inline Real random_drift(const RandomModel *g, int node, int place)
{
    const Real *v = g->f.state + JET_V;
    Real sum = place < 0 ? random_slope(g, node, 0) : random_bend(g, node, place, 0);
    for (int k = 0; k < g->n; k++) {
        sum += v[k]
               * (place < 0 ? random_slope(g, node, JET_Q + k)
                            : random_bend(g, node, place, JET_Q + k));
    }
    return sum;
}

/// M and Q from the energies: docs/theory (9.11), (9.12).
static inline void random_fill_masses(const RandomModel *g, ReferenceMotion *p)
{
    for (int i = 0; i < g->n; i++) {
        for (int j = 0; j < g->n; j++) {
            p->M[i][j] = random_bend(g, g->kinetic, JET_V + i, JET_V + j)
                         + random_value(g, g->mass[i > j ? i : j][i > j ? j : i]);
        }
        p->Q[i] = random_slope(g, g->kinetic, JET_Q + i)
                  - random_slope(g, g->potential, JET_Q + i)
                  - random_drift(g, g->kinetic, JET_V + i)
                  + random_slope(g, g->power, JET_V + i)
                  - random_slope(g, g->dissipation, JET_V + i)
                  + random_value(g, g->force[i]);
        p->C[i] = random_value(g, g->nonideal[i])
                  + random_slope(g, g->nonideal_power, JET_V + i);
    }
}

/// φ'' = 0, ψ' = 0 or r = 0 as A q'' = b: (9.16) to (9.18).
static inline void random_fill_row(const RandomModel *g, ReferenceMotion *p, int i,
                                   const RandomRow *row)
{
    const Real *v = g->f.state + JET_V;
    static const int by[] = {[RANDOM_POSITION] = JET_Q,
                             [RANDOM_VELOCITY] = JET_V,
                             [RANDOM_ACCELERATION] = JET_A};
    for (int j = 0; j < g->n; j++) {
        p->A[i][j] = random_slope(g, row->residual, by[row->level] + j);
    }
    if (row->level == RANDOM_ACCELERATION) {
        p->b[i] = -random_value(g, row->residual);
    } else if (row->level == RANDOM_VELOCITY) {
        p->b[i] = -random_drift(g, row->residual, -1);
    } else {
        p->b[i] = -random_drift(g, row->residual, 0);
        for (int k = 0; k < g->n; k++) {
            p->b[i] -= v[k] * random_drift(g, row->residual, JET_Q + k);
        }
    }
}

#endif
