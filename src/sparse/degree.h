// SPDX-License-Identifier: MIT

/// @file
/// The order in which the unknowns of a sparse symmetric system are eliminated.
///
/// *Minimum degree* on the quotient graph: the unknown that is coupled to the fewest
/// others goes next.  Eliminating it couples all its neighbors with each other; such a set
/// is kept as one *element*, a list of its members, and never as pairs.  An element is
/// absorbed by the next one that contains it.  Degrees are upper bounds, which are found
/// by sizes of elements alone.  (A. George and J. W. H. Liu, The evolution of the minimum
/// degree ordering algorithm, SIAM Review 31 (1989); P. R. Amestoy, T. A. Davis and I. S.
/// Duff, An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal. Appl. 17
/// (1996).)
///
/// Unknowns come in two stages: all of the first are eliminated before any of the second.

#ifndef SPARSE_DEGREE_H
#define SPARSE_DEGREE_H

#include "base/context.h"

#include <stdint.h>

/// Which unknowns are coupled.  Each coupling is listed at both, none to itself and none
/// twice.
typedef struct KalCouplings {
    int n;
    int64_t *start; ///< n + 1: where the list of each unknown begins
    int *other;     ///< start[n]
} KalCouplings;

/// Find an order.  The first `first` unknowns are of the first stage.  out_order (n) lists
/// the unknowns, the one that is eliminated first at its beginning.  The lists of the
/// couplings are used up.  The same couplings give the same order.
KAL_CHECKED KalStatus kal_minimum_degree(KalContext *ctx, KalCouplings *couplings,
                                         int first, int *out_order);

#endif
