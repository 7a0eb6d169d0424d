// SPDX-License-Identifier: MIT

/// @file
/// Bounds of coordinates and velocities.

#ifndef ANALYSIS_WHERE_H
#define ANALYSIS_WHERE_H

#include "system/instant.h"

/// Bounds of the 2n numbers of a state; infinite where there are none.
typedef struct KalBounds {
    double *low;  ///< 2n
    double *high; ///< 2n
} KalBounds;

/// Read "theta = -pi .. pi, x' = 0 .. 1"; values may be what kal_instant_set() takes, and
/// NULL sets no bound.  The state of the instant stays.  KAL_ERR_SYNTAX.
KAL_CHECKED KalStatus kal_bounds_read(KalInstant *instant, const char *text,
                                      KalBounds *bounds);

#endif
