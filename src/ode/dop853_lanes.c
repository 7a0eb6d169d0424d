// SPDX-License-Identifier: MIT

// Attempts of DOP853 in lanes (dop853_lanes.h).
//
// The present states and rates of lanes stand side by side, in groups of eight.  An attempt
// takes all stages of all lanes, their ends and errors; brings the ends to the manifold; and
// takes the rates there (dop853_course.c).  Lanes that coast are judged together, all others
// alone, here.  The numbers of a lane that are not vouched for, or not finite, are thrown away,
// and its integrator tries the same attempt by itself: this alone decides on failures.
//
// While a lane coasts its state, rates and step control are here alone.  When it leaves they
// become the integrator's again.
//
// Invariants: `y` and k[0] of a lane that has begun a step are its present state and rate.
// After a step was taken, k and y_end of a lane are those of the step until the next attempt
// of any lane; the integrator knows by `away` that they are here.

#include "ode/dop853_lanes_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Groups that are written behind the rates of the last stage.
static size_t room_behind(const KalLaneSystem *system)
{
    const int one = system->n_rates - system->n;
    const int all = system->n_stages - (KAL_DOP853_END - 1) * system->n;
    return (size_t)(one > all ? one : all);
}

// The time, states and what programs of stages take besides stand one behind the other, and so
// do the rates of all stages and what is written behind them.
static void lay_out(KalCarver *carver, void *owner)
{
    KalOdeLanes *l = (KalOdeLanes *)owner;
    const size_t n = (size_t)l->system.n;
    l->pace = kal_carve(carver, 1, sizeof *l->pace);
    l->begin = kal_carve_doubles(carver, 3 + 2 * n, KAL_LANES);
    l->y_end = kal_carve_doubles(carver, n, KAL_LANES);
    l->atol = kal_carve_doubles(carver, n, KAL_LANES);
    l->at = kal_carve_doubles(carver, 1 + n, KAL_LANES);
    l->end = kal_carve_doubles(carver, 1 + n, KAL_LANES);
    l->times = kal_carve_doubles(carver, KAL_ATTEMPT_RATES, KAL_LANES);
    l->k[1] = kal_carve_doubles(
        carver, (KAL_DOP853_END - 1) * n + room_behind(&l->system), KAL_LANES);
    l->k[KAL_DOP853_END] =
        kal_carve_doubles(carver, (size_t)l->system.n_rates, KAL_LANES);
}

// The parts of the pieces that have several.
static void divide(KalOdeLanes *l)
{
    const size_t n = (size_t)l->ld;
    l->y = l->begin + KAL_LANES;
    l->h = l->y + n;
    l->k[0] = l->h + 2 * (size_t)KAL_LANES;
    for (int i = 2; i < KAL_DOP853_END; i++) {
        l->k[i] = l->k[i - 1] + n;
    }
}

// What suits the processor.
static const KalCourseMath *choose_math(void)
{
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        return kal_has_widest() ? &kal_course_math_widest : &kal_course_math_wide;
    }
#endif
    return &kal_course_math;
}

KalStatus kal_ode_lanes_create(KalContext *ctx, const KalLaneSystem *system,
                               KalOdeLanes **out_lanes)
{
    assert(system->n_rates >= system->n && system->n > 0);
    KalOdeLanes *l = KAL_NEW(ctx, KalOdeLanes);
    if (!l) {
        return kal_no_memory(ctx, "for lanes");
    }
    l->ctx = ctx;
    l->system = *system;
    l->sums = kal_dop853_choose_sums();
    l->math = choose_math();
    l->ld = KAL_LANES * system->n;
    const KalStatus status =
        kal_workspace_make(ctx, "for lanes", lay_out, l, &l->workspace);
    if (status != KAL_OK) {
        kal_ode_lanes_destroy(l);
        return status;
    }
    divide(l);
    *out_lanes = l;
    return KAL_OK;
}

void kal_ode_lanes_destroy(KalOdeLanes *lanes)
{
    if (lanes) {
        kal_workspace_clear(lanes->ctx, &lanes->workspace);
        kal_free(lanes->ctx, lanes, sizeof *lanes);
    }
}

// Let n numbers be those of a lane.
static void put(double *lanes, int lane, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        lanes[i * KAL_LANES + lane] = x[i];
    }
}

// Take the n numbers of a lane.
static void take(const double *lanes, int lane, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = lanes[i * KAL_LANES + lane];
    }
}

void kal_ode_lanes_fetch(const KalOdeLanes *lanes, int lane, double *const *k,
                         double *y_end)
{
    for (int i = 0; i < KAL_ATTEMPT_RATES; i++) {
        take(lanes->k[i], lane, k[i], lanes->system.n);
    }
    take(lanes->y_end, lane, y_end, lanes->system.n);
}

// Begin where the last step ended, whose rate there is in the lane already.
static void go_on(KalOdeLanes *l, int lane, KalDop853 *s)
{
    for (int i = lane; i < l->ld; i += KAL_LANES) {
        l->k[0][i] = l->k[KAL_DOP853_END][i];
    }
    s->taken = false;
    s->attempts = 0;
    s->retries = 0;
}

// A lane begins to coast: its step control comes here.
static void take_pace(KalOdeLanes *l, int lane, long coasts)
{
    KalPace *p = l->pace;
    const KalDop853 *s = l->of[lane];
    const KalIntegrator *base = &s->base;
    assert(!(base->options.fixed_step > 0.0));
    p->coasting[lane] = -1;
    p->rtol[lane] = base->options.rtol;
    p->t[lane] = base->t;
    p->t_end[lane] = base->t_end;
    p->direction[lane] = base->direction;
    p->h[lane] = s->h;
    p->longest[lane] = base->options.max_step > 0.0 ? base->options.max_step : INFINITY;
    p->old_log[lane] = s->old_log;
    p->rejected[lane] = s->rejected ? -1 : 0;
    p->attempts[lane] = s->attempts;
    p->stiff[lane] = s->stiff;
    p->calm[lane] = s->calm;
    p->left[lane] = coasts;
    p->steps[lane] = 0;
    p->projections[lane] = 0;
    p->rejections[lane] = 0;
}

// A lane coasts no more: the integrator has its step control again.
static void give_pace(KalOdeLanes *l, int lane)
{
    KalPace *p = l->pace;
    KalDop853 *s = l->of[lane];
    KalOdeCounts *counts = &s->base.counts;
    p->coasting[lane] = 0;
    s->base.t = p->t[lane];
    s->base.options.max_step = p->longest[lane] < INFINITY ? p->longest[lane] : 0.0;
    s->h = p->h[lane];
    s->old_log = p->old_log[lane];
    s->rejected = p->rejected[lane] != 0;
    s->attempts = (int)p->attempts[lane];
    s->stiff = (int)p->stiff[lane];
    s->calm = (int)p->calm[lane];
    counts->steps += (long)p->steps[lane];
    counts->rejected += (long)p->rejections[lane];
    counts->projections += (long)p->projections[lane];
    counts->evaluations += (long)(KAL_DOP853_END * p->steps[lane]
                                  + (KAL_DOP853_END - 1) * p->rejections[lane]);
}

KalStatus kal_ode_lanes_begin(KalOdeLanes *lanes, int lane, KalIntegrator *integrator,
                              long coasts)
{
    KalOdeLanes *l = lanes;
    KalDop853 *s = (KalDop853 *)integrator;
    const int n = l->system.n;
    assert(kal_integrator_name(integrator) == KAL_INTEGRATOR_DOP853);
    assert(integrator->system.n == n && integrator->system.n_integrals == 0);
    assert(!integrator->options.project_stages);
    KAL_TRY(kal_integrator_begin_step(integrator));
    if (s->away == l && s->lane == lane && s->taken) {
        go_on(l, lane, s);
    } else {
        kal_dop853_begin(s);
        put(l->k[0], lane, s->k[0], n);
        put(l->atol, lane, s->atol, n);
        s->away = l;
        s->lane = lane;
    }
    put(l->y, lane, s->y, n);
    l->of[lane] = s;
    l->pace->trying[lane] = -1;
    if (coasts > 0) {
        take_pace(l, lane, coasts);
    }
    return KAL_OK;
}

// Tell the system what the attempt of a lane was.
static void note(const KalOdeLanes *l, const KalCourse *c, int lane)
{
    const bool taken = c->taken[lane] != 0;
    const KalLaneWork work = {.lane = lane,
                              .evaluations = KAL_DOP853_END - (taken ? 0 : 1),
                              .times = l->times,
                              .projected = c->ended[lane] != 0 && l->system.project,
                              .taken = taken,
                              .end = l->end,
                              .end_rates = l->k[KAL_DOP853_END]};
    l->system.note(l->system.user, &work);
}

// Count what the attempt of a lane took, and tell the system.
static void count(const KalOdeLanes *l, const KalCourse *c, int lane)
{
    KalOdeCounts *counts = &l->of[lane]->base.counts;
    counts->evaluations += KAL_DOP853_END - (c->taken[lane] != 0 ? 0 : 1);
    counts->projections += c->ended[lane] != 0 && l->system.project;
    note(l, c, lane);
}

// A lane that is at the beginning of a step coasts no more.
static void leave(KalOdeLanes *l, int lane)
{
    KalDop853 *s = l->of[lane];
    give_pace(l, lane);
    take(l->y, lane, s->y, l->system.n);
    s->base.last = kal_ode_no_step(s->base.t, s->y);
    s->taken = false;
    l->system.leave(l->system.user, lane, s->base.t);
}

// An attempt of a lane, as integrators have it.
static KalDop853Attempt attempt_of(const KalCourse *c, int lane)
{
    return (KalDop853Attempt){
        .h = c->h[lane], .t_new = c->t_new[lane], .error = c->error[lane]};
}

// The integrator takes the step by itself, beginning with the attempt that was planned: what
// it learns on the way may forbid lanes.
static KalDop853Verdict step_alone(KalOdeLanes *l, const KalCourse *c, int lane,
                                   KalStatus *out_status)
{
    KalDop853 *s = l->of[lane];
    KalDop853Verdict verdict = KAL_DOP853_AGAIN;
    KalDop853Attempt attempt = attempt_of(c, lane);
    KalDop853Edge edge = {0.0, 0.0};
    take(l->k[0], lane, s->k[0], l->system.n);
    s->away = NULL;
    *out_status = KAL_OK;
    while (verdict == KAL_DOP853_AGAIN) {
        *out_status = kal_dop853_try(s, &attempt, &edge);
        verdict = kal_dop853_judge(s, &attempt, &edge, out_status);
        if (verdict == KAL_DOP853_AGAIN) {
            *out_status = kal_dop853_plan(s, &attempt);
            verdict = *out_status == KAL_OK ? verdict : KAL_DOP853_FAILED;
        }
    }
    return verdict;
}

// The step of a lane is over.
static void end_step(KalOdeLanes *l, int lane, KalStatus status, KalLaneStep *out_step)
{
    l->over = true;
    l->pace->trying[lane] = 0;
    *out_step = (KalLaneStep){.over = true, .status = status};
    if (status == KAL_OK) {
        kal_integrator_end_step(&l->of[lane]->base, &out_step->step);
    }
}

// What becomes of the attempt of a lane that does not coast, or no more.
static void judge_alone(KalOdeLanes *l, const KalCourse *c, int lane,
                        KalLaneStep *out_step)
{
    KalDop853 *s = l->of[lane];
    KalStatus status = KAL_OK;
    KalDop853Verdict verdict = KAL_DOP853_AGAIN;
    if (l->pace->coasting[lane] != 0) {
        leave(l, lane);
    }
    if (c->ended[lane] != 0 ? c->settled[lane] == 0 : c->good[lane] == 0) {
        verdict = step_alone(l, c, lane, &status);
    } else {
        const KalDop853Attempt attempt = attempt_of(c, lane);
        const KalDop853Edge edge = {c->change[lane], c->distance[lane]};
        count(l, c, lane);
        if (c->taken[lane] != 0) {
            take(l->end + KAL_LANES, lane, s->y_next, l->system.n);
        }
        verdict = kal_dop853_judge(s, &attempt, &edge, &status);
    }
    if (verdict != KAL_DOP853_AGAIN) {
        end_step(l, lane, status, out_step);
    }
}

// Plan the attempt of a lane that does not coast.
static KalStatus plan_alone(KalOdeLanes *l, int lane, KalCourse *c)
{
    KalDop853 *s = l->of[lane];
    KalDop853Attempt attempt;
    KAL_TRY(kal_dop853_plan(s, &attempt));
    c->h[lane] = attempt.h;
    c->t[lane] = s->base.t;
    c->t_new[lane] = attempt.t_new;
    c->rtol[lane] = s->base.options.rtol;
    c->fixed[lane] = s->base.options.fixed_step > 0.0 ? -1 : 0;
    return KAL_OK;
}

// No attempt of a lane that coasts can be planned.
static KalStatus collapse(KalOdeLanes *l, int lane)
{
    const KalDop853 *s = l->of[lane];
    leave(l, lane);
    return kal_ode_collapse(s->base.ctx, s->base.t, s->h);
}

// Plan the attempts of all lanes that are wanted; lanes that are not stand still.
static bool plan(KalOdeLanes *l, KalCourse *c, KalLaneStep *out_steps)
{
    l->math->plan(l, c);
    for (int lane = 0; c->any_alone && lane < KAL_LANES; lane++) {
        if (c->alone[lane] == 0) {
            continue;
        }
        const KalStatus status =
            l->pace->coasting[lane] == 0 ? plan_alone(l, lane, c) : collapse(l, lane);
        if (status != KAL_OK) {
            end_step(l, lane, status, &out_steps[lane]);
        }
        c->tried[lane] = status == KAL_OK ? -1 : 0;
    }
    return kal_eight_any(c->tried);
}

// A lane that has taken a step coasts no more: somebody has to look at it.
static void end_coasting(KalOdeLanes *l, const KalCourse *c, int lane,
                         KalLaneStep *out_step)
{
    KalDop853 *s = l->of[lane];
    give_pace(l, lane);
    take(l->y, lane, s->y_old, l->system.n);
    take(l->end + KAL_LANES, lane, s->y, l->system.n);
    s->base.last = (KalOdeStep){.t_old = c->t[lane],
                                .t_new = s->base.t,
                                .y_old = s->y_old,
                                .y_new = s->y,
                                .stiff = s->stiff >= KAL_DOP853_STIFF_AFTER,
                                .finished = s->base.t == s->base.t_end};
    s->h_last = c->h[lane];
    s->taken = true;
    s->dense = false;
    l->system.leave(l->system.user, lane, c->t[lane]);
    note(l, c, lane);
    l->over = true;
    l->pace->trying[lane] = 0;
    *out_step = (KalLaneStep){.over = true, .status = KAL_OK, .step = s->base.last};
}

// Lanes that coast go on, or leave.
static void follow(KalOdeLanes *l, const KalCourse *c, KalLaneStep *out_steps)
{
    KalEight longest;
    KalEightBits on;
    const KalLaneNotes notes = {.taken = c->quiet,
                                .rejected = c->smooth & ~c->taken,
                                .t = c->t,
                                .t_new = c->t_new,
                                .times = l->times,
                                .end = l->end,
                                .end_rates = l->k[KAL_DOP853_END]};
    l->system.coast(l->system.user, &notes, &on, &longest);
    const KalEightBits off = c->smooth & c->taken & ~on;
    for (int lane = 0; kal_eight_any(off) && lane < KAL_LANES; lane++) {
        if (off[lane] != 0) {
            end_coasting(l, c, lane, &out_steps[lane]);
        }
    }
    l->math->go_on(l, &on, &longest);
}

// An attempt; returns whether any lane is waited for by somebody.
static bool try_once(KalOdeLanes *l, KalLaneStep *out_steps)
{
    KalCourse c;
    if (!plan(l, &c, out_steps)) {
        return true;
    }
    l->math->attempt(l, &c);
    l->math->judge(l, &c);
    for (int lane = 0; c.any_others && lane < KAL_LANES; lane++) {
        if (c.others[lane] != 0) {
            judge_alone(l, &c, lane, &out_steps[lane]);
        }
    }
    if (c.any_smooth) {
        follow(l, &c, out_steps);
    }
    return l->over;
}

void kal_ode_lanes_try(KalOdeLanes *lanes, const bool *wanted, KalLaneStep *out_steps)
{
    lanes->over = false;
    for (int lane = 0; lane < KAL_LANES; lane++) {
        lanes->pace->wanted[lane] = wanted[lane] ? -1 : 0;
        out_steps[lane].over = false;
    }
    while (!try_once(lanes, out_steps)) {
    }
}
