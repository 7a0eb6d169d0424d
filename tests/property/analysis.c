// SPDX-License-Identifier: MIT

// Linearizations of random constrained systems against differences: of rates and outputs
// on the constraints, for states and for a parameter; the number of states under
// redundancy; and the flow near an equilibrium against the exponential of A.

#include "fault.h"
#include "rng.h"
#include "system/start.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
    MOST = 5, // coordinates
    TEXT = 8000,
    SIZE = 2 * MOST
};

static long problems(void)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const long count = text ? atol(text) : 1000;
    return count / 10 > 0 ? count / 10 : 1;
}

// A random model as text, with a parameter p.
typedef struct Random {
    Rng rng;
    int n;
    int holonomic;
    int nonholonomic;
    bool redundant;
    char text[TEXT];
    size_t used;
} Random;

static void put(Random *r, const char *format, ...) KAL_PRINTF(2, 3);

static void put(Random *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    r->used += (size_t)vsnprintf(r->text + r->used, TEXT - r->used, format, args);
    va_end(args);
    if (r->used >= TEXT) {
        ok(false && "room for the model");
        r->used = TEXT - 1;
    }
}

static double coefficient(Random *r)
{
    return round(100.0 * rng_entry(&r->rng)) / 100.0;
}

static int any(Random *r)
{
    return rng_int(&r->rng, 0, r->n - 1);
}

static void put_energies(Random *r)
{
    for (int i = 0; i < r->n; i++) {
        put(r, "kinetic (1 + 0.3*cos(q%d))*q%d'^2%s\n", any(r), i,
            i == 0 ? "*(1 + p^2)" : "");
        put(r, "potential %.2f*q%d*sin(q%d) + %.2f*p*q%d^2\n", coefficient(r), i,
            any(r), coefficient(r), i);
    }
    put(r, "kinetic 0.2*q%d'*q%d'*sin(q%d)\n", any(r), any(r), any(r));
    put(r, "dissipation %.2f*q%d'^2*exp(q%d)\n", fabs(coefficient(r)), any(r), any(r));
    put(r, "power (p - 0.5)*q%d'\n", any(r));
}

static void put_constraints(Random *r)
{
    for (int k = 0; k < r->holonomic; k++) {
        char form[400];
        snprintf(form, sizeof form,
                 "%.2f*sin(q%d) + q%d + %.2f*q%d*q%d + %.2f*(p - 0.5)*cos(q%d)",
                 coefficient(r), any(r), (k + 1) % r->n, coefficient(r), any(r), any(r),
                 coefficient(r), any(r));
        const double value = coefficient(r);
        put(r, "constraint h%d: %s = %.2f\n", k, form, value);
        if (r->redundant) {
            put(r, "constraint again%d: 3*(%s) = 3*(%.2f)\n", k, form, value);
        }
    }
}

// A constraint that repeats another as its derivative, or scaled.
static void put_velocity_constraints(Random *r)
{
    for (int k = 0; k < r->nonholonomic; k++) {
        char form[400];
        snprintf(form, sizeof form,
                 "(%.2f + 0.5*cos(q%d))*q%d' + q%d' + p*%.2f*q%d*q%d'", coefficient(r),
                 any(r), any(r), (k + 2) % r->n, coefficient(r), any(r), any(r));
        put(r, "constraint v%d: %s = 0\n", k, form);
        if (r->redundant) {
            put(r, "constraint twice%d: 2*(%s) = 0\n", k, form);
        }
    }
}

static void make(Random *r, uint64_t seed)
{
    *r = (Random){.rng = {seed}};
    r->n = rng_int(&r->rng, 2, MOST);
    r->holonomic = rng_int(&r->rng, 0, r->n - 1);
    r->nonholonomic = rng_int(&r->rng, 0, r->n - 1 - r->holonomic);
    r->redundant = rng_int(&r->rng, 0, 1) == 1;
    put(r, "param p = 0.5\ncoord q0");
    for (int i = 1; i < r->n; i++) {
        put(r, ", q%d", i);
    }
    put(r, "\n");
    put_energies(r);
    put_constraints(r);
    put_velocity_constraints(r);
    if (rng_int(&r->rng, 0, 1) == 1) {
        put(r, "nonideal q%d = -0.3*q%d'*q%d^2 + 0.1*p\n", any(r), any(r), any(r));
    }
    if (!r->redundant && r->holonomic > 0) {
        put(r, "nonideal q%d = 0.1*q%d'*reaction(h0)\n", any(r), any(r));
        put(r, "output lambda = reaction(h0)\n");
    }
    put(r, "output o = q%d''*q%d + p*q0', E = energy(), f = cforce(q%d)\n", any(r),
        any(r), any(r));
    for (int i = 0; i < r->n; i++) {
        put(r, "init q%d ~ %.2f, q%d' ~ %.2f\n", i, coefficient(r), i, coefficient(r));
    }
}

// A system at a state with its rates and outputs.
typedef struct Bench {
    Fault fault;
    KalContext *ctx;
    KalSystem *system;
    KalAnalysis *analysis;
} Bench;

static bool open_bench(Bench *bench, const char *text, double p)
{
    char value[40];
    snprintf(value, sizeof value, "%.17g", p);
    const KalOverride override = {"p", value};
    const KalLoadOptions options = {.overrides = &override, .n_overrides = 1};
    *bench = (Bench){.fault = {.calls_left = -1}};
    return kal_context_create(fault_alloc, &bench->fault, &bench->ctx) == KAL_OK
           && kal_system_load(bench->ctx, "random.kal", text, strlen(text), &options,
                              &bench->system)
                  == KAL_OK
           && kal_analysis_create(bench->ctx, bench->system, "p", &bench->analysis)
                  == KAL_OK;
}

static void close_bench(Bench *bench)
{
    kal_analysis_destroy(bench->analysis);
    kal_system_destroy(bench->system);
    kal_context_destroy(bench->ctx);
    ok(bench->fault.live_bytes == 0);
}

// Which numbers of y are states.
static void find_states(const KalLinearization *l, const KalSystem *system, int *state,
                        bool *held)
{
    const int n = kal_system_coordinates(system);
    memset(held, 0, SIZE * sizeof *held);
    for (int k = 0; k < l->n_states; k++) {
        for (int i = 0; i < n; i++) {
            const bool same =
                strncmp(l->states[k], kal_system_coordinate_names(system)[i], 2) == 0;
            if (same) {
                state[k] = k < l->n_positions ? i : n + i;
                held[state[k]] = true;
            }
        }
    }
}

// Results of an analysis that others will overwrite.
typedef struct Kept {
    KalLinearization l;
    double A[SIZE * SIZE];
    double B[SIZE];
    double C[8 * SIZE];
    double D[8];
    double y[SIZE];
    double tangent[SIZE * SIZE];
    int state[SIZE];
    bool held[SIZE];
} Kept;

// Rates of the states and outputs at y, on the constraints with the states held.
static bool observe(Bench *bench, const double *y, const Kept *kept, double *out)
{
    const KalLinearization *l = &kept->l;
    const int *state = kept->state;
    KalInstant *instant = kal_analysis_instant(bench->analysis);
    const int n = kal_system_coordinates(bench->system);
    double *now = kal_instant_q(instant);
    KalMotionAnswer answer;
    const double *outputs = NULL;
    memcpy(now, y, 2 * (size_t)n * sizeof *now);
    if (kal_instant_settle(instant, kept->held) != KAL_OK
        || kal_instant_solve(instant, &answer) != KAL_OK
        || kal_instant_outputs(instant, &outputs) != KAL_OK) {
        return false;
    }
    for (int k = 0; k < l->n_states; k++) {
        out[k] = state[k] < n ? now[n + state[k]] : answer.qdd[state[k] - n];
    }
    for (int k = 0; k < l->n_outputs; k++) {
        out[l->n_states + k] = outputs[k];
    }
    return true;
}

// Fourth-order central differences with step h.
static bool differ(Bench benches[4], double y[4][SIZE], const Kept *kept, double h,
                   double *out)
{
    double values[4][SIZE + 8];
    for (int k = 0; k < 4; k++) {
        if (!observe(&benches[k], y[k], kept, values[k])) {
            return false;
        }
    }
    for (int i = 0; i < kept->l.n_states + kept->l.n_outputs; i++) {
        out[i] = (values[0][i] - 8.0 * values[1][i] + 8.0 * values[2][i] - values[3][i])
                 / (12.0 * h);
    }
    return true;
}

static const double steps[4] = {-2.0, -1.0, 1.0, 2.0};

static double worst;

// Differences with a step and with half of it, and what they have not converged by.
static void compare(double slopes[2][SIZE + 8], const KalLinearization *l,
                    const double *top, const double *bottom, int column, int width)
{
    for (int i = 0; i < l->n_states + l->n_outputs; i++) {
        const double got = i < l->n_states ? top[i * width + column]
                                           : bottom[(i - l->n_states) * width + column];
        const double change = fabs(slopes[1][i] - slopes[0][i]);
        const double slope = slopes[1][i] + (slopes[1][i] - slopes[0][i]) / 15.0;
        const double allowed = 2e-7 * fmax(1.0, fabs(slope)) + change;
        worst = fmax(worst, fabs(got - slope) / allowed);
        near(got, slope, allowed);
    }
}

static void keep(Kept *kept, Bench *bench)
{
    const KalLinearization *l = &kept->l;
    const size_t z = (size_t)l->n_states;
    const size_t p = (size_t)l->n_outputs;
    const size_t n = (size_t)kal_system_coordinates(bench->system);
    memcpy(kept->A, l->A, z * z * sizeof(double));
    memcpy(kept->tangent, l->tangent, z * 2 * n * sizeof(double));
    memcpy(kept->B, l->B, z * sizeof(double));
    memcpy(kept->C, l->C, p * z * sizeof(double));
    memcpy(kept->D, l->D, p * sizeof(double));
    memcpy(kept->y, kal_instant_q(kal_analysis_instant(bench->analysis)),
           2 * n * sizeof(double));
    find_states(l, bench->system, kept->state, kept->held);
}

static void compare_states(Bench *bench, const Kept *kept)
{
    Bench same[4] = {*bench, *bench, *bench, *bench};
    const int n = kal_system_coordinates(bench->system);
    for (int k = 0; k < kept->l.n_states; k++) {
        double slopes[2][SIZE + 8];
        bool done = true;
        for (int half = 0; half < 2; half++) {
            const double h = half ? 5e-4 : 1e-3;
            double y[4][SIZE];
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 2 * n; j++) {
                    y[i][j] = kept->y[j] + steps[i] * h * kept->tangent[k * 2 * n + j];
                }
            }
            done = done && differ(same, y, kept, h, slopes[half]);
        }
        if (done) {
            compare(slopes, &kept->l, kept->A, kept->C, k, kept->l.n_states);
        }
    }
}

static bool differ_by_parameter(const Random *r, const Kept *kept, double h,
                                double *out)
{
    Bench benches[4];
    double y[4][SIZE];
    bool opened = true;
    for (int i = 0; i < 4; i++) {
        opened = open_bench(&benches[i], r->text, 0.5 + steps[i] * h) && opened;
        memcpy(y[i], kept->y, sizeof y[i]);
    }
    const bool done = ok(opened) && differ(benches, y, kept, h, out);
    for (int i = 0; i < 4; i++) {
        close_bench(&benches[i]);
    }
    return done;
}

static void compare_parameter(const Random *r, const Kept *kept)
{
    double slopes[2][SIZE + 8];
    if (differ_by_parameter(r, kept, 1e-3, slopes[0])
        && differ_by_parameter(r, kept, 5e-4, slopes[1])) {
        compare(slopes, &kept->l, kept->B, kept->D, 0, 1);
    }
}

static void examine(uint64_t seed, long *tried)
{
    Random r;
    Bench bench;
    Kept kept;
    make(&r, seed);
    const int failures = tap_failures;
    if (!ok(open_bench(&bench, r.text, 0.5))) {
        printf("# %s\n", kal_context_message(bench.ctx));
    } else if (kal_analysis_place(bench.analysis, NULL, NULL) == KAL_OK
               && kal_analysis_linearize(bench.analysis, &kept.l) == KAL_OK) {
        keep(&kept, &bench);
        *tried += 1;
        // Constraints on velocities may be constraints on positions in disguise: then
        // which leaf another parameter leads to is nobody's business.
        const int positions = r.n - r.holonomic;
        ok(kept.l.n_positions <= positions);
        ok(kept.l.n_states - kept.l.n_positions == positions - r.nonholonomic);
        compare_states(&bench, &kept);
        if (kept.l.n_positions == positions) {
            compare_parameter(&r, &kept);
        }
    }
    if (tap_failures > failures) {
        printf("# seed %llu, %s\n%s", (unsigned long long)seed,
               bench.ctx ? kal_context_message(bench.ctx) : "", r.text);
    }
    close_bench(&bench);
}

static void linearizations_are_converged_differences(void)
{
    const long count = problems();
    long tried = 0;
    worst = 0.0;
    for (long k = 0; k < count && tap_failures == 0; k++) {
        examine((uint64_t)k, &tried);
    }
    ok(tried > count / 2);
    printf("# %ld of %ld systems, worst difference %.2g of what is allowed\n", tried,
           count, worst);
}

// e^(A t) by its series, for a small matrix.
static void exponential(const double *A, int n, double t, double *out)
{
    double term[SIZE * SIZE] = {0.0};
    double next[SIZE * SIZE];
    for (int i = 0; i < n; i++) {
        term[i * n + i] = 1.0;
    }
    memcpy(out, term, (size_t)(n * n) * sizeof *out);
    for (int k = 1; k < 80; k++) {
        for (int i = 0; i < n * n; i++) {
            next[i] = 0.0;
            for (int j = 0; j < n; j++) {
                next[i] += term[i / n * n + j] * A[j * n + i % n] * t / k;
            }
        }
        memcpy(term, next, (size_t)(n * n) * sizeof *term);
        for (int i = 0; i < n * n; i++) {
            out[i] += term[i];
        }
    }
}

// Where the flow takes a state, on the constraints.
static bool flow(Bench *bench, const Kept *kept, const double *y, double t, double *out)
{
    const int n = kal_system_coordinates(bench->system);
    KalRunOptions options = kal_run_options(bench->system);
    KalRun *run = NULL;
    options.until = t;
    options.rtol = 1e-13;
    options.atol = 1e-14;
    bool done = kal_run_create(bench->ctx, bench->system, &options, &run) == KAL_OK;
    if (done) {
        double *now = kal_instant_q(kal_run_instant(run));
        memcpy(now, y, 2 * (size_t)n * sizeof *now);
        done = kal_instant_settle(kal_run_instant(run), kept->held) == KAL_OK
               && kal_run_start_here(run) == KAL_OK
               && kal_run_advance(run, t) == KAL_OK;
        for (int k = 0; k < kept->l.n_states && done; k++) {
            out[k] = now[kept->state[k]];
        }
    }
    kal_run_destroy(run);
    return done;
}

// A double pendulum in Cartesian coordinates with a redundant rod, and a sleigh's relative:
// a knife edge on a springy table.
static void the_flow_near_an_equilibrium_is_exponential(void)
{
    static const char *const texts[] = {
        "param p = 0.5\ncoord q0, q1, q2, q3\n"
        "kinetic 1/2*(q0'^2 + q1'^2) + p*(q2'^2 + q3'^2)\n"
        "potential 9.81*(q1 + 2*p*q3)\ndissipation 0.1*q2'^2\n"
        "constraint a: q0^2 + q1^2 = 1\nconstraint b: (q2 - q0)^2 + (q3 - q1)^2 = 1\n"
        "constraint c: 2*q0^2 + 2*q1^2 = 2\ninit q0 = 0, q1 ~ -1, q2 = 0, q3 ~ -2\n",
        "param p = 0.5\ncoord q0, q1, q2\nkinetic 1/2*(q0'^2 + q1'^2 + 0.2*q2'^2)\n"
        "potential q0^2 + p*q1^2 + q2^2\n"
        "constraint edge: -q0'*sin(q2) + q1'*cos(q2) - 0.3*q2' = 0\n"};
    for (int model = 0; model < 2; model++) {
        Bench bench;
        Kept kept;
        double E[SIZE * SIZE];
        const double t = 0.7;
        ok(open_bench(&bench, texts[model], 0.5)
           && kal_analysis_place(bench.analysis, NULL, NULL) == KAL_OK
           && kal_analysis_linearize(bench.analysis, &kept.l) == KAL_OK);
        ok(kept.l.at_rest && kept.l.n_states == (model == 0 ? 4 : 5));
        keep(&kept, &bench);
        exponential(kept.A, kept.l.n_states, t, E);
        for (int k = 0; k < kept.l.n_states; k++) {
            double ends[4][SIZE] = {{0.0}};
            const double h = 1e-3;
            for (int i = 0; i < 4; i++) {
                double y[SIZE];
                memcpy(y, kept.y, sizeof y);
                y[kept.state[k]] += steps[i] * h;
                ok(flow(&bench, &kept, y, t, ends[i]));
            }
            for (int i = 0; i < kept.l.n_states; i++) {
                const double slope =
                    (ends[0][i] - 8.0 * ends[1][i] + 8.0 * ends[2][i] - ends[3][i])
                    / (12.0 * h);
                near(E[i * kept.l.n_states + k], slope, 1e-8);
            }
        }
        close_bench(&bench);
    }
}

TAP_RUN(TAP_CASE(linearizations_are_converged_differences),
        TAP_CASE(the_flow_near_an_equilibrium_is_exponential))
