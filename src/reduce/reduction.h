// SPDX-License-Identifier: MIT

/// @file
/// Speeds and the equations of motion in them: theory (20.1) to (20.6).
///
/// A reduction has k speeds v, the n velocities as formulas linear in them,
/// q' = S v + s, and the equations M̃ v' = F̃.  All formulas live in the graph of its sheet,
/// laid out for readers.

#ifndef REDUCE_REDUCTION_H
#define REDUCE_REDUCTION_H

#include "algebra/field.h"
#include "closed/sheet.h"

#include <kalaba/system.h>

enum {
    KAL_REDUCTION_MOST = 16 ///< coordinates, for formulas get too large
};

/// A speed.
typedef struct KalSpeed {
    KalExpr symbol; ///< of the speed: a new one or the velocity of a coordinate
    KalExpr rate;   ///< symbol of its derivative
    KalExpr value;  ///< what it is in velocities; KAL_NO_EXPR for that of a coordinate
    KalExpr equation; ///< what its derivative is; KAL_NO_EXPR where that is too long
} KalSpeed;

/// What has no value at the start of the model.
typedef struct KalStartless {
    bool lost[KAL_REDUCTION_MOST]; ///< velocities in speeds
    bool lost_motion;              ///< inertia, force or rates of speeds
} KalStartless;

typedef struct KalReduction {
    KalContext *ctx;
    const KalEquations *eq;
    KalSheet sheet;
    KalGraph *g; ///< the sheet's
    size_t n;
    size_t rank;    ///< constraints that count
    size_t k;       ///< speeds
    size_t *rows;   ///< rank: those constraints
    KalExpr *exprs; ///< all of the following
    size_t n_exprs;
    KalExpr *A;        ///< rank × n
    KalExpr *a;        ///< rank: A q' + a = 0
    KalExpr *velocity; ///< n: q' in speeds
    KalExpr *S;        ///< n × k
    KalExpr *s;        ///< n
    KalExpr *M;        ///< k × k
    KalExpr *F;        ///< k
    KalSpeed speeds[KAL_REDUCTION_MOST];
    bool explicit_form;   ///< the speeds have their equations
    bool with_velocities; ///< which, like F, have velocities in them
    KalStartless start;
} KalReduction;

/// Speeds that a user names, as formulas of the model's graph.
typedef struct KalSpeedNames {
    const char *const *names;
    const KalExpr *values;
    size_t n; ///< 0: choose
} KalSpeedNames;

/// Reduce equations.  The caller clears the reduction, also after a failure.  Statuses as
/// of kal_show_reduced().
KAL_CHECKED KalStatus kal_reduction_init(KalReduction *r, const KalEquations *eq,
                                         const KalSpeedNames *names);

void kal_reduction_clear(KalReduction *r);

/// Note which formulas have no value at the start of the model, in r->start; none where it has
/// no start.  `system` is the one that the equations are of.
KAL_CHECKED KalStatus kal_reduction_note_start(KalReduction *r,
                                               const KalSystem *system);

/// Choose speeds and write r->velocity: theory (20.2) and (20.3).
KAL_CHECKED KalStatus kal_reduction_choose(KalReduction *r);

/// Take the speeds of a user and write r->velocity: theory (20.4).
KAL_CHECKED KalStatus kal_reduction_take(KalReduction *r, const KalSpeedNames *names);

/// Add a symbol of this name; KAL_NO_EXPR when there are too many.
KalExpr kal_reduction_symbol(KalReduction *r, const char *name);

/// A symbol of the model in the reduction's graph.
KalExpr kal_reduction_copy(const KalReduction *r, KalExpr symbol);

/// Read n formulas and their right side as polynomials with a common denominator: n + 1.
KAL_CHECKED KalStatus kal_reduction_read_row(KalField *field, const KalExpr *left,
                                             KalExpr right, size_t n, KalPoly *out_row);

/// Fail because formulas are too large.
KAL_CHECKED KalStatus kal_reduction_too_large(const KalReduction *r);

#endif
