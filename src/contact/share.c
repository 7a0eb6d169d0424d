// SPDX-License-Identifier: MIT

// Forces of least norm, theory (21.12).
//
// Let the columns of V be orthonormal and span the changes of forces λ that have no effect,
// Aᵀλ = 0: the last columns of U in a pivoted A P = U T.  With λ₀ = λ − V Vᵀ(λ − τ), the forces
// next to a target τ without limits, and limits C λ + c ≥ 0 those looked for are
//
//     λ = λ₀ + V Vᵀ Cᵀ s,     0 ≤ s  ⟂  C λ + c ≥ 0,
//
// the conditions of Karush, Kuhn and Tucker: a complementarity problem with the positive
// semi-definite matrix B Bᵀ, B = C V, in which Lemke's path ends in a solution if there is one.

#include "contact/share.h"

#include "base/workspace.h"
#include "linalg/qr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What is left of a column that depends on others, of its length.
static const double DEPENDENT = 1e-9;
// A force takes part in a change if it has this part of it.
static const double PART = 1e-8;
// Limits are obeyed up to this part of the largest force.
static const double OBEYED = 1e-9;

struct KalShare {
    KalContext *ctx;
    KalWorkspace workspace;
    int capacity;
    int n;
    int most_limits;
    int r;         // rows at hand
    int free;      // columns of V
    double *W;     // rows × n, column after column
    double *tau;   // rows
    int *perm;     // n
    double *norms; // 2 n
    double *V;     // free × rows
    double *B;     // limits × rows
    double *M;     // limits × limits
    double *q;     // limits
    double *s;     // limits
    bool *basic;   // limits
    double *least; // rows
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalShare *s = owner;
    const size_t rows = (size_t)s->capacity;
    const size_t n = (size_t)s->n;
    const size_t limits = (size_t)s->most_limits;
    s->W = kal_carve_doubles(carver, rows, n);
    s->tau = kal_carve_doubles(carver, rows, 1);
    s->perm = kal_carve_ints(carver, n);
    s->norms = kal_carve_doubles(carver, n, 2);
    s->V = kal_carve_doubles(carver, rows, rows);
    s->B = kal_carve_doubles(carver, limits, rows);
    s->M = kal_carve_doubles(carver, limits, limits);
    s->q = kal_carve_doubles(carver, limits, 1);
    s->s = kal_carve_doubles(carver, limits, 1);
    s->basic = kal_carve_bools(carver, limits);
    s->least = kal_carve_doubles(carver, rows, 1);
}

KalStatus kal_share_create(KalContext *ctx, int rows, int n, int limits,
                           KalShare **out_share)
{
    assert(ctx && rows >= 0 && n >= 0 && limits >= 0 && out_share);
    KalShare *share = KAL_NEW(ctx, KalShare);
    if (!share) {
        return kal_no_memory(ctx, "for contacts");
    }
    *share = (KalShare){.ctx = ctx, .capacity = rows, .n = n, .most_limits = limits};
    const KalStatus status =
        kal_workspace_make(ctx, "for contacts", lay_out, share, &share->workspace);
    if (status != KAL_OK) {
        kal_share_destroy(share);
        return status;
    }
    *out_share = share;
    return KAL_OK;
}

void kal_share_destroy(KalShare *share)
{
    if (!share) {
        return;
    }
    kal_workspace_clear(share->ctx, &share->workspace);
    kal_free(share->ctx, share, sizeof *share);
}

// The rows as columns of forces, each of length 1: what has no effect is the same.
static void take_columns(KalShare *s, int r, int n, const double *rows)
{
    assert(0 <= r && r <= s->capacity);
    for (int j = 0; j < n; j++) {
        double *column = s->W + (size_t)j * (size_t)r;
        double square = 0.0;
        for (int i = 0; i < r; i++) {
            column[i] = rows[(size_t)i * (size_t)n + (size_t)j];
            square += column[i] * column[i];
        }
        for (int i = 0; square > 0.0 && i < r; i++) {
            column[i] /= sqrt(square);
        }
    }
}

// The null space of the rows' transpose, from a pivoted factorization: rows that have a
// part in it share their force.
int kal_share_find(KalShare *share, int r, int n, const double *rows, bool *out_shared)
{
    KalShare *s = share;
    assert(r <= s->capacity && n <= s->n);
    take_columns(s, r, n, rows);
    KalQr qr = {.rows = r,
                .columns = n,
                .W = s->W,
                .tau = s->tau,
                .perm = s->perm,
                .norms = s->norms};
    kal_qr_factor(&qr, DEPENDENT, 0);
    s->r = r;
    s->free = r - qr.rank;
    assert(s->free >= 0);
    memset(out_shared, 0, (size_t)r * sizeof *out_shared);
    for (int k = 0; k < s->free; k++) {
        double *v = s->V + (size_t)k * (size_t)r;
        kal_qr_basis(&qr, qr.rank + k, v);
        for (int i = 0; i < r; i++) {
            out_shared[i] = out_shared[i] || fabs(v[i]) > PART;
        }
    }
    return s->free;
}

static double value_of(const KalShareLimit *limit, const double *forces)
{
    double sum = limit->constant;
    for (int k = 0; k < 2; k++) {
        sum += limit->force[k] >= 0 ? limit->factor[k] * forces[limit->force[k]] : 0.0;
    }
    return sum;
}

// The nearest to the target without limits: V Vᵀ takes forces there; returns their size.
static double take_least(KalShare *s, const double *target, const double *forces)
{
    assert(0 <= s->free && s->free <= s->r);
    double size = 0.0;
    memcpy(s->least, forces, (size_t)s->r * sizeof(double));
    for (int i = 0; i < s->r; i++) {
        size = fmax(size, fabs(forces[i]));
        size = target ? fmax(size, fabs(target[i])) : size;
    }
    for (int k = 0; k < s->free; k++) {
        const double *v = s->V + (size_t)k * (size_t)s->r;
        double part = 0.0;
        for (int i = 0; i < s->r; i++) {
            part += v[i] * (forces[i] - (target ? target[i] : 0.0));
        }
        for (int i = 0; i < s->r; i++) {
            s->least[i] -= part * v[i];
        }
    }
    return size;
}

// The least share that obeys limits, as the complementarity problem of its dual: q has
// what the share of least norm leaves of each limit, M the products of limits along the
// free directions.
static void fill_problem(KalShare *s, const KalShareLimit *limits, int count,
                         double size)
{
    assert(0 <= count && count <= s->most_limits && size > 0.0);
    const int free = s->free;
    for (int i = 0; i < count; i++) {
        const KalShareLimit homogeneous = {
            .force = {limits[i].force[0],  limits[i].force[1] },
            .factor = {limits[i].factor[0], limits[i].factor[1]}
        };
        s->q[i] = value_of(&limits[i], s->least) / size;
        for (int k = 0; k < free; k++) {
            s->B[i * free + k] =
                value_of(&homogeneous, s->V + (size_t)k * (size_t)s->r);
        }
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double sum = 0.0;
            for (int k = 0; k < free; k++) {
                sum += s->B[i * free + k] * s->B[j * free + k];
            }
            s->M[i * count + j] = sum;
        }
    }
}

// λ = λ₀ + V Bᵀ s.
static void add_share(KalShare *s, int count, double size)
{
    assert(0 <= count && count <= s->most_limits && size > 0.0);
    for (int k = 0; k < s->free; k++) {
        const double *v = s->V + (size_t)k * (size_t)s->r;
        double part = 0.0;
        for (int i = 0; i < count; i++) {
            part += s->B[i * s->free + k] * s->s[i];
        }
        for (int i = 0; i < s->r; i++) {
            s->least[i] += size * part * v[i];
        }
    }
}

// Forces are scaled by their size, so that tolerances are relative; a share that misses a
// limit is none.
bool kal_share_solve(KalShare *share, KalLcp *lcp, const KalShareLimit *limits,
                     int n_limits, const double *target, double *forces)
{
    KalShare *s = share;
    assert(n_limits <= s->most_limits);
    const double size = take_least(s, target, forces);
    if (size == 0.0) {
        return true;
    }
    fill_problem(s, limits, n_limits, size);
    if (kal_lcp_solve(lcp, n_limits, s->M, s->q, s->s, s->basic) != KAL_LCP_SOLVED) {
        return false;
    }
    add_share(s, n_limits, size);
    for (int i = 0; i < n_limits; i++) {
        if (!(value_of(&limits[i], s->least) >= -OBEYED * size)) {
            return false;
        }
    }
    memcpy(forces, s->least, (size_t)s->r * sizeof(double));
    return true;
}
