// SPDX-License-Identifier: MIT

/// @file
/// The metric M + AᵀWA: what stands for M where M has no mass, or next to none, in some
/// direction (docs/theory, section 3).
///
/// With any positive weights W of the constraints, M + AᵀWA and Q + AᵀWb in the place of M
/// and Q have the same accelerations and multipliers, for A q'' = b; and the metric is
/// definite exactly when the acceleration is unique.  The weights found here give
/// constraints the mass of what they hold, so that no coordinate has a small mass by
/// accident: a quaternion that is almost (1, 0, 0, 0) has next to none along e0.

#ifndef MOTION_WEIGHTS_H
#define MOTION_WEIGHTS_H

#include <stdbool.h>

/// Places for the metric of n coordinates and m constraints.
typedef struct KalMetric {
    double *mass;    ///< n: what each coordinate has, or shares by its constraints
    double *weights; ///< m: powers of two, positive and finite
    double *scale;   ///< n + m: scratch
    int *
        said; ///< max(n, m): 1 for each of the n coordinates whose mass is known, else 0
} KalMetric;

/// Find the weights of the m rows of A (row after row) for the n × n matrix M, and on the
/// way the masses, theory (3.7).  Whatever is given they are positive and finite.
/// Multiplying a row by a power of two f divides its weight by f², measuring a coordinate
/// by another such unit changes none.  The same arguments give the same bits.
///
/// False when the weights of some rows are arbitrary, because masses are too far away.
bool kal_metric_weights(int n, int m, const double *M, const double *A,
                        KalMetric *metric);

/// Add AᵀWA to the lower triangle of the n × n matrix `metric`, column after column.
void kal_metric_add_rows(int n, int m, const double *A, const double *weights,
                         double *metric);

#endif
