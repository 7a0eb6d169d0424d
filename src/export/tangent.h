// SPDX-License-Identifier: MIT

/// @file
/// Directional derivatives of what an export computes: formulas of how equations and results
/// change when the state moves along a direction.
///
/// Every variable of KalLayout has a *seed*, its part of the direction.  With the residuals
/// R = Q - M q'' + A'lambda and S = b - A q'', which are zero, accelerations and reactions change
/// by the solution of M dq'' = dR + A'dlambda, A dq'' = dS, where dR and dS are changes for
/// accelerations and reactions that stay.  So the general solution of the export gives what
/// the formulas here are for, exactly.
///
/// Where contacts slide, frictions follow reactions: formulas say how slips and limits change, and
/// the export solves for the changes of frictions.  Where servos are met by the inputs of least
/// norm, that solution is differentiated in the export, by how servo rows and columns of actuators
/// change (Golub and Pereyra, The differentiation of pseudo-inverses, 1973).

#ifndef EXPORT_TANGENT_H
#define EXPORT_TANGENT_H

#include "export/plan.h"

/// Make the program; its results are, in this order, dR (n), dS (m), dC (n, where there are
/// non-ideal forces), changes of M q'' - Q (n), of T and V, of rates and of outputs; of two slips
/// and the limit of each contact, if some have friction; of entries of servo rows, of what servos
/// ask for, of entries of actuators.  Where formulas get too long there is none.
KAL_CHECKED KalStatus kal_export_make_tangent(KalExportPlan *plan);

#endif
