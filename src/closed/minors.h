// SPDX-License-Identifier: MIT

/// @file
/// Linear systems solved as fractions: theory (11.7), (11.8).

#ifndef CLOSED_MINORS_H
#define CLOSED_MINORS_H

#include "algebra/field.h"

enum {
    KAL_UNKNOWNS = 12 ///< the most that a system may have
};

/// Solve K z = y for N unknowns, where the rows of K hold N polynomials and then y: a
/// matrix of N × (N + 1), row by row.  Each zⱼ is in lowest terms.  False in
/// `out_regular`: the determinant is zero, and nothing else is written.  KAL_ERR_NOMEM;
/// a ring that meets its limit is spoiled.
KAL_CHECKED KalStatus kal_minors_solve(KalField *field, const KalPoly *K, int N,
                                       KalFraction *out_z, bool *out_regular);

#endif
