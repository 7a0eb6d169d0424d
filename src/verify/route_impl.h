// SPDX-License-Identifier: MIT

/// @file
/// The linear equations of a route's steps, in sparse instants.

#ifndef VERIFY_ROUTE_IMPL_H
#define VERIFY_ROUTE_IMPL_H

#include "verify/route.h"

KAL_CHECKED KalStatus kal_route_newton_init(KalRoute *route);
void kal_route_newton_lay_out(KalRoute *route, KalCarver *carver);
void kal_route_newton_clear(KalRoute *route);

/// Factor ∂F/∂y + factor ∂F/∂y' where the instant has been evaluated.
KAL_CHECKED KalStatus kal_route_newton_factor(KalRoute *route,
                                              const KalNewtonPlace *place);

/// Solve by it in place.
void kal_route_newton_solve(KalRoute *route, double *x);

/// The state to the instant, whose formulas are evaluated there.
KAL_CHECKED KalStatus kal_route_evaluate(KalRoute *route, double t, const double *y);

#endif
