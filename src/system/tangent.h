// SPDX-License-Identifier: MIT

/// @file
/// The derivatives of accelerations, for the method that needs them, theory (15.9).
///
/// With a and λ as symbols the equations of motion have the residuals R = M a − Q − C − Aᵀλ
/// and S = A a − b.  Their derivatives with respect to q and q' are formulas; those of a
/// follow by one solve for each column.

#ifndef SYSTEM_TANGENT_H
#define SYSTEM_TANGENT_H

#include "system/instant.h"

/// Derive ∂R/∂(q, q') and ∂S/∂(q, q'): system->tangent_R and tangent_S.
KAL_CHECKED KalStatus kal_tangent_derive(KalSystem *system);

/// A workspace.
typedef struct KalTangent {
    int n;
    int m;
    KalMotion *motion;
    KalWorkspace workspace;
    double *R;     ///< n × 2n
    double *S;     ///< m × 2n
    double *A;     ///< rows that count
    double *b;     ///< and their right-hand sides
    double *force; ///< n
} KalTangent;

/// Make a workspace for instants of a system.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_tangent_init(KalTangent *tangent, KalContext *ctx,
                                       const KalSystem *system);

void kal_tangent_clear(KalTangent *tangent, KalContext *ctx);

/// Write ∂(q', q'')/∂(q, q') at a solved instant into a 2n × 2n matrix of zeros, column
/// after column.  Of the instant's rows the `count` that `rows` names are used; they are
/// independent and all others depend on them.
KAL_CHECKED KalStatus kal_tangent_fill(KalTangent *tangent, KalInstant *instant,
                                       const int *rows, int count, double *out_J);

#endif
