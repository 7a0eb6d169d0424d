// SPDX-License-Identifier: MIT

/// @file
/// The workspace of a solve, and the steps it is made of.
///
/// A solve has two roads.  The *regular* one (regular.c) factors M and L⁻¹Aᵀ as they
/// come; it answers only what it can vouch for.  Everything else takes the *general* one:
/// scale the problem so that units cannot matter (scale.c), decide the ranks (verdict.c),
/// look at dependent constraints (dependence.c, conflict.c), then compute accelerations
/// by the formulation asked for (nullspace.c, literal.c, lagrange.c) and finish forces
/// and multipliers the same way for all (general.c).
///
/// On the general road a quantity with suffix _s is scaled: q = d q_s, b_s = r b,
/// λ = r λ_s, a force f = f_s / d.  Scaled constraint rows have length 1, scaled masses are
/// about 1 or next to nothing (docs/theory, section 3).

#ifndef MOTION_MOTION_IMPL_H
#define MOTION_MOTION_IMPL_H

#include "base/context.h"
#include "base/workspace.h"
#include "linalg/product.h"
#include "linalg/pseudoinverse.h"
#include "linalg/qr.h"

#include <kalaba/motion.h>

#include <stdbool.h>
#include <stddef.h>

/// What the general road knows of a problem after kal_motion_verdict().
typedef struct KalMotionVerdict {
    double *mass;     ///< n × n: M_s
    double *F;        ///< n × rank_M: M_s = F Fᵀ
    double *Z;        ///< n × freedom: orthonormal basis of null(A_s)
    double *massless; ///< n × excess: orthonormal basis of null([M_s; A_s])
    double *force;    ///< n: Q_s
    double *nonideal; ///< n: C_s, zero when ideal
    double *b;        ///< m: b_s
    KalQr mobility;   ///< of G = FᵀZ, rank_M × freedom: mass in the free directions
    int rank_M;
    int rank_A;
    int freedom;    ///< n − rank_A
    int excess;     ///< n − rank_Mhat
    int *perm;      ///< n: scratch for the factorization of M
    int *swaps;     ///< n: scratch for shortening accelerations
    int *row_swaps; ///< min(n, m): of the factored rows
} KalMotionVerdict;

/// Storage for the formulations that are kept as their sources write them.
typedef struct KalLiteral {
    double *A;         ///< m × n: A_s
    double *root;      ///< n × n: M^(−1/2) of the mass matrix used
    double *stack;     ///< (n+m) × n: what the pseudoinverse is taken of
    double *eigen;     ///< n × (n+1): eigenvectors, eigenvalues
    double *work;      ///< n × n
    double *vector[3]; ///< n+m each
    double *doubles;   ///< of the pseudoinverses
    int *ints;
    KalPseudoinverse of_A;     ///< A⁺
    KalPseudoinverse of_stack; ///< (A M^(−1/2))⁺, or that of the stacked system
    KalQr kkt;                 ///< of the system of Lagrange's multipliers
} KalLiteral;

/// The short way's arrays, all padded (linalg/padded.h): ld is padded n, rows padded m.
/// Rows of A are columns here.
typedef struct KalShort {
    double *M;            ///< ld × ld
    double *L;            ///< ld × ld: factor L D Lᵀ of M
    double *A;            ///< ld × rows
    double *W;            ///< ld × rows: L⁻¹Aᵀ
    double *S;            ///< rows × rows: factor of WᵀD⁻¹W
    double *inverse;      ///< ld: of the pivots D
    double *inverse_rows; ///< rows: of those of S
    double *g;            ///< ld × 2: L⁻¹Q, then q''; and L⁻¹C, then C
    double *b;            ///< rows
    double *b_size;       ///< rows: of the terms in b
    double *lambda;       ///< rows
    double *lambda_total; ///< rows: with Q + C
    double *Q;            ///< ld
    double *force;        ///< ld: Aᵀλ
    double *added;        ///< ld: the force that C adds
    double *unit;         ///< ld: √M_jj
    double *length;       ///< rows: of the columns of W
    double *size;         ///< ld: of the terms in the equation of motion
    double *missing;      ///< ld: what it lacks
    double *missing_rows; ///< rows: what the constraints lack
} KalShort;

/// What the short way keeps of its last problem.
typedef struct KalKeptFactors {
    bool kept;         ///< factors in short_way are those of M and A in given
    bool near;         ///< answers are to be refined
    double least_sine; ///< of the answer
} KalKeptFactors;

/// Arrays that take the place of those of the problem.
typedef struct KalMotionCopies {
    double *symmetric; ///< n × n: M with rounding differences averaged out (check.c)
    double *lighter_M; ///< n × n: M without masses that do not matter
    double *shifted_b; ///< m: b of an impact, less A times the velocity before
    double *shifted_size; ///< m: size of its terms
} KalMotionCopies;

/// What was found; answers point to these arrays.  Every way of solving writes the first four,
/// verdict.c and dependence.c the others.
typedef struct KalMotionFound {
    double *qdd;         ///< n
    double *ideal;       ///< n
    double *nonideal;    ///< n
    double *lambda;      ///< m
    bool *indeterminate; ///< n
    int *dependent_set;  ///< m
    int n_sets;
    bool marks_clear; ///< nothing is marked in the two arrays above
} KalMotionFound;

/// The units that verdicts are made in (scale.c), and the metric M + AᵀWA that stands for M
/// where that alone is singular (mass.c).
typedef struct KalMotionMetric {
    double *d;       ///< n: units of the coordinates
    double *r;       ///< m: units of the constraints
    double *weights; ///< m: W
    double *mass;    ///< n: diagonal of the metric
    bool weak;       ///< in this solve the metric stands for M
} KalMotionMetric;

/// Rows that depend on others (dependence.c).
typedef struct KalDependence {
    double *coefficients; ///< rank_A × (m − rank_A): dependent rows by independent ones
    double *mismatch;     ///< m − rank_A: what dependent rows lack in b
    KalQr least;          ///< m × (m − rank_A) and a follower: least multipliers
} KalDependence;

struct KalMotion {
    KalContext *ctx;
    KalMotionOptions options;
    int n_max;
    int m_max;
    KalWorkspace workspace; ///< all arrays below
    bool wide;              ///< the processor has wide vector registers

    KalMotionProblem given; ///< of the solve that runs
    const double *b_size;   ///< m: size of the terms that b is made of, or NULL: |b|
    KalMotionCopies copies;
    double rank_tolerance;

    KalMotionFound found;
    KalMotionFault fault;
    int *fault_indices; ///< max(n, m)

    KalMotionMetric metric;
    double *L;       ///< n × n: Cholesky factor of M
    double *inverse; ///< n: of its diagonal
    KalQr rows;      ///< of the constraints; W has room for two followers
    KalDependence dependence;
    double *nonideal_q;   ///< n: acceleration that C adds
    double *lambda_total; ///< m: multipliers with Q + C, on the general road
    double *missing;      ///< m: what right-hand sides still miss
    double *scratch[6];   ///< n + m each

    KalShort short_way;
    KalKeptFactors factors;
    KalMotionVerdict verdict;
    KalLiteral literal;
};

/// Refuse what no formulation can use: missing arrays, NaN, infinity, asymmetry,
/// negative diagonal.  May replace given.M by an averaged copy.
KAL_CHECKED KalStatus kal_motion_check(KalMotion *s);

/// Is the problem one that the short way may try as it is: nothing missing, m ≤ n, M
/// symmetric to the bit?
bool kal_motion_is_plain(const KalMotion *s);

/// The short way of the regular road, for plain problems, even before they are checked.
/// False: not vouched for; nothing in the answer counts then.
bool kal_motion_short(KalMotion *s, KalMotionAnswer *answer);

/// How an attempt of the short way ends.
typedef enum KalShortEnd {
    KAL_SHORT_SOLVED,
    KAL_SHORT_WEAK, ///< M has a pivot that is too small
    KAL_SHORT_REFUSED,
} KalShortEnd;

/// An attempt in two versions; the second is for wide registers.  With `weak` the
/// constraints strengthen M: the metric is filled then.
KalShortEnd kal_short_solve(KalMotion *s, bool weak, KalMotionAnswer *answer);
KalShortEnd kal_short_solve_wide(KalMotion *s, bool weak, KalMotionAnswer *answer);

/// The short way with the factors that it kept, for another Q and b without C.
KalShortEnd kal_short_again(KalMotion *s, KalMotionAnswer *answer);
KalShortEnd kal_short_again_wide(KalMotion *s, KalMotionAnswer *answer);

/// The same, in the version for the processor.  False: not vouched for.
bool kal_motion_short_again(KalMotion *s, KalMotionAnswer *answer);

/// The long way of the regular road.  False as above.
bool kal_motion_regular(KalMotion *s, KalMotionAnswer *answer);

/// Fill mass and weights of the metric; false when they are arbitrary (motion/weights.h).  Uses
/// scratch[1] and fault_indices.
bool kal_motion_find_weights(KalMotion *s);

/// Whether the metric makes natural units that can be trusted.
bool kal_motion_metric_is_sane(const KalMotion *s);

/// With a unit diagonal, what remains of M below this is rounding.
double kal_mass_tolerance(int n);

/// Is the mass of coordinate j coupled to no other?
bool kal_mass_is_isolated(int n, const double *M, int j);

/// The rank of M in units in which the metric has a unit diagonal; false when M is not
/// clearly semi-definite.  Uses the place of verdict.mass and two of the scratches.
bool kal_mass_find_rank(const KalMotion *s, int *out_rank);

/// The general road.
KAL_CHECKED KalStatus kal_motion_general(KalMotion *s, KalMotionAnswer *answer);

/// Find units d for the coordinates and r for the constraints, and fill the columns of
/// rows.W with the scaled constraints, each of length 1 (or 0).
KAL_CHECKED KalStatus kal_motion_scale(KalMotion *s);

/// Make scaled rows a little shorter, to no less than a half, the more they were raised to
/// get the length 1.  Of rows that say the same, a long one is then taken: in short ones
/// larger terms have cancelled, and rounding is all the larger beside what is left.
void kal_motion_prefer_long_rows(KalMotion *s);

/// Scale, factor, decide ranks; fails when M is indefinite.
KAL_CHECKED KalStatus kal_motion_verdict(KalMotion *s);

/// From the factored rows: express dependent constraints by independent ones, find the
/// sets that depend on each other.
void kal_dependence_find(KalMotion *s);

/// Do dependent constraints agree on b, given accelerations q (n, in given units) that
/// satisfy the independent ones?  Fills `mismatch`.
bool kal_dependence_agrees(KalMotion *s, const double *q);

/// A dependent constraint that s->qdd violates by more than rounding, or -1.
int kal_dependence_find_violated(KalMotion *s);

/// Replace multipliers of dependent constraints by those of least norm, and change
/// `lambda_total` (m; may be the same array) as they change.
void kal_dependence_least_norm(KalMotion *s, double *lambda_total);

/// Fail, naming a smallest set of constraints that cannot hold together.
KalStatus kal_conflict_fail(KalMotion *s);

/// Keep what the formulation needs of the scaled rows before they are factored.
void kal_formulation_keep_rows(KalMotion *s);

/// Prepare a formulation for any number of calls of kal_formulation_accelerate.  Fails
/// where the formulation does not apply.
KAL_CHECKED KalStatus kal_formulation_prepare(KalMotion *s);

/// q_s of the motion under a scaled force (n), which has no part in null([M; A]), and
/// right-hand sides b (m, in given units).  Linear in both.  Components of q_s in
/// null([M; A]) are arbitrary.
void kal_formulation_accelerate(KalMotion *s, const double *force, const double *b,
                                double *q);

/// The formulations themselves: prepare, then accelerate as above.
void kal_nullspace_accelerate(KalMotion *s, const double *force, const double *b,
                              double *q);
void kal_definite_prepare(KalMotion *s, const double *mass);
void kal_definite_accelerate(KalMotion *s, const double *force, const double *b,
                             double *q);
void kal_semidefinite_prepare(KalMotion *s);
void kal_semidefinite_accelerate(KalMotion *s, const double *force, const double *b,
                                 double *q);
void kal_auxiliary_prepare(KalMotion *s);
void kal_auxiliary_accelerate(KalMotion *s, const double *force, const double *b,
                              double *q);
void kal_lagrange_prepare(KalMotion *s);
void kal_lagrange_accelerate(KalMotion *s, const double *force, const double *b,
                             double *q);

/// Whose equation is missed most; 0 when all hold exactly.
typedef struct KalWorst {
    int constraint;
    int coordinate;
} KalWorst;

/// Residuals of the answer in s->qdd, where `lambda` (m) are multipliers that go with
/// Q + C (theory (5.1), (5.2)).  On the way gives force (n) = Aᵀ lambda.
KalWorst kal_motion_residuals(KalMotion *s, const double *lambda, double *force,
                              KalMotionAnswer *answer);

/// The entries of U-coordinates that right-hand sides b (m, in given units) fix:
/// Tᵀ z = P R b (theory (4.4)).
void kal_motion_fixed_part(const KalMotion *s, const double *restrict b,
                           double *restrict z);

/// Multipliers of the independent constraints from the U-coordinates y of a force, zero
/// for the others: λ = R P T⁻¹ y (theory (4.6)).  Destroys y.
void kal_motion_multipliers(const KalMotion *s, double *restrict y,
                            double *restrict lambda);

/// force (n) = Aᵀ lambda.
void kal_motion_constraint_force(const KalMotion *s, const double *lambda,
                                 double *force);

/// The size of the terms that meet in constraint i at accelerations q; their sum A q
/// goes to *out_sum.
double kal_motion_term_size(const KalMotion *s, int i, const double *q,
                            double *out_sum);

/// The largest acceleration that occurs or is asked for, in natural units.
double kal_motion_largest_acceleration(const KalMotion *s);

/// No coordinate is indeterminate, no constraint dependent, until marked again.
void kal_motion_clear_marks(KalMotion *s);

/// Fill in what follows from the ranks and from what the workspace holds.
void kal_motion_publish(const KalMotion *s, KalMotionAnswer *answer);

/// Names for messages: "x, y and 3 more"; constraints or coordinates.
typedef struct KalNames {
    char text[400];
} KalNames;

KalNames kal_motion_names(const KalMotion *s, bool constraints, const int *indices,
                          int count);

#endif
