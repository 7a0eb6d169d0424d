// SPDX-License-Identifier: MIT

/// @file
/// Slips of two rows that come to rest.

#ifndef SIM_SLIP_H
#define SIM_SLIP_H

#include "base/context.h"

#include <kalaba/run.h>

/// Whether a slip of two rows would be at rest within a span of time if it went on to slow down
/// as it does: its friction turns ever faster then, which looks stiff and ends there.  The run
/// is solved when this returns.
KAL_CHECKED KalStatus kal_run_slip_ends(KalRun *run, double span, bool *out_ends);

/// A slip of two rows up to this is at rest.
double kal_run_slow(const KalRun *run);

#endif
