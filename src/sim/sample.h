// SPDX-License-Identifier: MIT

/// @file
/// Samples of a run, several at a time.
///
/// Samples within one step are independent of each other.  Where the way back to the
/// constraints is a program (system/return.h), up to KAL_LANES of them are interpolated,
/// brought back and solved at once, in lanes; each becomes the state of the instant when the run
/// gets there, with the same bits as if it had been looked at alone.

#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "base/workspace.h"
#include "system/lanes.h"

/// Samples that are known ahead, of the run's last step.
typedef struct KalSamplesAhead {
    KalRoadLanes lanes;      ///< all of the same instant
    KalReturnPlaces places;  ///< of what is noted of each
    unsigned long prepared;  ///< for these parameters (KalRoad.prepared)
    double times[KAL_LANES]; ///< of each
    int count;
    int next;             ///< which of them comes next
    bool waits;           ///< the run is at the one before; the instant is not
    bool good[KAL_LANES]; ///< those that programs vouch for
    KalWorkspace workspace;
    double *
        at; ///< groups of KAL_LANES: their times, states and integrals; NULL: no room yet
} KalSamplesAhead;

#endif
