// SPDX-License-Identifier: MIT

// The reduced form of a run: theory section 20.
//
// Speeds are chosen by the null space method: QR factors with pivoting of the rows of
// constraints, scaled by masses, give their rank r, and the last n − r columns of Q are an
// orthonormal basis of the velocities that are free.  U is that basis.  Velocities come back
// from speeds by Newton's method on ψ(q, q') = 0, U q' = v, theory (20.7); where constraints
// are linear in the velocities its first step is exact.
//
// Invariant: rank + k = n.

#include "sim/form.h"

#include "linalg/kernels.h"
#include "linalg/lu.h"
#include "linalg/span.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 12 // of Newton's method, at most
};

// A row nearer than this to the span of others depends on them.
static const double DEPENDENT = 1e-6;
// Velocities are found when they change by no more than this part of them; it has to do
// when they are found to the other.
static const double ENOUGH = 1e-14;
static const double AT_LEAST = 1e-10;
// Velocities below this are as good as none.
static const double AT_REST = 1e-3;
// Speeds are chosen anew when less than this is left of a direction.
static const double WORN = 0.5;

static void lay_out(KalCarver *carver, void *owner)
{
    KalReducedForm *form = owner;
    const size_t n = (size_t)form->n;
    const size_t m = (size_t)form->instant->system->m;
    form->U = kal_carve_doubles(carver, n, n);
    form->basis = kal_carve_doubles(carver, n, n);
    form->K = kal_carve_doubles(carver, n, n);
    form->scale = kal_carve_doubles(carver, n, 1);
    form->x = kal_carve_doubles(carver, n, 1);
    form->work = kal_carve_doubles(carver, n, 1);
    form->guess = kal_carve_doubles(carver, n, 1);
    form->y = kal_carve_doubles(carver, 2 * n + (size_t)form->integrals, 1);
    form->z = kal_carve_doubles(carver, 2 * n + (size_t)form->integrals, 1);
    form->qr.W = kal_carve_doubles(carver, m, n);
    form->qr.tau = kal_carve_doubles(carver, m, 1);
    form->qr.norms = kal_carve_doubles(carver, m, 2);
    form->perm = kal_carve_ints(carver, n);
    form->rows = kal_carve_ints(carver, m);
    form->qr.perm = kal_carve_ints(carver, m);
}

KalStatus kal_form_init(KalReducedForm *form, KalInstant *instant, int integrals)
{
    assert(form && instant && integrals >= 0);
    const KalSystem *system = instant->system;
    *form =
        (KalReducedForm){.instant = instant, .n = system->n, .integrals = integrals};
    KAL_TRY(kal_projector_init(&form->projector, instant, NULL));
    return kal_workspace_make(instant->ctx, "for the reduced form", lay_out, form,
                              &form->workspace);
}

void kal_form_clear(KalReducedForm *form)
{
    if (form->instant) {
        kal_projector_clear(&form->projector);
        kal_workspace_clear(form->instant->ctx, &form->workspace);
    }
}

static void put(const KalReducedForm *form, double t, const double *q,
                const double *velocity)
{
    assert(q && velocity);
    const size_t size = (size_t)form->n * sizeof(double);
    form->instant->variables[0] = t;
    memcpy(kal_instant_q(form->instant), q, size);
    memcpy(kal_instant_qd(form->instant), velocity, size);
}

// The roots of masses, about 1.
static void find_scale(KalReducedForm *form)
{
    const double *masses = form->projector.masses;
    double mean = 0.0;
    kal_projector_set_weights(&form->projector);
    for (int j = 0; j < form->n; j++) {
        assert(masses[j] > 0.0);
        mean += masses[j] / form->n;
    }
    for (int j = 0; j < form->n; j++) {
        form->scale[j] = sqrt(masses[j] / mean);
    }
}

// Factor the rows of constraints in the present state, scaled to length 1.  Rows of zeros,
// such as those without a velocity level, are far from nothing and never taken.
static KalStatus factor_rows(KalReducedForm *form)
{
    assert(form->n > 0);
    const int n = form->n;
    const KalInstant *instant = form->instant;
    KAL_TRY(kal_instant_residuals(form->instant, KAL_PROGRAM_VELOCITY));
    form->qr.rows = n;
    form->qr.columns = instant->system->m;
    for (int i = 0; i < instant->system->m; i++) {
        double *column = form->qr.W + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            column[j] = instant->A[i * n + j] / form->scale[j];
        }
        const double length = kal_length(n, column);
        for (int j = 0; j < n && length > 0.0; j++) {
            column[j] /= length;
        }
    }
    kal_qr_factor(&form->qr, DEPENDENT, 0);
    return KAL_OK;
}

// The rows of A in units of the masses are factored with pivoting; the orthonormal
// directions that they leave, in the units of coordinates, are the columns of U, and
// speeds are the parts of q' along them.
KalStatus kal_form_choose(KalReducedForm *form, double t, const double *y)
{
    const int n = form->n;
    put(form, t, y, y + n);
    KAL_TRY(kal_instant_givens(form->instant));
    find_scale(form);
    KAL_TRY(factor_rows(form));
    form->rank = form->qr.rank;
    form->k = n - form->rank;
    assert(form->rank >= 0 && form->k >= 0);
    memcpy(form->rows, form->qr.perm, (size_t)form->rank * sizeof(int));
    memcpy(form->guess, y + n, (size_t)n * sizeof(double));
    for (int l = 0; l < form->k; l++) {
        double *w = form->basis + (size_t)l * (size_t)n;
        kal_qr_basis(&form->qr, form->rank + l, w);
        for (int j = 0; j < n; j++) {
            form->U[l * n + j] = w[j] * form->scale[j];
        }
    }
    return KAL_OK;
}

// What the direction x of k numbers has beyond the span of `count` others, of length 1,
// makes the next of them; returns how much that is.
static double add_direction(KalReducedForm *form, int count, const double *x)
{
    assert(count < form->k);
    const size_t k = (size_t)form->k;
    double *next = form->K + (size_t)count * k;
    memcpy(next, x, k * sizeof(double));
    for (int i = 0; i < count; i++) {
        const double *other = form->K + (size_t)i * k;
        const double part = kal_dot(form->k, next, other);
        for (size_t j = 0; j < k; j++) {
            next[j] -= part * other[j];
        }
    }
    const double length = kal_length(form->k, next);
    for (size_t j = 0; j < k && length > 0.0; j++) {
        next[j] /= length;
    }
    return length;
}

// Each speed must have something of its own left in the directions that are free now: the
// old basis, written in these, is made orthogonal one vector after the other.  One of which
// little is left is nearly in the span of the others, or no longer free.
KalStatus kal_form_is_worn(KalReducedForm *form, double t, const double *y,
                           bool *out_worn)
{
    assert(out_worn && form->k >= 0 && form->k <= form->n);
    const int n = form->n;
    put(form, t, y, y + n);
    KAL_TRY(factor_rows(form));
    bool worn = form->qr.rank != form->rank;
    for (int l = 0; l < form->k && !worn; l++) {
        memcpy(form->x, form->basis + (size_t)l * (size_t)n,
               (size_t)n * sizeof(double));
        kal_qr_apply_transposed(&form->qr, form->x);
        worn = !(add_direction(form, l, form->x + form->rank) >= WORN);
    }
    *out_worn = worn;
    return KAL_OK;
}

void kal_form_apply(const KalReducedForm *form, const double *x, double *out_v)
{
    assert(x && out_v);
    for (int l = 0; l < form->n; l++) {
        out_v[l] = l < form->k
                       ? kal_dot(form->n, form->U + (size_t)l * (size_t)form->n, x)
                       : 0.0;
    }
}

void kal_form_contract(const KalReducedForm *form, const double *y, double *out_z)
{
    memcpy(out_z, y, (size_t)form->n * sizeof(double));
    kal_form_apply(form, y + form->n, out_z + form->n);
}

// Fill K and the residuals of ψ(q, q') = 0, U q' = v; rows of constraints have length 1.
static void fill(KalReducedForm *form, const double *v)
{
    const int n = form->n;
    const KalInstant *instant = form->instant;
    const double *velocity = kal_instant_qd(form->instant);
    assert(form->rank + form->k == n);
    for (int i = 0; i < form->rank; i++) {
        assert(form->rows[i] >= 0 && form->rows[i] < instant->system->m);
        const double *row = instant->A + (size_t)form->rows[i] * (size_t)n;
        const double length = kal_length(n, row);
        const double factor = length > 0.0 ? 1.0 / length : 0.0;
        for (int j = 0; j < n; j++) {
            form->K[i * n + j] = factor * row[j];
        }
        form->x[i] = -factor * instant->residuals[form->rows[i]];
    }
    for (int l = 0; l < form->k; l++) {
        const double *row = form->U + (size_t)l * (size_t)n;
        memcpy(form->K + (size_t)(form->rank + l) * (size_t)n, row,
               (size_t)n * sizeof(double));
        form->x[form->rank + l] = v[l] - kal_dot(n, row, velocity);
    }
}

// One step of Newton's method towards the velocities, and its relative size.
static KalStatus improve(KalReducedForm *form, const double *v, double *out_change)
{
    assert(out_change);
    const int n = form->n;
    double *velocity = kal_instant_qd(form->instant);
    double size = AT_REST;
    double change = 0.0;
    KAL_TRY(kal_instant_residuals(form->instant, KAL_PROGRAM_VELOCITY));
    fill(form, v);
    if (!kal_lu_factor(n, form->K, form->perm)) {
        return kal_fail(form->instant->ctx, KAL_ERR_CONTRADICTION,
                        "the speeds do not determine the velocities at t = %g",
                        form->instant->variables[0]);
    }
    kal_lu_solve(n, form->K, form->perm, form->work, form->x);
    for (int j = 0; j < n; j++) {
        velocity[j] += form->x[j];
        size = fmax(size, fabs(velocity[j]));
        change = fmax(change, fabs(form->x[j]));
    }
    *out_change = change / size;
    return KAL_OK;
}

KalStatus kal_form_expand(KalReducedForm *form, double t, const double *z,
                          double *out_y)
{
    assert(z && out_y);
    const size_t n = (size_t)form->n;
    double change = 1.0;
    put(form, t, z, form->guess);
    for (int round = 0; round < ROUNDS && change > ENOUGH; round++) {
        KAL_TRY(improve(form, z + n, &change));
    }
    // Rounding may keep the last digits from settling, so less than ENOUGH has to do.
    if (!(change <= AT_LEAST)) {
        return kal_fail(form->instant->ctx, KAL_ERR_CONTRADICTION,
                        "no velocities satisfy the constraints at t = %g", t);
    }
    memcpy(form->guess, kal_instant_qd(form->instant), n * sizeof(double));
    memcpy(out_y, kal_instant_q(form->instant), 2 * n * sizeof(double));
    return KAL_OK;
}
