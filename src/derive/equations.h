// SPDX-License-Identifier: MIT

/// @file
/// The equations of motion of a model, as formulas:  M q'' = Q + C + Aᵀλ,  A q'' = b.
///
/// Derived once from energies, forces and constraints (docs/theory/derivation.md) and
/// never solved symbolically.  All matrices are sparse; what they do not list is exactly
/// zero.  Formulas live in the model's graph and are made of time, parameters, coordinates
/// and velocities; those of C may also have reactions in them.

#ifndef DERIVE_EQUATIONS_H
#define DERIVE_EQUATIONS_H

#include "expr/diff.h"
#include "model/model.h"

/// The equations.  In vectors of formulas zero is the number 0; KAL_NO_EXPR means that
/// there is no such thing.
typedef struct KalEquations {
    const KalModel *model; ///< borrowed
    KalArena *arena;       ///< for the vectors below
    size_t n;              ///< coordinates
    size_t m;              ///< constraints, in the order of the model
    bool *acts; ///< m: acts from the start; not so what is `off`, or what an event
                ///< engages and none releases
    size_t n_waiting;   ///< constraints that do not
    KalExpr kinetic;    ///< T
    KalExpr potential;  ///< V as declared, possibly with velocities
    KalExpr stored;     ///< V − q'·∂V/∂q', its part of the energy: theory (16.2)
    KalSparse M;        ///< n × n, lower triangle
    KalExpr *Q;         ///< n
    KalSparse A;        ///< m × n
    KalExpr *b;         ///< m
    KalExpr *C;         ///< n
    bool has_C;         ///< the model has non-ideal forces
    bool has_reactions; ///< and they depend on reactions
    KalExpr *phi;       ///< m: residual of a position-level constraint
    KalExpr *psi;       ///< m: residual at velocity level: φ' or as typed; none for
                        ///< constraints of acceleration level
    KalSparse psi_q; ///< m × n: ∂ψ/∂q.  ∂φ/∂q and ∂ψ/∂q' are the rows of A
    KalExpr *psi_t; ///< m: ∂φ/∂t of position level; else none
    size_t n_servos;
    KalSparse servo_A; ///< n_servos × n
    KalExpr *servo_b;  ///< n_servos: with the terms that make the error decay
    KalExpr *servo_e;  ///< n_servos: the error, at the level as typed
    KalSparse B;       ///< n × actuators: generalized force per unit of input
} KalEquations;

/// Derive the equations of a model.  Faults of the model, such as a constraint that is
/// not linear in the accelerations or an actuator not linear in the velocities, are added
/// to the diagnostics, and the answer is then KAL_ERR_SYNTAX.  Other statuses: as of
/// kal_graph_status().  The caller owns the result and keeps the model as long.
KAL_CHECKED KalStatus kal_derive(const KalModel *model, KalDiagnostics *diagnostics,
                                 KalEquations **out_equations);

/// Free equations.  NULL is allowed.
void kal_equations_destroy(KalEquations *equations);

#endif
