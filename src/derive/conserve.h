// SPDX-License-Identifier: MIT

/// @file
/// What stays constant along every motion of a model, and why the energy does not.
///
/// Only what can be proven from the formulas counts, theory (10.13) to (10.20): a quantity
/// that is not listed may happen to be constant.  Proofs are for the parameters' values
/// where these are exact.

#ifndef DERIVE_CONSERVE_H
#define DERIVE_CONSERVE_H

#include "derive/equations.h"

/// A constant of the motion.
typedef struct KalConserved {
    const char *name; ///< `energy`, or `jacobi` where that is not one; `momentum(x)`
    KalExpr value;    ///< of time, parameters, coordinates and velocities
    bool exact;       ///< proven by exact arithmetic, else by arithmetic with rounding
} KalConserved;

/// All of them.
typedef struct KalConservation {
    KalContext *ctx;
    KalArena *arena; ///< for the rest
    KalConserved *list;
    size_t n;
    bool energy;        ///< the energy is the first of the list
    const char *reason; ///< else: why it is not, with names; NULL if it is
    bool energy_open;   ///< that it is not is not proven either; the reason says so
    const char **open;  ///< n_open: names of momenta of which neither is proven
    size_t n_open;
} KalConservation;

/// Look for constants of the motion.  The caller owns the result.  Statuses: as of
/// kal_graph_status().
KAL_CHECKED KalStatus kal_conserve(const KalEquations *equations,
                                   KalConservation **out_conservation);

/// Free what was found.  NULL is allowed.
void kal_conservation_destroy(KalConservation *conservation);

#endif
