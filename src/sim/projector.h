// SPDX-License-Identifier: MIT

/// @file
/// Steps onto the constraints, in the metric of the kinetic energy.
///
/// A projector knows the metric, the rows of A of the level in question, scaled to length
/// 1 in it, and gives the damped Gauss-Newton step of theory (13.2).  Redundant rows do no
/// harm.  It is a workspace: sized once, then nothing is allocated.

#ifndef SIM_PROJECTOR_H
#define SIM_PROJECTOR_H

#include "sim/instant.h"

/// The least damping there is, relative to the scaled rows: a step with it is a plain
/// Gauss-Newton step but for rounding.
#define KAL_LEAST_DAMPING 1e-13

typedef struct KalProjector {
    KalInstant *instant; ///< whose M, A and residuals count
    int n;
    int m;
    int free;        ///< numbers that may move
    int *columns;    ///< n: which they are
    double *L;       ///< free × free: factor of the metric
    double *inverse; ///< free: of its diagonal
    double *G;       ///< m × free: rows of A in the metric, scaled
    double *S;       ///< m: the scale of each row; 0 for a row of zeros
    double *H;       ///< m × m: G Gᵀ with damping
    double *pivots;  ///< m
    int *order;      ///< m: rows as the last ranking chose them
    double *z;       ///< m
    double *y;       ///< free
    double *block;
    size_t block_size;
} KalProjector;

/// Make a projector; `held` says which of the n numbers stay, NULL: none.  The caller
/// clears it, whatever the answer.
KAL_CHECKED KalStatus kal_projector_init(KalProjector *projector, KalInstant *instant,
                                         const bool *held);

void kal_projector_clear(KalProjector *projector);

/// Take the metric from instant->M; false: it is singular, and a little of its diagonal was
/// added, theory (13.1).
bool kal_projector_set_metric(KalProjector *projector);

/// Take a metric in which all coordinates weigh, whatever M is: M and its diagonal.
void kal_projector_set_round_metric(KalProjector *projector);

/// Take the metric in which all coordinates weigh the same.
void kal_projector_set_plain_metric(KalProjector *projector);

/// Take the rows from instant->A.
void kal_projector_set_rows(KalProjector *projector);

/// Write x with a step against instant->residuals to out_x, n numbers each.  False when
/// damping is too small for the rows.
bool kal_projector_step(KalProjector *projector, double damping, const double *x,
                        double *out_x);

/// Rank the rows: each next one is as far as any from the span of those before.  Writes
/// the m distances, sines of angles, to out_sines; projector->order says which rows they
/// belong to.  For rows that depend on others they are rounding, about 1e-8.
void kal_projector_rank(KalProjector *projector, double *out_sines);

/// The least distance of a row from the span of those before it, among the first `rank`
/// rows in the order of the last ranking: a continuous function of the rows.
double kal_projector_least_sine(KalProjector *projector, int rank);

/// After a ranking: whether the row at place `other` takes part in what the row at place
/// `last`, a later one, depends on.
bool kal_projector_takes_part(KalProjector *projector, int last, int other);

/// The size of instant->residuals, in the scales of the rows.
double kal_projector_measure(const KalProjector *projector);

/// The length of a move, from one list of n numbers to another, in the metric.
double kal_projector_distance(KalProjector *projector, const double *from,
                              const double *to);

/// Whether residual i is rounding, theory (13.3); x are the n numbers that the level of
/// instant->A and instant->residuals is about.
bool kal_residual_is_met(const KalInstant *instant, int i, const double *x);

#endif
