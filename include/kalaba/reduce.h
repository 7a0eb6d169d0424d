// SPDX-License-Identifier: MIT

/// @file
/// The reduced equations of a model: as many speeds as there are free velocities, and no
/// multipliers (docs/reduction.md).

#ifndef KALABA_REDUCE_H
#define KALABA_REDUCE_H

#include <kalaba/show.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A speed that is chosen: an output of the model that is linear in the velocities, and
/// what it is to be called.
typedef struct KalSpeedChoice {
    const char *name;
    const char *output;
} KalSpeedChoice;

/// Show q' = S v + s and the equations of motion of the speeds v as formulas.  n of the
/// model's outputs are to be the speeds; n = 0: they are found.  Nothing is written on
/// failure, which `ctx` explains: KAL_ERR_USAGE when the speeds named will not do,
/// KAL_ERR_FORMULATION when a constraint is not linear in the velocities,
/// KAL_ERR_NOT_UNIQUE, KAL_ERR_LIMIT when formulas are too large, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_reduced(KalContext *ctx, const KalSystem *system,
                                               const KalSpeedChoice *speeds, size_t n,
                                               const KalShowOptions *options,
                                               KalSink sink);

#ifdef __cplusplus
}
#endif

#endif
