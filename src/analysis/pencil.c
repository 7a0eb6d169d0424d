// SPDX-License-Identifier: MIT

// Sparse matrices of the linearized equations of a large system; the idea stands in
// pencil.h.  Entries come from the formulas in the order of their patterns.

#include "analysis/pencil.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for an analysis";

enum {
    MOST_ENTRIES = 1 << 27 // of factors
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalPencil *p = owner;
    const KalSystem *system = p->a->system;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const KalSparse *R_y = &p->a->forms.R_y;
    const KalSparse *S_y = &p->a->forms.S_y;
    p->rows = kal_carve_ints(carver, m);
    p->place = kal_carve_ints(carver, m);
    p->R_y = kal_carve_doubles(carver, (size_t)R_y->start[n], 1);
    p->S_y = kal_carve_doubles(carver, (size_t)S_y->start[m], 1);
    p->b = kal_carve_doubles(carver, n + m, 1);
    p->x = kal_carve_doubles(carver, n + m, 1);
}

KalStatus kal_pencil_init(KalPencil *p, KalAnalysis *a)
{
    const KalEquations *e = a->system->equations;
    *p = (KalPencil){.a = a};
    const int64_t room =
        2 * e->M.start[e->n] + a->forms.R_y.start[e->n] + 2 * e->A.start[e->m];
    KAL_TRY(kal_gather_init(&p->entries, a->ctx, (int)(e->n + e->m), room));
    return kal_workspace_make_raw(a->ctx, PURPOSE, lay_out, p, &p->workspace);
}

void kal_pencil_clear(KalPencil *p)
{
    if (p->a) {
        kal_sparse_lu_clear(&p->lu);
        kal_gather_clear(&p->entries);
        kal_free(p->a->ctx, p->A, p->A ? p->numbers * sizeof *p->A : 0);
        kal_workspace_clear(p->a->ctx, &p->workspace);
    }
    *p = (KalPencil){.a = NULL};
}

// Rows that the last solve found to be independent.
static void find_rows(KalPencil *p)
{
    const KalInstant *instant = p->a->instant;
    p->n_rows = kal_large_instant_independent(instant, p->rows);
    for (int i = 0; i < p->a->system->m; i++) {
        p->place[i] = -1;
    }
    for (int k = 0; k < p->n_rows; k++) {
        p->rows[k] = instant->rows[p->rows[k]];
        p->place[p->rows[k]] = k;
    }
}

// The formulas of R and S read accelerations and multipliers.
static void set_motion(const KalPencil *p, bool rest)
{
    const KalSystem *system = p->a->system;
    KalInstant *instant = p->a->instant;
    double *qdd = instant->variables + system->layout.qdd;
    double *reactions = instant->variables + system->layout.reactions;
    for (int i = 0; i < system->n; i++) {
        qdd[i] = rest ? 0.0 : p->a->answer.qdd[i];
    }
    memset(reactions, 0, (size_t)system->m * sizeof *reactions);
    for (int k = 0; k < instant->n_active; k++) {
        reactions[instant->rows[k]] = p->a->answer.multipliers[k];
    }
}

KalStatus kal_pencil_look(KalPencil *p, bool rest)
{
    KalAnalysis *a = p->a;
    KAL_TRY(kal_instant_solve(a->instant, &a->answer));
    find_rows(p);
    kal_analysis_fill_weights(a);
    set_motion(p, rest);
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_MOTION, a->instant));
    const double *results = a->forms.forms[KAL_FORM_MOTION].results;
    const size_t in_R = (size_t)a->forms.R_y.start[a->forms.R_y.rows];
    const size_t in_S = (size_t)a->forms.S_y.start[a->forms.S_y.rows];
    memcpy(p->R_y, results, in_R * sizeof *results);
    memcpy(p->S_y, results + in_R, in_S * sizeof *results);
    return KAL_OK;
}

static void put_masses(KalPencil *p, double factor)
{
    const KalSparse *M = &p->a->system->equations->M;
    const double *values = p->a->instant->large.M;
    for (size_t i = 0; i < M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            kal_gather_put(&p->entries, (int)i, (int)M->column[k], factor * values[k]);
            if (M->column[k] != (int64_t)i) {
                kal_gather_put(&p->entries, (int)M->column[k], (int)i,
                               factor * values[k]);
            }
        }
    }
}

static void put_slopes(KalPencil *p, double c1, double c0)
{
    const KalSparse *R_y = &p->a->forms.R_y;
    const int64_t n = p->a->system->n;
    for (size_t i = 0; i < R_y->rows; i++) {
        for (int64_t k = R_y->start[i]; k < R_y->start[i + 1]; k++) {
            const int64_t j = R_y->column[k];
            kal_gather_put(&p->entries, (int)i, (int)(j < n ? j : j - n),
                           (j < n ? c0 : c1) * p->R_y[k]);
        }
    }
}

static void put_rows(KalPencil *p)
{
    const KalSparse *A = &p->a->system->equations->A;
    const int n = p->a->system->n;
    for (int r = 0; r < p->n_rows; r++) {
        const int i = p->rows[r];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            const double value = p->a->instant->large.A[k];
            kal_gather_put(&p->entries, n + r, (int)A->column[k], value);
            kal_gather_put(&p->entries, (int)A->column[k], n + r, -value);
        }
    }
}

KalStatus kal_pencil_factor(KalPencil *p, double c2, double c1, double c0,
                            bool *out_regular)
{
    const int size = p->a->system->n + p->n_rows;
    kal_gather_begin(&p->entries);
    put_masses(p, c2);
    put_slopes(p, c1, c0);
    put_rows(p);
    const KalColumns matrix = kal_gather_columns(&p->entries, size);
    const KalSparseLuOptions options = {.least = 1e-15, .most = MOST_ENTRIES};
    KAL_TRY(kal_sparse_lu_factor(&p->lu, p->a->ctx, &matrix, &options));
    *out_regular = p->lu.rank == size;
    return KAL_OK;
}

// One right-hand side: forces and the demands of rows, with the factors of the pencil.
void kal_pencil_solve(KalPencil *p, const double *force, const double *g, double *out_q,
                      double *out_multipliers)
{
    assert(force && out_q && p->b);
    const size_t n = (size_t)p->a->system->n;
    const size_t rows = (size_t)p->n_rows;
    memcpy(p->b, force, n * sizeof *force);
    if (g) {
        memcpy(p->b + n, g, rows * sizeof *g);
    } else {
        memset(p->b + n, 0, rows * sizeof *p->b);
    }
    kal_sparse_lu_solve(&p->lu, p->b, p->x);
    memcpy(out_q, p->x, n * sizeof *out_q);
    if (out_multipliers) {
        memcpy(out_multipliers, p->x + n, rows * sizeof *out_multipliers);
    }
}

// Which coordinate moves or is accelerated most, measured by its mass; −1 for a state of
// rest.
int kal_pencil_find_moving(const KalPencil *p)
{
    const KalAnalysis *a = p->a;
    const double rounding = 1e-9;
    const double most = rounding * kal_analysis_force_size(a);
    const double *v = kal_instant_qd(a->instant);
    int fastest = -1;
    double worst = 0.0;
    for (int i = 0; i < a->system->n; i++) {
        const double rate = fabs(a->answer.qdd[i]);
        const double root = sqrt(a->chart.masses[i]);
        const bool moves =
            (rate * root > most && rate > 1e-12) || fabs(v[i]) > rounding;
        if (moves && rate * root + fabs(v[i]) >= worst) {
            worst = rate * root + fabs(v[i]);
            fastest = i;
        }
    }
    return fastest;
}
