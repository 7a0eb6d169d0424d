// SPDX-License-Identifier: MIT

/// @file
/// Steps onto the constraints, and ranks of them, in the one metric M + AᵀWA.
///
/// The metric, theory (13.1), is regular wherever accelerations are unique, whatever has
/// inertia and what not.  A projector knows it, the rows of A of the level in question,
/// scaled to length 1 in it, and gives the damped Gauss-Newton step of theory (13.2).
/// Redundant rows do no harm.  It is a workspace: sized once, then nothing is allocated.
///
/// For a sparse instant steps are those of large/large.h, where M is the metric as long as
/// it is regular; ranks and what belongs to them are for dense instants alone.

#ifndef SYSTEM_PROJECTOR_H
#define SYSTEM_PROJECTOR_H

#include "system/instant.h"

/// The least damping there is, relative to the scaled rows: a step with it is a plain
/// Gauss-Newton step but for rounding.
#define KAL_LEAST_DAMPING 1e-13

typedef struct KalProjector {
    KalInstant *instant; ///< whose M, A and residuals count
    int n;
    int m;
    int free;             ///< numbers that may move
    int *columns;         ///< n: which they are
    double *L;            ///< free × free: factor of the metric
    double *inverse;      ///< free: of its diagonal
    double *G;            ///< m × free: rows of A in the metric, scaled
    double *S;            ///< m: the scale of each row; 0 for a row of zeros
    int *counted;         ///< m: rows that are not zero
    int *ranked;          ///< m: of the counted, in the order of the ranking
    int n_counted;        ///< how many rows are not zero
    double *H;            ///< of these: factor of G Gᵀ with damping
    double *pivots;       ///< m
    int *order;           ///< m: rows as the last ranking chose them
    double *z;            ///< m
    double *weights;      ///< m: W
    double *own;          ///< n: masses of the coordinates, or what is usual of them
    double *masses;       ///< n: of the coordinates, or of what they are tied to
    double *y;            ///< free
    KalStatus failure;    ///< why there are no factors, where memory is missing
    const bool *held;     ///< n, or NULL; the rest is for sparse instants
    double *entries_of_M; ///< the metric's
    double *entries_of_A; ///< of the rows
    bool *used;           ///< m: rows that count
    KalWorkspace workspace;
} KalProjector;

/// Make a projector; `held` says which of the n numbers stay, NULL: none, and is kept.  The
/// caller clears it, whatever the answer.
KAL_CHECKED KalStatus kal_projector_init(KalProjector *projector, KalInstant *instant,
                                         const bool *held);

void kal_projector_clear(KalProjector *projector);

/// Take the metric from instant->M and the rows of all constraints in instant->A.  Where
/// [M; A] is singular in the free numbers a millionth of the diagonal is added.
void kal_projector_set_metric(KalProjector *projector);

/// Find the weights alone, of which the metric is made.
void kal_projector_set_weights(KalProjector *projector);

/// Take the rows from instant->A; `used` (m) says which count, NULL: all.
void kal_projector_set_rows(KalProjector *projector, const bool *used);

/// Prepare steps with the present rows.  False when damping is too small for them.
bool kal_projector_factor(KalProjector *projector, double damping);

/// Write x with a step against instant->residuals to out_x, n numbers each.
void kal_projector_step(KalProjector *projector, const double *x, double *out_x);

/// Rank the rows: each next one is as far as any from the span of those before.  Writes
/// the m distances, sines of angles, to out_sines; projector->order says which rows they
/// belong to.  For rows that depend on others they are rounding, about 1e-8.
void kal_projector_rank(KalProjector *projector, double *out_sines);

/// Split from each of the first `rank` rows, in the order of the last ranking, what lies
/// in the span of those before it: out_rests (rank × free) is left, out_sines are its
/// lengths, continuous functions of the rows.
void kal_projector_split(const KalProjector *projector, int rank, double *out_rests,
                         double *out_sines);

/// Make rests independent of the metric, for kal_projector_compare().
void kal_projector_lift(const KalProjector *projector, int rank, double *rests);

/// Change the sign of the sine of each rest that points away from the one of another
/// state, `lifted`, which is used up: so sines pass through zero where rows do.  Returns the
/// least cosine, without its sign, of the angles between these rests.
double kal_projector_compare(KalProjector *projector, int rank, double *lifted,
                             const double *rests, double *sines);

/// After a ranking, of which the first `rank` rows are independent: whether the one of them
/// at place `other` takes part in what a later row, at place `row`, depends on.
bool kal_projector_takes_part(KalProjector *projector, int rank, int row, int other);

/// The largest of instant->residuals, in the scales of the rows.
double kal_projector_measure(const KalProjector *projector);

/// The length of a move, from one list of n numbers to another, by the kinetic energy of
/// instant->M; what has no inertia counts a millionth of what it is tied to.
double kal_projector_distance(const KalProjector *projector, const double *from,
                              const double *to);

/// Which residuals are more than rounding, theory (13.3); x are the n numbers that the level
/// of the instant's A and residuals is about; or, with a `part` below 1, which are more than
/// that part of it.  Writes their indices, at most m, unless out_rows is NULL, and returns how
/// many they are.
int kal_residuals_unmet(const KalInstant *instant, const double *x, double part,
                        int *out_rows);

/// Whether no residual is more than the rounding of the terms in it.
bool kal_residuals_are_rounding(const KalInstant *instant, const double *x);

#endif
