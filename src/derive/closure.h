// SPDX-License-Identifier: MIT

/// @file
/// The integrable part of a set of differential forms.
///
/// Forms Σ_j W_j dz_j that vanish along all motions of a system.  The combinations that
/// keep it on hypersurfaces are those whose differentials vanish as well wherever the
/// forms do, again and again: the last derived system, theory (10.8) to (10.12).
///
/// Which combinations these are is found at a random point, in the field that is asked
/// for; formulas are made only for those that are left, and not if all or none are.  What
/// residues show is what holds for the formulas as such.  If these are not exact, for the
/// sake of functions of which not all is known, then there may be fewer independent forms
/// and fewer brackets in truth, and doubles show what there is at least.

#ifndef DERIVE_CLOSURE_H
#define DERIVE_CLOSURE_H

#include "base/arena.h"
#include "zero/identity.h"

/// Forms in n variables.
typedef struct KalPfaffForms {
    const KalExpr *z; ///< n symbols
    size_t n;
    size_t preferred; ///< the forms are solved for these first variables if possible
    KalExpr *W;       ///< r × n, KAL_NO_EXPR for zero
    size_t r;
} KalPfaffForms;

/// How the search ended.
typedef enum KalClosureEnd {
    KAL_CLOSURE_FOUND,
    KAL_CLOSURE_NODES,  ///< formulas would grow too large
    KAL_CLOSURE_WORK,   ///< too many brackets to look at
    KAL_CLOSURE_POINTS, ///< no point was found at which all formulas have values
    KAL_CLOSURE_OPEN,   ///< residues and doubles do not come to the same
} KalClosureEnd;

/// What was found.
typedef struct KalClosure {
    KalClosureEnd end;
    bool exact;          ///< residues, as good as exact values
    bool piecewise;      ///< there are formulas that choose between others
    size_t rank;         ///< independent forms among those given
    KalPfaffForms forms; ///< spans the integrable part; if not found, something larger
    bool *member;        ///< for each form given: whether it is in that span
    bool *extra; ///< for each form found: whether it is no combination of members
                 ///< and of those before it
} KalClosure;

/// Find the integrable part.  What `out_closure` points to comes from the arena.
KAL_CHECKED KalStatus kal_closure_find(KalGraph *g, const KalPfaffForms *forms,
                                       KalArithmetic field, KalArena *arena,
                                       KalClosure *out_closure);

#endif
