// SPDX-License-Identifier: MIT

#include "sim/cross.h"

#include <math.h>
#include <string.h>

enum {
    NODES = KAL_CROSS_NODES,
    ITERATIONS = 40
};

// The stages are found when they change by less than this part of what errors may be.
static const double SETTLED = 0.01;

// Rounding near such a configuration allows no more.
static const double LEAST_TOLERANCE = 1e-9;

// Nodes and weights of Gauss's quadrature on 0 … 1.
static void find_nodes(double *nodes, double *weights)
{
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < NODES; i++) {
        double x = -cos(pi * (i + 0.75) / (NODES + 0.5));
        double slope = 1.0;
        for (int k = 0; k < 100; k++) {
            double p = 1.0;
            double before = 0.0;
            for (int n = 1; n <= NODES; n++) {
                const double next = ((2.0 * n - 1.0) * x * p - (n - 1.0) * before) / n;
                before = p;
                p = next;
            }
            slope = NODES * (x * p - before) / (x * x - 1.0);
            const double step = p / slope;
            x -= step;
            if (fabs(step) < 1e-16) {
                break;
            }
        }
        nodes[i] = 0.5 * (1.0 + x);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

// ∫ from 0 to `end` of the polynomial that is 1 at node j and 0 at the others that `used`
// has.
static double integrate(const KalCross *cross, const bool *used, int j, double end)
{
    double sum = 0.0;
    for (int k = 0; k < NODES; k++) {
        const double x = end * cross->nodes[k];
        double value = cross->weights[k];
        for (int i = 0; i < NODES; i++) {
            if (i != j && used[i]) {
                value *= (x - cross->nodes[i]) / (cross->nodes[j] - cross->nodes[i]);
            }
        }
        sum += value;
    }
    return end * sum;
}

static const bool all_nodes[NODES] = {true, true, true, true, true, true, true, true};

static void fill_tables(KalCross *cross)
{
    static const bool fewer[2][NODES] = {
        {true, true,  true, false, false, true, true,  true},
        {true, false, true, false, false, true, false, true}
    };
    find_nodes(cross->nodes, cross->weights);
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            cross->stages[i][j] = integrate(cross, all_nodes, j, cross->nodes[i]);
        }
        for (int k = 0; k < 2; k++) {
            cross->less[k][j] = fewer[k][j] ? integrate(cross, fewer[k], j, 1.0) : 0.0;
        }
    }
}

KalStatus kal_cross_init(KalCross *cross, KalContext *ctx, const KalOdeSystem *system,
                         const KalOdeOptions *options)
{
    const size_t n = (size_t)system->n;
    const size_t count = (4 + NODES) * n;
    *cross = (KalCross){.system = *system,
                        .ctx = ctx,
                        .n = (system->n - system->n_integrals) / 2,
                        .rtol = fmax(options->rtol, LEAST_TOLERANCE),
                        .atol = options->atol};
    cross->block = (double *)kal_alloc(ctx, count, sizeof(double));
    if (!cross->block) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for a run");
    }
    cross->block_size = count * sizeof(double);
    cross->y_old = cross->block;
    cross->y_new = cross->y_old + n;
    cross->stage = cross->y_new + n;
    cross->change = cross->stage + n;
    cross->rates = cross->change + n;
    fill_tables(cross);
    return KAL_OK;
}

void kal_cross_clear(KalCross *cross)
{
    if (cross->ctx) {
        kal_free(cross->ctx, cross->block, cross->block_size);
    }
}

// y + h Σ weights k.
static void combine(const KalCross *cross, const double *weights, double *out_y)
{
    const size_t n = (size_t)cross->system.n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < NODES; j++) {
            sum += weights[j] * cross->rates[j * n + i];
        }
        out_y[i] = cross->y_old[i] + cross->h * sum;
    }
}

// The largest of some numbers; a NaN is larger than any.
static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    }
    return most;
}

// A change of the state in units of what errors may be.  Near the configuration rounding
// is magnified, in all directions alike; so positions are measured by the largest of
// them, and velocities too.
static double measure(const KalCross *cross, const double *x)
{
    const int n = cross->n;
    const double *y = cross->y_old;
    const double q = largest(x, n) / (cross->atol + cross->rtol * largest(y, n));
    const double v =
        largest(x + n, n) / (cross->atol + cross->rtol * largest(y + n, n));
    return q > v || isnan(q) ? q : v;
}

// First rates: those of a constant acceleration.
static void guess(KalCross *cross, const double *rate)
{
    const size_t n = (size_t)cross->n;
    for (size_t j = 0; j < NODES; j++) {
        double *k = cross->rates + (size_t)cross->system.n * j;
        for (size_t i = 0; i < n; i++) {
            k[i] = rate[i] + cross->h * cross->nodes[j] * rate[n + i];
            k[n + i] = rate[n + i];
        }
    }
}

// New rates of all stages from the old ones; answers by how much they differ.
static KalStatus iterate(KalCross *cross, double *out_change)
{
    const size_t n = (size_t)cross->system.n;
    double most = 0.0;
    for (int j = 0; j < NODES; j++) {
        double *k = cross->rates + (size_t)j * n;
        combine(cross, cross->stages[j], cross->stage);
        const double t = cross->t_old + cross->nodes[j] * cross->h;
        KAL_TRY(cross->system.rate(cross->system.user, t, cross->stage, cross->change));
        for (size_t i = 0; i < n; i++) {
            const double rate = cross->change[i];
            cross->change[i] = cross->h * (rate - k[i]);
            k[i] = rate;
        }
        const double size = measure(cross, cross->change);
        most = size > most || isnan(size) ? size : most;
    }
    *out_change = most;
    return KAL_OK;
}

// Until the stages stand still, or as still as rounding lets them.
static bool solve(KalCross *cross)
{
    double before = INFINITY;
    for (int k = 0; k < ITERATIONS; k++) {
        double change = 0.0;
        if (iterate(cross, &change) != KAL_OK || !isfinite(change)) {
            return false;
        }
        const bool stalls = k > 8 && change < 1.0 && change > 0.5 * before;
        if (change < SETTLED || stalls) {
            return true;
        }
        before = change;
    }
    return false;
}

// The error, from quadratures with fewer nodes, theory (15.8).
static double estimate(const KalCross *cross)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        combine(cross, cross->less[k], cross->stage);
        for (int i = 0; i < cross->system.n; i++) {
            cross->change[i] = cross->stage[i] - cross->y_new[i];
        }
        error[k] = measure(cross, cross->change);
    }
    const double both = hypot(error[0], 0.1 * error[1]);
    return both > 0.0 ? error[0] * (error[0] / both) : 0.0;
}

void kal_cross_step(KalCross *cross, double t, double h, const double *y,
                    bool *out_done, KalOdeStep *out_step)
{
    const size_t size = (size_t)cross->system.n * sizeof(double);
    *out_done = false;
    memcpy(cross->y_old, y, size);
    cross->t_old = t;
    cross->h = h;
    if (cross->system.rate(cross->system.user, t, y, cross->stage) != KAL_OK) {
        return;
    }
    guess(cross, cross->stage);
    if (!solve(cross)) {
        return;
    }
    combine(cross, cross->weights, cross->y_new);
    if (!(estimate(cross) <= 1.0)
        || cross->system.project(cross->system.user, t + h, cross->y_new) != KAL_OK) {
        return;
    }
    *out_done = true;
    *out_step = (KalOdeStep){
        .t_old = t, .t_new = t + h, .y_old = cross->y_old, .y_new = cross->y_new};
}

void kal_cross_interpolate(const KalCross *cross, double t, double *out_y)
{
    const size_t size = (size_t)cross->system.n * sizeof(double);
    double weights[NODES];
    if (t == cross->t_old || t == cross->t_old + cross->h) {
        memcpy(out_y, t == cross->t_old ? cross->y_old : cross->y_new, size);
        return;
    }
    for (int j = 0; j < NODES; j++) {
        weights[j] = integrate(cross, all_nodes, j, (t - cross->t_old) / cross->h);
    }
    combine(cross, weights, out_y);
}
