// SPDX-License-Identifier: MIT

/// @file
/// Steps across configurations in which constraints lose rank.
///
/// Explicit methods feel their way with states that are off the constraints, and near such
/// a configuration, where the constraints have two branches, that goes wrong.  Here the
/// step is a polynomial that satisfies the equations of motion at eight times, all of them
/// away from the middle, where the configuration lies: theory (15.7).

#ifndef SIM_CROSS_H
#define SIM_CROSS_H

#include "ode/ode.h"

enum {
    KAL_CROSS_NODES = 8
};

/// The workspace of such steps.
typedef struct KalCross {
    KalOdeSystem system;
    KalContext *ctx;
    int n; ///< coordinates: half of the state without integrals
    double rtol;
    double atol;
    double nodes[KAL_CROSS_NODES];   ///< in parts of a step
    double weights[KAL_CROSS_NODES]; ///< of the end
    double less[2][KAL_CROSS_NODES]; ///< weights without some nodes, for errors
    double stages[KAL_CROSS_NODES][KAL_CROSS_NODES];
    double *block; ///< all numbers below
    size_t block_size;
    double *y_old;
    double *y_new;
    double *stage;
    double *change; ///< of a stage
    double *rates;  ///< of all stages
    double t_old;
    double h;
} KalCross;

/// Prepare.  The caller clears it, whatever the answer.
KAL_CHECKED KalStatus kal_cross_init(KalCross *cross, KalContext *ctx,
                                     const KalOdeSystem *system,
                                     const KalOdeOptions *options);

void kal_cross_clear(KalCross *cross);

/// Try a step of size h from (t, y) with the rate of y; `*out_done` says whether it went
/// well, with the error that the tolerances allow.  Then *out_step is the step.
void kal_cross_step(KalCross *cross, double t, double h, const double *y,
                    bool *out_done, KalOdeStep *out_step);

/// The state at t within the last step.
void kal_cross_interpolate(const KalCross *cross, double t, double *out_y);

#endif
