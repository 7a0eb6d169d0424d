// SPDX-License-Identifier: MIT

/// @file
/// Derivatives of everything that a linearization needs, as formulas and as programs.
///
/// With accelerations a, multipliers λ and inputs u of actuators as symbols the equations
/// of motion have the residuals, theory (17.1),
///
///     R = M a − Q − B u − Aᵀλ,   S = A a − b
///
/// and C, non-ideal forces, is kept apart because it may depend on the multipliers of the
/// ideal part.  y = (q, q') is the state and w are the inputs of the linearization.

#ifndef ANALYSIS_FORMS_H
#define ANALYSIS_FORMS_H

#include "analysis/input.h"
#include "derive/classify.h"
#include "system/instant.h"

/// The programs and their results, in this order; derivatives with respect to inputs come
/// input after input.
typedef enum KalFormId {
    KAL_FORM_MOTION,   ///< ∂R/∂y, ∂S/∂y, ∂R/∂w, ∂S/∂w
    KAL_FORM_NONIDEAL, ///< ∂C/∂y, ∂C/∂λ, ∂C/∂w
    KAL_FORM_MANIFOLD, ///< ∂ψ/∂q, ∂φ/∂w, ∂ψ/∂w
    KAL_FORM_INTEGRAL, ///< rows that restrict positions beyond ∂φ/∂q
    KAL_FORM_OUTPUT,   ///< ∂o/∂y, ∂o/∂a, ∂o/∂λ, ∂o/∂w
    KAL_FORMS          ///< how many there are
} KalFormId;

/// A program with its memory.
typedef struct KalForm {
    KalProgram *program;
    double *numbers; ///< work and results in one piece
    size_t n_numbers;
    double *results;
    size_t n_results;
} KalForm;

typedef struct KalForms {
    KalContext *ctx;
    const KalSystem *system;
    const KalInputs *inputs;
    KalArena *arena;
    KalExpr *R;                 ///< n
    KalExpr *S;                 ///< m
    KalExpr *o;                 ///< outputs, of t, parameters, y, a, λ, u
    KalSparse R_y;              ///< n × 2n
    KalSparse S_y;              ///< m × 2n
    KalSparse C_y;              ///< n × 2n
    KalSparse C_l;              ///< n × m
    KalSparse o_y;              ///< outputs × 2n
    KalSparse o_a;              ///< outputs × n
    KalSparse o_l;              ///< outputs × m
    KalExpr *by[KAL_FORMS];     ///< derivatives with respect to inputs
    KalClassification *classes; ///< NULL: no constraint on velocities
    bool timeless;              ///< no equation depends on time
    KalForm forms[KAL_FORMS];
} KalForms;

/// Derive and compile.  The caller clears the forms, whatever the answer.
KAL_CHECKED KalStatus kal_forms_init(KalForms *forms, const KalSystem *system,
                                     const KalInputs *inputs);

void kal_forms_clear(KalForms *forms);

/// Evaluate a program at the instant's variables.  KAL_ERR_NUMBER when a result is not
/// finite; of outputs that is no failure.
KAL_CHECKED KalStatus kal_forms_evaluate(KalForms *forms, KalFormId id,
                                         const KalInstant *instant);

/// Whether time is in n formulas of the motion, in forces that are not ideal or in constraints.
KAL_CHECKED KalStatus kal_find_time(const KalSystem *system, const KalExpr *motion,
                                    bool *out_found);

#endif
