// SPDX-License-Identifier: MIT

/// @file
/// What kind of constraints a model has.
///
/// A constraint on velocities that is linear in them, Σ W_j q'_j + w₀ = 0, is a form
/// Σ W_j dq_j + w₀ dt.  It is *integrable* if, given all other such constraints and those
/// on positions, it keeps the system on hypersurfaces of (q, t) and is thus a constraint
/// on positions in disguise; else it is nonholonomic.  The test is that of Frobenius in
/// its general form: the forms that all motions obey for good are the last of the derived
/// systems, theory (10.8) to (10.12).
///
/// Answers are for the parameters' values where these are exact, and for almost all
/// positions.  Constraints on positions that give a coordinate in terms of others are
/// taken to hold; of others only the differentials are known to vanish.  Rows of contacts and
/// frictions come and go: they are told apart, and restrict nothing here.

#ifndef DERIVE_CLASSIFY_H
#define DERIVE_CLASSIFY_H

#include "derive/equations.h"

typedef enum KalConstraintKind {
    KAL_CONSTRAINT_HOLONOMIC,    ///< on positions
    KAL_CONSTRAINT_INTEGRABLE,   ///< on velocities, but implied by one on positions
    KAL_CONSTRAINT_NONHOLONOMIC, ///< on velocities
    KAL_CONSTRAINT_ACCELERATION, ///< on accelerations
    KAL_CONSTRAINT_CONTACT,      ///< on a gap, while it is closed
    KAL_CONSTRAINT_FRICTION,     ///< on a slip, while it holds
} KalConstraintKind;

/// How a kind was found.
typedef enum KalDecision {
    KAL_DECISION_FORM,    ///< it shows in the formula
    KAL_DECISION_EXACT,   ///< by exact arithmetic
    KAL_DECISION_NUMERIC, ///< by arithmetic with rounding
    KAL_DECISION_NONE,    ///< not; the kind is the safe one
} KalDecision;

/// What a constraint is.
typedef struct KalConstraintClass {
    KalConstraintLevel level;
    KalConstraintKind kind;
    KalDecision decision;    ///< of the kind
    bool linear_in_velocity; ///< constraints on positions are, once differentiated
    bool time_dependent;     ///< rheonomic: has explicit time, or moves if integrated
} KalConstraintClass;

/// A rank that takes more than KAL_RANK_ENTRIES is not looked for.
#define KAL_RANK_UNKNOWN SIZE_MAX

/// What all constraints together are.
typedef struct KalClassification {
    KalContext *ctx;
    size_t m;                    ///< constraints
    KalConstraintClass *classes; ///< m
    KalSparse integrals; ///< k × n: rows that span all restrictions on positions:
                         ///< Σ row_j dq_j + … dt = 0
    size_t rank;         ///< of these, at least, for almost all positions near some; or
                         ///< KAL_RANK_UNKNOWN
    bool rank_exact;     ///< found by exact arithmetic
    bool complete;       ///< the rank is final; else it is at least that
    size_t undecided;    ///< constraints whose kind was not decided
    const char *reason;  ///< why not, or why the rank is not final; else NULL
} KalClassification;

/// Classify the constraints of a model.  Those that do not act at the start have a kind of
/// their own, but no part in integrals and rank.  The caller owns the result.  Statuses: as
/// of kal_graph_status().
KAL_CHECKED KalStatus kal_classify(const KalEquations *equations,
                                   KalClassification **out_classification);

/// Free a classification.  NULL is allowed.
void kal_classification_destroy(KalClassification *classification);

/// The words that output has for a level and a kind.
const char *kal_level_word(KalConstraintLevel level);
const char *kal_constraint_kind_word(KalConstraintKind kind);

#endif
