// SPDX-License-Identifier: MIT

// Gauss collocation of order 16: a step is the polynomial of degree 8 that satisfies the
// equations at the eight nodes of Gauss's quadrature (theory (15.7), docs/theory/motion.md;
// Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section II.7).
//
// For equations of second order, positions and then as many velocities, near times at which
// the rate cannot be had: no node lies at the middle of a step nor at its end, so a step may
// lead across a configuration in which constraints lose rank.  Explicit methods feel their
// way with states off the constraints, and where these have two branches that goes wrong.
//
// Stages are found by fixed-point iteration from a constant acceleration, the error is
// estimated from quadratures with fewer of the nodes, theory (15.8).  There is one attempt:
// a step is as long as `max_step` and the end allow, and fails when the iteration does not
// settle or the error is too large.  Whoever asks for it chooses another length.
//
// Invariants: nodes rise and are symmetric about 1/2; y_new is the present state, and y_old
// with the rates is that of the last step or of the attempt at hand.

#include "base/workspace.h"
#include "ode/ode_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    NODES = 8,
    ITERATIONS = 40
};

// The stages are found when they change by less than this part of what errors may be.
static const double SETTLED = 0.01;

// Rounding near such a configuration allows no more.
static const double LEAST_TOLERANCE = 1e-9;

typedef struct Gauss {
    KalIntegrator base;
    int n;                 // positions: half of the state without integrals
    double nodes[NODES];   // in parts of a step
    double weights[NODES]; // of the end
    double less[2][NODES]; // weights without some nodes, for errors
    double stages[NODES][NODES];
    KalWorkspace workspace; // all numbers below
    double *y_old;
    double *y_new;
    double *stage;
    double *change; // of a stage
    double *rates;  // of all stages
    double h;       // signed
} Gauss;

// Nodes and weights of Gauss's quadrature on 0 … 1: zeros of Legendre's polynomial by
// Newton's method, which its recurrence gives with its slope.
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
            assert(x > -1.0 && x < 1.0);
            const double step = p / slope;
            x -= step;
            if (fabs(step) < 1e-16) {
                break;
            }
        }
        nodes[i] = 0.5 * (1.0 + x);
        assert(i == 0 || nodes[i] > nodes[i - 1]);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

// ∫ from 0 to `end` of the polynomial that is 1 at node j and 0 at the others that `used`
// has.
static double integrate(const Gauss *g, const bool *used, int j, double end)
{
    assert(used[j]);
    double sum = 0.0;
    for (int k = 0; k < NODES; k++) {
        const double x = end * g->nodes[k];
        double value = g->weights[k];
        for (int i = 0; i < NODES; i++) {
            if (i != j && used[i]) {
                value *= (x - g->nodes[i]) / (g->nodes[j] - g->nodes[i]);
            }
        }
        sum += value;
    }
    return end * sum;
}

static const bool all_nodes[NODES] = {true, true, true, true, true, true, true, true};

// The coefficients of the method: stages[i][j] integrates node j's polynomial up to node i,
// theory (15.7).  Two lists with fewer nodes, symmetric as all are, give orders lower than 16
// for the estimate of errors.
static void fill_tables(Gauss *g)
{
    static const bool fewer[2][NODES] = {
        {true, true,  true, false, false, true, true,  true},
        {true, false, true, false, false, true, false, true}
    };
    find_nodes(g->nodes, g->weights);
    assert(g->nodes[0] > 0.0 && g->nodes[0] < g->nodes[1]);
    assert(fabs(g->nodes[0] + g->nodes[NODES - 1] - 1.0) < 1e-14);
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            g->stages[i][j] = integrate(g, all_nodes, j, g->nodes[i]);
        }
        for (int k = 0; k < 2; k++) {
            g->less[k][j] = fewer[k][j] ? integrate(g, fewer[k], j, 1.0) : 0.0;
        }
    }
}

static void lay_out(KalCarver *carver, void *owner)
{
    Gauss *g = owner;
    const size_t n = (size_t)g->base.system.n;
    g->y_old = kal_carve_doubles(carver, n, 1);
    g->y_new = kal_carve_doubles(carver, n, 1);
    g->stage = kal_carve_doubles(carver, n, 1);
    g->change = kal_carve_doubles(carver, n, 1);
    g->rates = kal_carve_doubles(carver, n, NODES);
}

static KalStatus init(KalIntegrator *base)
{
    Gauss *g = (Gauss *)base;
    if ((base->system.n - base->system.n_integrals) % 2 != 0 || base->options.atols) {
        return kal_fail(base->ctx, KAL_ERR_USAGE,
                        "the method gauss takes as many velocities as positions, and "
                        "one absolute tolerance for all");
    }
    g->n = (base->system.n - base->system.n_integrals) / 2;
    fill_tables(g);
    return kal_workspace_make(base->ctx, "for an integrator", lay_out, g,
                              &g->workspace);
}

static void clear(KalIntegrator *base)
{
    Gauss *g = (Gauss *)base;
    kal_workspace_clear(base->ctx, &g->workspace);
}

// y + h Σ weights k.
static void combine(const Gauss *g, const double *weights, double *out_y)
{
    assert(g->h != 0.0);
    const size_t n = (size_t)g->base.system.n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < NODES; j++) {
            sum += weights[j] * g->rates[j * n + i];
        }
        out_y[i] = g->y_old[i] + g->h * sum;
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
static double measure(const Gauss *g, const double *x)
{
    const int n = g->n;
    const double *y = g->y_old;
    const double rtol = fmax(g->base.options.rtol, LEAST_TOLERANCE);
    const double q = largest(x, n) / (g->base.options.atol + rtol * largest(y, n));
    const double v =
        largest(x + n, n) / (g->base.options.atol + rtol * largest(y + n, n));
    return q > v || isnan(q) ? q : v;
}

// First rates: those of a constant acceleration.
static void guess(Gauss *g, const double *rate)
{
    assert(rate != g->rates);
    const size_t n = (size_t)g->n;
    for (size_t j = 0; j < NODES; j++) {
        double *k = g->rates + (size_t)g->base.system.n * j;
        for (size_t i = 0; i < n; i++) {
            k[i] = rate[i] + g->h * g->nodes[j] * rate[n + i];
            k[n + i] = rate[n + i];
        }
    }
}

// Integrals need not have a rate here: what is measured says whether numbers are finite.
static KalStatus find_rate(Gauss *g, double t, const double *y, double *out_rate)
{
    g->base.counts.evaluations++;
    return g->base.system.rate(g->base.system.user, t, y, out_rate);
}

// New rates of all stages from the old ones; *out_change is by how much they differ, and
// *out_effect by how much one of them moves the end of the step.
static KalStatus iterate(Gauss *g, double *out_change, double *out_effect)
{
    const size_t n = (size_t)g->base.system.n;
    double most = 0.0;
    double effect = 0.0;
    for (int j = 0; j < NODES; j++) {
        double *k = g->rates + (size_t)j * n;
        combine(g, g->stages[j], g->stage);
        const double t = g->base.t + g->nodes[j] * g->h;
        KAL_TRY(find_rate(g, t, g->stage, g->change));
        for (size_t i = 0; i < n; i++) {
            const double rate = g->change[i];
            g->change[i] = g->h * (rate - k[i]);
            k[i] = rate;
        }
        const double size = measure(g, g->change);
        most = size > most || isnan(size) ? size : most;
        effect = fmax(effect, g->weights[j] * size);
    }
    *out_change = most;
    *out_effect = effect;
    return KAL_OK;
}

// Until the stages stand still, or as still as rounding lets them.
static KalStatus solve(Gauss *g)
{
    double before = INFINITY;
    for (int k = 0; k < ITERATIONS; k++) {
        double change = 0.0;
        double effect = 0.0;
        KAL_TRY(iterate(g, &change, &effect));
        if (!isfinite(change)) {
            return kal_fail(g->base.ctx, KAL_ERR_NUMBER,
                            "the state overflows after t = %.17g", g->base.t);
        }
        // Near a configuration that loses rank rounding keeps the stages from settling further:
        // that the end stands still within the tolerances is enough.
        const bool stalls = k > 8 && effect < 1.0 && change > 0.5 * before;
        if (change < SETTLED || stalls) {
            return KAL_OK;
        }
        before = change;
    }
    return kal_fail(g->base.ctx, KAL_ERR_STEP,
                    "the stages of a step from t = %.17g do not settle", g->base.t);
}

// The error, from quadratures with fewer nodes, theory (15.8).
static double estimate(const Gauss *g)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        combine(g, g->less[k], g->stage);
        for (int i = 0; i < g->base.system.n; i++) {
            g->change[i] = g->stage[i] - g->y_new[i];
        }
        error[k] = measure(g, g->change);
    }
    const double both = hypot(error[0], 0.1 * error[1]);
    return both > 0.0 ? error[0] * (error[0] / both) : 0.0;
}

// The end of a step from y_old, projected.
static KalStatus try_step(Gauss *g, double t_new)
{
    KalIntegrator *base = &g->base;
    KAL_TRY(find_rate(g, base->t, g->y_old, g->stage));
    guess(g, g->stage);
    KAL_TRY(solve(g));
    combine(g, g->weights, g->y_new);
    if (!(estimate(g) <= 1.0)) {
        return kal_fail(base->ctx, KAL_ERR_STEP,
                        "the error of a step of %.3g from t = %.17g is too large", g->h,
                        base->t);
    }
    if (!base->system.project) {
        return KAL_OK;
    }
    base->counts.projections++;
    return base->system.project(base->system.user, t_new, g->y_new);
}

static KalStatus start(KalIntegrator *base, const double *y)
{
    Gauss *g = (Gauss *)base;
    memcpy(g->y_new, y, (size_t)base->system.n * sizeof(double));
    base->last = kal_ode_no_step(base->t, g->y_new);
    return KAL_OK;
}

// One attempt; after a failure the state is that of before, and whoever drives the run
// chooses a shorter step.
static KalStatus step(KalIntegrator *base)
{
    Gauss *g = (Gauss *)base;
    const size_t size = (size_t)base->system.n * sizeof(double);
    const double left = fabs(base->t_end - base->t);
    const double longest = base->options.max_step > 0.0 ? base->options.max_step : left;
    assert(left > 0.0 && longest > 0.0);
    g->h = base->direction * fmin(longest, left);
    const double t_new = longest < left ? base->t + g->h : base->t_end;
    if (t_new == base->t || !isfinite(t_new)) {
        return kal_ode_collapse(base->ctx, base->t, g->h);
    }
    assert(base->last.y_new == g->y_new);
    memcpy(g->y_old, g->y_new, size);
    const KalStatus status = try_step(g, t_new);
    if (status != KAL_OK) {
        memcpy(g->y_new, g->y_old, size);
        base->counts.rejected++;
        return status;
    }
    base->last = (KalOdeStep){
        .t_old = base->t, .t_new = t_new, .y_old = g->y_old, .y_new = g->y_new};
    return KAL_OK;
}

static KalStatus interpolate(KalIntegrator *base, double t, double *out_y)
{
    const Gauss *g = (const Gauss *)base;
    double weights[NODES];
    assert(g->h != 0.0 && base->last.y_old == g->y_old);
    for (int j = 0; j < NODES; j++) {
        weights[j] = integrate(g, all_nodes, j, (t - base->last.t_old) / g->h);
    }
    combine(g, weights, out_y);
    return KAL_OK;
}

static int order(const KalIntegrator *base)
{
    (void)base;
    return 2 * NODES;
}

static double least_tolerance(int n)
{
    (void)n;
    return LEAST_TOLERANCE;
}

const KalIntegratorKind kal_gauss = {
    .traits = {.word = "gauss", .most_states = KAL_ODE_LIMIT, .takes_integrals = true},
    .size = sizeof(Gauss),
    .init = init,
    .clear = clear,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .order = order,
    .least_tolerance = least_tolerance,
};
