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
// If squares have weights W in the norm, VᵀWV = 1 and λ₀ = λ − V VᵀW(λ − τ).
//
// A cone |f| ≤ ρ is the intersection of the half planes d·f ≤ ρ.  Of these some are limits at a
// time, none at first; where the forces of least norm leave a cone, the one along f, that they
// miss most, is added, and those that do not bind are dropped if room is needed (cutting planes,
// J. E. Kelley 1960).  The norm grows in each round; there is no share once limits leave none.

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
// The weight of a force that does not count: it decides only what others leave open.
static const double LIGHT = 1e-12;
// Limits are obeyed up to this part of the largest force.
static const double OBEYED = 1e-9;

// And cones.
static const double LEFT = 1e-10;

enum {
    ROUNDS =
        100 // of half planes; each makes the angle between two of a cone half as large
};

struct KalShare {
    KalContext *ctx;
    KalWorkspace workspace;
    int capacity;
    int n;
    int most_limits;
    int r;           // rows at hand
    int free;        // columns of V
    double *W;       // rows × n, column after column
    double *tau;     // rows
    int *perm;       // n
    double *norms;   // 2 n
    double *V;       // free × rows, orthonormal by weights
    double *weights; // rows: of squares in the norm
    double *B;       // limits × rows
    double *M;       // limits × limits
    double *q;       // limits
    double *s;       // limits
    bool *basic;     // limits
    double *least;   // rows
    double *shared;  // rows: within half planes
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
    s->weights = kal_carve_doubles(carver, rows, 1);
    s->B = kal_carve_doubles(carver, limits, rows);
    s->M = kal_carve_doubles(carver, limits, limits);
    s->q = kal_carve_doubles(carver, limits, 1);
    s->s = kal_carve_doubles(carver, limits, 1);
    s->basic = kal_carve_bools(carver, limits);
    s->least = kal_carve_doubles(carver, rows, 1);
    s->shared = kal_carve_doubles(carver, rows, 1);
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
    for (int i = 0; i < r; i++) {
        s->weights[i] = 1.0;
    }
    return s->free;
}

static double product(const KalShare *s, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < s->r; i++) {
        sum += s->weights[i] * a[i] * b[i];
    }
    return sum;
}

// The columns of V made orthonormal by the weights: Gram and Schmidt's method, twice.
static void orthonormalize(KalShare *s)
{
    for (int k = 0; k < s->free; k++) {
        double *v = s->V + (size_t)k * (size_t)s->r;
        for (int j = 0; j < 2 * k; j++) {
            const double *u = s->V + (size_t)(j % k) * (size_t)s->r;
            const double part = product(s, u, v);
            for (int i = 0; i < s->r; i++) {
                v[i] -= part * u[i];
            }
        }
        const double length = sqrt(product(s, v, v));
        for (int i = 0; length > 0.0 && i < s->r; i++) {
            v[i] /= length;
        }
    }
}

void kal_share_count(KalShare *share, const bool *counts)
{
    bool all = true;
    for (int i = 0; i < share->r; i++) {
        share->weights[i] = counts[i] ? 1.0 : LIGHT;
        all = all && counts[i];
    }
    if (!all) {
        orthonormalize(share);
    }
}

static double value_of(const KalShareLimit *limit, const double *forces)
{
    double sum = limit->constant;
    for (int k = 0; k < KAL_SHARE_TERMS; k++) {
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
            part += s->weights[i] * v[i] * (forces[i] - (target ? target[i] : 0.0));
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
        KalShareLimit homogeneous = limits[i];
        homogeneous.constant = 0.0;
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

// The force along row k of a cone.
static double cone_force(const KalShareCone *cone, const double *forces, int k)
{
    return cone->slip[k] >= 0 ? forces[cone->slip[k]] : cone->fixed[k];
}

// By how much forces leave a cone; their direction.
static double find_excess(const KalShareCone *cone, const double *forces,
                          double out_along[2])
{
    const double x = cone_force(cone, forces, 0);
    const double y = cone_force(cone, forces, 1);
    const double length = hypot(x, y);
    const double N = cone->normal >= 0 ? forces[cone->normal] : 0.0;
    out_along[0] = length > 0.0 ? x / length : 1.0;
    out_along[1] = length > 0.0 ? y / length : 0.0;
    return length - cone->slope * N - cone->force;
}

// The half plane of a cone along a direction.
static KalShareLimit cut_off(const KalShareCone *cone, const double along[2])
{
    KalShareLimit limit = {
        .force = {cone->slip[0], cone->slip[1], cone->normal},
        .factor = {-along[0],     -along[1],     cone->slope },
        .constant = cone->force
    };
    for (int k = 0; k < 2; k++) {
        limit.constant -= cone->slip[k] < 0 ? along[k] * cone->fixed[k] : 0.0;
    }
    return limit;
}

// Let limits from `first` on that did not bind in the last solve go; returns how many are left.
static int drop_loose(const KalShare *s, KalShareLimit *list, int first, int count)
{
    int left = first;
    assert(0 <= first && first <= count && count <= s->most_limits);
    for (int i = first; i < count; i++) {
        if (s->basic[i]) {
            list[left++] = list[i];
        }
    }
    return left;
}

// Add half planes where forces leave cones; false where there is no room.
static bool cut_cones(KalShare *s, const KalShareLimits *limits, int *count,
                      double *out_excess)
{
    const int most = limits->n + KAL_SHARE_CUTS * limits->n_cones;
    *out_excess = 0.0;
    if (*count + limits->n_cones > most) {
        *count = drop_loose(s, limits->list, limits->n, *count);
    }
    for (int i = 0; i < limits->n_cones; i++) {
        double along[2];
        const double excess = find_excess(&limits->cones[i], s->shared, along);
        *out_excess = fmax(*out_excess, excess);
        if (excess > 0.0 && *count == most) {
            return false;
        }
        if (excess > 0.0) {
            limits->list[(*count)++] = cut_off(&limits->cones[i], along);
        }
    }
    return true;
}

bool kal_share_solve_cones(KalShare *share, KalLcp *lcp, const KalShareLimits *limits,
                           double *forces)
{
    KalShare *s = share;
    assert(limits->n + KAL_SHARE_CUTS * limits->n_cones <= s->most_limits);
    int count = limits->n;
    double size = 0.0;
    for (int i = 0; i < s->r; i++) {
        size = fmax(size, fabs(forces[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        double excess = 0.0;
        memcpy(s->shared, forces, (size_t)s->r * sizeof(double));
        if (!kal_share_solve(s, lcp, limits->list, count, NULL, s->shared)
            || !cut_cones(s, limits, &count, &excess)) {
            return false;
        }
        if (excess <= LEFT * size) {
            memcpy(forces, s->shared, (size_t)s->r * sizeof(double));
            return true;
        }
    }
    return false;
}
