// SPDX-License-Identifier: MIT

// Whether a motion stays on its pieces: theory (15.12) and (15.37).
//
// Switching functions are followed as they are on the pieces that the motion is on, of which those
// of steps have zeros at their own two ends alone.

#include "sim/run_impl.h"
#include "system/switch.h"

#include <assert.h>
#include <math.h>

void kal_run_pieces_follow(const KalRun *run, double *out_values)
{
    const size_t count = run->system->pieces.n_switches;
    const double *functions = run->instant->results;
    for (size_t i = 0; i < count; i++) {
        out_values[i] =
            kal_switch_value(&run->system->pieces.switches[i], run->modes.modes[i],
                             functions[i], functions[count + i]);
    }
}

bool kal_run_is_quiet(const KalRun *run, int i, KalRange range, double least)
{
    assert(i >= 0 && (size_t)i < kal_run_functions(run->system));
    double band = 0.0;
    const bool waits = kal_roots_side(run->events.roots, i, &band) == 0;
    const double zero = fmax(band, least);
    return range.low > 0.0 || range.high < 0.0
           || (waits && range.low >= -zero && range.high <= zero);
}

bool kal_run_pieces_stay(const KalRun *run, int first, const KalRange *ranges)
{
    const KalSystem *system = run->system;
    const size_t count = system->pieces.n_switches;
    for (size_t i = 0; i < count; i++) {
        const KalSwitch *one = &system->pieces.switches[i];
        const KalRange range =
            kal_switch_range(one, run->modes.modes[i], ranges[i], ranges[count + i]);
        if (one->bounded && !kal_run_is_quiet(run, first + (int)i, range, 0.0)) {
            return false;
        }
    }
    return true;
}
