// SPDX-License-Identifier: MIT

// When the rank will be lost, by how a measure of it falls: theory (15.27).
//
// The tangent alone is too slow for a measure that has just turned, as that of a parallelogram
// which hardly comes over its level and falls back: its slope says later by a multiple, and a
// step of an explicit method would come upon the loss by accident.

#include "sim/run_impl.h"

#include <assert.h>
#include <math.h>

// Losses of rank that are this many steps of an implicit method away, which are short, are near.
static const double NEAR_STIFF = 30.0;

double kal_run_near_steps(const KalRun *run)
{
    return run->integration.stiff ? NEAR_STIFF : KAL_NEAR_STEPS;
}

double kal_low_bend(double sine, double bend)
{
    return sine < KAL_LOW_SINE ? fmin(bend, 0.0) : 0.0;
}

// A measure that has passed zero since the last look runs the other way now.
double kal_run_find_bend(const KalRun *run, int k, double sine, double slope)
{
    const KalRankWatch *watch = &run->rank;
    const double dt = run->horizon - watch->t;
    assert(watch->bends);
    const double old = watch->slopes[k];
    const bool turned = watch->passed > watch->t && old < 0.0 && slope > 0.0;
    return dt > 0.0 ? kal_low_bend(sine, (slope - (turned ? -old : old)) / dt) : 0.0;
}

// The first zero of a parabola, theory (15.27).
double kal_distance_to_zero(double sine, double slope, double bend)
{
    assert(!(bend > 0.0));
    const double root = sqrt(slope * slope - 2.0 * bend * sine);
    if (slope < 0.0) {
        return KAL_DISTANCE_TO_ZERO(sine, slope, root);
    }
    return bend < 0.0 ? (slope + root) / -bend : (double)INFINITY;
}

// A row that shortens is looked at again after 0.75 of the time that it has; no step goes further
// than 0.8 of it.
void kal_run_foresee_end(KalRun *run, double distance)
{
    static const double again = 0.75;
    static const double end = 0.8;
    KalRankWatch *watch = &run->rank;
    const double revisit = run->horizon + again * distance;
    if (revisit < watch->revisit && revisit < run->options.until) {
        watch->revisit = revisit;
        watch->no_further = run->horizon + end * distance;
    }
}

double kal_run_room(const KalRun *run)
{
    const KalRankWatch *watch = &run->rank;
    if (!watch->known || watch->t != run->t) {
        return INFINITY;
    }
    const double room =
        KAL_ROOM * kal_distance_to_zero(watch->sine, watch->slope, watch->bend);
    return watch->revisit < INFINITY ? fmin(room, watch->no_further - run->t) : room;
}

// The zero of the parabola through the sine of an angle between rows, its slope and its
// bend; it counts when it is near, ahead of the present, and within the run.
bool kal_run_foresee(const KalRun *run, double *out_distance)
{
    assert(out_distance);
    const KalRankWatch *watch = &run->rank;
    if (!watch->known || watch->t != run->t
        || run->options.drift != KAL_DRIFT_PROJECT) {
        return false;
    }
    const double distance =
        kal_distance_to_zero(watch->sine, watch->slope, watch->bend);
    const bool is_near = isfinite(run->integration.tried) || watch->sine < KAL_LOW_SINE
                         || distance < kal_run_near_steps(run) * run->statistics.step;
    const bool is_ahead = distance > 1e-9 * fmax(fabs(run->t), run->statistics.step);
    const bool is_in_time = run->t + distance < run->options.until;
    *out_distance = distance;
    return is_near && is_ahead && is_in_time;
}
