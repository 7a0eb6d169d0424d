// SPDX-License-Identifier: MIT

/// @file
/// Samples of a run, several at a time.
///
/// Samples are independent of each other.  Where the way back to the constraints is a program
/// (system/return.h), those of a step are interpolated when it is taken, and wait until there are
/// KAL_LANES of them, of several steps or of one; all are then brought back and solved at once, in
/// lanes, and given in their order, with the same bits as if each had been looked at alone.  None
/// waits beyond an event or the end of the run, nor when another is looked at alone.

#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "base/workspace.h"
#include "system/lanes.h"

/// Samples that wait.
typedef struct KalSampleStock {
    KalRoadLanes lanes;      ///< all of the same instant
    KalReturnPlaces places;  ///< of what is noted of each
    unsigned long prepared;  ///< for these parameters (KalRoad.prepared)
    unsigned long road;      ///< and for these programs (KalBrief.number)
    double times[KAL_LANES]; ///< of each
    int count;               ///< how many wait
    int lane;                ///< that of the sample that the run is at
    bool away;               ///< the run is at it; the instant is not
    bool good[KAL_LANES];    ///< those that programs vouch for
    KalWorkspace workspace;
    double *
        at; ///< groups of KAL_LANES: their times, states and integrals; NULL: no room yet
    double *found; ///< as many, of the last step
} KalSampleStock;

#endif
