// SPDX-License-Identifier: MIT

/// @file
/// A motion from the stabilized implicit equations of index 2, theory (19.2).
///
/// Unknowns are q, v, the multipliers λ of the rows chosen and the multipliers μ of those
/// that have a residual of position level; both residuals are kept at zero.

#ifndef VERIFY_ROUTE_H
#define VERIFY_ROUTE_H

#include "ode/integrator.h"
#include "verify/elimination.h"

/// What Newton's method takes in sparse instants (newton.c).
typedef struct KalRouteNewton {
    KalGather gather;
    KalSparseLu factors;
    double *slopes; ///< entries of the derivatives of the residuals of motion
    double *b;      ///< unknowns
} KalRouteNewton;

/// A motion on its way.
typedef struct KalRoute {
    KalElimination elimination;
    KalIntegrator *dae; ///< NULL before the start
    double rtol;        ///< > 0
    double atol;        ///< > 0
    double least;       ///< how independent the rows were when they were chosen
    long calls;         ///< of the residual
    double *y;          ///< unknowns; q and v come first
    double *yp;         ///< their derivatives
    double *kinds;      ///< as KalOdeSystem has them
    double *atols;
    double *phi;           ///< m
    double *psi;           ///< m
    double *scale;         ///< n and rank: of the equations of motion, and of the rows
    KalRouteNewton newton; ///< where the instant is sparse
    KalWorkspace workspace;
    /// Asked now and then; false: stop with KAL_ERR_INTERRUPTED.
    bool (*go_on)(void *user);
    void *user; ///< passed to `go_on`
} KalRoute;

/// Make a route in the formulas of an instant, which stays longer; if that is sparse the system
/// has the derivatives for stiff methods.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_route_init(KalRoute *route, KalInstant *instant);

void kal_route_clear(KalRoute *route);

/// Begin at a state; `y` is q and q', which the instant's active constraints hold for.
KAL_CHECKED KalStatus kal_route_start(KalRoute *route, double t, const double *y);

/// Go on to time t.  The state is then the beginning of route->y, and the constraint force
/// is route->elimination.cforce.  Rows are chosen anew when they became less independent;
/// KAL_ERR_CONTRADICTION when there are then more or fewer.
KAL_CHECKED KalStatus kal_route_advance(KalRoute *route, double t);

#endif
