// SPDX-License-Identifier: MIT

/// @file
/// What an examination found.

#ifndef SYSTEM_EXAMINE_H
#define SYSTEM_EXAMINE_H

#include "derive/classify.h"
#include "derive/conserve.h"
#include "system/draft.h"
#include "system/instant.h"

#include <kalaba/examine.h>

struct KalCheck {
    KalContext *ctx;
    KalDraft draft; ///< with what the examination derives
    const KalSystem *system;
    KalClassification *classification;
    KalConservation *conserved;
    KalInstant *instant; ///< at the start
    KalStartReport start;
    KalMotionAnswer answer; ///< its verdicts count even where there is no acceleration
    int configuration_rank; ///< of the constraints on positions, at the start
    int velocity_rank;      ///< of those on positions or velocities, at the start
    bool consistent;        ///< the start satisfies the constraints, and moves
    bool start_consistent;  ///< it satisfies them
    char *reason;           ///< why it is not consistent
    size_t reason_size;
    const char **at_fault; ///< names that the reason is about
    int n_at_fault;
};

#endif
