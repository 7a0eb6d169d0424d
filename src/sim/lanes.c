// SPDX-License-Identifier: MIT

// Runs in lanes (sim/lanes.h).
//
// A step of a run has three parts: what comes before it (kal_run_before_step: whether it is a
// plain one, and how long it may be), the step of the integrator, and what follows from it
// (kal_run_after_step).  The first and the last are those of a run alone.  The integrators of
// several runs take theirs in lanes (ode/dop853_lanes.h), on programs in lanes
// (system/lanes.h).  What a run would have noted when it was asked for rates, one by one, it
// gets to know when its attempt counts.
//
// Invariant: a lane is `trying` from the first attempt at a step until the step is taken or
// fails; its run is then touched by nobody else.

#include "sim/lanes.h"

#include "sim/coast.h"
#include "sim/stages.h"

#include <assert.h>
#include <string.h>

enum {
    PATIENCE = 200 // attempts until all stages are worth a program of their own
};

struct KalTeam {
    KalContext *ctx;
    KalRun *runs[KAL_LANES];
    bool trying[KAL_LANES];
    bool coasts[KAL_LANES]; // nobody asks for its steps
    KalRoadLanes road;
    KalOdeLanes *ode; // NULL: for no system yet
    KalStages stages;
    long attempts; // in these lanes
    KalCoast coast;
};

KalStatus kal_team_create(KalContext *ctx, KalTeam **out_team)
{
    KalTeam *team = KAL_NEW(ctx, KalTeam);
    if (!team) {
        return kal_no_memory(ctx, "for runs in lanes");
    }
    team->ctx = ctx;
    team->road.ctx = ctx;
    team->coast.ctx = ctx;
    team->stages.ctx = ctx;
    *out_team = team;
    return KAL_OK;
}

static void forget_lanes(KalTeam *team)
{
    kal_ode_lanes_destroy(team->ode);
    team->ode = NULL;
    kal_road_lanes_clear(&team->road);
    kal_coast_clear(&team->coast);
    kal_stages_clear(&team->stages);
    team->attempts = 0;
}

void kal_team_destroy(KalTeam *team)
{
    if (team) {
        forget_lanes(team);
        kal_free(team->ctx, team, sizeof *team);
    }
}

void kal_run_prefer_lanes(KalRun *run)
{
    run->instant->road.lanes = true;
}

void kal_team_join(KalTeam *team, int lane, KalRun *run, bool coasts)
{
    assert(lane >= 0 && lane < KAL_LANES && (!run || run->started));
    team->runs[lane] = run;
    team->trying[lane] = false;
    team->coasts[lane] = coasts;
    team->road.prepared[lane] = false;
}

// Accelerations by the fast road, of stages the brief ones; at the end those that the way back
// has found, if there is one.  Rates of positions are velocities.
static void rate(void *user, int k, const double *at, double *out_rates,
                 KalEightBits *good)
{
    KalTeam *team = (KalTeam *)user;
    const KalRoad *lead = team->road.lead;
    const double *results = out_rates + (ptrdiff_t)KAL_LANES * team->road.system->n;
    assert(k >= 0 && k < KAL_COAST_RATES);
    if (k < KAL_COAST_RATES - 1) {
        kal_road_lanes_rush(&team->road, at, out_rates, good);
        team->coast.of->sines[k] = kal_const_eight(results)[lead->brief.sine];
        return;
    }
    if (team->road.returns) {
        results = kal_return_lanes_find(&team->road, at, out_rates, good);
    } else {
        kal_road_lanes_take(&team->road, at, out_rates, good);
    }
    team->coast.of->sines[k] = kal_const_eight(results)[lead->at.sine];
}

// All stages at once, where there is a program for that.
static bool stages(void *user, const double *begin, double *out_rates,
                   KalEightBits *good)
{
    KalTeam *team = (KalTeam *)user;
    const KalStages *s = &team->stages;
    team->attempts++;
    if (!s->program) {
        return false;
    }
    kal_stages_take(s, begin, out_rates);
    team->road.math->pivots(out_rates + KAL_LANES * s->at.growth, good);
    memcpy(team->coast.of->sines, out_rates + KAL_LANES * s->at.sines,
           (KAL_COAST_RATES - 1) * sizeof(KalEight));
    return true;
}

static void project(void *user, double *at, KalEightBits *good)
{
    const KalTeam *team = (const KalTeam *)user;
    kal_return_lanes_take(&team->road, at, good);
}

// What kal_run_meet() notes after a way back that led there.
static void note_return(KalTeam *team, int lane, KalRun *run)
{
    kal_return_note(&run->instant->road, true);
    kal_return_lanes_leave(&team->road, lane, &run->projection.residual_q,
                           &run->projection.residual_qd);
    run->projection.metric_lost = true;
}

// An attempt counts: the run knows what it would know if it had been asked for each rate.
static void note(void *user, const KalLaneWork *work)
{
    KalTeam *team = (KalTeam *)user;
    const int lane = work->lane;
    KalRun *run = team->runs[lane];
    const size_t n = (size_t)run->system->n;
    run->statistics.evaluations += work->evaluations;
    run->integration.watch.spent += (double)work->evaluations;
    run->complete = run->instant->ranks.n_independent == run->instant->n_active;
    run->instant->bare = true;
    for (int k = 0; k < work->evaluations; k++) {
        kal_run_note_sine_at(run, work->times[k * KAL_LANES + lane],
                             team->coast.of->sines[k][lane]);
    }
    if (work->projected) {
        note_return(team, lane, run);
    }
    run->solved = work->taken;
    if (work->taken) {
        kal_road_lanes_leave(&team->road, lane, &run->instant->road, work->end,
                             work->end_rates + KAL_LANES * n);
        run->rushed = true;
    }
}

static void coast(void *user, const KalLaneNotes *notes, KalEightBits *out_on,
                  KalEight *out_longest)
{
    KalTeam *team = (KalTeam *)user;
    kal_coast_on(&team->coast, notes, out_on, out_longest);
}

static void leave(void *user, int lane, double t)
{
    KalTeam *team = (KalTeam *)user;
    kal_coast_leave(&team->coast, lane, t);
}

// Whether any lane is in the middle of a step.
static bool is_busy(const KalTeam *team)
{
    bool busy = false;
    for (int lane = 0; lane < KAL_LANES; lane++) {
        busy = busy || team->trying[lane];
    }
    return busy;
}

// Runs whose last step was taken in lanes go on without them.
static void release_runs(const KalTeam *team)
{
    for (int lane = 0; lane < KAL_LANES; lane++) {
        const KalRun *run = team->runs[lane];
        KalIntegrator *integrator =
            run ? run->integration.integrators[KAL_INTEGRATOR_DOP853] : NULL;
        if (integrator) {
            kal_ode_lanes_release(integrator);
        }
    }
}

// Lanes for the rows of a run's road.
static bool make_lanes(KalTeam *team, const KalRun *run)
{
    const int n = run->system->n;
    const bool returns = kal_run_projects(run);
    assert(!is_busy(team));
    release_runs(team);
    forget_lanes(team);
    kal_road_lanes_make(&team->road, &run->instant->road, returns);
    const KalLaneSystem system = {.n = 2 * n,
                                  .n_rates = n + (int)team->road.n_results,
                                  .n_stages = (int)kal_stages_layout((size_t)n).count,
                                  .user = team,
                                  .rate = rate,
                                  .stages = stages,
                                  .project = returns ? project : NULL,
                                  .note = note,
                                  .coast = coast,
                                  .leave = leave};
    if (team->road.system
        && kal_ode_lanes_create(team->ctx, &system, &team->ode) != KAL_OK) {
        forget_lanes(team);
    }
    if (team->ode && !kal_coast_make(&team->coast, &team->road, run)) {
        forget_lanes(team);
    }
    return team->ode != NULL;
}

// Whether the plain step that a run is about to take can be taken in lanes.  Lanes are for
// one set of rows at a time, and are made anew for others when no step is under way.
static bool has_lane(KalTeam *team, const KalRun *run)
{
    const KalRoad *road = &run->instant->road;
    const bool returns = kal_run_projects(run);
    if (run->integration.at_work != KAL_INTEGRATOR_DOP853 || run->careful
        || !run->rank.confirmed || run->balance.n > 0
        || run->options.form == KAL_RUN_FORM_REDUCED
        || !kal_road_has_lanes(road, returns)) {
        return false;
    }
    return (team->ode && kal_road_lanes_fit(&team->road, road, returns))
           || (!is_busy(team) && make_lanes(team, run));
}

// Begin the next step of a run in its lane.
static KalStatus begin_in_lane(KalTeam *team, int lane, KalRun *run)
{
    KalIntegrator *integrator = run->integration.integrators[KAL_INTEGRATOR_DOP853];
    const long coasts = team->coasts[lane] ? kal_coast_steps(&team->coast, run) : 0;
    KAL_TRY(kal_ode_lanes_begin(team->ode, lane, integrator, coasts));
    team->trying[lane] = true;
    if (coasts > 0) {
        kal_coast_enter(&team->coast, lane, run);
    }
    return KAL_OK;
}

// Begin the next step of a run: in its lane, or, where that cannot be, take it at once.
static KalLaneNews begin(KalTeam *team, int lane)
{
    KalRun *run = team->runs[lane];
    bool plain = false;
    KalStatus status = kal_run_before_step(run, &plain);
    if (status == KAL_OK && plain && has_lane(team, run)) {
        status = begin_in_lane(team, lane, run);
    } else if (status == KAL_OK) {
        status = kal_run_integrate_step(run, plain);
    }
    return team->trying[lane]
               ? (KalLaneNews){.known = false}
               : (KalLaneNews){.known = true,
                               .status = kal_run_after_step(run, status)};
}

// A program for all stages pays when some hundred attempts were made in these lanes.
static void make_stages(KalTeam *team)
{
    if (team->attempts < PATIENCE || team->stages.made) {
        return;
    }
    kal_stages_make(&team->stages, team->road.lead, true);
    for (int lane = 0; team->stages.program && lane < KAL_LANES; lane++) {
        kal_stages_enter(&team->stages, lane, team->road.lead->instant);
        team->road.prepared[lane] = false;
    }
}

// Let a lane have the parameters of its run, if they are new to it.
static void enter(KalTeam *team, int lane, const KalInstant *instant)
{
    if (team->stages.program && !team->road.prepared[lane]) {
        kal_stages_enter(&team->stages, lane, instant);
    }
    kal_road_lanes_enter(&team->road, lane, &instant->road);
}

// Attempts at all steps that are under way, until one of them is over.
static void try_all(KalTeam *team, KalLaneNews *out_news)
{
    KalLaneStep steps[KAL_LANES];
    make_stages(team);
    for (int lane = 0; lane < KAL_LANES; lane++) {
        if (team->trying[lane]) {
            enter(team, lane, team->runs[lane]->instant);
        }
    }
    kal_ode_lanes_try(team->ode, team->trying, steps);
    for (int lane = 0; lane < KAL_LANES; lane++) {
        KalRun *run = team->runs[lane];
        if (team->trying[lane] && steps[lane].over) {
            team->trying[lane] = false;
            run->step = steps[lane].status == KAL_OK ? steps[lane].step : run->step;
            out_news[lane] = (KalLaneNews){
                .known = true, .status = kal_run_after_step(run, steps[lane].status)};
        }
    }
}

void kal_team_go(KalTeam *team, KalLaneNews *out_news)
{
    for (int lane = 0; lane < KAL_LANES; lane++) {
        const KalRun *run = team->runs[lane];
        out_news[lane] = (KalLaneNews){.known = false};
        if (run && !run->over && !team->trying[lane]) {
            out_news[lane] = begin(team, lane);
        }
    }
    if (is_busy(team)) {
        try_all(team, out_news);
    }
}
