// SPDX-License-Identifier: MIT

/// @file
/// Slips of contacts, and those of two rows that come to rest.

#ifndef SIM_SLIP_H
#define SIM_SLIP_H

#include "base/context.h"

#include <kalaba/run.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether a slip of two rows would be at rest within a span of time if it went on to slow down
/// as it does: its friction turns ever faster then, which looks stiff and ends there.  The run
/// is solved when this returns.
KAL_CHECKED KalStatus kal_run_slip_ends(KalRun *run, double span, bool *out_ends);

/// Whether the slip of contact i is what is followed, for it slides.
bool kal_run_follows_slip(const KalRun *run, size_t i);

/// The acceleration of a gap, or of a slip along a direction, by its rows in the solved run, and
/// the size of its terms.
double kal_run_acceleration_along(const KalRun *run, const int64_t *rows,
                                  const double *along, int count, double *out_size);

/// The acceleration of the slip of contact i along its velocity, and its speed, in the solved run.
KAL_CHECKED KalStatus kal_run_slip_acceleration(KalRun *run, size_t i,
                                                double *out_speed,
                                                double *out_acceleration);

/// Whether the slip of contact i, of this speed, has two rows and is as good as at rest, but not
/// quite.
bool kal_run_creeps(const KalRun *run, size_t i, double speed);

/// A slip of two rows up to this is at rest.
double kal_run_slow(const KalRun *run);

#endif
