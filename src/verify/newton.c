// SPDX-License-Identifier: MIT

// The linear equations that IDA has to be solved, of large systems: ∂F/∂y + c ∂F/∂y' for the F of
// route.c, as sparse as the equations of motion, theory (19.2).
//
// Derivatives of the equations of motion are formulas (system/tangent.h).  Those of the velocity
// residuals ψ by positions are half of those of A a − b by velocities, which is exact for
// constraints of position level, and the curvature of rows times μ, which is nearly zero, is left
// out: Newton's method finds the same solution by a matrix that is a little off.

#include "verify/route_impl.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ENTRIES = 1 << 27 // of factors
};

// Of a column less than this is nothing.
static const double NOTHING = 0x1p-300;

static const KalSystem *system_of(const KalRoute *route)
{
    return route->elimination.instant->system;
}

static int64_t entries_of(const KalSparse *matrix)
{
    return matrix->start[matrix->rows];
}

KalStatus kal_route_newton_init(KalRoute *route)
{
    const KalSystem *system = system_of(route);
    const int64_t room = 2 * (int64_t)system->n + 2 * entries_of(&system->equations->M)
                         + 5 * entries_of(&system->equations->A)
                         + entries_of(&system->tangent.R)
                         + entries_of(&system->tangent.S);
    assert(system->tangent.derived && system->n_states == 0);
    return kal_gather_init(&route->newton.gather, route->elimination.instant->ctx,
                           2 * (system->n + system->m), room);
}

void kal_route_newton_lay_out(KalRoute *route, KalCarver *carver)
{
    const KalSystem *system = system_of(route);
    const int64_t slopes =
        entries_of(&system->tangent.R) + entries_of(&system->tangent.S);
    route->newton.slopes = kal_carve_doubles(carver, (size_t)slopes, 1);
    route->newton.b =
        kal_carve_doubles(carver, 2 * ((size_t)system->n + (size_t)system->m), 1);
}

void kal_route_newton_clear(KalRoute *route)
{
    kal_sparse_lu_clear(&route->newton.factors);
    kal_gather_clear(&route->newton.gather);
}

// Derivatives of the residuals of motion at the accelerations and multipliers of a place.
static KalStatus find_slopes(KalRoute *route, const KalNewtonPlace *place)
{
    const KalElimination *e = &route->elimination;
    const KalSystem *system = system_of(route);
    KalInstant *instant = e->instant;
    const size_t n = (size_t)e->n;
    double *reactions = instant->variables + system->layout.reactions;
    memcpy(instant->variables + system->layout.qdd, place->yp + n, n * sizeof(double));
    memset(reactions, 0, (size_t)system->m * sizeof *reactions);
    for (int r = 0; r < e->rank; r++) {
        reactions[e->rows[r]] = place->y[2 * n + (size_t)r];
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_TANGENT));
    const int64_t count =
        entries_of(&system->tangent.R) + entries_of(&system->tangent.S);
    memcpy(route->newton.slopes, instant->results, (size_t)count * sizeof(double));
    return KAL_OK;
}

static void put(KalRoute *route, int row, int64_t column, double value)
{
    kal_gather_put(&route->newton.gather, row, (int)column, value);
}

// q' − v + Aᵀμ.
static void put_slips(KalRoute *route, double factor)
{
    const KalElimination *e = &route->elimination;
    const KalSparse *A = &system_of(route)->equations->A;
    for (int i = 0; i < e->n; i++) {
        put(route, i, i, factor);
        put(route, i, e->n + i, -1.0);
    }
    for (int r = 0; r < e->positions; r++) {
        for (int64_t k = A->start[e->rows[r]]; k < A->start[e->rows[r] + 1]; k++) {
            put(route, (int)A->column[k], 2 * e->n + e->rank + r,
                e->instant->large.A[k]);
        }
    }
}

// M v' − f − Aᵀλ.
static void put_forces(KalRoute *route, double factor)
{
    const KalElimination *e = &route->elimination;
    const KalSparse *M = &system_of(route)->equations->M;
    const KalSparse *A = &system_of(route)->equations->A;
    const KalSparse *R = &system_of(route)->tangent.R;
    const double *scale = route->scale;
    for (int i = 0; i < e->n; i++) {
        for (int64_t k = R->start[i]; k < R->start[i + 1]; k++) {
            put(route, e->n + i, R->column[k], scale[i] * route->newton.slopes[k]);
        }
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const int j = (int)M->column[k];
            const double mass = factor * e->instant->large.M[k];
            put(route, e->n + i, e->n + j, scale[i] * mass);
            if (i != j) {
                put(route, e->n + j, e->n + i, scale[j] * mass);
            }
        }
    }
    for (int r = 0; r < e->rank; r++) {
        for (int64_t k = A->start[e->rows[r]]; k < A->start[e->rows[r] + 1]; k++) {
            const int j = (int)A->column[k];
            put(route, e->n + j, 2 * e->n + r, -scale[j] * e->instant->large.A[k]);
        }
    }
}

// Row r: ψ, or A v' − b where there is none.
static void put_row(KalRoute *route, int r, double factor)
{
    const KalElimination *e = &route->elimination;
    const KalSparse *A = &system_of(route)->equations->A;
    const KalSparse *S = &system_of(route)->tangent.S;
    const double *slopes =
        route->newton.slopes + entries_of(&system_of(route)->tangent.R);
    const int i = e->rows[r];
    const bool by_velocities =
        system_of(route)->equations->psi[i].index != KAL_NO_EXPR.index;
    const double scale = route->scale[e->n + r];
    const int at = 2 * e->n + r;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        put(route, at, e->n + A->column[k],
            scale * (by_velocities ? 1.0 : factor) * e->instant->large.A[k]);
    }
    for (int64_t k = S->start[i]; k < S->start[i + 1]; k++) {
        const int64_t j = S->column[k];
        if (!by_velocities) {
            put(route, at, j, scale * slopes[k]);
        } else if (j >= e->n) {
            put(route, at, j - e->n, 0.5 * scale * slopes[k]);
        }
    }
}

// φ.
static void put_position(KalRoute *route, int r)
{
    const KalElimination *e = &route->elimination;
    const KalSparse *A = &system_of(route)->equations->A;
    const double scale = route->scale[e->n + r];
    for (int64_t k = A->start[e->rows[r]]; k < A->start[e->rows[r] + 1]; k++) {
        put(route, 2 * e->n + e->rank + r, A->column[k],
            scale * e->instant->large.A[k]);
    }
}

KalStatus kal_route_newton_factor(KalRoute *route, const KalNewtonPlace *place)
{
    const KalElimination *e = &route->elimination;
    const int size = 2 * e->n + e->rank + e->positions;
    const KalSparseLuOptions options = {.least = NOTHING, .most = MOST_ENTRIES};
    KAL_TRY(kal_route_evaluate(route, place->t, place->y));
    KAL_TRY(find_slopes(route, place));
    kal_gather_begin(&route->newton.gather);
    put_slips(route, place->factor);
    put_forces(route, place->factor);
    for (int r = 0; r < e->rank; r++) {
        put_row(route, r, place->factor);
    }
    for (int r = 0; r < e->positions; r++) {
        put_position(route, r);
    }
    const KalColumns matrix = kal_gather_columns(&route->newton.gather, size);
    KalSparseLu *factors = &route->newton.factors;
    KAL_TRY(kal_sparse_lu_factor(factors, e->instant->ctx, &matrix, &options));
    return factors->rank == size
               ? KAL_OK
               : kal_fail(e->instant->ctx, KAL_ERR_NUMBER,
                          "the equations of an implicit step are singular at t = %g",
                          place->t);
}

void kal_route_newton_solve(KalRoute *route, double *x)
{
    const KalElimination *e = &route->elimination;
    const size_t size = 2 * (size_t)e->n + (size_t)e->rank + (size_t)e->positions;
    memcpy(route->newton.b, x, size * sizeof *x);
    kal_sparse_lu_solve(&route->newton.factors, route->newton.b, x);
}
