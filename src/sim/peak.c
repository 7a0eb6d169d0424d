// SPDX-License-Identifier: MIT

// When the next pulse in time has its peak: theory (15.20).
//
// Invariant: no step of the run goes across the time that was found last, but for those across
// losses of rank, which must not end in one: a constraint |v|² = (1 - t)² loses it at its peak.

#include "sim/run_impl.h"

#include <math.h>

// This part of a run behind an instant counts as that instant: where pieces meet, the time
// of the border is known to rounding.
static const double BEHIND = 1e-10;

double kal_run_next_peak(KalRun *run, double t)
{
    KalInstant *instant = run->instant;
    const size_t n = run->system->pieces.n_peaks;
    if (n == 0 || run->options.fixed_step > 0.0) {
        return INFINITY;
    }
    const double now = instant->variables[0];
    const double from = t + BEHIND * (run->options.until - run->options.from);
    double next = INFINITY;
    instant->variables[0] = from;
    const bool known = kal_instant_evaluate(instant, KAL_PROGRAM_PEAKS) == KAL_OK;
    instant->variables[0] = now;
    for (size_t i = 0; i < n && known;
         i++) { // theory (15.20); a slope of 0 has no zero
        const double zero = from - instant->results[i] / instant->results[n + i];
        next = zero > from && zero < next ? zero : next;
    }
    return next;
}
