// SPDX-License-Identifier: MIT

#include "sim/projector.h"

#include "linalg/cholesky.h"
#include "linalg/triangular.h"

#include <math.h>
#include <string.h>

// A residual is met when it is this small, relative to the terms in it.
static const double MET = 1e-10;
// Inertia below this part of the largest is rounding.
static const double NO_INERTIA = 1e-14;
// Squares between this and its reciprocal have lost nothing to under- or overflow.
static const double SQUARE_SAFE = 1e-200;
// Coordinates count at least this much, relative to the largest, or to 1.
static const double SMALL = 1e-4;

bool kal_residual_is_met(const KalInstant *instant, int i, const double *x)
{
    const int n = instant->system->n;
    const double *row = instant->A + (size_t)i * (size_t)n;
    double largest = 1.0;
    double size = 0.0;
    for (int j = 0; j < n; j++) {
        largest = fmax(largest, fabs(x[j]));
    }
    for (int j = 0; j < n; j++) {
        size += fabs(row[j]) * fmax(fabs(x[j]), SMALL * largest);
    }
    return fabs(instant->residuals[i]) <= MET * size;
}

static double *take(double **next, size_t count)
{
    double *piece = *next;
    *next += count;
    return piece;
}

KalStatus kal_projector_init(KalProjector *p, KalInstant *instant, const bool *held)
{
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    const size_t count = n * n + 2 * n + m * n + m * m + 3 * m;
    *p = (KalProjector){.instant = instant, .n = (int)n, .m = (int)m};
    p->block = (double *)kal_alloc(instant->ctx, count, sizeof(double));
    p->columns = (int *)kal_alloc(instant->ctx, n, sizeof(int));
    p->order = (int *)kal_alloc(instant->ctx, m + 1, sizeof(int));
    p->block_size = count * sizeof(double);
    if (!p->block || !p->columns || !p->order) {
        return kal_fail(instant->ctx, KAL_ERR_NOMEM, "no memory to meet constraints");
    }
    double *next = p->block;
    p->L = take(&next, n * n);
    p->inverse = take(&next, n);
    p->y = take(&next, n);
    p->G = take(&next, m * n);
    p->H = take(&next, m * m);
    p->S = take(&next, m);
    p->pivots = take(&next, m);
    p->z = take(&next, m);
    for (int i = 0; i < p->n; i++) {
        if (!held || !held[i]) {
            p->columns[p->free++] = i;
        }
    }
    return KAL_OK;
}

void kal_projector_clear(KalProjector *p)
{
    if (p->instant) {
        kal_free(p->instant->ctx, p->order, ((size_t)p->m + 1) * sizeof *p->order);
        kal_free(p->instant->ctx, p->columns, (size_t)p->n * sizeof *p->columns);
        kal_free(p->instant->ctx, p->block, p->block ? p->block_size : 0);
    }
}

// The metric of the free coordinates: M, and where M is singular a little of its diagonal
// besides, so that what has no inertia moves first, theory (13.1).
// Answers whether every coordinate has inertia, more than rounding.
static bool fill_metric(KalProjector *p, double extra)
{
    const double *M = p->instant->M;
    const int f = p->free;
    double typical = 0.0;
    for (int i = 0; i < p->n; i++) {
        typical = fmax(typical, M[i * p->n + i]);
    }
    typical = typical > 0.0 ? typical : 1.0;
    bool all = true;
    for (int i = 0; i < f; i++) {
        const int row = p->columns[i];
        for (int j = 0; j < f; j++) {
            p->L[j * f + i] = M[row * p->n + p->columns[j]];
        }
        const double diagonal = M[row * p->n + row];
        const bool heavy = diagonal > NO_INERTIA * typical;
        p->L[i * f + i] += extra * (heavy ? diagonal : typical);
        all = all && heavy;
    }
    return all;
}

static bool factor_metric(KalProjector *p, double extra)
{
    const double singular = 1e-10;
    const bool heavy = fill_metric(p, extra);
    return kal_cholesky(p->free, p->L, p->inverse) > singular && (heavy || extra > 0.0);
}

bool kal_projector_set_metric(KalProjector *p)
{
    const bool regular = factor_metric(p, 0.0);
    if (!regular && !factor_metric(p, 1e-6)) {
        kal_projector_set_round_metric(p);
    }
    return regular;
}

void kal_projector_set_round_metric(KalProjector *p)
{
    if (factor_metric(p, 1.0)) {
        return;
    }
    kal_projector_set_plain_metric(p); // no mass matrix of a mechanism gets here
}

void kal_projector_set_plain_metric(KalProjector *p)
{
    memset(p->L, 0, (size_t)p->free * (size_t)p->free * sizeof(double));
    for (int i = 0; i < p->free; i++) {
        p->L[i * p->free + i] = 1.0;
        p->inverse[i] = 1.0;
    }
}

// The length of a vector, whatever the size of its entries.
static double length_of(int n, const double *x)
{
    double square = 0.0;
    double length = 0.0;
    for (int i = 0; i < n; i++) {
        square += x[i] * x[i];
    }
    if (square > SQUARE_SAFE && square < 1.0 / SQUARE_SAFE) {
        return sqrt(square);
    }
    for (int i = 0; i < n; i++) {
        length = hypot(length, x[i]);
    }
    return length;
}

// G = S A L⁻ᵀ.
void kal_projector_set_rows(KalProjector *p)
{
    const int f = p->free;
    for (int i = 0; i < p->m; i++) {
        double *g = p->G + (size_t)i * (size_t)f;
        const double *a = p->instant->A + (size_t)i * (size_t)p->n;
        for (int j = 0; j < f; j++) {
            g[j] = a[p->columns[j]];
        }
        kal_solve_lower(f, p->L, p->inverse, 1, g);
        const double length = length_of(f, g);
        p->S[i] = length > 0.0 ? 1.0 / length : 0.0;
        for (int j = 0; j < f; j++) {
            g[j] *= p->S[i];
        }
    }
}

// y = −Gᵀ (G Gᵀ + μ)⁻¹ S φ, theory (13.2).
bool kal_projector_step(KalProjector *p, double damping, const double *x, double *out_x)
{
    const int f = p->free;
    const int m = p->m;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? damping + (p->S[i] == 0.0) : 0.0;
            for (int k = 0; k < f; k++) {
                sum += p->G[i * f + k] * p->G[j * f + k];
            }
            p->H[j * m + i] = sum;
        }
        p->z[i] = -p->S[i] * p->instant->residuals[i];
    }
    if (kal_cholesky(m, p->H, p->pivots) == 0.0) {
        return false;
    }
    kal_solve_lower(m, p->H, p->pivots, 1, p->z);
    kal_solve_lower_transposed(m, p->H, p->pivots, p->z);
    memset(p->y, 0, (size_t)f * sizeof(double));
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < f; k++) {
            p->y[k] += p->G[i * f + k] * p->z[i];
        }
    }
    kal_solve_lower_transposed(f, p->L, p->inverse, p->y);
    memcpy(out_x, x, (size_t)p->n * sizeof(double));
    for (int k = 0; k < f; k++) {
        out_x[p->columns[k]] += p->y[k];
    }
    return true;
}

void kal_projector_rank(KalProjector *p, double *out_sines)
{
    const double least = 1e-30; // any pivot counts that is a number at all
    const int f = p->free;
    const int m = p->m;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < f; k++) {
                sum += p->G[i * f + k] * p->G[j * f + k];
            }
            p->H[j * m + i] = sum;
            p->H[i * m + j] = sum;
        }
    }
    const int rank = kal_cholesky_pivoted(m, p->H, least, p->order);
    for (int i = 0; i < m; i++) {
        out_sines[i] = i < rank ? fabs(p->H[i * m + i]) : 0.0;
    }
}

double kal_projector_least_sine(KalProjector *p, int rank)
{
    const int f = p->free;
    for (int i = 0; i < rank; i++) {
        const double *a = p->G + (size_t)p->order[i] * (size_t)f;
        for (int j = 0; j <= i; j++) {
            const double *b = p->G + (size_t)p->order[j] * (size_t)f;
            double sum = 0.0;
            for (int k = 0; k < f; k++) {
                sum += a[k] * b[k];
            }
            p->H[j * rank + i] = sum;
        }
    }
    return sqrt(kal_cholesky(rank, p->H, p->pivots));
}

// The row at place `last` is Σ c (rows before it) but for its pivot: L₁₁ᵀ c = l.
bool kal_projector_takes_part(KalProjector *p, int last, int other)
{
    const double counts = 1e-4;
    const int m = p->m;
    for (int i = 0; i < last; i++) {
        p->z[i] = p->H[i * m + last];
    }
    for (int i = last - 1; i >= 0; i--) {
        for (int k = i + 1; k < last; k++) {
            p->z[i] -= p->H[i * m + k] * p->z[k];
        }
        p->z[i] = p->H[i * m + i] > 0.0 ? p->z[i] / p->H[i * m + i] : 0.0;
    }
    return fabs(p->z[other]) > counts;
}

double kal_projector_measure(const KalProjector *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->m; i++) {
        const double scale = p->S[i] > 0.0 ? p->S[i] : 1.0;
        sum = hypot(sum, scale * p->instant->residuals[i]);
    }
    return sum;
}

double kal_projector_distance(KalProjector *p, const double *from, const double *to)
{
    const int f = p->free;
    double sum = 0.0;
    for (int k = 0; k < f; k++) {
        p->y[k] = to[p->columns[k]] - from[p->columns[k]];
    }
    for (int k = 0; k < f; k++) {
        double entry = 0.0;
        for (int j = k; j < f; j++) {
            entry += p->L[k * f + j] * p->y[j];
        }
        sum = hypot(sum, entry);
    }
    return sum;
}
