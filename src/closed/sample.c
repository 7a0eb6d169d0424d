// SPDX-License-Identifier: MIT

// Random states to try formulas at, half of them on the constraints.
//
// States on the constraints come from random ones by Newton's method with steps of least
// length (the pseudoinverse, for rows may depend on each other): positions first, then
// velocities.  The generator is SplitMix64 with a fixed seed, so that a model always gives
// the same states.

#include "closed/sample.h"

#include "expr/eval.h"
#include "linalg/pseudoinverse.h"
#include "zero/identity.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ATTEMPTS_MAX = 24, // random starts for each state
    STEPS_MAX = 40     // of Newton's method
};

// Residuals below this are met: states and parameters are of about the size 1.
static const double CONVERGED = 1e-13;
// The part of the largest entry that counts as zero.
static const double RANK = 1e-9;

// Rows of the constraints that have a residual at a level, and room to work on them.
typedef struct Newton {
    const KalEquations *eq;
    KalContext *ctx;
    KalExpr *e; // residuals of m rows, then the entries of A
    size_t n_e;
    double *at;      // n_e: their values
    double *J;       // m × n, by columns
    double *doubles; // of the factorization
    int *ints;
    double *step; // n
} Newton;

static double random_unit(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15); // SplitMix64
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static size_t entries(const KalEquations *eq)
{
    return eq->A.start ? (size_t)eq->A.start[eq->m] : 0;
}

// Room for a factorization of A or of its transpose.
static size_t doubles_for(const KalEquations *eq)
{
    const int m = (int)eq->m;
    const int n = (int)eq->n;
    return kal_pseudoinverse_doubles(m, n) + kal_pseudoinverse_doubles(n, m);
}

static size_t ints_for(const KalEquations *eq)
{
    const int m = (int)eq->m;
    const int n = (int)eq->n;
    return kal_pseudoinverse_ints(m, n) + kal_pseudoinverse_ints(n, m);
}

static void newton_clear(Newton *w)
{
    kal_free(w->ctx, w->e, w->n_e * sizeof *w->e);
    kal_free(w->ctx, w->at, w->n_e * sizeof *w->at);
    kal_free(w->ctx, w->J, w->eq->m * w->eq->n * sizeof *w->J);
    kal_free(w->ctx, w->doubles, doubles_for(w->eq) * sizeof *w->doubles);
    kal_free(w->ctx, w->ints, ints_for(w->eq) * sizeof *w->ints);
    kal_free(w->ctx, w->step, w->eq->n * sizeof *w->step);
}

static KalStatus newton_init(const KalEquations *eq, Newton *w)
{
    assert(eq->m > 0 && eq->n > 0);
    *w = (Newton){.eq = eq, .ctx = eq->model->ctx, .n_e = eq->m + entries(eq)};
    w->e = (KalExpr *)kal_alloc(w->ctx, w->n_e, sizeof *w->e);
    w->at = (double *)kal_alloc(w->ctx, w->n_e, sizeof *w->at);
    w->J = (double *)kal_alloc(w->ctx, eq->m * eq->n, sizeof *w->J);
    w->doubles = (double *)kal_alloc(w->ctx, doubles_for(eq), sizeof *w->doubles);
    w->ints = (int *)kal_alloc(w->ctx, ints_for(eq), sizeof *w->ints);
    w->step = (double *)kal_alloc(w->ctx, eq->n, sizeof *w->step);
    if (!w->e || !w->at || !w->J || !w->doubles || !w->ints || !w->step) {
        newton_clear(w);
        return kal_no_memory(w->ctx, "to try formulas");
    }
    return KAL_OK;
}

// Choose the residuals of a level: positions, or velocities.  Rows without one are zero.
static void choose_rows(Newton *w, bool velocities)
{
    const KalEquations *eq = w->eq;
    const KalExpr zero = kal_int(eq->model->graph, 0);
    for (size_t i = 0; i < eq->m; i++) {
        const KalExpr residual = velocities ? eq->psi[i] : eq->phi[i];
        w->e[i] = residual.index != 0 ? residual : zero;
    }
    if (entries(eq) > 0) {
        memcpy(w->e + eq->m, eq->A.value, entries(eq) * sizeof *w->e);
    }
}

// The matrix of the rows that have a residual; acceleration rows only if all are wanted.
static void fill_J(Newton *w, bool velocities, bool all)
{
    assert(w->eq->A.start);
    const KalEquations *eq = w->eq;
    memset(w->J, 0, eq->m * eq->n * sizeof *w->J);
    for (size_t i = 0; i < eq->m; i++) {
        const KalExpr residual = velocities ? eq->psi[i] : eq->phi[i];
        for (int64_t k = eq->A.start[i]; k < eq->A.start[i + 1]; k++) {
            w->J[(size_t)eq->A.column[k] * eq->m + i] =
                residual.index != 0 || all ? w->at[eq->m + (size_t)k] : 0.0;
        }
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    }
    return most;
}

// The rank of J by pivoted QR of a copy, laid out in the room of the inverse.
static int rank_of(const Newton *w)
{
    const int m = (int)w->eq->m;
    const int n = (int)w->eq->n;
    const size_t size = w->eq->m * w->eq->n;
    KalQr qr = {.rows = m, .columns = n, .W = w->doubles, .perm = w->ints};
    qr.tau = qr.W + size;
    qr.norms = qr.tau + (m < n ? m : n);
    memcpy(qr.W, w->J, size * sizeof *qr.W);
    kal_qr_factor(&qr, RANK * largest(w->J, size), 0);
    assert(qr.rank >= 0 && qr.rank <= m && qr.rank <= n);
    return qr.rank;
}

// Move coordinates, or velocities, by the least step that Newton's method asks for.
static KalStatus newton_step(Newton *w, bool velocities, double *values,
                             double *out_error)
{
    assert(values && out_error);
    const KalEquations *eq = w->eq;
    const KalModel *model = eq->model;
    KAL_TRY(kal_eval(model->graph, w->e, w->n_e, values, w->at));
    *out_error = largest(w->at, eq->m);
    if (!isfinite(largest(w->at, w->n_e)) || *out_error < CONVERGED) {
        return KAL_OK;
    }
    fill_J(w, velocities, false);
    KalPseudoinverse inverse;
    const KalMatrix J = {w->J, (int)eq->m, (int)eq->n, (int)eq->m};
    kal_pseudoinverse_factor(&inverse, J, rank_of(w), w->doubles, w->ints);
    kal_pseudoinverse_apply(&inverse, w->at, w->step);
    for (size_t j = 0; j < eq->n; j++) {
        const KalCoordinate *c = &model->coordinates[j];
        const KalExprNode node = kal_graph_node(model->graph, velocities ? c->v : c->q);
        values[node.arg[0].index] -= w->step[j];
    }
    return KAL_OK;
}

// A little beyond CONVERGED is near enough: rounding may keep residuals from falling
// further.
static KalStatus newton(Newton *w, bool velocities, double *values, bool *out_found)
{
    double error = INFINITY;
    choose_rows(w, velocities);
    for (int i = 0; i < STEPS_MAX; i++) {
        KAL_TRY(newton_step(w, velocities, values, &error));
        if (error < CONVERGED || !isfinite(error)) {
            break;
        }
    }
    *out_found = error < CONVERGED * 100.0;
    return KAL_OK;
}

static uint32_t id_of(const KalModel *model, KalExpr symbol)
{
    return kal_graph_node(model->graph, symbol).arg[0].index;
}

// The value at the start, 0 when there is none.
static KalStatus start_of(const KalModel *model, const KalStartValue *start,
                          const double *values, double *out_value)
{
    *out_value = 0.0;
    return start->value.index == 0
               ? KAL_OK
               : kal_eval(model->graph, &start->value, 1, values, out_value);
}

// A state near the start; `spread` is how near.
static KalStatus random_state(const KalModel *model, uint64_t *seed, double spread,
                              double *values)
{
    assert(spread > 0.0);
    for (size_t i = 0; i < model->n_symbols; i++) {
        values[i] = 0.5 + random_unit(seed);
    }
    for (size_t i = 0; i < model->n_parameters; i++) {
        const KalParameter *p = &model->parameters[i];
        const double shift = 1.0 + 0.2 * spread * (random_unit(seed) - 0.5);
        const double number =
            p->number == 0.0 ? 0.1 * spread * random_unit(seed) : p->number;
        values[id_of(model, p->symbol)] = number * shift;
    }
    for (size_t i = 0; i < model->n_coordinates; i++) {
        const KalCoordinate *c = &model->coordinates[i];
        double q = 0.0;
        KAL_TRY(start_of(model, &c->start_q, values, &q));
        values[id_of(model, c->q)] = q + spread * (2.0 * random_unit(seed) - 1.0);
    }
    for (size_t i = 0; i < model->n_coordinates; i++) {
        const KalCoordinate *c = &model->coordinates[i];
        double v = 0.0;
        KAL_TRY(start_of(model, &c->start_v, values, &v));
        values[id_of(model, c->v)] = v + spread * (2.0 * random_unit(seed) - 1.0);
    }
    return KAL_OK;
}

// A state on the constraints; false after too many attempts.
static KalStatus find_state(Newton *w, uint64_t *seed, double *values, bool *out_found)
{
    assert(out_found);
    *out_found = false;
    for (int i = 0; i < ATTEMPTS_MAX && !*out_found; i++) {
        // The first attempts may fail because parameters fit no state: go nearer.
        const double spread = i < ATTEMPTS_MAX / 2 ? 1.0 : 1e-3;
        KAL_TRY(random_state(w->eq->model, seed, spread, values));
        KAL_TRY(newton(w, false, values, out_found));
        KAL_TRY(*out_found ? newton(w, true, values, out_found) : KAL_OK);
    }
    return KAL_OK;
}

const double *kal_sample(const KalSamples *samples, bool on_constraints, int i)
{
    assert(i >= 0 && i < KAL_SAMPLES);
    const size_t at = (size_t)i + (on_constraints ? (size_t)KAL_SAMPLES : 0);
    return samples->values + at * samples->n_symbols;
}

// States off the constraints come first; those on them follow for as long as Newton's
// method finds them.
static KalStatus find_states(const KalEquations *eq, KalSamples *samples)
{
    assert(samples->n_on == 0);
    Newton w;
    uint64_t seed = 1;
    bool found = true;
    double *values = samples->values;
    for (int i = 0; i < KAL_SAMPLES; i++) {
        KAL_TRY(random_state(eq->model, &seed, 1.0, values));
        values += samples->n_symbols;
    }
    if (eq->m == 0 || eq->n == 0 || eq->m > INT16_MAX || eq->n > INT16_MAX) {
        return KAL_OK;
    }
    KAL_TRY(newton_init(eq, &w));
    KalStatus status = KAL_OK;
    for (int i = 0; i < KAL_SAMPLES && found && status == KAL_OK; i++) {
        status = find_state(&w, &seed, values, &found);
        values += samples->n_symbols;
        samples->n_on += status == KAL_OK && found;
    }
    newton_clear(&w);
    return status;
}

KalStatus kal_samples_init(const KalEquations *eq, KalSamples *out_samples)
{
    KalSamples samples = {.ctx = eq->model->ctx, .n_symbols = eq->model->n_symbols};
    samples.values =
        (double *)kal_alloc(samples.ctx, (size_t)2 * KAL_SAMPLES * samples.n_symbols,
                            sizeof *samples.values);
    if (!samples.values) {
        return kal_no_memory(samples.ctx, "to try formulas");
    }
    const KalStatus status = find_states(eq, &samples);
    if (status != KAL_OK) {
        kal_samples_clear(&samples);
        return status;
    }
    *out_samples = samples;
    return KAL_OK;
}

void kal_samples_clear(KalSamples *samples)
{
    kal_free(samples->ctx, samples->values,
             (size_t)2 * KAL_SAMPLES * samples->n_symbols * sizeof *samples->values);
}

// Pivoted QR of Aᵀ takes independent rows first.
static void choose_independent(const Newton *w, size_t *out_rank, size_t *out_rows)
{
    const size_t m = w->eq->m;
    const size_t n = w->eq->n;
    KalQr qr = {.rows = (int)n, .columns = (int)m, .W = w->doubles, .perm = w->ints};
    qr.tau = qr.W + m * n;
    qr.norms = qr.tau + (m < n ? m : n);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            qr.W[i * n + j] = w->J[j * m + i];
        }
    }
    kal_qr_factor(&qr, RANK * largest(w->J, m * n), 0);
    assert(qr.rank >= 0 && (size_t)qr.rank <= m);
    *out_rank = 0;
    for (size_t i = 0; i < m; i++) {
        for (int k = 0; k < qr.rank; k++) {
            if (qr.perm[k] == (int)i) {
                out_rows[(*out_rank)++] = i;
            }
        }
    }
}

// Whether no branch of A has a larger rank than this.
static KalStatus is_settled(const KalEquations *eq, size_t rank, bool *out_settled)
{
    KalGraph *g = eq->model->graph;
    KalProbe *probe = NULL;
    KalRank found = {.least = 0};
    KAL_TRY(kal_probe_create(g, eq->A.value, entries(eq), &probe));
    const KalStatus status = kal_probe_rank(probe, &eq->A, KAL_RANK_ENTRIES, &found);
    kal_probe_destroy(probe);
    *out_settled = found.known && (!found.piecewise || found.most <= rank);
    return status;
}

// The rank of the rows at one state, if possible on the constraints, and whether it is
// known to be that of almost all states.
KalStatus kal_samples_rank(const KalEquations *eq, const KalSamples *samples, int i,
                           size_t *out_rank, size_t *out_rows, bool *out_settled)
{
    assert(i >= 0 && i < KAL_SAMPLES);
    Newton w;
    *out_rank = 0;
    *out_settled = true;
    if (eq->m == 0 || eq->n == 0) {
        return KAL_OK;
    }
    KAL_TRY(newton_init(eq, &w));
    choose_rows(&w, true);
    const double *values = kal_sample(samples, samples->n_on > i, i);
    const KalStatus status = kal_eval(eq->model->graph, w.e, w.n_e, values, w.at);
    if (status == KAL_OK) {
        fill_J(&w, true, true);
        choose_independent(&w, out_rank, out_rows);
    }
    newton_clear(&w);
    KAL_TRY(status);
    return is_settled(eq, *out_rank, out_settled);
}
