// SPDX-License-Identifier: MIT

// Random linear systems with known solutions, and polynomials with known zeros.
// KAL_PROPERTY_PROBLEMS sets how many.

#include "ode/integrator.h"
#include "ode/root.h"
#include "rng.h"
#include "tap.h"

enum {
    MOST = 9,
    MOST_ZEROS = 6
};

static KalContext *ctx;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

// y' = V B V⁻¹ y with V orthogonal, a reflection, and B of rotations that decay or grow,
// and a last decay alone if n is odd.
typedef struct Linear {
    int n;
    double decay[MOST]; // of block k at 2k
    double turn[MOST];
    double v[MOST]; // the reflection is 1 - 2 v vᵀ
    double A[MOST * MOST];
} Linear;

static void reflect(const Linear *s, double *x)
{
    double dot = 0.0;
    for (int i = 0; i < s->n; i++) {
        dot += s->v[i] * x[i];
    }
    for (int i = 0; i < s->n; i++) {
        x[i] -= 2.0 * dot * s->v[i];
    }
}

static bool is_pair(const Linear *s, int k)
{
    return k + 1 < s->n;
}

// x ← B x.
static void turn(const Linear *s, double *x)
{
    for (int k = 0; k < s->n; k += 2) {
        const double a = x[k];
        const double b = is_pair(s, k) ? x[k + 1] : 0.0;
        x[k] = -s->decay[k] * a - s->turn[k] * b;
        if (is_pair(s, k)) {
            x[k + 1] = -s->decay[k] * b + s->turn[k] * a;
        }
    }
}

static void exact(const Linear *s, double t, const double *y0, double *y)
{
    memcpy(y, y0, (size_t)s->n * sizeof *y);
    reflect(s, y);
    for (int k = 0; k < s->n; k += 2) {
        const double size = exp(-s->decay[k] * t);
        const double a = y[k];
        const double b = is_pair(s, k) ? y[k + 1] : 0.0;
        const double angle = is_pair(s, k) ? s->turn[k] * t : 0.0;
        y[k] = size * (a * cos(angle) - b * sin(angle));
        if (is_pair(s, k)) {
            y[k + 1] = size * (a * sin(angle) + b * cos(angle));
        }
    }
    reflect(s, y);
}

// A from its parts.
static void fill(Linear *s)
{
    for (int j = 0; j < s->n; j++) {
        double *column = s->A + (size_t)j * (size_t)s->n;
        memset(column, 0, (size_t)s->n * sizeof *column);
        column[j] = 1.0;
        reflect(s, column);
        turn(s, column);
        reflect(s, column);
    }
}

static void make(Linear *s, Rng *rng)
{
    double square = 0.0;
    s->n = rng_int(rng, 1, MOST);
    for (int i = 0; i < s->n; i++) {
        s->decay[i] = 0.5 * rng_entry(rng);
        s->turn[i] = 3.0 * rng_entry(rng);
        s->v[i] = rng_entry(rng);
        square += s->v[i] * s->v[i];
    }
    for (int i = 0; i < s->n; i++) {
        s->v[i] /= sqrt(square);
    }
    fill(s);
}

static KalStatus rate(void *user, double t, const double *y, double *out_rate)
{
    const Linear *s = user;
    (void)t;
    for (int i = 0; i < s->n; i++) {
        out_rate[i] = 0.0;
        for (int j = 0; j < s->n; j++) {
            out_rate[i] += s->A[j * s->n + i] * y[j];
        }
    }
    return KAL_OK;
}

static KalStatus jacobian(void *user, double t, const double *y, double *out_J)
{
    const Linear *s = user;
    (void)t;
    (void)y;
    memcpy(out_J, s->A, (size_t)(s->n * s->n) * sizeof *out_J);
    return KAL_OK;
}

static double distance(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = fabs(x[i] - y[i]);
        most = d <= most || isnan(most) ? most : d;
    }
    return most;
}

static KalOdeSystem system_of(Linear *s)
{
    return (KalOdeSystem){.n = s->n, .user = s, .rate = rate, .jacobian = jacobian};
}

// Ends, samples and the way back, at random tolerances and over random spans.
static void explicit_steps_follow_the_exponential(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int number = 0; number < problems(20); number++) {
        Rng rng = {(uint64_t)number};
        Linear s;
        double y0[MOST];
        double y[MOST];
        double want[MOST];
        make(&s, &rng);
        const double T = 5.0 * rng_entry(&rng);
        const double t0 = 10.0 * rng_entry(&rng);
        KalOdeOptions options = kal_ode_options();
        options.rtol = pow(10.0, -3.0 - 9.0 * rng_unit(&rng));
        options.atol = options.rtol;
        const KalOdeSystem system = system_of(&s);
        KalIntegrator *solver = NULL;
        KalOdeStep step = {.finished = false};
        for (int i = 0; i < s.n; i++) {
            y0[i] = rng_entry(&rng);
        }
        // Errors of all steps may grow as solutions do.
        const double allowed = 100.0 * exp(0.5 * fabs(T)) * options.rtol;
        ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, &options, &solver)
           == KAL_OK);
        ok(kal_integrator_start(solver, t0, y0, t0 + T) == KAL_OK);
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
            const double t = step.t_old + rng_unit(&rng) * (step.t_new - step.t_old);
            ok(kal_integrator_interpolate(solver, t, y) == KAL_OK);
            exact(&s, t - t0, y0, want);
            near(distance(s.n, y, want), 0.0, allowed);
        }
        exact(&s, T, y0, want);
        near(distance(s.n, step.y_new, want), 0.0, allowed);
        memcpy(y, step.y_new, (size_t)s.n * sizeof *y);
        ok(kal_integrator_start(solver, t0 + T, y, t0) == KAL_OK);
        do {
            ok(kal_integrator_step(solver, &step) == KAL_OK);
        } while (!step.finished);
        near(distance(s.n, step.y_new, y0), 0.0, 10.0 * exp(0.5 * fabs(T)) * allowed);
        kal_integrator_destroy(solver);
    }
    kal_context_destroy(ctx);
}

// Stiff steps too, also where one of the decays is a million times faster.
static void stiff_steps_follow_the_exponential(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int number = 0; number < problems(200); number++) {
        Rng rng = {(uint64_t)number};
        Linear s;
        double y0[MOST];
        double want[MOST];
        make(&s, &rng);
        if (rng_int(&rng, 0, 1) == 1) {
            s.decay[0] = rng_scale(&rng, 3.0) * 1e3;
            fill(&s);
        }
        const double T = 3.0 * rng_unit(&rng) + 0.1;
        KalOdeOptions options = kal_ode_options();
        options.rtol = pow(10.0, -4.0 - 6.0 * rng_unit(&rng));
        options.atol = options.rtol;
        const KalOdeSystem system = system_of(&s);
        KalIntegrator *solver = NULL;
        KalOdeStep step = {.finished = false};
        for (int i = 0; i < s.n; i++) {
            y0[i] = rng_entry(&rng);
        }
        ok(kal_integrator_create(ctx, KAL_INTEGRATOR_BDF, &system, &options, &solver)
           == KAL_OK);
        ok(kal_integrator_start(solver, 0.0, y0, T) == KAL_OK);
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        }
        exact(&s, T, y0, want);
        near(distance(s.n, step.y_new, want), 0.0,
             1000.0 * exp(0.5 * fabs(T)) * options.rtol);
        ok(kal_integrator_counts(solver).steps < 20000);
        kal_integrator_destroy(solver);
    }
    kal_context_destroy(ctx);
}

// c Π (t - z), for zeros that are at least a quarter apart.
typedef struct Polynomials {
    int count;
    int n[3];
    double scale[3];
    double zero[3][MOST_ZEROS];
} Polynomials;

static KalStatus polynomial_values(void *user, double t, double *out_values)
{
    const Polynomials *p = user;
    for (int i = 0; i < p->count; i++) {
        out_values[i] = p->scale[i];
        for (int k = 0; k < p->n[i]; k++) {
            out_values[i] *= t - p->zero[i][k];
        }
    }
    return KAL_OK;
}

static void make_polynomials(Polynomials *p, Rng *rng)
{
    p->count = rng_int(rng, 1, 3);
    for (int i = 0; i < p->count; i++) {
        p->n[i] = rng_int(rng, 1, MOST_ZEROS);
        p->scale[i] = rng_entry(rng) * rng_scale(rng, 6.0);
        double t = 0.1 + rng_unit(rng);
        for (int k = 0; k < p->n[i]; k++) {
            p->zero[i][k] = t;
            t += 0.25 + rng_unit(rng);
        }
    }
}

// The way a polynomial crosses its zero k, as time goes.
static int way_of(const Polynomials *p, int i, int k)
{
    const int after = (p->n[i] - 1 - k) % 2 == 0 ? 1 : -1;
    return p->scale[i] > 0.0 ? after : -after;
}

// Every zero once, in order, in its direction, whatever the stretches.
static void zeros_are_found_in_order(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int number = 0; number < problems(10); number++) {
        Rng rng = {(uint64_t)number};
        Polynomials p;
        make_polynomials(&p, &rng);
        const KalRootSpec spec = {
            .count = p.count, .values = polynomial_values, .user = &p, .samples = 4};
        KalRoots *roots = NULL;
        KalRootHit hit;
        int next[3] = {0, 0, 0};
        double t = 0.0;
        double before = 0.0;
        ok(kal_roots_create(ctx, &spec, &roots) == KAL_OK);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        while (t < 10.0) {
            t += 0.01 + rng_unit(&rng);
            ok(kal_roots_find(roots, t, 1e-9, &hit) == KAL_OK);
            while (hit.found) {
                ok(hit.t > before && hit.t <= t);
                before = hit.t;
                for (int i = 0; i < p.count; i++) {
                    if (hit.crossings[i] != 0 && ok(next[i] < p.n[i])) {
                        near(hit.t, p.zero[i][next[i]], 1e-9);
                        ok(hit.crossings[i] == way_of(&p, i, next[i]));
                        next[i]++;
                    }
                }
                ok(kal_roots_find(roots, t, 1e-9, &hit) == KAL_OK);
            }
        }
        for (int i = 0; i < p.count; i++) {
            ok(next[i] == p.n[i]);
        }
        kal_roots_destroy(roots);
    }
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(explicit_steps_follow_the_exponential),
        TAP_CASE(stiff_steps_follow_the_exponential),
        TAP_CASE(zeros_are_found_in_order))
