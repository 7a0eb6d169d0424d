// SPDX-License-Identifier: MIT

// Runs that coast (sim/coast.h).
//
// Invariant: what stands here of a lane is as of the beginning of its present step.

#include "sim/coast.h"

#include <assert.h>
#include <math.h>

enum {
    MOST_STEPS = 1024 // until somebody is asked whether to go on
};

void kal_coast_clear(KalCoast *coast)
{
    kal_workspace_clear(coast->ctx, &coast->workspace);
    *coast = (KalCoast){.ctx = coast->ctx};
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalCoast *coast = (KalCoast *)owner;
    const size_t entries = kal_sparse_entries(&coast->road->system->equations->A);
    const size_t rows = (size_t)coast->n_rows;
    coast->of = kal_carve(carver, 1, sizeof *coast->of);
    coast->once = kal_carve(carver, entries, sizeof *coast->once);
    coast->rows = kal_carve(carver, entries, sizeof *coast->rows);
    coast->longest = kal_carve(carver, rows, sizeof *coast->longest);
    coast->active = kal_carve_ints(carver, rows);
}

bool kal_coast_make(KalCoast *coast, const KalRoadLanes *road, const KalRun *run)
{
    assert(road && run && run->system == road->system);
    const KalInstant *instant = run->instant;
    kal_coast_clear(coast);
    coast->road = road;
    coast->n_rows = instant->n_active;
    coast->watches = instant->n_active > 0;
    if (kal_workspace_make(coast->ctx, "for lanes", lay_out, coast, &coast->workspace)
        != KAL_OK) {
        return false;
    }
    for (int i = 0; i < coast->n_rows; i++) {
        coast->active[i] = instant->rows[i];
    }
    return true;
}

// Whether nothing but the end of steps, and rows that may become dependent, can keep a run from
// going on.
static bool is_plain(const KalCoast *coast, const KalRun *run)
{
    const KalInstant *instant = run->instant;
    const KalRankWatch *watch = &run->rank;
    const bool rows = coast->n_rows == 0
                      || (coast->road->returns && run->projection.has_velocity
                          && instant->ranks.n_independent == instant->n_active);
    return rows && instant->n_active == coast->n_rows
           && kal_run_functions(run->system) == 0 && run->system->pieces.n_pulses == 0
           && run->system->n_actuators == 0 && run->system->n_holds == 0
           && run->system->n_states == 0 && instant->ranks.rank_M == run->system->n
           && instant->road.back.refusals == 0 && run->options.fixed_step == 0.0
           && !run->sampling.take
           && (!coast->watches
               || (watch->known && !watch->keeps && !(watch->revisit < INFINITY)));
}

long kal_coast_steps(const KalCoast *coast, const KalRun *run)
{
    const long window = run->window.steps + KAL_RUN_WINDOW - run->statistics.steps;
    const long limit = run->options.max_steps > 0
                           ? run->options.max_steps - run->statistics.steps
                           : MOST_STEPS;
    const long most = window < limit ? window : limit;
    const long steps = most < MOST_STEPS ? most : MOST_STEPS;
    return is_plain(coast, run) && steps > 0 ? steps : 0;
}

// The last sines that the run has seen before its step at t.
static void take_past(KalCoastLanes *of, int lane, const KalRankWatch *watch, double t)
{
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        const long k = watch->n_seen - KAL_COAST_PAST + i;
        const KalSineSeen seen =
            k < 0 ? (KalSineSeen){-INFINITY, 1.0} : watch->seen[k % KAL_SINES_SEEN];
        of->past_t[i][lane] = seen.t;
        of->past[i][lane] = seen.sine;
    }
    const bool usual =
        of->past_t[3][lane] == t && of->past_t[1][lane] < t && of->past_t[0][lane] < t;
    of->mixed[lane] = usual ? 0 : -1;
    of->strange[lane] = of->mixed[lane];
}

// The lane gets what the watch of its run knows of the rows; the run is brought up to
// date again when the lane leaves.
void kal_coast_enter(KalCoast *coast, int lane, KalRun *run)
{
    assert(0 <= lane && lane < KAL_LANES && run);
    const KalRankWatch *watch = &run->rank;
    const size_t entries = kal_sparse_entries(&run->system->equations->A);
    coast->runs[lane] = run;
    coast->of->evaluations[lane] = 0;
    coast->of->steps[lane] = 0;
    coast->of->alike[lane] = kal_run_integrate_alike(run);
    if (!coast->watches) {
        return;
    }
    for (size_t i = 0; i < entries; i++) {
        coast->once[i][lane] = watch->entries[i];
        coast->rows[i][lane] = watch->rows[i];
    }
    for (int i = 0; i < coast->n_rows; i++) {
        coast->longest[i][lane] = watch->longest[coast->active[i]];
    }
    coast->of->turning[lane] = watch->turning;
    coast->of->largest[lane] = watch->largest;
    take_past(coast->of, lane, watch, run->t);
}

// A run gets to know what was counted in its lane.
static void tell(KalCoast *coast, int lane)
{
    KalRun *run = coast->runs[lane];
    KalCoastLanes *of = coast->of;
    run->statistics.evaluations += of->evaluations[lane];
    run->integration.watch.spent += (double)of->evaluations[lane];
    kal_run_integrate_pass_alike(run, of->steps[lane]);
    of->evaluations[lane] = 0;
    of->steps[lane] = 0;
}

void kal_coast_leave(KalCoast *coast, int lane, double t)
{
    KalRun *run = coast->runs[lane];
    KalRankWatch *watch = &run->rank;
    const size_t entries = kal_sparse_entries(&run->system->equations->A);
    tell(coast, lane);
    coast->runs[lane] = NULL;
    run->t = t;
    run->horizon = t;
    run->solved = false;
    if (!coast->watches) {
        return;
    }
    for (size_t i = 0; i < entries; i++) {
        watch->entries[i] = coast->once[i][lane];
        watch->rows[i] = coast->rows[i][lane];
    }
    for (int i = 0; i < coast->n_rows; i++) {
        watch->longest[coast->active[i]] = coast->longest[i][lane];
    }
    watch->turning = coast->of->turning[lane];
    watch->largest = coast->of->largest[lane];
    if (watch->t != t) { // steps that lead nowhere tell no slopes
        watch->bends = false;
        watch->bend = 0.0;
    }
    watch->t = t;
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        kal_run_note_sine_at(run, coast->of->past_t[i][lane], coast->of->past[i][lane]);
    }
}

// As suits the processor.
static void look(KalCoast *coast, const KalLaneNotes *notes, KalEightBits *quiet,
                 KalEight *out_longest)
{
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        (kal_has_widest() ? kal_coast_look_widest
                          : kal_coast_look_wide)(coast, notes, quiet, out_longest);
        return;
    }
#endif
    kal_coast_look(coast, notes, quiet, out_longest);
}

void kal_coast_on(KalCoast *coast, const KalLaneNotes *notes, KalEightBits *out_on,
                  KalEight *out_longest)
{
    *out_on = notes->taken;
    kal_road_lanes_energy(coast->road, notes->end, out_on);
    look(coast, notes, out_on, out_longest);
    for (int lane = 0; coast->any_due && lane < KAL_LANES; lane++) {
        if (coast->of->due[lane] != 0) {
            KalRun *run = coast->runs[lane];
            tell(coast, lane);
            kal_run_integrate_pass(run, notes->t_new[lane]);
            coast->of->alike[lane] = kal_run_integrate_alike(run);
        }
    }
}
