// SPDX-License-Identifier: MIT

/// @file
/// Whether the options of a run have sense.

#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "system/instant.h"

#include <kalaba/run.h>

/// KAL_ERR_USAGE when an option has no sense, KAL_ERR_LIMIT when it asks for too many samples.
KAL_CHECKED KalStatus kal_options_check(KalContext *ctx, const KalRunOptions *options);

/// Whether options that were taken from the system as it was loaded are those that the
/// parameters of the instant give: KAL_ERR_FORMULATION.
KAL_CHECKED KalStatus kal_options_check_current(KalContext *ctx,
                                                const KalRunOptions *options,
                                                const KalInstant *instant);

#endif
