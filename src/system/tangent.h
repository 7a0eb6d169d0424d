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

/// Derive the derivatives of R, S and the rates of states by q, q' and states:
/// system->tangent.R, tangent_S and tangent_F.
KAL_CHECKED KalStatus kal_tangent_derive(KalSystem *system);

/// A workspace.
typedef struct KalTangent {
    int n;
    int m;
    KalMotion *motion;
    KalWorkspace workspace;
    size_t size;   ///< kal_system_state_size()
    double *R;     ///< n × size
    double *S;     ///< m × size
    double *F;     ///< n_states × size
    double *A;     ///< rows that count
    double *b;     ///< and their right-hand sides
    double *force; ///< n
} KalTangent;

/// Make a workspace for instants of a system.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_tangent_init(KalTangent *tangent, KalContext *ctx,
                                       const KalSystem *system);

void kal_tangent_clear(KalTangent *tangent, KalContext *ctx);

/// Write ∂(q', q'', s')/∂(q, q', s), s being the states, at a solved instant into a matrix of
/// zeros of kal_system_state_size(), column
/// after column.  Of the instant's rows the `count` that `rows` names are used; they are
/// independent and all others depend on them.
KAL_CHECKED KalStatus kal_tangent_fill(KalTangent *tangent, KalInstant *instant,
                                       const int *rows, int count, double *out_J);

#endif
