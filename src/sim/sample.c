// SPDX-License-Identifier: MIT

// Samples of a run (sim/sample.h): when they are due, and those of a step known ahead.
//
// Invariant: samples ahead are of the run's last step, before its horizon, and of the parameters
// that programs were prepared for; whoever takes another step forgets them.

#include "sim/sample.h"

#include "sim/run_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// This part of the distance of samples is rounding.
static const double REST = 1e-9;

// How many numbers interpolation gives: the state and integrals of powers.
static size_t numbers_of(const KalRun *run)
{
    return kal_system_state_size(run->system) + (size_t)run->balance.n;
}

void kal_run_samples_clear(KalRun *run)
{
    KalSamplesAhead *ahead = &run->ahead;
    kal_road_lanes_clear(&ahead->lanes);
    kal_workspace_clear(run->ctx, &ahead->workspace);
    *ahead = (KalSamplesAhead){.count = 0};
}

// Times, states and integrals of samples, and what their looks find, in groups.
static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = (KalRun *)owner;
    run->ahead.at = kal_carve_doubles(carver, 1 + numbers_of(run), KAL_LANES);
}

// Room for samples, and lanes for the rows of the road; false without memory.
static bool make_room(KalRun *run)
{
    KalSamplesAhead *ahead = &run->ahead;
    const KalRoad *road = &run->instant->road;
    if (!ahead->at) {
        if (kal_workspace_make(run->ctx, "for samples", lay_out, run, &ahead->workspace)
            != KAL_OK) {
            return false;
        }
        ahead->lanes.ctx = run->ctx;
    }
    if (ahead->prepared != road->prepared || ahead->lanes.lead != road
        || !kal_road_lanes_fit(&ahead->lanes, road, true)) {
        kal_road_lanes_make(&ahead->lanes, road, true);
        ahead->places = kal_return_places(road);
        ahead->prepared = road->prepared;
    }
    return ahead->lanes.system != NULL;
}

// Whether the run's states can be looked at in lanes: where a look at one of them alone would
// take the way back, and solve by the road all rows that act; no output jumps between two
// samples; and nothing but the energy is noted of each.
static bool has_lanes(const KalRun *run)
{
    const KalInstant *instant = run->instant;
    return run->options.drift == KAL_DRIFT_PROJECT && run->rank.confirmed
           && !run->careful && instant->ranks.n_independent == instant->n_active
           && instant->ranks.n_sets == 0 && run->system->pieces.n_jumps == 0
           && !instant->control && kal_balance_needs_energy_alone(&run->balance)
           && instant->road.back.program && kal_road_has_lanes(&instant->road, true);
}

// The time of sample k.  Times are multiples of `every`, not sums of it, and so do not
// drift; what is left of a distance by rounding is no sample of its own.
static double time_of(const KalRunOptions *o, double k)
{
    const double t = o->from + k * o->every;
    return t > o->until - REST * o->every ? o->until : t;
}

// The times of the samples from t on that are due before the horizon; lanes without one repeat
// the first.
static void find_times(KalRun *run, double t)
{
    KalSamplesAhead *ahead = &run->ahead;
    int lane = 0;
    for (; lane < KAL_LANES && t < run->horizon; lane++) {
        ahead->at[lane] = t;
        t = time_of(&run->options, run->sampling.k + lane + 1);
    }
    ahead->count = lane;
    for (; lane < KAL_LANES; lane++) {
        ahead->at[lane] = ahead->at[0];
    }
    memcpy(ahead->times, ahead->at, sizeof ahead->times);
}

// States and integrals at these times; whoever looks there alone tells why there are none.
static bool interpolate(KalRun *run)
{
    KalSamplesAhead *ahead = &run->ahead;
    double *groups = ahead->at + KAL_LANES;
    bool known = false;
    if (kal_run_interpolate_lanes(run, ahead->at, &known) != KAL_OK) {
        return false;
    }
    for (size_t lane = 0; !known && lane < KAL_LANES; lane++) {
        if (kal_run_interpolate(run, ahead->times[lane], run->state) != KAL_OK) {
            return false;
        }
        for (size_t i = 0; i < numbers_of(run); i++) {
            groups[KAL_LANES * i + lane] = run->state[i];
        }
    }
    return true;
}

// Whether the sample after the next is in the same step; or one in lanes takes no longer than
// one alone.
static bool pays(const KalRun *run)
{
    return run->instant->road.samples
           || time_of(&run->options, run->sampling.k + 1.0) < run->horizon;
}

// Look at the samples from t on.
static void look(KalRun *run, double t)
{
    KalSamplesAhead *ahead = &run->ahead;
    KalEightBits good = kal_eight_everywhere();
    kal_run_samples_forget(run);
    if (!pays(run) || !has_lanes(run) || !make_room(run)) {
        return;
    }
    find_times(run, t);
    run->rank.blind = true; // what samples see has no say in how the run goes on
    const bool known = interpolate(run);
    run->rank.blind = false;
    if (!known) {
        kal_run_samples_forget(run);
        return;
    }
    kal_return_lanes_take(&ahead->lanes, ahead->at, &good);
    kal_return_lanes_judge(&ahead->lanes, &good);
    kal_road_lanes_energy(&ahead->lanes, ahead->at, &good);
    for (int lane = 0; lane < KAL_LANES; lane++) {
        ahead->good[lane] = good[lane] != 0;
    }
}

void kal_run_settle(KalRun *run)
{
    KalSamplesAhead *ahead = &run->ahead;
    KalInstant *instant = run->instant;
    if (!ahead->waits) {
        return;
    }
    ahead->waits = false;
    kal_road_lanes_leave(&ahead->lanes, ahead->next - 1, &instant->road, ahead->at,
                         NULL);
    kal_instant_publish(instant, &run->answer);
    run->complete = true;
    run->solved = true;
    run->rushed = false;
}

// The run is at a sample, and notes what it would note after a look at that state alone.
static void reach(KalRun *run, int lane)
{
    const KalSamplesAhead *ahead = &run->ahead;
    const KalReturnPlaces *at = &ahead->places;
    const double *x = kal_return_lanes_values(&ahead->lanes, lane);
    const double energy[] = {x[KAL_LANES * at->energy],
                             x[KAL_LANES * (at->energy + 1)]};
    for (size_t i = kal_system_state_size(run->system); i < numbers_of(run); i++) {
        run->state[i] = ahead->at[KAL_LANES * (1 + i) + (size_t)lane];
    }
    run->projection.residual_q = x[KAL_LANES * at->position];
    run->projection.residual_qd = x[KAL_LANES * at->velocity];
    run->t = ahead->times[lane];
    run->complete = true;
    run->statistics.evaluations++;
    kal_run_note_residuals(run);
    kal_balance_note_energy(&run->balance, energy, &run->statistics);
}

// Reach the sample at t if it is known ahead.
static bool give(KalRun *run, double t)
{
    KalSamplesAhead *ahead = &run->ahead;
    const int next = ahead->next;
    if (next >= ahead->count || ahead->times[next] != t
        || ahead->prepared != run->instant->road.prepared || !ahead->good[next]) {
        return false;
    }
    reach(run, next);
    ahead->next = next + 1;
    ahead->waits = true;
    return true;
}

bool kal_run_samples_give(KalRun *run, double t)
{
    if (!run->sampling.take) {
        return false;
    }
    if (run->ahead.next >= run->ahead.count) {
        look(run, t);
    }
    if (!give(run, t)) {
        kal_run_samples_forget(run);
        return false;
    }
    return true;
}

KalStatus kal_run_take_sample(KalRun *run)
{
    run->sampling.last = run->t;
    return run->sampling.take(run->sampling.user, run);
}

// Samples are due at from + k every, unless there was one behind a jump at that time.  On the
// way to one that is known nothing happens, but a watch is asked.
static KalStatus sample_next(KalRun *run)
{
    run->sampling.k += 1.0;
    const double t = time_of(&run->options, run->sampling.k);
    if (run->options.watch || !give(run, t)) {
        KAL_TRY(kal_run_advance(run, t));
    }
    return run->sampling.last == run->t ? KAL_OK : kal_run_take_sample(run);
}

KalStatus kal_run_sample(KalRun *run, KalRunTake take, void *user)
{
    KAL_NEED(run ? run->ctx : NULL, run && take);
    KAL_TRY(kal_run_check_started(run, run->ctx));
    const KalRunOptions *o = &run->options;
    const double k = floor((run->t - o->from) / o->every + REST);
    run->sampling = (KalRunSampling){.take = take, .user = user, .k = k};
    KalStatus status = kal_run_take_sample(run);
    while (status == KAL_OK && !run->over) {
        status = sample_next(run);
    }
    kal_run_settle(run);
    run->sampling = (KalRunSampling){.take = NULL};
    return status;
}
