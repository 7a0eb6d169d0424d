// SPDX-License-Identifier: MIT

// Rest of large systems, theory, section 23.
//
// A step solves the linearized balance of forces with a mass term, theory (23.2): for a
// large μ it goes down the way that the forces push, for μ → 0 it is Newton's.  A step
// counts if the forces do work along it, so that a search goes down to an equilibrium that
// is stable if there is one below; or if it leaves a tenth of the accelerations, which is
// Newton's method arriving.

#include "analysis/pencil.h"
#include "linalg/kernels.h"
#include "sparse/ldl.h"
#include "system/large_instant.h"
#include "system/start.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to look for equilibria";

// Forces that push a system farther than this never come to rest.
static const double FAR = 1e9;

enum {
    ITERATIONS = 4000,
    TRIALS = 60,           // of one step, with more damping each time
    MOST_ENTRIES = 1 << 27 // of factors
};

typedef struct Descent {
    KalPencil *p;
    KalWorkspace workspace;
    double *before; // n: positions before a step
    double *step;   // n
    double *force;  // n: M a before a step
    double *after;  // n: and after it
    double size;    // |a| in the metric M, at the present state
    double damping; // μ
    double scale;   // of μ: the largest rate squared that K and M give
} Descent;

static void lay_out(KalCarver *carver, void *owner)
{
    Descent *d = owner;
    const size_t n = (size_t)d->p->a->system->n;
    d->before = kal_carve_doubles(carver, n, 1);
    d->step = kal_carve_doubles(carver, n, 1);
    d->force = kal_carve_doubles(carver, n, 1);
    d->after = kal_carve_doubles(carver, n, 1);
}

// Positions onto the constraints, from a state near them or from any; no velocity.
static KalStatus settle(Descent *d, bool near, bool *out_met)
{
    KalInstant *instant = d->p->a->instant;
    memset(kal_instant_qd(instant), 0, (size_t)d->p->a->system->n * sizeof(double));
    *out_met = true;
    if (d->p->a->system->m == 0) {
        return KAL_OK;
    }
    const KalStatus status = near ? kal_seek_near(instant, NULL, out_met)
                                  : kal_seek_positions(instant, NULL, out_met);
    const bool serious = status == KAL_ERR_NOMEM || status == KAL_ERR_LIMIT
                         || status == KAL_ERR_INTERRUPTED;
    *out_met = *out_met && status == KAL_OK;
    return serious ? status : KAL_OK;
}

// What the forces leave to accelerations: M a, and |a|.
static KalStatus weigh(Descent *d, double *force, double *out_size)
{
    KalAnalysis *a = d->p->a;
    KAL_TRY(kal_instant_solve(a->instant, &a->answer));
    kal_mass_times(&a->system->equations->M, a->instant->large.M, a->answer.qdd, force);
    *out_size = sqrt(fmax(0.0, kal_dot(a->system->n, force, a->answer.qdd)));
    return KAL_OK;
}

// The largest entry of K, as a rate squared.
static double find_scale(const KalPencil *p)
{
    const KalSparse *R_y = &p->a->forms.R_y;
    const int64_t n = p->a->system->n;
    double scale = 0.0;
    for (size_t i = 0; i < R_y->rows; i++) {
        for (int64_t k = R_y->start[i]; k < R_y->start[i + 1]; k++) {
            if (R_y->column[k] < n) {
                scale = fmax(scale, fabs(p->R_y[k])
                                        / sqrt(p->a->chart.masses[i]
                                               * p->a->chart.masses[R_y->column[k]]));
            }
        }
    }
    return scale > 0.0 ? scale : 1.0;
}

// The step of theory (23.2) from d->before, no longer than the system is large.
static KalStatus find_step(Descent *d, bool *out_regular)
{
    const int n = d->p->a->system->n;
    double longest = 0.0;
    double extent = 1.0;
    KAL_TRY(kal_pencil_factor(d->p, d->damping, 0.0, 1.0, out_regular));
    if (!*out_regular) {
        return KAL_OK;
    }
    kal_pencil_solve(d->p, d->force, NULL, d->step, NULL);
    for (int i = 0; i < n; i++) {
        longest = fmax(longest, fabs(d->step[i]));
        extent = fmax(extent, fabs(d->before[i]));
    }
    *out_regular = isfinite(longest) && extent < FAR;
    for (int i = 0; i < n && longest > 0.5 * extent; i++) {
        d->step[i] *= 0.5 * extent / longest;
    }
    return KAL_OK;
}

// Take the step; whether it counts.
static KalStatus try_step(Descent *d, bool *out_better)
{
    KalAnalysis *a = d->p->a;
    const int n = a->system->n;
    double *q = kal_instant_q(a->instant);
    double size = 0.0;
    double work = 0.0;
    bool met = false;
    for (int i = 0; i < n; i++) {
        q[i] = d->before[i] + d->step[i];
    }
    KAL_TRY(settle(d, true, &met));
    const KalStatus status = met ? weigh(d, d->after, &size) : KAL_OK;
    if (status == KAL_ERR_NOMEM || status == KAL_ERR_INTERRUPTED) {
        return status;
    }
    for (int i = 0; i < n && met; i++) {
        work += 0.5 * (d->force[i] + d->after[i]) * (q[i] - d->before[i]);
    }
    *out_better = met && status == KAL_OK && (work > 0.0 || size < 0.1 * d->size);
    if (*out_better) {
        memcpy(d->force, d->after, (size_t)n * sizeof *d->force);
        d->size = size;
    } else {
        memcpy(q, d->before, (size_t)n * sizeof *q);
    }
    return KAL_OK;
}

// One step that counts, with as much damping as it takes, which stays if that was more than
// before; false when there is none.
static KalStatus improve(Descent *d, bool *out_better)
{
    const size_t bytes = (size_t)d->p->a->system->n * sizeof(double);
    int trials = 0;
    *out_better = false;
    memcpy(d->before, kal_instant_q(d->p->a->instant), bytes);
    while (trials < TRIALS && !*out_better && d->damping <= 1e3 * d->scale) {
        bool regular = false;
        KAL_TRY(kal_ask(d->p->a->ctx));
        KAL_TRY(find_step(d, &regular));
        KAL_TRY(regular ? try_step(d, out_better) : KAL_OK);
        trials++;
        if (!*out_better) {
            d->damping = fmax(1e-9 * d->scale, 4.0 * d->damping);
        }
    }
    const double less = d->damping < 1e-11 * d->scale ? 0.0 : 0.3 * d->damping;
    d->damping = trials > 1 ? d->damping : less;
    return KAL_OK;
}

// Newton's steps with damping on the forces that are left, projected onto the
// constraints; it ends when forces are rounding or no step makes them smaller.
static KalStatus descend(Descent *d, bool *out_found)
{
    assert(d->p && out_found);
    KalPencil *p = d->p;
    bool better = true;
    bool met = false;
    *out_found = false;
    KAL_TRY(settle(d, false, &met));
    if (!met) {
        return KAL_OK;
    }
    KAL_TRY(kal_pencil_look(p, true));
    KAL_TRY(weigh(d, d->force, &d->size));
    for (int k = 0; k < ITERATIONS && better; k++) {
        const double before = d->size;
        if (d->size <= 1e-14 * kal_analysis_force_size(p->a)) {
            break;
        }
        d->scale = find_scale(p);
        KAL_TRY(improve(d, &better));
        KAL_TRY(kal_pencil_look(p, true));
        better = better
                 && (d->size < 0.5 * before
                     || d->size > 1e-10 * kal_analysis_force_size(p->a));
    }
    *out_found = kal_pencil_find_moving(p) < 0;
    return KAL_OK;
}

KalStatus kal_pencil_seek_rest(KalPencil *p, bool *out_found)
{
    Descent d = {.p = p};
    KAL_TRY(kal_workspace_make(p->a->ctx, PURPOSE, lay_out, &d, &d.workspace));
    const KalStatus status = descend(&d, out_found);
    kal_workspace_clear(p->a->ctx, &d.workspace);
    return status;
}

// A minimum of the potential energy.

// A symmetric matrix on its way to be tried.
typedef struct Trial {
    KalPencil *p;
    KalBlock places; // KalLdlEntry
    KalBlock values; // double
    KalLdl ldl;
    double largest; // entry of K, relative to masses
} Trial;

static KalStatus put(Trial *t, int row, int column, double value)
{
    const KalLdlEntry place = {row, column};
    KalContext *ctx = t->p->a->ctx;
    KAL_TRY(kal_block_add(ctx, &t->places, &place, sizeof place));
    return kal_block_add(ctx, &t->values, &value, sizeof value);
}

// The entry of ∂R/∂y in a row and a column of it.
static double slope_at(const KalPencil *p, int64_t row, int64_t column)
{
    const KalSparse *R_y = &p->a->forms.R_y;
    double sum = 0.0;
    for (int64_t k = R_y->start[row]; k < R_y->start[row + 1]; k++) {
        sum += R_y->column[k] == column ? p->R_y[k] : 0.0;
    }
    return sum;
}

// Whether an entry of ∂R/∂y is one of a symmetric K; or of a D that is skew but for its
// diagonal, which takes energy away.
static bool takes_energy(const Trial *t, int64_t row, int64_t column, double entry)
{
    const KalPencil *p = t->p;
    const int64_t n = p->a->system->n;
    if (column >= n) {
        return row == column - n ? entry >= 0.0
                                 : entry == -slope_at(p, column - n, row + n);
    }
    const double unit = sqrt(p->a->chart.masses[row] * p->a->chart.masses[column]);
    return fabs(entry - slope_at(p, column, row)) <= 1e-10 * t->largest * unit;
}

static bool keeps_or_takes_energy(const Trial *t)
{
    const KalSparse *R_y = &t->p->a->forms.R_y;
    bool all = true;
    for (size_t i = 0; i < R_y->rows && all; i++) {
        for (int64_t k = R_y->start[i]; k < R_y->start[i + 1] && all; k++) {
            all = takes_energy(t, (int64_t)i, R_y->column[k], t->p->R_y[k]);
        }
    }
    return all;
}

// The entries of K, lower triangle.
static KalStatus list_slopes(Trial *t)
{
    const KalSparse *R_y = &t->p->a->forms.R_y;
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < R_y->rows; i++) {
        for (int64_t k = R_y->start[i]; k < R_y->start[i + 1]; k++) {
            if (R_y->column[k] <= (int64_t)i && status == KAL_OK) {
                status = put(t, (int)i, (int)R_y->column[k], t->p->R_y[k]);
            }
        }
    }
    return status;
}

// Those of γ a aᵀ for the row a of constraint i, of unit length.
static KalStatus list_products(Trial *t, int i, double gamma)
{
    const KalAnalysis *a = t->p->a;
    const KalSparse *A = &a->system->equations->A;
    const double *row = a->instant->large.A;
    double length = 0.0;
    KalStatus status = KAL_OK;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        length += row[k] * row[k] / a->chart.masses[A->column[k]];
    }
    const double factor = length > 0.0 ? gamma * t->largest / length : 0.0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        for (int64_t s = A->start[i]; s <= k && status == KAL_OK; s++) {
            status =
                put(t, (int)A->column[k], (int)A->column[s], factor * row[k] * row[s]);
        }
    }
    return status;
}

static KalStatus list_entries(Trial *t, double gamma)
{
    t->places.size = 0;
    t->values.size = 0;
    KAL_TRY(list_slopes(t));
    for (int r = 0; r < t->p->n_rows; r++) {
        KAL_TRY(list_products(t, t->p->rows[r], gamma));
    }
    return KAL_OK;
}

// Whether K + Σ γ a aᵀ is positive definite: then K is on the constraints.
static KalStatus try_weight(Trial *t, double gamma, bool *out_definite)
{
    KalContext *ctx = t->p->a->ctx;
    const int n = t->p->a->system->n;
    KAL_TRY(list_entries(t, gamma));
    const KalLdlShape shape = {n, n, (const KalLdlEntry *)t->places.data,
                               t->places.size / sizeof(KalLdlEntry)};
    double *least = (double *)kal_alloc(ctx, (size_t)n, sizeof *least);
    if (!least) {
        return kal_no_memory(ctx, PURPOSE);
    }
    for (int i = 0; i < n; i++) {
        least[i] = 1e-13;
    }
    kal_ldl_clear(&t->ldl);
    const KalStatus status = kal_ldl_init(&t->ldl, ctx, &shape, MOST_ENTRIES);
    if (status == KAL_OK) {
        *out_definite =
            kal_ldl_factor(&t->ldl, (const double *)t->values.data, least) == 0;
    }
    kal_free(ctx, least, (size_t)n * sizeof *least);
    return status;
}

// The energy has a minimum on the constraints if its second derivative, with a large
// enough multiple of AᵀA added, is definite, which the pivots of L D Lᵀ show; several
// weights are tried, from small to large.
KalStatus kal_pencil_is_minimum(KalPencil *p, bool *out_minimum)
{
    assert(out_minimum);
    static const double weights[] = {1.0, 1e2, 1e4, 1e6};
    Trial t = {.p = p, .largest = find_scale(p)};
    KalStatus status = KAL_OK;
    *out_minimum = false;
    if (!keeps_or_takes_energy(&t)) {
        return KAL_OK;
    }
    for (int k = 0; k < 4 && !*out_minimum && status == KAL_OK; k++) {
        status = try_weight(&t, weights[k], out_minimum);
    }
    kal_ldl_clear(&t.ldl);
    kal_block_clear(p->a->ctx, &t.places);
    kal_block_clear(p->a->ctx, &t.values);
    return status == KAL_ERR_LIMIT ? KAL_OK : status;
}
