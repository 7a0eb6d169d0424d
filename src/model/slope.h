// SPDX-License-Identifier: MIT

/// @file
/// The derivatives of a formula by the velocities that are in it.
///
/// A large model has a formula for each of its bodies, which knows a few of all velocities: the
/// others are not looked at.

#ifndef MODEL_SLOPE_H
#define MODEL_SLOPE_H

#include "base/block.h"
#include "model/model.h"

/// One of them, not zero.
typedef struct KalVelocitySlope {
    uint32_t coordinate; ///< whose velocity it is
    KalExpr slope;
} KalVelocitySlope;

/// List the KalSlopes of a formula in the order of coordinates.  The caller clears the block,
/// which comes zeroed, whatever is returned.
KAL_CHECKED KalStatus kal_model_slopes(const KalModel *model, KalExpr e,
                                       KalBlock *out_slopes);

static inline size_t kal_count_slopes(const KalBlock *slopes)
{
    return slopes->size / sizeof(KalVelocitySlope);
}

static inline KalVelocitySlope kal_slope_at(const KalBlock *slopes, size_t i)
{
    return ((const KalVelocitySlope *)slopes->data)[i];
}

#endif
