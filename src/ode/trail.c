// SPDX-License-Identifier: MIT

// Integrals along a method of many steps: the integrand is the polynomial through its last
// values, as the method itself takes the state for one, and Gauss's quadrature integrates it
// exactly (theory (16.6)).
//
// Invariants: t[0] is the newest time, values[i] belong to t[i]; `before` are the integrals
// up to t[1] and `sums` those up to t[0], so that an integral to a time inside the last step
// starts at its beginning and never accumulates what it adds.

#include "ode/trail.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST = KAL_TRAIL_MOST,
    NODES = 3 // of Gauss: exact for polynomials through all values
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalTrail *trail = owner;
    const size_t n = (size_t)trail->n;
    for (int i = 0; i < MOST; i++) {
        trail->values[i] = kal_carve_doubles(carver, n, 1);
    }
    trail->before = kal_carve_doubles(carver, n, 1);
    trail->sums = kal_carve_doubles(carver, n, 1);
}

KalStatus kal_trail_init(KalTrail *trail, KalContext *ctx, int n)
{
    *trail = (KalTrail){.ctx = ctx, .n = n};
    return kal_workspace_make(ctx, "for integrals", lay_out, trail, &trail->workspace);
}

void kal_trail_clear(KalTrail *trail)
{
    if (trail->ctx) {
        kal_workspace_clear(trail->ctx, &trail->workspace);
    }
}

// The newest value.
static void put(KalTrail *trail, double t, const double *values)
{
    trail->t[0] = t;
    memcpy(trail->values[0], values, (size_t)trail->n * sizeof(double));
}

void kal_trail_start(KalTrail *trail, double t, const double *sums,
                     const double *values)
{
    trail->count = 1;
    trail->order = 0;
    put(trail, t, values);
    memcpy(trail->before, sums, (size_t)trail->n * sizeof(double));
    memcpy(trail->sums, sums, (size_t)trail->n * sizeof(double));
}

void kal_trail_add(KalTrail *trail, double t, const double *values, int order)
{
    assert(trail->count >= 1 && t != trail->t[0] && order >= 0);
    double *const last = trail->values[MOST - 1];
    for (int i = MOST - 1; i > 0; i--) {
        trail->values[i] = trail->values[i - 1];
        trail->t[i] = trail->t[i - 1];
    }
    // The oldest array is used again for the newest value.
    trail->values[0] = last;
    put(trail, t, values);
    trail->count += trail->count < MOST;
    trail->order = order < trail->count - 1 ? order : trail->count - 1;
    memcpy(trail->before, trail->sums, (size_t)trail->n * sizeof(double));
    kal_trail_integrate(trail, t, trail->sums);
}

// The polynomial that is 1 at t[j] and 0 at the other times, at t.
static double basis(const KalTrail *trail, int j, double t)
{
    assert(j >= 0 && j <= trail->order);
    double product = 1.0;
    for (int i = 0; i <= trail->order; i++) {
        if (i != j) {
            product *= (t - trail->t[i]) / (trail->t[j] - trail->t[i]);
        }
    }
    return product;
}

void kal_trail_integrate(const KalTrail *trail, double t, double *out_sums)
{
    const double nodes[NODES] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    const double weights[NODES] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const double begin = trail->order > 0 ? trail->t[1] : trail->t[0];
    assert(trail->order < trail->count && trail->order <= 2 * NODES - 1);
    memcpy(out_sums, trail->before, (size_t)trail->n * sizeof(double));
    for (int j = 0; j <= trail->order; j++) {
        double weight = 0.0;
        for (int k = 0; k < NODES; k++) {
            weight += weights[k] * basis(trail, j, begin + nodes[k] * (t - begin));
        }
        for (int i = 0; i < trail->n; i++) {
            out_sums[i] += (t - begin) * weight * trail->values[j][i];
        }
    }
}
