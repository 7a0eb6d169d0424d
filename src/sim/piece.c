// SPDX-License-Identifier: MIT

// Whether a motion stays on its pieces: theory (15.12) and (15.37).
//
// Switching functions are followed as they are on the pieces that the motion is on, of which those
// of steps have zeros at their own two ends alone.

#include "sim/piece.h"

#include "system/switch.h"

#include <assert.h>
#include <math.h>

// A range that is no wider than so many times that of one instant is rounding.
static const double GRAINS = 2.0;

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

static bool waits(const KalRun *run, int i)
{
    double band = 0.0;
    return kal_roots_side(run->events.roots, i, &band) == 0;
}

// Only functions that wait at zero are asked how far off they are.
void kal_run_pieces_measure(KalRun *run, int first)
{
    const KalSystem *system = run->system;
    const size_t count = system->pieces.n_switches;
    const double t = run->step.t_old;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        run->modes.grains[i] = 0.0;
        any = any || (system->pieces.switches[i].bounded && waits(run, first + (int)i));
    }
    const KalRange *ranges =
        any ? kal_scan_bound(&run->events.scan, t, t) + system->model->n_events : NULL;
    for (size_t i = 0; ranges && i < count; i++) {
        const KalRange range =
            kal_switch_range(&system->pieces.switches[i], run->modes.modes[i],
                             ranges[i], ranges[count + i]);
        const double half = 0.5 * (range.high - range.low);
        run->modes.grains[i] = isfinite(half) ? GRAINS * half : 0.0;
    }
}

bool kal_run_pieces_stay(const KalRun *run, int first, const KalRange *ranges)
{
    const KalSystem *system = run->system;
    const size_t count = system->pieces.n_switches;
    for (size_t i = 0; i < count; i++) {
        const KalSwitch *one = &system->pieces.switches[i];
        const KalRange range =
            kal_switch_range(one, run->modes.modes[i], ranges[i], ranges[count + i]);
        const double grain = run->modes.grains[i];
        if (one->bounded && !kal_run_is_quiet(run, first + (int)i, range, grain)) {
            return false;
        }
    }
    return true;
}
