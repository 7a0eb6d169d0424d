// SPDX-License-Identifier: MIT

/// @file
/// Whether steps lead on.

#ifndef SIM_WINDOW_H
#define SIM_WINDOW_H

#include "sim/run_impl.h"

/// Steps are counted anew from here (KAL_RUN_WINDOW).
void kal_run_window_begin(KalRun *run);

/// Whether steps, and each window of them, lead to the end in a time that can be waited for:
/// KAL_ERR_LIMIT, KAL_ERR_STEP.
KAL_CHECKED KalStatus kal_run_window_watch(KalRun *run);

#endif
