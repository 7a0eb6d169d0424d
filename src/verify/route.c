// SPDX-License-Identifier: MIT

// The second way of a motion: positions, velocities and multipliers as unknowns of implicit
// equations, integrated by IDA (Gear, Gupta, Leimkuhler, Journal of Computational and Applied
// Mathematics 12, 1985: the stabilized index-2 formulation, theory, section 19).
//
// Unknowns are q, v, a multiplier λ for each chosen row and μ for each row of position
// level, which corrects the velocities so that positions stay on the constraints.  Rows are
// those that elimination.c chose as independent; when they have become nearly dependent they
// are chosen anew, and the integration begins again there.

#include "verify/route_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ASK_EVERY = 256 // residuals
};

// Rows are chosen anew when they are less independent than before by this factor.
static const double LESS = 0.1;
// Numbers near zero are not asked to be more exact than this part of the largest of their
// kind, with which they meet in the constraints.
static const double ROUNDING = 1e-13;
// Multipliers are not looked at when errors are judged: a tolerance beyond any.
static const double ANY = 1e6;

static void lay_out(KalCarver *carver, void *owner)
{
    KalRoute *route = owner;
    const KalSystem *system = route->elimination.instant->system;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t unknowns = 2 * n + 2 * m;
    route->y = kal_carve_doubles(carver, unknowns, 1);
    route->yp = kal_carve_doubles(carver, unknowns, 1);
    route->kinds = kal_carve_doubles(carver, unknowns, 1);
    route->atols = kal_carve_doubles(carver, unknowns, 1);
    route->phi = kal_carve_doubles(carver, m, 1);
    route->psi = kal_carve_doubles(carver, m, 1);
    route->scale = kal_carve_doubles(carver, n + m, 1);
    if (route->elimination.instant->large.solver) {
        kal_route_newton_lay_out(route, carver);
    }
}

KalStatus kal_route_init(KalRoute *route, KalInstant *instant)
{
    assert(instant);
    KAL_TRY(kal_elimination_init(&route->elimination, instant));
    if (instant->large.solver) {
        KAL_TRY(kal_route_newton_init(route));
    }
    return kal_workspace_make(instant->ctx, "to verify a run", lay_out, route,
                              &route->workspace);
}

void kal_route_clear(KalRoute *route)
{
    const KalInstant *instant = route->elimination.instant;
    kal_integrator_destroy(route->dae);
    if (instant) {
        kal_route_newton_clear(route);
        kal_workspace_clear(instant->ctx, &route->workspace);
    }
    kal_elimination_clear(&route->elimination);
}

// The state to the instant, whose formulas are evaluated there.
static void put(KalRoute *route, double t, const double *y)
{
    KalInstant *instant = route->elimination.instant;
    instant->variables[0] = t;
    memcpy(kal_instant_q(instant), y,
           2 * (size_t)route->elimination.n * sizeof(double));
}

// φ and ψ of all constraints, then the rest, for these programs share their results.
KalStatus kal_route_evaluate(KalRoute *route, double t, const double *y)
{
    KalInstant *instant = route->elimination.instant;
    const size_t size = (size_t)instant->system->m * sizeof(double);
    put(route, t, y);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_POSITION));
    memcpy(route->phi, instant->results, size);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    memcpy(route->psi, instant->results, size);
    return kal_elimination_givens(&route->elimination);
}

// The equations of the velocities, then those of motion.
static void fill_coordinates(const KalRoute *route, const double *y, const double *yp,
                             double *out)
{
    const KalElimination *e = &route->elimination;
    const int n = e->n;
    const double *lambda = y + 2 * (size_t)n;
    double *forces = out + n;
    for (int i = 0; i < n; i++) {
        out[i] = yp[i] - y[n + i];
        forces[i] = -e->force[i];
    }
    kal_elimination_add_rows(e, e->positions, 1.0, lambda + e->rank, out);
    kal_elimination_add_rows(e, e->rank, -1.0, lambda, forces);
    kal_elimination_add_mass(e, yp + n, forces);
    for (int i = 0; i < n; i++) {
        forces[i] *= route->scale[i];
    }
}

// A row of velocity level holds as ψ, one of acceleration level as A a − b.
static double fill_row(const KalRoute *route, int k, const double *yp)
{
    assert(k >= 0 && k < route->elimination.rank);
    const KalElimination *e = &route->elimination;
    const KalExpr *psi = e->instant->system->equations->psi;
    if (psi[e->rows[k]].index != KAL_NO_EXPR.index) {
        return route->psi[e->rows[k]];
    }
    return kal_elimination_row_times(e, k, yp + e->n) - e->b[k];
}

// F(t, y, y'): slips, forces, then the rows.
static KalStatus residual(void *user, double t, const double *y, const double *yp,
                          double *out_residual)
{
    KalRoute *route = (KalRoute *)user;
    const KalElimination *e = &route->elimination;
    if (route->calls++ % ASK_EVERY == 0 && route->go_on && !route->go_on(route->user)) {
        return kal_fail(e->instant->ctx, KAL_ERR_INTERRUPTED, "interrupted at t = %g",
                        t);
    }
    KAL_TRY(kal_route_evaluate(route, t, y));
    double *out = out_residual + 2 * (size_t)e->n;
    fill_coordinates(route, y, yp, out_residual);
    for (int k = 0; k < e->rank; k++) {
        out[k] = route->scale[e->n + k] * fill_row(route, k, yp);
    }
    for (int k = 0; k < e->positions; k++) {
        out[e->rank + k] = route->scale[e->n + k] * route->phi[e->rows[k]];
    }
    return KAL_OK;
}

static KalStatus prepare(void *user, const KalNewtonPlace *place)
{
    return kal_route_newton_factor((KalRoute *)user, place);
}

static void solve(void *user, double *x)
{
    kal_route_newton_solve((KalRoute *)user, x);
}

// y' at the start, which is known.
static KalStatus first_rate(void *user, double t, const double *y, double *out_rate)
{
    const KalRoute *route = (const KalRoute *)user;
    assert(route->yp);
    const KalElimination *e = &route->elimination;
    const size_t unknowns = 2 * (size_t)e->n + (size_t)(e->rank + e->positions);
    (void)t;
    (void)y;
    memcpy(out_rate, route->yp, unknowns * sizeof(double));
    return KAL_OK;
}

// A state that was tried may have no values.
static bool may_retry(KalStatus status)
{
    return status == KAL_ERR_NUMBER || status == KAL_ERR_CONTRADICTION;
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// A new integrator for as many unknowns as there are rows now.
static KalStatus create_dae(KalRoute *route, double t)
{
    KalElimination *e = &route->elimination;
    const int n = e->n;
    const int unknowns = 2 * n + e->rank + e->positions;
    assert(e->positions <= e->rank && e->rank <= e->instant->system->m);
    // The root of the mean of squares is bounded; each is to have its own tolerance,
    // theory (12.11).
    const double share = 1.0 / sqrt((double)unknowns);
    const double least_q = ROUNDING * largest(route->y, n);
    const double least_v = ROUNDING * largest(route->y + n, n);
    const double any = ANY * fmax(1.0, largest(e->lambda, e->rank));
    for (int i = 0; i < unknowns; i++) {
        const double atol = fmax(share * route->atol, i < n ? least_q : least_v);
        route->kinds[i] = i < 2 * n ? 1.0 : 0.0;
        route->atols[i] = i < 2 * n ? atol : any;
    }
    const bool sparse = e->instant->large.solver != NULL;
    const KalOdeSystem system = {.n = unknowns,
                                 .user = route,
                                 .prepare = sparse ? prepare : NULL,
                                 .solve = sparse ? solve : NULL,
                                 .rate = first_rate,
                                 .residual = residual,
                                 .kinds = route->kinds,
                                 .may_retry = may_retry};
    const KalOdeOptions options = {.rtol = share * route->rtol, .atols = route->atols};
    kal_integrator_destroy(route->dae);
    route->dae = NULL;
    KAL_TRY(kal_integrator_create(e->instant->ctx, KAL_INTEGRATOR_DAE, &system,
                                  &options, &route->dae));
    return kal_integrator_start(route->dae, t, route->y, INFINITY);
}

// Begin with the rows chosen at the state in route->y.
static KalStatus begin(KalRoute *route, double t)
{
    KalElimination *e = &route->elimination;
    const size_t n = (size_t)e->n;
    const size_t unknowns = 2 * (n + (size_t)e->instant->system->m);
    KAL_TRY(kal_elimination_solve(e));
    memset(route->yp, 0, unknowns * sizeof(double));
    memset(route->y + 2 * n, 0, (unknowns - 2 * n) * sizeof(double));
    memcpy(route->yp, route->y + n, n * sizeof(double));
    memcpy(route->yp + n, e->qdd, n * sizeof(double));
    memcpy(route->y + 2 * n, e->lambda, (size_t)e->rank * sizeof(double));
    memcpy(route->scale, e->scale, (n + (size_t)e->rank) * sizeof(double));
    route->least = e->least;
    return create_dae(route, t);
}

KalStatus kal_route_start(KalRoute *route, double t, const double *y)
{
    KalElimination *e = &route->elimination;
    memcpy(route->y, y, 2 * (size_t)e->n * sizeof(double));
    put(route, t, y);
    KAL_TRY(kal_elimination_choose(e));
    return begin(route, t);
}

// Other rows, as many of them: another rank is another motion.
static KalStatus choose_anew(KalRoute *route, double t)
{
    KalElimination *e = &route->elimination;
    const int rank = e->rank;
    const int positions = e->positions;
    KAL_TRY(kal_elimination_choose(e));
    if (e->rank != rank || e->positions != positions) {
        return kal_fail(e->instant->ctx, KAL_ERR_CONTRADICTION,
                        "the constraints change their rank near t = %g", t);
    }
    return begin(route, t);
}

KalStatus kal_route_advance(KalRoute *route, double t)
{
    KalElimination *e = &route->elimination;
    double least = 0.0;
    KAL_TRY(kal_integrator_advance(route->dae, t, route->y));
    put(route, t, route->y);
    KAL_TRY(kal_elimination_measure(e, &least));
    return least < LESS * route->least ? choose_anew(route, t)
                                       : kal_elimination_solve(e);
}
