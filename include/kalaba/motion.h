// SPDX-License-Identifier: MIT

/// @file
/// One instant of constrained motion: the Udwadia–Kalaba equation on plain arrays.
///
/// Given a mass matrix M (symmetric, positive semi-definite: it may be singular), the
/// impressed force Q, the constraints A q'' = b (any number of rows, dependent ones
/// included) and, for non-ideal constraints, the vector C, a solve gives the
/// acceleration, the constraint forces, the multipliers and the verdicts: ranks, which
/// coordinates are indeterminate, which constraints depend on each other.
///
/// *Nothing is compromised in silence.*  Constraints that contradict each other, and a
/// force along a direction that has neither mass nor constraint, have no acceleration:
/// the solve fails and kal_motion_fault() says which constraints or coordinates are at
/// fault.  An acceleration that exists but is not unique is an answer, with `unique`
/// false and the coordinates marked.
///
/// *Verdicts have no units.*  Multiplying a constraint by a factor, or measuring a
/// coordinate in another unit, changes no verdict and no result beyond rounding.
///
/// A KalMotion is a workspace: made once for the largest size, then used for any number
/// of solves.  A solve allocates nothing and touches nothing but its arguments, its
/// workspace and its context; so threads that have a context and a workspace each may
/// solve at the same time.  The same input gives the same bits.

#ifndef KALABA_MOTION_H
#define KALABA_MOTION_H

#include <kalaba/context.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The ways to the answer: name, word in files, what it is.  Wherever two of them apply
/// they give the same answer; the verdicts come from one place for all.
#define KAL_FORMULATION_LIST(X)                                                        \
    X(KAL_FORMULATION_DEFAULT, "default", "chosen by itself, fast where that is safe") \
    X(KAL_FORMULATION_PSEUDOINVERSE, "pseudoinverse",                                  \
      "Moore-Penrose form, for positive definite M")                                   \
    X(KAL_FORMULATION_SEMIDEFINITE, "semidefinite",                                    \
      "Moore-Penrose form of the stacked system, for any M")                           \
    X(KAL_FORMULATION_AUXILIARY, "auxiliary",                                          \
      "auxiliary system M + A^+ A, where the acceleration is unique")                  \
    X(KAL_FORMULATION_LAGRANGE, "lagrange", "Lagrange multipliers (KKT system)")       \
    X(KAL_FORMULATION_NULLSPACE, "nullspace", "motion in the free directions of A")

/// A way to the answer.
typedef enum KalFormulation {
#define KAL_FORMULATION_ENUM(name, word, meaning) name,
    KAL_FORMULATION_LIST(KAL_FORMULATION_ENUM)
#undef KAL_FORMULATION_ENUM
} KalFormulation;

/// The word for a formulation, as in problem files; never NULL.
KAL_API const char *kal_formulation_word(KalFormulation formulation);

/// Find the formulation that a word names; false when there is none.
KAL_API bool kal_formulation_find(const char *word, KalFormulation *out_formulation);

/// How to solve.  Fill with kal_motion_options(), then change single fields.
typedef struct KalMotionOptions {
    KalFormulation formulation;
    /// A constraint row of length 1 counts as dependent on others when it is closer than
    /// this to their span.  0: 2^-40 max(1, (n+m)/64), see docs/theory.
    double rank_tolerance;
    /// Contradictions smaller than this, relative to the size of the terms that meet in
    /// them, count as rounding.
    double consistency_tolerance;
} KalMotionOptions;

/// The defaults.
KAL_API KalMotionOptions kal_motion_options(void);

/// The givens.  All arrays are borrowed for the length of one call.
typedef struct KalMotionProblem {
    int n;                          ///< coordinates, at least 1
    int m;                          ///< constraints, 0 or more, may exceed n
    const double *M;                ///< n × n, both triangles
    const double *Q;                ///< n
    const double *A;                ///< m × n, row after row; NULL allowed when m is 0
    const double *b;                ///< m; NULL allowed when m is 0
    const double *C;                ///< n, or NULL when all constraints are ideal
    const char *const *coordinates; ///< n names for messages, or NULL: q[1], q[2], …
    const char *const *constraints; ///< m names for messages, or NULL: c[1], c[2], …
    /// m: the size of the terms that b is made of, where they cancel, or NULL: |b|.  What
    /// constraints miss each other by is measured by it.
    const double *b_size;
} KalMotionProblem;

/// The answer.  Arrays belong to the workspace and hold until its next solve.
typedef struct KalMotionAnswer {
    int n;
    int m;
    const double *qdd;            ///< n: acceleration, of least norm when not unique
    const double *force_ideal;    ///< n: Aᵀ λ
    const double *force_nonideal; ///< n: what C adds
    const double *multipliers;    ///< m: λ of the ideal part, of least norm as typed
    int rank_M;
    int rank_A;
    int rank_Mhat;             ///< of [M; A]; the acceleration is unique iff this is n
    bool unique;               ///< of the acceleration
    const bool *indeterminate; ///< n: the acceleration of this coordinate is free
    int n_dependent_sets;      ///< sets of constraints that depend on each other
    const int *dependent_set; ///< m: number of the set from 0, or -1: multiplier unique
    double residual_constraints; ///< max |A q'' − b| relative to the size of its terms
    double residual_motion; ///< the same of the equation of motion, free directions
    bool fast;              ///< found, and vouched for, on the fast path
    /// The least distance of an independent constraint, of length 1, from the span of
    /// those taken before it, as the solve met it: 1 for constraints at right angles,
    /// towards 0 as they come to depend on each other.  1 without constraints.
    double least_sine;
} KalMotionAnswer;

/// Who is to blame when a solve failed with KAL_ERR_CONTRADICTION (constraints), with
/// KAL_ERR_NO_ACCELERATION or KAL_ERR_MASS (coordinates), or with KAL_ERR_NUMBER because
/// the answer does not satisfy an equation (either).
typedef struct KalMotionFault {
    int count;          ///< how many; 0 after any other outcome
    const int *indices; ///< count of them, rising; hold until the next solve
    bool constraints;   ///< they are constraints, else coordinates
    double size;        ///< of the contradiction or force, see kal_motion_fault()
} KalMotionFault;

/// A workspace for solves.
typedef struct KalMotion KalMotion;

/// Make a workspace for problems of up to n coordinates and m constraints.  `options`
/// may be NULL, for the defaults.  The caller owns it.
KAL_API KAL_CHECKED KalStatus kal_motion_create(KalContext *ctx,
                                                const KalMotionOptions *options, int n,
                                                int m, KalMotion **out_motion);

/// Free a workspace.  NULL is allowed.
KAL_API void kal_motion_destroy(KalMotion *motion);

/// Solve one instant.  Statuses: KAL_ERR_SHAPE (larger than the workspace, or an array
/// is missing), KAL_ERR_NUMBER (NaN, infinity, overflow), KAL_ERR_MASS,
/// KAL_ERR_CONTRADICTION, KAL_ERR_NO_ACCELERATION, KAL_ERR_FORMULATION.
KAL_API KAL_CHECKED KalStatus kal_motion_solve(KalMotion *motion,
                                               const KalMotionProblem *problem,
                                               KalMotionAnswer *out_answer);

/// The same one level down, for impulses: the velocity just after the constraints
/// A q' = b are imposed plastically on a system that moves with `velocity` (n).  In the
/// problem Q is the impressed impulse and C the prescribed non-ideal one.  In the answer
/// `qdd` is the velocity after, and the forces and multipliers are impulses.  Where the
/// velocity after is not unique it changes as little as possible.
KAL_API KAL_CHECKED KalStatus kal_motion_impact(KalMotion *motion,
                                                const KalMotionProblem *problem,
                                                const double *velocity,
                                                KalMotionAnswer *out_answer);

/// The fault of the last solve.  For a contradiction `size` is how far the constraints
/// named miss each other: the smallest Euclidean change of their right-hand sides that
/// would reconcile them.  For a massless force it is the largest generalized force left
/// over in a coordinate named.
KAL_API KalMotionFault kal_motion_fault(const KalMotion *motion);

#ifdef __cplusplus
}
#endif

#endif
