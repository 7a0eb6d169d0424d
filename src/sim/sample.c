// SPDX-License-Identifier: MIT

// Samples of a run (sim/sample.h): when they are due, and those that wait for others.
//
// Invariant: samples that wait are of steps that were taken since the last event, in the order of
// time, and their states are known; no other sample is taken before them.

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
    KalSampleStock *stock = &run->stock;
    kal_road_lanes_clear(&stock->lanes);
    kal_workspace_clear(run->ctx, &stock->workspace);
    *stock = (KalSampleStock){.count = 0};
}

// Times, states and integrals of samples, and what their looks find, in groups.
static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = (KalRun *)owner;
    run->stock.at = kal_carve_doubles(carver, 1 + numbers_of(run), KAL_LANES);
    run->stock.found = kal_carve_doubles(carver, 1 + numbers_of(run), KAL_LANES);
}

// Whether lanes are those of the road, for its parameters.
static bool are_prepared(const KalRun *run)
{
    const KalSampleStock *stock = &run->stock;
    const KalRoad *road = &run->instant->road;
    return stock->lanes.system && stock->prepared == road->prepared
           && stock->road == road->brief.number;
}

// Room for samples, and lanes for the rows of the road; false without memory.
static bool make_room(KalRun *run)
{
    KalSampleStock *stock = &run->stock;
    const KalRoad *road = &run->instant->road;
    if (!stock->at) {
        if (kal_workspace_make(run->ctx, "for samples", lay_out, run, &stock->workspace)
            != KAL_OK) {
            return false;
        }
        stock->lanes.ctx = run->ctx;
    }
    if (!are_prepared(run)) {
        kal_road_lanes_make(&stock->lanes, road, true);
        stock->places = kal_return_places(road);
        stock->prepared = road->prepared;
        stock->road = road->brief.number;
    }
    return stock->lanes.system != NULL;
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
           && !instant->control && !run->integration.crossed
           && kal_balance_needs_energy_alone(&run->balance)
           && instant->road.back.program && kal_road_has_lanes(&instant->road, true);
}

// The time of sample k.  Times are multiples of `every`, not sums of it, and so do not
// drift; what is left of a distance by rounding is no sample of its own.
static double time_of(const KalRunOptions *o, double k)
{
    const double t = o->from + k * o->every;
    return t > o->until - REST * o->every ? o->until : t;
}

// The times of samples that are due before the horizon, behind those that wait, as many as there
// are lanes for; lanes without one repeat the first.  Returns how many.
static int find_times(KalRun *run)
{
    KalSampleStock *stock = &run->stock;
    const double first = time_of(&run->options, run->sampling.k);
    double t = first;
    int lane = stock->count;
    for (int k = 1; lane < KAL_LANES && t < run->horizon; k++) {
        stock->at[lane++] = t;
        t = time_of(&run->options, run->sampling.k + k);
    }
    for (int i = lane; i < KAL_LANES; i++) {
        stock->at[i] = first;
    }
    return lane - stock->count;
}

// States and integrals of the present step, where the method does not find them behind those that
// wait: aside, and then in their lanes.
static KalStatus interpolate_aside(KalRun *run)
{
    const KalSampleStock *stock = &run->stock;
    const size_t kept = (size_t)stock->count;
    const size_t size = (KAL_LANES - kept) * sizeof(double);
    double *found = stock->found;
    bool known = false;
    for (size_t lane = 0; lane < KAL_LANES; lane++) {
        found[lane] = stock->at[lane < kept ? kept : lane];
    }
    KAL_TRY(kal_run_interpolate_lanes(run, found, 0, &known));
    for (size_t lane = kept; !known && lane < KAL_LANES; lane++) {
        KAL_TRY(kal_run_interpolate(run, found[lane], run->state));
        for (size_t i = 0; i < numbers_of(run); i++) {
            found[KAL_LANES * (1 + i) + lane] = run->state[i];
        }
    }
    for (size_t i = KAL_LANES; i < KAL_LANES * (1 + numbers_of(run)); i += KAL_LANES) {
        memcpy(stock->at + i + kept, found + i + kept, size);
    }
    return KAL_OK;
}

static KalStatus interpolate(KalRun *run)
{
    bool known = false;
    KAL_TRY(kal_run_interpolate_lanes(run, run->stock.at, run->stock.count, &known));
    return known ? KAL_OK : interpolate_aside(run);
}

// Let the next samples of the step wait, as many as there are lanes for; what the others have
// in them are numbers, too.
static KalStatus put(KalRun *run)
{
    KalSampleStock *stock = &run->stock;
    stock->away = false; // nobody looks at the last one any more
    const int count = find_times(run);
    assert(count > 0 && stock->count + count <= KAL_LANES);
    run->rank.blind = true; // what samples see has no say in how the run goes on
    const KalStatus status = interpolate(run);
    run->rank.blind = false;
    KAL_TRY(status);
    stock->count += count;
    run->sampling.k += count - 1;
    return KAL_OK;
}

// Whether lanes take no longer than each sample alone.
static bool pays(const KalRun *run)
{
    return run->instant->road.samples || run->stock.count > 1;
}

// Look at all that wait.
static void look(KalRun *run)
{
    KalSampleStock *stock = &run->stock;
    KalEightBits good = kal_eight_everywhere();
    if (!pays(run) || !has_lanes(run) || !are_prepared(run)) {
        memset(stock->good, 0, sizeof stock->good);
        return;
    }
    kal_return_lanes_take(&stock->lanes, stock->at, &good);
    kal_return_lanes_judge(&stock->lanes, &good);
    kal_road_lanes_energy(&stock->lanes, stock->at, &good);
    for (int lane = 0; lane < KAL_LANES; lane++) {
        stock->good[lane] = good[lane] != 0;
    }
}

void kal_run_settle(KalRun *run)
{
    KalSampleStock *stock = &run->stock;
    KalInstant *instant = run->instant;
    if (!stock->away) {
        return;
    }
    stock->away = false;
    kal_road_lanes_leave(&stock->lanes, stock->lane, &instant->road, stock->at, NULL);
    kal_instant_publish(instant, &run->answer);
    run->complete = true;
    run->solved = true;
    run->rushed = false;
}

// The run is at a sample, and notes what it would note after a look at that state alone.
static void reach(KalRun *run, int lane)
{
    KalSampleStock *stock = &run->stock;
    const KalReturnPlaces *at = &stock->places;
    const double *x = kal_return_lanes_values(&stock->lanes, lane);
    const double energy[] = {x[KAL_LANES * at->energy],
                             x[KAL_LANES * (at->energy + 1)]};
    const size_t state = kal_system_state_size(run->system);
    for (size_t i = 0; i < (size_t)run->balance.n; i++) {
        run->balance.sums[i] = stock->at[KAL_LANES * (1 + state + i) + (size_t)lane];
    }
    run->projection.residual_q = x[KAL_LANES * at->position];
    run->projection.residual_qd = x[KAL_LANES * at->velocity];
    run->complete = true;
    run->statistics.evaluations++;
    kal_run_note_errors(run);
    kal_balance_note_energy(&run->balance, energy, &run->statistics);
    stock->lane = lane;
    stock->away = true;
}

// The same of one that programs do not vouch for.
static KalStatus reach_alone(KalRun *run, int lane)
{
    const KalSampleStock *stock = &run->stock;
    for (size_t i = 0; i < numbers_of(run); i++) {
        run->state[i] = stock->at[KAL_LANES * (1 + i) + (size_t)lane];
    }
    run->rank.blind = true;
    const KalStatus status = kal_run_look_there(run, stock->times[lane]);
    run->rank.blind = false;
    return status;
}

KalStatus kal_run_samples_give(KalRun *run)
{
    KalSampleStock *stock = &run->stock;
    const double now = run->t;
    KalStatus status = KAL_OK;
    if (stock->count == 0) {
        return KAL_OK;
    }
    memcpy(stock->times, stock->at, sizeof stock->times);
    look(run);
    for (int lane = 0; lane < stock->count && status == KAL_OK; lane++) {
        if (stock->good[lane]) {
            reach(run, lane);
        } else {
            status = reach_alone(run, lane);
        }
        run->t = status == KAL_OK ? stock->times[lane] : run->t;
        status = status == KAL_OK ? kal_run_take_sample(run) : status;
    }
    stock->count = 0;
    run->t = run->t > now ? run->t : now;
    return status;
}

bool kal_run_samples_may_wait(KalRun *run)
{
    return run->sampling.take && has_lanes(run) && make_room(run);
}

KalStatus kal_run_samples_keep(KalRun *run)
{
    while (time_of(&run->options, run->sampling.k) < run->horizon) {
        KAL_TRY(put(run));
        KAL_TRY(run->stock.count == KAL_LANES ? kal_run_samples_give(run) : KAL_OK);
        run->sampling.k += 1.0;
    }
    run->sampling.k -= 1.0; // the last that was due
    return KAL_OK;
}

KalStatus kal_run_take_sample(KalRun *run)
{
    run->sampling.last = run->t;
    return run->sampling.take(run->sampling.user, run);
}

// Samples are due at from + k every, unless there was one behind a jump at that time.
static KalStatus sample_next(KalRun *run)
{
    run->sampling.k += 1.0;
    KAL_TRY(kal_run_advance(run, time_of(&run->options, run->sampling.k)));
    return run->stock.count > 0 || run->sampling.last == run->t
               ? KAL_OK
               : kal_run_take_sample(run);
}

KalStatus kal_run_sample(KalRun *run, KalRunTake take, void *user)
{
    KAL_NEED(run ? run->ctx : NULL, run && take);
    KAL_TRY(kal_run_check_started(run, run->ctx));
    const KalRunOptions *o = &run->options;
    const double k = floor((run->t - o->from) / o->every + REST);
    run->sampling = (KalRunSampling){.take = take, .user = user, .k = k};
    kal_run_samples_forget(run);
    KalStatus status = kal_run_take_sample(run);
    while (status == KAL_OK && !run->over) {
        status = sample_next(run);
    }
    kal_run_settle(run);
    run->stock.count = 0;
    run->sampling = (KalRunSampling){.take = NULL};
    return status;
}
